// The solver ssor_natural: conjugate gradients with SSOR sweeps (ssor.h) in the order of the node numbers, on one core,
// as in the program for one core of paper 001.
#include "lab/stationary/applied_cg.h"
#include "sim/solver/ssor.h"

static void *create(const SolverSystem *system, Stream stream, Error *error) {
  (void)stream;
  return REAL_NAME(ssor_create)(system, true, error);
}

static const AppliedPreconditioner natural = { create, REAL_NAME(ssor_destroy), NULL, REAL_NAME(ssor_apply_cpu) };

extern const SolverMethod REAL_NAME(ssor_natural_cpu);
const SolverMethod REAL_NAME(ssor_natural_cpu) = {
  .stage = { .kind = STAGE_STATIONARY_SOLVER,
             .name = "ssor_natural",
             .summary = "conjugate gradients, SSOR preconditioner in node order on one core",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_SSOR,
  .applied = &natural,
  .create = applied_cg_create,
  .destroy_data = applied_cg_destroy,
  .solve = applied_cg_solve,
};
