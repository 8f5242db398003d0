// `pliant modes`: computes the natural frequencies and mode shapes of a scene's body.
#include "app/command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path_lock.h"
#include "record/frame_writer.h"
#include "record/old_frames.h"
#include "scene/json_file.h"
#include "scene/session.h"
#include "scene/vtu_series.h"
#include "sim/modes.h"
#include "window/modes_window.h"

typedef struct ModesOptions {
  int count;
  // m, largest displacement of a mode shape in files and in the window; 0: a twentieth of the diagonal of the body's
  // bounding box
  double amplitude;
  char json[SCENE_PATH_LENGTH];  // file of the results as JSON; empty: none
  char vtu[SCENE_PATH_LENGTH];   // folder for files of the mode shapes; empty: none
  bool show;                     // true: opens a window
  WindowOptions window;
} ModesOptions;

#define AT(field) OPTION_AT(ModesOptions, field)
static const Option modes_options[] = {
  { "count", OPTION_INTEGER, AT(count), OPTION_FROM_TO(1, 1000),
    .help = "number of modes to compute, from the lowest frequency on" },
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write frequencies and effective masses as JSON" },
  { "vtu", OPTION_TEXT, AT(vtu), .unit = "FOLDER",
    .help = "write one VTU file per mode shape; ParaView shows the frequency in Hz as the time of the file" },
  { "amplitude", OPTION_NUMBER, AT(amplitude), OPTION_AT_LEAST(0), .unit = "m",
    .help = "largest displacement of a mode shape in the window and in the files of --vtu; 0: a twentieth of the "
            "diagonal of the body's bounding box" },
  { "show", OPTION_FLAG, AT(show), .help = "open a window in which the body vibrates in one mode at a time" },
  { "window_size", OPTION_SIZE, AT(window.size), OPTION_FROM_TO(64, 16384), .unit = "WxH",
    .help = "size of the window in pixels at display scale 1; a high-density display uses more" },
  { "frames", OPTION_INTEGER, AT(window.frames), OPTION_FROM_TO(0, INT32_MAX),
    .help = "close the window after this number of drawn frames, each 1/60 s of the motion; 0: never" },
  { "trace", OPTION_TEXT, AT(window.trace), .unit = "FILE",
    .help = "write events and state of the window as lines of JSON, for tests" },
  { "screenshot", OPTION_TEXT, AT(window.screenshot), .unit = "FILE",
    .help = "write the last picture of the window as PNG" },
  { 0 },
};

static const OptionTerm modes_terms[] = {
  { "amplitude", .needs = "vtu|show" }, { "window_size", .needs = "show" }, { "frames", .needs = "show" },
  { "trace", .needs = "show" },         { "screenshot", .needs = "show" },  { 0 },
};

static void print_modes(const Modes *modes) {
  printf(
      "mass x, y, z: effective mass of the mode along each axis, as a fraction of the body's mass\n"
      "%6s %16s %14s %10s %10s %10s\n",
      "mode", "frequency, Hz", "period, s", "mass x", "mass y", "mass z");
  for (int k = 0; k < modes->count; k++) {
    const double f = modes->frequency[k], *mass = modes->mass[k];
    if (k < modes->rigid)
      printf("%6d %16s %14s %10.4f %10.4f %10.4f\n", k + 1, "0 (rigid)", "-", mass[0], mass[1], mass[2]);
    else if (f < 0)
      printf("%6d %16s %14s %10.4f %10.4f %10.4f\n", k + 1, "unstable", "-", mass[0], mass[1], mass[2]);
    else
      printf("%6d %16.8g %14.6g %10.4f %10.4f %10.4f\n", k + 1, f, 1 / f, mass[0], mass[1], mass[2]);
  }
}

static bool write_modes(const Modes *modes, const Session *session, const char *path, Error *error) {
  cJSON *root = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(root, "modes");
  cJSON_AddStringToObject(root, "scene", session->scene.path);
  cJSON_AddNumberToObject(root, "rigid_modes", modes->rigid);
  for (int k = 0; k < modes->count; k++) {
    cJSON *row = cJSON_CreateObject();
    cJSON_AddNumberToObject(row, "frequency_Hz", modes->frequency[k]);
    cJSON_AddNumberToObject(row, "eigenvalue_per_s2", modes->eigenvalue[k]);
    json_put(row, "effective_mass", cJSON_CreateDoubleArray(modes->mass[k], 3));
    json_append(list, row);
  }
  const bool ok = write_json_file(path, root, error);
  cJSON_Delete(root);
  return ok;
}

// Returns the amplitude of mode shapes in files and in the window: their largest displacement, m.
static double amplitude_of(const TetMesh *mesh, const ModesOptions *options) {
  double low[3], high[3], diagonal2 = 0;
  mesh_bounds(mesh, low, high);
  for (int i = 0; i < 3; i++) diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
  return options->amplitude > 0 ? options->amplitude : sqrt(diagonal2) / 20;
}

