// Draws the panel at the right or left edge of the window: see panel.h.
#include "hud/panel.h"

#include <imgui.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "hud/advanced.h"
#include "hud/items.h"
#include "hud/rows.h"

// Draws the rows of a tab that are advanced, or those that are not.
static void change_settings(HudPanel *p, const char *tab, bool advanced) {
  for (int k = 0; k < p->setting_count; k++) {
    HudSetting *s = &p->settings[k];
    if (strcmp(s->option->tab, tab) != 0 || s->option->advanced != advanced) continue;
    s->changed = row_setting(s);
    (s->option->applies == APPLIES_ON_REBUILD ? p->rebuild_changed
     : s->option->applies == APPLIES_TO_VIEW  ? p->view_changed
                                              : p->live_changed) |= s->changed;
  }
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
  return row_choose(name, choice, help_of_other(name));
}

// Returns true if the panel must show an advanced row of a tab (hud_panel_show).
static bool wants_advanced(const HudPanel *p, const char *tab) {
  char name[32];
  for (int k = 0; k < p->setting_count; k++) {
    const Option *o = p->settings[k].option;
    row_name_of(o->key, name);
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
  if (!hud_search_filters()) p->preset = row_buttons(p->presets, p->preset_tips);
  p->live_changed |= p->preset >= 0;
  p->rebuild_changed |= choose_other("material", &p->material);
  change_settings(p, "Body", false);
  p->mouse_changed |= row_drag("mouse", &p->mouse_stiffness, p->natural_stiffness / 100, p->natural_stiffness * 100,
                               "%.3g N/m", true, help_of_other("mouse"));
  p->radius_changed |= row_drag("mouse radius", &p->mouse_radius, p->natural_radius / 100, p->natural_radius * 10,
                                "%.3g m", true, help_of_other("mouse radius"));
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
  p->view_changed |= row_check("section", &p->section, help_of_other("section"));
  if (!p->section) return;
  p->view_changed |= row_choose("across", &p->section_axis, "Axis perpendicular to the plane that cuts the body.");
  p->view_changed |= row_drag("at", &p->section_at, 0, 1, "%.3f", false,
                              "Position of the section along the axis: 0 and 1 are the ends of the undeformed body.");
  p->view_changed |= row_check("other side", &p->section_flip, "Show the other half of the cut body.");
}

// Draws the buttons for the range of colours, at the left of the box for a fixed range.
static void range_buttons(HudPanel *p) {
  p->fit_range = row_button("Fit range now");
  hud_items_tooltip("Fix the colour range to the present smallest and largest value.");
  p->view_changed |= p->fit_range;
  ImGui::SameLine();
  p->reset_range = row_button("Reset range");
  hud_items_tooltip(
      "Restart the colour range with the present values. A reset of the simulation (button Reset) also does this.");
  if (p->reset_range) p->fixed_range = false;
  p->view_changed |= p->reset_range;
  ImGui::SameLine();
}

static void view_tab(HudPanel *p) {
  change_settings(p, "View", false);
  p->view_changed |= row_check("probe", &p->probes, help_of_other("probe"));
  if (!hud_search_filters()) range_buttons(p);
  p->view_changed |=
      row_check("fixed range", &p->fixed_range, "Keep the colour range given below while the values change.");
  if (p->fixed_range) {
    p->view_changed |= row_enter("low", &p->low, "%.4g", "Value that gets the first colour of the colour map.");
    p->view_changed |= row_enter("high", &p->high, "%.4g", "Value that gets the last colour of the colour map.");
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
  p->dock = row_button("Show plots at the bottom");
  hud_items_tooltip("Show the plots in a separate panel at the bottom of the window.");
  hud_curves_draw_plots(&p->curves, false);
  for (int k = 0; k < p->plot_count; k++)
    if (!p->plot[k].hidden) hud_plot(&p->plot[k], p->time, p->samples);
}

// Draws the field for the path of a file. Returns true if the user opens this file.
static bool path_field(HudPanel *p) {
  p->browse = row_button("Browse...");
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
  return (row_button("Open") || entered) && p->path[0];
}

static void recording_rows(HudPanel *p) {
  static const char *const SIZE_HELP = "Width and height of a frame, pixels.";
  const char *name_help = help_of_other("film name");
  const bool alone = hud_search_filters();  // while the user searches, each row has a line of its own
  row_check("PNG files", &p->png, "Write one PNG picture per frame.");
  if (!alone) ImGui::SameLine();
  row_check("film", &p->film, "Write a film, with the program ffmpeg.");
  if (!alone) ImGui::SameLine();
  row_check("VTU series", &p->vtu, "Write one VTU file per frame for ParaView: shape, velocities and stresses.");
  if (!row_hides("film name", name_help)) {
    const char *label = row_begin("film name", name_help);
    row_focus();
    ImGui::InputText(label, p->film_name, sizeof p->film_name);
    row_end("film name", p->film_name, name_help);
  }
  if (!row_hides("size", SIZE_HELP)) {
    ImGui::DragInt2(row_begin("size", SIZE_HELP), p->record_size, 2, 16, 8192);
    row_end("size", "", SIZE_HELP);
  }
  row_enter("frames/s", &p->record_fps, "%.4g", "Frames per simulated second.");
}

static void files_tab(HudPanel *p) {
  const bool searches = hud_search_filters();
  bool open = !searches && path_field(p);
  p->scenes.chosen = p->recent.chosen = -1;
  open = row_choose("scenes", &p->scenes, "Open an example scene of the program.") || open;
  p->open = row_choose("recent", &p->recent, "Open a recent file.") || open;
  if (!searches) {
    ImGui::Separator();
    p->save = row_button("Save scene");
    ImGui::SameLine();
    p->picture = row_button("Picture");
    ImGui::Separator();
    p->record = row_button(p->recording ? "Stop recording" : "Record");
    if (!p->recording) ImGui::SameLine();
    if (!p->recording) p->record_turn = row_button("Record turntable");
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
  p->go = ImGui::SliderScalar(row_begin("timeline", help), ImGuiDataType_S64, &p->now, &p->first, &last, "step %lld",
                              ImGuiSliderFlags_AlwaysClamp);
  ImGui::EndDisabled();
  char text[32];
  snprintf(text, sizeof text, "step %lld", static_cast<long long>(p->now));
  row_end("timeline", text, help);
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
  for (HudSetting *s = rows->row; s < rows->row + rows->count; s++) s->changed = row_setting(s);
  end_panel(false, width, height, margin, space);
}

void hud_panel_show(HudPanel *panel, const char *key, const char *tab) {
  row_name_of(key, panel->show_row.name);
  panel->show_row.tab = tab;
  panel->show_row.frames = 0;
  panel->search[0] = '\0';
}

// Opens the tab of the row that the panel must show. Once the panel is at its final position, calls row_want, so that
// drawing the row scrolls to it.
static void begin_show(HudPanel *p) {
  if (ImGui::IsMouseClicked(0)) row_unmark();
  row_want("");
  if (!p->show_row.name[0]) return;
  p->show_tab = p->show_row.tab;
  row_unmark();
  if (!ImGui::IsWindowAppearing()) row_want(p->show_row.name);
}

// Must be called after all rows are drawn. Ends the request to show a row once the row was shown. If the row was not
// shown within FRAMES_MAX frames, the tab has no such row, and the request ends too.
static void end_show(HudPanel *p) {
  enum { FRAMES_MAX = 8 };
  if (row_is_marked() || ++p->show_row.frames > FRAMES_MAX) p->show_row.name[0] = '\0';
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
  p->pause = row_button(p->paused ? "Play" : "Pause");
  ImGui::SameLine();
  p->step = row_button("Step");
  ImGui::SameLine();
  p->reset = row_button("Reset");
  ImGui::SameLine();
  p->release = row_button("Release all");
  hud_items_tooltip("Remove all pulls and hand-made pins.");
  p->live_changed = row_drag("speed", &p->speed, 1.0 / 64, 4, "%.3f × real time", true,
                             "Largest ratio of simulated to real time (1: real time, 0: no limit).");
  timeline(p);
  draw_tabs(p);
  p->show_tab = nullptr;
  end_show(p);
  const float bottom = end_panel(left, width, height, margin, space);
  hud_refusals_use(nullptr);
  drag_edge(p, left ? space[0] - margin : space[1] + margin, left ? margin : width - margin, margin, bottom);
}
