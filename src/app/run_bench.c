// `pliant bench`: see run_bench.h.
#include "app/run_bench.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/session.h"
#include "app/write_state.h"
#include "base/array.h"
#include "base/timer.h"

#define AT(field) offsetof(BenchOptions, field), sizeof(((BenchOptions *)0)->field)
const Option bench_options[] = {
  { "repeat", OPTION_INTEGER, AT(repeat), 1, 1000, NULL, NULL, NULL, "timed runs; the median counts" },
  { "json", OPTION_TEXT, AT(json), 0, 0, "FILE", NULL, NULL, "write counts, times and energies as JSON" },
  { "state", OPTION_TEXT, AT(state), 0, 0, "FILE", NULL, NULL, "write initial and final positions and momenta (.npz)" },
  { NULL, OPTION_NUMBER, 0, 0, 0, 0, NULL, NULL, NULL, NULL },
};

// What the recorded run saw.
typedef struct Record {
  int steps;
  StepReport *report;         // [steps]
  double (*displacement)[3];  // [steps], mean over the first force's nodes, m; zero without forces
  int loaded_nodes;
  Energy energy;  // at the end
} Record;

static void record_destroy(Record *record) {
  free(record->report);
  free(record->displacement);
  *record = (Record){ 0 };
}

static void mean_displacement(const Session *session, const uint8_t *loaded, int count, const double (*x)[3],
                              double mean[3]) {
  for (int i = 0; i < 3; i++) mean[i] = 0;
  for (int a = 0; a < session->mesh.node_count; a++)
    for (int i = 0; i < 3; i++) mean[i] += loaded[a] ? (x[a][i] - session->mesh.X[a][i]) / count : 0;
}

// the run that is looked at, not timed
static bool run_recorded(Session *session, Record *record, const char *state, Error *error) {
  const int nodes = session->mesh.node_count;
  bool ok = false;
  double(*x)[3] = array_new(nodes, sizeof *x, "positions", error);
  uint8_t *loaded = array_new(nodes, 1, "nodes", error);
  record->report = array_new(record->steps, sizeof *record->report, "step reports", error);
  record->displacement = array_new(record->steps, sizeof *record->displacement, "displacements", error);
  if (!x || !loaded || !record->report || !record->displacement) goto done;
  if (session->scene.force_count > 0)
    record->loaded_nodes = session_region(session, &session->scene.forces[0].region, loaded);
  for (int k = 0; k < record->steps; k++) {
    if (!session_step(session, &record->report[k], error)) goto done;
    if (record->loaded_nodes == 0) continue;
    if (!simulation_state(session->simulation, x, NULL, error)) goto done;
    mean_displacement(session, loaded, record->loaded_nodes, (const double(*)[3])x, record->displacement[k]);
  }
  if (!simulation_energy(session->simulation, &record->energy, error)) goto done;
  ok = !state[0] || write_state(session, state, error);
done:
  free(x);
  free(loaded);
  return ok;
}

