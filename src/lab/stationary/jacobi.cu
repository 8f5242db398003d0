// Solvers for A x = b by relaxation on the GPU, with one thread per node; the CUDA version of jacobi.c. A sweep solves
// each equation i once, for the unknown x_i; sweeps are repeated until the residual is small.
//
// The solver gs launches a kernel for each colour of nodes; nodes of one colour share no cell. In the solver gs_async,
// each thread relaxes its node SWEEPS times per launch without synchronisation (paper 003, section 5: "1 or 10-20
// iterations a launch"). Its loads bypass the L1 cache, so that they return values that other threads have just stored.
// But threads that run at the same time hardly ever load each other's new values; in a small mesh all threads run at
// the same time. So gs_async resembles Jacobi's method, and may diverge on problems on which Gauss-Seidel converges,
// such as elastic bodies.
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/real.h"
#include "device/block_combine.cuh"
#include "device/cuda_try.h"
#include "sim/operator/formats/csr_layout.h"
#include "sim/element/node_colours.h"
#include "sim/solver/solver.h"

namespace jacobi {

enum { BLOCK = 256, BLOCKS_MAX = 512, SWEEPS = 10 };

typedef enum Kind { JACOBI, COLOURED, ASYNCHRONOUS } Kind;

// The data of one solver for A x = b with n unknowns.
typedef struct Data {
  Kind kind;
  real *inverse;     // [n], inverse of each diagonal entry; 0: the unknown has a prescribed value
  real *y;           // [n], A x
  double *partial;   // [BLOCKS_MAX], partial sum of each thread block
  double *sums;      // [BLOCKS_MAX], copy of `partial` in page-locked host memory
  NodeColours list;  // lists of nodes by colours, on the host
  int *colour_node;  // [nodes], the nodes of `list`, colour by colour; on the device
} Data;

static int blocks_for(int count) {
  return (count + BLOCK - 1) / BLOCK;
}

static int sum_blocks(int n) {
  return blocks_for(n) < BLOCKS_MAX ? blocks_for(n) : BLOCKS_MAX;
}

static void destroy_data(Solver *solver) {
  Data *d = (Data *)solver->data;
  node_colours_destroy(&d->list);
  device_free(DEVICE_CUDA, d->inverse);
  device_free(DEVICE_CUDA, d->y);
  device_free(DEVICE_CUDA, d->partial);
  device_free(DEVICE_CUDA, d->colour_node);
  device_free_pinned(DEVICE_CUDA, d->sums);
  free(d);
}

static bool create_kind(Solver *solver, Kind kind, Error *error) {
  const Operator *A = solver->system.A;
  Data *d = (Data *)array_new(1, sizeof *d, "solver data", error);
  solver->data = d;
  if (!d) return false;
  d->kind = kind;
  d->inverse = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)A->n, error);
  d->y = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)A->n, error);
  d->partial = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * BLOCKS_MAX, error);
  d->sums = (double *)device_alloc_pinned(DEVICE_CUDA, sizeof(double) * BLOCKS_MAX, error);
  if (!d->inverse || !d->y || !d->partial || !d->sums) return false;
  if (kind != COLOURED) return true;
  if (!node_colours_create(&d->list, A->space, error)) return false;
  d->colour_node = (int *)device_clone(DEVICE_CUDA, d->list.node, sizeof(int) * (size_t)A->space->node_count, error);
  return d->colour_node;
}

static bool create_jacobi(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  return create_kind(solver, JACOBI, error);
}

static bool create_gs(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  return create_kind(solver, COLOURED, error);
}

static bool create_gs_async(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  return create_kind(solver, ASYNCHRONOUS, error);
}

