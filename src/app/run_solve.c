// `pliant solve`: computes the static equilibrium of a scene under its forces, gravity and moved pins.
#include "app/command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/contact_list.h"
#include "app/engine.h"
#include "base/array.h"
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/path_lock.h"
#include "base/ranks.h"
#include "record/frame_writer.h"
#include "record/old_frames.h"
#include "scene/json_file.h"
#include "scene/probes.h"
#include "scene/scene_geometry.h"
#include "scene/session_forces.h"
#include "scene/session_ranks.h"
#include "scene/session_script.h"
#include "scene/session_supports.h"
#include "scene/vtu_series.h"
#include "scene/write_state.h"
#include "sim/statics/arc_length.h"
#include "sim/settings.h"

// Upper limit of newton_relative. In a simulation of motion, small errors of the forces can decay in later time steps.
// Statics has no later steps, so Newton's method must reduce the residual further.
static const double NEWTON_RELATIVE = 1e-6;

typedef struct SolveOptions {
  int increments;                 // number of load increments
  bool has_time;                  // --time was given
  double time;                    // s, end of the interval in which pins follow their "path" or "spin"
  bool arc_length;                // also follow the equilibrium beyond the largest load
  char json[SCENE_PATH_LENGTH];   // file for increments and results as JSON; empty: none
  char state[SCENE_PATH_LENGTH];  // file for the state; empty: none
  char vtu[SCENE_PATH_LENGTH];    // folder for VTU files of the increments; empty: none
  char xdmf[SCENE_PATH_LENGTH];   // folder for an XDMF series of the increments; empty: none
  ProbeOptions probe;
  EngineOptions engine;
} SolveOptions;

#define AT(field) OPTION_AT(SolveOptions, field)
static const Option solve_options[] = {
  { "increments", OPTION_INTEGER, AT(increments), OPTION_FROM_TO(1, 100000),
    .help = "number of increments in which the load is applied; an increment that does not converge is halved" },
  { "time", OPTION_OPTIONAL, AT(time), .present = offsetof(SolveOptions, has_time), OPTION_MORE_THAN(0), .unit = "s",
    .help = "for pins with \"path\" or \"spin\": time of their motion at the full load (load factor 1); null: the time "
            "at which all motions have ended" },
  { "arc_length", OPTION_FLAG, AT(arc_length),
    .help = "follow the equilibrium beyond the largest load, as in snap-through; only with --precision double and "
            "without contact" },
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write increments, displacement and reactions as JSON" },
  { "state", OPTION_TEXT, AT(state), .unit = "FILE", .help = "write the equilibrium (.npz)" },
  { "vtu", OPTION_TEXT, AT(vtu), .unit = "DIR",
    .help = "folder for a VTU file of each increment, with stresses; open its frames.pvd in ParaView" },
  { "xdmf", OPTION_TEXT, AT(xdmf), .unit = "DIR",
    .help = "folder for an XDMF series of the increments (frames.xdmf); not together with --vtu" },
  PROBE_OPTIONS(SolveOptions, probe),
  ENGINE_OPTIONS(SolveOptions, engine),
  { 0 },
};

static const OptionTerm solve_terms[] = { { "xdmf", .not_with = "vtu" },
                                          { "curves", .needs = "probe_file", .not_with = "probe" },
                                          { 0 } };

// Returns the folder of the VTU or XDMF series; empty: none.
static const char *series_folder(const SolveOptions *options) {
  return options->xdmf[0] ? options->xdmf : options->vtu;
}

// Context of the callback that reports each increment.
typedef struct Increments {
  Session *session;
  Probes probes;
  VtuSeries series;    // VTU or XDMF files of the increments; without a folder: none
  bool counts_frames;  // the time of a frame is the number of its increment, not the load factor
  cJSON *list;         // JSON list of the increments
  int count;           // number of increments so far
  double time;         // s, value of SolveOptions.time; if the user gave none, the default that find_time computes
} Increments;

