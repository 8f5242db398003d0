// The multigrid cycle of the solver "pmg" on the GPU; pmg.c describes the method, and cg.cu has the iterations.
// Coefficients of the smoother S are computed and read on the device, so a cycle and its preparation can be recorded in
// a CUDA graph.
//
// A kernel does the work of several loops over vectors of pmg.c. On the level of all nodes, a cycle is this sequence of
// kernels and products with A, where d is a step of S and z the result of the cycle:
//   begin (r, first step of S)  A d  step  A z  restrict  ... cycle on the corners ...
//   prolong  A z  again (r, first step of S)  A d  step
// For a sum, each thread block writes a partial sum in double; the next kernel adds all of them in a fixed order.
#include <stdlib.h>

#include "base/array.h"
#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/operator/corner_matrix.h"
#include "sim/solver/multigrid/coarse.cuh"
#include "sim/solver/multigrid/corner_space.h"
#include "sim/solver/multigrid/pmg.h"
#include "sim/solver/preconditioner.h"

enum { BLOCK = COARSE_BLOCK, BLOCKS_MAX = 512 };

// Sizes, smoother and vectors of a level (all nodes, or the corners), passed to kernels by value.
typedef struct LevelView {
  // unknowns; unknowns per node; steps of the smoother S; thread blocks of the kernels that write partial sums
  int n, dof, degree, blocks;
  double range;          // S damps errors with eigenvalues of D^-1 A from largest / range to the largest (pmg.h)
  const uint8_t *fixed;  // [n], 1: the unknown is fixed
  const real *diagonal;  // [nodes][dof^2], diagonal blocks of the level's matrix
  real *inverse;         // [n], D^-1, where D has the absolute values of the diagonal of A; 0 for fixed unknowns
  real *z, *r, *d;       // [n]: result z of the cycle; residual; last step d of the smoother S
  real *Az;              // [n], A z, or A d in a step of the smoother S
  // [blocks], partial sums of d.D d in the power iteration: each step reads one array and writes the other
  double *sums[2];
  real *a, *b;  // [degree], coefficients of each step of S: d = a d + b D^-1 r, z += d
} LevelView;

// Lists of corners and nodes for kernels that interpolate or compute P^T A P. Members without a comment are device
// copies of the members of CornerSpace with the same names (corner_space.h).
typedef struct CornerView {
  int nodes, corners;  // numbers of all nodes, and of the corners among them
  const int *node, *start, *child;
  const int (*parent)[2];
  uint8_t *fixed;  // [3 corners], 1: the unknown is fixed
  real *u;  // [3 corners], m, SolverSystem.u at the corners: the state whose tangent is A; the coarse space reads it
  // Only if the operator of all nodes stores its matrix A. neighbour: neighbours of all nodes. row: index of the first
  // neighbour of each node. low_row: index of each corner's first block of P^T A P. target, target_start: copies from
  // CornerSpace. slots, low_slots: positions of the blocks of A and of P^T A P in the arrays of values.
  const int64_t *row, *low_row, *target_start;
  const int *neighbour;
  const uint16_t *target;
  const BlockSlots *slots, *low_slots;
  double (*entries)[9];  // [pairs of neighbouring corners], blocks of P^T A P in double, 3 x 3
} CornerView;

typedef struct PmgLevels {
  // levels of all nodes and of the corners; for linear tets, `corners` has all nodes, and `all` is empty
  LevelView all, corners;
  bool quadratic;      // true: the body has ten-node tets, whose corners form a second level
  const Operator *A;   // matrix of all nodes
  CornerSpace space;   // mesh of the corners, on the host
  CornerMatrix terms;  // lists to compute P^T A P if the operator stores no matrix
  CornerView view;     // lists of corners and nodes, on the device
  Operator low;        // matrix P^T A P of the corners
  CoarseCuda coarse;   // the coarse space, rigid motions of groups of corners
  // [low.n] each. zero: zeros, passed to operator_shift as the shift. diagonal: diagonal of P^T A P. below: the
  // corners' residual
  real *zero, *diagonal, *below;
  void *owned[40];
  int owned_count;
} PmgLevels;

static int blocks_for(int count) {
  return (count - 1) / BLOCK + 1;
}

