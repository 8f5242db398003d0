// The command `pliant-lab bench`: runs `pliant bench` on a scene. With --baseline it also times NVIDIA's libraries
// cuSPARSE and cuBLAS on the matrix of that scene. With --system it writes the first linear system to a file and times
// its solve.
#include <math.h>
#include <stdio.h>

#include "app/run_bench.h"
#include "base/atomic_file.h"
#include "lab/baseline/simulation_baseline.h"
#include "lab/baseline/system_tap.h"

enum { SOLVES = 25, OPTIONS_MAX = 32 };

// Options of the command `pliant-lab bench`. The table bench_options of `pliant bench` gives the offset of each option
// in BenchOptions. `pliant-lab bench` uses these offsets in LabBenchOptions, so `bench` must be the first member.
typedef struct LabBenchOptions {
  BenchOptions bench;              // options of `pliant bench`
  bool baseline;                   // the user gave --baseline
  char system[SCENE_PATH_LENGTH];  // path of the file for the first linear system; empty: no system is written
} LabBenchOptions;

#define AT(field) OPTION_AT(LabBenchOptions, field)
static const Option own_options[] = {
  { "baseline", OPTION_FLAG, AT(baseline),
    .help = "also time products with the scene's matrix and a CG solve by NVIDIA's libraries cuSPARSE and cuBLAS" },
  { "system", OPTION_TEXT, AT(system), .unit = "FILE",
    .help = "write the first linear system, matrix and right-hand side, in PETSc's binary format, and time its solve" },
  { 0 },
};

// Returns the table of options of this command: the options of `pliant bench`, followed by own_options.
static const Option *lab_bench_options(void) {
  static Option all[OPTIONS_MAX];
  int count = 0;
  for (const Option *o = bench_options; o->key; o++) all[count++] = *o;
  for (const Option *o = own_options; o->key; o++) all[count++] = *o;
  return all;
}

// Data of one run of the command. If the user gave --system, `file` is the file for the first linear system, and `tap`
// is a solver method that writes this system and times its solve (system_tap.h). `system` gets the size of the system
// and the times of the solves.
typedef struct Extra {
  const LabBenchOptions *options;
  AtomicFile file;
  SystemTap tap;
  SystemReport system;
} Extra;

static bool begin(void *context, Session *session, Error *error) {
  Extra *e = context;
  return !e->options->system[0] ||
         (atomic_file_open(&e->file, e->options->system, error) &&
          simulation_tap_system(session->simulation, &e->tap, e->file.stream, SOLVES, &e->system, error));
}

static bool recorded(void *context, Session *session, bool ok, Error *error) {
  Extra *e = context;
  if (!e->options->system[0]) return true;
  simulation_untap_system(session->simulation, &e->tap);
  if (ok && e->system.unknowns == 0) ok = error_set(error, "no linear system to write: no step of this run solved one");
  ok = ok && atomic_file_commit(&e->file, error);
  atomic_file_close(&e->file);
  return ok;
}

static bool measure_baseline(Session *session, cJSON *object, Error *error) {
  BaselineReport b;
  const char *absence = simulation_baseline_absence(session->simulation);
  if (absence) {
    printf("  NVIDIA's libraries were not timed: %s\n", absence);
    return true;
  }
  if (!simulation_baseline(session->simulation, &b, error)) return false;
  printf("  one product with this matrix: cuSPARSE in format CSR %.2f us, ", b.csr_us);
  if (b.bsr_us > 0)
    printf("in format BSR %.2f us, ", b.bsr_us);
  else
    printf("no product in format BSR, ");
  printf(
      "Pliant %.2f us; CG by cuSPARSE and cuBLAS %.2f us an iteration (%d iterations); relative difference between the "
      "products of cuSPARSE and of Pliant %.1e\n",
      b.pliant_us, b.cg_us, b.cg_iterations, b.product_difference);
  cJSON *row = cJSON_AddObjectToObject(object, "baseline");
  cJSON_AddNumberToObject(row, "cusparse_csr_us", b.csr_us);
  if (b.bsr_us > 0) cJSON_AddNumberToObject(row, "cusparse_bsr_us", b.bsr_us);
  cJSON_AddNumberToObject(row, "own_us", b.pliant_us);
  cJSON_AddNumberToObject(row, "cg_iteration_us", b.cg_us);
  cJSON_AddNumberToObject(row, "cg_iterations", b.cg_iterations);
  cJSON_AddNumberToObject(row, "product_difference", b.product_difference);
  return true;
}

static void add_system(const SystemReport *s, cJSON *object) {
  printf(
      "first linear system   %lld unknowns, %lld non-zeros; %d iterations to the relative residual %.2g in %.3f ms "
      "(median), %.3f ms (fastest)\n",
      (long long)s->unknowns, (long long)s->nonzeros, s->iterations, s->residual, s->median_ms, s->fastest_ms);
  cJSON *system = cJSON_AddObjectToObject(object, "system");
  cJSON_AddNumberToObject(system, "unknowns", (double)s->unknowns);
  cJSON_AddNumberToObject(system, "nonzeros", (double)s->nonzeros);
  cJSON_AddNumberToObject(system, "iterations", s->iterations);
  cJSON_AddNumberToObject(system, "relative", s->relative);
  cJSON_AddNumberToObject(system, "residual", s->residual);
  cJSON_AddNumberToObject(system, "median_ms", s->median_ms);
  cJSON_AddNumberToObject(system, "fastest_ms", s->fastest_ms);
}

static bool measured(void *context, Session *session, cJSON *object, Error *error) {
  const Extra *e = context;
  if (e->system.unknowns > 0) add_system(&e->system, object);
  return !(e->options->baseline || e->options->bench.sweep) || measure_baseline(session, object, error);
}

static bool check(const CommandInput *input, Error *error) {
  const LabBenchOptions *options = input->options;
  if (options->bench.repeat == 0 && options->baseline)
    return error_set(error, "--repeat is 0, expected 1 or more with --baseline");
  if (options->bench.sweep && options->system[0])
    return error_set(
        error,
        "--sweep runs many combinations of methods, but --system needs a single one; give one of the two options");
  return bench_check(input->scene, &options->bench, error);
}

static bool lab_bench(const CommandInput *input, Error *error) {
  const LabBenchOptions *options = input->options;
  if (options->system[0] && !atomic_file_check(options->system, error)) return false;
  Extra extra = { .options = options };
  const BenchExtra functions = { &extra, begin, recorded, measured };
  return run_bench(input->scene, &options->bench, &functions, error);
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)scene;
  row->options = lab_bench_options();
  *(LabBenchOptions *)options = (LabBenchOptions){ .bench = { .repeat = BENCH_REPEAT } };
}

extern const CommandRow lab_bench_command;
const CommandRow lab_bench_command = {
  .name = "bench",
  .usage = "[OPTION]... [SCENE|MESH]",
  .summary =
      "Runs `pliant bench` on a scene. Its additional options time NVIDIA's libraries on the scene's matrix, and write "
      "the first linear system for other programs.",
  .options_size = sizeof(LabBenchOptions),
  .terms = bench_terms,
  .benchmark = true,
  .default_scene = "scenes/hand.json",
  .prepare = prepare,
  .check = check,
  .run = lab_bench,
};
