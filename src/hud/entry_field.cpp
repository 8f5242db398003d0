// Draws a field of the scene editor: see entry_field.h. Each change builds the scene again, so a change is applied only
// when the user has finished it.
#include "hud/entry_field.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/number.h"
#include "hud/items.h"
#include "hud/theme.h"

// Adds the last drawn widget to the list for tests, as "KIND:KEY".
static void note(const char *kind, const char *key) {
  char name[64];
  snprintf(name, sizeof name, "%s:%s", kind, key);
  hud_items_note(name);
}

// ---- text

// Text that the user is typing into a field. It is applied when the user leaves the field by Enter, Tab or a click.
static struct {
  ImGuiID field;  // identifier of the field in Dear ImGui; 0: none
  char text[HUD_FIELD_TEXT];
} typing;

// Draws a text field that shows `text`. Returns true if the user has left the field with another text; `text` then
// contains this other text.
static bool text_field(char text[HUD_FIELD_TEXT]) {
  const ImGuiID field = ImGui::GetID("##text");
  char shown[HUD_FIELD_TEXT];
  snprintf(shown, sizeof shown, "%s", typing.field == field ? typing.text : text);
  ImGui::InputText("##text", shown, sizeof shown);
  bool active = ImGui::GetActiveID() == field;

  // Dear ImGui ignores Tab, because its keyboard navigation is off
  if (active && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Tab))) {
    ImGui::ClearActiveID();
    active = false;
  }
  if (active) {
    typing.field = field;
    snprintf(typing.text, sizeof typing.text, "%s", shown);
    return false;
  }

  if (typing.field != field) return false;
  typing.field = 0;

  // after Esc, Dear ImGui has restored the text of the field, so the typed text is dropped
  const bool undone = ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Escape));
  if (undone || strcmp(shown, text) == 0) return false;
  snprintf(text, HUD_FIELD_TEXT, "%s", shown);
  return true;
}

// ---- numbers

// The number that the user changes by a drag of its name. step: the number changes by multiples of it
static struct {
  ImGuiID field;  // identifier of the name in Dear ImGui; 0: none
  double start, step, value;
} dragged;

// Returns true if the value is one number; *number gets it.
static bool is_number(const HudField *f, double *number) {
  const Option *o = f->option;
  const bool numeric = o && (o->type == OPTION_NUMBER || o->type == OPTION_INTEGER || o->type == OPTION_OPTIONAL);
  return numeric && number_is(f->text, number);
}

// Returns the step of a drag that begins at a number: a power of ten, less than a tenth of the number.
static double step_of(const Option *o, double number) {
  if (o->type == OPTION_INTEGER) return 1;
  const double span = std::isfinite(o->high - o->low) ? 0.2 * (o->high - o->low) : 1;
  return std::pow(10, std::floor(std::log10(number != 0 ? std::fabs(number) : span)) - 1);
}

// Returns the nearest multiple of the step to a number, inside the range of the option.
static double in_range(const Option *o, double step, double number) {
  const double margin = o->open ? step : 0;
  return std::fmin(std::fmax(std::round(number / step) * step, o->low + margin), o->high - margin);
}

// Must be called before the name of a number is drawn. Lets the mouse drag the name to the left or right. Returns true
// at the end of a drag that has changed field->text.
static bool drag_name(HudField *f, double number, float width) {
  const ImGuiID field = ImGui::GetID("##name");
  const ImVec2 corner = ImGui::GetCursorPos();
  ImGui::InvisibleButton("##name", ImVec2(width, ImGui::GetFrameHeight()));
  note("name", f->key);
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  if (ImGui::IsItemActivated()) dragged = { field, number, step_of(f->option, number), number };
  const bool active = ImGui::IsItemActive();
  ImGui::SetCursorPos(corner);
  if (dragged.field != field) return false;
  const double steps = std::trunc(ImGui::GetMouseDragDelta(0, 0).x / (0.25f * ImGui::GetFontSize()));
  if (active && steps == 0) dragged.value = dragged.start;
  if (active && steps != 0) dragged.value = in_range(f->option, dragged.step, dragged.start + steps * dragged.step);
  if (active) return false;
  dragged.field = 0;
  char text[32];
  if (dragged.value == dragged.start) return false;
  snprintf(f->text, sizeof f->text, "%s", option_number(dragged.value, text));
  return true;
}

// ---- colours and words

// The colour that the user is choosing. changed: it was not applied yet
static struct {
  float rgb[3];
  bool changed;
} choosing;