static void *keep(PmgLevels *d, void *memory) {
  return memory ? d->owned[d->owned_count++] = memory : NULL;
}

static void *buffer(PmgLevels *d, size_t count, size_t size, Error *error) {
  return keep(d, device_alloc(DEVICE_CUDA, count * size, error));
}

static void *clone(PmgLevels *d, const void *host, size_t count, size_t size, Error *error) {
  return keep(d, device_clone(DEVICE_CUDA, host, count * size, error));
}

static bool create_level(PmgLevels *d, LevelView *l, const Operator *A, const uint8_t *fixed, int degree, double range,
                         Error *error) {
  l->n = A->n;
  l->dof = A->space->node_dof;
  l->degree = degree;
  l->range = range;
  l->fixed = fixed;
  l->diagonal = (const real *)A->blocks;
  l->blocks = blocks_for(l->n) < BLOCKS_MAX ? blocks_for(l->n) : BLOCKS_MAX;
  real **vectors[] = { &l->inverse, &l->z, &l->r, &l->d, &l->Az };
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = (real *)buffer(d, (size_t)l->n, sizeof(real), error))) return false;
  for (int k = 0; k < 2; k++)
    if (!(l->sums[k] = (double *)buffer(d, BLOCKS_MAX, sizeof(double), error))) return false;
  l->a = (real *)buffer(d, PMG_DEGREE_CORNERS, sizeof(real), error);
  l->b = (real *)buffer(d, PMG_DEGREE_CORNERS, sizeof(real), error);
  return l->a && l->b;
}

// Copies to the device the lists with which P^T A P, the matrix of the corners, is computed from a stored matrix A. P
// interpolates from the corners of cells to all nodes.
static bool create_targets(PmgLevels *d, const Operator *A, Error *error) {
  CornerView &v = d->view;
  const Adjacency &graph = A->space->graph, &low = d->space.space.graph;
  const size_t nodes = (size_t)v.nodes, corners = (size_t)v.corners;
  const size_t pairs = (size_t)graph.start[nodes], low_pairs = (size_t)low.start[corners];
  const CornerSpace &c = d->space;
  if (!(v.row = (int64_t *)clone(d, graph.start, nodes + 1, sizeof *graph.start, error))) return false;
  if (!(v.neighbour = (int *)clone(d, graph.neighbour, pairs, sizeof *graph.neighbour, error))) return false;
  if (!(v.slots = (BlockSlots *)clone(d, A->slots, pairs, sizeof *A->slots, error))) return false;
  if (!(v.low_row = (int64_t *)clone(d, low.start, corners + 1, sizeof *low.start, error))) return false;
  if (!(v.low_slots = (BlockSlots *)clone(d, d->low.slots, low_pairs, sizeof *d->low.slots, error))) return false;
  if (!(v.target_start = (int64_t *)clone(d, c.target_start, corners + 1, sizeof *c.target_start, error))) return false;
  if (!(v.target = (uint16_t *)clone(d, c.target, (size_t)c.target_start[corners], sizeof *c.target, error)))
    return false;
  v.entries = (double(*)[9])buffer(d, low_pairs, sizeof *v.entries, error);
  return v.entries;
}

static bool create_corners(PmgLevels *d, const Operator *A, Error *error) {
  const Stage *format = stage_find(STAGE_OPERATOR, pmg_matrix(DEVICE_CUDA), DEVICE_CUDA, REAL_PRECISION, NULL);
  const bool stores = operator_stores(A);
  CornerView &v = d->view;
  const CornerSpace &c = d->space;
  if (!corner_space_create(&d->space, A->space, stores, error) ||
      !operator_create(&d->low, (const OperatorMethod *)format, &d->space.space, error))
    return false;
  const size_t corners = (size_t)c.space.node_count, nodes = (size_t)A->space->node_count, n = (size_t)d->low.n;
  v.nodes = (int)nodes;
  v.corners = (int)corners;
  d->zero = (real *)buffer(d, n, sizeof(real), error);
  d->diagonal = (real *)buffer(d, n, sizeof(real), error);
  d->below = (real *)buffer(d, n, sizeof(real), error);
  v.fixed = (uint8_t *)buffer(d, n, sizeof *v.fixed, error);
  v.u = (real *)buffer(d, n, sizeof(real), error);
  v.node = (int *)clone(d, c.node, corners, sizeof *c.node, error);
  v.start = (int *)clone(d, c.start, corners + 1, sizeof *c.start, error);
  v.child = (int *)clone(d, c.child, (size_t)c.start[corners], sizeof *c.child, error);
  v.parent = (int(*)[2])clone(d, c.parent, nodes, sizeof *c.parent, error);
  return d->zero && d->diagonal && d->below && v.fixed && v.u && v.node && v.start && v.child && v.parent &&
         (stores ? create_targets(d, A, error) : corner_matrix_create(&d->terms, &d->space, A->space, &d->low, error));
}

