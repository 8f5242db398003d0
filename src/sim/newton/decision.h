// The decisions of Newton's method, from the norms that an evaluation leaves. The host's loop (newton_loop.c) takes
// them, and so does the GPU where a step runs without the host (step_graph.h). Built for each precision.
#pragma once
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/krylov/solver.h"
#include "sim/newton/motion.h"

// What settings say of it.
typedef struct NewtonBounds {
  double absolute, relative;  // on ||p - h||, kg m/s, and over its terms' norms
  double cg_relative;         // of every solve; 0: as far as Newton needs
  int iterations_max;
  bool plain;
} NewtonBounds;

typedef enum NewtonNext {
  NEWTON_SOLVES,    // a linear system for the next direction
  NEWTON_ENDED,     // see the outcome
  NEWTON_SEARCHES,  // the full step was refused: shorter ones, or rounding is all there is
  NEWTON_BOUNDED,   // there is a direction, along which contact may not let the body go all the way: the host's
  NEWTON_REFUSED,   // a first guess that is not clearly better than the state, or contact
  NEWTON_RUNNING,   // on the GPU, which has not told yet
} NewtonNext;

// How a (sub)step ended.
typedef enum NewtonOutcome {
  OUTCOME_CONVERGED,
  OUTCOME_UNFINISHED,  // out of iterations, or no shorter step helps; the state is sound all the same
  OUTCOME_BROKEN,      // not a number
} NewtonOutcome;

// Where Newton stands.
typedef struct NewtonProgress {
  int next;                          // NewtonNext
  int outcome;                       // NewtonOutcome
  int iterations;                    // full steps that were looked at
  int cg_iterations, indefinite;     // of their solves, as in StepReport
  int accepted, rounded;             // of the last trial: taken; and its residual and u1's are but rounding
  int solves;                        // next is NEWTON_SOLVES
  int finished;                      // converged, and the GPU makes it the state
  double residual, min_J, rounding;  // of u1
  double tolerance;                  // what its residual is held against
  double before;                     // the residual of the iterate before u1; 0: none
  double cg_relative;                // the bound on the next solve
  ResidualNorms norms;               // of the GPU's last evaluation, and its last solve
  SolverReport solver;
} NewtonProgress;

/// The bound that was asked for on the residual of the state that the norms are of, kg m/s.
HOST_DEVICE double newton_tolerance(const NewtonBounds *b, const ResidualNorms *norms) {
  const double scale = norms->momentum + norms->internal + norms->external;
  return fmax(b->absolute, b->relative * scale);
}

/// What rounding leaves of the residual, by order of magnitude: that of its own terms, and what rounding u does to it.
HOST_DEVICE double newton_rounding(const ResidualNorms *norms) {
  const double epsilon = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return epsilon * (norms->momentum + norms->internal + norms->external + norms->rounding);
}

// How far CG goes where that is left to Newton, cg_relative "auto". Less than CG_SHARE of what Newton tolerates is not
// needed: the rest is for what is not linear. Where one system would have to be solved below CG_ONE for that, another
// one follows anyway, and the first is solved roughly, to CG_FIRST; those after it to the square of what the last one
// gained, since what is not linear falls no faster, within bounds (Eisenstat and Walker, Choosing the forcing terms in
// an inexact Newton method, SIAM J. Sci. Comput. 17, 1996, choice 2). Chosen by the counts of docs/performance.md.
HOST_DEVICE double newton_cg_relative(const NewtonBounds *b, double residual, double tolerance, double before) {
  const double CG_SHARE = 0.3, CG_ONE = 3e-4, CG_FIRST = 3e-3, CG_GAIN = 0.9, CG_TIGHT = 1e-4, CG_LOOSE = 0.1;
  if (b->cg_relative > 0) return b->cg_relative;
  const double needed = CG_SHARE * tolerance / residual, kept = residual / before;
  const double enough = before > 0 ? fmax(CG_GAIN * kept * kept, CG_TIGHT) : needed < CG_ONE ? CG_FIRST : needed;
  return fmin(fmax(needed, enough), CG_LOOSE);
}

/// Notes what an evaluation of u1 has shown.
HOST_DEVICE void newton_note(NewtonProgress *n, const ResidualNorms *norms) {
  n->residual = norms->residual;
  n->min_J = norms->min_J;
}

/// What to do at u1, which was noted; the norms give its tolerance.
HOST_DEVICE void newton_look(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms) {
  n->tolerance = newton_tolerance(b, norms);
  n->rounding = newton_rounding(norms);
  const bool finite = isfinite(n->residual) && isfinite(n->tolerance);
  n->outcome = !finite ? OUTCOME_BROKEN : n->residual <= n->tolerance ? OUTCOME_CONVERGED : OUTCOME_UNFINISHED;
  n->next = n->outcome != OUTCOME_UNFINISHED || n->iterations == b->iterations_max ? NEWTON_ENDED : NEWTON_SOLVES;
  n->cg_relative = newton_cg_relative(b, n->residual, n->tolerance, n->before);
}

