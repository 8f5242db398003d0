// The contents of the panel: see view.h. Copies the present settings of the simulation to the panel, and sends the
// user's changes in the panel to the simulation.
#include <assert.h>
#include <dirent.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"
#include "scene/material_presets.h"
#include "sim/element/moduli.h"
#include "window/view_tools.h"

static void add_name(HudChoice *choice, const char *name) {
  if (choice->count < HUD_NAMES_MAX) snprintf(choice->names[choice->count++], sizeof *choice->names, "%.39s", name);
}

// Returns the list of the names in "a|b|c".
static HudChoice words(const char *choices, int chosen) {
  HudChoice choice = { .chosen = chosen };
  int count = 1;
  for (const char *c = choices; *c; c++) count += *c == '|';
  for (int k = 0; k < count; k++) {
    char name[40];
    choice_text(choices, k, name, sizeof name);
    add_name(&choice, name);
  }
  return choice;
}

// Lists the names of the methods of one kind, such as solvers, for a precision. Assemblies of all present devices are
// listed; methods of other kinds are listed only if they run on `device`.
static HudChoice stages(StageKind kind, const char *shape, Device device, Precision precision, const char *now) {
  HudChoice choice = { .chosen = -1 };
  const Stage *stage;
  for (int k = 0; (stage = simulation_stage(kind, shape, k)); k++) {
    if (stage->precision != precision || !device_present(stage->device)) continue;
    if (stage->device != device && kind != STAGE_ASSEMBLY) continue;
    if (stage_is_named(stage, now)) choice.chosen = choice.count;
    add_name(&choice, stage->name);
  }
  return choice;
}

// Adds a curve to the plot with this title. The first curve of a title creates the plot. Returns the curve's values
// [HUD_SAMPLES], which the caller fills.
static float *add_series(HudPanel *p, const char *title, const char *unit, const char *name) {
  int k = 0;
  while (k < p->plot_count && strcmp(p->plot[k].title, title) != 0) k++;
  HudPlot *plot = &p->plot[k];
  assert(k < HUD_PLOTS_MAX);
  if (k == p->plot_count) {
    plot->title = title;
    plot->unit = unit;
    plot->stacked = plot->hidden = false;
    plot->series_count = 0;
    p->plot_count++;
  }
  assert(plot->series_count < HUD_SERIES_MAX);
  plot->name[plot->series_count] = name;
  return plot->values[plot->series_count++];
}

// Fills the values of a curve from the samples `first` and later. The value of a sample is the float at `offset` bytes.
static void fill_series(float *values, const SimStatus *n, int first, size_t offset) {
  for (int k = first; k < n->sample_count; k++)
    values[k - first] = *(const float *)((const char *)&n->sample[k % SIM_SAMPLES] + offset);
}

// Fills the plots: the table `observables` (energies and other quantities of the run), the drifts of momenta, and the
// times per time step. The drifts are hidden if an external force, such as gravity or a pin, changes the momenta.
static void fill_plots(HudPanel *p, const SimStatus *n, bool keeps_momentum) {
  const int first = n->sample_count > SIM_SAMPLES ? n->sample_count - SIM_SAMPLES : 0;
  size_t at = offsetof(SimSample, value);
  p->plot_count = 0;
  p->samples = n->sample_count - first;
  fill_series(p->time, n, first, offsetof(SimSample, time));
  for (const Observable *row = observables; row->name; row++) {
    if (!row->plot) continue;
    fill_series(add_series(p, row->plot, row->unit, row->name), n, first, at);
    at += sizeof(float);
    assert(at <= offsetof(SimSample, value) + sizeof n->sample->value);
  }
  fill_series(add_series(p, "momentum drift", "kg m/s", ""), n, first, offsetof(SimSample, linear));
  p->plot[p->plot_count - 1].hidden = !keeps_momentum;
  fill_series(add_series(p, "angular momentum drift", "kg m²/s", ""), n, first, offsetof(SimSample, angular));
  p->plot[p->plot_count - 1].hidden = !keeps_momentum;
  fill_series(add_series(p, "speed (× real time)", "", ""), n, first, offsetof(SimSample, real_time));
  static_assert((int)TIMED_STAGES <= (int)HUD_SERIES_MAX, "a plot has a colour for each timed stage");
  for (int t = 0; t < TIMED_STAGES; t++)
    fill_series(add_series(p, "time per step", "ms", timed_names[t].brief), n, first,
                offsetof(SimSample, ms) + (size_t)t * sizeof(float));
  p->plot[p->plot_count - 1].stacked = true;
}

