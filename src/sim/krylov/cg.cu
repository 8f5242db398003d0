// Conjugate gradients, plain (cg) or with the diagonal as preconditioner (dcg), on the GPU, the twin of cg.c. The whole solve is one CUDA
// graph: a start kernel, then a WHILE node that loops on the device until a kernel of its body says stop. The host
// decides nothing and knows nothing before the next synchronisation; it may only end a solve, by a flag in its own memory
// that `direct` looks at now and then.
//   body, UNROLL times:   Ap = A p and p.Ap (any format)     x, r, z and r.z, r.r     p
// Once `done` is set the vector kernels return at once, so an unrolled body may overshoot; the product does not know
// and is wasted at most UNROLL - 1 times a solve, against a loop check (about 2 us) saved every other time. Sums: each
// block leaves a partial sum in double, each block of the next kernel adds all of them up in the same fixed tree, so
// every block takes the same decision and a run repeats bit for bit.
#include <stdlib.h>

#include "base/array.h"
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/krylov/solver.h"

// With CG_HOST_LOOP compiled in (meson -Dcuda_args=-DCG_HOST_LOOP) the host launches the same kernels one by one and
// asks after each body. It is there to be measured against, and for racecheck, which takes the kernels of a graph's
// body for one kernel and reports races between them that cannot be.
#ifndef CG_UNROLL
#define CG_UNROLL 2
#endif

// A look at the host's flag crosses the bus and takes as long as a third of an iteration: one in LOOK costs less than 1 %.
enum { BLOCK = 256, BLOCKS_MAX = 512, UNROLL = CG_UNROLL, LOOK = 128 };

// On the device. No kernel reads a field that one of its own blocks writes, except `done`.
typedef struct State {
  SolverReport report;
  double rz;       // of the newest residual: written by `direct`, read by `advance`
  double rz_last;  // the one before: written by `advance`, read by `direct`
  double rr0;      // b.b over the free unknowns
  int done;
} State;

// What kernels need, by value. Vectors are [n].
typedef struct View {
  int n, blocks, dot_count, iterations_max;
  double relative;
  bool by_diagonal;
  const real *b, *diagonal;
  const uint8_t *fixed;
  real *x;
  // our own
  real *r, *z, *p, *Ap, *inverse_diagonal;
  double *partial;  // [2][BLOCKS_MAX]: r.z, r.r
  double *dots;     // [dot_count]: p.Ap
  State *state;
  const volatile int *stop;  // in the host's memory
} View;

typedef struct Data {
  View view;
#ifndef CG_HOST_LOOP
  cudaGraph_t graph;
  cudaGraphExec_t executable;
#endif
} Data;

// sum over the block's threads, in a fixed tree; every thread gets it
static __device__ double block_sum(double value) {
  __shared__ double warps[BLOCK / 32];
  __syncthreads();  // the last call's readers are through
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  double sum = 0;
  for (int w = 0; w < BLOCK / 32; w++) sum += warps[w];
  return sum;
}

// sum of all blocks' partial sums, the same bits in every block
static __device__ double grid_sum(const double *partial, int blocks) {
  double value = 0;
  for (int k = threadIdx.x; k < blocks; k += BLOCK) value += partial[k];
  return block_sum(value);
}

// of the diagonal's size: where compression makes an entry negative, the preconditioner must stay positive definite
static __device__ real inverse_of(real diagonal) {
  const real size = diagonal < 0 ? -diagonal : diagonal;
  return size > 0 ? 1 / size : (real)1;
}

// r = b, z = D^-1 r, p = z, x = 0, and the partial sums of r.z and r.r
static __global__ void __launch_bounds__(BLOCK) start_kernel(View v) {
  double rz = 0, rr = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < v.n; i += gridDim.x * BLOCK) {
    const bool fixed = v.fixed[i];
    const real inverse = fixed           ? (real)0
                         : v.by_diagonal ? inverse_of(v.diagonal[i])
                                         : (real)1,
               r = fixed ? (real)0 : v.b[i], z = inverse * r;
    v.inverse_diagonal[i] = inverse;
    v.r[i] = r, v.z[i] = z, v.p[i] = z, v.x[i] = 0;
    rz += (double)r * z;
    rr += (double)r * r;
  }
  rz = block_sum(rz);
  rr = block_sum(rr);
  if (threadIdx.x == 0) v.partial[blockIdx.x] = rz, v.partial[BLOCKS_MAX + blockIdx.x] = rr;
}

// the scalars of the first iteration; one block
static __global__ void __launch_bounds__(BLOCK) begin_kernel(View v, cudaGraphConditionalHandle handle) {
  const double rz = grid_sum(v.partial, v.blocks), rr = grid_sum(v.partial + BLOCKS_MAX, v.blocks);
  if (threadIdx.x != 0) return;
  State *s = v.state;
  s->rz = rz;
  s->rr0 = rr;
  s->done = rr == 0 || !isfinite(rr);
  s->report.iterations = 0;
  s->report.end = rr == 0 ? SOLVER_CONVERGED : isfinite(rr) ? SOLVER_OUT_OF_ITERATIONS : SOLVER_BROKEN;
  s->report.relative_residual = rr == 0 ? 0 : 1;
  if (handle) cudaGraphSetConditional(handle, !s->done);
}

