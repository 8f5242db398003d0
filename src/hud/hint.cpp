// Draws a hint for new users: see hint.h.
#include "hud/hint.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "hud/items.h"
#include "hud/theme.h"

// Returns the point that a hint explains. If its widget is not shown, returns a point of the line at the bottom.
static ImVec2 point_of(const HudHint *h, const float low[2], const float high[2]) {
  const char *name;
  double pixel[2];
  if (!h->item && h->pixel[0] >= 0) return ImVec2(static_cast<float>(h->pixel[0]), static_cast<float>(h->pixel[1]));
  for (int k = 0; h->item && hud_item(k, &name, pixel); k++)
    if (strcmp(name, h->item) == 0) return ImVec2(static_cast<float>(pixel[0]), static_cast<float>(pixel[1]));
  return ImVec2(low[0] + 0.4f * (high[0] - low[0]), high[1]);
}

// Returns the lower coordinate of a window of this size beside a point at `at`, within the range from `low` to `high`.
static float beside(float at, float size, float distance, float low, float high) {
  const float start = at + distance + size <= high ? at + distance : at - distance - size;
  return std::fmax(low, std::fmin(start, high - size));
}

void hud_hint_draw(HudHint *h, const float low[2], const float high[2]) {
  const float em = ImGui::GetFontSize();
  const ImGuiStyle &style = ImGui::GetStyle();
  const float wide = std::fmin(22 * em, high[0] - low[0]);
  const float wrap = wide - 2 * style.WindowPadding.x;
  const float tall = ImGui::CalcTextSize(h->text, nullptr, false, wrap).y + ImGui::GetFrameHeight() +
                     style.ItemSpacing.y + 2 * style.WindowPadding.y;
  h->next = h->end = false;
  if (wide < 16 * em || tall > high[1] - low[1]) return;
  const ImVec2 point = point_of(h, low, high);
  const ImVec2 corner(beside(point.x, wide, 3 * em, low[0], high[0]), beside(point.y, tall, 2 * em, low[1], high[1]));
  const ImVec2 edge(std::fmax(corner.x, std::fmin(point.x, corner.x + wide)),
                    std::fmax(corner.y, std::fmin(point.y, corner.y + tall)));
  ImDrawList *list = ImGui::GetForegroundDrawList();
  list->AddLine(edge, point, hud_colors()->mark, 0.15f * em);
  list->AddCircle(point, 0.5f * em, hud_colors()->mark, 0, 0.15f * em);
  ImGui::SetNextWindowPos(corner, ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(wide, tall), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.96f);
  ImGui::Begin("hint", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::TextWrapped("%s", h->text);
  char name[32], words[32];
  snprintf(name, sizeof name, "hint:%s", h->name);
  hud_items_note(name);
  h->next = ImGui::Button(h->number < h->count ? "Next hint" : "Close");
  hud_items_note("hint: next");
  ImGui::SameLine();
  if (h->number < h->count) {
    h->end = ImGui::Button("No hints");
    hud_items_note("hint: end");
    ImGui::SameLine();
  }

  snprintf(words, sizeof words, "%d of %d", h->number, h->count);
  ImGui::TextDisabled("%s", words);
  hud_items_note_text("number of the hint", words);
  ImGui::End();
}
