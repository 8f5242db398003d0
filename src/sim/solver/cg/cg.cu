// Conjugate gradients on the GPU, with the preconditioners of cg.c (none, diagonal, diagonal blocks, coarse space,
// SSOR) and multigrid (pmg). The whole solve is one CUDA graph. After the start kernels, the graph has a WHILE node: a
// loop whose body is repeated on the device until a kernel ends the loop. The host can end a solve early by a flag in
// host memory, which a kernel reads every 128 iterations.
//
// An iteration runs the kernels of one line of this list, from left to right. `product` computes Ap = A p with p.Ap. D
// is the diagonal of A. The columns of P are rigid motions of groups of nodes, and B is the inverse of P^T A P
// (coarse.h). The solvers cg, dcg and bdcg use the line "small vectors" if their vectors fit into registers
// (cg_iterate.cuh), else the line "large vectors".
//   large vectors:     product   advance: x, r, z and r.z, r.r            direct: p
//   small vectors:     product   iterate: x, r, z, their sums and p
//   coarse space:      product   advance: x, r, z, sums and P^T r         y = B P^T r              direct: p, with P y
//   SSOR and others:   product   advance: x, r and r.r                    z = M^-1 r               r.z   direct: p
//   multigrid:         product   advance: x, r, D^-1 r and sums           z = cycle(r)             r.z   direct: p
// For a sum, each thread block writes a partial sum in double, and each thread block of the next kernel adds all
// partial sums in the same order. So all thread blocks take the same decisions, and a run repeats bit for bit.
//
// The loop's body contains several iterations, because each repetition costs some microseconds; with multigrid, SSOR
// and other applied preconditioners (AppliedPreconditioner), it has only one. When the solve ends, kernels set the word
// `done`, and the remaining kernels of the body return at once. Products of most operators do not read `done`, so up to
// UNROLL - 1 products per solve are useless. For small vectors and products that read `done`, the loop's body contains
// more iterations.
#include <stdlib.h>

#include "base/array.h"
#include "base/environment.h"
#include "base/real.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/apply.cuh"
#include "sim/solver/cg/cg_iterate.cuh"
#include "sim/solver/multigrid/pmg.h"
#include "sim/solver/ssor.h"

// If the environment variable PLIANT_HOST_LOOP is set, there is no CUDA graph: the host launches the kernels one by
// one, and reads the flag `done` after each pass of the loop. The result has the same bits. The variable is for timings
// and for the tools of compute-sanitizer: in a WHILE node, memcheck fails, and racecheck reports races between kernels
// that run in sequence.

#ifndef CG_UNROLL
#define CG_UNROLL 2
#endif

// UNROLL: number of iterations in one pass of the graph's loop. UNROLL_IDLE is the number for products that return at
// once after the end of the solve.
enum { UNROLL = CG_UNROLL, UNROLL_IDLE = 8 };
// If a product writes more than DOTS_MANY partial sums of p.Ap, the kernel `fold` reduces their number.
enum { DOTS_MANY = 8192 };

typedef struct Data {
  View view;  // argument of all kernels: addresses and sizes
  CoarseCuda coarse;
  bool two_levels;  // true: the preconditioner has a coarse space of rigid motions, `coarse`
  // Functions and data of a preconditioner that computes z = M^-1 r by itself, such as SSOR; NULL: none.
  const AppliedPreconditioner *applied;
  void *applied_data;
  bool levels;  // true: the preconditioner is multigrid, `pmg`
  PmgCuda pmg;
  // True if kernels may start before the preceding kernel ends (device/overlap.cuh).
  bool overlaps;
  int iterate_max;  // number of thread blocks of the kernel `iterate` that can run at once; 0: the kernel is not used
  // True if x and M^-1 are loaded with a hint to evict them from the L2 cache before the other vectors.
  bool streams;
  double *relative;  // tolerance of ||r|| / ||b||, in pinned host memory
  // [BLOCKS_MAX], sums to which the kernel `fold` reduces the partial sums of p.Ap; NULL if the kernel of the product
  // A p writes few partial sums
  double *folded;
  // number of unknowns for which `reserve` has allocated memory; 0: `reserve` was not called yet
  int capacity;
  // True if arrays have new addresses or sizes, so that `view` must be set again.
  bool moved;
  int load_changes;  // value of Operator.load_changes when the graphs were recorded
  bool by_host;      // true: $PLIANT_HOST_LOOP is set, and the host launches kernels without graphs
  Graph graph[2];    // recorded solves; graph[1] also measures the time of products, which costs 2 % of a solve
} Data;

