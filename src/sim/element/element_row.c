// Functions of an element on the CPU: loops over all cells, and functions for single cells (element_row.h). S(e) are
// the constants that the element stores for a cell e at rest.
#include "sim/element/element_row.h"

#include <math.h>

#include "base/parallel.h"
#include "sim/element/cell_stress.h"
#include "sim/element/cell_value.h"
#include "sim/element/element.h"

// Numbers of cells that a thread processes at a time: CHUNK in the loops `smallest_J` and `energy`, which write one
// result for each chunk, and FIELD_CHUNK in the loop `field`.
enum { CHUNK = 2048, FIELD_CHUNK = 1024 };

// Arguments of the loops over cells; each loop uses some of them. part [parts]: results of smallest_J and energy, one
// for each CHUNK cells. value [cells][2]: results of `field`.
typedef struct Task {
  const ElementCells *cells;
  const real *nodal;
  ElementParameters parameters;
  FieldKind kind;
  double *part;
  real (*value)[2];
} Task;

static int parts(int cell_count) {
  return (cell_count + CHUNK - 1) / CHUNK;
}

// Returns S(e), the constants of cell e.
static const real *supplemental_of(const Task *t, int e) {
  return (const real *)t->cells->supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL;
}

// Returns `low` or J, two values of det F, whichever is smaller. Returns -infinity if J is NaN.
static double smaller_J(double low, double J) {
  return J >= low ? low : J == J ? J : -INFINITY;
}

static void smallest_J_chunk(const void *task, int first, int last) {
  const Task *t = task;
  double low = INFINITY;
  for (int e = first; e < last; e++) {
    real nodal[ELEMENT_DOF];
    gather_cell(t->cells->cell, t->nodal, e, nodal);
    low = smaller_J(low, element_smallest_J(nodal, supplemental_of(t, e)));
  }
  t->part[first / CHUNK] = low;
}

static bool smallest_J(const ElementCells *cells, const void *nodal, double *smallest, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(cells->count, CHUNK, smallest_J_chunk, &(Task){ .cells = cells, .nodal = nodal, .part = smallest });
  return true;
}

static void energy_chunk(const void *task, int first, int last) {
  const Task *t = task;
  double sum = 0;
  for (int e = first; e < last; e++) {
    real nodal[ELEMENT_DOF];
    gather_cell(t->cells->cell, t->nodal, e, nodal);
    sum += element_energy(nodal, supplemental_of(t, e), &t->parameters);
  }
  t->part[first / CHUNK] = sum;
}

static bool energy(const ElementCells *cells, const void *nodal, const double *material, double *sum, Stream stream,
                   Error *error) {
  (void)stream, (void)error;
  const Task task = { .cells = cells, .nodal = nodal, .parameters = element_parameters(material, 1, 1), .part = sum };
  parallel_for(cells->count, CHUNK, energy_chunk, &task);
  return true;
}

static void field_chunk(const void *task, int first, int last) {
  const Task *t = task;
  for (int e = first; e < last; e++) {
    real nodal[ELEMENT_DOF];
    gather_cell(t->cells->cell, t->nodal, e, nodal);
    cell_value(t->kind, nodal, supplemental_of(t, e), &t->parameters, t->value[e]);
  }
}

static bool field(const ElementCells *cells, const void *nodal, FieldKind kind, const double *material, void *value,
                  Stream stream, Error *error) {
  (void)stream, (void)error;
  const Task task = {
    .cells = cells, .nodal = nodal, .parameters = element_parameters(material, 1, 1), .kind = kind, .value = value
  };
  parallel_for(cells->count, FIELD_CHUNK, field_chunk, &task);
  return true;
}

// Arguments of supplemental_chunk, a parallel loop that computes S(e), the constants of each cell.
typedef struct SupplementalTask {
  const Space *space;
  real *S;
} SupplementalTask;

static void supplemental_chunk(const void *task, int first, int last) {
  const SupplementalTask *t = task;
  for (int e = first; e < last; e++) element_supplemental(t->space, e, t->S + (size_t)e * ELEMENT_SUPPLEMENTAL);
}

static void supplementals(const Space *space, void *S) {
  parallel_for(space->cell_count, CHUNK, supplemental_chunk, &(SupplementalTask){ space, S });
}

// Computes the input of functions of a single cell e: its constants S, and its nodal data, from the displacements u
// [node_count][3], m.
static void gather_one_cell(const Space *space, const double (*u)[3], int e, real S[ELEMENT_SUPPLEMENTAL],
                            real nodal[ELEMENT_DOF]) {
  element_supplemental(space, e, S);
  for (int a = 0; a < ELEMENT_NODES; a++) {
    const int node = space_cell(space, e)[a];
    for (int i = 0; i < 3; i++) nodal[3 * a + i] = (real)(u[node][i] + (SHAPE_POSITIONS ? space->X[node][i] : 0));
  }
}

static double stress_at(const Space *space, const double (*u)[3], int e, const double *material, const double part[4],
                        double sigma[6]) {
  const ElementParameters parameters = element_parameters(material, 1, 1);
  const real where[4] = { (real)part[0], (real)part[1], (real)part[2], (real)part[3] };
  real S[ELEMENT_SUPPLEMENTAL], nodal[ELEMENT_DOF], s[6];
  gather_one_cell(space, u, e, S, nodal);
  const double J = element_stress_at(nodal, S, &parameters, where, s);
  for (int k = 0; k < 6; k++) sigma[k] = s[k];
  return J;
}

static double stress(const Space *space, const double (*u)[3], int e, const double *material, double sigma[6]) {
  const ElementParameters parameters = element_parameters(material, 1, 1);
  real S[ELEMENT_SUPPLEMENTAL], nodal[ELEMENT_DOF], s[6];
  gather_one_cell(space, u, e, S, nodal);
  const double J = cell_stress(nodal, S, &parameters, s);
  for (int k = 0; k < 6; k++) sigma[k] = s[k];
  return J;
}

static double evaluate(const Space *space, const void *nodal, int e, const double *material, void *F, void *A) {
  const ElementParameters parameters = element_parameters(material, 1, 1);
  real S[ELEMENT_SUPPLEMENTAL];
  element_supplemental(space, e, S);
  return element_evaluate(nodal, S, &parameters, F, A);
}

static double cell_energy(const Space *space, const void *nodal, int e, const double *material) {
  const ElementParameters parameters = element_parameters(material, 1, 1);
  real S[ELEMENT_SUPPLEMENTAL];
  element_supplemental(space, e, S);
  return element_energy(nodal, S, &parameters);
}

extern const ElementRow ELEMENT_ROW(element_cpu);
const ElementRow ELEMENT_ROW(element_cpu) = {
  .stage = { .kind = STAGE_ELEMENT,
             .name = ELEMENT_TEXT(MATERIAL_NAME),
             .summary = MATERIAL_SUMMARY,
             .element = ELEMENT_TEXT(SHAPE_NAME),
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION },
  .element = ELEMENT_LABEL,
  .nodes = ELEMENT_NODES,
  .supplemental = ELEMENT_SUPPLEMENTAL,
  .positions = SHAPE_POSITIONS,
  .parts = parts,
  .smallest_J = smallest_J,
  .energy = energy,
  .field = field,
  .supplementals = supplementals,
#ifdef MATERIAL_SOFTENS
  .softens = MATERIAL_SOFTENS,
#endif
  .check = material_check,
  .stress = stress,
  .stress_at = stress_at,
  .evaluate = evaluate,
  .cell_energy = cell_energy,
};
