// Draws the panel at the right or left edge of the window: see panel.h.
#include "hud/panel.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "hud/advanced.h"
#include "hud/items.h"

// Returns the label for a setting's key. Some keys have a longer label; for the others, the label is the key.
static const char *label_of(const char *name) {
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

const char *hud_label_of(const char *name) {
  return label_of(name);
}

static char wanted[32];   // row that the panel must show, as soon as it is drawn; "": none
static char marked[32];   // row that the panel was made to show, now with a frame around it; "": none
static bool takes_focus;  // true: the number field that is drawn next gets the keyboard focus

static bool is_wanted(const char *name) {
  return wanted[0] && strcmp(wanted, name) == 0;
}

// Must be called after a row's field is drawn. If the panel must show this row (hud_panel_show), scrolls to the row and
// draws a frame around it.
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

// Must be called before a field for typing is drawn. Gives this field the keyboard focus if the panel was opened in
// order to show it.
static void focus_field() {
  if (takes_focus) ImGui::SetKeyboardFocusHere();
  takes_focus = false;
}

// Must be called before a row is drawn. Returns true if the user searches for words that the row does not have.
static bool hides(const char *name, const char *help) {
  return hud_search_hides(label_of(name), name, help);
}

static bool button(const char *name) {
  const bool pressed = ImGui::Button(name);
  hud_items_note(name);
  return pressed;
}

static bool check(const char *name, bool *value, const char *help) {
  if (hides(name, help)) return false;
  const bool changed = ImGui::Checkbox(label_of(name), value);
  hud_items_note(name);
  mark(name);
  hud_items_tooltip(help);
  return changed;
}

static const char *key_of_row;  // name by which a row is marked as refused; nullptr: its own name

// Draws a name at the left of a line. The field that the caller draws next fills the rest of the line. Returns the
// label by which Dear ImGui must identify this field.
static const char *begin_row(const char *name, const char *help) {
  static char label[48];
  const float em = ImGui::GetFontSize(), column = 8.6f * em;
  const float widest = column - ImGui::GetStyle().WindowPadding.x - std::fmin(2.0f, 0.13f * em);
  snprintf(label, sizeof label, "##%s", name);
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(label_of(name));
  hud_items_check(name, ImGui::GetItemRectSize().x <= widest);
  hud_items_tooltip(help);
  ImGui::SameLine(column);
  ImGui::SetNextItemWidth(-1);
  takes_focus = is_wanted(name);
  hud_refused_begin(key_of_row ? key_of_row : name);
  return label;
}

// Must be called after a row's field is drawn. Adds the field to the lists for tests (items.h), and shows its help.
static void end_row(const char *name, const char *text, const char *help) {
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
  if (active && typing.field != field) left = typing, typing = { field, before };
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
  focus_field();
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

// Draws a named number field that the user drags or types into. log: dragging by a pixel multiplies the number by a
// factor; otherwise it adds an amount.
static bool drag(const char *name, double *value, double low, double high, const char *format, bool log,
                 const char *help) {
  if (hides(name, help)) return false;
  const char *label = begin_row(name, help);
  const float speed = static_cast<float>(0.0015 * (high - low));
  const bool changed =
      drag_field(label, value, speed, &low, &high, format, log ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None);
  char text[64];
  snprintf(text, sizeof text, format, *value);
  end_row(name, text, help);
  return changed;
}

// Draws a named number field that the user can only type into.
static bool enter(const char *name, double *value, const char *format, const char *help) {
  if (hides(name, help)) return false;
  const char *label = begin_row(name, help);
  const ImGuiID field = ImGui::GetID(label);
  const double before = *value;
  *value = shown_value(field, before);
  focus_field();
  const bool changed = ImGui::InputDouble(label, value, 0, 0, format);
  const bool entered = take_typed(field, ImGui::GetActiveID() == field, changed, before, format, value);
  char text[64];
  snprintf(text, sizeof text, format, *value);
  end_row(name, text, help);
  return entered;
}

static bool choose(const char *name, HudChoice *choice, const char *help) {
  if (choice->count == 0 || hides(name, help)) return false;
  bool changed = false;
  const char *now = choice->chosen >= 0 && choice->chosen < choice->count ? choice->names[choice->chosen] : "";
  const char *label = begin_row(name, help);
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
    if (ImGui::Selectable(choice->names[k], k == choice->chosen) && k != choice->chosen)
      choice->chosen = k, changed = true;
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
  if (s->option->applies == APPLIES_ON_REBUILD) return enter(name, value, format, help_of(s->option));
  return drag(name, value, s->low, s->high, format, spans_decades(s), help_of(s->option));
}

static bool change_choice(const HudSetting *s, const char *name, double *value) {
  HudChoice choice = {};
  choice.chosen = static_cast<int>(*value);
  while (choice.count < HUD_NAMES_MAX) {
    choice_text(s->option->choices, choice.count, choice.names[choice.count], sizeof *choice.names);
    if (!choice.names[choice.count][0]) break;
    choice.count++;
  }
  const bool changed = choose(name, &choice, help_of(s->option));
  *value = choice.chosen;
  return changed;
}

// Writes a key as a name, with spaces for underscores.
static void name_of(const char *key, char name[32]) {
  snprintf(name, 32, "%s", key);
  for (char *c = name; *c; c++)
    if (*c == '_') *c = ' ';
}

const char *hud_label(const Option *option) {
  static char name[32];
  name_of(option->key, name);
  return label_of(name);
}

static bool change_setting(HudSetting *s) {
  double *v = s->value.number;
  char name[32], shown[40];
  name_of(s->option->key, name);
  bool changed = false;
  switch (s->option->type) {
    case OPTION_NUMBER:
      return change_number(s, name, v);
    case OPTION_INTEGER: {
      if (hides(name, help_of(s->option))) return false;
      changed =
          drag_field(begin_row(name, help_of(s->option)), v, 0.2f, &s->low, &s->high, "%.0f", ImGuiSliderFlags_None);
      *v = std::round(*v);
      snprintf(shown, sizeof shown, "%.0f", *v);
      end_row(name, shown, help_of(s->option));
      return changed;
    }
    case OPTION_CHOICE:
      return change_choice(s, name, v);
    case OPTION_VECTOR:
      if (hides(name, help_of(s->option))) return false;
      changed = drag_vector(begin_row(name, help_of(s->option)), v);
      end_row(name, "", help_of(s->option));
      return changed;
    case OPTION_OPTIONAL: {
      const char *absent = s->option->absent;  // label of a box that removes the number, or NULL
      bool ticked = s->value.present == !absent;
      snprintf(shown, sizeof shown, "%s %s", name, absent ? absent : "at");
      // if the panel must show this row, the frame is drawn around the field of the number, or around the box if there
      // is no number
      if (is_wanted(name)) snprintf(wanted, sizeof wanted, "%.31s", s->value.present == !absent ? shown : name);
      changed = check(absent ? shown : name, &ticked, help_of(s->option));
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
      changed = check(name, &on, help_of(s->option));
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

// Draws the rows of a tab that are advanced, or those that are not.
static void change_settings(HudPanel *p, const char *tab, bool advanced) {
  for (int k = 0; k < p->setting_count; k++) {
    HudSetting *s = &p->settings[k];
    if (strcmp(s->option->tab, tab) != 0 || s->option->advanced != advanced) continue;
    s->changed = change_setting(s);
    (s->option->applies == APPLIES_ON_REBUILD ? p->rebuild_changed
     : s->option->applies == APPLIES_TO_VIEW  ? p->view_changed
                                              : p->live_changed) |= s->changed;
  }
}

// Draws small buttons on one or more lines. Returns the index of the pressed one, or -1.
static int buttons(const char *const *names, const char *const *tips) {
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

// Lists the bodies with their colours, and the contacts between bodies.
static void list_bodies(const HudPanel *p) {
  if (p->body_count > 0) ImGui::Separator();
  for (const HudBody *b = p->bodies; b < p->bodies + p->body_count; b++) {
    const float side = ImGui::GetFontSize();
    ImGui::PushID(b);
    if (b->has_color) {
      ImGui::ColorButton("##colour", ImVec4(b->color[0], b->color[1], b->color[2], 1), ImGuiColorEditFlags_NoTooltip,
                         ImVec2(side, side));
    } else {
      ImGui::Dummy(ImVec2(side, side));
    }
    ImGui::SameLine();
    ImGui::TextWrapped("%s", b->name);
    hud_items_tooltip(b->words);
    ImGui::PopID();
  }
  if (p->contacts[0]) ImGui::TextWrapped("%s", p->contacts);
}

const HudOtherRow hud_other_rows[] = {
  { "material", "Body", "Material law: stress as a function of strain." },
  { "mouse", "Body",
    "Stiffness of the spring by which the tool Grab pulls the body to the pointer. The ball of the tool Push does not "
    "use this spring. Drag, or click and type." },
  { "mouse radius", "Body",
    "Radius of the part of the surface on which the tools Grab, Pin and Patch act, and of the ball of the tool Push." },
  { "device", "Solver", "Processor (cpu) or GPU (cuda) for the simulation." },
  { "precision", "Solver", "Single precision (float, 7 digits) or double precision (16 digits)." },
  { "assembly", "Solver", "Method that computes element forces and matrices, and adds them to the linear system.",
    true },
  { "matrix", "Solver", "Storage format of the linear system's matrix.", true },
  { "solver", "Solver", "Method that solves the linear system of each Newton iteration.", true },
  { "probe", "View", "Show values under the pointer: node, tet, displacement, stress." },
  { "section", "View", "Show the inside of the body, cut by a plane." },
  { "film name", "Files", "File of the film in the recording's folder; its ending is .mp4, .webp or .gif." },
  { "text size", "View", "Factor on the size of text and panels (Ctrl+plus, Ctrl+minus, Ctrl+0)." },
  { "theme", "View", "Colours of texts and panels." },
  { "panel side", "View", "Edge of the window at which the panel is." },
  {},
};

// Returns the help of a row of hud_other_rows.
static const char *help_of_other(const char *name) {
  for (const HudOtherRow *row = hud_other_rows; row->name; row++)
    if (strcmp(row->name, name) == 0) return row->help;
  return "";
}

static bool choose_other(const char *name, HudChoice *choice) {
  return choose(name, choice, help_of_other(name));
}

// Returns true if the panel must show an advanced row of a tab (hud_panel_show).
static bool wants_advanced(const HudPanel *p, const char *tab) {
  char name[32];
  for (int k = 0; k < p->setting_count; k++) {
    const Option *o = p->settings[k].option;
    name_of(o->key, name);
    if (o->advanced && strcmp(o->tab, tab) == 0 && strcmp(name, p->show_row.name) == 0) return true;
  }
  for (const HudOtherRow *row = hud_other_rows; row->name; row++)
    if (row->advanced && strcmp(row->tab, tab) == 0 && strcmp(row->name, p->show_row.name) == 0) return true;
  return false;
}

// Draws the heading of the advanced rows of a tab. Returns true if these rows must be drawn.
static bool shows_advanced(HudPanel *p, const char *tab) {
  return hud_advanced_heading(&p->advanced, wants_advanced(p, tab));
}

static void body_tab(HudPanel *p) {
  if (!hud_search_filters()) p->preset = buttons(p->presets, p->preset_tips);
  p->live_changed |= p->preset >= 0;
  p->rebuild_changed |= choose_other("material", &p->material);
  change_settings(p, "Body", false);
  p->mouse_changed |= drag("mouse", &p->mouse_stiffness, p->natural_stiffness / 100, p->natural_stiffness * 100,
                           "%.3g N/m", true, help_of_other("mouse"));
  p->radius_changed |= drag("mouse radius", &p->mouse_radius, p->natural_radius / 100, p->natural_radius * 10, "%.3g m",
                            true, help_of_other("mouse radius"));
  if (shows_advanced(p, "Body")) change_settings(p, "Body", true);
  if (!hud_search_filters()) list_bodies(p);
}

static void solver_tab(HudPanel *p) {
  if (!hud_search_filters()) ImGui::TextWrapped("%s", p->rates);
  p->rebuild_changed |= choose_other("device", &p->device);
  p->rebuild_changed |= choose_other("precision", &p->precision);
  change_settings(p, "Solver", false);
  if (!shows_advanced(p, "Solver")) return;
  p->rebuild_changed |= choose_other("assembly", &p->assembly);
  p->rebuild_changed |= choose_other("matrix", &p->matrix);
  p->rebuild_changed |= choose_other("solver", &p->solver);
  change_settings(p, "Solver", true);
}

static void section_rows(HudPanel *p) {
  p->view_changed |= check("section", &p->section, help_of_other("section"));
  if (!p->section) return;
  p->view_changed |= choose("across", &p->section_axis, "Axis perpendicular to the plane that cuts the body.");
  p->view_changed |= drag("at", &p->section_at, 0, 1, "%.3f", false,
                          "Position of the section along the axis: 0 and 1 are the ends of the undeformed body.");
  p->view_changed |= check("other side", &p->section_flip, "Show the other half of the cut body.");
}

// Draws the buttons for the range of colours, at the left of the box for a fixed range.
static void range_buttons(HudPanel *p) {
  p->fit_range = button("Fit range now");
  hud_items_tooltip("Fix the colour range to the present smallest and largest value.");
  p->view_changed |= p->fit_range;
  ImGui::SameLine();
  p->reset_range = button("Reset range");
  hud_items_tooltip(
      "Restart the colour range with the present values. A reset of the simulation (button Reset) also does this.");
  if (p->reset_range) p->fixed_range = false;
  p->view_changed |= p->reset_range;
  ImGui::SameLine();
}

static void view_tab(HudPanel *p) {
  change_settings(p, "View", false);
  p->view_changed |= check("probe", &p->probes, help_of_other("probe"));
  if (!hud_search_filters()) range_buttons(p);
  p->view_changed |=
      check("fixed range", &p->fixed_range, "Keep the colour range given below while the values change.");
  if (p->fixed_range) {
    p->view_changed |= enter("low", &p->low, "%.4g", "Value that gets the first colour of the colour map.");
    p->view_changed |= enter("high", &p->high, "%.4g", "Value that gets the last colour of the colour map.");
  }
  section_rows(p);
  p->look_changed |= choose_other("text size", &p->text_size);
  p->look_changed |= choose_other("theme", &p->theme);
  p->look_changed |= choose_other("panel side", &p->side);
  if (shows_advanced(p, "View")) change_settings(p, "View", true);
  if (!hud_search_filters()) hud_views_draw(&p->views);
}

static void scene_tab(HudPanel *p) {
  if (hud_search_filters()) {
    hud_editor_draw_fields(&p->editor, &p->advanced);
    return;
  }
  p->edits = true;
  hud_editor_draw(&p->editor, &p->advanced);
}

static void plots_tab(HudPanel *p) {
  hud_curves_draw(&p->curves);
  if (p->docked) {
    ImGui::TextWrapped("The plots are at the bottom of the window.");
    return;
  }
  p->dock = button("Show plots at the bottom");
  hud_items_tooltip("Show the plots in a separate panel at the bottom of the window.");
  hud_curves_draw_plots(&p->curves, false);
  for (int k = 0; k < p->plot_count; k++)
    if (!p->plot[k].hidden) hud_plot(&p->plot[k], p->time, p->samples);
}

// Draws the field for the path of a file. Returns true if the user opens this file.
static bool path_field(HudPanel *p) {
  p->browse = button("Browse...");
  hud_items_tooltip("Browse the folders of this computer for a scene or mesh (Ctrl+O).");
  ImGui::SameLine();
  ImGui::TextUnformatted("File path:");
  const float open_width = ImGui::CalcTextSize("Open").x + 2 * ImGui::GetStyle().FramePadding.x;
  ImGui::SetNextItemWidth(-open_width - ImGui::GetStyle().ItemSpacing.x);
  hud_refused_begin("path");
  const bool entered = ImGui::InputText("##path", p->path, sizeof p->path, ImGuiInputTextFlags_EnterReturnsTrue);
  hud_refused_end();
  hud_items_note("path");
  ImGui::SameLine();
  return (button("Open") || entered) && p->path[0];
}

static void recording_rows(HudPanel *p) {
  static const char *const SIZE_HELP = "Width and height of a frame, pixels.";
  const char *name_help = help_of_other("film name");
  const bool alone = hud_search_filters();  // while the user searches, each row has a line of its own
  check("PNG files", &p->png, "Write one PNG picture per frame.");
  if (!alone) ImGui::SameLine();
  check("film", &p->film, "Write a film, with the program ffmpeg.");
  if (!alone) ImGui::SameLine();
  check("VTU series", &p->vtu, "Write one VTU file per frame for ParaView: shape, velocities and stresses.");
  if (!hides("film name", name_help)) {
    const char *label = begin_row("film name", name_help);
    focus_field();
    ImGui::InputText(label, p->film_name, sizeof p->film_name);
    end_row("film name", p->film_name, name_help);
  }
  if (!hides("size", SIZE_HELP)) {
    ImGui::DragInt2(begin_row("size", SIZE_HELP), p->record_size, 2, 16, 8192);
    end_row("size", "", SIZE_HELP);
  }
  enter("frames/s", &p->record_fps, "%.4g", "Frames per simulated second.");
}

static void files_tab(HudPanel *p) {
  const bool searches = hud_search_filters();
  bool open = !searches && path_field(p);
  p->scenes.chosen = p->recent.chosen = -1;
  open = choose("scenes", &p->scenes, "Open an example scene of the program.") || open;
  p->open = choose("recent", &p->recent, "Open a recent file.") || open;
  if (!searches) {
    ImGui::Separator();
    p->save = button("Save scene");
    ImGui::SameLine();
    p->picture = button("Picture");
    ImGui::Separator();
    p->record = button(p->recording ? "Stop recording" : "Record");
    if (!p->recording) ImGui::SameLine();
    if (!p->recording) p->record_turn = button("Record turntable");
    if (!p->recording) hud_items_tooltip("Record a film in which the camera turns once around the body.");
  }
  if (!p->recording) recording_rows(p);
  if (!searches && p->record_message[0]) ImGui::TextWrapped("%s", p->record_message);
}

// Draws the slider of the timeline. Before the first time step the slider is disabled, but visible, so that the layout
// of the panel does not change later.
static void timeline(HudPanel *p) {
  static char help[80];
  const int64_t last = p->newest > p->first ? p->newest : p->first + 1;
  snprintf(help, sizeof help, "Drag to go back. Stored time steps: %lld (%.3g MiB).",
           static_cast<long long>(p->newest - p->first), p->timeline_mib);
  ImGui::BeginDisabled(p->newest == p->first);
  p->go = ImGui::SliderScalar(begin_row("timeline", help), ImGuiDataType_S64, &p->now, &p->first, &last, "step %lld",
                              ImGuiSliderFlags_AlwaysClamp);
  ImGui::EndDisabled();
  char text[32];
  snprintf(text, sizeof text, "step %lld", static_cast<long long>(p->now));
  end_row("timeline", text, help);
}

// Returns the width of the panel in a window of this width, pixels. wanted: in heights of text.
static float width_of_panel(double wanted, float width, float margin) {
  static const double PICTURE = 22;  // heights of text that a wider panel leaves for the picture and its legend
  const double em = static_cast<double>(ImGui::GetFontSize());
  const double widest = std::fmin(static_cast<double>(width) - PICTURE * em, wanted * em);
  return std::fmin(static_cast<float>(std::fmax(HUD_PANEL_WIDTH * em, widest)), width - 2 * margin);
}

// Begins the panel's window of Dear ImGui at the right edge, or if `left`, at the left edge.
static void begin_panel(bool left, double wanted, float width, float height, float margin) {
  const float wide = width_of_panel(wanted, width, margin), tall = height - 2 * margin;
  hud_items_clear();
  ImGui::SetNextWindowPos(ImVec2(left ? margin : width - margin - wide, margin), ImGuiCond_Always);
  ImGui::SetNextWindowSizeConstraints(ImVec2(wide, 0), ImVec2(wide, tall));
  ImGui::SetNextWindowSize(ImVec2(wide, 0), ImGuiCond_Always);
  ImGui::SetNextWindowBgAlpha(0.92f);
  ImGui::Begin("Panel", nullptr,
               ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoTitleBar);
}

// Ends the panel's window. `space` gets the x coordinates between which the window is free, pixels. Returns the y
// coordinate of the panel's lower edge.
static float end_panel(bool left, float width, float height, float margin, float space[2]) {
  const ImVec2 corner = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  hud_items_check("panel", corner.x >= 0 && corner.y >= 0 && corner.x + size.x <= width && corner.y + size.y <= height);
  ImGui::End();
  space[left ? 0 : 1] = left ? corner.x + size.x + margin : corner.x - margin;
  return corner.y + size.y;
}

// Lets the mouse drag the inner edge of the panel, from `top` to `bottom`, which changes its width. inner, outer: x
// coordinates of the panel's edges towards the middle of the window and towards its border, pixels.
static void drag_edge(HudPanel *p, float inner, float outer, float top, float bottom) {
  static float grabbed;  // distance from the mouse to the edge at the press
  const float em = ImGui::GetFontSize(), wide = std::round(0.5f * em), inward = inner < outer ? -1 : 1;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::SetNextWindowPos(ImVec2(inner < outer ? inner - wide : inner, top), ImGuiCond_Always);
  ImGui::SetNextWindowSize(ImVec2(wide, bottom - top), ImGuiCond_Always);
  ImGui::Begin("panel edge", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav |
                   ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoFocusOnAppearing |
                   ImGuiWindowFlags_NoBringToFrontOnFocus);
  ImGui::InvisibleButton("edge", ImVec2(wide, bottom - top));
  hud_items_note("panel edge");
  const bool active = ImGui::IsItemActive();
  const float mouse = ImGui::GetIO().MousePos.x;
  if (ImGui::IsItemActivated()) grabbed = inner - mouse;
  p->drags_width = active;
  if (active && ImGui::GetMouseDragDelta(0, 0).x != 0) {
    const double wish = static_cast<double>(inward * (mouse + grabbed - outer) / em);
    p->width = std::fmin(std::fmax(wish, HUD_PANEL_WIDTH), HUD_PANEL_WIDTH_MAX);
  }
  if (active || ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(std::fmin(inner, inner + inward * 0.15f * em), top + 0.5f * em),
                                              ImVec2(std::fmax(inner, inner + inward * 0.15f * em), bottom - 0.5f * em),
                                              ImGui::GetColorU32(ImGuiCol_CheckMark));
  }
  if (!active) hud_items_tooltip("Drag to change the width of the panel.");
  ImGui::End();
  ImGui::PopStyleVar(2);
}

void hud_rows_draw(HudRows *rows, float width, float height, float margin, float space[2]) {
  begin_panel(false, HUD_PANEL_WIDTH, width, height, margin);
  for (HudSetting *s = rows->row; s < rows->row + rows->count; s++) s->changed = change_setting(s);
  end_panel(false, width, height, margin, space);
}

void hud_panel_show(HudPanel *panel, const char *key, const char *tab) {
  name_of(key, panel->show_row.name);
  panel->show_row.tab = tab;
  panel->show_row.frames = 0;
  panel->search[0] = '\0';
}

// Opens the tab of the row that the panel must show. Once the panel is at its final position, stores the row's name in
// `wanted`, so that drawing the row scrolls to it.
static void begin_show(HudPanel *p) {
  if (ImGui::IsMouseClicked(0)) marked[0] = '\0';
  wanted[0] = '\0';
  if (!p->show_row.name[0]) return;
  p->show_tab = p->show_row.tab;
  marked[0] = '\0';
  if (!ImGui::IsWindowAppearing()) snprintf(wanted, sizeof wanted, "%s", p->show_row.name);
}

// Must be called after all rows are drawn. Ends the request to show a row once the row was shown. If the row was not
// shown within FRAMES_MAX frames, the tab has no such row, and the request ends too.
static void end_show(HudPanel *p) {
  enum { FRAMES_MAX = 8 };
  if (marked[0] || ++p->show_row.frames > FRAMES_MAX) p->show_row.name[0] = '\0';
}

// A tab of the panel. While the user searches, `draw` draws only rows with the searched words.
struct Tab {
  const char *name;
  void (*draw)(HudPanel *p);
  bool searched;  // true: the tab has the search field at its top, which filters its rows
};

static const Tab tabs[] = { { "Body", body_tab, true }, { "Scene", scene_tab, true },  { "Solver", solver_tab, true },
                            { "View", view_tab, true }, { "Plots", plots_tab, false }, { "Files", files_tab, true } };

// Draws the rows of all tabs that have the searched words.
static void draw_found(HudPanel *p) {
  bool found = false;
  for (const Tab &tab : tabs) {
    if (!tab.searched) continue;
    ImGui::PushID(tab.name);
    hud_search_begin(p->search, tab.name);
    tab.draw(p);
    found |= hud_search_end();
    ImGui::PopID();
  }
  if (found) return;
  ImGui::TextWrapped("No setting contains these words.");
  hud_items_note("none found");
}

static void draw_tabs(HudPanel *p) {
  if (!ImGui::BeginTabBar("tabs", ImGuiTabBarFlags_FittingPolicyScroll)) return;
  if (p->show_tab) p->search[0] = '\0';
  for (const Tab &tab : tabs) {
    const bool shown = p->show_tab && strcmp(p->show_tab, tab.name) == 0;
    const bool open =
        ImGui::BeginTabItem(tab.name, nullptr, shown ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None);
    hud_items_note(tab.name);
    if (ImGui::IsItemClicked()) p->search[0] = '\0';  // a click on a tab ends the search
    if (!open) continue;
    if (tab.searched && hud_search_field(p->search))
      draw_found(p);
    else
      tab.draw(p);
    ImGui::EndTabItem();
  }
  ImGui::EndTabBar();
}

void hud_panel_draw(HudPanel *p, float width, float height, float margin, float space[2]) {
  const bool left = p->side.chosen == HUD_LEFT;
  p->live_changed = p->mouse_changed = p->radius_changed = p->rebuild_changed = p->view_changed = p->look_changed =
      false;
  p->open = p->record = p->record_turn = p->save = p->picture = p->browse = false;
  p->fit_range = p->reset_range = p->dock = false;
  p->preset = -1;
  p->edits = false;
  hud_editor_clear(&p->editor);
  hud_curves_clear(&p->curves);
  hud_views_clear(&p->views);
  for (int k = 0; k < p->setting_count; k++) p->settings[k].changed = false;
  hud_refusals_use(&p->refusals);
  begin_panel(left, p->width, width, height, margin);
  begin_show(p);
  p->pause = button(p->paused ? "Play" : "Pause");
  ImGui::SameLine();
  p->step = button("Step");
  ImGui::SameLine();
  p->reset = button("Reset");
  ImGui::SameLine();
  p->release = button("Release all");
  hud_items_tooltip("Remove all pulls and hand-made pins.");
  p->live_changed = drag("speed", &p->speed, 1.0 / 64, 4, "%.3f × real time", true,
                         "Largest ratio of simulated to real time (1: real time, 0: no limit).");
  timeline(p);
  draw_tabs(p);
  p->show_tab = nullptr;
  end_show(p);
  const float bottom = end_panel(left, width, height, margin, space);
  hud_refusals_use(nullptr);
  drag_edge(p, left ? space[0] - margin : space[1] + margin, left ? margin : width - margin, margin, bottom);
}