/// What to do where Newton begins, the norms being of u1.
HOST_DEVICE void newton_begin(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms) {
  n->iterations = n->cg_iterations = n->indefinite = 0;
  n->accepted = n->rounded = n->finished = 0;
  n->before = 0;
  n->solver.iterations = 0, n->solver.end = SOLVER_CONVERGED;
  n->solver.relative_residual = n->solver.product_ms = 0;
  newton_note(n, norms);
  newton_look(n, b, norms);
}

/// Counts a full step and the solve that led to it.
HOST_DEVICE void newton_count(NewtonProgress *n, const SolverReport *solver) {
  n->iterations++;
  n->cg_iterations += solver->iterations;
  n->indefinite += solver->end == SOLVER_INDEFINITE;
}

/// Whether the trial u1 + factor du, of which the norms are, is taken, and whether rounding is all there is.
HOST_DEVICE void newton_judge(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms, double factor) {
  // A residual that no step lowers any more, and that is below so many times what its terms' rounding adds up to by
  // order of magnitude, is rounding. Measured on vibrating beams, float and double: 0.2 to 1.6.
  const double ROUNDING_SLACK = 4;
  const double before = n->residual, after = norms->residual, tolerance = newton_tolerance(b, norms);
  n->accepted = b->plain || (norms->min_J > 0 && after <= fmax((1 - 1e-4 * factor) * before, tolerance));
  // halving what remains is the least that Newton does until rounding is all there is; of the state that is kept, since
  // a trial far off has large terms, and would excuse any residual
  n->rounded = factor == 1 && after > fmax(0.5 * before, tolerance) &&
               fmin(before, after) <= ROUNDING_SLACK * (after < before ? newton_rounding(norms) : n->rounding);
  if (n->rounded) n->accepted = n->accepted && after < before;
}

/// What slips on the floor or an obstacle has no stiffness along its way: friction is the same however far it goes.
/// Most of what lands and slips in one iterate sticks in the end: the direction takes it past where it stuck, and it
/// slips back. So after a full step that was `refused` the tangent has SLIP_SHARE of friction's secant stiffness along
/// the way, by which nodes come to rest from one side, and SLIP_FADES of `share`, which it had, after one that was
/// taken, so that Newton ends as ever: by the counts of docs/decisions/006-time-integrators-and-contact.md.
HOST_DEVICE real newton_slip_share(real share, bool refused) {
  const real SLIP_SHARE = (real)0.5, SLIP_FADES = (real)0.7;
  return refused ? SLIP_SHARE : SLIP_FADES * share;
}

/// Whether a first guess, which was noted, turns no tet.
HOST_DEVICE bool newton_guess_is_sound(const NewtonProgress *n) {
  return isfinite(n->residual) && n->min_J > 0;
}

/// Whether it counts as better than u0 without a look at that, where forces would have to take all of the momentum at
/// once.
HOST_DEVICE bool newton_guess_is_better(const NewtonProgress *n, const ResidualNorms *norms) {
  return n->residual > n->tolerance && n->residual <= 0.5 * norms->momentum;
}

// A decision that the GPU takes, and whom it tells.
typedef struct StepDecision {
  NewtonBounds bounds;
  NewtonProgress *progress;    // on the device
  NewtonProgress *told;        // in the host's memory: a copy, where the host has to know
  const SolverReport *solver;  // of the last solve, on the device; NULL: a step begins
  const int *free;             // on the device, where a step begins: 0 where contact bounds it; or NULL
  bool guessed;                // at a first guess
  bool last;                   // no solve is queued behind it: the host hears of it, whatever it is
} StepDecision;

/// Whether contact has taken the trial back that a solve was to lead to.
HOST_DEVICE bool newton_was_bounded(const NewtonProgress *n) {
  return n->next == NEWTON_SOLVES && !n->solves;
}

/// What the host's loop does between an evaluation and the next solve, where all goes well; else the host goes on.
HOST_DEVICE void newton_decide(NewtonProgress *n, const StepDecision *d, const ResidualNorms *norms) {
  if (!d->solver) {
    newton_begin(n, &d->bounds, norms);
    if (d->guessed && !(newton_guess_is_sound(n) && newton_guess_is_better(n, norms))) n->next = NEWTON_REFUSED;
    if (d->free && !*d->free) n->next = NEWTON_REFUSED;
  } else if (newton_was_bounded(n)) {
    n->solver = *d->solver;
    n->next = NEWTON_BOUNDED;
    return;
  } else {
    newton_count(n, d->solver);
    n->solver = *d->solver;
    newton_judge(n, &d->bounds, norms, 1);
    if (!n->accepted || (n->rounded && !(norms->min_J > 0)) || n->solver.end == SOLVER_STOPPED ||
        n->solver.end == SOLVER_LOST) {
      n->next = NEWTON_SEARCHES;
    } else {
      n->before = n->residual;
      newton_note(n, norms);
      if (n->rounded)
        n->next = NEWTON_ENDED, n->outcome = OUTCOME_CONVERGED;
      else
        newton_look(n, &d->bounds, norms);
    }
  }
  n->norms = *norms;
  n->solves = n->next == NEWTON_SOLVES;
  n->finished = n->next == NEWTON_ENDED && n->outcome == OUTCOME_CONVERGED;
}