static void destroy_data(Solver *solver) {
  Data *d = (Data *)solver->data;
  device_free_pinned(DEVICE_CUDA, d->relative);
  for (int timed = 0; timed < 2; timed++) graph_destroy(&d->graph[timed]);
  const View &v = d->view;
  REAL_NAME(coarse_cuda_destroy)(&d->coarse);
  if (d->applied_data) d->applied->destroy(d->applied_data);
  REAL_NAME(pmg_cuda_destroy)(&d->pmg);
  device_free(DEVICE_CUDA, d->folded);
  if (v.z != v.r) device_free(DEVICE_CUDA, v.z);
  void *arrays[] = { v.r, v.p, v.Ap, v.M.inverse, v.held, v.partial, v.dots, v.state, v.cycle_dots, v.packets };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
  free(d);
}

typedef void (*Kernel)(View v);

static Kernel start_of(int width) {
  static const Kernel kernels[] = { start_kernel<0>, start_kernel<1>, start_kernel<2>, start_kernel<3> };
  return kernels[width];
}

template <int WIDTH, bool COARSE>
static Kernel advance_by(bool timed, bool streams) {
  if (streams) return timed ? advance_kernel<WIDTH, true, COARSE, true> : advance_kernel<WIDTH, false, COARSE, true>;
  return timed ? advance_kernel<WIDTH, true, COARSE, false> : advance_kernel<WIDTH, false, COARSE, false>;
}

static Kernel advance_of(const Data *d, bool timed) {
  const int width = d->view.M.width;
  if (d->two_levels) return advance_by<1, true>(timed, d->streams);
  return width == 0   ? advance_by<0, false>(timed, d->streams)
         : width == 1 ? advance_by<1, false>(timed, d->streams)
         : width == 2 ? advance_by<2, false>(timed, d->streams)
                      : advance_by<3, false>(timed, d->streams);
}

typedef void (*DirectKernel)(View v, cudaGraphConditionalHandle handle);

static DirectKernel direct_of(bool timed, bool two_levels, bool levels) {
  if (levels) return timed ? direct_kernel<true, false, true> : direct_kernel<false, false, true>;
  if (two_levels) return timed ? direct_kernel<true, true, false> : direct_kernel<false, true, false>;
  return timed ? direct_kernel<true, false, false> : direct_kernel<false, false, false>;
}

typedef void (*IterateKernel)(View v, bool timed, cudaGraphConditionalHandle handle);

template <int WIDTH>
static IterateKernel iterate_by(bool many, bool streams) {
  enum { MANY = (HELD_MAX - 1) / Held<WIDTH>::UNIT + 1 };
  if (!many) return streams ? iterate_kernel<WIDTH, 1, true> : iterate_kernel<WIDTH, 1, false>;
  return streams ? iterate_kernel<WIDTH, MANY, true> : iterate_kernel<WIDTH, MANY, false>;
}

// Returns the kernel `iterate` in which a thread processes one diagonal block of unknowns or, with `many`, several.
static IterateKernel iterate_of(const Data *d, bool many) {
  const int width = d->view.M.width;
  return width == 0   ? iterate_by<0>(many, d->streams)
         : width == 1 ? iterate_by<1>(many, d->streams)
         : width == 2 ? iterate_by<2>(many, d->streams)
                      : iterate_by<3>(many, d->streams);
}

