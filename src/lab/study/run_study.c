// The command `pliant-lab study NAME`: repeats the measurements of a paper on this machine.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command_line.h"
#include "base/array.h"
#include "base/atomic_file.h"
#include "base/log.h"
#include "base/timer.h"
#include "lab/study/study.h"
#include "scene/json_file.h"

// Options of the command, as the user gave them.
typedef struct StudyOptions {
  int table, figure, section;  // number of a table, figure or section in the paper; 0: all
  int device;                  // 0: auto, 1: cpu, 2: cuda
  int precision;               // 0: auto, the precision of the paper's measurements; 1: float; 2: double
  int tets;                    // number of tets of the largest mesh; 0: as many as the time limit allows
  int dof;                     // number of unknowns of the largest system; 0: as many as the time limit allows
  int seconds;                 // time limit, s, if none of tets, dof and mesh is given
  int memory_budget;           // MB of GPU memory for groups of cells; 0: as much as the GPU of the paper had
  int degree;                  // polynomial degree of the elements; 0: all degrees of the study
  int repeat;                  // number of timed runs; 0: depends on study and device
  char mesh[1024];             // mesh file that replaces the meshes that the study generates; empty: none
  char json[1024];             // file for the results as JSON; empty: none
} StudyOptions;

#define AT(field) OPTION_AT(StudyOptions, field)
static const Option study_options[] = {
  { "table", OPTION_INTEGER, AT(table), OPTION_FROM_TO(0, 99),
    .help = "number of the paper's table to repeat; 0: all tables" },
  { "figure", OPTION_INTEGER, AT(figure), OPTION_FROM_TO(0, 99),
    .help = "number of the paper's figure to repeat; 0: all figures" },
  { "section", OPTION_INTEGER, AT(section), OPTION_FROM_TO(0, 99),
    .help = "number of the paper's section to repeat, for statements without a table or figure; 0: all sections" },
  { "device", OPTION_CHOICE, AT(device), .choices = "auto|cpu|cuda",
    .help = "device that is measured; auto: the GPU if there is one" },
  { "precision", OPTION_CHOICE, AT(precision), .choices = "auto|float|double",
    .help = "floating-point precision; auto: as in the paper" },
  { "tets", OPTION_INTEGER, AT(tets), OPTION_FROM_TO(0, 100000000),
    .help = "number of tets in the largest mesh, for the study mueller-roemer; 0: as many as --seconds allows" },
  { "dof", OPTION_INTEGER, AT(dof), OPTION_FROM_TO(0, 1000000000),
    .help = "number of unknowns of the largest system, for the other studies; 0: as many as --seconds allows" },
  { "seconds", OPTION_INTEGER, AT(seconds), OPTION_FROM_TO(1, 86400), .unit = "s",
    .help = "time limit if neither --tets nor --dof is given; the checks of the study always run" },
  { "memory-budget", OPTION_INTEGER, AT(memory_budget), OPTION_FROM_TO(0, 1000000), .unit = "MB",
    .help = "largest GPU memory for groups of cells, for the study ramirez; 0: memory of the GPU in the paper" },
  { "degree", OPTION_INTEGER, AT(degree), OPTION_FROM_TO(0, 4),
    .help = "polynomial degree of the elements, for the study reguly; 0: all degrees from 1 to 4" },
  { "repeat", OPTION_INTEGER, AT(repeat), OPTION_FROM_TO(0, 1000),
    .help = "number of timed runs for the median; 0: depends on study and device" },
  { "mesh", OPTION_TEXT, AT(mesh), .unit = "FILE", .input_file = true,
    .help = "mesh file to use instead of the generated meshes" },
  { "json", OPTION_TEXT, AT(json), .unit = "FILE", .help = "write tables and checks as JSON" },
  { 0 },
};

static void print_number(double value) {
  if (isnan(value))
    printf(" %16s", "-");
  else if (fabs(value) >= 1e5 || value == round(value))
    printf(" %16.0f", value);
  else
    printf(" %16.4g", value);
}

static void print_report(const StudyReport *report) {
  for (int k = 0; k < report->table_count; k++) {
    const StudyTable *t = &report->tables[k];
    printf("\n%s\n%-38s", t->title, "");
    for (int c = 0; c < t->column_count; c++) printf(" %16s", t->column[c]);
    printf("\n");
    for (int r = 0; r < t->row_count; r++) {
      printf("%-38s", t->rows[r].label);
      for (int c = 0; c < t->column_count; c++) print_number(t->rows[r].value[c]);
      printf("\n");
    }
  }
  printf("\n");
  for (int k = 0; k < report->check_count; k++) {
    const StudyCheck *c = &report->checks[k];
    printf("%s  %s: %.3g, at most %.3g\n", c->passed ? "pass" : "FAIL", c->what, c->result, c->bound);
  }
}

