// `pliant bench`: measures the time of a scene's time steps and of their stages (run_bench.h).
#include "app/run_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/bench_progress.h"
#include "app/contact_list.h"
#include "app/measure.h"
#include "app/roofline.h"
#include "app/run_sweep.h"
#include "app/run_table.h"
#include "base/array.h"
#include "base/atomic_file.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/path_lock.h"
#include "base/ranks.h"
#include "base/timer.h"
#include "scene/energy_budget.h"
#include "scene/json_file.h"
#include "scene/session_script.h"
#include "scene/write_state.h"

#define AT(field) OPTION_AT(BenchOptions, field)
const Option bench_options[] = {
  { "repeat", OPTION_INTEGER, AT(repeat), OPTION_FROM_TO(0, 1000),
    .help = "number of timed runs; the median time is printed; 0: one run without timing" },
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write iteration counts, times and energies as JSON" },
  { "sweep", OPTION_FLAG, AT(sweep),
    .help = "in place of one run, time many combinations of devices, assembly methods, matrix formats, solvers and "
            "node orders" },
  { "table", OPTION_CHOICE, AT(table), .choices = SWEEP_TABLES, .help = "measure only this table of --sweep" },
  { "set", OPTION_TEXT, AT(set), .unit = "KEYS",
    .help = "in place of one run, time each combination of values of scene keys, such as "
            "\"dt=0.01,0.02 matrix=csr,dbcsr\"; values that contain commas are separated by semicolons" },
  { "roofline", OPTION_FLAG, AT(roofline),
    .help = "also compare the time of each stage with the least time that memory bandwidth and kernel launches allow" },
  { "state", OPTION_TEXT, AT(state), .unit = "FILE",
    .help = "write final positions and momenta of all nodes, and their positions in the undeformed shape (.npz)" },
  PROBE_OPTIONS(BenchOptions, probe),
  ENGINE_OPTIONS(BenchOptions, engine),
  { "verbose", OPTION_FLAG, AT(verbose), .help = "also report how long each cut and tear takes to compute" },
  { 0 },
};

// --sweep chooses devices, assemblies and matrix formats itself, and writes no table of probes. Therefore options that
// choose them cannot be combined with --sweep. --set cannot either, because it compares other combinations, those that
// the user chooses.
const OptionTerm bench_terms[] = {
  { "table", .needs = "sweep" },
  { "device", .not_with = "sweep" },
  { "assembly", .not_with = "sweep" },
  { "matrix", .not_with = "sweep" },
  { "solver_device", .not_with = "sweep" },
  { "probe_file", .not_with = "sweep" },
  { "set", .not_with = "sweep" },
  { "curves", .needs = "probe_file", .not_with = "probe" },  // --probe-file writes them if there is no --probe
  { 0 },
};

// Results of the recorded run. This is the first run of a benchmark. It is not timed, but its results are stored and
// printed.
typedef struct Record {
  int steps;
  StepReport *report;  // [steps], reports of the steps
  // [steps], m, mean displacement of the nodes on which the scene's first force acts; zero without forces
  double (*displacement)[3];
  int loaded_nodes;
  double *energy;       // [steps], sum of kinetic, elastic and potential energy, J
  EnergyBudget budget;  // changes over the run: of energy, and of angular momentum by the integrator
  Energy at_end;
  double state[OBSERVABLES_MAX][OBSERVABLE_SIZE_MAX];  // values after the last step, for observables without subject
  Probes probes;
  double *probed;  // [steps][probes.value_count], values of the user's probes
  // time from the start of the program to the first step, s; largest host memory in use until the first step, bytes
  double open_seconds, open_bytes;
  double end_bytes;                    // bytes, peak host memory over all runs
  double cuda_bytes;                   // bytes, all GPU allocations until the first step (device_memory_taken)
  BodyMotion bodies[SCENE_PARTS_MAX];  // final motion of each body, for scenes with "bodies"
  BodyContact *contacts;               // [contact_count], final contacts of bodies and obstacles
  int contact_count;
} Record;

