// Operator `partial` on the GPU, the twin of partial.c. A product is two kernels: batches of cells, a thread a point,
// leave a value for each slot (cell_batches.h); then a thread adds up an unknown. Bound by memory: of a neo-Hookean
// cell of ten nodes 40 numbers of its points and the 10 of S(e) are read, and 20 bytes of each of the two lists.
#include "sim/operator/partial.cuh"

namespace partial_operator {

// the cells' vectors A_e x_e, by slots
static __global__ void __launch_bounds__(BATCH_THREADS) multiply_kernel(PartialLayout l, const real *__restrict__ x) {
  __shared__ BatchRoom room;
  const int q = threadIdx.x % SHAPE_POINTS;
  const ElementParameters parameters = *(const ElementParameters *)l.parameters;
  const real *__restrict__ points = points_of(l);
  real x_e[ELEMENT_DOF], y_e[ELEMENT_DOF], S[ELEMENT_SUPPLEMENTAL], kept[POINT_REALS];
#pragma unroll
  for (int k = 0; k < POINT_REALS; k++) kept[k] = points[k * BATCH_THREADS];
  load_supplemental((const real *)l.supplemental, S);
  load_batch(l.batches, x, &room);
  gather_nodes(&room, has_cell(&room), x_e);
  MaterialPoint point;
  memcpy(&point, kept, sizeof point);
  point_share(S, &parameters, q, &point, x_e, y_e);
  add_up_slots<3>(l.batches, &room, y_e, (real *)l.partial);
}

// x and y [n], dots [blocks] or NULL
static __global__ void __launch_bounds__(APPLY_BLOCK)
    gather_kernel(int n, PartialLayout l, const real *__restrict__ x, real *__restrict__ y, double *__restrict__ dots) {
  const int row = blockIdx.x * APPLY_BLOCK + threadIdx.x, a = row / 3, i = row % 3;
  const real *__restrict__ shift = (const real *)l.shift;
  double dot = 0;
  if (row < n) {
    const real own = x[row];
    real sum = shift[row] * own;
    for (int k = 0; k < 3; k++)
      if (k != i) sum += shift[(size_t)n + 3 * (size_t)a + i + k - 1] * x[row + k - i];
    sum += add_up_node<3>(l.batches, (const real *)l.partial, a, i);
    y[row] = sum;
    dot = (double)own * sum;
  }
  apply_dot(dot, dots);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const PartialLayout *l = (const PartialLayout *)A->layout;
  cudaStream_t s = (cudaStream_t)stream.handle;
  multiply_kernel<<<l->batches.batch_count, BATCH_THREADS, 0, s>>>(*l, (const real *)x);
  CUDA_TRY(cudaGetLastError());
  gather_kernel<<<A->dot_count, APPLY_BLOCK, 0, s>>>(A->n, *l, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool linearise(Operator *A, const AssemblyParameters *p, const void *nodal, Stream stream, Error *error) {
  const PartialLayout *l = (const PartialLayout *)A->layout;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  state_kernel<true, false><<<l->batches.batch_count, BATCH_THREADS, 0, (cudaStream_t)stream.handle>>>(
      *l, (const real *)nodal, parameters, NULL);
  CUDA_TRY(cudaGetLastError());
  return device_zero(stream, l->shift, sizeof(real) * ((size_t)A->n + 3 * (size_t)l->batches.node_count), error);
}

static bool shift_own(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted, Stream stream,
                      Error *error) {
  node_kernel<false, false, true><<<(A->n - 1) / NODE_BLOCK + 1, NODE_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->n, *(const PartialLayout *)A->layout, NULL, (const real *)shift, crosses, (real *)A->blocks, (real *)diagonal,
      wanted);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool create(Operator *A, Error *error) {
  PartialLayout *l = (PartialLayout *)array_new(1, sizeof *l, "operator layout", error);
  A->layout = l;
  A->dot_count = (A->n - 1) / APPLY_BLOCK + 1;
  if (!l || !partial_create(l, A->space, error)) return false;
  const size_t cells = (size_t)l->batches.batch_count * CELLS, nodes = (size_t)A->space->node_count;
  l->points = device_alloc(DEVICE_CUDA, sizeof(real) * CELL_POINT_REALS * cells, error);
  l->own = device_alloc(DEVICE_CUDA, sizeof(real) * OWN_REALS * (size_t)l->batches.slot_count, error);
  l->parameters = device_alloc(DEVICE_CUDA, sizeof(ElementParameters), error);
  l->shift = device_alloc(DEVICE_CUDA, sizeof(real) * ((size_t)A->n + 3 * nodes), error);
  return l->points && l->own && l->parameters && l->shift;
}

static void destroy_layout(Operator *A) {
  partial_destroy((PartialLayout *)A->layout);
  free(A->layout);
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double T = size->cells, V = size->nodes, slots = cell_batches_slots(T, ELEMENT_NODES);
  const double points = T * CELL_POINT_REALS * sizeof(real), S = T * ELEMENT_SUPPLEMENTAL * sizeof(real);
  const double vector = 3 * V * sizeof(real), shift = 6 * V * sizeof(real), lists = T * 4 * ELEMENT_NODES;
  const double batches = cell_batches_bytes(T, V, ELEMENT_NODES) + S + 3 * slots * sizeof(real);
  const double own = slots * OWN_REALS * sizeof(real) + 3 * vector;
  StageBytes taken = stage_takes(stage, batches + points + own + shift);
  taken.on[DEVICE_CPU] = T * (28 + 6 * ELEMENT_NODES) + 10 * slots;  // while it is made
  stage_pass(stage, &taken, WORK_PRODUCT, points + S + lists + vector, 0);
  stage_pass(stage, &taken, WORK_PRODUCT, vector + shift, vector);
  taken.work[WORK_PRODUCT].flops = T * SHAPE_POINTS * (36.0 * ELEMENT_NODES + 130);
  // in the kernels of assembly `partial`, which reads the cells for the vector
  taken.work[WORK_ASSEMBLY].written += points;
  taken.work[WORK_SHIFT].read += vector;
  taken.work[WORK_SHIFT].written += shift + 4 * vector;
  return taken;
}

extern "C" {
extern const OperatorMethod ELEMENT_ROW(partial_cuda);
const OperatorMethod ELEMENT_ROW(partial_cuda) = {
  { STAGE_OPERATOR, "partial", "no matrix: products from what is kept of each cell's points", ELEMENT_LABEL,
    DEVICE_CUDA, REAL_PRECISION, ELEMENT_NODES > 4, bytes },
  false,
  create,
  destroy_layout,
  apply,
  linearise,
  shift_own,
};
}

}  // namespace partial_operator
