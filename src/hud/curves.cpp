// Draws the panel's list of curves: see curves.h.
#include "hud/curves.h"

#include <imgui.h>

#include <cstdio>

#include "hud/items.h"
#include "hud/refusals.h"
#include "hud/theme.h"

void hud_curves_clear(HudCurves *c) {
  c->removed = -1;
  c->add = c->save = false;
  c->chosen = nullptr;
}

// Draws the text field with the names of observables to add, and its button.
static void draw_field(HudCurves *c) {
  const ImGuiStyle &style = ImGui::GetStyle();
  ImGui::SetNextItemWidth(-ImGui::CalcTextSize("Add curve").x - 2 * style.FramePadding.x - style.ItemSpacing.x);
  hud_refused_begin("curve name");
  c->add = ImGui::InputTextWithHint("##wanted", "kinetic, position:17", c->wanted, sizeof c->wanted,
                                    ImGuiInputTextFlags_EnterReturnsTrue);
  hud_refused_end();
  hud_items_note("curve name");
  hud_items_tooltip(
      "Name of a quantity to plot over time, as for the option --probe. `pliant probes` lists all names.");
  ImGui::SameLine();
  c->add |= ImGui::Button("Add curve");
  hud_items_note("Add curve");
}

// Draws the button + of a curve, which opens a list of other quantities with the same subject.
static void draw_more(HudCurves *c, int k) {
  char name[HUD_CURVE_NAME + 16];
  if (c->more_count[k] == 0) return;
  if (ImGui::SmallButton("+")) ImGui::OpenPopup("more");
  snprintf(name, sizeof name, "more:%s", c->label[k]);
  hud_items_note(name);
  hud_items_tooltip("Plot another quantity of the same node, patch, pair or entry.");
  ImGui::SameLine();
  if (!ImGui::BeginPopup("more")) return;
  for (int j = 0; j < c->more_count[k]; j++) {
    if (ImGui::Selectable(c->more[k][j])) {
      c->chosen = c->more[k][j];
      c->chosen_for = k;
    }
    hud_items_note(c->more[k][j]);
  }
  ImGui::EndPopup();
}

static void draw_list(HudCurves *c) {
  char name[HUD_CURVE_NAME + 16];
  for (int k = 0; k < c->count; k++) {
    const ImU32 color = c->series[k] >= 0 ? hud_colors()->series[c->series[k]] : hud_colors()->text;
    ImGui::PushID(k);
    if (ImGui::SmallButton("Delete")) c->removed = k;
    snprintf(name, sizeof name, "delete:%s", c->label[k]);
    hud_items_note(name);
    ImGui::SameLine();
    draw_more(c, k);
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(color), "%.30s", c->label[k]);
    snprintf(name, sizeof name, "%s:%s", c->series[k] >= 0 ? "probe" : "curve", c->label[k]);
    hud_items_note(name);
    hud_items_tooltip(c->name[k]);
    ImGui::PopID();
  }
}

void hud_curves_draw(HudCurves *c) {
  hud_curves_clear(c);
  draw_field(c);
  if (c->count == 0) return;
  draw_list(c);
  c->save = ImGui::Button("Save curves");
  hud_items_note("Save curves");
  hud_items_tooltip(
      "Write the curves to a new file, such as hand-1.csv. For probes, it contains the nodes' positions.");
}

void hud_curves_draw_plots(HudCurves *c, bool in_table) {
  if (c->count == 0) return;
  if (c->plot.series_count > 0) {
    if (in_table) ImGui::TableNextColumn();
    hud_plot(&c->plot, c->time, c->samples);
  }
  for (int k = 0; k < c->count; k++) {
    if (c->series[k] >= 0) continue;
    char title[32];
    snprintf(title, sizeof title, "%.30s", c->label[k]);
    c->curve[k].title = title;
    if (in_table) ImGui::TableNextColumn();
    ImGui::PushID(k);
    hud_plot(&c->curve[k], c->time, c->samples);
    ImGui::PopID();
    c->curve[k].title = nullptr;
  }
}
