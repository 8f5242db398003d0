// The solver "block" on the GPU: conjugate gradients in one thread block (block_solver.cuh).
#include "sim/worlds/block_solver.cuh"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "device/cuda_try.h"
#include "sim/operator/formats/block_layout.h"
#include "sim/worlds/world_kernels.h"

namespace block_solver {

typedef struct Data {
  double *relative;      // pinned host memory: tolerance of a solve that the host starts
  SolverReport *report;  // on the GPU
  int *row;              // on the GPU: the row of each block of the matrix
} Data;

// In double, the matrix is never stored in registers, so the kernel for a matrix in registers is not compiled.
static constexpr bool MAY_HOLD = sizeof(real) == sizeof(float);

// Thread block k solves the system many[k]. If `many` is NULL, the only thread block solves the system `one`.
template <bool HOLDS>
static __global__ void __launch_bounds__(BLOCK_THREADS)
    solve_kernel(const __grid_constant__ BlockSystem one, const BlockSystem *many) {
  extern __shared__ __align__(16) unsigned char shared[];
  const BlockSystem s = many ? many[blockIdx.x] : one;
  if (s.wanted && !*s.wanted) return;
  block_solve<HOLDS>(s, (real *)shared);
}

static void destroy_data(Solver *solver) {
  Data *d = (Data *)solver->data;
  device_free_pinned(DEVICE_CUDA, d->relative);
  device_free(DEVICE_CUDA, d->report);
  device_free(DEVICE_CUDA, d->row);
  free(d);
}

// Returns the bytes of shared memory that the vectors of a solve may use. DECLARED is an upper bound of the shared
// memory, in bytes, that the kernel declares for other variables.
static size_t available(void) {
  enum { DECLARED = 1024 };
  const size_t all = device_block_memory(DEVICE_CUDA);
  return all > DECLARED ? all - DECLARED : 0;
}

static int block_count(const Operator *A) {
  return (int)(A->value_count / 9);
}

static bool holds(const Operator *A) {
  return block_holds(A->space->node_count, block_count(A));
}

static bool suits(const Space *space, const Operator *A, Error *error) {
  (void)A;
  const size_t need = block_shared_bytes(space->node_count, space_pairs(space));
  if (space->node_dof != 3)
    return error_set(error, "solver block: nodes have %d unknowns, expected 3; choose another --solver",
                     space->node_dof);
  for (int a = 0; a < space->node_count; a++)
    if (space->graph.start[a + 1] - space->graph.start[a] >= NODE_LENGTH_MAX || space->graph.start[a] >= NODE_START_MAX)
      return error_set(
          error,
          "solver block: the matrix has %d or more 3 x 3 blocks in a row, or more than %d in total; choose "
          "another --solver",
          NODE_LENGTH_MAX, NODE_START_MAX);
  return need <= available() ||
         error_set(error,
                   "solver block: the body has %d nodes and needs %zu KiB of shared memory, but a thread block of the "
                   "GPU has %zu KiB; choose another --solver",
                   space->node_count, (need + 1023) / 1024, available() / 1024);
}

// Creates Data.row from the graph of the mesh. The matrix stores the blocks of a row one after the other.
static bool create_rows(Data *d, const Space *space, Error *error) {
  const int64_t *start = space->graph.start, blocks = space_pairs(space);
  int *row = (int *)array_new(blocks, sizeof *row, "matrix rows", error);
  for (int a = 0; row && a < space->node_count; a++)
    for (int64_t k = start[a]; k < start[a + 1]; k++) row[k] = a;
  d->row = row ? (int *)device_clone(DEVICE_CUDA, row, sizeof *row * (size_t)blocks, error) : NULL;
  free(row);
  return d->row;
}

static bool create(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  const Space *space = solver->system.A->space;
  Data *d = (Data *)array_new(1, sizeof *d, "solver data", error);
  solver->data = d;
  if (!d || !suits(space, NULL, error)) return false;
  const int most = (int)available();
  CUDA_TRY(cudaFuncSetAttribute(solve_kernel<MAY_HOLD>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  CUDA_TRY(cudaFuncSetAttribute(solve_kernel<false>, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  d->relative = (double *)device_alloc_pinned(DEVICE_CUDA, sizeof *d->relative, error);
  d->report = (SolverReport *)device_alloc(DEVICE_CUDA, sizeof *d->report, error);
  return d->relative && d->report && create_rows(d, space, error);
}

static BlockSystem system_of(const Solver *solver) {
  const SolverSystem *system = &solver->system;
  const Operator *A = system->A;
  const BlockLayout *layout = (const BlockLayout *)A->layout;
  const Data *d = (const Data *)solver->data;
  BlockSystem s = {};
  s.nodes = A->space->node_count;
  s.blocks = block_count(A);
  s.iterations_max = system->iterations_max;
  s.timed = solver->timed;
  s.start = layout->start;
  s.length = layout->length;
  s.column = layout->column;
  s.row = d->row;
  s.values = (const real *)A->values;
  s.diagonal = (const real *)A->blocks;
  s.b = (const real *)system->b;
  s.fixed = system->fixed;
  s.x = (real *)system->x;
  s.relative = d->relative;
  s.stop = solver->stop;
  s.report = d->report;
  return s;
}

static bool launch(const BlockSystem *one, const BlockSystem *many, int count, Stream stream, Error *error) {
  const size_t bytes = block_shared_bytes(one->nodes, one->blocks);
  const auto kernel = block_holds(one->nodes, one->blocks) ? solve_kernel<MAY_HOLD> : solve_kernel<false>;
  kernel<<<count, BLOCK_THREADS, bytes, (cudaStream_t)stream.handle>>>(*one, many);
  CUDA_TRY(cudaGetLastError());
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const Data *d = (const Data *)solver->data;
  const BlockSystem s = system_of(solver);
  // The caller has waited for the previous solve, so no kernel reads *d->relative any more.
  *d->relative = solver->system.relative;
  return launch(&s, NULL, 1, stream, error) &&
         device_download(stream, solver->report, d->report, sizeof *solver->report, error);
}

static BlockSystem recorded_system(const Solver *solver, const SolverInputs *inputs, const SolverReport **report) {
  BlockSystem s = system_of(solver);
  s.relative = inputs->relative;
  s.wanted = inputs->wanted;
  *report = s.report;
  return s;
}

static bool queue_recorded(void *system, Stream stream, Error *error) {
  return launch((const BlockSystem *)system, NULL, 1, stream, error);
}

static bool record(Solver *solver, GraphChain *chain, const SolverInputs *inputs, const SolverReport **report,
                   Stream stream, Error *error) {
  BlockSystem s = recorded_system(solver, inputs, report);
  return graph_record(chain, stream, queue_recorded, &s, error);
}

static void describe(const Solver *solver, char *text, size_t size) {
  snprintf(text, size, "one thread block, matrix in %s", holds(solver->system.A) ? "registers" : "memory");
}

// Estimates the solver's memory on the GPU, and the bytes that an iteration reads. An iteration reads the matrix from
// memory only if the matrix does not fit into registers.
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double blocks = stage_blocks(size);
  StageBytes bytes = stage_takes(stage, sizeof(SolverReport) + sizeof(int) * blocks);
  if (!block_holds((int)size->nodes, (int64_t)blocks))
    bytes.work[WORK_ITERATION].read = (9 * sizeof(real) + 2 * sizeof(int)) * blocks;
  return bytes;
}

extern "C" {
extern const SolverMethod REAL_NAME(block_cuda);

bool REAL_NAME(solver_is_block)(const Solver *solver) {
  return solver->method == &REAL_NAME(block_cuda);
}

size_t REAL_NAME(block_system_bytes)(void) {
  return sizeof(BlockSystem);
}

void REAL_NAME(block_system_of)(const Solver *solver, const SolverInputs *inputs, void *arguments,
                                const SolverReport **report) {
  *(BlockSystem *)arguments = recorded_system(solver, inputs, report);
}

bool REAL_NAME(block_solve_many)(const Solver *solver, const void *arguments, int count, Stream stream, Error *error) {
  const BlockSystem one = system_of(solver);
  return launch(&one, (const BlockSystem *)arguments, count, stream, error);
}

const SolverMethod REAL_NAME(block_cuda) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "block",
             .summary = "conjugate gradients in one thread block of the GPU, for many small bodies",
             .device = DEVICE_CUDA,
             .precision = REAL_PRECISION,
             .bytes = bytes_of },
  .precondition = PRECONDITION_NODES,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
  .matrix = "bcsr",
  .suits = suits,
  .record = record,
  .describe = describe,
};
}

}  // namespace block_solver