// Converts a number to JSON. JSON has no NaN and no infinity, so these become null.
static cJSON *number_json(double value) {
  return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

static void add_report(cJSON *root, const StudyReport *report) {
  cJSON *tables = cJSON_AddArrayToObject(root, "tables"), *checks = cJSON_AddArrayToObject(root, "checks");
  for (int k = 0; k < report->table_count; k++) {
    const StudyTable *t = &report->tables[k];
    cJSON *table = cJSON_CreateObject();
    cJSON_AddStringToObject(table, "title", t->title);
    cJSON *columns = cJSON_AddArrayToObject(table, "columns"), *rows = cJSON_AddArrayToObject(table, "rows");
    for (int c = 0; c < t->column_count; c++) json_append(columns, cJSON_CreateString(t->column[c]));
    for (int r = 0; r < t->row_count; r++) {
      cJSON *row = cJSON_CreateObject();
      cJSON_AddStringToObject(row, "label", t->rows[r].label);
      cJSON *values = cJSON_AddArrayToObject(row, "values");
      for (int c = 0; c < t->column_count; c++) json_append(values, number_json(t->rows[r].value[c]));
      json_append(rows, row);
    }
    json_append(tables, table);
  }

  for (int k = 0; k < report->check_count; k++) {
    const StudyCheck *c = &report->checks[k];
    cJSON *check = cJSON_CreateObject();
    cJSON_AddStringToObject(check, "what", c->what);
    json_put(check, "result", number_json(c->result));
    json_put(check, "bound", number_json(c->bound));
    cJSON_AddBoolToObject(check, "passed", c->passed);
    json_append(checks, check);
  }
}

static void report_progress(void *context, const char *sentence) {
  (void)context;
  printf("%s\n", sentence);
  fflush(stdout);
}

static bool choose_device(const StudyOptions *options, Device *device, Error *error) {
  enum { AUTO, CPU, CUDA };
  *device =
      options->device == CUDA || (options->device == AUTO && device_present(DEVICE_CUDA)) ? DEVICE_CUDA : DEVICE_CPU;
  if (!device_present(*device))
    return error_set(error, "device cuda cannot be used: %s; use --device cpu", device_absence());
  if (options->device == AUTO && *device == DEVICE_CPU) log_notice("the study runs on the CPU: %s", device_absence());
  return true;
}

static bool run_study(const CommandInput *input, Error *error) {
  const StudyOptions *options = input->options;
  const char *name = input->paths[0];
  const Study *study = study_find(name, error);
  TetMesh mesh = { 0 };
  StudyRequest request = { .table = options->table,
                           .figure = options->figure,
                           .section = options->section,
                           .tets = options->tets,
                           .dof = options->dof,
                           .budget = 1e6 * options->memory_budget,
                           .degree = options->degree,
                           .repeat = options->repeat,
                           .mesh = options->mesh[0] ? &mesh : NULL,
                           .progress = report_progress };

  // Keep 15 % of the time in reserve: a large mesh may take longer than the times for smaller meshes predict.
  if (!options->tets && !options->dof && !options->mesh[0]) request.until = timer_seconds() + 0.85 * options->seconds;
  enum { AUTO, FLOAT };
  if (study)
    request.precision = options->precision == AUTO    ? study->precision
                        : options->precision == FLOAT ? PRECISION_F32
                                                      : PRECISION_F64;
  if (options->mesh[0] && options->tets) return error_set(error, "give --mesh or --tets, not both");
  if (!study) return false;
  if (!study_allows(study, &request, error)) return false;
  if (!choose_device(options, &request.device, error)) return false;
  if (options->json[0] && !atomic_file_check(options->json, error)) return false;
  if (options->mesh[0] && !mesh_read(options->mesh, 1, &mesh, error)) return false;
  StudyReport *report = array_new(1, sizeof *report, "report", error);
  bool ok = report && (!mesh.hex || error_set(error, "%s: the mesh has hexahedra, and study %s needs tets",
                                              options->mesh, study->name));
  if (ok)
    printf("%s\non %s (%s), in %s\n", study->summary, device_name(request.device), device_model(request.device),
           precision_name(request.precision));
  ok = ok && study->run(&request, report, error);
  int failed = 0;
  if (ok) print_report(report);
  for (int k = 0; ok && k < report->check_count; k++) failed += !report->checks[k].passed;
  if (ok && options->json[0]) {
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "study", study->name);
    cJSON_AddStringToObject(root, "device", device_name(request.device));
    cJSON_AddStringToObject(root, "model", device_model(request.device));
    cJSON_AddStringToObject(root, "precision", precision_name(request.precision));
    add_report(root, report);
    ok = write_json_file(options->json, root, error);
    cJSON_Delete(root);
  }

  const int checked = report ? report->check_count : 0;
  if (report) study_report_destroy(report);
  free(report);
  mesh_destroy(&mesh);
  return ok &&
         (failed == 0 || error_set(error, "checks that failed: %d of %d; FAIL marks them above", failed, checked));
}

static void prepare(CommandRow *row, void *options, Scene *scene) {
  (void)scene;
  static char names[200], summary[400];
  snprintf(summary, sizeof summary,
           "Repeats the measurements of a published paper on this machine. Prints the paper's numbers next to the "
           "measured ones, and checks statements of the paper. NAME is one of %s.",
           study_names(names));
  row->summary = summary;
  *(StudyOptions *)options = (StudyOptions){ .seconds = 60 };
}

extern const CommandRow study_command;
const CommandRow study_command = {
  .name = "study",
  .usage = "NAME [OPTION]...",
  .options = study_options,
  .options_size = sizeof(StudyOptions),
  .takes = TAKES_PATHS,
  .path_count = 1,
  .prepare = prepare,
  .run = run_study,
};
