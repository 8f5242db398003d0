// Newton's method for one implicit time step, with a line search. Body, assembly and solver may be on different
// devices. n is the number of unknowns, 3 for each node. A cell is inverted if det F <= 0, with its deformation
// gradient F. newton.c is compiled for each precision.
#pragma once
#include "sim/assembly/assembly.h"
#include "sim/dynamics/motion.h"
#include "device/graph.h"
#include "device/transfer.h"
#include "sim/solver/solver.h"

// The objects that a time step uses. The caller owns the objects. This struct owns only the members of type Transfer,
// solver_held and the graphs.
typedef struct Newton {
  Motion *motion;
  const Space *space;  // nodes and cells of the body
  Assembly *assembly;
  Operator *A;
  Solver *solver;         // solver that was used last, or that was chosen for the next linear system: `whole` or
                          // `alone`
  Solver *whole, *alone;  // whole: a solver that supports all terms which the operator adds to its matrix, such as
                          // contact. alone: a faster solver that supports only some of these terms; NULL: none
  const NewtonSettings *settings;
  StageClock *clock;
  Stream stream, assembly_stream, solver_stream;  // streams of the body, the assembly and the solver
  Stream cuda;                                    // the GPU's stream, for copies between stages on different devices
  // vectors that one stage (body, assembly or solver) writes and another reads. If the two stages are on different
  // devices, the vector is stored on both
  Transfer nodal, internal, min_J, values, shift, diagonal, residual, du;
  Transfer linearised;          // nodal data that an operator without a stored matrix reads in each product
  Transfer theta_u;             // for a preconditioner with a coarse space: Iterate.u_theta, the displacements at which
                                // forces are evaluated
  uint8_t *solver_held;         // [n] on the solver's device: Body.held itself, or a copy that this struct owns
  double elapsed, whole_dt;     // s, while a failed step is repeated in parts. whole_dt: duration of the whole step;
                                // elapsed: duration of its completed parts
  double energy_error;          // with the integrator midpoint_energy, for the last step, or part of a divided step:
                                // energy that it still gained after the correction of momenta, divided by kinetic plus
                                // strain energy; else 0. In a divided step, it includes the errors of earlier parts
  double energy_owed;           // energy_error after the previous part of the present step; 0 in its first part
  bool prepared;                // true: SolverMethod.prepare was called for `whole`, with the tangent of the body at
                                // rest
  bool knows_start;             // true: Iterate.u_backup and p_backup have the state at the start of the last step
  bool has_before;              // true: Iterate.u_before and p_before are valid for the next step, if its duration is
                                // equal to that of the last step
  ResidualNorms last;           // norms at the end of Newton's method in the last step
  bool by_euler;                // true: backward Euler takes the present step, or part of a divided step
  bool follows_part;            // true: the last time step was divided, and this one follows its last part
  bool tries;                   // true: if Newton's method fails, backward Euler repeats the step. The limit of
                                // iterations is then smaller (newton_bounds)
  bool apart;                   // true: the scene has self-contact, and no pair touches at the end of the present step
  bool extrapolated;            // true, only with BDF2: the body's state was extrapolated, and the backup has the state
                                // at the start of the step
  int64_t assemblies, vectors;  // numbers of assemblies since this struct was created. assemblies: assemblies of the
                                // tangent together with the force vector; vectors: assemblies of the force vector only

  // CUDA graphs, which this struct owns and creates at first use. graph: for steps in which no contact pair touches.
  // touching: for steps in which pairs touch
  struct StepGraph *graph;
  struct TouchingGraph *touching;
  // prelude: work of the caller on the GPU that runs at the start of each step, such as a computation of forces; NULL:
  // none. The number preludes counts the changes of this pointer. prelude_ran: it has run in this step
  const Graph *prelude;
  int64_t preludes;
  bool prelude_ran;
  // counts and norms of Newton's method, if a CUDA graph has begun this step and the host must continue it; else NULL
  const struct NewtonProgress *left;
  // result of Newton's method if the GPU has taken this step together with the steps of other bodies (sim/worlds); else
  // NULL
  const struct NewtonProgress *taken;
} Newton;

typedef struct NewtonFunctions {
  /// Prepares a Newton struct whose borrowed members are set: connects the arrays that one stage (body, assembly,
  /// solver) writes and another reads. Creates newton->whole as a solver of the kind `method`, and newton->alone as a
  /// solver of the kind `alone` (NULL: none).
  bool (*connect)(Newton *newton, const SolverMethod *method, const SolverMethod *alone, Error *error);
  void (*disconnect)(Newton *newton);  // accepts a zeroed Newton

  /// Connects body, assembly and solver again after their arrays were reallocated. All of them must be on one device.
  void (*reconnect)(Newton *newton);

  /// Sets Body.held to held [n], which has the bits of held.h for pinned unknowns and prescribed motions, and 0 for
  /// free unknowns. Waits for the device.
  bool (*set_held)(Newton *newton, const uint8_t *held, Error *error);

  /// Advances the state by dt, s, with settings.integrator. If settings.newton is NEWTON_PLAIN, all Newton steps are
  /// full steps. If it is NEWTON_ROBUST, Newton steps that would invert a cell or increase the residual are shortened.
  /// If Newton's method then does not converge, the time step is repeated by backward Euler; if this fails too, the
  /// time step is divided into two halves, at most halvings_max times. With the integrator midpoint_energy, it is
  /// divided before backward Euler is tried. If no further halving is allowed, a finite result is kept, and
  /// report->converged is false. After a failure (false is returned) the state is unchanged.
  bool (*step)(Newton *newton, double dt, StepReport *report, Error *error);

  /// Moves the body to static equilibrium and sets its momenta to 0. If Newton's method does not converge,
  /// displacements and momenta are unchanged, and report->converged is false.
  bool (*equilibrium)(Newton *newton, StepReport *report, Error *error);

  /// Computes the internal forces at the body's present displacements, N. MotionArrays.read then returns them as the
  /// vector MOTION_INTERNAL. Waits for the device.
  bool (*forces)(Newton *newton, Error *error);

  /// Sets the operator to the tangent of static equilibrium (no inertia) at the body's displacements u, and *min_J to
  /// the smallest det F. Waits for the device.
  bool (*tangent)(Newton *newton, double *min_J, Error *error);
} NewtonFunctions;

extern const NewtonFunctions newton_f32, newton_f64;
