// Plots: see hud_plot.h.
#include "render/hud_plot.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>

#include "render/hud_panel.h"

static const ImU32 COLORS[HUD_SERIES_MAX] = { IM_COL32(240, 158, 88, 255),  IM_COL32(98, 176, 240, 255),
                                              IM_COL32(150, 206, 120, 255), IM_COL32(236, 236, 240, 255),
                                              IM_COL32(214, 130, 200, 255), IM_COL32(140, 150, 162, 255) };
static const ImU32 GRID = IM_COL32(255, 255, 255, 26), AXIS_TEXT = IM_COL32(176, 186, 198, 255);

// a round step, of which at most three lie within the span
static double round_step(double span) {
  const double raw = span / 3, decade = std::pow(10, std::floor(std::log10(raw))), part = raw / decade;
  return decade * (part <= 1.001 ? 1 : part <= 2.001 ? 2 : part <= 5.001 ? 5 : 10);
}

// the values' span, from 0 or through it, ending at whole steps
static void span_of(const HudSeries *series, int series_count, int count, bool stacked, double *low, double *high,
                    double *step) {
  *low = *high = 0;
  for (int k = 0; k < count; k++) {
    double sum = 0;
    for (int s = 0; s < series_count; s++) {
      const double value = static_cast<double>(series[s].values[k]);
      sum = stacked ? sum + std::fmax(0, value) : value;
      if (std::isfinite(sum)) *low = std::fmin(*low, sum), *high = std::fmax(*high, sum);
    }
  }
  if (!(*high > *low)) *high = *low + 1;
  *step = round_step(*high - *low);
  *low = *step * std::floor(*low / *step);
  *high = *step * std::ceil(*high / *step);
}

static void tick_text(double value, double step, char text[48]) {
  snprintf(text, 48, "%.3g", std::fabs(value) < 1e-9 * step ? 0 : value);
}

// title, and the series' names in their colours with what they are now; on as many lines as they need
static void draw_head(const char *title, const char *unit, const HudSeries *series, int series_count, int shown,
                      int count) {
  char text[96];
  snprintf(text, sizeof text, "%s%s%s", title, unit[0] ? ", " : "", unit);
  ImGui::TextUnformatted(text);
  hud_panel_note_text(title, text);
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  for (int s = 0; s < series_count; s++) {
    const double value = count > 0 ? static_cast<double>(series[s].values[shown]) : 0;
    snprintf(text, sizeof text, series_count > 1 ? "%s %.3g" : "%s%.3g", series_count > 1 ? series[s].name : "", value);
    const float gap = ImGui::GetFontSize() * 0.8f;
    if (ImGui::GetItemRectMax().x + gap + ImGui::CalcTextSize(text).x < right) ImGui::SameLine(0, gap);
    ImGui::PushStyleColor(ImGuiCol_Text, COLORS[s]);
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    hud_panel_note_text(title, text);
  }
}

// The area of a plot, the span of its values and its samples.
struct Plot {
  ImDrawList *list;
  ImVec2 from, to;
  double low, high, step, seconds;
  const float *time;
  int count;
  double ago(int k) const {
    return static_cast<double>(time[count - 1]) - static_cast<double>(time[k]);
  }
  float x_of(int k) const {
    return to.x - (to.x - from.x) * static_cast<float>(ago(k) / seconds);
  }
  float y_of(double value) const {
    return to.y - (to.y - from.y) * static_cast<float>((value - low) / (high - low));
  }
};

static void draw_axes(const Plot &p) {
  const float em = ImGui::GetFontSize();
  char text[48];
  p.list->AddRectFilled(p.from, p.to, IM_COL32(12, 16, 22, 255));
  for (int k = 0; p.low + k * p.step < p.high + 0.5 * p.step; k++) {
    const double value = p.low + k * p.step;
    const float y = p.y_of(value);
    tick_text(value, p.step, text);
    const ImVec2 size = ImGui::CalcTextSize(text);
    p.list->AddLine(ImVec2(p.from.x, y), ImVec2(p.to.x, y), GRID);
    p.list->AddText(ImVec2(p.from.x - size.x - 0.3f * em, y - 0.5f * size.y), AXIS_TEXT, text);
  }
  const double time_step = round_step(p.seconds);
  for (double t = 0; t <= p.seconds + 1e-9; t += time_step) {
    const float x = p.to.x - (p.to.x - p.from.x) * static_cast<float>(t / p.seconds);
    snprintf(text, sizeof text, t > 0 ? "-%g" : "%g s", t);
    const ImVec2 size = ImGui::CalcTextSize(text);
    p.list->AddLine(ImVec2(x, p.from.y), ImVec2(x, p.to.y), GRID);
    p.list->AddText(ImVec2(std::fmin(x - 0.5f * size.x, p.to.x - size.x), p.to.y + 0.1f * em), AXIS_TEXT, text);
  }
}

