// Newton-Raphson for one implicit step, safeguarded: the same code for both devices and precisions.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/krylov/solver.h"
#include "sim/newton/midpoint.h"
#include "sim/newton/stage_clock.h"

// What a step works with; everything borrowed but the backup.
typedef struct Newton {
  Midpoint *m;
  const MidpointOperations *operations;
  Assembly *assembly;
  Matrix *A;
  Solver *solver;  // of A, b = m->residual, x = m->du
  const SimulationSettings *settings;
  StageClock *clock;
  Stream stream;
  void *u_backup, *p_backup;    // [n] real on the device: the state before the whole step
  int64_t assemblies, vectors;  // with the matrix, and of the vector alone, since the start
} Newton;

/// Takes (u0, p0) over dt. Plain Newton from u0; the robust method shortens steps that would invert a tet or let the
/// residual grow. Where that does not help it takes the step by backward Euler, and where that fails too, in two
/// halves, recursively. On failure u0 and p0 are as before.
bool newton_step(Newton *newton, double dt, StepReport *report, Error *error);