bool REAL_NAME(pmg_cuda_create)(PmgCuda *pmg, const SolverSystem *system, Error *error) {
  const Operator *A = system->A;
  PmgLevels *d = (PmgLevels *)array_new(1, sizeof *d, "solver data", error);
  pmg->levels = d;
  if (!d) return false;
  d->A = A;
  d->quadratic = A->space->shape == CELL_TET10;

  // Create the level of all nodes of a body of quadratic cells.
  if (d->quadratic && (!create_corners(d, A, error) ||
                       !create_level(d, &d->all, A, system->fixed, PMG_DEGREE_ALL, PMG_RANGE_ALL, error)))
    return false;
  const Operator *low = d->quadratic ? &d->low : A;

  // Create the level of the corners (all nodes of a body of linear cells), and the coarse space.
  Aggregates g;
  if (!create_level(d, &d->corners, low, d->quadratic ? d->view.fixed : system->fixed, PMG_DEGREE_CORNERS,
                    PMG_RANGE_CORNERS, error) ||
      !aggregates_create(&g, low, NULL, 0, error))
    return false;
  const bool made = REAL_NAME(coarse_cuda_create)(&d->coarse, &g, low, error);
  aggregates_destroy(&g);
  pmg->z = d->quadratic ? d->all.z : d->corners.z;
  return made;
}

void REAL_NAME(pmg_cuda_destroy)(PmgCuda *pmg) {
  PmgLevels *d = pmg->levels;
  if (!d) return;
  REAL_NAME(coarse_cuda_destroy)(&d->coarse);
  operator_destroy(&d->low);
  corner_matrix_destroy(&d->terms, DEVICE_CUDA);
  corner_space_destroy(&d->space);
  for (int k = 0; k < d->owned_count; k++) device_free(DEVICE_CUDA, d->owned[k]);
  free(d);
  *pmg = PmgCuda{};
}

// Returns the sum of sums [blocks], the partial sums of all thread blocks, with the same bits in every thread.
static __device__ double total(const double *sums, int blocks) {
  __shared__ double all;
  double value = 0;
  for (int k = threadIdx.x; k < blocks; k += BLOCK) value += sums[k];
  value = block_combine<BLOCK, double, add>(value);
  if (threadIdx.x == 0) all = value;
  __syncthreads();
  return all;
}

// Writes the thread block's sum of `value` to sums[blockIdx.x]. A kernel may call this function only once: a second
// call might overwrite `warps` while thread 0 still reads it.
static __device__ void leave_sum(double value, double *sums) {
  __shared__ double warps[BLOCK / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double sum = 0;
  for (int w = 0; w < BLOCK / 32; w++) sum += warps[w];
  sums[blockIdx.x] = sum;
}

// Copies the flags of fixed unknowns and the displacements of the corners from the arrays of all nodes.
static __global__ void __launch_bounds__(BLOCK) inject_kernel(CornerView v, const uint8_t *fixed, const real *u) {
  const int row = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= 3 * v.corners) return;
  const int from = 3 * v.node[row / 3] + row % 3;
  v.fixed[row] = fixed[from];
  v.u[row] = u ? u[from] : (real)0;
}