// Adds a row with the values of the probes after an increment to the table of probes. factor: load factor at the end of
// the increment; it is 1 at the full load.
static bool add_probes(Increments *n, double factor, const StepReport *report, Error *error) {
  Observed now;
  observed_begin(&now, n->session, report);
  now.time = factor * n->time;
  const bool ok = n->probes.count == 0 || probes_add(&n->probes, &now, n->count, factor, error);
  observed_end(&now);
  return ok;
}

// Creates and locks the folder of the VTU or XDMF series. Fails if the folder has frames of an earlier run.
static bool open_series(VtuSeries *series, const SolveOptions *options, PathLock *lock, Error *error) {
  const char *folder = series_folder(options);
  if (!folder[0]) return true;
  series->is_xdmf = options->xdmf[0];
  memcpy(series->folder, folder, sizeof series->folder);
  return make_folders(folder, error) && path_lock_folder(lock, folder, error) &&
         old_frames_refuse(folder, series->is_xdmf ? ".xmf" : ".vtu", false, error);
}

// Waits until the series is on the disk, and prints its path.
static bool close_series(VtuSeries *series, Error *error) {
  if (series->count == 0) return true;
  vtu_series_print(series);
  return vtu_series_sync(series, 0, series->count, error);
}

// Adds the equilibrium after an increment to the VTU or XDMF series. The time of the frame is the load factor. With
// --arc-length the time is the number of the increment instead, because the load factor may decrease and times must
// not.
static bool add_frame(Increments *n, double factor, Error *error) {
  return !n->series.folder[0] ||
         vtu_series_add(&n->series, n->session, n->count, n->counts_frames ? n->count : factor, error);
}

static bool print_increment(void *increments, double factor, const StepReport *report, Error *error) {
  Increments *n = increments;
  n->count++;
  if (!add_probes(n, factor, report, error) || !add_frame(n, factor, error)) return false;
  cJSON *row = cJSON_CreateObject();
  printf("%10.6f %8d %8d %12.3e %12.3e %10.4g\n", factor, report->newton_iterations, report->cg_iterations,
         report->residual, report->tolerance, report->min_J);
  fflush(stdout);
  cJSON_AddNumberToObject(row, "factor", factor);
  cJSON_AddNumberToObject(row, "newton_iterations", report->newton_iterations);
  cJSON_AddNumberToObject(row, "cg_iterations", report->cg_iterations);
  cJSON_AddNumberToObject(row, "residual_N", report->residual);
  cJSON_AddNumberToObject(row, "tolerance_N", report->tolerance);
  cJSON_AddNumberToObject(row, "min_J", report->min_J);
  probes_add_json(&n->probes, n->probes.value, row);
  json_append(n->list, row);
  return true;
}

// Computes the full load, the sum of all forces of the scene and of gravity, and stores it in session->force: a force
// in N for each node.
static bool whole_load(Session *session, const double gravity[3], Error *error) {
  double *weight = array_new(session->mesh.node_count, sizeof *weight, "nodal masses", error);
  if (!weight) return false;
  if (session_has_all_cells(session)) mesh_weight(&session->mesh, session->scene.simulation.density, weight);
  memset(session->force, 0, sizeof *session->force * (size_t)session->mesh.node_count);
  if (!session_send_nodal(session, true, weight, sizeof *weight, error) ||
      !session_add_up_forces(session, -1, (double)INFINITY, error)) {
    free(weight);
    return false;
  }
  for (int a = 0; a < session->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) session->force[a][i] += weight[a] * gravity[i];
  free(weight);
  return true;
}

// Computes move [node_count], m: for each node in a pin with the key "move", the displacement at the full load. Other
// nodes keep their value.
static void whole_move(Session *session, double (*move)[3]) {
  ListedPin listed;
  for (int k = 0; scene_pin(&session->scene, k, &listed); k++) {
    const ScenePin *pin = &listed.pin;
    if (!pin->moves) continue;
    session_region(session, &pin->region, session->inside);
    for (int a = 0; a < session->mesh.node_count; a++)
      for (int i = 0; i < 3; i++)
        if (session->inside[a] && pin_holds(pin->held, i)) move[a][i] = pin->move[i];
  }
}