// Queues the kernels at the start of a solve. `v` is their argument, d->view or a copy of it.
static bool launch_start(const Data *d, const View *v, cudaGraphConditionalHandle handle, Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  start_of(v->M.width)<<<v->start_blocks, BLOCK, 0, s>>>(*v);
  CUDA_TRY(cudaGetLastError());

  // With a coarse space, multigrid or an applied preconditioner, compute its part of z = M^-1 r.
  if (d->two_levels && (!REAL_NAME(coarse_cuda_restrict)(&d->coarse, v->r, s, error) ||
                        !REAL_NAME(coarse_cuda_solve)(&d->coarse, NULL, s, error)))
    return false;
  if (d->applied) {
    if (!d->applied->apply(d->applied_data, v->r, v->z, stream, error)) return false;
    dot_kernel<<<v->start_blocks, BLOCK, 0, s>>>(*v, true);
    CUDA_TRY(cudaGetLastError());
  }

  if (d->levels) {
    if (!REAL_NAME(pmg_cuda_cycle)(&d->pmg, v->r, NULL, stream, error)) return false;
    cycle_dot_kernel<<<v->start_blocks, BLOCK, 0, s>>>(*v, true);
    CUDA_TRY(cudaGetLastError());
  }

  // Set the scalars of the first iteration, such as r.z. With multigrid or a coarse space, complete the first p.
  begin_kernel<<<1, BLOCK, 0, s>>>(*v, handle);
  CUDA_TRY(cudaGetLastError());
  if (d->levels) take_cycle_kernel<<<v->direct_blocks, BLOCK, 0, s>>>(*v);
  CUDA_TRY(cudaGetLastError());
  if (d->two_levels) add_coarse_kernel<<<v->direct_blocks, BLOCK, 0, s>>>(*v);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool launch_body(const Operator *A, const Data *d, const View *v, bool timed, cudaGraphConditionalHandle handle,
                        Stream stream, Error *error) {
  cudaStream_t s = (cudaStream_t)stream.handle;
  Operator products = *A;
  products.idle = &v->state->done;

  // The body of the graph's loop contains `times` iterations. If the solve ends in one of them, the kernels of the
  // later ones return at once, but still take time. In a small system (not `many`) they take longer than a restart of
  // the loop, so its body has half as many iterations as that of a large system.
  const bool many = v->iterate_blocks && v->n / preconditioner_unit(v->M.width) > v->iterate_blocks * ITERATE_BLOCK;
  const bool idles = A->method->idles && v->iterate_blocks;
  const int times = d->levels || d->applied ? 1 : !idles ? UNROLL : many ? UNROLL_IDLE : UNROLL_IDLE / 2;
  for (int k = 0; k < times; k++) {
    if (!operator_apply(&products, v->p, v->Ap, v->dots, stream, error)) return false;
    if (v->sums != v->dots) fold_kernel<<<v->sum_count, BLOCK, 0, s>>>(*v);
    CUDA_TRY(cudaGetLastError());
    if (v->iterate_blocks) {
      CUDA_TRY(overlap_launch_together(d->overlaps, iterate_of(d, many), v->iterate_blocks, ITERATE_BLOCK, s, *v, timed,
                                       handle));
      continue;
    }

    CUDA_TRY(overlap_launch(d->overlaps, advance_of(d, timed), v->blocks, BLOCK, s, *v));

    if (d->two_levels && !REAL_NAME(coarse_cuda_solve)(&d->coarse, &v->state->done, s, error)) return false;
    if (d->applied) {
      if (!d->applied->apply(d->applied_data, v->r, v->z, stream, error)) return false;
      dot_kernel<<<v->blocks, BLOCK, 0, s>>>(*v, false);
      CUDA_TRY(cudaGetLastError());
    }
    if (d->levels) {
      if (!REAL_NAME(pmg_cuda_cycle)(&d->pmg, v->r, &v->state->done, stream, error)) return false;
      cycle_dot_kernel<<<v->blocks, BLOCK, 0, s>>>(*v, false);
      CUDA_TRY(cudaGetLastError());
    }

    // Compute the new direction p.
    CUDA_TRY(overlap_launch(d->overlaps, direct_of(timed, d->two_levels, d->levels), v->direct_blocks, BLOCK, s, *v,
                            handle));
  }
  return true;
}

// Computes or queues the coarse matrix, multigrid's levels or data of an applied preconditioner for the present matrix.
static bool make(const Data *d, const SolverSystem *system, Stream stream, Error *error) {
  if (d->levels) return REAL_NAME(pmg_cuda_make)(&d->pmg, system, stream, error);
  if (d->two_levels) return REAL_NAME(coarse_cuda_make)(&d->coarse, system, (cudaStream_t)stream.handle, error);
  return !d->applied || !d->applied->make || d->applied->make(d->applied_data, stream, error);
}

// Arguments of the functions that record a solve into a CUDA graph. condition: handle by which a kernel ends the loop.
typedef struct Recording {
  const Operator *A;
  const Data *data;
  const View *view;
  // The system from which the recorded solve computes the coarse matrix or the multigrid levels. NULL: the solve uses
  // those of an earlier solve, or needs none.
  const SolverSystem *made_of;
  bool timed;
  uint64_t condition;
} Recording;

static bool queue_start(void *recording, Stream stream, Error *error) {
  const Recording *r = (const Recording *)recording;
  return (!r->made_of || make(r->data, r->made_of, stream, error)) &&
         launch_start(r->data, r->view, r->condition, stream, error);
}

static bool queue_body(void *recording, Stream stream, Error *error) {
  const Recording *r = (const Recording *)recording;
  return launch_body(r->A, r->data, r->view, r->timed, r->condition, stream, error);
}

static bool record_solve(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  GraphChain body;
  if (!graph_condition(chain, &r->condition, error)) return false;
  if (!graph_record(chain, stream, queue_start, r, error)) return false;
  if (!graph_loop(chain, r->condition, &body, error)) return false;
  return graph_record(&body, stream, queue_body, r, error);
}

static bool build_graph(Data *d, const Operator *A, bool timed, Stream stream, Error *error) {
  Graph *graph = &d->graph[timed];
  Recording r = { A, d, &d->view, NULL, timed, 0 };
  return graph_create(graph, error) && record_solve(&r, &graph->chain, stream, error) &&
         graph_finish(graph, stream, error);
}

static int blocks_of(int threads) {
  const int blocks = threads / BLOCK + (threads % BLOCK > 0);
  return blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX;
}

// Returns the number of thread blocks of the kernel `iterate`, which keeps vectors in registers (cg_iterate.cuh).
// Returns 0 if this kernel cannot be used: the vectors are too large, or the preconditioner needs other kernels.
static int iterate_blocks_of(const Data *d) {
  const int unit = preconditioner_unit(d->view.M.width), units = d->view.n / unit;
  const int held = (HELD_MAX - 1) / unit + 1, blocks = units / ITERATE_BLOCK + (units % ITERATE_BLOCK > 0);
  // Each thread of a thread block receives the sums of one thread block, so there are at most as many blocks as
  // threads.
  const int maximum = d->iterate_max < ITERATE_BLOCK ? d->iterate_max : ITERATE_BLOCK;
  return (int64_t)maximum * ITERATE_BLOCK * held < units ? 0 : blocks < maximum ? blocks : maximum;
}

// Sets the members of d->view that depend on the system and its size.
static void view_system(Data *d, const Solver *solver) {
  const SolverSystem *system = &solver->system;
  View &v = d->view;
  const int unit = preconditioner_unit(v.M.width);
  v.n = system->A->n;
  v.dot_count = system->A->dot_count;
  v.iterations_max = system->iterations_max;
  v.start_blocks = v.blocks = blocks_of(v.n / unit);
  v.direct_blocks = blocks_of(v.n);
  v.b = (const real *)system->b;
  v.diagonal_blocks = (const real *)system->A->blocks;
  v.node_dof = system->A->space->node_dof;
  v.fixed = system->fixed;
  v.x = (real *)system->x;
  v.stop = solver->stop;
  v.M.block_count = v.n / unit;
  v.held_words = (v.n / unit + 31) / 32;
  v.iterate_blocks = iterate_blocks_of(d);
}

static void view_sums(Data *d) {
  View &v = d->view;
  const bool folds = v.dot_count > DOTS_MANY;
  v.sums = folds ? d->folded : v.dots;
  v.sum_count = folds ? blocks_of(v.dot_count) : v.dot_count;
}

static Packet *make_packets(Error *error) {
  return (Packet *)device_alloc(DEVICE_CUDA, sizeof(Packet) * SUM_COPIES * ITERATE_BLOCK, error);
}

// Sets d->iterate_max, the number of thread blocks of the kernel `iterate` that can run at once.
static bool count_iterate_blocks(Data *d, Error *error) {
  int together = 0, blocks = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, device_gpu()));
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)iterate_of(d, true), ITERATE_BLOCK, 0));
  if (blocks > ITERATE_PER_UNIT) blocks = ITERATE_PER_UNIT;
  d->iterate_max = together ? blocks * device_multiprocessors(DEVICE_CUDA) : 0;
  return true;
}

