// The panel's values: see view.h. What is shown is what the simulation says is in force; what the user changes goes there.
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/material.h"
#include "window/view.h"

static void add_name(HudChoice *choice, const char *name) {
  if (choice->count < HUD_NAMES_MAX) snprintf(choice->names[choice->count++], sizeof *choice->names, "%.39s", name);
}

// "a|b|c" as names
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

// the stages of a kind that there are for a device and precision; assemblies of the other device can be had as well
static HudChoice stages(StageKind kind, Device device, Precision precision, const char *now) {
  HudChoice choice = { .chosen = -1 };
  StageInfo info;
  for (int k = 0; simulation_stage(kind, k, &info); k++) {
    if (info.precision != precision || !device_present(info.device)) continue;
    if (info.device != device && kind != STAGE_ASSEMBLY) continue;
    if (strcmp(info.name, now) == 0) choice.chosen = choice.count;
    add_name(&choice, info.name);
  }
  return choice;
}

static void fill_plots(HudPanel *p, const SimNote *n) {
  const int first = n->sample_count > SIM_SAMPLES ? n->sample_count - SIM_SAMPLES : 0;
  p->samples = 0;
  for (int k = first; k < n->sample_count; k++, p->samples++) {
    const SimSample *s = &n->sample[k % SIM_SAMPLES];
    const int i = p->samples;
    p->kinetic[i] = s->kinetic, p->elastic[i] = s->elastic, p->potential[i] = s->potential;
    p->total[i] = s->kinetic + s->elastic + s->potential;
    p->linear[i] = s->linear, p->angular[i] = s->angular;
    p->newton[i] = s->newton, p->cg[i] = s->cg, p->real_time[i] = s->real_time;
    const float times[5] = { s->assembly, s->vector, s->solver, s->transfer, s->rest };
    for (int t = 0; t < 5; t++) p->stages[t][i] = times[t];
  }
}

void view_fill_panel(View *view) {
  HudPanel *p = &view->panel;
  const SimNote *n = &view->note;
  const SimulationSettings *s = &n->settings;
  const Device solver_device = simulation_solver_device(s);
  p->paused = n->paused;
  p->recording = view->recording;
  p->record_told = view->record_told;
  fill_plots(p, n);
  // a value that is being changed is the user's, until the simulation answers
  if (p->changed || p->mouse_changed || p->switched || p->viewed) return;
  p->mu = s->mu, p->lambda = s->lambda;
  p->young = young_modulus(s->mu, s->lambda), p->poisson = poisson_ratio(s->mu, s->lambda);
  p->density = s->density, p->damping = s->damping;
  memcpy(p->gravity, s->gravity, sizeof p->gravity);
  p->has_floor = s->has_floor, p->floor = s->floor_height, p->friction = s->friction;
  const double reach = view->camera.radius, bottom = view->camera.centre[2] - view->camera.half[2];
  if (!s->has_floor) p->floor = bottom - 0.2 * reach;
  p->floor_low = fmin(p->floor, bottom - 2 * reach), p->floor_high = fmax(p->floor, view->camera.centre[2]);
  p->natural_stiffness = n->mouse_stiffness;
  p->mouse_stiffness = view->stiffness > 0 ? view->stiffness : n->mouse_stiffness;
  p->device = words(device_present(DEVICE_CUDA) ? "cpu|cuda" : "cpu", s->device);
  p->precision = words("float|double", s->precision);
  p->assembly = stages(STAGE_ASSEMBLY, s->device, s->precision, s->assembly);
  p->matrix = stages(STAGE_MATRIX, solver_device, s->precision, s->matrix);
  p->solver = stages(STAGE_SOLVER, solver_device, s->precision, s->solver);
  p->integrator = words(INTEGRATOR_NAMES, s->integrator);
  p->dt = s->dt, p->speed = n->speed;
  p->cg_relative = s->cg_relative;
  p->newton_max = s->newton_max, p->newton_relative = s->newton_relative > 0 ? s->newton_relative : 1e-3;
  const Style *style = &view->style;
  p->field = words(FIELD_NAMES, style->field);
  p->section_axis = words("x|y|z", style->section_axis);
  p->wireframe = style->wireframe, p->pins = style->pins, p->section = style->section;
  p->section_at = style->section_at, p->section_flip = style->section_flip;
  p->fixed_range = style->high > style->low;
  double range[2] = { 0, 1 };
  if (style->field != FIELD_NONE) surface_renderer_range(&view->renderer, style, range);
  p->low = range[0], p->high = range[1];
  p->scenes = (HudChoice){ .chosen = -1 };
  for (int k = 0; k < view->scene_count; k++) add_name(&p->scenes, view->scene_names[k]);
}