// Adds to `moved` [node_count], m, the displacements of pins with "path" or "spin" at the load factor `factor`, which
// is 1 at the full load.
static void follow_motions(void *increments, double factor, double (*moved)[3]) {
  const Increments *n = increments;
  const Session *session = n->session;
  for (int a = 0; session->motion_count > 0 && a < session->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) {
      double u[3];
      if (session->support[a][i] == 0) continue;
      motion_displacement(&session->motions[session->support[a][i] - 1], factor * n->time, session->mesh.X[a], u);
      moved[a][i] += u[i];
    }
}

// Finds the time up to which pins follow their paths and spins, s: at the load factor f they are at f times this time.
// It is the value of --time, otherwise the time at which all paths and spins have ended.
static bool find_time(const Session *session, const SolveOptions *options, double *time, Error *error) {
  *time = options->has_time ? options->time : session_supports_end(session);
  if (session->motion_count == 0 || *time > 0) return true;
  return error_set(error,
                   "%s: the motion of the pins has no end; give --time, the time of this motion at the full load",
                   session->scene.path);
}

// Prints the largest displacement and the elastic energy of the body, and adds them to the JSON object.
static bool report_body(Session *session, cJSON *root, Error *error) {
  const TetMesh *mesh = &session->mesh;
  double(*u)[3] = array_new(mesh->node_count, sizeof *u, "displacements", error);
  Energy energy;
  const bool ok = u && simulation_displacements(session->simulation, u, error) &&
                  simulation_energy(session->simulation, &energy, error);
  int farthest = 0;
  double maximum = -1;
  for (int a = 0; ok && a < mesh->node_count; a++) {
    double d2 = 0;
    for (int i = 0; i < 3; i++) d2 += u[a][i] * u[a][i];
    if (d2 > maximum) {
      maximum = d2;
      farthest = a;
    }
  }

  if (ok) {
    printf("largest displacement  %.6g m, at node %lld: (%.6g, %.6g, %.6g)\n", sqrt(maximum),
           (long long)mesh->node_tag[farthest], u[farthest][0], u[farthest][1], u[farthest][2]);
    printf("elastic energy        %.6g J\n", energy.elastic);
    cJSON_AddNumberToObject(root, "largest_displacement_m", sqrt(maximum));
    cJSON_AddNumberToObject(root, "largest_displacement_node", (double)mesh->node_tag[farthest]);
    cJSON_AddNumberToObject(root, "elastic_J", energy.elastic);
  }

  free(u);
  return ok;
}

// Prints force and moment with which pin k holds the body, and adds them to the JSON list.
static bool report_pin(Observed *now, int k, const ListedPin *listed, cJSON *list, Error *error) {
  Session *session = now->session;
  const ScenePin *pin = &listed->pin;
  double value[2][3];
  static const char *const rows[] = { "reaction", "reaction_moment" };
  ObservedSubject subject = { .entry = k };
  for (int v = 0; v < 2; v++) {
    const char *text;
    char name[OBSERVABLE_LABEL];
    snprintf(name, sizeof name, "%s:%d", rows[v], k + 1);
    if (!observe(now, observable_find(name, &text, error), &subject, value[v], error)) return false;
  }

  char label[64];
  const int count = session_region(session, &pin->region, session->inside);
  snprintf(label, sizeof label, "%s entry %d", listed->list, listed->entry + 1);
  printf("%-21s nodes held: %d; force (%.6g, %.6g, %.6g) N, moment about their mean position (%.6g, %.6g, %.6g) N m\n",
         label, count, value[0][0], value[0][1], value[0][2], value[1][0], value[1][1], value[1][2]);
  cJSON *row = cJSON_CreateObject();
  if (pin->name[0]) cJSON_AddStringToObject(row, "name", pin->name);
  if (pin->region.of_body) cJSON_AddNumberToObject(row, "body", region_body(&session->scene, &pin->region));
  cJSON_AddNumberToObject(row, "nodes", count);
  json_put(row, "force_N", cJSON_CreateDoubleArray(value[0], 3));
  json_put(row, "moment_N_m", cJSON_CreateDoubleArray(value[1], 3));
  json_append(list, row);
  return true;
}