// Draws the values, stacked or as lines.
static void draw_values(const Plot &p, const HudSeries *series, int series_count, bool stacked) {
  const float em = ImGui::GetFontSize();
  float before[HUD_SAMPLES] = { 0 };
  for (int s = 0; s < series_count; s++)
    for (int k = 1; k < p.count && k < HUD_SAMPLES; k++) {
      if (p.ago(k) < 0 || p.ago(k - 1) < 0) continue;
      const float value = series[s].values[k], upper = stacked ? before[k] + std::fmax(0.0f, value) : value;
      if (stacked) {
        p.list->AddRectFilled(ImVec2(p.x_of(k - 1), p.y_of(static_cast<double>(upper))),
                              ImVec2(p.x_of(k), p.y_of(static_cast<double>(before[k]))), COLORS[s]);
        before[k] = upper;
      } else if (std::isfinite(value) && std::isfinite(series[s].values[k - 1])) {
        p.list->AddLine(ImVec2(p.x_of(k - 1), p.y_of(static_cast<double>(series[s].values[k - 1]))),
                        ImVec2(p.x_of(k), p.y_of(static_cast<double>(value))), COLORS[s], 0.1f * em);
      }
    }
}

void hud_plot(const char *title, const char *unit, const HudSeries *series, int series_count, const float *time,
              int count, bool stacked) {
  const float em = ImGui::GetFontSize(), below = 1.3f * em;
  const float width = ImGui::GetContentRegionAvail().x, height = 4.2f * em;
  double low, high, step;
  char text[48];
  span_of(series, series_count, count, stacked, &low, &high, &step);
  float left = 3.4f * em;
  for (int k = 0; low + k * step < high + 0.5 * step; k++) {
    tick_text(low + k * step, step, text);
    left = std::fmax(left, ImGui::CalcTextSize(text).x + 0.6f * em);
  }
  hud_panel_check(title, left < 0.4f * width);

  // which sample is told: that under the mouse, as of the last picture, or the newest
  ImGui::PushID(title);
  static ImGuiID hovered;
  static int hovered_sample;
  const ImGuiID id = ImGui::GetID("plot");
  const bool was_hovered = hovered == id && hovered_sample < count;
  const int shown = was_hovered ? hovered_sample : count - 1;
  draw_head(title, unit, series, series_count, shown, count);
  const ImVec2 corner = ImGui::GetCursorScreenPos(), from(corner.x + left, corner.y + 0.4f * em),
               to(corner.x + width, from.y + height);
  ImGui::Dummy(ImVec2(width, height + 0.4f * em + below));
  hud_panel_note(title);
  Plot p = { ImGui::GetWindowDrawList(), from, to, low, high, step, 0, time, count };
  for (int k = 0; k < count; k++) p.seconds = std::fmax(p.seconds, p.ago(k));
  if (!(p.seconds > 0)) p.seconds = 1;
  draw_axes(p);
  draw_values(p, series, series_count, stacked);

  // under the mouse
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside = ImGui::IsItemHovered() && mouse.x >= from.x && mouse.y >= from.y && mouse.y <= to.y && count > 0;
  if (inside) {
    const double wanted = static_cast<double>((to.x - mouse.x) / (to.x - from.x)) * p.seconds;
    int nearest = count - 1;
    for (int k = 0; k < count; k++)
      if (std::fabs(p.ago(k) - wanted) < std::fabs(p.ago(nearest) - wanted)) nearest = k;
    hovered = id;
    hovered_sample = nearest;
    const float x = p.x_of(hovered_sample);
    p.list->AddLine(ImVec2(x, from.y), ImVec2(x, to.y), IM_COL32(255, 255, 255, 150));
    ImGui::SetTooltip("%.2f s", static_cast<double>(time[hovered_sample]));
  } else if (hovered == id) {
    hovered = 0;
  }
  ImGui::PopID();
}