static void record_destroy(Record *record) {
  free(record->report);
  free(record->displacement);
  free(record->energy);
  free(record->contacts);
  free(record->probed);
  probes_close(&record->probes);
  *record = (Record){ 0 };
}

static void mean_displacement(const Session *session, const uint8_t *loaded, int count, const double (*x)[3],
                              double mean[3]) {
  for (int i = 0; i < 3; i++) mean[i] = 0;
  for (int a = 0; count > 0 && a < session->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) mean[i] += loaded[a] ? (x[a][i] - session->mesh.X[a][i]) / count : 0;
}

// Stores the mean displacement of the nodes on which the scene's first force acts, after the step with index `step`.
static bool record_displacement(Session *session, Record *record, int step, Error *error) {
  const int nodes = session->mesh.node_count;
  if (session->scene.force_count == 0) return true;
  double(*x)[3] = array_new(nodes, sizeof *x, "positions", error);
  uint8_t *loaded = array_new(nodes, 1, "nodes", error);
  const bool ok = x && loaded && simulation_state(session->simulation, x, NULL, error);
  if (ok) record->loaded_nodes = session_region(session, &session->scene.forces[0].region, loaded);
  if (ok) mean_displacement(session, loaded, record->loaded_nodes, (const double(*)[3])x, record->displacement[step]);
  free(x);
  free(loaded);
  return ok;
}

// Stores the values of the user's probes after `step` steps; step 0 is the initial state.
static bool record_probes(Session *session, Record *record, int step, Error *error) {
  Probes *p = &record->probes;
  if (p->count == 0) return true;
  Observed now;
  observed_begin(&now, session, step > 0 ? &record->report[step - 1] : NULL);
  const Simulation *simulation = session->simulation;
  const bool ok = probes_add(p, &now, simulation_step_count(simulation), simulation_time(simulation), error);
  observed_end(&now);
  if (ok && step > 0)
    memcpy(record->probed + (size_t)(step - 1) * (size_t)p->value_count, p->value,
           sizeof *p->value * (size_t)p->value_count);
  return ok;
}

// Returns true if the JSON file contains the final value of this observable: it is computed from the state, and has no
// argument such as a node number.
static bool is_of_state(const Observable *row) {
  return row->when == OBSERVED_ON_DEMAND && !row->subject;
}

static bool record_state(Session *session, Record *record, Error *error) {
  Observed now;
  bool ok = true;
  observed_begin(&now, session, NULL);
  for (int k = 0; ok && observables[k].name; k++)
    ok = !is_of_state(&observables[k]) || observe(&now, &observables[k], NULL, record->state[k], error);
  observed_end(&now);
  return ok;
}

// Measures the energy after the step with index k. To measure the angular momentum takes longer. Therefore a run of 200
// steps or more measures it only at regular intervals, at most 200 times.
static bool measure_budget(Session *session, Record *record, int k, Error *error) {
  EnergyBudget *budget = &session->budget;
  if (!energy_budget_update(budget, session->simulation, &record->at_end, error)) return false;
  record->energy[k] = budget->total;
  return (k + 1) % (1 + record->steps / 200) != 0 || energy_budget_update_spin(budget, session->simulation, error);
}

static bool run_steps(Session *session, Record *record, const char *state, BenchProgress *progress, Error *error) {
  for (int k = 0; k < record->steps; k++) {
    bench_progress_begin_step(progress, k + 1, &record->report[k]);
    if (!interrupt_check(error) || !session_step(session, &record->report[k], error)) {
      ranks_fail(session->scene.simulation.ranks, error);
      Error second = { 0 };  // the state before the failed step is valid, so it is written to the file of --state
      if (state[0] && write_state(session, state, &second)) error_prefix(error, "%s contains the last state", state);
      probes_commit(&record->probes, &second);
      return false;
    }
    if (!measure_budget(session, record, k, error)) return false;
    if (!record_displacement(session, record, k, error) || !record_probes(session, record, k + 1, error)) return false;
    bench_progress_end_step(progress);
  }
  return true;
}

