// The resident solver on the GPU: a whole solve in one kernel. resident.h describes the method. Each multiprocessor
// processes one part of the matrix, a group of nodes with their rows (part_layout.h). As far as they fit, it keeps the
// part's vectors in shared memory and its matrix blocks in registers. The halo of a part consists of the neighbours of
// its nodes in other parts.
//
// Parts send each other packets through device memory. A packet is 16 bytes, which one instruction writes: the number
// of the exchange, and three 32-bit words of data. A receiver reads a packet again and again until it has the number of
// the expected exchange, so no barrier of all thread blocks is needed. The memory of a packet is used again two
// exchanges later. By then a part has received the sums of the exchange in between from all parts, so all have read the
// packet.
//
// The last warp of each thread block adds the part's sums, exchanges them with other parts, and computes alpha, beta
// and the end of the solve. The other warps multiply by the matrix and update the vectors. All parts add the same sums
// in the same order, so they take the same decision, and a run repeats bit for bit. A wait ends the solve if it lasts
// too long. A cooperative launch ensures that all thread blocks run at once.
//
// This file has the code of the host. resident_held.cuh has the kernel that keeps matrix blocks and vectors on the
// multiprocessors, and resident_stream.cuh the kernels for larger bodies.
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/environment.h"
#include "device/cuda_try.h"
#include "sim/solver/multigrid/coarse.cuh"
#include "sim/solver/multigrid/part_aggregates.h"
#include "sim/solver/preconditioner.h"
#include "sim/resident/resident_held.cuh"
#include "sim/resident/resident_stream.cuh"

// Data that a multiprocessor keeps in registers and shared memory during a solve.
typedef enum Form {
  FORM_HELD,  // matrix blocks and all vectors
  FORM_NEAR,  // vectors; products read matrix blocks from device memory
  // only the vector u; other vectors and matrix blocks are read from device memory in every iteration
  FORM_FAR,
} Form;

typedef void (*Kernel)(View v);

typedef struct Data {
  View view;
  Form form;  // variant of the kernel: which data a multiprocessor keeps on chip during a solve
  Kernel kernel;
  size_t shared_bytes;  // bytes of shared memory of a thread block
  bool two_levels;      // true: the preconditioner has a coarse space of rigid motions
  CoarseCuda coarse;
  Kernel term_kernel;  // kernel whose products add the matrix of contact; NULL: none
} Data;

static void destroy_data(Solver *solver) {
  Data *d = (Data *)solver->data;
  const View &v = d->view;
  const PartCoarse &c = v.c;
  const void *arrays[] = { v.held,     v.inbox,       v.sums,       v.exchange, v.report, v.diagonal, v.far,   v.board,
                           v.row_sums, c.owned_start, c.near_start, c.near,     c.slot,   c.position, c.omega, c.psi };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, (void *)arrays[k]);
  REAL_NAME(coarse_cuda_destroy)(&d->coarse);
  free(d);
}

// Returns the bytes of shared memory of a thread block for the data that a form of the kernel keeps on chip.
static size_t shared_bytes(Form form, const PartLayout *l, int dof, bool two_levels) {
  const size_t entry = form == FORM_FAR ? (size_t)dof : dof == 3 ? 4 : 1, d = (size_t)dof, triangle = d * (d + 1) / 2;
  const size_t owned = (size_t)l->owned_max, local = (size_t)l->local_max;
  const size_t blocks = (size_t)(PART_CHUNK - steps_held(d * d * sizeof(real))) * d * d * WORKERS;
  const size_t other = form == FORM_HELD   ? (3 * d + triangle) * owned + blocks
                       : form == FORM_NEAR ? d * ((two_levels ? 3 : 2) * local + 3 * owned)
                                           : 0;
  return sizeof(real) * (entry * local + other);
}

template <int DOF, bool HALVES, bool COARSE>
static Kernel kernel_of_form(Form form) {
  if (form == FORM_NEAR) return stream_kernel<DOF, HALVES, false, COARSE>;
  if (form == FORM_FAR) return stream_kernel<DOF, HALVES, true, COARSE>;
  return held_kernel<DOF, HALVES, COARSE, false>;
}

template <int DOF, bool COARSE>
static Kernel kernel_of(Form form, bool halves) {
  return halves ? kernel_of_form<DOF, true, COARSE>(form) : kernel_of_form<DOF, false, COARSE>(form);
}