static void obey_body(View *view) {
  const HudPanel *p = &view->panel;
  SimulationSettings s = view->note.settings;
  if (p->mu < 0) s.mu = lame_mu(p->young, p->poisson), s.lambda = lame_lambda(p->young, p->poisson);
  if (p->young < 0) s.mu = p->mu, s.lambda = p->lambda;
  s.density = p->density, s.damping = p->damping, s.dt = p->dt;
  s.has_floor = p->has_floor, s.floor_height = p->floor, s.friction = p->friction;
  s.newton_max = p->newton_max;
  s.integrator = (Integrator)p->integrator.chosen;
  if (p->newton_relative != view->note.settings.newton_relative && view->note.settings.newton_relative > 0)
    s.newton_relative = p->newton_relative;
  memcpy(s.gravity, p->gravity, sizeof s.gravity);
  view_adjust(view, &s, p->speed);
}

// `now` becomes what is chosen; where there is no such name, the device's own first choice
static void take_name(char now[24], const HudChoice *choice, bool keeps) {
  snprintf(now, 24, "%s", keeps && choice->chosen >= 0 ? choice->names[choice->chosen] : "");
}

static void obey_stages(View *view) {
  const HudPanel *p = &view->panel;
  SimulationSettings s = view->note.settings;
  const bool same_device = p->device.chosen == (int)s.device;
  s.device = (Device)p->device.chosen;
  s.precision = (Precision)p->precision.chosen;
  s.cg_relative = p->cg_relative;
  if (!same_device) s.solver_device = SOLVER_DEVICE_SAME;
  take_name(s.assembly, &p->assembly, same_device);
  take_name(s.matrix, &p->matrix, same_device);
  take_name(s.solver, &p->solver, same_device);
  view_post(view, &(Command){ .kind = COMMAND_SWITCH, .settings = s });
}

static void obey_view(View *view) {
  const HudPanel *p = &view->panel;
  Style *style = &view->style;
  if (style->field != (FieldKind)p->field.chosen)
    style->low = style->high = 0;
  else if (p->fixed_range && p->high > p->low)
    style->low = p->low, style->high = p->high;
  else
    style->low = style->high = 0;
  style->field = (FieldKind)p->field.chosen;
  style->wireframe = p->wireframe, style->pins = p->pins, style->section = p->section;
  style->section_axis = p->section_axis.chosen, style->section_at = p->section_at;
  style->section_flip = p->section_flip;
}

void view_obey_panel(View *view) {
  const HudPanel *p = &view->panel;
  if (p->pause) view_post(view, &(Command){ .kind = COMMAND_PAUSE });
  if (p->step) view_post(view, &(Command){ .kind = COMMAND_STEP });
  if (p->reset) view_post(view, &(Command){ .kind = COMMAND_RESET });
  if (p->release) view_post(view, &(Command){ .kind = COMMAND_RELEASE_ALL });
  if (p->changed) obey_body(view);
  if (p->mouse_changed) view->stiffness = p->mouse_stiffness;
  if (p->switched) obey_stages(view);
  if (p->viewed) obey_view(view);
  if (p->record) view_toggle_recording(view);
  if (p->open) view_open(view, p->scenes.chosen >= 0 ? view->scene_paths[p->scenes.chosen] : p->path);
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
