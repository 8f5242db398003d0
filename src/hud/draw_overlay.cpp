// Draws the overlay of a picture: see draw_overlay.h.
#include "hud/draw_overlay.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>
#include <initializer_list>

#include "hud/items.h"
#include "hud/legend_ticks.h"

static ImU32 color_of(const float rgb[3]) {
  return ImGui::GetColorU32(ImVec4(rgb[0], rgb[1], rgb[2], 1));
}

static const ImU32 CUT = IM_COL32(255, 190, 92, 255);

float hud_plate_height(const char *text, float wrap) {
  const float pad = 0.4f * ImGui::GetFontSize();
  return ImGui::CalcTextSize(text, nullptr, false, wrap > 0 ? wrap : -1).y + pad;
}

// As hud_text_on_plate, for a list of things that Dear ImGui draws.
static float draw_plate(ImDrawList *list, float x, float y, const char *text, HudMessageKind kind, float wrap) {
  const ImU32 colors[HUD_MESSAGE_KINDS] = { hud_colors()->words, hud_colors()->warning, hud_colors()->error };
  const float pad = 0.4f * ImGui::GetFontSize();
  const float wide = ImGui::CalcTextSize(text, nullptr, false, wrap > 0 ? wrap : -1).x + 2 * pad;
  const float bottom = y + hud_plate_height(text, wrap);
  list->AddRectFilled(ImVec2(x, y), ImVec2(x + wide, bottom), hud_colors()->plate, pad);
  if (kind != HUD_INFORMATION)
    list->AddRectFilled(ImVec2(x, y), ImVec2(x + 0.5f * pad, bottom),
                        kind == HUD_ERROR ? hud_colors()->alarm : hud_colors()->mark, 0.25f * pad);
  list->AddText(ImGui::GetFont(), ImGui::GetFontSize(), ImVec2(x + pad, y + 0.5f * pad), colors[kind], text, nullptr,
                wrap);
  return bottom;
}

float hud_text_on_plate(float x, float y, const char *text, HudMessageKind kind, float wrap) {
  return draw_plate(ImGui::GetBackgroundDrawList(), x, y, text, kind, wrap);
}

void hud_text_above_widgets(float x, float bottom, const char *text, HudMessageKind kind, float wrap) {
  draw_plate(ImGui::GetForegroundDrawList(), x, bottom - hud_plate_height(text, wrap), text, kind, wrap);
}