static bool create(Solver *solver, Stream stream, Error *error) {
  const SolverSystem *system = &solver->system;
  const int n = system->A->n, dof = system->A->space->node_dof, width = solver_width(solver->method, dof);
  const int unit = preconditioner_unit(width);
  Data *d = (Data *)array_new(1, sizeof *d, "solver data", error);
  solver->data = d;
  if (!d) return false;
  if (width > PRECONDITIONER_WIDTH_MAX)
    return error_set(error, "a node has %d unknowns, but this solver supports at most %d; choose another --solver",
                     width, PRECONDITIONER_WIDTH_MAX);

  View &v = d->view;
  v.M.width = width;
  if (!apply_streams(system->A, &d->streams, error)) return false;
  d->overlaps = overlap_is_there((const void *)advance_of(d, false));
  if (solver->method->precondition <= PRECONDITION_NODES && !count_iterate_blocks(d, error)) return false;
  view_system(d, solver);

  d->two_levels = solver->method->precondition == PRECONDITION_COARSE;
  if (d->two_levels) {
    Aggregates g;
    if (!aggregates_create(&g, system->A, NULL, 0, error)) return false;
    const bool made = REAL_NAME(coarse_cuda_create)(&d->coarse, &g, system->A, error);
    aggregates_destroy(&g);
    if (!made) return false;
    v.coarse = d->coarse.view;
    v.blocks = v.coarse.slice_count < BLOCKS_MAX ? v.coarse.slice_count : BLOCKS_MAX;
  }

  d->applied = solver->method->applied;
  if (d->applied && !(d->applied_data = d->applied->create(system, stream, error))) return false;
  d->levels = solver->method->precondition == PRECONDITION_LEVELS;
  if (d->levels) {
    v.cycle_dots = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * BLOCKS_MAX, error);
    if (!v.cycle_dots || !REAL_NAME(pmg_cuda_create)(&d->pmg, system, error)) return false;
    v.cycled = d->pmg.z;
  }

  const size_t triangles = (size_t)(width * (width + 1) / 2) * (size_t)v.M.block_count;
  v.M.inverse = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * triangles, error);
  v.held = (unsigned *)device_alloc(DEVICE_CUDA, sizeof *v.held * (size_t)v.held_words * (size_t)unit, error);
  if (!v.M.inverse || !v.held) return false;
  real **vectors[] = { &v.r, &v.p, &v.Ap, &v.z };
  for (int k = 0; k < (width || d->applied ? 4 : 3); k++)
    if (!(*vectors[k] = (real *)device_alloc(DEVICE_CUDA, sizeof(real) * (size_t)n, error))) return false;
  if (!v.z) v.z = v.r;
  v.partial = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * 2 * BLOCKS_MAX, error);
  v.dots = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * (size_t)v.dot_count, error);
  if (v.dot_count > DOTS_MANY && !(d->folded = (double *)device_alloc(DEVICE_CUDA, sizeof(double) * BLOCKS_MAX, error)))
    return false;
  view_sums(d);
  v.state = (State *)device_alloc(DEVICE_CUDA, sizeof(State), error);
  v.relative = d->relative = (double *)device_alloc_pinned(DEVICE_CUDA, sizeof *d->relative, error);
  v.packets = make_packets(error);
  if (!v.partial || !v.dots || !v.sums || !v.state || !v.relative || !v.packets) return false;

  d->by_host = environment_value("PLIANT_HOST_LOOP") != NULL;
  return d->by_host ||
         (build_graph(d, system->A, false, stream, error) && build_graph(d, system->A, true, stream, error));
}

