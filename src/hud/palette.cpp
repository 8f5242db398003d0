// Draws the command palette: see palette.h.
#include "hud/palette.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>
#include <cstdio>

#include "hud/items.h"
#include "hud/theme.h"

// Draws the typed text with a cursor. The caller edits the text, not Dear ImGui, so that keys which are typed before
// the field is first drawn are not lost.
static void draw_field(const char *typed) {
  const float em = ImGui::GetFontSize(), wide = ImGui::GetContentRegionAvail().x, tall = ImGui::GetFrameHeight();
  const ImVec2 corner = ImGui::GetCursorScreenPos(), end(corner.x + wide, corner.y + tall);
  const float y = corner.y + ImGui::GetStyle().FramePadding.y, text = ImGui::CalcTextSize(typed).x;
  const float left = corner.x + 0.5f * em, x = std::fmin(left, end.x - 0.7f * em - text);  // a long text shows its end
  ImDrawList *list = ImGui::GetWindowDrawList();
  ImGui::Dummy(ImVec2(wide, tall));
  hud_items_note("palette");
  list->AddRectFilled(corner, end, ImGui::GetColorU32(ImGuiCol_FrameBg), ImGui::GetStyle().FrameRounding);
  list->PushClipRect(corner, end, true);
  if (typed[0])
    list->AddText(ImVec2(x, y), ImGui::GetColorU32(ImGuiCol_Text), typed);
  else
    list->AddText(ImVec2(x + 0.2f * em, y), ImGui::GetColorU32(ImGuiCol_TextDisabled), "command or setting");
  list->AddLine(ImVec2(x + text, y), ImVec2(x + text, y + em), ImGui::GetColorU32(ImGuiCol_CheckMark), 0.1f * em);
  list->PopClipRect();
}

static void draw_line(HudPalette *p, int k) {
  const HudPaletteRow *row = &p->row[k];
  const float em = ImGui::GetFontSize(), wide = ImGui::GetContentRegionAvail().x;
  const float note = ImGui::CalcTextSize(row->note).x, left = ImGui::GetStyle().WindowPadding.x;
  char item[32];
  ImGui::PushID(k);
  if (ImGui::Selectable("##line", k == p->chosen, ImGuiSelectableFlags_None, ImVec2(wide, 0))) p->entered = k;
  if (k == p->chosen && p->moved) ImGui::SetScrollHereY(0.5f);
  snprintf(item, sizeof item, "%s:%.22s", row->setting ? "setting" : "command", row->name);
  hud_items_note(item);
  ImGui::SameLine(left + 0.3f * em);
  if (row->setting)
    ImGui::TextColored(ImGui::ColorConvertU32ToFloat4(hud_colors()->highlight), "%s", row->name);
  else
    ImGui::TextUnformatted(row->name);
  hud_items_check("name in the palette", ImGui::GetItemRectSize().x <= wide);

  // shows the row's note at the right, unless the window is too narrow
  if (ImGui::GetItemRectSize().x <= wide - note - 1.5f * em) {
    ImGui::SameLine(left + wide - note - 0.3f * em);
    ImGui::TextColored(ImGui::GetStyleColorVec4(k == p->chosen ? ImGuiCol_Text : ImGuiCol_TextDisabled), "%s",
                       row->note);
  }
  ImGui::PopID();
}

void hud_palette_draw(HudPalette *p, float left, float right, float height, float margin) {
  const float em = ImGui::GetFontSize();
  const float wide = std::fmin(36 * em, right - left), tall = std::fmin(26 * em, height - 2 * margin);
  p->entered = -1;
  ImGui::SetNextWindowPos(ImVec2(left + 0.5f * (right - left - wide), 0.15f * (height - tall)), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(wide, tall), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.96f);
  ImGui::Begin("Palette", nullptr,
               ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar);
  if (ImGui::IsWindowAppearing()) ImGui::ClearActiveID();  // ends the typing in a field of the panel
  draw_field(p->typed);

  // below the list, two lines of text are left free for the help of the highlighted entry
  if (ImGui::BeginChild("list", ImVec2(0, -2 * em - 2 * ImGui::GetStyle().ItemSpacing.y), true,
                        ImGuiWindowFlags_NoNav)) {
    if (p->count == 0) {
      ImGui::TextWrapped("No command or setting contains these words.");
      hud_items_note("no match");
    }
    for (int k = 0; k < p->count; k++) draw_line(p, k);
  }

  ImGui::EndChild();
  if (p->chosen >= 0 && p->chosen < p->count) ImGui::TextWrapped("%s", p->row[p->chosen].help);
  ImGui::End();
}