// Computes the recorded run: takes the steps and stores their results.
static bool run_recorded(Session *session, Record *record, const char *state, Error *error) {
  record->report = array_new(record->steps, sizeof *record->report, "step reports", error);
  record->displacement = array_new(record->steps, sizeof *record->displacement, "displacements", error);
  record->energy = array_new(record->steps, sizeof *record->energy, "energies", error);
  record->probed =
      array_new((int64_t)record->steps * record->probes.value_count, sizeof *record->probed, "probes", error);
  if (!record->report || !record->displacement || !record->energy || !record->probed) return false;
  if (!energy_budget_update(&session->budget, session->simulation, &record->at_end, error) ||
      !energy_budget_update_spin(&session->budget, session->simulation, error) ||
      !record_probes(session, record, 0, error))
    return false;
  BenchProgress progress;
  bench_progress_begin(&progress, session, record->steps);
  const bool ok = run_steps(session, record, state, &progress, error);
  bench_progress_end(&progress);
  if (!ok) return false;
  if (session->scene.body_count && !simulation_bodies(session->simulation, record->bodies, error)) return false;
  if (!contact_of_bodies(session->simulation, &record->contacts, &record->contact_count, error)) return false;
  if (!record_state(session, record, error)) return false;
  record->budget = session->budget;
  session_report_trouble(session);
  char gain[160];
  energy_budget_text(&record->budget, simulation_settings(session->simulation), gain, sizeof gain);
  if (gain[0]) log_notice("%s", gain);
  if (state[0] && !write_state(session, state, error)) return false;
  return probes_commit(&record->probes, error);
}

static void print_motion_of_bodies(const Session *session, const Record *record) {
  for (int k = 0; k < session->scene.body_count; k++) {
    const BodyMotion *b = &record->bodies[k];
    char name[SCENE_BODY_NAME + 16];
    scene_body_name(&session->scene, k, name);
    printf(
        "  %-19s centre of mass (%.4g, %.4g, %.4g) m, momentum (%.4g, %.4g, %.4g) kg m/s, kinetic energy %.4g J, "
        "elastic energy %.4g J\n",
        name, b->centre[0], b->centre[1], b->centre[2], b->linear[0], b->linear[1], b->linear[2], b->kinetic,
        b->elastic);
  }
}

static void print_iterations(const Record *record) {
  enum { SHOWN = 40 };
  const int count = record->steps < SHOWN ? record->steps : SHOWN;
  if (record->steps > SHOWN) printf("iterations in the first %d of %d steps:\n", SHOWN, record->steps);
  printf("newton iterations per step");
  for (int k = 0; k < count; k++) printf(" %d", record->report[k].newton_iterations);
  printf("\ncg iterations per step    ");
  for (int k = 0; k < count; k++) printf(" %d", record->report[k].cg_iterations);
}

