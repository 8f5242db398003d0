// Draws the toolbar: see toolbar.h.
#include "hud/toolbar.h"

#include <imgui.h>

#include <cmath>

#include "hud/icon.h"
#include "hud/items.h"

static bool draw_button(const HudButton *b, ImVec2 corner, float side) {
  ImGui::SetCursorScreenPos(corner);
  const bool clicked = ImGui::InvisibleButton(b->name, ImVec2(side, side));
  hud_items_note(b->name);
  hud_items_tooltip(b->help);
  ImDrawList *list = ImGui::GetWindowDrawList();
  const ImGuiCol plate = ImGui::IsItemActive() || b->active ? ImGuiCol_ButtonActive : ImGuiCol_ButtonHovered;
  if (b->active || ImGui::IsItemHovered())
    list->AddRectFilled(corner, ImVec2(corner.x + side, corner.y + side), ImGui::GetColorU32(plate),
                        ImGui::GetStyle().FrameRounding);
  const float inset = 0.18f * side;
  hud_icon_draw(list, b->icon, corner.x + inset, corner.y + inset, side - 2 * inset,
                ImGui::GetColorU32(ImGuiCol_Text, b->dimmed ? 0.35f : 1));
  return clicked;
}

// Returns the height of `rows` buttons below each other with all gaps, pixels.
static float height_of(const HudToolbar *t, int rows, float side, float gap) {
  int gaps = 0;
  for (int k = 1; k < t->count && k < rows; k++) gaps += t->button[k].spaced;
  return static_cast<float>(rows) * side + static_cast<float>(gaps) * gap;
}

float hud_toolbar_draw(HudToolbar *t, float left, float top, float width, float height) {
  const float em = ImGui::GetFontSize(), side = std::round(1.7f * em), gap = std::round(0.5f * em);
  const float pad = std::round(0.25f * em);
  int rows = t->count;
  for (int columns = 2; columns <= t->count && height_of(t, rows, side, gap) + 2 * pad > height; columns++)
    rows = (t->count + columns - 1) / columns;
  const int columns = rows > 0 ? (t->count + rows - 1) / rows : 0;
  const float wide = static_cast<float>(columns) * side + 2 * pad, tall = height_of(t, rows, side, gap) + 2 * pad;
  t->clicked = -1;
  if (wide > width / 3) return 0;
  ImGui::SetNextWindowPos(ImVec2(left, top), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(wide, tall), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.8f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(pad, pad));
  ImGui::Begin("toolbar", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoBringToFrontOnFocus);
  hud_items_check("toolbar", tall <= height);
  float y = top + pad;
  for (int k = 0; k < t->count; k++) {
    const int column = k / rows;
    if (k % rows == 0) y = top + pad;
    if (t->button[k].spaced && k % rows > 0 && column == 0) y += gap;
    if (draw_button(&t->button[k], ImVec2(left + pad + static_cast<float>(column) * side, y), side)) t->clicked = k;
    y += side;
  }

  ImGui::End();
  ImGui::PopStyleVar();
  return wide;
}
