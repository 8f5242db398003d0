// Stages: the list and its chooser. See stage.h.
#include "sim/element/stage.h"

#include <stdio.h>
#include <string.h>

#include "sim/assembly/assembly.h"
#include "sim/dynamics/motion.h"
#include "sim/element/element_row.h"
#include "sim/field/nodal_field.h"
#include "sim/field/stress_search.h"
#include "sim/operator/operator.h"
#include "sim/solver/solver.h"
#include "sim/stage_rows.h"

#define DECLARE_ELEMENT(row) extern const ElementRow row;
#define DECLARE_ASSEMBLY(row) extern const AssemblyMethod row;
#define DECLARE_OPERATOR(row) extern const OperatorMethod row;
#define DECLARE_SOLVER(row) extern const SolverMethod row;
#define DECLARE_STEADY_SOLVER(row) extern const SolverMethod row;
#define DECLARE_BODY(row) extern const MotionMethod row;
#define DECLARE_FIELD(row) extern const FieldOperations row;
#define DECLARE_SEARCH(row) extern const StressSearchMethod row;
ELEMENT_ROWS(DECLARE_ELEMENT)
ASSEMBLY_ROWS(DECLARE_ASSEMBLY)
OPERATOR_ROWS(DECLARE_OPERATOR)
SOLVER_ROWS(DECLARE_SOLVER)
BODY_ROWS(DECLARE_BODY)
FIELD_ROWS(DECLARE_FIELD)
SEARCH_ROWS(DECLARE_SEARCH)
STEADY_SOLVER_ROWS(DECLARE_STEADY_SOLVER)

#define LIST(row) &row.stage,
// clang-format off
const Stage *const stage_list[] = {
  ELEMENT_ROWS(LIST) ASSEMBLY_ROWS(LIST) OPERATOR_ROWS(LIST) SOLVER_ROWS(LIST)
  BODY_ROWS(LIST) FIELD_ROWS(LIST) SEARCH_ROWS(LIST) STEADY_SOLVER_ROWS(LIST) NULL
};
// clang-format on

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
  int k = 0;
  while (after && stage_list[k++] != after) continue;
  for (; stage_list[k]; k++) {
    const Stage *s = stage_list[k];
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
