// Conjugate gradients (CG) for solvers of the lab with a preconditioner of their own: the row of such a solver has an
// AppliedPreconditioner, and as its functions those of this header, which call CG without a preconditioner (cg.c,
// cg.cu).
#pragma once
#include "base/real.h"
#include "sim/solver/solver.h"

extern const SolverMethod REAL_NAME(cg_cpu), REAL_NAME(cg_cuda);

static inline const SolverMethod *applied_cg(const Solver *solver) {
#ifdef PLIANT_CUDA
  if (solver->method->stage.device == DEVICE_CUDA) return &REAL_NAME(cg_cuda);
#endif
  (void)solver;
  return &REAL_NAME(cg_cpu);
}

static inline bool applied_cg_create(Solver *solver, Stream stream, Error *error) {
  return applied_cg(solver)->create(solver, stream, error);
}

static inline void applied_cg_destroy(Solver *solver) {
  applied_cg(solver)->destroy_data(solver);
}

static inline bool applied_cg_solve(Solver *solver, Stream stream, Error *error) {
  return applied_cg(solver)->solve(solver, stream, error);
}