// Implements SolverMethod.reserve for a body that is cut: enlarges the vectors, and discards the graphs, which contain
// the previous addresses. Coarse spaces, SSOR and multigrid do not support cuts.
static bool reserve(Solver *solver, int before, int now, Error *error) {
  Data *d = (Data *)solver->data;
  View &v = d->view;
  const int unit = preconditioner_unit(v.M.width);
  const size_t triangle = (size_t)(v.M.width * (v.M.width + 1) / 2), real_size = sizeof(real);
  const size_t units_before = (size_t)(before / unit), units = (size_t)(now / unit);
  real **vectors[] = { &v.r, &v.p, &v.Ap, &v.z };
  const bool own_z = v.z != v.r;
  bool ok = true;
  d->moved = true;
  for (int timed = 0; timed < 2; timed++) graph_destroy(&d->graph[timed]);
  for (int k = 0; ok && k < (own_z ? 4 : 3); k++)
    ok = device_grow(DEVICE_CUDA, vectors[k], real_size * (size_t)before, real_size * (size_t)now, error);
  if (!own_z) v.z = v.r;
  const size_t words_before = (units_before + 31) / 32 * (size_t)unit, words = (units + 31) / 32 * (size_t)unit;
  ok = ok &&
       device_grow(DEVICE_CUDA, &v.M.inverse, real_size * triangle * units_before, real_size * triangle * units,
                   error) &&
       device_grow(DEVICE_CUDA, &v.held, sizeof *v.held * words_before, sizeof *v.held * words, error);

  // Enlarge the arrays of partial sums. A product writes at most one per node. Old sums are not copied.
  const size_t sums = (size_t)(now / v.node_dof);
  if (ok && now > d->capacity)
    ok = device_grow(DEVICE_CUDA, &v.dots, 0, sizeof *v.dots * sums, error) &&
         device_grow(DEVICE_CUDA, &d->folded, 0, sizeof *d->folded * BLOCKS_MAX, error);
  if (ok && now > d->capacity) d->capacity = now;

  // Thread blocks of the kernel `iterate` send each other packets. When the number of thread blocks changes, they could
  // take packets of earlier solves for new ones, so packets get new memory.
  if (ok) {
    device_free(DEVICE_CUDA, v.packets);
    ok = v.packets = make_packets(error);
  }
  return ok;
}

