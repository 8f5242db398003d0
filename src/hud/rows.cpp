// Draws the rows of the panel: see rows.h.
#include "hud/rows.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hud/items.h"

const char *hud_label_of(const char *name) {
  static const char *const rows[][2] = { { "young", "Young's modulus" },
                                         { "poisson", "Poisson's ratio" },
                                         { "mu", "shear modulus" },
                                         { "lambda", "Lamé lambda" },
                                         { "dt", "time step" },
                                         { "newton", "Newton" },
                                         { "newton relative", "Newton tolerance" },
                                         { "newton max", "Newton iterations" },
                                         { "cg relative", "CG tolerance" },
                                         { "cg relative auto", "CG tolerance: auto" },
                                         { "mouse", "mouse spring" },
                                         { "show pins", "pinned nodes" },
                                         { "wireframe", "triangle edges" },
                                         { "xray", "x-ray" },
                                         { "floor at", "floor height" },
                                         { "section cut", "section surface" },
                                         { "field range", "colour range" },
                                         { "color map", "colour map" },
                                         { "color scale", "colour scale" },
                                         { "across", "axis" },
                                         { "at", "position" },
                                         { "first guess", "initial guess" } };
  for (const auto &row : rows)
    if (strcmp(row[0], name) == 0) return row[1];
  return name;
}

static char wanted[32];   // name for row_want; "": none
static char marked[32];   // row that was shown because of row_want, now with a frame around it; "": none
static bool takes_focus;  // true: the number field that is drawn next gets the keyboard focus

void row_want(const char *name) {
  snprintf(wanted, sizeof wanted, "%s", name);
}

void row_unmark() {
  marked[0] = '\0';
}

bool row_is_marked() {
  return marked[0] != '\0';
}

static bool is_wanted(const char *name) {
  return wanted[0] && strcmp(wanted, name) == 0;
}

// Must be called after a row's field is drawn. If row_want has named this row, scrolls to the row and draws a frame
// around it.
static void mark(const char *name) {
  if (is_wanted(name)) {
    ImGui::SetScrollHereY(0.5f);
    snprintf(marked, sizeof marked, "%s", name);
    wanted[0] = '\0';
  }
  if (!marked[0] || strcmp(marked, name) != 0) return;
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  ImGui::GetWindowDrawList()->AddRect(ImVec2(low.x - 1, low.y - 1), ImVec2(high.x + 1, high.y + 1),
                                      ImGui::GetColorU32(ImGuiCol_CheckMark), ImGui::GetStyle().FrameRounding);
}

void row_focus() {
  if (takes_focus) ImGui::SetKeyboardFocusHere();
  takes_focus = false;
}

bool row_hides(const char *name, const char *help) {
  return hud_search_hides(hud_label_of(name), name, help);
}

bool row_button(const char *name) {
  const bool pressed = ImGui::Button(name);
  hud_items_note(name);
  return pressed;
}

bool row_check(const char *name, bool *value, const char *help) {
  if (row_hides(name, help)) return false;
  const bool changed = ImGui::Checkbox(hud_label_of(name), value);
  hud_items_note(name);
  mark(name);
  hud_items_tooltip(help);
  return changed;
}

static const char *key_of_row;  // name by which a row is marked as refused; nullptr: its own name

const char *row_begin(const char *name, const char *help) {
  static char label[48];
  const float em = ImGui::GetFontSize(), column = 8.6f * em;
  const float widest = column - ImGui::GetStyle().WindowPadding.x - std::fmin(2.0f, 0.13f * em);
  snprintf(label, sizeof label, "##%s", name);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(hud_label_of(name));
  hud_items_check(name, ImGui::GetItemRectSize().x <= widest);
  hud_items_tooltip(help);
  ImGui::SameLine(column);
  ImGui::SetNextItemWidth(-1);
  takes_focus = is_wanted(name);
  hud_refused_begin(key_of_row ? key_of_row : name);
  return label;
}

void row_end(const char *name, const char *text, const char *help) {
  hud_refused_end();
  hud_items_note(name);
  const float available = ImGui::GetItemRectSize().x - 2 * ImGui::GetStyle().FramePadding.x;
  hud_items_check(name, ImGui::CalcTextSize(text).x <= available);
  mark(name);
  hud_items_tooltip(help);
}

// A number field into which the user types, and the number so far.
struct Typing {
  ImGuiID field;  // identifier of the field in Dear ImGui; 0: no field
  double value;
};
// typing: the field that the user types into. left: a field that the user left by a click, until it is drawn again
static Typing typing, left;

// Returns the number that a field shows in this frame: the typed one if the user is typing, otherwise `value`.
static double shown_value(ImGuiID field, double value) {
  return typing.field == field ? typing.value : left.field == field ? left.value : value;
}

