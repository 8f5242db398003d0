// Draws messages: see messages.h.
#include "hud/messages.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>

#include "hud/draw_overlay.h"
#include "hud/items.h"

static const char *const names[HUD_MESSAGE_KINDS] = { "information", "warning", "error" };

void hud_notices_add(HudNotices *n, HudMessageKind kind, const char *text) {
  if (n->count == HUD_NOTICES_MAX) return;
  HudMessage *line = &n->line[n->count++];
  line->kind = kind;
  line->time[0] = '\0';
  snprintf(line->text, sizeof line->text, "%s", text);
}

float hud_notices_draw(const HudNotices *n, float left, float top, float lowest, float wrap) {
  const float em = ImGui::GetFontSize(), gap = std::round(0.2f * em);
  float tall = 0;
  for (int k = 0; k < n->count; k++) tall += hud_plate_height(n->line[k].text, wrap) + gap;
  float y = top;
  for (int k = 0; k < n->count; k++) {
    const HudMessage *line = &n->line[k];
    const float height = hud_plate_height(line->text, wrap) + gap;
    const bool old = k >= n->lasting && k + 1 < n->count;  // a message that is not the newest one
    if (old && top + tall > lowest) {
      tall -= height;
      continue;
    }
    char name[32];
    const double pixel[2] = { static_cast<double>(left + em), static_cast<double>(y + 0.5f * height) };

    // tests name messages by their age
    snprintf(name, sizeof name, "%s:%d", names[line->kind], k < n->lasting ? 0 : n->count - k);
    hud_items_add(name, pixel);
    y = hud_text_on_plate(left, y, line->text, line->kind, wrap) + gap;
  }
  return n->count > 0 ? y + gap : y;
}

void hud_newest_notice_draw(const HudNotices *n, float left, float bottom, float wrap) {
  if (n->count == 0) return;
  const HudMessage *line = &n->line[n->count - 1];
  hud_text_above_widgets(left, bottom, line->text, line->kind, wrap);
  const float em = ImGui::GetFontSize();
  const double pixel[2] = { static_cast<double>(left + em), static_cast<double>(bottom - 0.5f * em) };
  hud_items_add(names[line->kind], pixel);
}

static void draw_message(const HudMessage *m) {
  const HudColors *c = hud_colors();
  const uint32_t colors[HUD_MESSAGE_KINDS] = { c->text, c->warning, c->error };
  ImGui::TextDisabled("%s", m->time);
  ImGui::SameLine();
  ImGui::PushStyleColor(ImGuiCol_Text, colors[m->kind]);
  ImGui::TextWrapped("%s", m->text);
  char name[32];
  snprintf(name, sizeof name, "listed:%s", names[m->kind]);
  hud_items_note(name);
  ImGui::PopStyleColor();
}

void hud_message_list_draw(HudMessageList *l, float left, float right, float height, float margin) {
  const float em = ImGui::GetFontSize();
  const float wide = std::fmin(40 * em, right - left), tall = std::fmin(22 * em, height - 2 * margin);
  l->clear = l->close = false;
  ImGui::SetNextWindowPos(ImVec2(left + 0.5f * (right - left - wide), 0.5f * (height - tall)), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(wide, tall), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.96f);
  ImGui::Begin("Messages", nullptr,
               ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar);
  ImGui::TextUnformatted("Messages");
  hud_items_note("messages");
  if (ImGui::BeginChild("list", ImVec2(0, -ImGui::GetFrameHeightWithSpacing()), true, ImGuiWindowFlags_NoNav)) {
    if (l->count == 0) ImGui::TextWrapped("There are no messages.");
    for (int k = 0; k < l->count; k++) {
      draw_message(&l->message[k]);
      if (k == l->count - 1 && (l->moved || ImGui::IsWindowAppearing())) ImGui::SetScrollHereY(1);
    }
  }

  ImGui::EndChild();
  const struct {
    const char *name, *item;
    bool *pressed;
  } buttons[] = { { "Clear", "messages: clear", &l->clear }, { "Close", "messages: close", &l->close } };
  for (const auto &button : buttons) {
    if (button.pressed != &l->clear) ImGui::SameLine();
    *button.pressed = ImGui::Button(button.name);
    hud_items_note(button.item);
  }
  ImGui::End();
}
