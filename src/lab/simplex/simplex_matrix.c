// Builds the stiffness matrix of linear elasticity over a tet mesh in timed steps: see simplex_matrix.h.
#include "lab/simplex/simplex_matrix.h"

#include <stdlib.h>

#include "base/array.h"
#include "lab/simplex/bernstein.h"
#include "lab/simplex/simplex_nodes.h"

const char *const summation_names[] = { "persimplex", "perentry", "inline" };
const char *const build_step_names[] = { "topology",         "count",     "bin offsets",
                                         "reserve matrix",   "columns",   "reserve elements",
                                         "element matrices", "entry map", "summation" };

extern const SummationOperations summation_cpu_f32, summation_cpu_f64;
#ifdef PLIANT_CUDA
extern const SummationOperations summation_cuda_f32, summation_cuda_f64;
#endif
static const SummationOperations *const summation_operations[] = {
  &summation_cpu_f32,
  &summation_cpu_f64,
#ifdef PLIANT_CUDA
  &summation_cuda_f32,
  &summation_cuda_f64,
#endif
};

static const SummationOperations *operations(const SimplexMatrix *A) {
  int k = 0;
  while (summation_operations[k]->device != A->topology->memory.stream.device ||
         summation_operations[k]->precision != A->build.precision)
    k++;
  return summation_operations[k];
}

static int pairs_of(const SimplexTopology *t) {
  const int nodes = simplex_cell_nodes(t->degree);
  return nodes * (nodes + 1) / 2;
}

static void *new_reals(const SimplexMatrix *A, int64_t count, Error *error) {
  const SimplexMemory *memory = &A->topology->memory;
  return device_alloc_raw(memory->stream, (size_t)count * precision_size(A->build.precision), memory->pooled, error);
}

// Computes the weights of the Bernstein-Bezier form (bernstein_weights) in double, and copies them to the device of the
// matrix in its precision.
static bool put_weights(SimplexMatrix *A, Error *error) {
  const int count = 16 * pairs_of(A->topology);
  const Device device = A->topology->memory.stream.device;
  double *weight = array_new(count, sizeof *weight, "weights", error);
  float *rounded = array_new(count, sizeof *rounded, "weights", error);
  if (weight && rounded) {
    bernstein_weights(A->topology->degree, weight);
    for (int k = 0; k < count; k++) rounded[k] = (float)weight[k];
    A->weight = A->build.precision == PRECISION_F32
                    ? device_clone(device, rounded, sizeof *rounded * (size_t)count, error)
                    : device_clone(device, weight, sizeof *weight * (size_t)count, error);
  }
  free(weight);
  free(rounded);
  return A->weight;
}

static bool zero_values(const SimplexMatrix *A, Error *error) {
  return device_zero(A->topology->memory.stream, A->values, (size_t)A->value_count * precision_size(A->build.precision),
                     error);
}

static bool reserve_matrix(SimplexMatrix *A, Error *error) {
  SimplexPattern *m = &A->pattern;
  const int64_t slots = simplex_slots(m) * 9;
  A->value_count = slots + (m->diagonal_apart ? 9 * (int64_t)m->rows : 0);
  A->values = new_reals(A, A->value_count, error);
  if (m->diagonal_apart && A->values)
    A->diagonal_blocks = (char *)A->values + (size_t)slots * precision_size(A->build.precision);
  return A->values && simplex_pattern_reserve(m, A->topology, error) && zero_values(A, error);
}

static bool reserve_elements(SimplexMatrix *A, Error *error) {
  if (A->build.summation == SUM_INLINE) return true;
  return (A->records = new_reals(A, A->topology->tet_count * (int64_t)pairs_of(A->topology) * 9, error));
}

static bool make_elements(SimplexMatrix *A, Error *error) {
  return !A->records || operations(A)->elements(A, error);
}

static bool take_step(SimplexMatrix *A, SimplexTopology *t, BuildStep step, Error *error) {
  switch (step) {
    case BUILD_TOPOLOGY:
      return simplex_topology_find(t, error);
    case BUILD_COUNT:
      return simplex_pattern_count(&A->pattern, t, A->build.format, error);
    case BUILD_OFFSETS:
      return simplex_pattern_offsets(&A->pattern, t, error);
    case BUILD_RESERVE_MATRIX:
      return reserve_matrix(A, error);
    case BUILD_COLUMNS:
      return simplex_pattern_columns(&A->pattern, t, error);
    case BUILD_RESERVE_ELEMENTS:
      return reserve_elements(A, error);
    case BUILD_ELEMENTS:
      return make_elements(A, error);
    case BUILD_MAP:
      return A->build.summation != SUM_PERENTRY || simplex_entry_map(&A->map, &A->pattern, t, error);
    case BUILD_SUM:
      return operations(A)->sum(A, error);
    case BUILD_STEPS:
      break;
  }
  return true;
}

