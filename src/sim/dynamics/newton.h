// Newton's method for one implicit step, with a line search. One source serves any mix of devices; it is built for each
// precision.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/dynamics/motion.h"
#include "sim/dynamics/transfer.h"
#include "sim/solver/solver.h"

// The objects that a step uses. All are borrowed, except the transfers and solver_held.
typedef struct Newton {
  Motion *motion;
  Assembly *assembly;
  Operator *A;
  Solver *solver;         // solver of the last and the next solve: `whole`, or `alone` if that suffices
  Solver *whole, *alone;  // `alone` is faster and may not support the operator's term; NULL: there is none
  const NewtonSettings *settings;
  StageClock *clock;
  Stream stream, assembly_stream, solver_stream;  // streams on the devices of the stages
  Stream cuda;                                    // stream of the GPU if stages are on different devices
  // copies between body and assembly, assembly and matrix, body and solver
  Transfer nodal, internal, min_J, values, shift, diagonal, residual, du;
  Transfer linearised;          // nodal data, for an operator that stores no values
  Transfer theta_u;             // u_theta for a preconditioner's coarse space
  uint8_t *solver_held;         // [n] on the solver's device: Body.held, or a copy that this owns
  double elapsed, whole_dt;     // s, duration of the completed parts of the step, and of the whole step
  bool knows_start;             // the backup holds the state at the start of the last step
  bool has_before;              // the previous state is known, and its step had the length of the next one
  bool extrapolated;            // the body's state is extrapolated for BDF2: the step begins at the backup
  int64_t assemblies, vectors;  // numbers of assemblies since the start: with matrix, and of the vector only
  // recorded steps without and with contact, created at first use; owned
  struct StepGraph *graph;
  struct TouchingGraph *touching;
  // progress at which the GPU handed the step to the host; else NULL
  const struct NewtonProgress *left;
} Newton;

typedef struct NewtonFunctions {
  /// Connects the stages of a Newton whose borrowed members are set, and creates its solver, and `alone` unless that is
  /// NULL.
  bool (*connect)(Newton *newton, const SolverMethod *method, const SolverMethod *alone, Error *error);
  void (*disconnect)(Newton *newton);  // accepts a zeroed Newton

  /// Call after connected arrays have moved or changed size. All stages must be on one device.
  void (*reconnect)(Newton *newton);

  /// Sets the fixed unknowns [n], 1 or 0. Waits.
  bool (*set_held)(Newton *newton, const uint8_t *held, Error *error);

  /// Advances the state by dt with settings.integrator. Plain Newton takes full steps from u0. The robust method
  /// shortens steps that would invert a cell or increase the residual. If that does not help, it takes the step by
  /// backward Euler, and if that fails too, in two halves, recursively. On failure the state is unchanged.
  bool (*step)(Newton *newton, double dt, StepReport *report, Error *error);

  /// Moves u to static equilibrium and sets momenta to 0. If Newton's method does not converge, state and momenta are
  /// unchanged, and report->converged is false.
  bool (*equilibrium)(Newton *newton, StepReport *report, Error *error);

  /// Stores the internal force at u in MOTION_INTERNAL, N. Waits.
  bool (*forces)(Newton *newton, Error *error);

  /// Sets the operator to the static tangent at u, without inertia. *min_J: the smallest det F there. Waits.
  bool (*tangent)(Newton *newton, double *min_J, Error *error);
} NewtonFunctions;

extern const NewtonFunctions newton_f32, newton_f64;
