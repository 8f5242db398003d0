// Computes fields for display, with one value per node, on the CPU (nodal_field.h).
#include "sim/field/nodal_field.h"

#include <math.h>

#include "base/parallel.h"
#include "sim/dynamics/integrator.h"
#include "sim/field/field_extra.h"

enum { CHUNK = 1024 };

typedef struct Task {
  const NodalField *field;
  const Body *body;
  float *out;
} Task;

static void nodes_chunk(const void *task, int first, int last) {
  const Task *t = task;
  const NodalField *field = t->field;
  const real(*value)[2] = field->cell;
  for (int a = first; a < last; a++) {
    real sum = 0, volume = 0;
    for (int64_t k = field->start[a]; k < field->start[a + 1]; k++) {
      sum += value[field->around[k]][0];
      volume += value[field->around[k]][1];
    }
    t->out[t->body->user_node[a]] = volume > 0 ? (float)(sum / volume) : 0;
  }
}

static bool run(const NodalField *field, const Motion *m, FieldKind kind, const double *material, float *out,
                Stream stream, Error *error) {
  const int count = m->body.node_count;
  const Task task = { field, &m->body, out };
  if (!m->element->field(&m->cells, m->body.u, kind, material, field->cell, stream, error)) return false;
  parallel_for(count, CHUNK, nodes_chunk, &task);
  float low = INFINITY, high = -INFINITY;
  double sum = 0, squares = 0;
  for (int a = 0; a < count; a++) {
    low = fminf(low, out[a]);
    high = fmaxf(high, out[a]);
    sum += out[a];
    squares += (double)out[a] * out[a];
  }
  field_extra(low, high, sum, squares, count, out + count);
  return true;
}

typedef struct Widening {
  const Body *body;
  double (*u)[3];
} Widening;

static void widen_chunk(const void *widening, int first, int last) {
  const Widening *w = widening;
  for (int i = 3 * first; i < 3 * last; i++) w->u[i / 3][i % 3] = w->body->u[i] + w->body->origin[i % 3];
}

static bool state(const Motion *m, double (*u)[3], const int **cell, Stream stream, Error *error) {
  (void)stream, (void)error;
  *cell = m->cells.cell;
  parallel_for(m->body.node_count, CHUNK, widen_chunk, &(Widening){ &m->body, u });
  return true;
}

extern const FieldOperations REAL_NAME(nodal_field_cpu);
const FieldOperations REAL_NAME(nodal_field_cpu) = {
  .stage = { .kind = STAGE_FIELD,
             .name = "field",
             .summary = "computes nodal values, which the window draws as colours",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .preferred = true },
  .run = run,
  .state = state,
};
