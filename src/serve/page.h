// The page of `pliant serve`, embedded from page.html at build time.
#pragma once

/// Text of the page as HTML. It has the comment /*settings*/ before an empty list, which settings_page replaces by the
/// list of settings.
extern const char serve_page[];