static Kernel kernel_of(Form form, int dof, bool halves, bool two_levels) {
  if (two_levels) return kernel_of<3, true>(form, halves);
  return dof == 1 ? kernel_of<1, false>(form, halves) : kernel_of<3, false>(form, halves);
}

// Returns true if the parts are small enough for the kernel that keeps matrix blocks in registers. Each of its thread
// blocks needs a thread for each node of a part and its halo, and a thread for each chunk (some blocks of a row).
static bool fits_threads(const PartLayout *l, int dof) {
  return dof <= 3 && l->local_max <= WORKERS && l->tile_max <= WARPS && l->step_max <= PART_CHUNK;
}

// Sets *available to the bytes of a multiprocessor's shared memory that vectors may use, if other data take `other`
// bytes. The environment variable PLIANT_RESIDENT_KIB is an upper bound in KiB, with which tests run the kernels for
// large bodies on small ones.
static bool shared_memory_available(size_t other, size_t *available, Error *error) {
  enum { STATIC = 1024 };  // max bytes of shared memory that the kernels declare themselves
  const char *bound = environment_value("PLIANT_RESIDENT_KIB");
  int all = 0;
  CUDA_TRY(cudaDeviceGetAttribute(&all, cudaDevAttrMaxSharedMemoryPerBlockOptin, device_gpu()));
  *available = (size_t)all > other + STATIC ? (size_t)all - other - STATIC : 0;
  if (bound && strtoull(bound, NULL, 10) < *available / 1024) *available = 1024 * (size_t)strtoull(bound, NULL, 10);
  return true;
}

// Among the forms whose vectors fit into shared memory, chooses the one with the most data on chip. Fails if none fits.
static bool choose_form(const View *v, int dof, Form *form, Error *error) {
  const PartLayout *l = &v->l;
  const bool two_levels = v->c.count > 0;
  size_t available = 0;
  if (!shared_memory_available(coarse_bytes(&v->c), &available, error)) return false;
  *form = fits_threads(l, dof) && !environment_value("PLIANT_RESIDENT_KIB") ? FORM_HELD : FORM_NEAR;
  while (*form < FORM_FAR && shared_bytes(*form, l, dof, two_levels) > available) *form = (Form)(*form + 1);
  const size_t bytes = shared_bytes(*form, l, dof, two_levels);
  return bytes <= available ||
         error_set(error,
                   "one of the parts of the mesh has %d nodes and needs %zu KiB of shared memory, but a multiprocessor "
                   "of the GPU has %zu KiB; choose another --solver",
                   l->local_max, (bytes + 1023) / 1024, available / 1024);
}

// Fails if the GPU cannot process all parts at the same time, with `blocks` thread blocks on each multiprocessor.
static bool check_part_count(int parts, int blocks, Error *error) {
  const int units = blocks * device_multiprocessors(DEVICE_CUDA);
  const int parts_max = units < PARTS_MAX ? units : PARTS_MAX;
  return parts <= parts_max ||
         error_set(error,
                   "the mesh has %d parts, but on this GPU the solver processes at most %d at the same time; choose "
                   "another --solver",
                   parts, parts_max);
}

static bool choose_kernel(Data *d, int dof, Error *error) {
  const PartLayout *l = &d->view.l;
  const bool halves = l->halves.unit;
  int blocks = 0;
  if (!choose_form(&d->view, dof, &d->form, error)) return false;
  d->kernel = kernel_of(d->form, dof, halves, d->two_levels);
  d->shared_bytes = shared_bytes(d->form, l, dof, d->two_levels) + coarse_bytes(&d->view.c);
  CUDA_TRY(
      cudaFuncSetAttribute((const void *)d->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)d->shared_bytes));
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)d->kernel, THREADS, d->shared_bytes));
  return check_part_count(l->part_count, blocks, error);
}

