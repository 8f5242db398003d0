// `pliant verify`: compares results of the program with analytic solutions. See run_verify.h.
#include "app/run_verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/timer.h"
#include "scene/json_file.h"
#include "verify/verify.h"

#define AT(field) OPTION_AT(VerifyOptions, field)
const Option verify_options[] = {
  { "case", OPTION_INTEGER, AT(only), OPTION_FROM_TO(0, 99),
    .help = "run only the case with this number; 0: all cases" },
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write all results as JSON" },
  { 0 },
};

static cJSON *curve_json(const Curve *curve) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "name", curve->name);
  json_put(object, "x", cJSON_CreateDoubleArray(curve->x, curve->count));
  json_put(object, "y", cJSON_CreateDoubleArray(curve->y, curve->count));
  return object;
}

// Adds a number to a JSON object; null replaces NaN and infinity, which JSON cannot represent.
static void add_number(cJSON *object, const char *key, double value) {
  json_put(object, key, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

static cJSON *case_json(int number, const VerifyCase *c, const CaseReport *report, double seconds) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "number", number);
  cJSON_AddStringToObject(object, "name", c->name);
  cJSON_AddStringToObject(object, "summary", c->summary);
  cJSON_AddStringToObject(object, "x", c->x);
  cJSON_AddStringToObject(object, "y", c->y);
  cJSON_AddNumberToObject(object, "seconds", seconds);
  cJSON *checks = cJSON_AddArrayToObject(object, "checks");
  cJSON *curves = cJSON_AddArrayToObject(object, "curves");
  for (int k = 0; k < report->check_count; k++) {
    const Check *check = &report->checks[k];
    cJSON *row = cJSON_CreateObject();
    cJSON_AddStringToObject(row, "what", check->what);
    cJSON_AddStringToObject(row, "unit", check->unit);
    add_number(row, "reference", check->reference);
    add_number(row, "result", check->result);
    add_number(row, "error", check->error);
    add_number(row, "bound", check->bound);
    cJSON_AddStringToObject(row, "verdict", check_word(check));
    cJSON_AddBoolToObject(row, "passed", check->passed);
    json_append(checks, row);
  }

  for (int k = 0; k < report->curve_count; k++) json_append(curves, curve_json(&report->curves[k]));
  return object;
}

static void print_checks(const CaseReport *report) {
  for (int k = 0; k < report->check_count; k++) {
    const Check *c = &report->checks[k];
    printf("    %-58s %13.7g %13.7g %-8s %9.2e %9.1e  %s\n", c->what, c->reference, c->result, c->unit, c->error,
           c->bound, check_word(c));
  }
  fflush(stdout);
}

// Fails if --case or --mass has a value that the cases do not support. all [case_count] are the cases.
static bool check_options(const VerifyOptions *options, const Scene *scene, const VerifyCase *all, int case_count,
                          Error *error) {
  if (options->only > case_count)
    return error_set(error, "--case is %d, expected 0 to %d; 0 runs all", options->only, case_count);
  const VerifyCase *single = options->only ? &all[options->only - 1] : NULL;
  if (single && single->lumped && scene->simulation.mass != MASS_LUMPED)
    return error_set(error, "--mass has no effect together with --case %d, which always has lumped masses",
                     options->only);
  return true;
}

// Returns an object for the results of all cases, with the device and the methods.
static cJSON *methods_json(const SimulationSettings *stages) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "device", device_name(stages->device));
  cJSON_AddStringToObject(root, "model", device_model(stages->device));
  cJSON_AddStringToObject(root, "precision", precision_name(stages->precision));
  cJSON_AddNumberToObject(root, "degree", stages->degree);
  cJSON_AddStringToObject(root, "assembly", stages->assembly[0] ? stages->assembly : "default");
  cJSON_AddStringToObject(root, "matrix", stages->matrix[0] ? stages->matrix : "default");
  cJSON_AddStringToObject(root, "solver", stages->solver[0] ? stages->solver : "default");
  return root;
}