// What one thread holds of the vectors, loaded before the sums that decide what becomes of them are there.
typedef struct Held {
  real x, r, p, Ap, inverse;
} Held;

static __device__ Held hold(const View &v, int i) {
  Held h = {};
  if (i < v.n) h.x = v.x[i], h.r = v.r[i], h.p = v.p[i], h.Ap = v.Ap[i], h.inverse = v.inverse_diagonal[i];
  return h;
}

// x += alpha p, r -= alpha Ap, z = D^-1 r, and the partial sums of r.z and r.r
static __global__ void __launch_bounds__(BLOCK) advance_kernel(View v) {
  State *s = v.state;
  int i = blockIdx.x * BLOCK + threadIdx.x;
  Held h = hold(v, i);
  if (s->done) return;
  const double rz_last = s->rz, pAp = grid_sum(v.dots, v.dot_count);
  const bool finite = isfinite(pAp), stop = !(pAp > 0) || !finite, first = s->report.iterations == 0;
  const real alpha = stop ? (real)(first && finite ? 1 : 0) : (real)(rz_last / pAp);
  double rz = 0, rr = 0;
  for (; i < v.n; i += gridDim.x * BLOCK, h = hold(v, i)) {
    const real r = h.inverse == 0 ? (real)0 : stop ? h.r : h.r - alpha * h.Ap, z = h.inverse * r;
    v.x[i] = finite ? h.x + alpha * h.p : h.x;
    v.r[i] = r, v.z[i] = z;
    rz += (double)r * z;
    rr += (double)r * r;
  }
  rz = block_sum(rz);
  rr = block_sum(rr);
  if (threadIdx.x != 0) return;
  v.partial[blockIdx.x] = rz, v.partial[BLOCKS_MAX + blockIdx.x] = rr;
  if (blockIdx.x == 0) {
    s->rz_last = rz_last;
    if (stop) s->report.end = finite ? SOLVER_INDEFINITE : SOLVER_BROKEN;
  }
}

