// Finds cells whose stress exceeds a bound, on the CPU (stress_search.h).
#include "sim/field/stress_search.h"

#include "base/parallel.h"
#include "sim/element/cell_stress.h"
#include "sim/element/cell_value.h"

enum { CHUNK = 256 };

typedef struct Task {
  const StressSearch *search;
  const Space *space;
  const int *cell;
  FieldKind measure;
  double bound;
  ElementParameters parameters;
} Task;

static void search_cells(const void *task, int first, int last) {
  const Task *t = task;
  for (int e = first; e < last; e++) {
    real S[ELEMENT_SUPPLEMENTAL], nodal[ELEMENT_DOF], sigma[6];
    element_supplemental(t->space, e, S);
    gather_cell(t->cell, &t->search->u[0][0], e, nodal);
    cell_stress(nodal, S, &t->parameters, sigma);
    const real own = t->measure == FIELD_VON_MISES ? von_mises_stress(sigma) : largest_principal_stress(sigma);
    t->search->beyond[e] = own > t->bound;
  }
}

static bool find(const StressSearch *search, const Space *space, const int *cell, FieldKind measure, double bound,
                 const double *material, Stream stream, Error *error) {
  (void)stream, (void)error;
  const Task task = { search, space, cell, measure, bound, element_parameters(material, 1, 1) };
  int found = 0;
  parallel_for(space->cell_count, CHUNK, search_cells, &task);
  for (int e = 0; e < space->cell_count; e++) found += search->beyond[e];
  *search->found = found;
  return true;
}

extern const StressSearchMethod ELEMENT_ROW(stress_search_cpu);
const StressSearchMethod ELEMENT_ROW(stress_search_cpu) = {
  .stage = { .kind = STAGE_FIELD,
             .name = "stress_search",
             .summary = "finds the cells whose stress exceeds a limit",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION },
  .supplemental = ELEMENT_SUPPLEMENTAL,
  .find = find,
};
