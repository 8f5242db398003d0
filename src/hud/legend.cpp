// The ends of the legend, which the mouse can drag: see legend.h.
#include "hud/legend.h"

#include <imgui.h>

#include <cmath>
#include <cstring>

#include "hud/hud.h"
#include "hud/items.h"
#include "hud/legend_ticks.h"

// Changes one end of the range by the mouse's motion since the button was pressed. height: pixels, of the colours.
static void drag_end(HudLegend *legend, const HudOverlay *o, int end, float height) {
  static const double NEAREST = 0.02;  // smallest distance of the ends, in parts of the previous range
  if (ImGui::IsItemActivated()) {
    memcpy(legend->pressed, o->range, sizeof legend->pressed);
    if (!o->fixed) legend->pressed[!end] = legend_round(o->range, o->log, o->range[!end]);
  }
  if (!ImGui::IsItemActive() || ImGui::GetIO().MouseDelta.y == 0) return;
  double part = end - static_cast<double>(ImGui::GetMouseDragDelta(0, 0).y / height);
  part = end ? std::fmax(part, NEAREST) : std::fmin(part, 1 - NEAREST);
  memcpy(legend->range, legend->pressed, sizeof legend->range);
  legend->range[end] = legend_round(legend->pressed, o->log, legend_value(legend->pressed, o->log, part));
  legend->changed = true;
}

void hud_legend_drag(HudLegend *legend, const HudOverlay *o, float left, float top, float bottom) {
  static const char *const NAMES[2] = { "legend low", "legend high" };
  static const char *const HELP[2] = { "Drag to fix the lower end of the colour range.",
                                       "Drag to fix the upper end of the colour range." };
  const float em = ImGui::GetFontSize();
  const ImVec2 size(std::round(6.5f * em), std::round(1.4f * em));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  for (int end = 0; end < 2; end++) {
    ImGui::SetNextWindowPos(ImVec2(left, (end ? top : bottom) - 0.5f * size.y), ImGuiCond_Always);
    ImGui::SetNextWindowSize(size, ImGuiCond_Always);
    ImGui::Begin(NAMES[end], nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
                     ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoFocusOnAppearing |
                     ImGuiWindowFlags_NoBringToFrontOnFocus);
    ImGui::InvisibleButton("end", size);
    drag_end(legend, o, end, bottom - top);
    hud_items_note(NAMES[end]);
    const bool lit = ImGui::IsItemHovered() || ImGui::IsItemActive();
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    if (lit) ImGui::GetWindowDrawList()->AddRect(low, ImVec2(high.x - 1, high.y - 1), hud_colors()->words, 0.4f * em);
    if (!ImGui::IsItemActive()) hud_items_tooltip(HELP[end]);
    ImGui::End();
  }
  ImGui::PopStyleVar(2);
}
