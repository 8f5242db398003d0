// Lists the HUD's widgets for tests: see items.h.
#include "hud/items.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>

// A widget that tests can click: its name, and its centre in pixels.
struct Item {
  char name[32];
  double pixel[2];
};
static Item items[192];
static int item_count;
static char clipped[64][32];
static int clipped_count;

void hud_items_clear(void) {
  item_count = clipped_count = 0;
}

bool hud_item(int index, const char **name, double pixel[2]) {
  if (index >= item_count) return false;
  *name = items[index].name;
  pixel[0] = items[index].pixel[0];
  pixel[1] = items[index].pixel[1];
  return true;
}

bool hud_clipped(int index, const char **name) {
  if (index < clipped_count) *name = clipped[index];
  return index < clipped_count;
}

void hud_items_check(const char *name, bool fits) {
  if (fits || ImGui::IsWindowAppearing() || clipped_count == sizeof clipped / sizeof *clipped) return;
  snprintf(clipped[clipped_count++], sizeof *clipped, "%s", name);
}

// Adds `name` to the list of widgets that do not fit into their windows (hud_clipped), unless the x coordinates from
// `low` to `high` are visible without scrolling.
static void check_across(const char *name, float low, float high) {
  const float left = ImGui::GetWindowPos().x, right = left + ImGui::GetWindowContentRegionMax().x;
  hud_items_check(name, low >= left - 0.5f && high <= right + ImGui::GetStyle().WindowPadding.x + 0.5f);
}

void hud_items_add(const char *name, const double pixel[2]) {
  if (item_count == sizeof items / sizeof *items) return;
  Item *item = &items[item_count++];
  snprintf(item->name, sizeof item->name, "%s", name);
  item->pixel[0] = pixel[0];
  item->pixel[1] = pixel[1];
}

void hud_items_note(const char *name) {
  check_across(name, ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().x);
  // a window that has just appeared is not yet at its final position
  if (!ImGui::IsItemVisible() || ImGui::IsWindowAppearing()) return;
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax(), corner = ImGui::GetWindowPos(),
               size = ImGui::GetWindowSize();
  const ImVec2 middle(0.5f * (low.x + high.x), 0.5f * (low.y + high.y));
  if (middle.y < corner.y || middle.y > corner.y + size.y) return;  // the widget is scrolled out of view
  const double pixel[2] = { static_cast<double>(middle.x), static_cast<double>(middle.y) };
  hud_items_add(name, pixel);
}

void hud_items_note_text(const char *name, const char *text) {
  const float low = ImGui::GetItemRectMin().x;
  check_across(name, low, low + ImGui::CalcTextSize(text).x);
}

void hud_items_tooltip(const char *help) {
  if (!help || !help[0] || !ImGui::IsItemHovered()) return;
  const float em = ImGui::GetFontSize();
  // some widgets are in windows without padding
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(std::floor(0.8f * em), std::floor(0.67f * em)));
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(em * 24);
  ImGui::TextUnformatted(help);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}
