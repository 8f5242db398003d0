// The page of `pliant serve`, embedded from page.html at build time.
#pragma once

/// Text of the page as HTML. It contains the comment /*settings*/ followed by an empty list. settings_page replaces
/// both by the list of settings.
extern const char serve_page[];