// Chooses the kernel whose products add the matrix of contact, d->term_kernel. It exists only without a coarse space,
// for blocks that are kept in registers and are not rounded; else it is NULL.
static bool choose_term_kernel(Data *d, const Operator *A, Error *error) {
  const PartLayout *l = &d->view.l;
  int blocks = 0;
  if (!A->term.rows || A->space->node_dof != 3 || d->form != FORM_HELD || l->halves.unit || d->two_levels) return true;
  const Kernel kernel = held_kernel<3, false, false, true>;
  CUDA_TRY(
      cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)d->shared_bytes));
  CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)kernel, THREADS, d->shared_bytes));
  if (blocks * device_multiprocessors(DEVICE_CUDA) < l->part_count) return true;
  const size_t packets = sizeof(Packet) * PACKETS * (size_t)d->view.node_count;
  d->view.rows = A->term.rows;
  d->view.board = (Packet *)device_alloc(DEVICE_CUDA, packets, error);

  // The number of rows of the contact matrix changes from step to step. The array has packets for a row of each node.
  d->view.row_sums = (Packet *)device_alloc(DEVICE_CUDA, packets, error);
  d->term_kernel = kernel;
  return d->view.board && d->view.row_sums;
}

// Implements SolverMethod.suits: returns true if the multiprocessors can hold the parts. If there is no matrix yet (A
// is NULL), assumes equal parts without halos (neighbours in other parts).
static bool suits(const Space *space, const Operator *A, Error *error) {
  const int parts = part_count_for(DEVICE_CUDA, space->node_count);
  Data d = {};
  if (space->node_dof == 2)
    return error_set(error, "solver resident: nodes have 2 unknowns, expected 1 or 3; choose another --solver");
  d.view.l.owned_max = d.view.l.local_max = space->node_count / (parts + 1);
  if (A) d.view.l = *A->parts;
  const bool ok = A ? choose_kernel(&d, space->node_dof, error)
                    : check_part_count(parts, 1, error) && choose_form(&d.view, space->node_dof, &d.form, error);
  return ok || error_prefix(error, "solver resident");
}

// Implements SolverMethod.reads: returns true if products will read the matrix from memory, because the matrix does not
// fit into registers and shared memory. Assumes equal parts without halos.
static bool reads(const Space *space) {
  Data d = {};
  Error ignored = {};
  d.view.l.owned_max = d.view.l.local_max = space->node_count / (part_count_for(DEVICE_CUDA, space->node_count) + 1);
  return choose_form(&d.view, space->node_dof, &d.form, &ignored) && d.form != FORM_HELD;
}

static bool holds(const Solver *solver) {
  return ((const Data *)solver->data)->form == FORM_HELD;
}

static int *clone_ints(const int *host, int count, Error *error) {
  return (int *)device_clone(DEVICE_CUDA, host, sizeof *host * (size_t)count, error);
}

// Uploads the lists of the coarse space (rigid motions of groups of nodes), and allocates packets for its exchanges.
static bool copy_coarse(Data *d, const PartAggregates *near, const Aggregates *g, const Operator *A, Error *error) {
  PartCoarse &c = d->view.c;
  const int parts = A->parts->part_count, locals = A->space->node_count + A->parts->halo_count;
  if (!REAL_NAME(coarse_cuda_create)(&d->coarse, g, A, error)) return false;
  c.count = g->count;
  c.n = d->coarse.view.n;
  c.near_max = near->near_max;
  c.owned_max = near->owned_max;
  c.B = d->coarse.B;
  const size_t packets = sizeof(Packet) * 2 * 2 * PACKETS * (size_t)c.count;
  if (!(c.owned_start = clone_ints(near->owned_start, parts + 1, error))) return false;
  if (!(c.near_start = clone_ints(near->near_start, parts + 1, error))) return false;
  if (!(c.near = clone_ints(near->near, near->near_start[parts], error))) return false;
  if (!(c.slot = clone_ints(near->slot, locals, error))) return false;
  if (!(c.position = (real *)device_alloc(DEVICE_CUDA, sizeof *c.position * 4 * (size_t)locals, error))) return false;
  if (!(c.omega = (Packet *)device_alloc(DEVICE_CUDA, packets * OMEGA_COPIES, error))) return false;
  c.psi = (Packet *)device_alloc(DEVICE_CUDA, packets, error);
  return c.psi;
}

static bool create_coarse(Data *d, const Operator *A, Stream stream, Error *error) {
  PartAggregates near;
  Aggregates g;
  if (A->space->node_dof != 3)
    return error_set(error, "solver resident_schwarz: nodes have %d unknowns, expected 3; choose another --solver",
                     A->space->node_dof);
  const bool ok = part_aggregates_create(&near, &g, A, stream, error) && copy_coarse(d, &near, &g, A, error);
  part_aggregates_destroy(&near);
  aggregates_destroy(&g);
  return ok;
}

