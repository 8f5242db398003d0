// Draws the heading "Advanced": see advanced.h.
#include "hud/advanced.h"

#include <imgui.h>

#include "hud/items.h"
#include "hud/search.h"

bool hud_advanced_heading(bool *open, bool must_open) {
  if (hud_search_filters()) return true;
  ImGui::SetNextItemOpen(*open || must_open, ImGuiCond_Always);
  *open = ImGui::CollapsingHeader("Advanced");
  hud_items_note("Advanced");
  hud_items_tooltip("Show or hide the settings that simple scenes do not need, in all tabs.");
  return *open;
}