// Writes the mode shapes as a series of VTU files, one file for each shape. The time of a file is the frequency of the
// mode.
static bool write_shapes(const Modes *modes, Session *session, const ModesOptions *options, Error *error) {
  const TetMesh *mesh = &session->mesh;
  VtuSeries series = { 0 };
  double(*x)[3] = array_new(mesh->node_count, sizeof *x, "positions", error);
  const double amplitude = amplitude_of(mesh, options);
  bool ok = x;
  snprintf(series.folder, sizeof series.folder, "%s", options->vtu);
  for (int k = 0; ok && k < modes->count; k++) {
    const double(*shape)[3] = (const double(*)[3])modes->shape + (size_t)k * (size_t)mesh->node_count;
    for (int a = 0; a < mesh->node_count; a++)
      for (int i = 0; i < 3; i++) x[a][i] = mesh->X[a][i] + amplitude * shape[a][i];
    ok = simulation_set_state(session->simulation, (const double(*)[3])x, NULL, error) &&
         vtu_series_add(&series, session, k, modes->frequency[k], error);
  }
  vtu_series_destroy(&series);
  free(x);
  return ok;
}

static bool show_modes(const Modes *modes, Session *session, const ModesOptions *options, Error *error) {
  fflush(stdout);
  return modes_window(&options->window, session, modes, amplitude_of(&session->mesh, options), error);
}

static bool report(Session *session, const ModesOptions *options, Error *error) {
  Modes modes;
  printf("%s: %d nodes, %d %s\n", session->scene.path, session->mesh.node_count, session->mesh.tet_count,
         mesh_cell_word(&session->mesh));
  if (!simulation_modes(session->simulation, options->count, &modes, error)) return false;
  print_modes(&modes);
  const bool ok = (!options->json[0] || write_modes(&modes, session, options->json, error)) &&
                  (!options->vtu[0] || write_shapes(&modes, session, options, error)) &&
                  (!options->show || show_modes(&modes, session, options, error));
  modes_destroy(&modes);
  return ok;
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(ModesOptions *)options = (ModesOptions){ .count = 10, .window = window_defaults() };
}

// Computes the modes of the scene for small vibrations about its undeformed shape, without loads and contact.
static bool run_modes(const CommandInput *input, Error *error) {
  const ModesOptions *options = input->options;
  Scene *scene = input->scene;
  SimulationSettings *s = &scene->simulation;
  if (modes_absence()) return error_set(error, "pliant modes cannot run: %s", modes_absence());
  if (options->show && s->degree == 3)
    return error_set(error, "%s: the window shows bodies of degree 1 and 2 only; use --vtu for degree 3", scene->path);
  const char *const files[] = { options->json, options->window.screenshot };
  for (int k = 0; k < 2; k++)
    if (files[k][0] && !atomic_file_check(files[k], error)) return false;
  PathLock lock = { 0 };
  if (options->vtu[0] && (!make_folders(options->vtu, error) || !path_lock_folder(&lock, options->vtu, error) ||
                          !old_frames_refuse(options->vtu, ".vtu", false, error))) {
    path_lock_release(&lock);
    return false;
  }

  // the computation of modes needs the tangent matrix in double, stored in the CPU's memory
  snprintf(scene->device, sizeof scene->device, "cpu");
  s->precision = PRECISION_F64;
  s->solver_device = SOLVER_DEVICE_SAME;
  s->assembly[0] = s->matrix[0] = '\0';
  snprintf(s->solver, sizeof s->solver, "cholmod");
  s->self_contact = s->has_floor = false;
  scene->contact_given = true;
  s->obstacle_count = scene->cut_count = scene->drag_count = scene->force_count = 0;
  scene->tear_stress = 0;
  scene->begin[0] = '\0';
  scene->quasi_static = true;

  // on the heap, since a Session is too large for a small stack
  Session *session = array_new(1, sizeof *session, "the session", error);
  const bool created = session && session_create(session, scene, error);
  const bool ok = created && report(session, options, error);
  if (created) session_destroy(session);
  free(session);
  path_lock_release(&lock);
  return ok;
}

extern const CommandRow modes_command;
const CommandRow modes_command = {
  .name = "modes",
  .usage = "[OPTION]... [SCENE|MESH]",
  .summary =
      "Computes the natural frequencies and mode shapes of a scene's body for small vibrations about the undeformed "
      "shape, in double precision. Pins hold the body; loads and contact do not act.",
  .options = modes_options,
  .options_size = sizeof(ModesOptions),
  .only =
      "mesh|shapes|bodies|degree|scale|material|mu|lambda|young|poisson|second_invariant|materials|density|mass|"
      "stiffness_field|pins|order|supplemental",
  .terms = modes_terms,
  .default_scene = "scenes/droop.json",
  .prepare = prepare,
  .run = run_modes,
};
