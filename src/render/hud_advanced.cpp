// Draws the heading "Advanced": see hud_advanced.h.
#include "render/hud_advanced.h"

#include <imgui.h>

#include "render/hud_items.h"
#include "render/hud_search.h"

bool hud_advanced_heading(bool *open, bool must_open) {
  if (hud_search_filters()) return true;
  ImGui::SetNextItemOpen(*open || must_open, ImGuiCond_Always);
  *open = ImGui::CollapsingHeader("Advanced");
  hud_items_note("Advanced");
  hud_items_tooltip("Show or hide the settings that simple scenes do not need, in all tabs.");
  return *open;
}
