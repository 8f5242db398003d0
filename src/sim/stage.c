// Stages: the list and its chooser. See stage.h.
#include "sim/element/stage.h"

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "sim/assembly/assembly.h"
#include "sim/dynamics/motion.h"
#include "sim/element/element_row.h"
#include "sim/field/nodal_field.h"
#include "sim/field/stress_search.h"
#include "sim/operator/operator.h"
#include "sim/solver/solver.h"

enum { STAGES_MAX = 4096 };

// rows of both precisions by their common name
#define DECLARE(type, row) extern const type row##_f32, row##_f64;
#define FORMAT(row) DECLARE(OperatorMethod, row)
#define SOLVER(row) DECLARE(SolverMethod, row)
#define BODY(row) DECLARE(MotionMethod, row)
#define FIELD(row) DECLARE(FieldOperations, row)
#include "sim/stages.def"
#undef FORMAT
#undef SOLVER
#undef BODY
#undef FIELD

#define LIST(row) &row##_f32.stage, &row##_f64.stage,
#define FORMAT LIST
#define SOLVER LIST
#define BODY LIST
#define FIELD LIST
static const Stage *const rows_of_all[] = {
#include "sim/stages.def"
  NULL
};

// Weak: an element that this build leaves out (-Delements) has no array.
#define ELEMENT(shape, material, features)                                                   \
  extern const Stage *const element_rows_##shape##_##material##_f32[] __attribute__((weak)); \
  extern const Stage *const element_rows_##shape##_##material##_f64[] __attribute__((weak));
#include "sim/element/elements.def"
#undef ELEMENT

#define ELEMENT(shape, material, features) \
  element_rows_##shape##_##material##_f32, element_rows_##shape##_##material##_f64,
static const Stage *const *const element_lists[] = {
#include "sim/element/elements.def"
};

static const Stage *stages[STAGES_MAX];
static int stage_count;
static pthread_once_t begun = PTHREAD_ONCE_INIT;

static void append(const Stage *const *rows) {
  for (; rows && *rows; rows++) {
    assert(stage_count < STAGES_MAX - 1);  // NULL ends the list
    stages[stage_count++] = *rows;
  }
}

static void begin(void) {
  append(rows_of_all);
  for (size_t k = 0; k < sizeof element_lists / sizeof *element_lists; k++) append(element_lists[k]);
}

const Stage *const *stage_list(void) {
  pthread_once(&begun, begin);
  return stages;
}

void stage_add(const Stage *const *rows) {
  pthread_once(&begun, begin);
  append(rows);
}

const char *precision_name(Precision precision) {
  return precision == PRECISION_F64 ? "double" : "float";
}

size_t precision_size(Precision precision) {
  return precision == PRECISION_F32 ? sizeof(float) : sizeof(double);
}

const char *stage_kind_name(StageKind kind) {
  static const char *const names[STAGE_KINDS] = {
    "material", "assembly", "matrix", "solver", "body", "field", "solver"
  };
  return names[kind];
}

StageBytes stage_takes(const Stage *stage, double bytes) {
  StageBytes taken = { 0 };
  taken.on[stage->device] = bytes;
  return taken;
}

static void add_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written, int loops) {
  StageTraffic *traffic = &bytes->work[work];
  traffic->read += read;
  traffic->written += written;
  if (stage->device == DEVICE_CPU)
    traffic->launches += loops;
  else if (work == WORK_PRODUCT || work == WORK_ITERATION)
    traffic->nodes++;  // a solve is a graph
  else
    traffic->launches++;
}

void stage_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written) {
  add_pass(stage, bytes, work, read, written, 1);
}

void stage_light_pass(const Stage *stage, StageBytes *bytes, StageWork work, double read, double written) {
  add_pass(stage, bytes, work, read, written, 0);
}

bool stage_is_named(const Stage *stage, const char *name) {
  return strcmp(stage->name, name) == 0;
}

void stage_matrices(const Stage *stage, const char *names[2]) {
  if (stage->kind == STAGE_SOLVER || stage->kind == STAGE_STEADY_SOLVER)
    names[0] = ((const SolverMethod *)stage)->matrix, names[1] = ((const SolverMethod *)stage)->other_matrix;
  else
    names[0] = ((const AssemblyMethod *)stage)->matrix, names[1] = ((const AssemblyMethod *)stage)->other_matrix;
}

bool stage_fits(const Stage *stage, const Stage *matrix) {
  const char *names[2];
  const bool solves = stage->kind == STAGE_SOLVER || stage->kind == STAGE_STEADY_SOLVER;
  const Precondition by = solves ? ((const SolverMethod *)stage)->precondition : PRECONDITION_NONE;
  const bool reads_values = by == PRECONDITION_COARSE || by == PRECONDITION_LEVELS || by == PRECONDITION_SSOR;
  const OperatorMethod *format = (const OperatorMethod *)matrix;
  const bool instead =
      (by == PRECONDITION_SSOR && format->cell_entry) || (by == PRECONDITION_LEVELS && format->project);
  if (reads_values && format->linearise && !instead) return false;
  stage_matrices(stage, names);
  return !names[0] || stage_is_named(matrix, names[0]) || (names[1] && stage_is_named(matrix, names[1]));
}

const Stage *stage_next(const Stage *after, StageKind kind, Device device, Precision precision, const char *element) {
  const Stage *const *list = stage_list();
  while (after && *list++ != after) continue;
  for (; *list; list++) {
    const Stage *s = *list;
    if (s->kind == kind && s->device == device && s->precision == precision &&
        (!s->element || !element || strcmp(s->element, element) == 0))
      return s;
  }
  return NULL;
}

const Stage *stage_find(StageKind kind, const char *name, Device device, Precision precision, const char *element) {
  const bool named = name && name[0];
  const Stage *first = stage_next(NULL, kind, device, precision, element);
  for (const Stage *s = first; s; s = stage_next(s, kind, device, precision, element))
    if (named ? stage_is_named(s, name) : s->preferred) return s;
  return named ? NULL : first;
}

const Stage *stage_matrix_of(const Stage *stage) {
  const char *names[2];
  stage_matrices(stage, names);
  return stage_find(STAGE_OPERATOR, names[0], stage->device, stage->precision, stage->element);
}

const Stage *stage_choose(StageKind kind, const char *name, Device device, Precision precision, const char *element,
                          Error *error) {
  const Stage *found = stage_find(kind, name, device, precision, element);
  if (found) return found;
  char known[400] = "";
  for (const Stage *s = NULL; (s = stage_next(s, kind, device, precision, element));) {
    const size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", s->name);
  }
  error_set(error, "%s \"%s\" does not exist on device %s; there is: %s", stage_kind_name(kind), name,
            device_name(device), known);
  return NULL;
}
