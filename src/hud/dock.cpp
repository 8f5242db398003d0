// Draws the docked plots: see dock.h.
#include "hud/dock.h"

#include <imgui.h>

#include <cmath>

#include "hud/items.h"

int hud_dock_pixels(double wanted, double em, int height) {
  static const double PICTURE = 14;  // heights of text that the docked plots leave for the picture
  const double tall = std::fmin(wanted * em, height - PICTURE * em);
  return tall < HUD_DOCK_HEIGHT_MIN * em ? 0 : static_cast<int>(tall);
}

// Draws all plots side by side, in as many columns as the window has space for.
static void draw_plots(HudPanel *p) {
  static const float COLUMN = 23;  // smallest width of a column, in heights of text
  const int columns =
      static_cast<int>(std::fmax(1, ImGui::GetContentRegionAvail().x / (COLUMN * ImGui::GetFontSize())));
  if (!ImGui::BeginTable("plots", columns)) return;
  hud_curves_draw_plots(&p->curves, true);
  for (int k = 0; k < p->plot_count; k++) {
    if (p->plot[k].hidden) continue;
    ImGui::TableNextColumn();
    hud_plot(&p->plot[k], p->time, p->samples);
  }
  ImGui::EndTable();
}

// Lets the mouse drag the upper edge of the docked plots. top, bottom: y coordinates of their edges, pixels.
static void drag_edge(HudDock *d, float width, float top, float bottom) {
  static float grabbed;  // distance from the mouse to the edge at the press
  const float em = ImGui::GetFontSize(), tall = std::round(0.5f * em);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::SetNextWindowPos(ImVec2(0, top - tall), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(width, tall), ImGuiCond_Always);
  ImGui::Begin("plots edge", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::InvisibleButton("edge", ImVec2(width, tall));
  hud_items_note("plots edge");
  d->drags = ImGui::IsItemActive();
  const float mouse = ImGui::GetIO().MousePos.y;
  if (ImGui::IsItemActivated()) grabbed = top - mouse;
  if (d->drags && ImGui::GetMouseDragDelta(0, 0).y != 0) {
    const double wish = static_cast<double>((bottom - mouse - grabbed) / em);
    d->height = std::fmin(std::fmax(wish, HUD_DOCK_HEIGHT_MIN), HUD_DOCK_HEIGHT_MAX);
  }
  if (d->drags || ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(0, top - 0.15f * em), ImVec2(width, top),
                                              ImGui::GetColorU32(ImGuiCol_CheckMark));
  }

  if (!d->drags) hud_items_tooltip("Drag to change the height of the plots.");
  ImGui::End();
  ImGui::PopStyleVar(2);
}

void hud_dock_draw(HudDock *d, float width, float height) {
  const float tall = static_cast<float>(d->pixels), top = height - tall;
  d->close = false;

  // nothing else is drawn there, so this window of Dear ImGui is opaque and has no round corners
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::SetNextWindowPos(ImVec2(0, top), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(width, tall), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(1);
  ImGui::Begin("docked plots", nullptr,
               ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  d->close = ImGui::SmallButton("Show plots in the panel");
  hud_items_note("plots: panel");
  draw_plots(d->panel);
  ImGui::End();
  ImGui::PopStyleVar();
  drag_edge(d, width, top, height);
}
