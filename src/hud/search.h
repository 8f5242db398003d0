// The search field of the panel. While it contains words, the panel shows the rows of all tabs whose name or help has
// these words. Used by files of src/hud only.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { HUD_SEARCH_TEXT = 64 };

/// Draws the search field. Esc in the field clears it. Returns true if it contains words.
bool hud_search_field(char text[HUD_SEARCH_TEXT]);

/// Begins to filter the rows of a tab: until hud_search_end, hud_search_hides returns true for rows without the words
/// of `text`. Both arguments are borrowed.
void hud_search_begin(const char *text, const char *tab);

/// Ends the filter. Returns true if the tab has a row with the words.
bool hud_search_end(void);

/// Returns true between hud_search_begin and hud_search_end. A tab then draws only its rows.
bool hud_search_filters(void);

/// Must be called before a row is drawn. Returns true if the row must not be drawn. Draws the name of the tab above its
/// first row. label: name of the row in the panel; key: its other name; help: NULL or a text.
bool hud_search_hides(const char *label, const char *key, const char *help);

#ifdef __cplusplus
}
#endif
