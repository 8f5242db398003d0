// Draws the panel's list of probes: see hud_curves.h.
#include "render/hud_curves.h"

#include <imgui.h>

#include <cstdio>

#include "render/hud_items.h"

void hud_curves_forget(HudCurves *c) {
  c->removed = -1;
  c->save = false;
}

void hud_curves_draw(HudCurves *c) {
  hud_curves_forget(c);
  if (c->count == 0) return;
  for (int k = 0; k < c->count; k++) {
    char name[40];
    float color[3];
    ImGui::PushID(k);
    ImGui::AlignTextToFramePadding();
    hud_plot_color(k, color);
    ImGui::TextColored(ImVec4(color[0], color[1], color[2], 1), "%s", c->name[k]);
    snprintf(name, sizeof name, "probe:%s", c->name[k]);
    hud_items_note(name);
    ImGui::SameLine(ImGui::GetFontSize() * 8.6f);
    if (ImGui::SmallButton("Delete")) c->removed = k;
    snprintf(name, sizeof name, "delete:%s", c->name[k]);
    hud_items_note(name);
    ImGui::PopID();
  }
  c->save = ImGui::Button("Save curves");
  hud_items_note("Save curves");
  hud_items_tooltip("Write the positions of the plotted nodes in each time step to a new file, such as hand-1.csv.");
  hud_plot(&c->plot, c->time, c->samples);
}
