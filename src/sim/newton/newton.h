// Newton-Raphson for one implicit step, safeguarded: the same code for both precisions and for any mix of devices.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/krylov/solver.h"
#include "sim/newton/midpoint.h"
#include "sim/newton/transfer.h"

// What a step works with; everything borrowed but the backup.
typedef struct Newton {
  Midpoint *m;
  const MidpointOperations *operations;
  Assembly *assembly;
  Matrix *A;
  Solver *solver;
  const SimulationSettings *settings;
  StageClock *clock;
  Stream stream, assembly_stream, solver_stream;  // each of its stage's device
  Stream cuda;                                    // the GPU's, where stages are on different devices
  // between the body and the assembly, the assembly and the matrix, the body and the solver
  const Transfer *nodal, *force, *min_J, *values, *shift, *diagonal, *residual, *du;
  void *u_backup, *p_backup;    // [n] real on the device: the state before the whole step
  void *anchor_backup;          // [node_count][2], likewise
  void *u_before, *p_before;    // [n] likewise: the state one step earlier, for BDF2
  bool has_before;              // they are, and that step was as long as the next
  int64_t assemblies, vectors;  // with the matrix, and of the vector alone, since the start
} Newton;

/// Takes (u0, p0) over dt by settings.integrator. Plain Newton from u0; the robust method shortens steps that would
/// invert a tet or let the residual grow. Where that does not help it takes the step by backward Euler, and where that
/// fails too, in two halves, recursively. On failure u0 and p0 are as before.
bool newton_step(Newton *newton, double dt, StepReport *report, Error *error);

/// Moves u0 to where the forces balance, without inertia, and takes all momentum away. A state whose Newton does not
/// converge is left as it was, momenta included, with report->converged false.
bool newton_equilibrium(Newton *newton, StepReport *report, Error *error);

/// Midpoint.F = the internal force at u0, N. Waits.
bool newton_forces(Newton *newton, Error *error);