// Prints displacement and energy of the body, reactions of all pins, and contacts. Adds them to the JSON object.
static bool report_answer(Session *session, cJSON *root, Error *error) {
  if (!report_body(session, root, error)) return false;
  cJSON *list = cJSON_AddArrayToObject(root, "pins");
  Observed now;
  ListedPin listed;
  bool ok = true;
  observed_begin(&now, session, NULL);
  for (int k = 0; ok && scene_pin(&session->scene, k, &listed); k++) ok = report_pin(&now, k, &listed, list, error);
  observed_end(&now);

  BodyContact *contacts = NULL;
  int contact_count;
  if (!ok || !contact_of_bodies(session->simulation, &contacts, &contact_count, error)) return false;
  contact_list_print(session, contacts, contact_count);
  contact_list_add_json(root, session, contacts, contact_count);
  free(contacts);
  return true;
}

// Fails if an obstacle has a motion over time, which `pliant solve` cannot follow.
static bool obstacles_rest(const Scene *scene, Error *error) {
  const SimulationSettings *s = &scene->simulation;
  for (int k = 0; k < s->obstacle_count; k++)
    if (motion_moves(&s->obstacles[k].motion))
      return error_set(error,
                       "%s: obstacles entry %d moves, but `pliant solve` does not move obstacles; place it at its "
                       "final position, or press the body against it by an entry of \"pins\" with \"path\"",
                       scene->path, k + 1);
  return true;
}

// Fails if one of the bodies in the scene's list `bodies` has no pinned node, because nothing holds it. Returns true
// for every scene with friction, since friction may hold the body.
static bool all_are_held(const Session *session, Error *error) {
  if (settings_rub(&session->scene.simulation)) return true;
  bool held[SCENE_PARTS_MAX] = { false };
  for (int a = 0; a < session->mesh.node_count; a++)
    if (session->pinned[a]) held[mesh_body(&session->mesh, a)] = true;
  for (int k = 0; k < session->scene.body_count; k++)
    if (!held[k])
      return error_set(error, "%s: bodies[%d] has no pins; pin at least one region, or let friction hold the body",
                       session->scene.path, k);
  return true;
}

static void report_limit(const ArcLengthReport *arc, cJSON *root) {
  cJSON_AddNumberToObject(root, "limit_points", arc->limit_points);
  if (arc->limit_points == 0) return;
  printf("limit of the load     %.6g times the given load; number of later reversals of the load factor: %d\n",
         arc->largest, arc->limit_points - 1);
  cJSON_AddNumberToObject(root, "limit_factor", arc->largest);
}