// Computes P^T A P, the matrix of the corners of cells, from the stored values of A. Adds in the same order as the CPU
// version. A thread computes one of the nine entries, in each block of one corner's row.
static __global__ void __launch_bounds__(BLOCK)
    project_kernel(CornerView c, const uint8_t *__restrict__ fixed, const real *__restrict__ values,
                   const real *__restrict__ blocks, real *__restrict__ low) {
  const int p = (blockIdx.x * BLOCK + threadIdx.x) / 9, v = (blockIdx.x * BLOCK + threadIdx.x) % 9;
  if (p >= c.corners) return;
  const int64_t row = c.low_row[p], count = c.low_row[p + 1] - row;
  double(*sums)[9] = c.entries + row;
  const uint16_t *__restrict__ target = c.target + c.target_start[p];
  for (int64_t k = 0; k < count; k++) sums[k][v] = 0;
  for (int k = c.start[p]; k < c.start[p + 1]; k++) {
    const int a = c.child[k];
    const double weight = a == c.node[p] ? 1 : 0.5;
    for (int64_t pair = c.row[a]; pair < c.row[a + 1]; pair++, target += 2) {
      const int b = c.neighbour[pair];
      const bool corner = c.parent[b][0] == c.parent[b][1];
      const double other = corner ? weight : weight / 2;
      const bool held = fixed[3 * (size_t)a + v / 3] || fixed[3 * (size_t)b + v % 3];
      const double entry = held     ? 0
                           : a == b ? other * (double)blocks[9 * (size_t)a + v]
                                    : other * (double)values[block_slot(c.slots[pair], v / 3, v % 3)];
      sums[target[0]][v] += entry;
      if (!corner) sums[target[1]][v] += entry;
    }
  }
  for (int64_t k = 0; k < count; k++) low[block_slot(c.low_slots[row + k], v / 3, v % 3)] = (real)sums[k][v];
}

static __global__ void __launch_bounds__(BLOCK) invert_kernel(LevelView l) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= l.n) return;
  l.inverse[i] = l.fixed[i]
                     ? (real)0
                     : inverse_of_entry(l.diagonal[((size_t)(i / l.dof) * l.dof + i % l.dof) * l.dof + i % l.dof]);
}

static __global__ void __launch_bounds__(BLOCK) begin_power_kernel(LevelView l) {
  double sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < l.n; i += gridDim.x * BLOCK) {
    const real inverse = l.inverse[i], d = inverse > 0 ? pmg_begin(i) : (real)0;
    l.d[i] = d;
    sum += inverse > 0 ? (double)d * d / inverse : 0;
  }
  leave_sum(sum, l.sums[0]);
}

// Takes a step of the power iteration: d = D^-1 A d / norm of the previous d. l.Az has A d. D is the diagonal of A.
static __global__ void __launch_bounds__(BLOCK) power_kernel(LevelView l, int turn) {
  const double size = sqrt(total(l.sums[turn % 2], l.blocks));
  const real a = size > 0 ? (real)(1 / size) : (real)1;
  double sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < l.n; i += gridDim.x * BLOCK) {
    const real inverse = l.inverse[i], d = a * inverse * l.Az[i];
    l.d[i] = d;
    sum += inverse > 0 ? (double)d * d / inverse : 0;
  }
  leave_sum(sum, l.sums[1 - turn % 2]);
}

// Computes the coefficients of the smoother from the last norm that the power iteration for D^-1 A has given.
static __global__ void __launch_bounds__(BLOCK) steps_kernel(LevelView l, int turns) {
  const double grown = sqrt(total(l.sums[turns % 2], l.blocks));
  if (threadIdx.x == 0) pmg_steps(pmg_largest(grown), l.range, l.degree, l.a, l.b);
}

// Starts the first smoothing of a cycle: sets r to `from`, and takes the first step of the smoother, d = z = b D^-1 r.
// D is the diagonal of A, and b the first coefficient of the smoother.
static __global__ void __launch_bounds__(BLOCK)
    begin_kernel(LevelView l, const real *__restrict__ from, const int *done) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= l.n || (done && *done)) return;
  const real r = from[i], d = l.b[0] * l.inverse[i] * r;
  l.r[i] = r;
  l.d[i] = d;
  l.z[i] = d;
}

// Starts the second smoothing of a cycle: sets r to `from` - A z, with A z in l.Az, and takes the first step of the
// smoother, d = b D^-1 r, z += d. D is the diagonal of A.
static __global__ void __launch_bounds__(BLOCK)
    again_kernel(LevelView l, const real *__restrict__ from, const int *done) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= l.n || (done && *done)) return;
  const real inverse = l.inverse[i], r = inverse > 0 ? from[i] - l.Az[i] : (real)0, d = l.b[0] * inverse * r;
  l.r[i] = r;
  l.d[i] = d;
  l.z[i] += d;
}