// Returns the factor of the SI prefix for numbers up to `largest`, and the prefix itself in *prefix: for 2500, the
// factor is 1e3 and the prefix "k". If `unit` is empty, returns 1 and no prefix.
static double prefix_of(double largest, const char *unit, const char **prefix) {
  static const struct {
    double factor;
    const char *name;
  } rows[] = { { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" }, { 1, "" }, { 1e-3, "m" }, { 1e-6, "µ" } };
  *prefix = "";
  if (!unit[0]) return 1;
  for (const auto &row : rows)
    if (largest >= row.factor) {
      *prefix = row.name;
      return row.factor;
    }
  return 1;
}

// Draws the legend between the heights `low` and `high`, pixels: a colour bar, a title above and values to the right.
// ends: gets the mouse's drags of both ends; NULL: none.
static void draw_legend(ImDrawList *list, const HudOverlay *o, float left, float right, float low, float high,
                        HudLegend *ends) {
  const float line = ImGui::GetFontSize(), width = 1.2f * line, all = high - low;
  const float height = std::fmin(0.45f * all, 16 * line);
  const ImVec2 top(left, low + 0.5f * (all - height) + line);
  const char *prefix;
  const double unit = prefix_of(std::fmax(std::fabs(o->range[0]), std::fabs(o->range[1])), o->unit, &prefix);
  char text[160];
  snprintf(text, sizeof text, "%s%s%s%s%s", o->title, o->unit[0] ? ", " : "", prefix, o->unit, o->note);
  const float title_top = top.y - 0.8f * line - hud_plate_height(text, 0);
  hud_text_on_plate(top.x, title_top, text, HUD_INFORMATION, 0);
  hud_items_check("legend", title_top >= low && top.y + height + 0.7f * line <= high &&
                                top.x + ImGui::CalcTextSize(text).x + 0.8f * line <= right);
  for (int k = 0; k + 1 < COLOR_MAP_POINTS; k++) {
    const float step = height / (COLOR_MAP_POINTS - 1), y = top.y + height - step * static_cast<float>(k);
    const ImU32 below = color_of(o->colors[k]), above = color_of(o->colors[k + 1]);
    list->AddRectFilledMultiColor(ImVec2(top.x, y - step), ImVec2(top.x + width, y), above, above, below, below);
  }

  list->AddRect(top, ImVec2(top.x + width, top.y + height), IM_COL32(12, 16, 22, 200));
  LegendTick tick[LEGEND_TICKS_MAX];
  const double gap = static_cast<double>(1.5f * line / height);  // labels nearer than this would overlap
  const int count = legend_ticks(o->range, o->log, gap, tick);
  for (int k = 0; k < count; k++) {
    const bool beyond = (k == 0 && o->below) || (k == 1 && o->above);
    const float y = top.y + height * static_cast<float>(1 - tick[k].part);
    if (o->log) list->AddLine(ImVec2(top.x + 0.7f * width, y), ImVec2(top.x + width, y), IM_COL32(12, 16, 22, 200), 1);
    snprintf(text, sizeof text, "%s%.4g", !beyond ? "" : k ? "≥ " : "≤ ", tick[k].value / unit);
    hud_text_on_plate(top.x + width + 0.5f * line, y - 0.7f * line, text, HUD_INFORMATION, 0);
  }
  if (ends) hud_legend_drag(ends, o, top.x, top.y, top.y + height);
}

// Writes a length in a suitable unit, such as "2.5 cm".
static void length_text(double metres, char *text, size_t size) {
  const double a = std::fabs(metres);
  if (a >= 1)
    snprintf(text, size, "%.4g m", metres);
  else if (a >= 0.01)
    snprintf(text, size, "%.4g cm", 100 * metres);
  else if (a >= 1e-3)
    snprintf(text, size, "%.4g mm", 1e3 * metres);
  else
    snprintf(text, size, "%.4g µm", 1e6 * metres);
}

// Draws a scale bar of a round length at the lower right. It is exact for objects at the depth of the camera's target.
static void draw_scale(ImDrawList *list, const HudOverlay *o, ImVec2 low, ImVec2 high) {
  const float line = ImGui::GetFontSize(), wished = std::fmin(10 * line, 0.3f * (high.x - low.x));
  const double maximum = static_cast<double>(wished) * o->scale, decade = std::pow(10, std::floor(std::log10(maximum)));
  const double length = decade * (maximum >= 5 * decade ? 5 : maximum >= 2 * decade ? 2 : 1);
  const float wide = static_cast<float>(length / o->scale), y = high.y - (o->grid > 0 ? 3.4f : 1.8f) * line;
  char text[32];
  length_text(length, text, sizeof text);
  const ImVec2 size = ImGui::CalcTextSize(text);
  const float plate = std::fmax(wide, size.x), end = high.x - 0.5f * line, middle = end - 0.5f * plate;
  const float left = middle - 0.5f * wide, right = middle + 0.5f * wide;
  list->AddRectFilled(ImVec2(end - plate - 0.4f * line, y - 0.2f * line), ImVec2(high.x - 0.1f * line, y + 1.7f * line),
                      hud_colors()->plate, 0.4f * line);
  list->AddRectFilled(ImVec2(left, y + 1.25f * line), ImVec2(right, y + 1.4f * line), hud_colors()->words);
  for (const float x : { left, right - 0.12f * line })
    list->AddRectFilled(ImVec2(x, y + 1.05f * line), ImVec2(x + 0.12f * line, y + 1.4f * line), hud_colors()->words);
  list->AddText(ImVec2(middle - 0.5f * size.x, y), hud_colors()->words, text);
}

void hud_overlay_draw(const HudOverlay *o, const float low_corner[2], const float high_corner[2], float left_end,
                      HudLegend *legend) {
  const ImVec2 low(low_corner[0], low_corner[1]), high(high_corner[0], high_corner[1]);
  ImDrawList *list = ImGui::GetBackgroundDrawList();
  const float line = ImGui::GetFontSize();
  if (o->title) draw_legend(list, o, low.x, high.x, low.y, left_end, legend);
  if (o->grid > 0) {
    char length[32], text[64];
    length_text(o->grid, length, sizeof length);
    snprintf(text, sizeof text, "floor: squares of %s", length);
    const ImVec2 size = ImGui::CalcTextSize(text);
    hud_text_on_plate(high.x - size.x - 0.8f * line, high.y - 1.5f * line, text, HUD_INFORMATION, 0);
  }

  if (o->arrow > 0) {
    char text[80];
    const char *prefix;
    const double unit = prefix_of(o->arrow, o->arrow_unit, &prefix);
    snprintf(text, sizeof text, "%s\nlongest arrow: %.4g %s%s", o->arrow_title, o->arrow / unit, prefix, o->arrow_unit);
    const ImVec2 size = ImGui::CalcTextSize(text);
    hud_items_check("arrows", high.x - size.x - 0.8f * line >= low.x);
    hud_text_on_plate(high.x - size.x - 0.8f * line, low.y + 0.3f * line, text, HUD_INFORMATION, 0);
  }

  if (o->cuts) {
    const ImVec2 from(static_cast<float>(o->cut[0][0]), static_cast<float>(o->cut[0][1]));
    const ImVec2 to(static_cast<float>(o->cut[1][0]), static_cast<float>(o->cut[1][1]));
    list->AddLine(from, to, IM_COL32(0, 0, 0, 160), 0.3f * line);
    list->AddLine(from, to, CUT, 0.12f * line);
  }

  for (const HudLine *l = o->line; l < o->line + o->line_count; l++) {
    const ImVec2 from(static_cast<float>(l->from[0]), static_cast<float>(l->from[1]));
    const ImVec2 to(static_cast<float>(l->to[0]), static_cast<float>(l->to[1]));
    list->AddLine(from, to, color_of(l->color), (l->handle ? 0.25f : 0.1f) * line);
    if (l->knob) list->AddCircleFilled(to, 0.4f * line, color_of(l->color));
    if (l->name) hud_items_add(l->name, l->to);
  }

  for (const HudMark *m = o->mark; m < o->mark + o->mark_count; m++) {
    const ImVec2 middle(static_cast<float>(m->pixel[0]), static_cast<float>(m->pixel[1]));
    list->AddCircleFilled(middle, 0.33f * line, IM_COL32(0, 0, 0, 200));
    list->AddCircleFilled(middle, 0.25f * line, color_of(m->color));
  }

  for (int k = 0; k < o->label_count; k++) {
    const ImVec2 size = ImGui::CalcTextSize(o->labels[k].text);
    const float x = static_cast<float>(o->labels[k].pixel[0]), y = static_cast<float>(o->labels[k].pixel[1]);

    // the label is to the right of its point, or to the left if it does not fit there
    const float wide = size.x + 0.8f * line, tall = size.y + 0.4f * line;
    const float left = x + line + wide <= high.x ? x + line : x - line - wide;
    const float top = std::fmax(low.y, std::fmin(y - 0.7f * line, high.y - tall));
    hud_text_on_plate(std::fmax(low.x, left), top, o->labels[k].text, HUD_INFORMATION, 0);
  }
  if (o->scale > 0) draw_scale(list, o, low, high);
}