// Updates d->view after `reserve` has enlarged arrays for a body that was cut.
static void follow(Data *d, const Solver *solver) {
  if (!d->moved) return;
  view_system(d, solver);
  view_sums(d);
  d->moved = false;
}

// Runs a solve without a CUDA graph: the host launches each kernel and tests for the end.
static bool launch_from_host(const Solver *solver, const Data *d, Stream stream, Error *error) {
  State now = {};
  if (!launch_start(d, &d->view, 0, stream, error)) return false;
  do {
    if (!launch_body(solver->system.A, d, &d->view, solver->timed, 0, stream, error) ||
        !device_download(stream, &now, d->view.state, sizeof now, error) || !stream_sync(stream, error))
      return false;
  } while (!now.done);
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  Data *d = (Data *)solver->data;
  Graph *graph = &d->graph[solver->timed];
  follow(d, solver);
  if (d->load_changes != solver->system.A->load_changes) {
    for (int timed = 0; timed < 2; timed++) graph_destroy(&d->graph[timed]);
    d->load_changes = solver->system.A->load_changes;
  }
  if (!d->by_host && !graph->executable && !build_graph(d, solver->system.A, solver->timed, stream, error)) {
    graph_destroy(graph);
    return false;
  }

  // The caller has waited for the previous solve, so no kernel reads *d->relative any more.
  *d->relative = solver->system.relative;
  if (!solver->keeps && !make(d, &solver->system, stream, error)) return false;
  if (!(d->by_host ? launch_from_host(solver, d, stream, error) : graph_launch(graph, stream, error))) return false;
  return device_download(stream, solver->report, &d->view.state->report, sizeof *solver->report, error);
}

