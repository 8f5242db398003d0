// Draws the scene editor: see editor.h.
#include "hud/editor.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "hud/advanced.h"
#include "hud/items.h"
#include "hud/search.h"
#include "hud/theme.h"

void hud_editor_clear(HudEditor *e) {
  e->add = e->chosen = e->changed = e->pressed = e->toggled = e->renamed = -1;
  e->add_mesh = e->add_obstacle = e->duplicate = e->remove = e->fresh = e->lands = e->restarts = false;
}

static bool button(const char *name, const char *help) {
  const bool pressed = ImGui::Button(name);
  hud_items_note(name);
  hud_items_tooltip(help);
  return pressed;
}

static void draw_buttons(HudEditor *e) {
  ImGui::SetNextItemWidth(ImGui::GetFontSize() * 5);
  const bool open = ImGui::BeginCombo("##add", "Add", ImGuiComboFlags_HeightLargest);
  if (!open) hud_items_note("Add");
  for (int k = 0; open && e->kinds[k]; k++) {
    char name[48];
    if (ImGui::Selectable(e->kinds[k])) e->add = k;
    snprintf(name, sizeof name, "add:%s", e->kinds[k]);
    hud_items_note(name);
  }
  if (open && ImGui::Selectable("mesh file...")) e->add_mesh = true;
  if (open) hud_items_note("add:mesh file...");
  if (open && ImGui::Selectable("obstacle file...")) e->add_obstacle = true;
  if (open) hud_items_note("add:obstacle file...");
  if (open) ImGui::EndCombo();
  ImGui::SameLine();
  e->duplicate = button("Duplicate", "Add a copy of the selected entry.");
  ImGui::SameLine();
  e->remove = button("Delete", "Delete the selected entry.");
  ImGui::SameLine();
  e->fresh = button("New", "Open a new scene: a floor with one box.");
}

// Draws the buttons that choose the handles in the picture; or, if these are not shown because the entry has moved, a
// button that goes to the start.
static void draw_handles(HudEditor *e) {
  if (e->away) {
    e->restarts = button("Go to the start",
                         "Pause the simulation and reset it to its start (key R). There, handles in the picture move, "
                         "turn or scale the selected entry.");
    ImGui::SameLine();
    ImGui::TextUnformatted("to use the handles");
    return;
  }

  static const struct {
    const char *name, *help;
  } buttons[HUD_HANDLES] = {
    { "Move", "Show arrows in the picture that move the selected body or obstacle (key E: next handles)." },
    { "Turn", "Show rings in the picture that turn the selected body or obstacle (key E: next handles)." },
    { "Scale",
      "Show a circle in the picture that scales the selected body or obstacle, and lines that scale it along one "
      "axis (key E: next handles)." }
  };
  for (int k = 0; k < HUD_HANDLES; k++) {
    const bool active = k == e->handles && e->usable[k];
    if (k > 0) ImGui::SameLine();
    ImGui::BeginDisabled(!e->usable[k]);
    if (active) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive));
    if (button(buttons[k].name, buttons[k].help)) e->pressed = k;
    if (active) ImGui::PopStyleColor();
    ImGui::EndDisabled();
  }

  ImGui::SameLine();
  ImGui::BeginDisabled(!e->usable[0]);
  e->lands = button("Place on the floor",
                    "Move the selected body or obstacle up or down until its lowest point is on the floor, or at z = 0 "
                    "if there is no floor (key End).");
  ImGui::EndDisabled();
}

static float eye_width() {
  return 1.6f * ImGui::GetFontSize();
}

// Draws an eye at the right end of the line of an entry. The eye of a hidden entry is closed.
static void draw_eye(HudEditor *e, int k) {
  const float em = ImGui::GetFontSize(), wide = eye_width();
  char name[32];
  ImGui::SameLine(ImGui::GetContentRegionMax().x - wide);
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  if (ImGui::InvisibleButton("eye", ImVec2(wide, ImGui::GetTextLineHeight()))) e->toggled = k;
  snprintf(name, sizeof name, "eye:%.26s", e->entry[k]);
  hud_items_note(name);
  hud_items_tooltip(e->hidden[k] ? "Show this entry in the picture again (key H)."
                                 : "Hide this entry in the picture (key H). The simulation stays as it is.");
  ImDrawList *list = ImGui::GetWindowDrawList();
  const ImVec2 middle(corner.x + 0.5f * wide, corner.y + 0.5f * ImGui::GetTextLineHeight());
  const ImVec2 left(middle.x - 0.55f * em, middle.y), right(middle.x + 0.55f * em, middle.y);
  const ImU32 color = ImGui::GetColorU32(ImGuiCol_Text, e->hidden[k] ? 0.45f : ImGui::IsItemHovered() ? 1 : 0.8f);
  const float thickness = std::fmax(1.0f, 0.09f * em), lid = 0.5f * em;
  for (int side = e->hidden[k] ? 1 : -1; side <= 1; side += 2) {
    const float y = middle.y + static_cast<float>(side) * lid;
    list->AddBezierQuadratic(left, ImVec2(middle.x, y), right, color, thickness);
  }
  if (!e->hidden[k]) list->AddCircleFilled(middle, 0.17f * em, color);
}