// Runs the steps that build a matrix (BuildStep), from step number `first` on, and stores the time of each in
// A->elapsed_ms. If `only_sum` is true, runs only BUILD_ELEMENTS and BUILD_SUM; `t` may then be NULL.
static bool take_steps(SimplexMatrix *A, SimplexTopology *t, int first, bool only_sum, Error *error) {
  const Stream stream = A->topology->memory.stream;
  Event mark[BUILD_STEPS + 1] = { { 0 } };
  bool ok = true;
  for (int k = first; ok && k <= BUILD_STEPS; k++) ok = event_create(stream.device, &mark[k], error);
  ok = ok && event_record(&mark[first], stream, error);
  for (int k = first; ok && k < BUILD_STEPS; k++) {
    const bool wanted = !only_sum || k == BUILD_ELEMENTS || k == BUILD_SUM;
    ok = (!wanted || take_step(A, t, (BuildStep)k, error)) && event_record(&mark[k + 1], stream, error);
  }
  ok = ok && stream_sync(stream, error);
  for (int k = first; ok && k < BUILD_STEPS; k++)
    if (!only_sum || k == BUILD_ELEMENTS || k == BUILD_SUM)
      ok = event_elapsed(&mark[k], &mark[k + 1], &A->elapsed_ms[k], error);
  for (int k = first; k <= BUILD_STEPS; k++) event_destroy(&mark[k]);
  return ok;
}

bool simplex_matrix_build(SimplexMatrix *A, SimplexTopology *topology, const SimplexBuild *build, Error *error) {
  *A = (SimplexMatrix){ .build = *build, .topology = topology };
  simplex_topology_clear(topology);
  if (put_weights(A, error) && take_steps(A, topology, 0, false, error)) return true;
  simplex_matrix_destroy(A);
  return false;
}

bool simplex_matrix_sum(SimplexMatrix *A, Error *error) {
  return zero_values(A, error) && take_steps(A, NULL, BUILD_ELEMENTS, true, error);
}

// Lists the nodes of the changed tets, each once, in node [count * nodes of a tet]. Returns their number.
static int changed_nodes(const SimplexTopology *t, const int *changed, int count, uint8_t *listed, int *node) {
  const int nodes = simplex_cell_nodes(t->degree);
  int found = 0;
  for (int k = 0; k < count; k++)
    for (int local = 0; local < nodes; local++) {
      const int a = simplex_cell_node(t->degree, t, changed[k], local);
      if (!listed[a]) node[found++] = a;
      listed[a] = 1;
    }
  return found;
}

bool simplex_matrix_update(SimplexMatrix *A, const uint8_t *absent, const int *changed, int count, Error *error) {
  const SimplexTopology *t = A->topology;
  if (!operations(A)->update || A->build.summation == SUM_PERENTRY || A->pattern.sorted)
    return error_set(error,
                     "the matrix in format %s by the method %s on device %s has no local updates; build it again",
                     A->build.format, summation_names[A->build.summation], device_name(t->memory.stream.device));
  uint8_t *listed = array_new(A->pattern.rows, sizeof *listed, "nodes", error);
  int *node = array_capacity(count * (int64_t)simplex_cell_nodes(t->degree), sizeof *node, "nodes", error);
  const bool ok =
      listed && node && operations(A)->update(A, absent, node, changed_nodes(t, changed, count, listed, node), error);
  free(listed);
  free(node);
  return ok;
}

void simplex_matrix_destroy(SimplexMatrix *A) {
  if (A->topology) {
    const Device device = A->topology->memory.stream.device;
    simplex_pattern_destroy(&A->pattern, device);
    simplex_entry_map_destroy(&A->map, device);
    device_free(device, A->weight);
    device_free(device, A->records);
    device_free(device, A->values);
  }
  *A = (SimplexMatrix){ 0 };
}

double simplex_matrix_bytes(const SimplexMatrix *A) {
  const SimplexPattern *m = &A->pattern;
  const double bins = (double)(m->rows / m->bin) + 1;
  return (double)A->value_count * (double)precision_size(A->build.precision) +
         4.0 * ((double)simplex_slots(m) + m->rows * (m->sorted ? 2.0 : 1.0) + bins);
}

double simplex_summation_bytes(const SimplexMatrix *A) {
  double bytes = 0;
  if (A->records)
    bytes += 9.0 * pairs_of(A->topology) * A->topology->tet_count * (double)precision_size(A->build.precision);
  if (A->map.source)
    bytes += 4.0 * ((double)simplex_slots(&A->pattern) + (double)simplex_source_count(&A->pattern, A->topology));
  return bytes;
}

bool simplex_operator_open(Operator *op, Space *space, const SimplexMatrix *A, Error *error) {
  const Device device = A->topology->memory.stream.device;
  *op = (Operator){ 0 };
  *space = (Space){ .node_dof = 3, .node_count = A->pattern.rows, .owned_count = A->pattern.rows };
  const Stage *stage = stage_choose(STAGE_OPERATOR, A->build.format, device, A->build.precision, NULL, error);
  if (!stage) return false;
  if (A->value_count > INT32_MAX)
    return error_set(error, "the mesh is too large: the matrix has %lld values, the limit is %d; use a coarser mesh",
                     (long long)A->value_count, INT32_MAX);
  BlockLayout *layout = array_new(1, sizeof *layout, "matrix layout", error);
  if (!layout) return false;
  *layout = A->pattern.layout;
  *op = (Operator){ .method = (const OperatorMethod *)stage,
                    .space = space,
                    .n = 3 * A->pattern.rows,
                    .value_count = A->value_count,
                    .values = A->values,
                    .blocks = A->diagonal_blocks,
                    .diagonal_last = A->pattern.diagonal_apart,
                    .layout = layout };
  op->dot_count = op->method->count_dots(op);
  layout->counter = device_alloc(device, 2 * sizeof *layout->counter, error);  // two counters, for binbcsr.cu
  if (!layout->counter) simplex_operator_close(op);
  return op->layout;
}

void simplex_operator_close(Operator *op) {
  BlockLayout *layout = op->layout;
  if (layout) device_free(op->method->stage.device, layout->counter);
  free(layout);
  *op = (Operator){ 0 };
}