// Begins a solve: sets x = 0 and inverse[i] to 1 / (diagonal entry i), or to 0 if unknown i is prescribed.
// partial[block] gets the thread block's part of b . b.
static __global__ void __launch_bounds__(BLOCK)
    start_kernel(int n, int dof, const real *__restrict__ blocks, const real *__restrict__ b,
                 const uint8_t *__restrict__ fixed, real *__restrict__ inverse, real *__restrict__ x,
                 double *__restrict__ partial) {
  double sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
    x[i] = 0;
    inverse[i] = fixed[i] ? (real)0 : 1 / blocks[((size_t)(i / dof) * dof + i % dof) * dof + i % dof];
    if (!fixed[i]) sum += (double)b[i] * b[i];
  }
  sum = block_combine<BLOCK, double, add>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// partial[block] gets the thread block's part of r . r, where r = b - y is the residual and y holds A x. With MOVE,
// also makes a sweep of Jacobi's method: x += D^-1 r, where D is the diagonal of A.
template <bool MOVE>
static __global__ void __launch_bounds__(BLOCK)
    search_kernel(int n, const real *__restrict__ b, const real *__restrict__ y, const real *__restrict__ inverse,
                  real *__restrict__ x, double *__restrict__ partial) {
  double sum = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
    const real inv = inverse[i], r = inv == 0 ? (real)0 : b[i] - y[i];
    sum += (double)r * r;
    if (MOVE) x[i] += inv * r;
  }
  sum = block_combine<BLOCK, double, add>(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// Relaxes `count` nodes, one per thread, `sweeps` times: solves the equation of each of a node's unknowns for this
// unknown, with the values of x that the thread loads. The nodes are node [count] or, if `node` is NULL, 0 to count -
// 1. With FRESH, loads of x bypass the L1 cache, so that they return values that other threads have just stored.
template <bool FRESH>
static __global__ void __launch_bounds__(BLOCK)
    relax_kernel(int count, int dof, int sweeps, const int *__restrict__ node, const int *__restrict__ row_start,
                 const int *__restrict__ col, const real *__restrict__ values, const real *__restrict__ b,
                 const real *__restrict__ inverse, real *x) {
  const int k = blockIdx.x * BLOCK + threadIdx.x;
  if (k >= count) return;
  const int a = node ? node[k] : k;
  for (int sweep = 0; sweep < sweeps; sweep++)
    for (int i = a * dof; i < (a + 1) * dof; i++) {
      const real inv = inverse[i];
      if (inv == 0) continue;
      real sum = b[i];
      for (int s = row_start[i]; s < row_start[i + 1]; s++) sum -= values[s] * (FRESH ? __ldcg(&x[col[s]]) : x[col[s]]);
      const real own = (FRESH ? __ldcg(&x[i]) : x[i]) + inv * sum;
      if (FRESH)
        __stcg(&x[i], own);
      else
        x[i] = own;
    }
}

// Copies the partial sums of the thread blocks from the GPU to the host. *sum gets their total.
static bool add_up(const Data *d, int n, Stream stream, double *sum, Error *error) {
  const int blocks = sum_blocks(n);
  if (!device_download(stream, d->sums, d->partial, sizeof(double) * (size_t)blocks, error) ||
      !stream_sync(stream, error))
    return false;
  *sum = 0;
  for (int k = 0; k < blocks; k++) *sum += d->sums[k];
  return true;
}

template <bool MOVE>
static bool residual(const Solver *solver, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
  const SolverSystem *system = &solver->system;
  const int n = system->A->n;
  if (!operator_apply(system->A, system->x, d->y, NULL, stream, error)) return false;
  search_kernel<MOVE><<<sum_blocks(n), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      n, (const real *)system->b, d->y, d->inverse, (real *)system->x, d->partial);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool relax(const Solver *solver, bool fresh, int count, int sweeps, const int *node, Stream stream,
                  Error *error) {
  const Data *d = (const Data *)solver->data;
  const SolverSystem *system = &solver->system;
  const CsrLayout *l = (const CsrLayout *)system->A->layout;
  const auto kernel = fresh ? relax_kernel<true> : relax_kernel<false>;
  if (count == 0) return true;
  kernel<<<blocks_for(count), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      count, system->A->space->node_dof, sweeps, node, l->row_start, l->col, (const real *)system->A->values,
      (const real *)system->b, d->inverse, (real *)system->x);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool sweep(const Solver *solver, int sweeps, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
  if (d->kind == ASYNCHRONOUS)
    return relax(solver, true, solver->system.A->space->node_count, sweeps, NULL, stream, error);
  for (int s = 0; s < sweeps; s++) {
    if (d->kind == JACOBI && !residual<true>(solver, stream, error)) return false;
    for (int c = 0; d->kind == COLOURED && c < d->list.count; c++)
      if (!relax(solver, false, d->list.start[c + 1] - d->list.start[c], 1, d->colour_node + d->list.start[c], stream,
                 error))
        return false;
  }
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
  const SolverSystem *system = &solver->system;
  const int n = system->A->n;
  SolverReport report = {};

  // `grown` is the result of a solve whose residual grows until it is infinite or NaN. Gauss-Seidel by colours
  // converges for every symmetric positive definite matrix, so the matrix is then indefinite. The other two methods may
  // diverge on a positive definite matrix.
  const SolverEnd grown = d->kind == COLOURED ? SOLVER_INDEFINITE : SOLVER_DIVERGED;
  double rr0 = 0;
  report.end = SOLVER_OUT_OF_ITERATIONS;
  start_kernel<<<sum_blocks(n), BLOCK, 0, (cudaStream_t)stream.handle>>>(
      n, system->A->space->node_dof, (const real *)system->A->blocks, (const real *)system->b, system->fixed,
      d->inverse, (real *)system->x, d->partial);
  CUDA_TRY(cudaGetLastError());
  if (!add_up(d, n, stream, &rr0, error)) return false;
  const double bound = system->relative * system->relative * rr0;
  double rr = rr0;
  if (rr0 == 0) report.end = SOLVER_CONVERGED;
  if (!isfinite(rr0)) report.end = SOLVER_BROKEN;
  while (report.end == SOLVER_OUT_OF_ITERATIONS && report.iterations < system->iterations_max) {
    const int left = system->iterations_max - report.iterations, sweeps = left < SWEEPS ? left : SWEEPS;
    if (interrupt_requested()) {
      report.end = SOLVER_STOPPED;
      break;
    }
    if (!sweep(solver, sweeps, stream, error) || !residual<false>(solver, stream, error) ||
        !add_up(d, n, stream, &rr, error))
      return false;
    report.iterations += sweeps;
    if (rr <= bound) report.end = SOLVER_CONVERGED;
    if (!isfinite(rr)) report.end = grown;
  }

  report.relative_residual = rr0 > 0 ? sqrt(rr / rr0) : 0;
  *solver->report = report;
  return true;
}

#define RELAXATION(row, name, summary, make, layout)                                            \
  extern const SolverMethod REAL_NAME(row);                                                     \
  const SolverMethod REAL_NAME(row) = {                                                         \
    { STAGE_STATIONARY_SOLVER, name, summary, NULL, DEVICE_CUDA, REAL_PRECISION, false, NULL }, \
    PRECONDITION_NONE,                                                                          \
    NULL,                                                                                       \
    make,                                                                                       \
    destroy_data,                                                                               \
    solve,                                                                                      \
    layout,                                                                                     \
    NULL,                                                                                       \
    false,                                                                                      \
    NULL,                                                                                       \
    NULL,                                                                                       \
    NULL,                                                                                       \
    NULL,                                                                                       \
    NULL,                                                                                       \
  };
extern "C" {
RELAXATION(jacobi_cuda, "jacobi", "Jacobi relaxation", create_jacobi, NULL)
RELAXATION(gs_cuda, "gs", "Gauss-Seidel, in groups (colours) of nodes that are not neighbours", create_gs, "csr")
RELAXATION(gs_async_cuda, "gs_async", "asynchronous Gauss-Seidel: not repeatable bit for bit", create_gs_async, "csr")
}

}  // namespace jacobi