// Draws a square of the colour that a text describes, which opens a colour picker. Returns true if the user has chosen
// another colour; `text` then contains it.
static bool color_square(HudField *f) {
  const ImGuiColorEditFlags plain = ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoDragDrop;
  const float side = ImGui::GetFrameHeight();
  double part[3] = { 0.8, 0.8, 0.8 };
  char *at = f->text;
  for (double &number : part) {
    char *after;
    const double read = number_read(at, &after);
    if (after == at) break;
    number = read;
    at = after + strspn(after, " ,");
  }

  const float rgb[3] = { static_cast<float>(part[0]), static_cast<float>(part[1]), static_cast<float>(part[2]) };
  if (ImGui::ColorButton("##square", ImVec4(rgb[0], rgb[1], rgb[2], f->text[0] ? 1 : 0),
                         plain | ImGuiColorEditFlags_AlphaPreviewHalf, ImVec2(side, side))) {
    memcpy(choosing.rgb, rgb, sizeof rgb);
    choosing.changed = false;
    ImGui::OpenPopup("picker");
  }

  note("color", f->key);
  hud_items_tooltip("Choose a colour.");
  if (!ImGui::BeginPopup("picker")) return false;
  ImGui::SetNextItemWidth(12 * ImGui::GetFontSize());
  if (ImGui::ColorPicker3(
          "##picker", choosing.rgb,
          plain | ImGuiColorEditFlags_NoInputs | ImGuiColorEditFlags_NoSidePreview | ImGuiColorEditFlags_NoOptions))
    choosing.changed = true;
  note("picker", f->key);
  ImGui::EndPopup();
  if (!choosing.changed || ImGui::IsAnyItemActive()) return false;
  choosing.changed = false;
  char number[3][32];
  for (int i = 0; i < 3; i++) option_number(std::round(1000 * static_cast<double>(choosing.rgb[i])) / 1000, number[i]);
  snprintf(f->text, sizeof f->text, "%s, %s, %s", number[0], number[1], number[2]);
  return true;
}

// Draws a list of the words that are valid values. Returns true if the user has chosen another word.
static bool choose_word(HudField *f) {
  const char *const none = "not set";
  bool changed = false;
  if (!ImGui::BeginCombo("##choice", f->text[0] ? f->text : none, ImGuiComboFlags_HeightLargest)) return false;
  for (const char *c = f->option->choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : nullptr) {
    char word[48], name[96];
    snprintf(word, sizeof word, "%.*s", static_cast<int>(strcspn(c, "|")), c);
    const bool now = strcmp(word, f->text) == 0;
    if (ImGui::Selectable(word[0] ? word : none, now) && !now) {
      snprintf(f->text, sizeof f->text, "%s", word);
      changed = true;
    }
    snprintf(name, sizeof name, "key:%s:%s", f->key, word);
    hud_items_note(name);
  }
  ImGui::EndCombo();
  return changed;
}

static bool tick(HudField *f) {
  bool on = strcmp(f->text, "true") == 0;
  if (!ImGui::Checkbox("##flag", &on)) return false;
  snprintf(f->text, sizeof f->text, "%s", on ? "true" : "false");
  return true;
}

// ---- a field

// Returns the help of a field: the description of its key, and for a number its range. The text is valid until the next
// call.
static const char *help_of(const HudField *f, bool numeric) {
  static char text[600];
  char range[96];
  const Option *o = f->option;
  if (!o || !o->help) return "";
  const bool bounded = numeric && (std::isfinite(o->low) || std::isfinite(o->high));
  snprintf(text, sizeof text, "%s%s%s%s%s", o->help, bounded ? " Range: " : "", bounded ? option_range(o, range) : "",
           bounded ? "." : "", numeric ? " Drag the name, or click the number and type." : "");
  return text;
}

// Draws the widget for the value, in the rest of the line.
static bool draw_value(HudField *f, const char *kind) {
  const Option *o = f->option;
  const bool picks = o && o->color;
  bool changed = false;
  ImGui::SetNextItemWidth(picks ? -ImGui::GetFrameHeight() - ImGui::GetStyle().ItemInnerSpacing.x : -1);
  if (dragged.field == ImGui::GetID("##name")) {
    char text[32];
    option_number(dragged.value, text);
    ImGui::InputText("##shown", text, sizeof text, ImGuiInputTextFlags_ReadOnly);
  } else if (o && o->type == OPTION_FLAG) {
    changed = tick(f);
  } else if (o && o->choices) {
    changed = choose_word(f);
  } else {
    changed = text_field(f->text);
  }
  note(kind, f->key);
  if (!picks) return changed;
  ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
  return color_square(f) || changed;
}

bool hud_entry_field_draw(HudField *f, bool refused, const char *reason) {
  const float em = ImGui::GetFontSize(), column = 8.6f * em;
  const float widest = column - ImGui::GetStyle().WindowPadding.x - std::fmin(2.0f, 0.13f * em);
  double number;
  ImGui::PushID(f->key);
  const bool numeric = is_number(f, &number);
  bool changed = numeric && drag_name(f, number, widest);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(f->key);
  hud_items_check(f->key, ImGui::GetItemRectSize().x <= widest);
  hud_items_tooltip(help_of(f, numeric));
  ImGui::SameLine(column);
  if (refused) ImGui::PushStyleColor(ImGuiCol_FrameBg, hud_colors()->refused);
  changed = draw_value(f, refused ? "refused" : "key") || changed;
  if (refused) ImGui::PopStyleColor();
  hud_items_tooltip(refused ? reason : nullptr);
  ImGui::PopID();
  return changed;
}
