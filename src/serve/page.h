// The page of `pliant serve`, embedded from page.html at build time.
#pragma once

/// Text of the page as HTML. It contains the marks /*settings*/[] and /*curves*/[]: a comment and an empty list.
/// settings_page replaces them by the lists of settings and of quantities that the page can plot.
extern const char serve_page[];
