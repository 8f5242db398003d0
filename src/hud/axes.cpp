// Draws the axes of the world in a corner of the picture: see axes.h.
#include "hud/axes.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>

#include "hud/items.h"

float hud_axes_draw(HudAxes *axes, float left, float bottom) {
  static const char *const NAMES[6] = { "x", "-x", "y", "-y", "z", "-z" };
  static const ImU32 COLORS[3] = { IM_COL32(226, 82, 72, 255), IM_COL32(112, 176, 60, 255),
                                   IM_COL32(74, 134, 224, 255) };
  const float em = ImGui::GetFontSize(), side = 5.6f * em, arm = 2.0f * em, ball = 0.62f * em;
  const ImVec2 corner(left, bottom - side), middle(left + 0.5f * side, bottom - 0.5f * side);
  axes->clicked = -1;
  const auto end_of = [axes, middle, arm](int k) {
    const double *d = axes->direction[k / 2];
    const float sign = k % 2 ? -1.0f : 1.0f;
    return ImVec2(middle.x + sign * arm * static_cast<float>(d[0]), middle.y - sign * arm * static_cast<float>(d[1]));
  };

  // a click near the end of an axis goes to the axes; other clicks in this corner go to the picture
  bool near = false;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  for (int k = 0; k < 6; k++) near = near || std::hypot(mouse.x - end_of(k).x, mouse.y - end_of(k).y) < 1.3f * ball;
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(side, side), ImGuiCond_Always);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::Begin("axes", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | (near ? 0 : ImGuiWindowFlags_NoInputs));

  // sorts the ends by distance from the eye, so that near ends are drawn over far ones
  int order[6];
  double depth[6];
  for (int k = 0; k < 6; k++) {
    depth[k] = (k % 2 ? -1 : 1) * axes->direction[k / 2][2];
    int at = k;
    while (at > 0 && depth[order[at - 1]] < depth[k]) {
      order[at] = order[at - 1];
      at--;
    }
    order[at] = k;
  }

  ImDrawList *list = ImGui::GetWindowDrawList();
  for (const int k : order) {
    const ImVec2 end = end_of(k);
    ImGui::SetCursorScreenPos(ImVec2(end.x - ball, end.y - ball));

    // ends near the eye are tested last, so where two ends overlap, the nearer one gets the click
    if (ImGui::InvisibleButton(NAMES[k], ImVec2(2 * ball, 2 * ball))) axes->clicked = k;
    ImGui::SetItemAllowOverlap();
    char name[16];
    snprintf(name, sizeof name, "axis %s", NAMES[k]);
    hud_items_note(name);
    const ImU32 color = COLORS[k / 2];
    const bool hovered = ImGui::IsItemHovered();
    if (k % 2 == 0) list->AddLine(middle, end, color, 0.14f * em);
    if (k % 2) list->AddCircleFilled(end, 0.8f * ball, (color & ~IM_COL32_A_MASK) | (110u << IM_COL32_A_SHIFT));
    if (k % 2 == 0) list->AddCircleFilled(end, ball, color);
    if (hovered) list->AddCircle(end, 1.1f * ball, IM_COL32(255, 255, 255, 255), 0, 0.1f * em);
    const ImVec2 size = ImGui::CalcTextSize(NAMES[k]);
    if (k % 2 == 0 || hovered)
      list->AddText(ImVec2(end.x - 0.5f * size.x, end.y - 0.5f * size.y), IM_COL32(255, 255, 255, 255), NAMES[k]);
  }

  ImGui::End();
  ImGui::PopStyleVar();
  return side;
}
