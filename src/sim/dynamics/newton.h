// Newton's method for one implicit step, with a line search. Body, assembly and solver may be on different devices.
// newton.c is compiled for each precision.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/dynamics/motion.h"
#include "device/transfer.h"
#include "sim/solver/solver.h"

// The objects that a step uses. All are borrowed, except the transfers and solver_held.
typedef struct Newton {
  Motion *motion;
  const Space *space;  // nodes and cells of the body
  Assembly *assembly;
  Operator *A;
  Solver *solver;         // solver of the last or the next linear system: `whole` or `alone`
  Solver *whole, *alone;  // Two solvers. `whole` supports all terms that the operator may have in addition to its
                          // matrix, such as contact. `alone` is faster, but supports only some of these terms; NULL:
                          // there is no such solver
  const NewtonSettings *settings;
  StageClock *clock;
  Stream stream, assembly_stream, solver_stream;  // streams of the body, the assembly and the solver
  Stream cuda;                                    // the GPU's stream, for copies if stages are on different devices
  // Vectors that one stage (body, assembly or solver) writes and another reads. If the stages are on different devices,
  // there are two copies of the vector.
  Transfer nodal, internal, min_J, values, shift, diagonal, residual, du;
  Transfer linearised;          // nodal data: an operator without a stored matrix reads them in each product
  Transfer theta_u;             // Iterate.u_theta, the displacements at which forces act, for a preconditioner with a
                                // coarse space
  uint8_t *solver_held;         // [n] on the solver's device: the array Body.held itself, or a copy that this struct
                                // owns
  double elapsed, whole_dt;     // s. whole_dt: duration of the whole step. elapsed: duration of its completed parts; a
                                // step that fails is divided into parts
  bool gained;                  // integrator midpoint_energy: the last part of a step gained energy that its correction
                                // could not remove
  bool knows_start;             // Iterate.u_backup and p_backup have the state at the start of the last step
  bool has_before;              // Iterate.u_before and p_before are valid, and the next step is as long as the last one
  bool extrapolated;            // for BDF2: the body's state was extrapolated, and the backup has the state at the
                                // start of the step
  int64_t assemblies, vectors;  // numbers since the creation. assemblies: assemblies of tangent and vector. vectors:
                                // assemblies of the vector only
  // CUDA graphs, which are created at first use and owned. graph: for steps in which no contact pair touches. touching:
  // for steps in which pairs touch
  struct StepGraph *graph;
  struct TouchingGraph *touching;
  // Newton's counts and norms so far, if a CUDA graph has begun the present step and the host must continue it; else
  // NULL
  const struct NewtonProgress *left;
} Newton;

typedef struct NewtonFunctions {
  /// Prepares a Newton whose borrowed members are set. Connects the arrays that one stage writes and another stage
  /// reads (body, assembly, solver). Creates the solver `whole` by `method`, and a second solver by `alone` unless that
  /// is NULL.
  bool (*connect)(Newton *newton, const SolverMethod *method, const SolverMethod *alone, Error *error);
  void (*disconnect)(Newton *newton);  // accepts a zeroed Newton

  /// Must be called after arrays of the stages were reallocated. All stages must be on one device.
  void (*reconnect)(Newton *newton);

  /// Sets the held unknowns [n]: 0 for free ones, else bits of held.h. Waits.
  bool (*set_held)(Newton *newton, const uint8_t *held, Error *error);

  /// Advances the state by dt, s, with settings.integrator. NEWTON_PLAIN takes full Newton steps from u0. NEWTON_ROBUST
  /// shortens Newton steps that would invert a cell or increase the residual. If Newton's method still does not
  /// converge, the time step is repeated by backward Euler. If this fails too, the time step is divided into two
  /// halves, recursively. If the function fails, the state is unchanged.
  bool (*step)(Newton *newton, double dt, StepReport *report, Error *error);

  /// Moves u to static equilibrium and sets momenta to 0. If Newton's method does not converge, state and momenta are
  /// unchanged, and report->converged is false.
  bool (*equilibrium)(Newton *newton, StepReport *report, Error *error);

  /// Stores the internal force at u in MOTION_INTERNAL, N. Waits.
  bool (*forces)(Newton *newton, Error *error);

  /// Sets the operator to the tangent of static equilibrium at u, without inertia. *min_J gets the smallest det F at u.
  /// Waits.
  bool (*tangent)(Newton *newton, double *min_J, Error *error);
} NewtonFunctions;

extern const NewtonFunctions newton_f32, newton_f64;