// Handles typing in a number field. The typed number is applied only when the user leaves the field by Enter, Tab or a
// click, not after each digit. active: the user is typing in the field. changed: Dear ImGui has changed *value. before:
// value before this frame, which Esc restores. Returns true if *value is a new number.
static bool take_typed(ImGuiID field, bool active, bool changed, double before, const char *format, double *value) {
  // Dear ImGui ignores Tab, because its keyboard navigation is off
  if (active && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_Tab))) {
    ImGui::ClearActiveID();
    active = false;
  }
  if (active && typing.field != field) {
    left = typing;
    typing = { field, before };
  }
  Typing *mine = typing.field == field ? &typing : left.field == field ? &left : nullptr;
  if (!mine) return changed;
  mine->value = *value;
  *value = before;
  if (active) return false;
  char text[64];
  snprintf(text, sizeof text, format, before);
  const bool taken = mine->value != before && mine->value != strtod(text, nullptr);
  if (taken) *value = mine->value;
  *mine = {};
  return taken;
}

// Draws a number field without a name, which the user drags, or clicks and types. Returns true if the number changed.
static bool drag_field(const char *label, double *value, float speed, const double *low, const double *high,
                       const char *format, ImGuiSliderFlags flags) {
  const ImGuiID field = ImGui::GetID(label);
  const double before = *value;
  *value = shown_value(field, before);
  row_focus();
  const bool changed = ImGui::DragScalar(label, ImGuiDataType_Double, value, speed, low, high, format, flags);
  return take_typed(field, ImGui::TempInputIsActive(field), changed, before, format, value);
}

// Draws three number fields side by side, for the components of a vector.
static bool drag_vector(const char *label, double value[3]) {
  bool changed = false;
  ImGui::BeginGroup();
  ImGui::PushID(label);
  ImGui::PushMultiItemsWidths(3, ImGui::CalcItemWidth());
  for (int i = 0; i < 3; i++) {
    ImGui::PushID(i);
    if (i > 0) ImGui::SameLine(0, ImGui::GetStyle().ItemInnerSpacing.x);
    changed |= drag_field("", &value[i], 0.05f, nullptr, nullptr, "%.3g", ImGuiSliderFlags_None);
    ImGui::PopID();
    ImGui::PopItemWidth();
  }
  ImGui::PopID();
  ImGui::EndGroup();
  return changed;
}

