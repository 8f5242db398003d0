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

typedef struct ModesOptions {
  int count;
  double amplitude;              // m, largest displacement in the files of mode shapes; 0: a twentieth of the body's
                                 // diagonal
  char json[SCENE_PATH_LENGTH];  // file of the results as JSON; empty: none
  char vtu[SCENE_PATH_LENGTH];   // folder for files of the mode shapes; empty: none
} ModesOptions;

#define AT(field) OPTION_AT(ModesOptions, field)
static const Option modes_options[] = {
  { "count", OPTION_INTEGER, AT(count), OPTION_FROM_TO(1, 1000),
    .help = "number of modes to compute, from the lowest frequency on" },
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write frequencies and effective masses as JSON" },
  { "vtu", OPTION_TEXT, AT(vtu), .unit = "FOLDER",
    .help = "write the mode shapes as a series for ParaView; the time of each is its frequency in Hz" },
  { "amplitude", OPTION_NUMBER, AT(amplitude), OPTION_AT_LEAST(0), .unit = "m",
    .help = "largest displacement of a mode shape in the files of --vtu; 0: a twentieth of the body's diagonal" },
  { 0 },
};

static const OptionTerm modes_terms[] = {
  { "amplitude", .needs = "vtu" },
  { 0 },
};

static void print_modes(const Modes *modes) {
  printf("%6s %16s %14s %10s %10s %10s\n", "mode", "frequency, Hz", "period, s", "mass x", "mass y", "mass z");
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

// Writes each mode shape as a frame of a VTU series. The time of a frame is the mode's frequency, Hz.
static bool write_shapes(const Modes *modes, Session *session, const ModesOptions *options, Error *error) {
  const TetMesh *mesh = &session->mesh;
  VtuSeries series = { 0 };
  double(*x)[3] = array_new(mesh->node_count, sizeof *x, "positions", error);
  double low[3], high[3], diagonal2 = 0;
  mesh_bounds(mesh, low, high);
  for (int i = 0; i < 3; i++) diagonal2 += (high[i] - low[i]) * (high[i] - low[i]);
  const double amplitude = options->amplitude > 0 ? options->amplitude : sqrt(diagonal2) / 20;
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

static bool report(Session *session, const ModesOptions *options, Error *error) {
  Modes modes;
  printf("%s: %d nodes, %d %s\n", session->scene.path, session->mesh.node_count, session->mesh.tet_count,
         mesh_cell_word(&session->mesh));
  if (!simulation_modes(session->simulation, options->count, &modes, error)) return false;
  print_modes(&modes);
  const bool ok = (!options->json[0] || write_modes(&modes, session, options->json, error)) &&
                  (!options->vtu[0] || write_shapes(&modes, session, options, error));
  modes_destroy(&modes);
  return ok;
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(ModesOptions *)options = (ModesOptions){ .count = 10 };
}

// Computes the modes of the scene for small vibrations about its undeformed shape, without loads and contact.
static bool run_modes(const CommandInput *input, Error *error) {
  const ModesOptions *options = input->options;
  Scene *scene = input->scene;
  SimulationSettings *s = &scene->simulation;
  if (modes_absence()) return error_set(error, "pliant modes cannot run: %s", modes_absence());
  if (options->json[0] && !atomic_file_check(options->json, error)) return false;
  PathLock lock = { 0 };
  if (options->vtu[0] && (!make_folders(options->vtu, error) || !path_lock_folder(&lock, options->vtu, error) ||
                          !old_frames_refuse(options->vtu, ".vtu", false, error))) {
    path_lock_release(&lock);
    return false;
  }

  // the method needs the tangent as a stored matrix in double, in the CPU's memory
  snprintf(scene->device, sizeof scene->device, "cpu");
  s->precision = PRECISION_F64, s->solver_device = SOLVER_DEVICE_SAME;
  s->assembly[0] = s->matrix[0] = '\0';
  snprintf(s->solver, sizeof s->solver, "cholmod");
  s->self_contact = s->has_floor = false;
  s->obstacle_count = scene->cut_count = scene->drag_count = scene->force_count = 0;
  scene->tear_stress = 0, scene->begin[0] = '\0';
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
      "shape, in double. Pins hold the body; loads and contact do not act.",
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