enum { PRESETS_MAX = 24 };
static const char *const AS_IN_SCENE = "scene material";

// Lists the scene's material, then the predefined materials, each with a tooltip.
static void list_presets(HudPanel *p) {
  static const char *names[PRESETS_MAX];
  static char words[PRESETS_MAX][256];
  static const char *tips[PRESETS_MAX];
  int count = 1;
  names[0] = AS_IN_SCENE;
  tips[0] = "Reset to the scene's material";
  for (const MaterialPreset *m = material_presets; m->name && count < PRESETS_MAX - 1; m++, count++) {
    snprintf(words[count], sizeof *words,
             "Young's modulus %.4g Pa, Poisson's ratio %g, density %g kg/m^3, damping ratio %g (assumed)\n%s", m->young,
             m->poisson, m->density, m->damping_ratio, m->source);
    names[count] = m->name;
    tips[count] = words[count];
  }
  names[count] = NULL;
  p->presets = names;
  p->preset_tips = tips;
}

// Copies the present settings into a Scene, because the functions of scene_options read and write a Scene.
Scene *view_settings_in_force(View *view) {
  scene_take_settings(&view->settings, &view->status.settings, &view->style);
  return &view->settings;
}

static void fill_settings(View *view) {
  HudPanel *p = &view->panel;
  const Scene *scene = view_settings_in_force(view);
  const double reach = view->camera.radius, bottom = view->camera.centre[2] - view->camera.half[2];
  p->setting_count = 0;
  for (const Option *o = scene_options; o->key; o++) {
    if (!o->tab || p->setting_count == HUD_SETTINGS_MAX) continue;
    HudSetting *h = &p->settings[p->setting_count++];
    *h = (HudSetting){ .option = o, .value = option_value(o, scene), .low = o->slider[0], .high = o->slider[1] };
    if (o->type != OPTION_OPTIONAL || o->slider[1] != 0) continue;

    // The slider of the floor's height ranges from below the body to the body's centre.
    double *height = h->value.number;
    if (!h->value.present) *height = bottom - 0.2 * reach;
    h->low = fmin(*height, bottom - 2 * reach);
    h->high = fmax(*height, view->camera.centre[2]);
  }
}

// Returns the name of a body. A negative number is an obstacle (see contact_report.h), whose name is written to `text`.
static const char *name_of(const HudPanel *p, int body, char text[CONTACT_NAME]) {
  if (body < 0) {
    contact_name_obstacle(body, text);
    return text;
  }
  return body < p->body_count ? p->bodies[body].name : "the body";
}

static void fill_contacts(HudPanel *p, const SimStatus *n) {
  size_t length = 0;
  p->contacts[0] = '\0';
  for (int k = 0; k < n->contact_count && length < sizeof p->contacts; k++) {
    const BodyContact *c = &n->contacts[k];
    char text[CONTACT_NAME];
    const double force = vector_length(c->force);
    length += (size_t)snprintf(p->contacts + length, sizeof p->contacts - length, "%s%s on %s: %.3g N",
                               length ? "\n" : "", name_of(p, c->body[1], text), name_of(p, c->body[0], text), force);
  }
}

void view_fill_plots(View *view) {
  const SimStatus *n = &view->status;
  const SimulationSettings *s = &n->settings;
  const bool keeps_momentum = view->renderer.pin_count == 0 && !s->has_floor && s->obstacle_count == 0 &&
                              s->damping == 0 && n->spring_count == 0 && s->gravity[0] == 0 && s->gravity[1] == 0 &&
                              s->gravity[2] == 0;
  fill_plots(&view->panel, n, keeps_momentum);
}

