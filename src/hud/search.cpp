// Draws the search field of the panel, and filters rows: see search.h.
#include "hud/search.h"

#include <imgui.h>

#include <cstdio>
#include <cstring>

#include "base/word_search.h"
#include "hud/items.h"

static const char *words;    // words for which rows are filtered; NULL: no filter
static const char *heading;  // name of the tab whose rows are drawn
static bool found;           // true: at least one row of the tab `heading` contains `words`

bool hud_search_field(char text[HUD_SEARCH_TEXT]) {
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##search", "search all tabs", text, HUD_SEARCH_TEXT);
  // after Esc, Dear ImGui has restored the text from before the user clicked the field
  if (ImGui::IsItemDeactivated() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape))) text[0] = '\0';
  hud_items_note("search");
  return text[strspn(text, " ")] != '\0';
}

void hud_search_begin(const char *text, const char *tab) {
  words = text;
  heading = tab;
  found = false;
}

bool hud_search_end(void) {
  words = nullptr;
  return found;
}

bool hud_search_filters(void) {
  return words != nullptr;
}

bool hud_search_hides(const char *label, const char *key, const char *help) {
  if (!words) return false;
  char names[512];
  snprintf(names, sizeof names, "%s\n%s", label, key);
  if (!words_are_in(words, names, help ? help : "")) return true;
  if (!found) {
    char name[32];
    ImGui::TextDisabled("%s", heading);
    snprintf(name, sizeof name, "found:%.24s", heading);
    hud_items_note(name);
  }
  found = true;
  return false;
}
