// Linear solvers: the list of methods and what is the same for all of them.
#include "sim/krylov/solver.h"

#include <stdlib.h>

#include "base/interrupt.h"
#include "base/timer.h"

// for each device the default comes first
#ifdef PLIANT_CUDA
#define METHODS(X) X(dcg_cpu) X(cg_cpu) X(dcg_cuda) X(cg_cuda)
#else
#define METHODS(X) X(dcg_cpu) X(cg_cpu)
#endif

#define DECLARE(name) extern const SolverMethod name##_f32, name##_f64;
#define LIST(name) &name##_f32, &name##_f64,
METHODS(DECLARE)

const SolverMethod *const solver_methods[] = { METHODS(LIST) NULL };

bool solver_create(Solver *solver, const SolverMethod *method, const SolverSystem *system, Stream stream,
                   Error *error) {
  *solver = (Solver){ .method = method, .system = *system };
  solver->report = device_alloc_pinned(method->device, sizeof *solver->report, error);
  solver->stop = device_alloc_pinned(method->device, sizeof *solver->stop, error);
  if (solver->report && solver->stop) {
    *solver->report = (SolverReport){ 0 };
    *solver->stop = 0;
    if (method->create(solver, stream, error)) return true;
  }
  solver_destroy(solver);
  return error_prefix(error, "solver %s", method->name);
}

void solver_destroy(Solver *solver) {
  if (solver->data) solver->method->destroy_data(solver);
  if (solver->method) device_free_pinned(solver->method->device, solver->report);
  if (solver->method) device_free_pinned(solver->method->device, (void *)solver->stop);
  *solver = (Solver){ 0 };
}

bool solver_solve(Solver *solver, Stream stream, Error *error) {
  *solver->stop = 0;
  solver->report->end = SOLVER_RUNNING;
  return solver->method->solve(solver, stream, error);
}

bool solver_wait(Solver *solver, Stream stream, Error *error) {
  // the report lands in memory that can be watched without asking the driver, but where the device has failed
  const volatile SolverEnd *end = &solver->report->end;
  double next = timer_seconds() + 1e-3;
  for (bool done = false; *end == SOLVER_RUNNING && !done;) {
    if (interrupt_wanted()) *solver->stop = 1;
    const double now = timer_seconds();
    if (now < next) continue;
    next = now + 1e-3;
    if (!stream_done(stream, &done, error)) return false;
  }
  return stream_sync(stream, error);
}
