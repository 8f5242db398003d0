// Draws the list of stored views: see views.h.
#include "hud/views.h"

#include <imgui.h>

#include <cstdio>
#include <cstring>

#include "hud/items.h"

void hud_views_clear(HudViews *v) {
  v->shown = v->removed = v->renamed = -1;
  v->add = false;
}

// Draws a button of the list. Returns true if it was pressed.
static bool button(const char *label, int number) {
  char name[32];
  const bool pressed = ImGui::Button(label);
  snprintf(name, sizeof name, "%s view:%d", label, number);
  hud_items_note(name);
  return pressed;
}

static void draw_line(HudViews *v, int k) {
  static int typed = -1;  // view whose name the user is typing; -1: none
  static char text[HUD_VIEW_NAME];
  const ImGuiStyle &style = ImGui::GetStyle();
  char hint[24], name[32];
  ImGui::PushID(k);
  if (button("Show", k + 1)) v->shown = k;
  ImGui::SameLine();
  snprintf(hint, sizeof hint, "view %d", k + 1);
  snprintf(name, sizeof name, "name view:%d", k + 1);
  ImGui::SetNextItemWidth(-ImGui::CalcTextSize("Delete").x - 2 * style.FramePadding.x - style.ItemSpacing.x);
  ImGui::InputTextWithHint("##name", hint, typed == k ? text : v->name[k], HUD_VIEW_NAME);
  hud_items_note(name);
  hud_items_tooltip(k < 4 ? "Name of the view. The keys F5 to F8 show the views 1 to 4." : "Name of the view.");
  const bool active = ImGui::IsItemActive();
  if (active && typed != k) memcpy(text, v->name[k], sizeof text);
  if (active) typed = k;
  if (!active && typed == k) {
    typed = -1;
    if (strcmp(text, v->name[k]) != 0) v->renamed = k;
    memcpy(v->name[k], text, sizeof text);
  }

  ImGui::SameLine();
  if (button("Delete", k + 1)) v->removed = k;
  ImGui::PopID();
}

void hud_views_draw(HudViews *v) {
  ImGui::Separator();
  for (int k = 0; k < v->count; k++)
    if (v->given[k]) draw_line(v, k);
  v->add = ImGui::Button("Store view");
  hud_items_note("Store view");
  hud_items_tooltip("Store the present view. A saved scene keeps all stored views.");
}