static void print_table(const Session *session, const Record *record, const Measurement *m) {
  const SimulationSettings *s = &m->settings;
  printf("%s on %s (%s), %s, newton %s\n", session->scene.path, device_name(s->device), device_model(s->device),
         precision_name(s->precision), s->newton == NEWTON_PLAIN ? "plain" : "robust");
  printf("assembly %s: %s\nmatrix %s, solver %s: %s\n", s->assembly, m->assembly_reason, s->matrix, s->solver,
         m->solver_reason);
  printf("%d nodes, %d %s, %lld unknowns, %lld non-zeros, %lld stored matrix values\n", m->nodes, m->tets, m->cells,
         (long long)m->size.dof, (long long)m->size.nnz, (long long)m->size.slots);
  if (m->size.parts)
    printf(
        "number of overlapping parts of the mesh: %lld; on average each cell is evaluated %.2f times, each node read "
        "%.2f "
        "times\n",
        (long long)m->size.parts, (double)m->size.part_tets / m->tets, (double)m->size.part_nodes / m->nodes);
  if (m->size.chunks)
    printf("number of groups of cells, which are processed one after another to save memory: %lld\n",
           (long long)m->size.chunks);
  printf("scene opened in %.2f s, with at most %.0f MiB of host memory (%.0f bytes a cell)\n", record->open_seconds,
         record->open_bytes / 1048576, record->open_bytes / m->tets);
  if (record->cuda_bytes > 0)
    printf("GPU memory allocated  %.0f MiB (%.0f bytes a cell)\n", record->cuda_bytes / 1048576,
           record->cuda_bytes / m->tets);
  print_iterations(record);
  if (record->loaded_nodes) {
    printf("\nmean displacement (x, y, z) of the loaded nodes, m; number of these nodes: %d\n", record->loaded_nodes);
    for (int k = 0; k < record->steps; k++)
      if (k == 0 || (k + 1) % 5 == 0)
        printf("  step %-5d          (%.6f, %.6f, %.6f)\n", k + 1, record->displacement[k][0],
               record->displacement[k][1], record->displacement[k][2]);
  } else {
    printf("\n");
  }
  printf("energy at the end     kinetic %.4g J, elastic %.4g J\n", record->at_end.kinetic, record->at_end.elastic);
  if (record->budget.steps > 0)
    printf(
        "energy change         %.4g J (%.2g %% of the largest energy), caused by damping, friction and the integrator "
        "in %lld steps\n",
        record->budget.change, 100 * energy_budget_relative(&record->budget), (long long)record->budget.steps);
  char part[64];
  energy_budget_spin_text(&record->budget, part, sizeof part);
  if (record->budget.spin_steps > 0)
    printf("spin change           %.4g kg m^2/s of angular momentum%s, caused by the integrator in %lld steps\n",
           record->budget.spin_change, part, (long long)record->budget.spin_steps);
  print_motion_of_bodies(session, record);
  contact_list_print(session, record->contacts, record->contact_count);
  printf("\n");
  if (m->repeat == 0) return;
  const double total = m->profile.total_ms / (double)m->profile.steps;
  printf("stage                 ms/step   share\n");
  for (int k = 0; k < TIMED_STAGES; k++)
    printf("%-20s %8.4f  %5.1f %%\n", timed_names[k].name, m->profile.ms[k] / (double)m->profile.steps,
           100 * m->profile.ms[k] / m->profile.total_ms);
  for (int k = 0; k < TIMED_CONTACTS && m->settings.self_contact; k++)
    printf("  %-18s %8.4f\n", timed_contact_names[k].name, m->profile.contact_ms[k] / (double)m->profile.steps);
  printf("%-20s %8.4f  100.0 %%\n", "sum of the stages", total);
  if (m->settings.self_contact)
    printf("%.2f Newton and %.1f CG iterations, %.2f searches for contact pairs a step\n",
           (double)m->profile.newton_iterations / (double)m->profile.steps,
           (double)m->profile.cg_iterations / (double)m->profile.steps,
           (double)m->profile.searches / (double)m->profile.steps);
  printf(
      "one assembly %.1f us, one assembly of forces only %.1f us, one matrix-vector product (SpMV) %.2f us, one CG "
      "iteration %.2f us\n",
      m->assembly_us, m->vector_us, m->product_us, m->cg_us);
  printf(
      "\n%.1f steps/s (median %.4f ms a step; runs: %d, steps in each: %d; fastest run %.4f, slowest %.4f ms a step)\n",
      1e3 / m->median_ms, m->median_ms, m->repeat, m->steps, m->fastest_ms, m->slowest_ms);
  if (m->waits_per_step > 0) printf("the host waits for the GPU %.2f times a step\n", m->waits_per_step);
  if (session->scene.cut_count > 0)
    printf("longest computing time of one time step, with the cut before this step if there is one: %.1f ms\n",
           m->longest_step_ms);
  if (session->scene.tear_stress > 0)
    printf("longest computing time of one time step, with the tear before this step if there is one: %.1f ms\n",
           m->longest_step_ms);
}

static cJSON *vector_json(const double v[3]) {
  return cJSON_CreateDoubleArray(v, 3);
}

