// Draws the file browser: see browser.h.
#include "hud/browser.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/printable.h"
#include "hud/items.h"
#include "hud/theme.h"

void hud_shorten(const char *text, float width, char *fitted, size_t size) {
  snprintf(fitted, size, "%s", text);
  printable(fitted, size);
  char whole[1280];
  snprintf(whole, sizeof whole, "%s", fitted);
  const int length = static_cast<int>(strlen(whole));
  const auto inside = [&whole](int at) { return (static_cast<unsigned char>(whole[at]) & 0xc0) == 0x80; };
  for (int kept = length - 1; kept > 1 && ImGui::CalcTextSize(fitted).x > width; kept--) {
    int head = (kept + 1) / 2, tail = length - kept / 2;
    while (head > 0 && inside(head)) head--;  // keeps the bytes of a UTF-8 character together
    while (tail < length && inside(tail)) tail++;
    snprintf(fitted, size, "%.*s...%s", head, whole, whole + tail);
  }
}

static void size_text(double bytes, char *text, size_t size) {
  if (bytes < 1e3)
    snprintf(text, size, "%.0f B", bytes);
  else if (bytes < 1e6)
    snprintf(text, size, "%.3g kB", bytes / 1e3);
  else if (bytes < 1e9)
    snprintf(text, size, "%.3g MB", bytes / 1e6);
  else
    snprintf(text, size, "%.3g GB", bytes / 1e9);
}

static void draw_line(HudBrowser *b, int k) {
  const HudFile *file = &b->file[k];
  const float em = ImGui::GetFontSize(), right = ImGui::GetContentRegionAvail().x, column = right - 5 * em;
  char text[1280], note[24] = "folder", item[24];
  if (!file->folder) size_text(file->bytes, note, sizeof note);
  hud_shorten(file->name, column - em, text, sizeof text);
  ImGui::PushID(k);
  if (ImGui::Selectable("##line", k == b->chosen, ImGuiSelectableFlags_AllowDoubleClick, ImVec2(right, 0))) {
    b->chosen = k;
    if (ImGui::IsMouseDoubleClicked(0)) b->entered = k;
  }
  if (k == b->chosen && b->moved) ImGui::SetScrollHereY(0.5f);
  snprintf(item, sizeof item, "file:%.18s", file->name);
  hud_items_note(item);
  ImGui::SameLine(0.5f * em);
  if (file->folder)
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(hud_colors()->highlight), "%s", text);
  else
    ImGui::TextUnformatted(text);
  hud_items_check("file's name", ImGui::GetItemRectSize().x <= column - 0.5f * em);
  ImGui::SameLine(column);
  ImGui::TextDisabled("%s", note);
  hud_items_check("file's size", ImGui::GetItemRectSize().x <= 5 * em);
  ImGui::PopID();
}

void hud_browser_draw(HudBrowser *b, float left, float right, float height, float margin) {
  const float em = ImGui::GetFontSize();
  const float wide = std::fmin(36 * em, right - left), tall = std::fmin(30 * em, height - 2 * margin);
  char text[1280];
  b->entered = -1;
  b->up = b->cancel = false;
  ImGui::SetNextWindowPos(ImVec2(left + 0.5f * (right - left - wide), 0.5f * (height - tall)), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(wide, tall), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.96f);
  ImGui::Begin("Files", nullptr,
               ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar);
  hud_shorten(b->folder, ImGui::GetContentRegionAvail().x, text, sizeof text);
  ImGui::TextUnformatted(text);
  hud_items_note_text("folder", text);
  const float line = ImGui::GetFrameHeightWithSpacing();
  if (ImGui::BeginChild("list", ImVec2(0, -line), true, ImGuiWindowFlags_NoNav)) {
    if (b->count == 0) ImGui::TextWrapped("This folder contains no scene, mesh or folder.");
    for (int k = 0; k < b->count; k++) draw_line(b, k);
  }
  ImGui::EndChild();
  const struct {
    const char *name;
    bool *pressed;
  } buttons[] = { { "Up", &b->up }, { "Cancel", &b->cancel } };
  const bool opens = ImGui::Button("Open file");
  if (opens && b->count > 0) b->entered = b->chosen;
  hud_items_note("Open file");
  for (const auto &button : buttons) {
    ImGui::SameLine();
    *button.pressed = ImGui::Button(button.name);
    hud_items_note(button.name);
  }
  ImGui::End();
}