// p = z + beta p, and whether to go on
static __global__ void __launch_bounds__(BLOCK) direct_kernel(View v, cudaGraphConditionalHandle handle) {
  State *s = v.state;
  int i = blockIdx.x * BLOCK + threadIdx.x;
  real p = i < v.n ? v.p[i] : (real)0, z = i < v.n ? v.z[i] : (real)0;
  if (s->done) return;
  const double rz_last = s->rz_last, rz = grid_sum(v.partial, v.blocks),
               rr = grid_sum(v.partial + BLOCKS_MAX, v.blocks);
  const real beta = (real)(rz / rz_last);
  while (i < v.n) {
    v.p[i] = z + beta * p;
    i += gridDim.x * BLOCK;
    if (i < v.n) p = v.p[i], z = v.z[i];
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  // blocks that start later see `done` and leave: nobody reads p again
  s->rz = rz;
  s->report.relative_residual = sqrt(rr / s->rr0);
  if (s->report.end == SOLVER_INDEFINITE || s->report.end == SOLVER_BROKEN) {
    s->done = 1;
  } else {
    s->report.iterations++;
    const bool converged = rr <= v.relative * v.relative * s->rr0;
    if (converged) s->report.end = SOLVER_CONVERGED;
    s->done = converged || s->report.iterations >= v.iterations_max || rr != rr;
    if (!s->done && s->report.iterations % LOOK == 0 && *v.stop) s->report.end = SOLVER_STOPPED, s->done = 1;
  }
  if (handle) cudaGraphSetConditional(handle, !s->done);
}

static void destroy_data(Solver *solver) {
  Data *d = (Data *)solver->data;
#ifndef CG_HOST_LOOP
  if (d->executable) cudaGraphExecDestroy(d->executable);
  if (d->graph) cudaGraphDestroy(d->graph);
#endif
  const View &v = d->view;
  void *arrays[] = { v.r, v.z, v.p, v.Ap, v.inverse_diagonal, v.partial, v.dots, v.state };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free(d);
}

static bool launch_start(const View *v, cudaGraphConditionalHandle handle, cudaStream_t s, Error *error) {
  start_kernel<<<v->blocks, BLOCK, 0, s>>>(*v);
  CUDA_TRY(cudaGetLastError());
  begin_kernel<<<1, BLOCK, 0, s>>>(*v, handle);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool launch_body(const Matrix *A, const View *v, cudaGraphConditionalHandle handle, Stream stream,
                        Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  for (int k = 0; k < UNROLL; k++) {
    if (!matrix_spmv(A, v->p, v->Ap, v->dots, stream, error)) return false;
    advance_kernel<<<v->blocks, BLOCK, 0, s>>>(*v);
    CUDA_TRY(cudaGetLastError());
    direct_kernel<<<v->blocks, BLOCK, 0, s>>>(*v, handle);
    CUDA_TRY(cudaGetLastError());
  }
  return true;
}

#ifndef CG_HOST_LOOP

// puts a WHILE node after the graph's last node `after`; its body graph is empty
static bool add_while(cudaGraph_t graph, cudaGraphNode_t after, cudaGraphConditionalHandle handle, cudaGraph_t *body,
                      Error *error) {
  cudaGraphNodeParams parameters = {};
  parameters.type = cudaGraphNodeTypeConditional;
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeWhile;
  parameters.conditional.size = 1;
  cudaGraphNode_t node;
#if CUDART_VERSION >= 13000
  CUDA_TRY(cudaGraphAddNode(&node, graph, &after, NULL, 1, &parameters));
#else
  CUDA_TRY(cudaGraphAddNode(&node, graph, &after, 1, &parameters));
#endif
  *body = parameters.conditional.phGraph_out[0];
  return true;
}

// the newest node of a graph that is a chain
static bool last_node(cudaGraph_t graph, cudaGraphNode_t *node, Error *error) {
  cudaGraphNode_t nodes[8];
  size_t count = sizeof nodes / sizeof *nodes;
  CUDA_TRY(cudaGraphGetNodes(graph, nodes, &count));
  for (size_t k = 0; k < count; k++) {
    size_t followers = 0;
#if CUDART_VERSION >= 13000
    CUDA_TRY(cudaGraphNodeGetDependentNodes(nodes[k], NULL, NULL, &followers));
#else
    CUDA_TRY(cudaGraphNodeGetDependentNodes(nodes[k], NULL, &followers));
#endif
    if (followers == 0) *node = nodes[k];
  }
  return true;
}

static bool build_graph(Data *d, const Matrix *A, Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  cudaGraphConditionalHandle handle;
  cudaGraph_t body = NULL, captured = NULL;
  cudaGraphNode_t last = NULL;
  CUDA_TRY(cudaGraphCreate(&d->graph, 0));
  CUDA_TRY(cudaGraphConditionalHandleCreate(&handle, d->graph, 0, 0));
  CUDA_TRY(cudaStreamBeginCaptureToGraph(s, d->graph, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
  const bool started = launch_start(&d->view, handle, s, error);
  CUDA_TRY(cudaStreamEndCapture(s, &captured));
  if (!started || !last_node(d->graph, &last, error) || !add_while(d->graph, last, handle, &body, error)) return false;
  CUDA_TRY(cudaStreamBeginCaptureToGraph(s, body, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
  const bool looped = launch_body(A, &d->view, handle, stream, error);
  CUDA_TRY(cudaStreamEndCapture(s, &captured));
  if (!looped) return false;
  CUDA_TRY(cudaGraphInstantiate(&d->executable, d->graph, 0));
  return true;
}

#endif

static bool create(Solver *solver, Stream stream, Error *error) {
  const SolverSystem *system = &solver->system;
  const int n = system->A->pattern->n;
  Data *d = (Data *)array_new(1, sizeof *d, "solver data", error);
  solver->data = d;
  if (!d) return false;
  View &v = d->view;
  v.n = n, v.dot_count = system->A->dot_count, v.iterations_max = system->iterations_max, v.relative = system->relative;
  v.blocks = (n + BLOCK - 1) / BLOCK < BLOCKS_MAX ? (n + BLOCK - 1) / BLOCK : BLOCKS_MAX;
  v.b = (const real *)system->b, v.diagonal = (const real *)system->diagonal;
  v.by_diagonal = solver->method->by_diagonal;
  v.fixed = system->fixed, v.x = (real *)system->x, v.stop = solver->stop;
  real **vectors[] = { &v.r, &v.z, &v.p, &v.Ap, &v.inverse_diagonal };
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)n, error))) return false;
  v.partial = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * 2 * BLOCKS_MAX, error);
  v.dots = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * (size_t)v.dot_count, error);
  v.state = (State *)device_alloc(DEVICE_CUDA, sizeof(State), error);
  if (!v.partial || !v.dots || !v.state) return false;
#ifdef CG_HOST_LOOP
  (void)stream;
  return true;
#else
  return build_graph(d, system->A, stream, error);
#endif
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
#ifdef CG_HOST_LOOP
  State now;
  if (!launch_start(&d->view, 0, (cudaStream_t)stream.handle, error)) return false;
  do {
    if (!launch_body(solver->system.A, &d->view, 0, stream, error)) return false;
    if (!device_download(stream, &now, d->view.state, sizeof now, error) || !stream_sync(stream, error)) return false;
  } while (!now.done);
#else
  CUDA_TRY(cudaGraphLaunch(d->executable, (cudaStream_t)stream.handle));
#endif
  return device_download(stream, solver->report, &d->view.state->report, sizeof *solver->report, error);
}

extern "C" {
extern const SolverMethod REAL_NAME(cg_cuda), REAL_NAME(dcg_cuda);
const SolverMethod REAL_NAME(cg_cuda) = {
  "cg", "conjugate gradients", DEVICE_CUDA, REAL_PRECISION, false, create, destroy_data, solve,
};
const SolverMethod REAL_NAME(dcg_cuda) = {
  "dcg", "conjugate gradients, diagonal preconditioner", DEVICE_CUDA, REAL_PRECISION, true, create, destroy_data, solve,
};
}