// Adds mass, momentum and energy of each body after the recorded run to the JSON object.
static void add_bodies(cJSON *root, const Session *session, const Record *record) {
  if (session->scene.body_count == 0) return;
  cJSON *list = cJSON_AddArrayToObject(root, "bodies");
  for (int k = 0; k < session->scene.body_count; k++) {
    const BodyMotion *b = &record->bodies[k];
    char name[SCENE_BODY_NAME + 16];
    scene_body_name(&session->scene, k, name);
    cJSON *body = cJSON_CreateObject();
    cJSON_AddStringToObject(body, "name", name);
    cJSON_AddNumberToObject(body, "nodes", b->nodes);
    cJSON_AddNumberToObject(body, "tets", b->tets);
    cJSON_AddNumberToObject(body, "mass_kg", b->mass);
    json_put(body, "centre_m", vector_json(b->centre));
    json_put(body, "momentum_kg_m_s", vector_json(b->linear));
    json_put(body, "angular_momentum_kg_m2_s", vector_json(b->angular));
    cJSON_AddNumberToObject(body, "kinetic_J", b->kinetic);
    cJSON_AddNumberToObject(body, "elastic_J", b->elastic);
    json_append(list, body);
  }
}

// Returns a JSON object with the iterations and results of step k.
static cJSON *step_json(const Record *record, int k) {
  const StepReport *r = &record->report[k];
  Observed step = { .report = r };
  Error none = { 0 };
  cJSON *row = cJSON_CreateObject();
  for (const Observable *o = observables; o->name; o++) {
    char key[OBSERVABLE_LABEL];
    double value[OBSERVABLE_SIZE_MAX];
    if (o->when != OBSERVED_AFTER_STEP || !observe(&step, o, NULL, value, &none)) continue;
    observable_label(o, o->name, -1, key);
    observable_add_json(o, key, value, row);
  }
  if (!r->converged) cJSON_AddStringToObject(row, "cause", newton_cause_text(r->cause));
  cJSON_AddNumberToObject(row, "energy_J", record->energy[k]);
  if (record->loaded_nodes) json_put(row, "mean_displacement", vector_json(record->displacement[k]));
  probes_add_json(&record->probes, record->probed + (size_t)k * (size_t)record->probes.value_count, row);
  return row;
}

static void add_json(cJSON *root, const Session *session, const Record *record, const Measurement *m) {
  char key[OBSERVABLE_LABEL];
  cJSON_AddStringToObject(root, "scene", session->scene.path);
  measurement_add_json(m, root);
  cJSON_AddNumberToObject(root, "open_s", record->open_seconds);
  cJSON_AddNumberToObject(root, "open_peak_MiB", record->open_bytes / 1048576);
  cJSON_AddNumberToObject(root, "peak_MiB", record->end_bytes / 1048576);
  if (record->cuda_bytes > 0) cJSON_AddNumberToObject(root, "cuda_MiB", record->cuda_bytes / 1048576);
  cJSON_AddNumberToObject(root, "loaded_nodes", record->loaded_nodes);
  for (int k = 0; observables[k].name; k++) {
    if (!is_of_state(&observables[k])) continue;
    observable_label(&observables[k], observables[k].name, -1, key);
    observable_add_json(&observables[k], key, record->state[k], root);
  }
  cJSON_AddNumberToObject(root, "energy_change_relative", energy_budget_relative(&record->budget));
  cJSON_AddNumberToObject(root, "spin_change_relative", energy_budget_relative_spin(&record->budget));
  add_bodies(root, session, record);
  contact_list_add_json(root, session, record->contacts, record->contact_count);
  cJSON *list = cJSON_AddArrayToObject(root, "per_step");
  for (int k = 0; k < record->steps; k++) json_append(list, step_json(record, k));
}

static bool bench(Session *session, Record *record, const Scene *scene, const BenchOptions *options,
                  const BenchExtra *extra, Error *error) {
  Measurement measurement;
  cJSON *root = cJSON_CreateObject();
  const double begun = timer_seconds();
  bool ok = probes_read(&record->probes, &options->probe, scene->curves, options->json[0], error) &&
            session_create(session, scene, error);
  record->open_seconds = timer_seconds() - begun;
  record->open_bytes = (double)memory_peak();
  record->cuda_bytes = (double)device_memory_taken(DEVICE_CUDA);
  ok = ok && (!extra->begin || extra->begin(extra->context, session, error)) &&
       probes_open(&record->probes, &options->probe, session, "time_s", error) &&
       run_recorded(session, record, options->state, error);
  if (extra->recorded && !extra->recorded(extra->context, session, ok, error)) ok = false;
  ok = ok && measure_session(session, record->steps, options->repeat, &measurement, error);
  record->end_bytes = (double)memory_peak();
  if (ok) {
    print_table(session, record, &measurement);
    add_json(root, session, record, &measurement);
    ok = (!extra->measured || extra->measured(extra->context, session, root, error)) &&
         (!options->roofline || roofline_measure(session, &measurement, root, error));
  }

  ok = ok && (!options->json[0] || write_json_file(options->json, root, error));
  cJSON_Delete(root);
  record_destroy(record);
  session_destroy(session);
  return ok;
}