static bool solve(Session *session, const double gravity[3], const SolveOptions *options, Increments *increments,
                  cJSON *root, Error *error) {
  const SimulationSettings *s = simulation_settings(session->simulation);
  double(*move)[3] = array_new(session->mesh.node_count, sizeof *move, "moves", error);
  LoadPathReport report = { 0 };
  JoinedPressures joined = { 0 };
  bool ok = move && find_time(session, options, &increments->time, error) && whole_load(session, gravity, error) &&
            session_join_pressures(session, -1, (double)INFINITY, &joined, error);
  if (!ok) {
    joined_pressures_destroy(&joined);
    free(move);
    return false;
  }

  const PressureLoad pressures = { &joined.faces, joined.value, joined.points };
  whole_move(session, move);
  const LoadPath path = { .increments = options->increments,
                          .force = (const double(*)[3])session->force,
                          .pressure = joined.faces.count > 0 ? &pressures : NULL,
                          .move = (const double(*)[3])move,
                          .follow = follow_motions,
                          .pinned = session->pinned,
                          .reached = print_increment,
                          .user = increments };
  increments->list = cJSON_AddArrayToObject(root, "increments");
  printf("%s on %s (%s), %s, assembly %s, matrix %s, solver %s\n%d nodes, %d %s\n", session->scene.path,
         device_name(s->device), device_model(s->device), precision_name(s->precision), s->assembly, s->matrix,
         s->solver, session->mesh.node_count, session->mesh.tet_count, mesh_cell_word(&session->mesh));
  printf("%10s %8s %8s %12s %12s %10s\n", "load", "newton", "cg", "residual, N", "tolerance, N", "min det F");
  ArcLengthReport arc = { 0 };
  ok = add_probes(increments, 0, NULL, error) && add_frame(increments, 0, error);
  if (ok && options->arc_length) {
    ok = arc_length_run(session->simulation, &session->mesh, &path, &arc, error);
    report = arc.path;
    report_limit(&arc, root);
  } else if (ok) {
    ok = load_path_run(session->simulation, &session->mesh, &path, &report, error);
  }
  joined_pressures_destroy(&joined);
  free(move);
  if (ok && report.newton_iterations == 0 && report.last.residual == 0)
    log_notice(
        "%s: no load acts on the body, so it keeps its shape at rest; set gravity, forces or moving pins, for example "
        "--gravity 0,0,-9.81",
        session->scene.path);
  else if (ok && report.newton_iterations == 0)
    log_notice(
        "%s: Newton took no iteration in any increment: the residual, %.3g N in the last one, was below the "
        "tolerance of %.3g N; use a smaller newton_absolute",
        session->scene.path, report.last.residual, report.last.tolerance);

  // If the full load was not reached, the results describe the last equilibrium. The functions that compute these
  // results would end at once if the request of Ctrl-C remained.
  if (!ok) ranks_fail(s->ranks, error);
  if (!ok) interrupt_reset();
  Error second = { 0 };
  cJSON_AddNumberToObject(root, "factor", report.factor);
  if (session->motion_count > 0) cJSON_AddNumberToObject(root, "time_s", report.factor * increments->time);
  const bool reported = report_answer(session, root, &second) && probes_commit(&increments->probes, &second) &&
                        (!options->state[0] || write_state(session, options->state, &second)) &&
                        (!options->json[0] || write_json_file(options->json, root, &second)) &&
                        close_series(&increments->series, &second);
  return ok && (reported || error_set(error, "%s", second.message));
}

// Prints a notice for each force whose last factor over time is 0, since equilibria are computed with the last factors.
static void notice_ended_forces(const Scene *scene) {
  for (int k = 0; k < scene->force_count; k++) {
    const SceneForce *force = &scene->forces[k];
    if (force->point_count > 0 && force->over_time[force->point_count - 1][1] == 0)
      log_notice("%s: forces entry %d does not act: its last factor in \"over_time\" is 0, and `pliant solve` uses it",
                 scene->path, k + 1);
  }
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(SolveOptions *)options = (SolveOptions){ .increments = 10 };
}

