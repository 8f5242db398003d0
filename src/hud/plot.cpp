// Draws the plots in the panel: see plot.h.
#include "hud/plot.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>

#include "hud/items.h"
#include "hud/theme.h"

void hud_plot_color(int series, float color[3]) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(hud_colors()->series[series]);
  color[0] = c.x;
  color[1] = c.y;
  color[2] = c.z;
}

// Returns a round distance between ticks, so large that at most three of these distances fit into `span`.
static double round_step(double span) {
  const double raw = span / 3, decade = std::pow(10, std::floor(std::log10(raw))), part = raw / decade;
  return decade * (part <= 1.001 ? 1 : part <= 2.001 ? 2 : part <= 5.001 ? 5 : 10);
}

// Computes the range of the value axis, which includes 0 and ends at multiples of *step.
static void span_of(const HudPlot *plot, int count, double *low, double *high, double *step) {
  *low = *high = 0;
  for (int k = 0; k < count; k++) {
    double sum = 0;
    for (int s = 0; s < plot->series_count; s++) {
      const double value = static_cast<double>(plot->values[s][k]);
      sum = plot->stacked ? sum + std::fmax(0, value) : value;
      if (std::isfinite(sum)) {
        *low = std::fmin(*low, sum);
        *high = std::fmax(*high, sum);
      }
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

// Draws the title of a plot. Then draws each series' name and its value at sample `shown`, in the colour of the series.
static void draw_head(const HudPlot *plot, int shown, int count) {
  const char *title = plot->title, *unit = plot->unit;
  const int series_count = plot->series_count;
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  char text[96];
  snprintf(text, sizeof text, "%s%s%s", title, unit[0] ? ", " : "", unit);
  ImGui::TextUnformatted(text);
  hud_items_note_text(title, text);
  for (int s = 0; s < series_count; s++) {
    const double value = count > 0 ? static_cast<double>(plot->values[s][shown]) : 0;
    snprintf(text, sizeof text, series_count > 1 ? "%s %.3g" : "%s%.3g", series_count > 1 ? plot->name[s] : "", value);
    const float gap = ImGui::GetFontSize() * 0.8f;
    if (ImGui::GetItemRectMax().x + gap + ImGui::CalcTextSize(text).x < right) ImGui::SameLine(0, gap);
    ImGui::PushStyleColor(ImGuiCol_Text, hud_colors()->series[s]);
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
    hud_items_note_text(title, text);
  }
}

// The axes of a plot: opposite corners of its area, pixels, and the ranges of values and time.
struct Frame {
  ImVec2 from, to;
  double low, high, step;
  const float *time;  // [count], times of the samples, s
  int count;
  double seconds;

  // Returns the time from a sample to the newest one, s.
  double ago(int sample) const {
    return static_cast<double>(time[count - 1]) - static_cast<double>(time[sample]);
  }
  float x_of(double ago) const {
    return to.x - (to.x - from.x) * static_cast<float>(ago / seconds);
  }
  float y_of(double value) const {
    return to.y - (to.y - from.y) * static_cast<float>((value - low) / (high - low));
  }
  ImVec2 point(int sample, float value) const {
    return ImVec2(x_of(ago(sample)), y_of(static_cast<double>(value)));
  }
};

static double span_of_time(const Frame &f) {
  double seconds = 0;
  for (int k = 0; k < f.count; k++) seconds = std::fmax(seconds, f.ago(k));
  return seconds > 0 ? seconds : 1;
}

// Returns the width of the widest number beside the value axis, pixels.
static float width_of_ticks(const Frame &f) {
  char text[48];
  float width = 0;
  for (int k = 0; f.low + k * f.step < f.high + 0.5 * f.step; k++) {
    tick_text(f.low + k * f.step, f.step, text);
    width = std::fmax(width, ImGui::CalcTextSize(text).x);
  }
  return width;
}

static void draw_value_axis(const Frame &f) {
  ImDrawList *list = ImGui::GetWindowDrawList();
  char text[48];
  for (int k = 0; f.low + k * f.step < f.high + 0.5 * f.step; k++) {
    const double value = f.low + k * f.step;
    const float y = f.y_of(value);
    tick_text(value, f.step, text);
    const ImVec2 size = ImGui::CalcTextSize(text);
    list->AddLine(ImVec2(f.from.x, y), ImVec2(f.to.x, y), hud_colors()->grid);
    list->AddText(ImVec2(f.from.x - size.x - 0.3f * ImGui::GetFontSize(), y - 0.5f * size.y), hud_colors()->axis, text);
  }
}

static void draw_time_axis(const Frame &f) {
  ImDrawList *list = ImGui::GetWindowDrawList();
  char text[48];
  const double step = round_step(f.seconds);
  for (double t = 0; t <= f.seconds + 1e-9; t += step) {
    const float x = f.x_of(t);
    snprintf(text, sizeof text, t > 0 ? "-%g" : "%g s", t);
    const ImVec2 size = ImGui::CalcTextSize(text);
    list->AddLine(ImVec2(x, f.from.y), ImVec2(x, f.to.y), hud_colors()->grid);
    list->AddText(ImVec2(std::fmin(x - 0.5f * size.x, f.to.x - size.x), f.to.y + 0.1f * ImGui::GetFontSize()),
                  hud_colors()->axis, text);
  }
}

// Draws the series as stacked areas or as lines.
static void draw_series(const Frame &f, const HudPlot *plot) {
  ImDrawList *list = ImGui::GetWindowDrawList();
  const float thickness = 0.1f * ImGui::GetFontSize();
  float before[HUD_SAMPLES] = { 0 };
  for (int s = 0; s < plot->series_count; s++)
    for (int k = 1; k < f.count && k < HUD_SAMPLES; k++) {
      if (f.ago(k) < 0 || f.ago(k - 1) < 0) continue;
      const float last = plot->values[s][k - 1], value = plot->values[s][k];
      if (plot->stacked) {
        const float upper = before[k] + std::fmax(0.0f, value);
        list->AddRectFilled(f.point(k - 1, upper), f.point(k, before[k]), hud_colors()->series[s]);
        before[k] = upper;
      } else if (std::isfinite(value) && std::isfinite(last)) {
        list->AddLine(f.point(k - 1, last), f.point(k, value), hud_colors()->series[s], thickness);
      }
    }
}

// Draws a line at the sample under the mouse, if the mouse is over the last drawn plot. Returns the sample's index, or
// -1.
static int mark_hovered(const Frame &f) {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside = ImGui::IsItemHovered() && mouse.x >= f.from.x && mouse.y >= f.from.y && mouse.y <= f.to.y;
  if (!inside || f.count == 0) return -1;
  const double wanted = static_cast<double>((f.to.x - mouse.x) / (f.to.x - f.from.x)) * f.seconds;
  int nearest = f.count - 1;
  for (int k = 0; k < f.count; k++)
    if (std::fabs(f.ago(k) - wanted) < std::fabs(f.ago(nearest) - wanted)) nearest = k;
  const float x = f.x_of(f.ago(nearest));
  ImGui::GetWindowDrawList()->AddLine(ImVec2(x, f.from.y), ImVec2(x, f.to.y), hud_colors()->pointer);
  ImGui::SetTooltip("%.2f s", static_cast<double>(f.time[nearest]));
  return nearest;
}

void hud_plot(const HudPlot *plot, const float *time, int count) {
  const char *title = plot->title;
  const float em = ImGui::GetFontSize(), below = 1.3f * em;
  const float width = ImGui::GetContentRegionAvail().x, height = 4.2f * em;
  Frame f = {};
  f.time = time;
  f.count = count;
  f.seconds = span_of_time(f);
  span_of(plot, count, &f.low, &f.high, &f.step);
  const float left = std::fmax(3.4f * em, width_of_ticks(f) + 0.6f * em);
  hud_items_check(title, left < 0.4f * width);

  // the first line shows the values at the sample that was under the mouse in the previous frame. If the mouse was
  // elsewhere, it shows the newest values
  ImGui::PushID(title);
  static ImGuiID hovered;
  static int hovered_sample;
  const ImGuiID id = ImGui::GetID("plot");
  const bool was_hovered = hovered == id && hovered_sample < count;
  draw_head(plot, was_hovered ? hovered_sample : count - 1, count);

  const ImVec2 corner = ImGui::GetCursorScreenPos();
  f.from = ImVec2(corner.x + left, corner.y + 0.4f * em);
  f.to = ImVec2(corner.x + width, f.from.y + height);
  ImGui::Dummy(ImVec2(width, height + 0.4f * em + below));
  hud_items_note(title);

  ImGui::GetWindowDrawList()->AddRectFilled(f.from, f.to, hud_colors()->plot);
  draw_value_axis(f);
  draw_time_axis(f);
  draw_series(f, plot);
  const int under_mouse = mark_hovered(f);
  if (under_mouse >= 0) {
    hovered = id;
    hovered_sample = under_mouse;
  } else if (hovered == id)
    hovered = 0;
  ImGui::PopID();
}