// Queues the computation of B, the inverse of the coarse matrix, unless the solve keeps B of an earlier solve.
static bool make_coarse(const Solver *solver, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
  const View &v = d->view;
  const int locals = v.node_count + v.l.halo_count;
  cudaStream_t s = (cudaStream_t)stream.handle;
  if (!d->two_levels || solver->keeps) return true;
  if (!REAL_NAME(coarse_cuda_make)(&d->coarse, &solver->system, s, error)) return false;
  position_kernel<<<(locals + THREADS - 1) / THREADS, THREADS, 0, s>>>(v.c, v.l.node, locals, d->coarse.view.arm);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool make_held_threads(View *v, int dof, Stream stream, Error *error) {
  const size_t count = (size_t)v->l.part_count * THREADS;
  HeldThread *threads = (HeldThread *)device_alloc(DEVICE_CUDA, sizeof *threads * count, error);
  v->held = threads;
  if (!threads) return false;
  held_threads_kernel<<<v->l.part_count, THREADS, 0, (cudaStream_t)stream.handle>>>(v->l, dof, threads);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool create(Solver *solver, Stream stream, Error *error) {
  const SolverSystem *system = &solver->system;
  const Operator *A = system->A;
  const int dof = A->space->node_dof;
  Data *d = (Data *)array_new(1, sizeof *d, "solver data", error);
  solver->data = d;
  if (!d) return false;

  View &v = d->view;
  v.l = *A->parts;
  v.node_count = A->space->node_count;
  v.iterations_max = system->iterations_max;
  v.b = (const real *)system->b;
  v.x = (real *)system->x;
  v.fixed = system->fixed;
  v.stop = solver->stop;
  v.values = (const real *)A->values;
  v.blocks = (const real *)A->blocks;

  // Create the coarse space, and choose the form (data kept on chip) and the kernels.
  d->two_levels = solver->method->precondition == PRECONDITION_COARSE;
  if ((d->two_levels && !create_coarse(d, A, stream, error)) || !choose_kernel(d, dof, error) ||
      !choose_term_kernel(d, A, error))
    return false;
  solver->takes_term = d->term_kernel;

  const size_t packets = sizeof(Packet) * 2 * PACKETS;
  v.inbox = (Packet *)device_alloc(DEVICE_CUDA, packets * (size_t)v.l.halo_count, error);
  v.sums = (Packet *)device_alloc(DEVICE_CUDA, packets * SUM_COPIES * (size_t)v.l.part_count, error);
  v.exchange = (unsigned *)device_alloc(DEVICE_CUDA, sizeof *v.exchange, error);
  v.report = (SolverReport *)device_alloc(DEVICE_CUDA, sizeof *v.report, error);
  if (!v.inbox || !v.sums || !v.exchange || !v.report) return false;

  // Allocate the data in device memory that the chosen form of the kernel needs.
  if (d->form == FORM_HELD) return make_held_threads(&v, dof, stream, error);
  const size_t triangle = (size_t)(dof * (dof + 1) / 2) * (size_t)aligned_count(v.l.owned_max);
  const size_t parts = (size_t)v.l.part_count, real_size = sizeof(real);
  v.diagonal = (real *)device_alloc(DEVICE_CUDA, real_size * parts * triangle, error);
  if (!v.diagonal || d->form == FORM_NEAR) return v.diagonal;
  const size_t far = dof == 1 ? far_count<1>(v.l, d->two_levels) : far_count<3>(v.l, d->two_levels);
  v.far = (real *)device_alloc(DEVICE_CUDA, real_size * parts * far, error);
  return v.far;
}

static bool launch(const Data *d, View v, bool with_term, Stream stream, Error *error) {
  void *arguments[] = { &v };
  const bool term = with_term && d->term_kernel;
  CUDA_TRY(cudaLaunchCooperativeKernel((const void *)(term ? d->term_kernel : d->kernel),
                                       dim3((unsigned)v.l.part_count), dim3(THREADS), arguments, d->shared_bytes,
                                       (cudaStream_t)stream.handle));
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
  View v = d->view;
  v.timed = solver->timed;
  v.relative = solver->system.relative;
  v.norm = solver->system.norm;
  return make_coarse(solver, stream, error) && launch(d, v, solver->with_term, stream, error) &&
         device_download(stream, solver->report, v.report, sizeof *solver->report, error);
}

// Arguments of the function that records a solve into a CUDA graph.
typedef struct Recording {
  const Solver *solver;
  const SolverInputs *inputs;
} Recording;

static bool queue(void *recording, Stream stream, Error *error) {
  const Recording *r = (const Recording *)recording;
  const Data *d = (const Data *)r->solver->data;
  View v = d->view;
  v.later = *r->inputs;
  return make_coarse(r->solver, stream, error) && launch(d, v, r->solver->with_term, stream, error);
}

static bool record(Solver *solver, GraphChain *chain, const SolverInputs *inputs, const SolverReport **report,
                   Stream stream, Error *error) {
  Recording r = { solver, inputs };
  *report = ((const Data *)solver->data)->view.report;
  return graph_record(chain, stream, queue, &r, error);
}

static void describe(const Solver *solver, char *text, size_t size) {
  static const char *const forms[] = { "the matrix stays in the multiprocessors",
                                       "each product reads the matrix from GPU memory",
                                       "each iteration reads the matrix and most vectors from GPU memory" };
  const Data *d = (const Data *)solver->data;
  snprintf(text, size, "number of parts: %d, with at most %d nodes each; %s", d->view.l.part_count, d->view.l.owned_max,
           forms[d->form]);
}

// Estimates memory and work. Memory: packets with values of halo nodes (neighbours in other parts), of which there is
// about one per three nodes, the coarse space, and data that do not fit into the multiprocessors if all parts are
// equal. An iteration waits for one exchange, or for two with a coarse space.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const int units = device_multiprocessors(DEVICE_CUDA), dof = (int)size->node_dof;
  const double packets = 2.0 * PACKETS * sizeof(Packet) * size->nodes / 3, number = sizeof(real) * size->nodes;
  const bool two_levels = ((const SolverMethod *)stage)->precondition == PRECONDITION_COARSE;
  StageBytes bytes = stage_takes(stage, packets);
  if (two_levels) solver_add_coarse(stage, size, &bytes);
  bytes.work[WORK_ITERATION].exchanges = two_levels ? 2 : 1;
  PartLayout l = {};
  l.owned_max = units > 0 ? (int)(size->nodes / units) : 0;
  l.local_max = l.owned_max * 4 / 3;
  size_t available = 0;
  Error ignored = {};
  if (l.local_max <= WORKERS || !shared_memory_available(0, &available, &ignored)) return bytes;
  const double triangle = dof * (dof + 1) / 2.0 * number;
  StageTraffic *iteration = &bytes.work[WORK_ITERATION];
  bytes.on[DEVICE_CUDA] += triangle;
  if (shared_bytes(FORM_NEAR, &l, dof, two_levels) <= available) return bytes;

  // With a coarse space, a part also stores D^-1 and z = D^-1 r, D being A's diagonal, and updates x in each iteration.
  const double coarse = two_levels ? 4 / 3.0 : 0;
  bytes.on[DEVICE_CUDA] += dof * number * (3 + 4 / 3.0 + 2 * coarse);
  iteration->read += dof * number * (3.5 + 1 / 3.0 + (two_levels ? 0.5 : 0) + 2 * coarse) + packets / 2;
  iteration->written += dof * number * (3.5 + 1 / 3.0 + (two_levels ? 0.5 : 0) + coarse) + packets / 2;
  return bytes;
}

extern "C" {
extern const SolverMethod REAL_NAME(resident_cuda), REAL_NAME(resident_schwarz_cuda);
const SolverMethod REAL_NAME(resident_cuda) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "resident",
             .summary = "conjugate gradients, one part of the mesh per multiprocessor; diagonal preconditioner",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .precondition = PRECONDITION_DIAGONAL,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
  .matrix = "parts",
  .other_matrix = "parts16",
  .is_default = true,
  .suits = suits,
  .holds = holds,
  .record = record,
  .describe = describe,
  .reads = reads,
};
const SolverMethod REAL_NAME(resident_schwarz_cuda) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "resident_schwarz",
             .summary = "conjugate gradients, one part of the mesh per multiprocessor; two-level preconditioner (for "
                        "stiff bodies)",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .precondition = PRECONDITION_COARSE,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
  .matrix = "parts",
  .other_matrix = "parts16",
  .holds = holds,
  .record = record,
  .describe = describe,
  .reads = reads,
};
}
