// Newton-Raphson for one implicit step, safeguarded: the same code for any mix of devices, built for each precision.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/dynamics/motion.h"
#include "sim/dynamics/transfer.h"
#include "sim/solver/solver.h"

// What a step works with. Borrowed but for the transfers and solver_held.
typedef struct Newton {
  Motion *motion;
  Assembly *assembly;
  Operator *A;
  Solver *solver;         // of the last solve, and of the next one: `whole`, or `alone` where it can
  Solver *whole, *alone;  // the second is the faster one, and may not know the operator's term; NULL: there is none
  const NewtonSettings *settings;
  StageClock *clock;
  Stream stream, assembly_stream, solver_stream;  // each of its stage's device
  Stream cuda;                                    // the GPU's, where stages are on different devices
  // between the body and the assembly, the assembly and the matrix, the body and the solver
  Transfer nodal, internal, min_J, values, shift, diagonal, residual, du;
  Transfer linearised;          // nodal data for an operator that stores nothing, which has no values
  Transfer placed;              // u_theta for a preconditioner's coarse space
  uint8_t *solver_held;         // [n] on the solver's device: Body.held, or a copy that this owns
  double elapsed;               // s, of the step, in its parts that are done
  bool has_before;              // the state one step earlier is known, and that step was as long as the next
  bool extrapolated;            // the body's state is BDF2's extrapolated one: the step begins at the backup
  int64_t assemblies, vectors;  // with the matrix, and of the vector alone, since the start
  // steps without the host, once there was one, and where anything touches; owned
  struct StepGraph *graph;
  struct TouchingGraph *touching;
  // where the GPU left the step to the host, which goes on from there; else NULL
  const struct NewtonProgress *left;
} Newton;

typedef struct NewtonFunctions {
  /// Connects the stages of a Newton whose borrowed members are set, and creates its solver, and where `alone` is not
  /// NULL that.
  bool (*connect)(Newton *newton, const SolverMethod *method, const SolverMethod *alone, Error *error);
  void (*disconnect)(Newton *newton);  // takes a zeroed one

  /// What was connected has moved in memory, and has another size: of stages that are all on one device.
  void (*reconnect)(Newton *newton);

  /// Which unknowns [n] do not move, 1 or 0. Waits.
  bool (*set_held)(Newton *newton, const uint8_t *held, Error *error);

  /// Takes the state over dt by settings.integrator. Plain Newton from u0; the robust method shortens steps that would
  /// invert a tet or let the residual grow. Where that does not help it takes the step by backward Euler, and where
  /// that fails too, in two halves, recursively. On failure the state is as before.
  bool (*step)(Newton *newton, double dt, StepReport *report, Error *error);

  /// Moves u to where the forces balance, without inertia, and takes all momentum away. A state whose Newton does not
  /// converge is left as it was, momenta included, with report->converged false.
  bool (*equilibrium)(Newton *newton, StepReport *report, Error *error);

  /// MOTION_INTERNAL = the internal force at u, N. Waits.
  bool (*forces)(Newton *newton, Error *error);
} NewtonFunctions;

extern const NewtonFunctions newton_f32, newton_f64;