static bool run_from_rest(Session *session, int steps, double *seconds, Error *error) {
  StepReport report;
  if (!session_reset(session, error) || !stream_sync(simulation_stream(session->simulation), error)) return false;
  const double start = timer_seconds();
  for (int k = 0; k < steps; k++)
    if (!session_step(session, &report, error)) return false;
  if (!stream_sync(simulation_stream(session->simulation), error)) return false;
  *seconds = timer_seconds() - start;
  return true;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// one of `count` in `ms`; 0 where there was none, as in a body that rests
static double each_us(double ms, int64_t count) {
  return count ? 1e3 * ms / (double)count : 0;
}

static void print_table(const Session *session, const Record *record, const Profile *profile, const double *seconds,
                        int repeat) {
  const SimulationSettings *s = simulation_settings(session->simulation);
  const SimulationSize size = simulation_size(session->simulation);
  const double steps = record->steps, median = seconds[repeat / 2], per_step = 1 / (double)profile->steps;
  printf("%s on %s (%s), %s, assembly %s, matrix %s, solver %s, newton %s\n", session->scene.path,
         device_name(s->device), device_model(s->device), precision_name(s->precision), s->assembly, s->matrix,
         s->solver, s->newton == NEWTON_PLAIN ? "plain" : "robust");
  printf("%d nodes, %d tets, %lld unknowns, %lld non-zeros, %lld slots\n", session->mesh.node_count,
         session->mesh.tet_count, (long long)size.dof, (long long)size.nnz, (long long)size.slots);
  printf("newton iterations    ");
  for (int k = 0; k < record->steps && k < 40; k++) printf(" %d", record->report[k].newton_iterations);
  printf("\ncg iterations        ");
  for (int k = 0; k < record->steps && k < 40; k++) printf(" %d", record->report[k].cg_iterations);
  if (record->loaded_nodes) {
    printf("\nmean displacement of the %d loaded nodes\n", record->loaded_nodes);
    for (int k = 0; k < record->steps; k++)
      if (k == 0 || (k + 1) % 5 == 0)
        printf("  step %-5d          (%.6f, %.6f, %.6f)\n", k + 1, record->displacement[k][0],
               record->displacement[k][1], record->displacement[k][2]);
  } else {
    printf("\n");
  }
  printf("energy at the end     kinetic %.4g J, elastic %.4g J\n\n", record->energy.kinetic, record->energy.elastic);
  printf("stage                 ms/step   share\n");
  const double spmv = profile->spmv_ms, total = profile->total_ms;
  const struct {
    const char *name;
    double ms;
  } rows[] = {
    { "assembly", profile->assembly_ms },
    { "vector alone", profile->vector_ms },
    { "SpMV", spmv },
    { "CG without SpMV", profile->cg_ms - spmv },
    { "rest", profile->rest_ms },
    { "step, stages timed", total },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    printf("%-20s %8.4f  %5.1f %%\n", rows[k].name, rows[k].ms * per_step, 100 * rows[k].ms / total);
  printf("assembly %.1f us each, vector alone %.1f us, SpMV %.2f us each, CG %.2f us an iteration\n",
         each_us(profile->assembly_ms, profile->assemblies), each_us(profile->vector_ms, profile->vectors),
         each_us(spmv, profile->spmvs), each_us(profile->cg_ms, profile->cg_iterations));
  printf("\n%.1f steps/s (%.4f ms a step, median of %d runs of %d steps, %.4f to %.4f)\n", steps / median,
         1e3 * median / steps, repeat, record->steps, 1e3 * seconds[0] / steps, 1e3 * seconds[repeat - 1] / steps);
}

static cJSON *vector_json(const double v[3]) {
  return cJSON_CreateDoubleArray(v, 3);
}

static bool write_json(const char *path, const Session *session, const Record *record, const Profile *profile,
                       const double *seconds, int repeat, Error *error) {
  const SimulationSettings *s = simulation_settings(session->simulation);
  const SimulationSize size = simulation_size(session->simulation);
  const double steps = record->steps, per_step = 1 / (double)profile->steps;
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "scene", session->scene.path);
  cJSON_AddStringToObject(root, "device", device_name(s->device));
  cJSON_AddStringToObject(root, "device_model", device_model(s->device));
  cJSON_AddStringToObject(root, "precision", precision_name(s->precision));
  cJSON_AddStringToObject(root, "assembly", s->assembly);
  cJSON_AddStringToObject(root, "matrix", s->matrix);
  cJSON_AddStringToObject(root, "solver", s->solver);
  cJSON_AddStringToObject(root, "newton", s->newton == NEWTON_PLAIN ? "plain" : "robust");
  cJSON_AddNumberToObject(root, "nodes", session->mesh.node_count);
  cJSON_AddNumberToObject(root, "tets", session->mesh.tet_count);
  cJSON_AddNumberToObject(root, "unknowns", (double)size.dof);
  cJSON_AddNumberToObject(root, "nonzeros", (double)size.nnz);
  cJSON_AddNumberToObject(root, "slots", (double)size.slots);
  cJSON_AddNumberToObject(root, "dt_s", s->dt);
  cJSON_AddNumberToObject(root, "steps", record->steps);

  cJSON *times = cJSON_AddObjectToObject(root, "ms_per_step");
  cJSON_AddNumberToObject(times, "assembly", profile->assembly_ms * per_step);
  cJSON_AddNumberToObject(times, "vector_alone", profile->vector_ms * per_step);
  cJSON_AddNumberToObject(times, "spmv", profile->spmv_ms * per_step);
  cJSON_AddNumberToObject(times, "cg_without_spmv", (profile->cg_ms - profile->spmv_ms) * per_step);
  cJSON_AddNumberToObject(times, "rest", profile->rest_ms * per_step);
  cJSON_AddNumberToObject(times, "total_stages_timed", profile->total_ms * per_step);
  cJSON_AddNumberToObject(times, "total_median", 1e3 * seconds[repeat / 2] / steps);
  cJSON_AddNumberToObject(times, "total_fastest", 1e3 * seconds[0] / steps);
  cJSON_AddNumberToObject(times, "total_slowest", 1e3 * seconds[repeat - 1] / steps);
  cJSON_AddNumberToObject(root, "repeat", repeat);
  cJSON_AddNumberToObject(root, "steps_per_s", steps / seconds[repeat / 2]);
  cJSON_AddNumberToObject(root, "assembly_us", each_us(profile->assembly_ms, profile->assemblies));
  cJSON_AddNumberToObject(root, "vector_alone_us", each_us(profile->vector_ms, profile->vectors));
  cJSON_AddNumberToObject(root, "spmv_us", each_us(profile->spmv_ms, profile->spmvs));
  cJSON_AddNumberToObject(root, "cg_iteration_us", each_us(profile->cg_ms, profile->cg_iterations));

  cJSON_AddNumberToObject(root, "loaded_nodes", record->loaded_nodes);
  cJSON_AddNumberToObject(root, "kinetic_J", record->energy.kinetic);
  cJSON_AddNumberToObject(root, "elastic_J", record->energy.elastic);
  cJSON *list = cJSON_AddArrayToObject(root, "per_step");
  for (int k = 0; k < record->steps; k++) {
    const StepReport *r = &record->report[k];
    cJSON *row = cJSON_CreateObject();
    cJSON_AddNumberToObject(row, "newton_iterations", r->newton_iterations);
    cJSON_AddNumberToObject(row, "cg_iterations", r->cg_iterations);
    cJSON_AddNumberToObject(row, "backtracks", r->backtracks);
    cJSON_AddNumberToObject(row, "substeps", r->substeps);
    cJSON_AddNumberToObject(row, "damped", r->damped);
    cJSON_AddBoolToObject(row, "converged", r->converged);
    cJSON_AddNumberToObject(row, "residual", r->residual);
    cJSON_AddNumberToObject(row, "tolerance", r->tolerance);
    cJSON_AddNumberToObject(row, "min_J", r->min_J);
    if (record->loaded_nodes) cJSON_AddItemToObject(row, "mean_displacement", vector_json(record->displacement[k]));
    cJSON_AddItemToArray(list, row);
  }
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  FILE *file = text ? fopen(path, "w") : NULL;
  bool ok = file && fprintf(file, "%s\n", text) > 0;
  if (file && fclose(file) != 0) ok = false;
  free(text);
  return ok || error_set(error, "%s: cannot be written: %s", path, strerror(errno));
}

bool run_bench(const Scene *scene, const BenchOptions *options, Error *error) {
  Session session = { 0 };
  Record record = { .steps = scene->steps };
  Profile profile;
  double *seconds = array_new(options->repeat, sizeof *seconds, "times", error), ignored;
  bool ok = false;
  if (!seconds || !session_create(&session, scene, error)) goto done;
  if (!run_recorded(&session, &record, options->state, error)) goto done;
  for (int k = 0; k < options->repeat; k++)
    if (!run_from_rest(&session, record.steps, &seconds[k], error)) goto done;
  qsort(seconds, (size_t)options->repeat, sizeof *seconds, ascending);
  if (!simulation_profile_start(session.simulation, error)) goto done;
  if (!run_from_rest(&session, record.steps, &ignored, error)) goto done;
  if (!simulation_profile_stop(session.simulation, &profile, error)) goto done;
  print_table(&session, &record, &profile, seconds, options->repeat);
  ok = !options->json[0] || write_json(options->json, &session, &record, &profile, seconds, options->repeat, error);
done:
  free(seconds);
  record_destroy(&record);
  session_destroy(&session);
  return ok;
}
