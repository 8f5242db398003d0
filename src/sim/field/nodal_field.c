// Nodal fields on the CPU: see nodal_field.h.
#include "sim/field/nodal_field.h"

#include <math.h>

#include "base/real.h"
#include "sim/field/tet_value.h"

static bool run(const NodalField *field, const Midpoint *m, FieldKind kind, double mu, double lambda, float *out,
                Stream stream, Error *error) {
  (void)stream, (void)error;
  const real *u = m->u0, *S = m->supplemental, *stiffness = m->stiffness;
  real(*value)[2] = field->tet;
#pragma omp parallel for schedule(static)
  for (int e = 0; e < m->tet_count; e++) {
    const real factor = stiffness ? stiffness[e] : 1;
    tet_value(kind, m->tet + 4 * e, u, S + (size_t)e * ELEMENT_SUPPLEMENTAL, factor * (real)mu, factor * (real)lambda,
              value[e]);
  }
#pragma omp parallel for schedule(static)
  for (int a = 0; a < m->node_count; a++) {
    real sum = 0, volume = 0;
    for (int k = field->start[a]; k < field->start[a + 1]; k++) {
      sum += value[field->around[k]][0];
      volume += value[field->around[k]][1];
    }
    out[m->user_node[a]] = volume > 0 ? (float)(sum / volume) : 0;
  }
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