static bool record(Solver *solver, GraphChain *chain, const SolverInputs *inputs, const SolverReport **report,
                   Stream stream, Error *error) {
  Data *d = (Data *)solver->data;
  if (d->by_host)
    return error_set(
        error, "unset the environment variable PLIANT_HOST_LOOP: with it, a solve cannot be a part of a CUDA graph");
  follow(d, solver);
  View v = d->view;
  v.relative = inputs->relative;
  v.wanted = inputs->wanted;
  *report = &v.state->report;
  const bool makes = (d->two_levels || d->levels) && !solver->keeps;
  Recording r = { solver->system.A, d, &v, makes ? &solver->system : NULL, false, 0 };
  return record_solve(&r, chain, stream, error);
}

// The functions of every row.
#define CG_FUNCTIONS .create = create, .destroy_data = destroy_data, .solve = solve, .record = record

extern "C" {
extern const SolverMethod REAL_NAME(cg_cuda), REAL_NAME(dcg_cuda), REAL_NAME(bdcg_cuda), REAL_NAME(schwarz_cuda),
    REAL_NAME(ssor_cuda), REAL_NAME(pmg_cuda);
const SolverMethod REAL_NAME(cg_cuda) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "cg",
             .summary = "conjugate gradients without a preconditioner",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_NONE,
  CG_FUNCTIONS,
  .reserve = reserve,
};
const SolverMethod REAL_NAME(dcg_cuda) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "dcg",
             .summary = "conjugate gradients, diagonal preconditioner",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .preferred = true,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_DIAGONAL,
  CG_FUNCTIONS,
  .reserve = reserve,
};
const SolverMethod REAL_NAME(bdcg_cuda) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "bdcg",
             .summary = "conjugate gradients, block-diagonal preconditioner",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_NODES,
  CG_FUNCTIONS,
  .reserve = reserve,
};
const SolverMethod REAL_NAME(schwarz_cuda) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "schwarz",
             .summary = "conjugate gradients, two-level preconditioner with rigid motions of groups of nodes (for "
                        "stiff bodies)",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_COARSE,
  CG_FUNCTIONS,
};
const SolverMethod REAL_NAME(pmg_cuda) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "pmg",
             .summary =
                 "conjugate gradients, p-multigrid preconditioner whose coarsest level has rigid motions of groups of "
                 "nodes (for stiff bodies)",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = pmg_bytes },
  .precondition = PRECONDITION_LEVELS,
  CG_FUNCTIONS,
};
const SolverMethod REAL_NAME(ssor_cuda) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "ssor",
             .summary = "conjugate gradients, SSOR preconditioner that sweeps over groups (colours) of nodes that are "
                        "not neighbours",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_SSOR,
  .applied = &REAL_NAME(ssor_applied_cuda),
  CG_FUNCTIONS,
};
}
