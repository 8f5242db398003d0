// Draws the start page: see start.h.
#include "hud/start.h"

#include <imgui.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "hud/browser.h"
#include "hud/items.h"
#include "hud/theme.h"

// Draws a button with the picture of an example, and its name below. Returns true if it was clicked.
static bool draw_tile(const HudTile *tile, float width) {
  const ImGuiStyle &style = ImGui::GetStyle();
  const float em = ImGui::GetFontSize(), tall = width * HUD_TILE_HEIGHT / HUD_TILE_WIDTH;
  const ImVec2 corner = ImGui::GetCursorScreenPos(), end(corner.x + width, corner.y + tall);
  char item[32];
  const bool clicked = ImGui::InvisibleButton(tile->name, ImVec2(width, tall + 1.4f * em));
  snprintf(item, sizeof item, "start:%.24s", tile->name);
  hud_items_note(item);
  hud_items_tooltip(tile->help);
  const bool lit = ImGui::IsItemHovered();
  ImDrawList *list = ImGui::GetWindowDrawList();
  if (tile->texture)
    list->AddImageRounded((ImTextureID)(intptr_t)tile->texture, corner, end, ImVec2(0, 0), ImVec2(1, 1), IM_COL32_WHITE,
                          style.FrameRounding);
  else
    list->AddRectFilled(corner, end, hud_colors()->field, style.FrameRounding);
  if (lit) list->AddRect(corner, end, hud_colors()->mark, style.FrameRounding, 0, std::fmax(2, 0.13f * em));
  list->AddText(ImVec2(corner.x + 0.2f * em, end.y + 0.1f * em),
                lit ? hud_colors()->highlight : ImGui::GetColorU32(ImGuiCol_Text), tile->name);
  hud_items_check("name of an example", ImGui::CalcTextSize(tile->name).x <= width - 0.2f * em);
  return clicked;
}

// Draws the examples in as many columns as fit.
static void draw_tiles(HudStart *start) {
  const float em = ImGui::GetFontSize(), wide = ImGui::GetContentRegionAvail().x, gap = 0.6f * em;
  const int columns = static_cast<int>(std::fmax(1, std::floor((wide + gap) / (7.5f * em + gap))));
  const float width = std::floor((wide - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns));
  for (int k = 0; k < start->tile_count; k++) {
    if (k % columns > 0) ImGui::SameLine(0, gap);
    if (draw_tile(&start->tile[k], width)) start->chosen = k;
  }
}

// Draws the names of the recent files. The whole path of a file is its help.
static void draw_recent(HudStart *start) {
  const float inset = ImGui::GetStyle().ItemSpacing.x / 2;  // a Selectable is wider than its text by this on each side
  const float wide = ImGui::GetContentRegionAvail().x - 2 * inset;
  ImGui::TextDisabled("Recent files");
  ImGui::Indent(inset);
  for (int k = 0; k < start->recent_count; k++) {
    const char *path = start->recent[k], *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char item[32], text[1024];
    hud_shorten(name, wide, text, sizeof text);
    ImGui::PushID(k);
    if (ImGui::Selectable(text, false, ImGuiSelectableFlags_None, ImVec2(wide, 0))) start->reopened = k;
    snprintf(item, sizeof item, "recent:%.24s", name);
    hud_items_note(item);
    hud_items_check("recent file", ImGui::CalcTextSize(text).x <= wide);
    hud_items_tooltip(path);
    ImGui::PopID();
  }
  ImGui::Unindent(inset);
}

static void draw_buttons(HudStart *start, bool below) {
  const struct {
    const char *name, *item, *help;
    bool *pressed;
  } buttons[] = {
    { "New scene", "start page: new", "a floor with one box, paused, for the scene editor", &start->fresh },
    { "Open...", "start page: open", "choose a scene or a mesh in a list of files", &start->browse },
    { "Close", "start page: close", "close this page (Esc); the key Home opens it again", &start->close }
  };
  const float wide = below ? ImGui::GetContentRegionAvail().x : 0;
  bool first = true;
  for (const auto &button : buttons) {
    if (!first && !below) ImGui::SameLine();
    first = false;
    *button.pressed = ImGui::Button(button.name, ImVec2(wide, 0));
    hud_items_note(button.item);
    hud_items_tooltip(button.help);
  }
}

void hud_start_draw(HudStart *start, float left, float right, float height, float margin) {
  const float em = ImGui::GetFontSize();
  const float wide = std::fmin(62 * em, right - left), tall = std::fmin(32 * em, height - 2 * margin);
  const bool columns = wide >= 34 * em;  // buttons and recent files are at the right of the pictures
  const float side = 13 * em;
  start->chosen = start->reopened = -1;
  ImGui::SetNextWindowPos(ImVec2(left + 0.5f * (right - left - wide), 0.5f * (height - tall)), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(wide, tall), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.96f);
  ImGui::Begin("Start", nullptr,
               ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoScrollbar);
  if (!columns) draw_buttons(start, false);
  ImGui::BeginChild("examples", ImVec2(columns ? -side : 0, 0), false, ImGuiWindowFlags_NoNav);
  ImGui::TextDisabled("Examples");
  draw_tiles(start);
  if (!columns && start->recent_count > 0) draw_recent(start);
  ImGui::EndChild();
  if (columns) {
    ImGui::SameLine(0, em);
    ImGui::BeginChild("files", ImVec2(0, 0), false, ImGuiWindowFlags_NoNav);
    draw_buttons(start, true);
    ImGui::Spacing();
    if (start->recent_count > 0) draw_recent(start);
    ImGui::EndChild();
  }
  ImGui::End();
}