void view_fill_panel(View *view) {
  HudPanel *p = &view->panel;
  const SimStatus *n = &view->status;
  const SimulationSettings *s = &n->settings;
  const Device solver_device = simulation_solver_device(s);
  p->paused = n->paused;
  p->recording = view->recording;
  if (!p->go) {
    p->first = n->first;
    p->now = n->now;
    p->newest = n->newest;
  }

  p->timeline_mib = (double)n->timeline_bytes / 1048576;
  p->record_message = view->record_message;
  if (!p->presets) list_presets(p);
  fill_contacts(p, n);
  snprintf(p->rates, sizeof p->rates, "%.0f steps/s, %.1f Newton and %.0f CG iterations per step",
           n->paused ? 0 : n->steps_per_s, n->newton_per_step, n->cg_per_step);
  view_fill_editor(view);
  p->editor.away = view_handles_away(view);
  view_fill_look(view);
  view_fill_views(view);

  // do not overwrite values that the user is changing, until the simulation has applied them
  if (p->live_changed || p->mouse_changed || p->radius_changed || p->rebuild_changed || p->view_changed) return;
  fill_settings(view);
  p->natural_stiffness = n->mouse_stiffness;
  p->natural_radius = view->first_camera.radius / 10;
  p->mouse_radius = view->radius;
  p->mouse_stiffness = view->stiffness > 0 ? view->stiffness : n->mouse_stiffness;
  p->device = words(device_present(DEVICE_CUDA) ? "cpu|cuda" : "cpu", s->device);
  p->precision = words("float|double", s->precision);
  const char *shape = simulation_shape(s);
  p->material = stages(STAGE_ELEMENT, shape, s->device, s->precision, s->material);
  p->assembly = stages(STAGE_ASSEMBLY, shape, s->device, s->precision, s->assembly);
  p->matrix = stages(STAGE_OPERATOR, shape, solver_device, s->precision, s->matrix);
  p->solver = stages(STAGE_SOLVER, shape, solver_device, s->precision, s->solver);
  p->speed = n->speed;
  const Style *style = &view->style;
  p->section_axis = words("x|y|z", style->section_axis);
  p->probes = view->probes;
  p->section = style->section;
  p->section_at = style->section_at;
  p->section_flip = style->section_flip;
  p->fixed_range = style->high > style->low;
  double range[2] = { 0, 1 };
  if (style->field != FIELD_NONE) surface_renderer_range(&view->renderer, style, range);
  p->low = range[0];
  p->high = range[1];
  p->scenes = (HudChoice){ .chosen = -1 };
  for (int k = 0; k < view->scene_count; k++) add_name(&p->scenes, view->scene_names[k]);
  p->recent = (HudChoice){ .chosen = -1 };
  for (int k = 0; k < view->recent.count; k++) {
    const char *slash = strrchr(view->recent.path[k], '/');
    add_name(&p->recent, slash + 1);
  }
}

void view_refuse_command(View *view, const char *reason) {
  const HudPanel *p = &view->panel;
  for (int k = 0; k < p->setting_count; k++) {
    const char *label = hud_label(p->settings[k].option);
    const size_t length = strlen(label);
    if (strncmp(reason, label, length) != 0 || reason[length] != ':') continue;
    view_refuse(view, p->settings[k].option->key, reason);
    return;
  }
  view_fail(view, "%.250s", reason);
}

// Returns true if a number is in the range of its option. Otherwise marks the field as refused, with a message.
static bool is_possible(View *view, const HudSetting *h) {
  const Option *o = h->option;
  char words[96], number[32], reason[256];
  Error out = { 0 };
  const bool counts = o->type == OPTION_NUMBER || o->type == OPTION_INTEGER || o->type == OPTION_OPTIONAL;
  if (!counts || !h->value.present || option_check_number(o, h->value.number[0], o->key, &out)) return true;
  snprintf(reason, sizeof reason, "%s must be %s%s%s, not %s", hud_label(o), option_range(o, words), o->unit ? " " : "",
           o->unit ? o->unit : "", option_number(h->value.number[0], number));
  view_refuse(view, o->key, reason);
  return false;
}

// Computes the present settings with the user's changes. `field` gets the panel's label of the changed number, or "".
// If a number is out of its range, shows a message and returns false.
static bool settings_wanted(View *view, SimulationSettings *wanted, char field[COMMAND_FIELD]) {
  const HudPanel *p = &view->panel;
  Scene *scene = view_settings_in_force(view);
  Error ignored = { 0 };
  field[0] = '\0';
  if (p->preset == 0) {
    const SimulationSettings *first = &view->first_settings;
    scene->simulation.mu = first->mu;
    scene->simulation.lambda = first->lambda;
    scene->simulation.density = first->density;
    scene->simulation.damping = first->damping;
  } else if (p->preset > 0) {
    const double *half = view->camera.half;
    material_preset_apply(&material_presets[p->preset - 1], 2 * fmax(fmax(half[0], half[1]), half[2]), scene);
  }
  for (int k = 0; k < p->setting_count; k++) {
    const HudSetting *h = &p->settings[k];
    if (!h->changed || h->option->applies == APPLIES_TO_VIEW) continue;
    if (!is_possible(view, h)) return false;
    snprintf(field, COMMAND_FIELD, "%s", hud_label(h->option));
    option_put(h->option, scene, &h->value);
    if (h->option->noted) h->option->noted(scene);
  }

  if (!scene_material_end(scene, "the panel", &ignored)) view_fail(view, "%s", ignored.message);
  *wanted = scene->simulation;
  return true;
}