bool bench_check(const Scene *scene, const BenchOptions *options, Error *error) {
  const char *of_many = options->sweep ? "--sweep" : options->set[0] ? "--set" : NULL;
  if (options->repeat == 0 && (of_many || options->roofline))
    return error_set(error, "--repeat is 0, so no times are measured; %s needs --repeat 1 or more",
                     of_many ? of_many : "--roofline");
  const char *of_one = options->roofline         ? "--roofline"
                       : options->state[0]       ? "--state"
                       : options->probe.names[0] ? "--probe"
                       : options->probe.file[0]  ? "--probe-file"
                                                 : NULL;
  if (of_many && of_one)
    return error_set(error, "%s runs many combinations, but %s needs a single one; give one of the two options",
                     of_many, of_one);
  if (of_many && options->engine.engine == ENGINE_PETSC) return error_set(error, "%s needs --engine own", of_many);
  if (options->set[0] && !run_table_check(scene, options->set, error)) return false;
  return probes_check(&options->probe, scene->curves, options->json[0], error);
}

static bool bench_scene(const Scene *scene, const BenchOptions *options, const BenchExtra *extra, Error *error) {
  const BenchExtra none = { 0 };
  if (!extra) extra = &none;
  log_set_details(options->verbose);
  if ((options->json[0] && !atomic_file_check(options->json, error)) ||
      (options->state[0] && !atomic_file_check(options->state, error)) ||
      (options->probe.file[0] && !atomic_file_check(options->probe.file, error)))
    return false;
  if (options->sweep) return run_sweep(scene, options, extra, error);
  if (options->set[0]) return run_table(scene, options, error);
  PathLock locks[2] = { 0 };

  // on the heap, since Session and Record are too large for a small stack
  Session *session = array_new(1, sizeof *session, "the session", error);
  Record *record = array_new(1, sizeof *record, "the record", error);
  if (record) record->steps = scene->steps;
  const bool ok = session && record && (!options->state[0] || path_lock_file(&locks[0], options->state, error)) &&
                  (!options->probe.file[0] || path_lock_file(&locks[1], options->probe.file, error)) &&
                  bench(session, record, scene, options, extra, error);
  free(session);
  free(record);
  for (int k = 0; k < 2; k++) path_lock_release(&locks[k]);
  return ok;
}

bool run_bench(Scene *scene, const BenchOptions *options, const BenchExtra *extra, Error *error) {
  Engine engine;
  const bool ok = engine_begin(&engine, &options->engine, scene, error) && bench_scene(scene, options, extra, error);
  return engine_end(&engine, ok, error);
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)scene;
  *(BenchOptions *)options = (BenchOptions){ .repeat = BENCH_REPEAT };
}

static bool check(const CommandInput *input, Error *error) {
  return bench_check(input->scene, input->options, error);
}

static bool run(const CommandInput *input, Error *error) {
  return run_bench(input->scene, input->options, NULL, error);
}

const CommandRow bench_command = {
  .name = "bench",
  .usage = "[OPTION]... [SCENE|MESH]",
  .summary =
      "Runs a scene from rest and prints the time of each stage of a step (assembly, matrix product, solver). Also "
      "prints the numbers of iterations of Newton's method and of conjugate gradients (CG).",
  .options = bench_options,
  .options_size = sizeof(BenchOptions),
  .terms = bench_terms,
  .benchmark = true,
  .default_scene = "scenes/hand.json",
  .prepare = prepare,
  .check = check,
  .run = run,
};
