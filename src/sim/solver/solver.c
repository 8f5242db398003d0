// Creates, destroys and waits for solvers of all methods, and estimates the memory and work of CG.
#include "sim/solver/solver.h"

#include <stdlib.h>

#include "base/interrupt.h"
#include "base/timer.h"
#include "sim/operator/parts/part_layout.h"
#include "sim/solver/multigrid/aggregates.h"

bool solver_create(Solver *solver, const SolverMethod *method, const SolverSystem *system, Stream stream,
                   Error *error) {
  *solver = (Solver){ .method = method, .system = *system };
  solver->report = device_alloc_pinned(method->stage.device, sizeof *solver->report, error);
  solver->stop = device_alloc_pinned(method->stage.device, sizeof *solver->stop, error);
  if (solver->report && solver->stop) {
    *solver->report = (SolverReport){ 0 };
    *solver->stop = 0;
    if (method->create(solver, stream, error)) return true;
  }
  solver_destroy(solver);
  return error_prefix(error, "solver %s", method->stage.name);
}

void solver_destroy(Solver *solver) {
  if (solver->data) solver->method->destroy_data(solver);
  if (solver->method) device_free_pinned(solver->method->stage.device, solver->report);
  if (solver->method) device_free_pinned(solver->method->stage.device, (void *)solver->stop);
  *solver = (Solver){ 0 };
}

bool solver_solve(Solver *solver, Stream stream, Error *error) {
  *solver->stop = 0;
  solver->report->end = SOLVER_RUNNING;
  return solver->method->solve(solver, stream, error);
}

bool solver_watch(Solver *solver, const volatile int *word, int unset, Stream stream, Error *error) {
  double next = timer_seconds() + 1e-3;
  for (bool done = false; *word == unset && !done;) {
    if (interrupt_requested()) *solver->stop = 1;
    const double now = timer_seconds();
    if (now < next) continue;
    next = now + 1e-3;
    if (!stream_done(stream, &done, error)) return false;
  }
  __atomic_thread_fence(__ATOMIC_ACQUIRE);  // from here on, the host reads what the device wrote before *word
  return true;
}

bool solver_received(Solver *solver, SolverEnd end, Error *error) {
  if (end != SOLVER_LOST) return true;
  // The error below is set only once: the report now has SOLVER_BROKEN in place of SOLVER_LOST, so later calls do not
  // report the lost data again.
  solver->report->end = SOLVER_BROKEN;
  return error_set(error,
                   "solver %s: the GPU's multiprocessors did not receive each other's data for several seconds; choose "
                   "another --solver, and report this error",
                   solver->method->stage.name);
}

bool solver_wait(Solver *solver, Stream stream, Error *error) {
  const volatile int *end = (const volatile int *)&solver->report->end;
  return solver_watch(solver, end, SOLVER_RUNNING, stream, error) && stream_sync(stream, error) &&
         solver_received(solver, solver->report->end, error);
}

int solver_width(const SolverMethod *method, int node_dof) {
  switch (method->precondition) {
    case PRECONDITION_NONE:
    case PRECONDITION_SSOR:
    case PRECONDITION_DIRECT:
    case PRECONDITION_APPLIED:  // the four kinds above use no diagonal blocks
      return 0;
    case PRECONDITION_NODES:
      return node_dof;
    default:
      return 1;
  }
}

// Adds memory and work of a coarse space: the rigid motions of aggregates (groups of nodes). The memory contains the
// dense coarse matrix and, for each node, its aggregate and its position from the aggregate's centre. It also contains
// the list Aggregates.item with about nine tenths of all matrix blocks: of two transposed blocks that couple different
// aggregates, only one is listed. Each iteration reads r and the dense matrix. The dense matrix is computed once per
// time step; this work is not counted.
void solver_add_coarse(const Stage *stage, const StageSize *size, StageBytes *bytes) {
  const bool cuda = stage->device == DEVICE_CUDA;
  const double real = (double)precision_size(stage->precision), dof = size->node_dof, nodes = size->nodes;

  // A solver that needs a certain matrix format divides the nodes into parts. This estimate assumes one aggregate each.
  const bool in_parts = ((const SolverMethod *)stage)->matrix != NULL;
  const int count = in_parts ? part_count_for(stage->device, (int)nodes) : aggregate_count_for((int)nodes);
  const double unknowns = count * dof * (dof + 1) / 2, matrix = 8 * unknowns * unknowns;
  const double items = sizeof(AggregateItem) * 0.9 * stage_blocks(size), arms = nodes * (3 * real + sizeof(int));
  bytes->on[stage->device] += (cuda ? 2 : 1) * matrix + items + arms + nodes * (sizeof(int) + (cuda ? 24 : 0));
  if (cuda) bytes->on[DEVICE_CPU] += items;
  stage_light_pass(stage, bytes, WORK_ITERATION, nodes * (dof * real + sizeof(int)) + arms, 8 * unknowns);
  stage_light_pass(stage, bytes, WORK_ITERATION, matrix, 8 * unknowns);
  bytes->work[WORK_ITERATION].read += arms;
  bytes->work[WORK_ITERATION].flops += 2 * unknowns * unknowns + (dof == 3 ? 27 : 2) * nodes;
}

// Adds memory and work of the SSOR preconditioner: the vector z, and the lists of the matrix blocks that couple two
// nodes (ssor.h). Two sweeps together read each block once.
static void add_sweeps(const Stage *stage, const StageSize *size, StageBytes *bytes) {
  const double real = (double)precision_size(stage->precision), n = size->node_dof * size->nodes;
  const double pairs = 2 * size->pairs * (4 + (size->node_dof == 1 ? 4 : sizeof(BlockSlots))) + 12 * size->nodes;
  bytes->on[stage->device] += pairs + n * real;
  stage_pass(stage, bytes, WORK_ITERATION, pairs + (stage_entries(size) + 3 * n) * real, 2 * n * real);
  bytes->work[WORK_ITERATION].flops += 2 * stage_entries(size);
}

StageBytes solver_bytes(const Stage *stage, const StageSize *size) {
  const int width = solver_width((const SolverMethod *)stage, (int)size->node_dof);

  // The vectors are r, p and Ap. A preconditioner adds z and the upper triangles of the inverse blocks.
  const double vectors = 3 + (width > 0) + (width + 1) / 2.0;
  const double n = size->node_dof * size->nodes, vector = n * (double)precision_size(stage->precision);
  StageBytes bytes = stage_takes(stage, vectors * vector + n);

  // An iteration has two loops over vectors. The first computes x, r and z from x, r, p, Ap and M^-1. The second
  // computes p from z and p.
  const double inverse = (width > 0 ? (width + 1) / 2.0 : 0) * vector;
  stage_light_pass(stage, &bytes, WORK_ITERATION, 4 * vector + inverse, (width > 0 ? 3 : 2) * vector);
  stage_light_pass(stage, &bytes, WORK_ITERATION, 2 * vector, vector);
  bytes.work[WORK_ITERATION].flops = n * (10 + (width > 0 ? 2 * width - 1 : 0));
  if (solver_is_coarse((const SolverMethod *)stage)) solver_add_coarse(stage, size, &bytes);
  if (((const SolverMethod *)stage)->precondition == PRECONDITION_SSOR) add_sweeps(stage, size, &bytes);
  return bytes;
}