// Shows a message with the speed of the simulation that is expected with a chosen material. The number of CG iterations
// is assumed to grow with sqrt(Young's modulus / density).
static void foretell(View *view, const SimulationSettings *next) {
  const SimStatus *n = &view->status;
  const SimulationSettings *s = &n->settings;
  const double now = young_modulus(s->mu, s->lambda) / s->density;
  const double then = young_modulus(next->mu, next->lambda) / next->density;
  const double real_time = n->step_seconds > 0 ? s->dt / n->step_seconds / sqrt(fmax(1, then / now)) : 0;
  const char *name = view->panel.presets[view->panel.preset];
  if (real_time > 0 && real_time < 0.95)
    view_say(view, "%s: runs at about %.2g × real time on this computer; a coarser mesh is faster", name, real_time);
  else
    view_say(view, "%s: runs in real time on this computer", name);
}

static void apply_live(View *view) {
  SimulationSettings s;
  char field[COMMAND_FIELD];
  const HudSetting speed = { .option = option_find(scene_options, "speed"),
                             .value = { .present = true, .number = { view->panel.speed } } };
  if (!is_possible(view, &speed)) return;
  if (!settings_wanted(view, &s, field)) return;
  if (view->panel.preset > 0) foretell(view, &s);
  view_adjust(view, &s, view->panel.speed, field);
}

const char *const *view_presets(View *view, const char *const **tips) {
  HudPanel *p = &view->panel;
  if (!p->presets) list_presets(p);
  *tips = p->preset_tips;
  return p->presets;
}

void view_apply_preset(View *view, int preset) {
  HudPanel *p = &view->panel;
  // `changed` may still be true from the last picture of a panel that has been closed since.
  for (int k = 0; k < p->setting_count; k++) p->settings[k].changed = false;
  p->speed = view->status.speed;
  p->preset = preset;
  apply_live(view);
  p->preset = -1;
}

// Copies the name of the method that the user has chosen to `now`. If there is no choice, or if `keeps` is false, `now`
// becomes empty: the default method.
static void take_name(char now[SIMULATION_NAME], const HudChoice *choice, bool keeps) {
  snprintf(now, SIMULATION_NAME, "%.*s", SIMULATION_NAME - 1,
           keeps && choice->chosen >= 0 ? choice->names[choice->chosen] : "");
}

static void apply_rebuild(View *view) {
  const HudPanel *p = &view->panel;
  Command command = { .kind = COMMAND_SWITCH };
  if (!settings_wanted(view, &command.settings, command.field)) return;
  SimulationSettings s = command.settings;
  const bool same_device = p->device.chosen == (int)s.device;
  s.device = (Device)p->device.chosen;
  s.precision = (Precision)p->precision.chosen;
  if (!same_device) s.solver_device = SOLVER_DEVICE_SAME;
  if (p->material.chosen >= 0) take_name(s.material, &p->material, true);
  take_name(s.assembly, &p->assembly, same_device);
  take_name(s.matrix, &p->matrix, same_device);
  take_name(s.solver, &p->solver, same_device);

  // If two methods cannot be combined, the method that the user has changed remains selected, and the other method
  // becomes the default.
  const bool other_matrix = strcmp(s.matrix, view->status.settings.matrix) != 0;
  if (!simulation_assembles(&s)) s.assembly[0] = '\0';
  if (!simulation_fits(&s, STAGE_SOLVER)) (other_matrix ? s.solver : s.matrix)[0] = '\0';
  if (!simulation_fits(&s, STAGE_ASSEMBLY)) (other_matrix ? s.assembly : s.matrix)[0] = '\0';
  command.settings = s;
  command.unchanged = options_alike(simulation_options, &s, &view->status.settings);
  view_change(view, &command);
}

void view_fit_range(View *view) {
  Style now = view->style;
  double range[2];
  now.range = FIELD_RANGE_FOLLOW;
  now.low = now.high = 0;
  if (view->style.field == FIELD_NONE) return;
  surface_renderer_range(&view->renderer, &now, range);
  view->style.low = range[0];
  view->style.high = range[1];
}

void view_restart_range(View *view) {
  surface_renderer_forget_range(&view->renderer);
  view->style.low = view->style.high = 0;
}

