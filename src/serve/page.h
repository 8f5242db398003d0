// The page of `pliant serve`, embedded from page.html at build time.
#pragma once

/// Text of the page as HTML.
extern const char serve_page[];