bool row_drag(const char *name, double *value, double low, double high, const char *format, bool log,
              const char *help) {
  if (row_hides(name, help)) return false;
  const char *label = row_begin(name, help);
  const float speed = static_cast<float>(0.0015 * (high - low));
  const bool changed =
      drag_field(label, value, speed, &low, &high, format, log ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
  char text[64];
  snprintf(text, sizeof text, format, *value);
  row_end(name, text, help);
  return changed;
}

bool row_enter(const char *name, double *value, const char *format, const char *help) {
  if (row_hides(name, help)) return false;
  const char *label = row_begin(name, help);
  const ImGuiID field = ImGui::GetID(label);
  const double before = *value;
  *value = shown_value(field, before);
  row_focus();
  const bool changed = ImGui::InputDouble(label, value, 0, 0, format);
  const bool entered = take_typed(field, ImGui::GetActiveID() == field, changed, before, format, value);
  char text[64];
  snprintf(text, sizeof text, format, *value);
  row_end(name, text, help);
  return entered;
}

bool row_choose(const char *name, HudChoice *choice, const char *help) {
  if (choice->count == 0 || row_hides(name, help)) return false;
  bool changed = false;
  const char *now = choice->chosen >= 0 && choice->chosen < choice->count ? choice->names[choice->chosen] : "";
  const char *label = row_begin(name, help);
  const bool opened = ImGui::BeginCombo(label, now, ImGuiComboFlags_HeightLarge);
  hud_refused_end();
  if (!opened) {
    hud_items_note(name);
    hud_items_check(name, ImGui::CalcTextSize(now).x <= ImGui::GetItemRectSize().x - ImGui::GetFrameHeight() -
                                                            2 * ImGui::GetStyle().FramePadding.x);
    mark(name);
    hud_items_tooltip(help);
    return false;
  }

  for (int k = 0; k < choice->count; k++) {
    ImGui::PushID(k);  // distinguishes equal names of files in different folders
    if (ImGui::Selectable(choice->names[k], k == choice->chosen) && k != choice->chosen) {
      choice->chosen = k;
      changed = true;
    }
    char entry[48];
    snprintf(entry, sizeof entry, "%.14s:%.30s", name, choice->names[k]);
    hud_items_note(entry);
    ImGui::PopID();
  }

  ImGui::EndCombo();
  return changed;
}

// Returns true if the setting's range covers several powers of ten, so that dragging by a pixel should multiply the
// number by a factor.
static bool spans_decades(const HudSetting *s) {
  return s->high >= 100 || (s->low > 0 && s->high >= 1000 * s->low);
}

// Returns the help of a setting: its description, its range and, if it has one, its key in scene files. The text is
// valid until the next call.
static const char *help_of(const Option *o) {
  static char text[400];
  char range[96];
  const bool number = o->type == OPTION_NUMBER || o->type == OPTION_INTEGER || o->type == OPTION_OPTIONAL;
  const bool bounded = number && (std::isfinite(o->low) || std::isfinite(o->high));
  char key[64] = "";
  if (o->applies != APPLIES_TO_COMMAND) snprintf(key, sizeof key, " Scene key: \"%s\".", o->key);
  snprintf(text, sizeof text, "%s.%s%s%s%s%s%s%s", o->help, bounded ? " Range: " : "",
           bounded ? option_range(o, range) : "", bounded && o->unit ? " " : "", bounded && o->unit ? o->unit : "",
           bounded ? "." : "", key, number ? " Drag, or click and type." : "");
  return text;
}

static bool change_number(const HudSetting *s, const char *name, double *value) {
  const char *unit = s->option->unit ? s->option->unit : "";
  char format[32];
  snprintf(format, sizeof format, unit[0] ? "%%.4g %s" : "%%.4g", unit);
  // a change of this setting creates the simulation again, so the user can only type the number, not drag it
  if (s->option->applies == APPLIES_ON_REBUILD) return row_enter(name, value, format, help_of(s->option));
  return row_drag(name, value, s->low, s->high, format, spans_decades(s), help_of(s->option));
}

static bool change_choice(const HudSetting *s, const char *name, double *value) {
  HudChoice choice = {};
  choice.chosen = static_cast<int>(*value);
  while (choice.count < HUD_NAMES_MAX) {
    choice_text(s->option->choices, choice.count, choice.names[choice.count], sizeof *choice.names);
    if (!choice.names[choice.count][0]) break;
    choice.count++;
  }
  const bool changed = row_choose(name, &choice, help_of(s->option));
  *value = choice.chosen;
  return changed;
}

void row_name_of(const char *key, char name[32]) {
  snprintf(name, 32, "%s", key);
  for (char *c = name; *c; c++)
    if (*c == '_') *c = ' ';
}

const char *hud_label(const Option *option) {
  static char name[32];
  row_name_of(option->key, name);
  return hud_label_of(name);
}

bool row_setting(HudSetting *s) {
  double *v = s->value.number;
  char name[32], shown[40];
  row_name_of(s->option->key, name);
  bool changed = false;
  switch (s->option->type) {
    case OPTION_NUMBER:
      return change_number(s, name, v);
    case OPTION_INTEGER: {
      if (row_hides(name, help_of(s->option))) return false;
      changed =
          drag_field(row_begin(name, help_of(s->option)), v, 0.2f, &s->low, &s->high, "%.0f", ImGuiSliderFlags_None);
      *v = std::round(*v);
      snprintf(shown, sizeof shown, "%.0f", *v);
      row_end(name, shown, help_of(s->option));
      return changed;
    }
    case OPTION_CHOICE:
      return change_choice(s, name, v);
    case OPTION_VECTOR:
      if (row_hides(name, help_of(s->option))) return false;
      changed = drag_vector(row_begin(name, help_of(s->option)), v);
      row_end(name, "", help_of(s->option));
      return changed;
    case OPTION_OPTIONAL: {
      const char *absent = s->option->absent;  // label of a box that removes the number, or NULL
      bool ticked = s->value.present == !absent;
      snprintf(shown, sizeof shown, "%s %s", name, absent ? absent : "at");

      // if the panel must show this row, the frame is drawn around the field of the number, or around the box if there
      // is no number
      if (is_wanted(name)) row_want(s->value.present == !absent ? shown : name);
      changed = row_check(absent ? shown : name, &ticked, help_of(s->option));
      s->value.present = ticked == !absent;

      // the user has ticked the box of a number that was 0: the number becomes the middle of its logarithmic slider
      if (s->value.present && s->option->zero_is_absent && *v == 0)
        *v = sqrt(s->option->slider[0] * s->option->slider[1]);
      key_of_row = name;
      changed = (s->value.present && change_number(s, absent ? name : shown, v)) || changed;
      key_of_row = nullptr;
      return changed;
    }
    case OPTION_FLAG: {
      bool on = *v != 0;
      changed = row_check(name, &on, help_of(s->option));
      *v = on;
      return changed;
    }
    case OPTION_TEXT:
    case OPTION_SIZE:
    case OPTION_CUSTOM:
      break;
  }
  return false;
}

int row_buttons(const char *const *names, const char *const *tips) {
  int pressed = -1;
  const float right = ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x;
  for (int k = 0; names[k]; k++) {
    const ImGuiStyle &style = ImGui::GetStyle();
    const float width = ImGui::CalcTextSize(names[k]).x + 2 * style.FramePadding.x;
    if (k > 0 && ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) ImGui::SameLine();
    if (ImGui::SmallButton(names[k])) pressed = k;
    hud_items_note(names[k]);
    hud_items_tooltip(tips[k]);
  }
  return pressed;
}
