// The report of a time step (counts, residual, cause of a failure), and the energies and momenta of a state.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Reasons for Newton's method to stop.
typedef enum NewtonCause {
  NEWTON_CONVERGED,
  NEWTON_NOT_FINITE,         // the displacements, the momenta or a load are infinite or NaN, or the forces overflow
  NEWTON_INVERTED,           // all trials of the line search invert a cell, or a cell was inverted at the start of the
                             // time step
  NEWTON_INDEFINITE,         // the tangent is not positive definite, as in buckling, and no step along Newton's
                             // direction lowers the residual
  NEWTON_LINEAR,             // the linear solver did not converge, or failed because of rounding errors
  NEWTON_STAGNATED,          // no step of the line search along Newton's direction lowers the residual
  NEWTON_OUT_OF_ITERATIONS,  // newton_max iterations were not enough
  NEWTON_BLOCKED,            // a moving obstacle or a node with a prescribed motion would pass through a surface, even
                             // if the time step is divided
  NEWTON_STOPPED,            // the user has interrupted the program (interrupt_requested)
} NewtonCause;

/// Returns a clause for messages that says why Newton's method stopped, such as "no shorter step along the Newton
/// direction lowers the residual".
const char *newton_cause_text(NewtonCause cause);

// Counts and results of one time step. A time step that fails is replaced by shorter time steps, which are called its
// parts. A time step that does not fail has one part.
typedef struct StepReport {
  int newton_iterations;  // number of linear systems solved, in all parts of the time step
  int cg_iterations;      // number of CG iterations of all solves
  int backtracks;         // number of trials that the line search refused; a trial is a state at a fraction of Newton's
                          // step
  int substeps;           // number of parts of the time step
  int damped;             // number of parts in which backward Euler, which damps motion, replaced the chosen integrator
  int indefinite;         // number of solves in which CG found a direction x with x . K x <= 0, where K is the tangent
  int guessed;            // number of parts in which Newton's method converged from a first guess
                          // (settings.first_guess) other than the state at the start of the part
  int rounded;            // number of parts whose residual stayed above the tolerance because of rounding errors; they
                          // count as converged
  bool converged;         // true if all parts converged
  bool without_host;      // true if the whole time step ran as a CUDA graph (step_graph.h), without decisions of the
                          // host
  double residual;        // norm ||p0 - h||_2 (time_step.h) at the end of the last part, kg m/s
  double tolerance;       // kg m/s, tolerance of this residual
  double min_J;           // smallest det F over all cells in the last evaluated state. F is the deformation gradient; a
                          // cell with det F <= 0 is inverted

  // the members below are set only if the time step did not converge
  NewtonCause cause;
  // The worst cell is the cell with the smallest det F in the state at which Newton's method ended. worst_corners:
  // number of its corners, such as 4 for a tet. worst_tags: node numbers of these corners in the mesh's file. worst_J:
  // det F of this cell, NaN if a node's position is not finite
  int worst_corners;
  int64_t worst_tags[8];
  double worst_J;
  double rejected_J;  // smallest det F in the shortest trial of the line search, if `cause` is NEWTON_INVERTED; else 0
} StepReport;

/// Writes a clause for messages about a time step that did not converge: the cause, the worst cell and its det F.
void newton_trouble_text(const StepReport *report, char *text, size_t size);

// Energies and momenta of a state.
typedef struct Energy {
  double kinetic, elastic;       // J, kinetic energy, and elastic energy of the deformed cells
  double potential;              // J, potential energy of loads, gravity, grabs and contact
  double linear[3], angular[3];  // kg m/s, linear momentum; kg m^2/s, angular momentum about the origin
} Energy;

#ifdef __cplusplus
}
#endif