// Applies the load in increments. For each increment, Newton's method computes the equilibrium. Prints the increments
// and the reactions of the pins. Fails if Newton's method does not converge even for a small increment; the files then
// contain the last equilibrium that was found.
static bool solve_scene(const SolveOptions *options, Scene *scene, Error *error) {
  double gravity[3];
  if ((options->json[0] && !atomic_file_check(options->json, error)) ||
      (options->state[0] && !atomic_file_check(options->state, error)) ||
      (options->probe.file[0] && !atomic_file_check(options->probe.file, error)))
    return false;
  if (scene->drag_count > 0)
    return error_set(error,
                     "%s: `pliant solve` does not support drags, which end at a given time; to pull the body, use "
                     "\"forces\", or an entry of \"pins\" with \"move\", \"path\" or \"spin\"",
                     scene->path);
  if (scene->cut_count > 0 || scene->tear_stress > 0)
    return error_set(error,
                     "%s: `pliant solve` does not support cuts and tears; remove the keys cuts and tear_stress, or use "
                     "`pliant record`",
                     scene->path);
  if (!obstacles_rest(scene, error)) return false;
  notice_ended_forces(scene);
  if (scene->simulation.ranks && settings_rub(&scene->simulation))
    return error_set(error, "%s: engine \"petsc\" does not support friction in `pliant solve` yet; use friction 0",
                     scene->path);
  ListedPin first;
  const bool pins_itself = scene->mesh_only && !scene->pins_given;  // the session will pin the lower end of the mesh
  if (!scene_pin(scene, 0, &first) && !pins_itself && !settings_rub(&scene->simulation))
    return error_set(error, "%s: the body has no pins; pin at least one region, or let friction hold the body",
                     scene->path);
  Increments increments = { .counts_frames = options->arc_length };
  if (!probes_read(&increments.probes, &options->probe, scene->curves, options->json[0], error)) return false;
  PathLock locks[3] = { 0 };
  scene->simulation.newton_relative = fmin(scene->simulation.newton_relative, NEWTON_RELATIVE);
  scene->quasi_static = true;
  if (options->arc_length && !scene->contact_given) {
    scene->contact_given = true;
    scene->simulation.self_contact = false;
  }
  if (options->arc_length && !scene->simulation.solver[0]) {
    scene->simulation.solver_device = SOLVER_DEVICE_CPU;
    snprintf(scene->simulation.solver, sizeof scene->simulation.solver, "cholmod");
  }
  memcpy(gravity, scene->simulation.gravity, sizeof gravity);

  // on the heap, since a Session is too large for a small stack
  Session *session = array_new(1, sizeof *session, "the session", error);
  const bool created = session && (!options->state[0] || path_lock_file(&locks[0], options->state, error)) &&
                       (!options->probe.file[0] || path_lock_file(&locks[1], options->probe.file, error)) &&
                       open_series(&increments.series, options, &locks[2], error) &&
                       session_create(session, scene, error);
  increments.session = session;
  bool ok = created && all_are_held(session, error) &&
            probes_open(&increments.probes, &options->probe, session, "factor", error);
  if (ok) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "scene", session->scene.path);
    cJSON_AddStringToObject(root, "device_model", device_model(session->scene.simulation.device));
    ok = solve(session, gravity, options, &increments, root, error);
    cJSON_Delete(root);
  }

  if (created) session_destroy(session);
  free(session);
  probes_close(&increments.probes);
  vtu_series_destroy(&increments.series);
  for (int k = 0; k < 3; k++) path_lock_release(&locks[k]);
  return ok;
}

static bool check(const CommandInput *input, Error *error) {
  const SolveOptions *options = input->options;
  ListedPin listed;
  bool moves = false;
  for (int k = 0; scene_pin(input->scene, k, &listed); k++) moves = moves || motion_moves(&listed.pin.motion);
  if (options->has_time && !moves)
    return error_set(error, "--time has no effect without pins that have \"path\" or \"spin\"");
  if (options->arc_length && moves)
    return error_set(error, "%s: --arc-length scales the load, so it accepts no pins with \"path\" or \"spin\"",
                     input->scene->path);
  if (options->engine.engine == ENGINE_PETSC && options->arc_length)
    return error_set(error, "--arc-length needs --engine own");
  return probes_check(&options->probe, input->scene->curves, options->json[0], error);
}

static bool run_solve(const CommandInput *input, Error *error) {
  const SolveOptions *options = input->options;
  Engine engine;
  const bool ok =
      engine_begin(&engine, &options->engine, input->scene, error) && solve_scene(options, input->scene, error);
  return engine_end(&engine, ok, error);
}

extern const CommandRow solve_command;
const CommandRow solve_command = {
  .name = "solve",
  .usage = "[OPTION]... [SCENE|MESH]",
  .summary =
      "Computes the static equilibrium of a scene under its forces and gravity, in load increments. Without --solver, "
      "the direct solver \"cholmod\" is used for a slender body of at most 50,000 nodes without contact.",
  .options = solve_options,
  .options_size = sizeof(SolveOptions),
  .terms = solve_terms,
  .without =
      "mass|damping|friction_speed|friction_sticks|dt|integrator|first_guess|halvings_max|begin|drags|cuts|"
      "tear_stress|tear_by",
  .default_scene = "scenes/droop.json",
  .prepare = prepare,
  .check = check,
  .run = run_solve,
};
