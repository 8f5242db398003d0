// Operator "matrixfree" on the GPU (CUDA version of matrixfree.c). In the first kernel, a thread computes the matrix of
// a cell and multiplies it by the x of the cell's nodes. The result is the vector of the cell. In the second kernel, a
// thread computes one unknown of y: the thread sums the entries of the vectors of its node's cells, in the order of the
// cells and without atomics.
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/element/element.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/operator/partial/cell_layout.h"

namespace matrixfree_operator {

// CELLS: cells per thread block. BLOCK: entries of a node's diagonal block.
enum { CELLS = 64, BLOCK = ELEMENT_NODE_DOF * ELEMENT_NODE_DOF };

// Computes A_e, the matrix of cell e at the stored displacements. Only its upper triangle is stored, row by row.
static __device__ __forceinline__ void evaluate(const CellLayout &l, int e, real A_e[ELEMENT_MATRIX]) {
  const real *__restrict__ nodal = (const real *)l.state;
  const real *__restrict__ supplemental = (const real *)l.supplemental + (size_t)e * ELEMENT_SUPPLEMENTAL;
  const ElementParameters parameters = *(const ElementParameters *)l.parameters;
  real data[ELEMENT_NODES * ELEMENT_NODE_DATA], S[ELEMENT_SUPPLEMENTAL_CAPACITY], F_e[ELEMENT_DOF];
#pragma unroll
  for (int a = 0; a < ELEMENT_NODES; a++) {
    const size_t at = (size_t)l.cell[(size_t)e * ELEMENT_NODES + a] * ELEMENT_NODE_DATA;
#pragma unroll
    for (int i = 0; i < ELEMENT_NODE_DATA; i++) data[a * ELEMENT_NODE_DATA + i] = nodal[at + i];
  }
#pragma unroll
  for (int k = 0; k < ELEMENT_SUPPLEMENTAL; k++) S[k] = supplemental[k];
  element_evaluate(data, S, &parameters, F_e, A_e);
}

// Writes the products A_e x_e, one thread per cell. A_e is the matrix of cell e, and x_e the x of its nodes. Entry
// `row` of the product of cell e is vectors[row * cell_count + e].
static __global__ void __launch_bounds__(CELLS) multiply_kernel(CellLayout l, const real *__restrict__ x) {
  const int e = blockIdx.x * CELLS + threadIdx.x;
  if (e >= l.cell_count) return;
  real A_e[ELEMENT_MATRIX], x_e[ELEMENT_DOF], *vectors = (real *)l.vectors;
  evaluate(l, e, A_e);
#pragma unroll
  for (int a = 0; a < ELEMENT_NODES; a++) {
    const size_t at = (size_t)l.cell[(size_t)e * ELEMENT_NODES + a] * ELEMENT_NODE_DOF;
#pragma unroll
    for (int i = 0; i < ELEMENT_NODE_DOF; i++) x_e[a * ELEMENT_NODE_DOF + i] = x[at + i];
  }
#pragma unroll
  for (int row = 0; row < ELEMENT_DOF; row++) {
    real sum = 0;
#pragma unroll
    for (int column = 0; column < ELEMENT_DOF; column++)
      sum += A_e[symmetric_index(ELEMENT_DOF, row, column)] * x_e[column];
    vectors[(size_t)row * l.cell_count + e] = sum;
  }
}

// Computes y [n], one thread per unknown: the shift (a matrix per node) times x [n], plus the entries of the cells'
// vectors. A cell's vector is the matrix of the cell times the x of its nodes. dots gets a partial sum of x.y per
// thread block, or is NULL.
static __global__ void __launch_bounds__(APPLY_BLOCK)
    gather_kernel(int n, CellLayout l, const real *__restrict__ x, real *__restrict__ y, double *__restrict__ dots) {
  const int row = blockIdx.x * APPLY_BLOCK + threadIdx.x, a = row / ELEMENT_NODE_DOF, i = row % ELEMENT_NODE_DOF;
  const real *__restrict__ shift = (const real *)l.shift, *__restrict__ vectors = (const real *)l.vectors;
  double dot = 0;
  if (row < n) {
    const real own = x[row];
    real sum = shift[row] * own;
    for (int k = 0; k < ELEMENT_NODE_DOF; k++)
      if (k != i) sum += shift[(size_t)n + 3 * (size_t)a + i + k - 1] * x[row + k - i];
    for (int64_t c = l.start[a]; c < l.start[a + 1]; c++) {
      const int e = l.corner[c] / ELEMENT_NODES, local = l.corner[c] % ELEMENT_NODES;
      sum += vectors[(size_t)(local * ELEMENT_NODE_DOF + i) * l.cell_count + e];
    }
    y[row] = sum;
    dot = (double)own * sum;
  }
  apply_dot(dot, dots);
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const CellLayout *l = (const CellLayout *)A->layout;
  cudaStream_t s = (cudaStream_t)stream.handle;
  multiply_kernel<<<(l->cell_count - 1) / CELLS + 1, CELLS, 0, s>>>(*l, (const real *)x);
  CUDA_TRY(cudaGetLastError());
  gather_kernel<<<A->dot_count, APPLY_BLOCK, 0, s>>>(A->n, *l, (const real *)x, (real *)y, dots);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Copies the element's parameters to device memory, where the kernels of a product read them. The parameters are not
// arguments of these kernels, because a CUDA graph stores the arguments of its kernels, and would continue to use old
// parameters.
static __global__ void set_parameters_kernel(ElementParameters parameters, ElementParameters *to) {
  *to = parameters;
}

// Computes the diagonal blocks of A, one thread per node, without the shift (inertia, damping, springs), which
// operator_shift adds to them later.
static __global__ void __launch_bounds__(CELLS) block_kernel(CellLayout l, real *__restrict__ blocks) {
  const int a = blockIdx.x * CELLS + threadIdx.x;
  if (a >= l.node_count) return;
  real block[BLOCK] = {}, A_e[ELEMENT_MATRIX];
  for (int64_t c = l.start[a]; c < l.start[a + 1]; c++) {
    const int row = l.corner[c] % ELEMENT_NODES * ELEMENT_NODE_DOF;
    evaluate(l, l.corner[c] / ELEMENT_NODES, A_e);
#pragma unroll
    for (int i = 0; i < ELEMENT_NODE_DOF; i++)
#pragma unroll
      for (int k = 0; k < ELEMENT_NODE_DOF; k++)
        block[i * ELEMENT_NODE_DOF + k] += A_e[symmetric_index(ELEMENT_DOF, row + i, row + k)];
  }
#pragma unroll
  for (int v = 0; v < BLOCK; v++) blocks[(size_t)a * BLOCK + v] = block[v];
}

static bool linearise(Operator *A, const AssemblyParameters *p, const void *nodal, Stream stream, Error *error) {
  const CellLayout *l = (const CellLayout *)A->layout;
  cudaStream_t s = (cudaStream_t)stream.handle;
  const size_t nodes = (size_t)l->node_count;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  set_parameters_kernel<<<1, 1, 0, s>>>(parameters, (ElementParameters *)l->parameters);
  CUDA_TRY(cudaGetLastError());
  if (!device_copy(stream, l->state, nodal, sizeof(real) * ELEMENT_NODE_DATA * nodes, error) ||
      !device_zero(stream, l->shift, sizeof(real) * ((size_t)A->n + 3 * nodes), error))
    return false;
  block_kernel<<<(l->node_count - 1) / CELLS + 1, CELLS, 0, s>>>(*l, (real *)A->blocks);
  CUDA_TRY(cudaGetLastError());
  return true;
}

// Adds given numbers, called the shift, to the diagonal blocks of A: shift [n] to their diagonals, and cross
// [nodes][crosses] to their other entries. Both l.shift, which products read, and `blocks` are changed. Then writes the
// diagonal of A to diagonal [n], unless it is NULL. Does nothing if `wanted` is not NULL and *wanted is 0.
static __global__ void __launch_bounds__(APPLY_BLOCK)
    shift_kernel(int n, CellLayout l, const real *__restrict__ shift, const real *__restrict__ cross, int crosses,
                 real *__restrict__ blocks, real *__restrict__ diagonal, const int *wanted) {
  if (wanted && !*wanted) return;
  const int row = blockIdx.x * APPLY_BLOCK + threadIdx.x, a = row / ELEMENT_NODE_DOF, i = row % ELEMENT_NODE_DOF;
  if (row >= n) return;
  real *kept = (real *)l.shift, *block = blocks + (size_t)a * BLOCK;
  kept[row] += shift[row];
  block[i * ELEMENT_NODE_DOF + i] += shift[row];
  if (diagonal) diagonal[row] = block[i * ELEMENT_NODE_DOF + i];
  for (int k = 0; k < ELEMENT_NODE_DOF; k++) {
    if (k == i || i + k > crosses) continue;
    const real value = cross[(size_t)crosses * a + i + k - 1];
    if (i < k) kept[(size_t)n + 3 * (size_t)a + i + k - 1] += value;
    block[i * ELEMENT_NODE_DOF + k] += value;
  }
}

static bool shift_diagonal(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted,
                           Stream stream, Error *error) {
  shift_kernel<<<(A->n - 1) / APPLY_BLOCK + 1, APPLY_BLOCK, 0, (cudaStream_t)stream.handle>>>(
      A->n, *(const CellLayout *)A->layout, (const real *)shift, (const real *)shift + A->n, crosses, (real *)A->blocks,
      (real *)diagonal, wanted);
  CUDA_TRY(cudaGetLastError());
  return true;
}

extern "C" {
extern const OperatorMethod ELEMENT_ROW(matrixfree_cpu), ELEMENT_ROW(matrixfree_cuda);
}

static bool create(Operator *A, Error *error) {
  return ELEMENT_ROW(matrixfree_cpu).create(A, error);
}

static int count_dots(const Operator *A) {
  return (A->n - 1) / APPLY_BLOCK + 1;
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  return ELEMENT_ROW(matrixfree_cpu).stage.bytes(stage, size);
}

extern "C" const OperatorMethod ELEMENT_ROW(matrixfree_cuda) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "matrixfree",
             .summary = "matrix-free: each product evaluates all cells",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = cell_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
  .linearise = linearise,
  .shift = shift_diagonal,
};

}  // namespace matrixfree_operator
