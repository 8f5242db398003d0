// Nodal fields on the CPU: see nodal_field.h.
#include "sim/field/nodal_field.h"

#include <math.h>

#include "base/parallel.h"
#include "base/real.h"
#include "sim/field/tet_value.h"

enum { CHUNK = 1024 };

typedef struct Task {
  const NodalField *field;
  const Midpoint *m;
  FieldKind kind;
  real mu, lambda;
  float *out;
} Task;

static void tets_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const Midpoint *m = t->m;
  const real *u = m->u0, *S = m->supplemental, *stiffness = m->stiffness;
  real(*value)[2] = t->field->tet;
  for (int e = first; e < last; e++) {
    const real factor = stiffness ? stiffness[e] : 1;
    tet_value(t->kind, m->tet + 4 * e, u, S + (size_t)e * ELEMENT_SUPPLEMENTAL, factor * t->mu, factor * t->lambda,
              value[e]);
  }
}

static void nodes_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const NodalField *field = t->field;
  real(*value)[2] = field->tet;
  for (int a = first; a < last; a++) {
    real sum = 0, volume = 0;
    for (int k = field->start[a]; k < field->start[a + 1]; k++) {
      sum += value[field->around[k]][0];
      volume += value[field->around[k]][1];
    }
    t->out[t->m->user_node[a]] = volume > 0 ? (float)(sum / volume) : 0;
  }
}

static bool run(const NodalField *field, const Midpoint *m, FieldKind kind, double mu, double lambda, float *out,
                Stream stream, Error *error) {
  (void)stream, (void)error;
  const Task task = { field, m, kind, (real)mu, (real)lambda, out };
  parallel_for(m->tet_count, CHUNK, tets_chunk, &task);
  parallel_for(m->node_count, CHUNK, nodes_chunk, &task);
  float low = INFINITY, high = -INFINITY, *extra = out + m->node_count;
  double sum = 0, squares = 0;
  for (int a = 0; a < m->node_count; a++) {
    low = fminf(low, out[a]), high = fmaxf(high, out[a]);
    sum += out[a], squares += (double)out[a] * out[a];
  }
  field_extra(low, high, sum, squares, m->node_count, extra);
  return true;
}

extern const FieldOperations REAL_NAME(field_cpu);
const FieldOperations REAL_NAME(field_cpu) = { DEVICE_CPU, REAL_PRECISION, run };
