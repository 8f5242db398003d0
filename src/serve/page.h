// The page of `pliant serve`, embedded from page.html at build time.
#pragma once

/// Text of the page as HTML. It contains the marks /*settings*/[], /*curves*/[] and /*kinds*/[]: a comment and an empty
/// list. settings_page replaces them by the lists of settings, of quantities that the page can plot, and of kinds of
/// entries that it can add to the scene.
extern const char serve_page[];