// The entry for which the user is typing a name; -1: none.
static struct {
  int entry = -1;
  bool begins;  // the field was not drawn yet
  char text[sizeof static_cast<HudEditor *>(nullptr)->new_name];
} naming;

static void begin_name(const HudEditor *e, int k) {
  if (!e->nameable[k]) return;
  naming.entry = k;
  naming.begins = true;
  memcpy(naming.text, e->name[k], sizeof naming.text);
}

// Draws the field for the name of an entry. Enter, Tab or a click elsewhere applies the name, Esc does not.
static void draw_name(HudEditor *e, int k) {
  ImGui::SetNextItemWidth(-1);
  if (naming.begins) ImGui::SetKeyboardFocusHere();
  const bool entered = ImGui::InputText("##name", naming.text, sizeof naming.text,
                                        ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll);
  const bool escaped = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
  const bool tab = ImGui::IsItemActive() && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Tab));
  const bool left = tab || ImGui::IsItemDeactivated() || (!naming.begins && !ImGui::IsItemActive());
  hud_items_note("name of entry");
  naming.begins = naming.begins && !ImGui::IsItemActive();
  if (!entered && !left) return;
  if (tab) ImGui::ClearActiveID();
  naming.entry = -1;
  if (escaped || strcmp(naming.text, e->name[k]) == 0) return;
  e->renamed = k;
  memcpy(e->new_name, naming.text, sizeof e->new_name);
}

static void draw_entries(HudEditor *e) {
  enum { LINES = 7 };
  const float line = ImGui::GetTextLineHeightWithSpacing();
  if (e->renames) begin_name(e, e->selected);
  if (e->renames) e->moved = true;
  e->renames = false;
  if (naming.entry >= e->entry_count) naming.entry = -1;
  if (ImGui::BeginChild("entries", ImVec2(0, (LINES + 0.5f) * line), true, ImGuiWindowFlags_NoNav)) {
    for (int k = 0; k < e->entry_count; k++) {
      char name[32];
      if (k == naming.entry) {
        draw_name(e, k);
        continue;
      }
      ImGui::PushID(k);
      if (e->hidden[k]) ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));

      // a line ends at its eye, since Dear ImGui ignores a click on overlapping widgets if the mouse moves meanwhile
      const ImVec2 size(e->hideable[k] ? ImGui::GetContentRegionAvail().x - eye_width() : 0, 0);
      if (ImGui::Selectable(e->entry[k], k == e->selected, ImGuiSelectableFlags_AllowDoubleClick, size)) {
        e->chosen = k;
        if (ImGui::IsMouseDoubleClicked(0)) begin_name(e, k);
      }
      if (e->hidden[k]) ImGui::PopStyleColor();
      if (k == e->selected && e->moved) ImGui::SetScrollHereY(0.5f);
      snprintf(name, sizeof name, "entry:%.24s", e->entry[k]);
      hud_items_note(name);
      if (k == e->selected) {
        snprintf(name, sizeof name, "selected:%.22s", e->entry[k]);
        hud_items_note(name);
      }
      if (e->hideable[k]) draw_eye(e, k);
      ImGui::PopID();
    }
  }

  ImGui::EndChild();
  e->moved = false;
}

static void draw_field(HudEditor *e, int k) {
  HudField *f = &e->field[k];
  if (hud_search_hides(f->key, "", f->option ? f->option->help : nullptr)) return;
  if (hud_entry_field_draw(f, strcmp(f->key, e->refused) == 0, e->reason)) e->changed = k;
}

static bool is_advanced(const HudField *f) {
  return f->option && f->option->advanced;
}

void hud_editor_draw_fields(HudEditor *e, bool *advanced) {
  bool any = false, refused = false;
  ImGui::PushID(e->selected < e->entry_count ? e->entry[e->selected] : "");
  for (int k = 0; k < e->field_count; k++) {
    const HudField *f = &e->field[k];
    any |= is_advanced(f);
    refused |= is_advanced(f) && strcmp(f->key, e->refused) == 0;
    if (!is_advanced(f)) draw_field(e, k);
  }
  if (any && hud_advanced_heading(advanced, refused))
    for (int k = 0; k < e->field_count; k++)
      if (is_advanced(&e->field[k])) draw_field(e, k);
  ImGui::PopID();
}

void hud_editor_draw(HudEditor *e, bool *advanced) {
  draw_buttons(e);
  draw_handles(e);
  draw_entries(e);
  hud_editor_draw_fields(e, advanced);
}