// Takes step k > 0 of the smoother: r -= Az, d = a d + b D^-1 r, z += d, where l.Az has A d. D is the diagonal of A.
static __global__ void __launch_bounds__(BLOCK) step_kernel(LevelView l, int k, const int *done) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= l.n || (done && *done)) return;
  const real inverse = l.inverse[i], r = inverse > 0 ? l.r[i] - l.Az[i] : (real)0;
  const real d = l.b[k] * inverse * r + l.a[k] * l.d[i];
  l.r[i] = r;
  l.d[i] = d;
  l.z[i] += d;
}

// Computes the residual r = `from` - A z, with A z in l.Az; 0 at fixed unknowns.
static __global__ void __launch_bounds__(BLOCK)
    leave_kernel(LevelView l, const real *__restrict__ from, const int *done) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= l.n || (done && *done)) return;
  l.r[i] = l.inverse[i] > 0 ? from[i] - l.Az[i] : (real)0;
}

// Restricts the residual r = `from` - A z to the corners: sets `to` to P^T r, where P interpolates from corners to
// nodes. Each corner sums over the nodes that move with it.
static __global__ void __launch_bounds__(BLOCK)
    restrict_kernel(CornerView v, LevelView l, const real *__restrict__ from, real *__restrict__ to, const int *done) {
  const int row = blockIdx.x * BLOCK + threadIdx.x, p = row / 3, i = row % 3;
  if (row >= 3 * v.corners || (done && *done)) return;
  const int own = v.node[p];
  double sum = 0;
  for (int k = v.start[p]; k < v.start[p + 1]; k++) {
    const int a = v.child[k], at = 3 * a + i;
    const real left = l.inverse[at] > 0 ? from[at] - l.Az[at] : (real)0;
    sum += (a == own ? 1.0 : 0.5) * left;
  }
  to[row] = v.fixed[row] ? (real)0 : (real)sum;
}

// Adds P times `from` to l.z, the result of the cycle at all nodes. `from` [3 corners] is the corners' correction.
// P gives each node the mean of its two parent corners.
static __global__ void __launch_bounds__(BLOCK)
    prolong_kernel(CornerView v, LevelView l, const real *__restrict__ from, const int *done) {
  const int row = blockIdx.x * BLOCK + threadIdx.x, a = row / 3, i = row % 3;
  if (row >= l.n || (done && *done) || !(l.inverse[row] > 0)) return;
  l.z[row] += (real)0.5 * (from[3 * v.parent[a][0] + i] + from[3 * v.parent[a][1] + i]);
}

// Adds P y, the correction by rigid motions of groups of nodes, to z. Does nothing if rounding makes r.P y <= 0.
static __global__ void __launch_bounds__(BLOCK) aggregates_kernel(CoarseView c, LevelView l, const int *done) {
  if (done && *done) return;
  if (!(total(c.dots, c.product_blocks) > 0)) return;
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < l.n && l.inverse[i] > 0) l.z[i] += coarse_moved(c, i);
}

// Queues the kernels that compute the inverse diagonal and the coefficients of the smoother of a level.
static bool estimate(const Operator *A, const LevelView &l, Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  invert_kernel<<<blocks_for(l.n), BLOCK, 0, s>>>(l);
  CUDA_TRY(cudaGetLastError());
  begin_power_kernel<<<l.blocks, BLOCK, 0, s>>>(l);
  CUDA_TRY(cudaGetLastError());
  for (int turn = 0; turn < PMG_POWER_TURNS; turn++) {
    if (!operator_apply(A, l.d, l.Az, NULL, stream, error)) return false;
    power_kernel<<<l.blocks, BLOCK, 0, s>>>(l, turn);
    CUDA_TRY(cudaGetLastError());
  }
  steps_kernel<<<1, BLOCK, 0, s>>>(l, PMG_POWER_TURNS);
  CUDA_TRY(cudaGetLastError());
  return true;
}