static void apply_view(View *view) {
  const HudPanel *p = &view->panel;
  Style *style = &view->style;
  const FieldKind field = style->field;
  const FieldRange range = style->range;
  Option row;
  if (p->fixed_range && style->high > style->low && !(p->high > p->low)) {
    view_refuse(view, p->low != style->low ? "low" : "high",
                "the first value of the colour range, low, must be less than the last one, high");
    return;
  }

  if (p->section && !(p->section_at >= 0 && p->section_at <= 1)) {
    view_refuse(view, "at", "the position of the section must be from 0 to 1");
    return;
  }
  for (int k = 0; k < p->setting_count; k++)
    if (p->settings[k].changed && p->settings[k].option->applies == APPLIES_TO_VIEW &&
        !is_possible(view, &p->settings[k]))
      return;
  view_note(view, true);
  for (int k = 0; k < p->setting_count; k++)
    if (p->settings[k].changed && style_option(p->settings[k].option, &row))
      option_put(&row, style, &p->settings[k].value);

  // another field or another way to choose the range ends the fixed range
  const bool fixed = p->fixed_range && p->high > p->low && style->field == field && style->range == range;
  style->low = fixed ? p->low : 0;
  style->high = fixed ? p->high : 0;
  if (p->fit_range && style->field == field) view_fit_range(view);
  if (p->reset_range) view_restart_range(view);
  view->probes = p->probes;
  style->section = p->section;
  style->section_axis = p->section_axis.chosen;
  style->section_at = p->section_at;
  style->section_flip = p->section_flip;
}

// Opens the file that the user has chosen in the tab Files. If the typed path cannot be opened, marks its field.
static void open_file(View *view) {
  HudPanel *p = &view->panel;
  const bool typed = p->scenes.chosen < 0 && p->recent.chosen < 0;
  const SimThread *next = view->next;
  view_open(view, typed                   ? p->path
                  : p->scenes.chosen >= 0 ? view->scene_paths[p->scenes.chosen]
                                          : view->recent.path[p->recent.chosen]);
  const MessageList *m = &view->messages;
  if (typed && view->next == next && m->count > 0) hud_refuse(&p->refusals, "path", m->message[m->count - 1].text);
}

void view_apply_panel(View *view) {
  const HudPanel *p = &view->panel;
  const bool restarts = p->editor.restarts;  // the simulation is paused at its start
  if (p->pause || (restarts && !view->status.paused)) view_post(view, &(Command){ .kind = COMMAND_PAUSE });
  if (p->step) view_post(view, &(Command){ .kind = COMMAND_STEP });
  if (p->reset || restarts) view_change(view, &(Command){ .kind = COMMAND_RESET });
  if (p->release) view_change(view, &(Command){ .kind = COMMAND_RELEASE_ALL });
  if (p->live_changed) apply_live(view);
  if (p->mouse_changed && p->mouse_stiffness > 0 && isfinite(p->mouse_stiffness))
    view->stiffness = p->mouse_stiffness;
  else if (p->mouse_changed)
    view_refuse(view, "mouse", "the stiffness of the mouse spring must be a number of more than 0 N/m");
  if (p->radius_changed && p->mouse_radius > 0 && isfinite(p->mouse_radius))
    view->radius = view->chosen_radius = p->mouse_radius;
  else if (p->radius_changed)
    view_refuse(view, "mouse radius", "the radius of the mouse must be a number of more than 0 m");
  if (p->rebuild_changed) apply_rebuild(view);
  if (p->view_changed) apply_view(view);
  view_apply_look(view);
  view_apply_editor(view);
  view_apply_curves(view);
  view_apply_views(view);
  if (p->record) view_toggle_recording(view);
  if (p->record_turn) view_record_turntable(view);
  if (p->go) view_go(view, p->now);
  if (p->browse) view_browse(view);
  if (p->save) view_save(view);
  if (p->picture) view->picture_asked = true;
  if (p->open) open_file(view);
}

static int by_name(const void *left, const void *right) {
  return strcmp(left, right);
}

void view_list_scenes(View *view) {
  char folder[SCENE_PATH_LENGTH];
  asset_path("scenes", folder);
  DIR *directory = opendir(folder);
  for (struct dirent *entry; directory && view->scene_count < VIEW_SCENES_MAX && (entry = readdir(directory));) {
    const char *ending = strstr(entry->d_name, ".json");
    if (ending && strcmp(ending, ".json") == 0)
      snprintf(view->scene_names[view->scene_count++], sizeof *view->scene_names, "%.63s", entry->d_name);
  }
  if (directory) closedir(directory);
  qsort(view->scene_names, (size_t)view->scene_count, sizeof *view->scene_names, by_name);
  for (int k = 0; k < view->scene_count; k++)
    snprintf(view->scene_paths[k], sizeof *view->scene_paths, "%.900s/%s", folder, view->scene_names[k]);
}