// Prints the device and the titles of the columns of print_checks.
static void print_heading(const SimulationSettings *stages) {
  printf("on %s (%s), in %s%s\n    %-58s %13s %13s %-8s %9s %9s\n", device_name(stages->device),
         device_model(stages->device), precision_name(stages->precision),
         stages->degree == 1   ? ""
         : stages->degree == 2 ? ", with elements of degree 2"
                               : ", with elements of degree 3",
         "", "reference", "result", "", "error", "bound");
}

// Runs a case, prints its results and appends them to the JSON array `cases`. report: buffer, which receives the
// results. number: the number of the case, from 1. Fails if the case cannot run.
static bool run_case(int number, const VerifyCase *c, const SimulationSettings *stages, CaseReport *report,
                     cJSON *cases, Error *error) {
  const double start = timer_seconds();
  *report = (CaseReport){ 0 };
  printf("%2d  %s\n", number, c->summary);
  fflush(stdout);

  SimulationSettings of_case = *stages;
  if (c->lumped) of_case.mass = MASS_LUMPED;
  const bool ok = c->run(&of_case, report, error) || error_prefix(error, "case %d (%s)", number, c->name);

  print_checks(report);
  json_append(cases, case_json(number, c, report, timer_seconds() - start));
  return ok;
}

// Numbers of results of all cases.
typedef struct Tally {
  int checked, failed;
  int beyond;  // results that the precision is too low to decide
} Tally;

static void count_checks(const CaseReport *report, Tally *tally) {
  for (int k = 0; k < report->check_count; k++) {
    const Check *check = &report->checks[k];
    tally->checked++;
    tally->beyond += check->beyond;
    tally->failed += !check->passed && !check->beyond;
  }
}

bool run_verify(Scene *scene, const VerifyOptions *options, const VerifyCase *all, Error *error) {
  int case_count = 0;
  while (all[case_count].name) case_count++;
  if (!check_options(options, scene, all, case_count, error)) return false;
  if (!scene_choose_device(scene, error)) return false;
  if (options->json[0] && !atomic_file_check(options->json, error)) return false;

  // run the cases
  const SimulationSettings *stages = &scene->simulation;
  CaseReport *report = array_new(1, sizeof *report, "report", error);
  if (!report) return false;
  cJSON *root = methods_json(stages);
  cJSON *cases = cJSON_AddArrayToObject(root, "cases");
  Tally tally = { 0 };
  bool ok = true;
  print_heading(stages);
  for (int k = 0; ok && k < case_count; k++) {
    if (options->only && options->only != k + 1) continue;
    ok = run_case(k + 1, &all[k], stages, report, cases, error);
    count_checks(report, &tally);
  }

  free(report);

  // write and print the numbers of results
  cJSON_AddNumberToObject(root, "checked", tally.checked);
  cJSON_AddNumberToObject(root, "failed", tally.failed);
  cJSON_AddNumberToObject(root, "beyond", tally.beyond);
  if (ok) printf("results within their bounds: %d of %d\n", tally.checked - tally.failed - tally.beyond, tally.checked);
  if (ok && tally.beyond)
    printf("results that precision %s cannot resolve: %d\n", precision_name(stages->precision), tally.beyond);
  ok = ok && (!options->json[0] || write_json_file(options->json, root, error));
  cJSON_Delete(root);
  return ok && (tally.failed == 0 ||
                error_set(error, "errors above the bounds in %d of %d results", tally.failed, tally.checked));
}

void verify_prepare(CommandRow *row, void *options, Scene *scene) {
  (void)row, (void)options;
  scene_defaults(scene);
  scene->simulation.precision = PRECISION_F64;
}

static bool run(const CommandInput *input, Error *error) {
  return run_verify(input->scene, input->options, verify_cases, error);
}

extern const CommandRow verify_command;
const CommandRow verify_command = {
  .name = "verify",
  .usage = "[OPTION]...",
  .summary =
      "Solves problems with known solutions (cases). For each computed quantity, prints the known value (reference), "
      "the result, the error, and the allowed error (bound).",
  .options = verify_options,
  .options_size = sizeof(VerifyOptions),
  .takes = TAKES_STAGES,
  .prepare = verify_prepare,
  .run = run,
};
