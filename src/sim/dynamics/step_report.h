// The results of one time step: counts, residual, the cause of a failure; and energies and momenta of a state.
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
  NEWTON_NOT_FINITE,         // the state or a load is not finite, or forces overflow
  NEWTON_INVERTED,           // every shorter step inverts a cell, or a cell was inverted at the start
  NEWTON_INDEFINITE,         // the tangent is not positive definite, and no step along its solution helps: buckling
  NEWTON_LINEAR,             // the linear solver did not converge, or broke down in rounding
  NEWTON_STAGNATED,          // no shorter step lowers the residual
  NEWTON_OUT_OF_ITERATIONS,  // the residual decreased, but not fast enough
  NEWTON_BLOCKED,            // a moving obstacle would pass through the body in every shorter part of the step
  NEWTON_STOPPED,            // interrupt_requested
} NewtonCause;

/// A clause for messages: "no shorter step lowers the residual".
const char *newton_cause_text(NewtonCause cause);

// Counts and results of one step.
typedef struct StepReport {
  int newton_iterations;  // linear systems solved, all parts of the step together
  int cg_iterations;      // all solves together
  int backtracks;         // trial steps that the line search shortened
  int substeps;           // 1: the step went in one piece
  int damped;             // parts that only backward Euler solved; they lose energy
  int indefinite;         // solves that found a direction in which the tangent is not positive
  int guessed;            // parts that started from a first guess instead of their state
  int rounded;            // parts whose residual stayed above the tolerance by rounding; they count as converged
  bool converged;         // every part met its tolerance
  bool without_host;      // a GPU took all decisions; the host waited once
  double residual;        // ||p - h||_2 at the end of the last part, kg m/s
  double tolerance;       // bound on the residual
  double min_J;           // smallest det F in the last evaluated state
  // The members below are set if the step did not converge.
  NewtonCause cause;
  int worst_corners;  // 4, or 8 for a hex
  int64_t
      worst_tags[8];  // the corners, as numbered in the mesh's file, of the cell with the smallest det F where Newton
  double worst_J;     // ended, and that det F; NaN where a node's position is not finite
  double rejected_J;  // NEWTON_INVERTED: the smallest det F of the shortest step tried, which was refused; else 0
} StepReport;

/// Writes why a step did not converge: cause, cell and det F.
void newton_trouble_text(const StepReport *report, char *text, size_t size);

// Energies and momenta of a state.
typedef struct Energy {
  double kinetic, elastic;       // J
  double potential;              // energy of load, gravity, grabs and contact, J; 0 at rest without them
  double linear[3], angular[3];  // kg m/s, and kg m^2/s about the origin
} Energy;

#ifdef __cplusplus
}
#endif