bool REAL_NAME(pmg_cuda_make)(const PmgCuda *pmg, const SolverSystem *system, Stream stream, Error *error) {
  PmgLevels *d = pmg->levels;
  const CornerView &v = d->view;
  const Operator *A = system->A;
  cudaStream_t s = (cudaStream_t)stream.handle;
  SolverSystem lowest = {};
  lowest.A = d->quadratic ? &d->low : A;
  lowest.fixed = d->corners.fixed;
  lowest.u = d->quadratic ? v.u : system->u;

  // For quadratic cells, compute the matrix of the corners, and the smoother of the level of all nodes.
  if (d->quadratic) {
    inject_kernel<<<blocks_for(3 * v.corners), BLOCK, 0, s>>>(v, system->fixed, (const real *)system->u);
    CUDA_TRY(cudaGetLastError());
    if (operator_stores(A)) {
      project_kernel<<<blocks_for(9 * v.corners), BLOCK, 0, s>>>(v, system->fixed, (const real *)A->values,
                                                                 (const real *)A->blocks, (real *)d->low.values);
      CUDA_TRY(cudaGetLastError());
    } else if (!A->method->project(A, &d->terms, d->low.values, stream, error)) {
      return false;
    }
    if (!operator_shift(&d->low, d->zero, 0, d->diagonal, NULL, stream, error) || !estimate(A, d->all, stream, error))
      return false;
  }

  // Compute the smoother on the corners, and the coarse space.
  return estimate(lowest.A, d->corners, stream, error) && REAL_NAME(coarse_cuda_make)(&d->coarse, &lowest, s, error);
}

// Queues the steps 1, 2, ... of the smoother; another kernel has taken step 0.
static bool smooth(const Operator *A, const LevelView &l, const int *done, Stream stream, Error *error) {
  for (int k = 1; k < l.degree; k++) {
    if (!operator_apply(A, l.d, l.Az, NULL, stream, error)) return false;
    step_kernel<<<blocks_for(l.n), BLOCK, 0, (cudaStream_t)stream.handle>>>(l, k, done);
    CUDA_TRY(cudaGetLastError());
  }
  return true;
}

// Queues the multigrid cycle of level l: computes l.z, an approximation of A^-1 r. r must be zero at fixed unknowns.
static bool cycle(const PmgLevels *d, const LevelView &l, const Operator *A, const real *r, const int *done,
                  Stream stream, Error *error) {
  const CornerView &v = d->view;
  const int blocks = blocks_for(l.n);
  cudaStream_t s = (cudaStream_t)stream.handle;

  // First smoothing, from z = 0.
  begin_kernel<<<blocks, BLOCK, 0, s>>>(l, r, done);
  CUDA_TRY(cudaGetLastError());
  if (!smooth(A, l, done, stream, error) || !operator_apply(A, l.z, l.Az, NULL, stream, error)) return false;

  // Add the correction of the next level.
  if (&l == &d->all) {
    restrict_kernel<<<blocks_for(3 * v.corners), BLOCK, 0, s>>>(v, l, r, d->below, done);
    CUDA_TRY(cudaGetLastError());
    if (!cycle(d, d->corners, &d->low, d->below, done, stream, error)) return false;
    prolong_kernel<<<blocks, BLOCK, 0, s>>>(v, l, d->corners.z, done);
    CUDA_TRY(cudaGetLastError());
  } else if (d->coarse.view.n > 0) {
    leave_kernel<<<blocks, BLOCK, 0, s>>>(l, r, done);
    CUDA_TRY(cudaGetLastError());
    if (!REAL_NAME(coarse_cuda_restrict)(&d->coarse, l.r, s, error) ||
        !REAL_NAME(coarse_cuda_solve)(&d->coarse, done, s, error))
      return false;
    aggregates_kernel<<<blocks, BLOCK, 0, s>>>(d->coarse.view, l, done);
    CUDA_TRY(cudaGetLastError());
  }

  // Smooth z a second time.
  if (!operator_apply(A, l.z, l.Az, NULL, stream, error)) return false;
  again_kernel<<<blocks, BLOCK, 0, s>>>(l, r, done);
  CUDA_TRY(cudaGetLastError());
  return smooth(A, l, done, stream, error);
}

bool REAL_NAME(pmg_cuda_cycle)(const PmgCuda *pmg, const real *r, const int *done, Stream stream, Error *error) {
  const PmgLevels *d = pmg->levels;
  return cycle(d, d->quadratic ? d->all : d->corners, d->A, r, done, stream, error);
}
