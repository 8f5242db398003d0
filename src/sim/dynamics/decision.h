// The decisions of Newton's method, from the norms that an evaluation computes. The host's loop (newton_loop.c) and, in
// recorded steps (step_graph.h), the GPU call the same functions. Built for each precision.
#pragma once
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/contact/contact_cuda.h"
#include "sim/dynamics/motion.h"
#include "sim/solver/solver.h"

// Tolerances and limits from the settings.
typedef struct NewtonBounds {
  double absolute, relative;  // bounds of ||p - h||: kg m/s, and relative to the norms of its terms
  double cg_relative;         // tolerance of every linear solve; 0: chosen by newton_cg_relative
  int iterations_max;
  bool plain;
} NewtonBounds;

// The next action of Newton's method. The order matters: only values before NEXT_PENDING are sent to the host.
typedef enum NewtonNext {
  NEXT_SOLVE,            // solve a linear system for the next direction
  NEXT_END,              // end, with the outcome
  NEXT_LINE_SEARCH,      // the full step was refused: try shorter ones, by the host, or accept that rounding is left
  NEXT_BOUNDED_SEARCH,   // contact may bound the step along the new direction: search there, by the host
  NEXT_RESTART_ON_HOST,  // begin anew by the host: a first guess is not clearly better than the state, or contact
  NEXT_OTHER_TANGENT,    // solve with the other recorded tangent: pairs touch and it has none, or the reverse
  NEXT_PENDING,          // the GPU has not decided yet

  // on the GPU, with contact of the surface with itself
  NEXT_COMPARE_ENERGIES,  // the residual refuses the trial: accept it by its energy, or try a shorter step
  NEXT_COMPARE_GUESS,     // evaluate the state, and compare a first guess with it
  NEXT_RETURN_TO_GUESS,   // begin at the guess, which is better
  NEXT_BEGIN_AT_STATE,    // begin at the state, which is better

  // on the GPU, with obstacles of self-contact that move
  NEXT_BEGIN_STEP,        // the obstacles have moved to the step's end while the body did not: begin as usual
  NEXT_MOVE_BY_VELOCITY,  // they cannot: move the body on by its velocity, and try again
  NEXT_PUSH_AHEAD,        // they still cannot: solve systems that push the body ahead of them
  NEXT_BEGIN_PUSHED,      // they are there after one of these two: begin where the body is
} NewtonNext;

// The result of Newton's method in a step or a part of one.
typedef enum NewtonOutcome {
  OUTCOME_CONVERGED,
  OUTCOME_UNFINISHED,  // out of iterations, or no shorter step helps; the state is sound all the same
  OUTCOME_BROKEN,      // not a number
} NewtonOutcome;

// The progress of Newton's method in a step.
typedef struct NewtonProgress {
  int next;                          // NewtonNext
  int outcome;                       // NewtonOutcome
  int iterations;                    // evaluated full steps
  int cg_iterations, indefinite;     // counts of their solves, as in StepReport
  int accepted, rounded;             // the last trial: was accepted; its residual and u1's are rounding errors
  int solves;                        // next is NEXT_SOLVE
  int finished;                      // converged, and the GPU makes it the state
  int guessed;                       // it began at a first guess
  int backtracks, backtrack;         // evaluated shorter trials: in all, and along the last direction
  int weighs;                        // energies decide about the last trial
  int sliding;                       // ContactCuda.sliding_count
  int led, led_cg, led_indefinite;   // systems that pushed the body ahead of obstacles, and their CG counts
  double elapsed, ahead;             // times of moving obstacles: see Contact
  double residual, min_J, rounding;  // of u1
  double tolerance;                  // tolerance of the residual
  double before;                     // the residual of the iterate before u1; 0: none
  double cg_relative;                // the bound on the next solve
  double fraction;                   // fraction of the direction at the last trial
  double least_residual;             // smallest residual of accepted states with self-contact, kg m/s
  double slip_fraction;              // fraction in the last tangent: see newton_slip_fraction
  ContactSums here, there;           // contact at u1 and in the last trial, as a GPU found it
  ResidualNorms norms;               // results of the GPU's last evaluation, and of its last solve
  SolverReport solver;
} NewtonProgress;

/// Returns the tolerance of the residual of the state of these norms, kg m/s.
HOST_DEVICE double newton_tolerance(const NewtonBounds *b, const ResidualNorms *norms) {
  const double scale = norms->momentum + norms->internal + norms->external;
  return fmax(b->absolute, b->relative * scale);
}

/// Returns the order of magnitude of rounding errors in the residual: those of its terms, and the effect of rounding u.
HOST_DEVICE double newton_rounding(const ResidualNorms *norms) {
  const double epsilon = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return epsilon * (norms->momentum + norms->internal + norms->external + norms->rounding);
}

// Returns the relative tolerance of the next linear solve, chosen here for cg_relative "auto". A linear residual of
// CG_FRACTION times Newton's tolerance is enough: the nonlinear error takes the rest. If that needs a tolerance below
// CG_ONE, another system follows anyway, so the first one is solved to CG_FIRST. Later tolerances are the square of the
// last reduction of the residual, within bounds, since the nonlinear error falls no faster (Eisenstat and Walker,
// Choosing the forcing terms in an inexact Newton method, SIAM J. Sci. Comput. 17, 1996, choice 2). Constants were
// chosen by the counts of docs/log/fewer-iterations.md.
HOST_DEVICE double newton_cg_relative(const NewtonBounds *b, double residual, double tolerance, double before) {
  const double CG_FRACTION = 0.3, CG_ONE = 3e-4, CG_FIRST = 3e-3, CG_GAIN = 0.9, CG_TIGHT = 1e-4, CG_LOOSE = 0.1;
  if (b->cg_relative > 0) return b->cg_relative;
  const double needed = CG_FRACTION * tolerance / residual, kept = residual / before;
  const double enough = before > 0 ? fmax(CG_GAIN * kept * kept, CG_TIGHT) : needed < CG_ONE ? CG_FIRST : needed;
  return fmin(fmax(needed, enough), CG_LOOSE);
}

/// Stores the results of an evaluation of u1.
HOST_DEVICE void newton_note(NewtonProgress *n, const ResidualNorms *norms) {
  n->residual = norms->residual;
  n->min_J = norms->min_J;
}

/// Decides the next action at u1, after newton_note; the norms give the tolerance.
HOST_DEVICE void newton_test_residual(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms) {
  n->tolerance = newton_tolerance(b, norms);
  n->rounding = newton_rounding(norms);
  const bool finite = isfinite(n->residual) && isfinite(n->tolerance);
  n->outcome = !finite ? OUTCOME_BROKEN : n->residual <= n->tolerance ? OUTCOME_CONVERGED : OUTCOME_UNFINISHED;
  n->next = n->outcome != OUTCOME_UNFINISHED || n->iterations == b->iterations_max ? NEXT_END : NEXT_SOLVE;
  n->cg_relative = newton_cg_relative(b, n->residual, n->tolerance, n->before);
}

/// Initialises the progress and decides the first action; the norms belong to u1.
HOST_DEVICE void newton_begin(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms) {
  n->iterations = n->cg_iterations = n->indefinite = 0;
  n->accepted = n->rounded = n->finished = 0;
  n->guessed = n->backtracks = n->backtrack = n->weighs = 0;
  n->before = n->slip_fraction = 0;
  n->fraction = 1, n->least_residual = norms->residual;
  n->solver.iterations = 0, n->solver.end = SOLVER_CONVERGED;
  n->solver.relative_residual = n->solver.product_ms = 0;
  newton_note(n, norms);
  newton_test_residual(n, b, norms);
}

/// Counts a full step and the solve that led to it.
HOST_DEVICE void newton_count(NewtonProgress *n, const SolverReport *solver) {
  n->iterations++;
  n->cg_iterations += solver->iterations;
  n->indefinite += solver->end == SOLVER_INDEFINITE;
}

// Bound of a sufficient decrease of the residual. The intrinsics keep both devices' bits equal.
HOST_DEVICE double newton_enough(double before, double factor) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(__dsub_rn(1, __dmul_rn(1e-4, factor)), before);
#else
  return (1 - 1e-4 * factor) * before;
#endif
}

/// Decides if the trial u1 + factor du, whose norms are given, is accepted, and if only rounding errors remain.
HOST_DEVICE void newton_judge(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms, double factor) {
  // A residual that no step reduces is rounding if it is at most this factor times newton_rounding. Measured factors on
  // vibrating beams, float and double: 0.2 to 1.6.
  const double ROUNDING_SLACK = 4;
  const double before = n->residual, after = norms->residual, tolerance = newton_tolerance(b, norms);
  n->accepted = b->plain || (norms->min_J > 0 && after <= fmax(newton_enough(before, factor), tolerance));
  // Without rounding a full Newton step at least halves the residual. The estimate of rounding is that of the state
  // that is kept: a distant trial has large terms, which would excuse any residual.
  n->rounded = factor == 1 && after > fmax(0.5 * before, tolerance) &&
               fmin(before, after) <= ROUNDING_SLACK * (after < before ? newton_rounding(norms) : n->rounding);
  if (n->rounded) n->accepted = n->accepted && after < before;
}

/// Call after newton_judge with self-contact; `touched`: a pair touches in the trial or at u1. Because of the barrier
/// the residual may grow while the potential falls, and the reverse. A trial is therefore accepted if its residual is
/// below that of all accepted states, or else if its potential is below that of u1. Between two least residuals the
/// potential falls, so states cannot cycle. The length of the trial is bounded by contact in either case. Returns true
/// if the residual refuses the trial and energies must decide.
HOST_DEVICE bool newton_judge_touching(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms,
                                       double factor, bool touched) {
  const double after = norms->residual;
  if (b->plain || !(norms->min_J > 0) || !isfinite(after)) return false;
  if (touched && !n->rounded)
    n->accepted = after <= fmax(newton_enough(n->least_residual, factor), newton_tolerance(b, norms));
  if (n->accepted) n->least_residual = fmin(n->least_residual, after);
  return !n->accepted && touched && !n->rounded;
}

/// Decides by energies, if newton_judge_touching returned true: accepts the trial if the change `higher` of the
/// potential from u1 is negative.
HOST_DEVICE void newton_weigh(NewtonProgress *n, const ResidualNorms *norms, double higher) {
  n->accepted = higher < 0;
  if (n->accepted) n->least_residual = fmin(n->least_residual, norms->residual);
}

/// Returns the change of the potential from u1 (`here`) to the trial (`there`): `rest` is the part without cells and
/// pairs, the others are energies, J.
HOST_DEVICE double newton_higher(double rest, double impulse, double theta, double cells_there, double cells_here,
                                 double pairs_there, double pairs_here) {
#ifdef __CUDA_ARCH__
  const double cells = __ddiv_rn(__dsub_rn(cells_there, cells_here), theta);
  return __dadd_rn(rest, __dmul_rn(impulse, __dadd_rn(cells, __dsub_rn(pairs_there, pairs_here))));
#else
  return rest + impulse * ((cells_there - cells_here) / theta + (pairs_there - pairs_here));
#endif
}

/// Returns the relative tolerance of the first linear solve if pairs touch. Without a fixed cg_relative it is at least
/// CG_TOUCHING, chosen by the counts of docs/explanation/contact.md.
HOST_DEVICE double newton_cg_touching(const NewtonBounds *b, double relative) {
  const double CG_TOUCHING = 0.03;
  return b->cg_relative > 0 ? relative : fmax(relative, CG_TOUCHING);
}

/// Returns the fraction of friction's secant stiffness for the next tangent, along the slip of nodes on the floor or an
/// obstacle; `fraction` is the last one. The exact tangent has no stiffness there, since slipping friction is constant.
/// Most nodes that land and slip in one iterate stick in the end: the direction moves them past their sticking point,
/// and they slip back. After a `refused` full step the fraction is SLIP_FRACTION, so that nodes come to rest from one
/// side. After an accepted step it is SLIP_FADES times the last one, which restores the convergence of Newton's method.
/// The constants were chosen by the counts of docs/decisions/006-time-integrators-and-contact.md.
HOST_DEVICE real newton_slip_fraction(real fraction, bool refused) {
  const real SLIP_FRACTION = (real)0.5, SLIP_FADES = (real)0.7;
  return refused ? SLIP_FRACTION : SLIP_FADES * fraction;
}

/// Returns true if a first guess, after newton_note, inverts no cell.
HOST_DEVICE bool newton_guess_is_sound(const NewtonProgress *n) {
  return isfinite(n->residual) && n->min_J > 0;
}

/// Returns true if a first guess counts as better than u0 without an evaluation of u0: its residual is above the
/// tolerance, but at most half the momentum.
HOST_DEVICE bool newton_guess_is_better(const NewtonProgress *n, const ResidualNorms *norms) {
  return n->residual > n->tolerance && n->residual <= 0.5 * norms->momentum;
}

// A decision of the GPU: its inputs, and the memory for its result.
typedef struct StepDecision {
  NewtonBounds bounds;
  NewtonProgress *progress;    // on the device
  NewtonProgress *on_host;     // a copy in the host's memory, for decisions that end the GPU's part
  const SolverReport *solver;  // report of the last solve, on the device; NULL: a step begins
  const int *free;             // on the device, where a step begins: 0 where contact bounds it; or NULL
  bool guessed;                // at a first guess
  bool last;                   // no solve is queued after it: it is always sent to the host
  // for steps in which pairs touch: contact of the evaluated state, and the number of sliding pairs; else NULL
  const ContactSums *sums;
  const int *slides;
  bool touches;          // the recorded tangents have pairs
  bool compares_guess;   // the state was evaluated to compare a first guess with it
  bool guess_is_better;  // the result of this comparison
  // with obstacles that move: the decision follows their move to the step's end; or a system that pushes the body
  // ahead of them, which is solved to push_relative
  bool moves, pushes_ahead;
  double push_relative;
} StepDecision;

enum { BACKTRACKS_MAX = 8 };                   // shorter trials along a direction
enum { PUSHES_MAX = 24 };                      // systems that push a body ahead of obstacles
static const double PUSH_FRACTION_MIN = 1e-3;  // least fraction of the remaining motion for each of these systems

/// Returns true if contact has withdrawn the trial of a solve.
HOST_DEVICE bool newton_was_bounded(const NewtonProgress *n) {
  return n->next == NEXT_SOLVE && !n->solves;
}

/// Returns true if a decision is still needed.
HOST_DEVICE bool newton_is_asked(const NewtonProgress *n, const StepDecision *d) {
  if (d->compares_guess) return n->next == NEXT_COMPARE_GUESS;
  if (d->pushes_ahead) return n->next == NEXT_PUSH_AHEAD;
  return !d->solver || n->next == NEXT_SOLVE || n->next == NEXT_COMPARE_ENERGIES;
}

/// Returns true if the host receives the decision.
HOST_DEVICE bool newton_reports(const NewtonProgress *n, const StepDecision *d) {
  return n->next < NEXT_PENDING && !d->pushes_ahead && (!n->solves || d->last);
}

// Returns true if the tangent at u1 has pairs.
HOST_DEVICE bool newton_has_pairs(const NewtonProgress *n, const StepDecision *d) {
  return n->here.count > 0 || (n->sliding > 0 && *d->slides > 0);
}

// Ends the recorded loop if the next tangent has pairs and the recorded one has none, or the reverse.
HOST_DEVICE void newton_see_pairs(NewtonProgress *n, const StepDecision *d) {
  if (n->next == NEXT_SOLVE && newton_has_pairs(n, d) != d->touches) n->next = NEXT_OTHER_TANGENT;
}

// Makes the last trial the state u1, and decides the next action there.
HOST_DEVICE void newton_take(NewtonProgress *n, const StepDecision *d, const ResidualNorms *norms) {
  n->before = n->residual;
  newton_note(n, norms);
  n->here = n->there;
  if (!d->sums) n->least_residual = fmin(n->least_residual, n->residual);
  if (n->rounded)
    n->next = NEXT_END, n->outcome = OUTCOME_CONVERGED;
  else
    newton_test_residual(n, &d->bounds, norms);
  if (!d->sums) return;
  newton_see_pairs(n, d);
  if (n->next != NEXT_SOLVE) return;
  n->slip_fraction = newton_slip_fraction((real)n->slip_fraction, n->backtrack > 0);
  n->backtrack = 0;
}

HOST_DEVICE void newton_note_next(NewtonProgress *n) {
  n->solves = n->next == NEXT_SOLVE;
  n->finished = n->next == NEXT_END && n->outcome == OUTCOME_CONVERGED;
}

// Decides the first action of a step.
HOST_DEVICE void newton_decide_begin(NewtonProgress *n, const StepDecision *d, const ResidualNorms *norms) {
  const bool bounded = d->sums && (d->guessed || d->moves) && !d->guess_is_better && !n->solves;
  const double fraction = n->fraction;
  newton_begin(n, &d->bounds, norms);
  if (d->sums && d->guessed) n->fraction = fraction;  // needed if Newton's method returns to the guess
  const bool sound = newton_guess_is_sound(n), better = sound && newton_guess_is_better(n, norms);
  n->guessed = d->guessed;
  if (d->guessed && !better && !d->guess_is_better)
    n->next = !d->sums ? NEXT_RESTART_ON_HOST : sound ? NEXT_COMPARE_GUESS : NEXT_BEGIN_AT_STATE;
  if (bounded || (d->free && !*d->free)) n->next = NEXT_RESTART_ON_HOST;
  if (!d->sums) return;
  n->here = *d->sums;
  newton_see_pairs(n, d);
  if (n->next == NEXT_SOLVE) n->cg_relative = newton_cg_touching(&d->bounds, n->cg_relative);
}

/// Moves obstacles by the fraction `fraction` of their remaining time.
HOST_DEVICE void newton_move_on(NewtonProgress *n, double fraction) {
#ifdef __CUDA_ARCH__
  n->elapsed = __dadd_rn(n->elapsed, __dmul_rn(fraction, n->ahead));
  n->ahead = __dmul_rn(n->ahead, __dsub_rn(1, fraction));
#else
  n->elapsed += fraction * n->ahead;
  n->ahead *= 1 - fraction;
#endif
}

/// Decides after a test of the obstacles' motion, of which the fraction n->share is free. The body is at rest or, if
/// `goes`, moves by its velocity. If all is free the obstacles move to the step's end; else the next method follows.
HOST_DEVICE void newton_decide_motion(NewtonProgress *n, bool goes) {
  if (!n->solves) {
    n->next = NEXT_RESTART_ON_HOST;  // the GPU could not test the motion
  } else if (n->fraction == 1) {
    n->next = goes ? NEXT_BEGIN_PUSHED : NEXT_BEGIN_STEP;
    newton_move_on(n, 1);
  } else {
    n->next = goes ? NEXT_PUSH_AHEAD : NEXT_MOVE_BY_VELOCITY;
  }
}

// Decides after an evaluation within the systems that push the body ahead of obstacles; the first evaluation is at the
// start of the step. In any difficulty the host begins the step anew.
HOST_DEVICE void newton_decide_pushed(NewtonProgress *n, const StepDecision *d, const ResidualNorms *norms) {
  const bool first = !d->solver;
  bool sound = n->solves;
  if (sound && !first) {
    n->solver = *d->solver;
    n->led++, n->led_cg += n->solver.iterations, n->led_indefinite += n->solver.end == SOLVER_INDEFINITE;
    sound = n->solver.end != SOLVER_STOPPED && n->solver.end != SOLVER_LOST && norms->min_J > 0 &&
            isfinite(norms->residual);
  }
  newton_note(n, norms);
  n->here = *d->sums;
  n->cg_relative = first ? newton_cg_touching(&d->bounds, d->push_relative) : d->push_relative;
  if (sound && !first && n->fraction == 1)
    n->next = NEXT_BEGIN_PUSHED;
  else if (!sound || !newton_has_pairs(n, d) ||
           (!first && (!(n->fraction > PUSH_FRACTION_MIN) || n->led == PUSHES_MAX)))
    n->next = NEXT_RESTART_ON_HOST, n->solves = 0;
}

/// Takes the decisions of the host's loop between an evaluation and the next solve, without its rare cases. In these
/// the host continues.
HOST_DEVICE void newton_decide(NewtonProgress *n, const StepDecision *d, const ResidualNorms *norms) {
  if (d->pushes_ahead) {
    newton_decide_pushed(n, d, norms);
    return;
  }
  if (d->compares_guess) {
    const bool better = n->residual < norms->residual && norms->residual > newton_tolerance(&d->bounds, norms);
    n->next = better ? NEXT_RETURN_TO_GUESS : NEXT_BEGIN_AT_STATE;
    return;
  }
  if (!d->solver) {
    newton_decide_begin(n, d, norms);
  } else if (newton_was_bounded(n)) {
    n->solver = *d->solver;
    n->next = NEXT_BOUNDED_SEARCH;
    return;
  } else {
    bool weighs = false;
    if (n->backtrack == 0) newton_count(n, d->solver);
    n->solver = *d->solver;
    newton_judge(n, &d->bounds, norms, n->fraction);
    if (d->sums) {
      n->there = *d->sums;
      weighs = newton_judge_touching(n, &d->bounds, norms, n->fraction, n->there.count > 0 || n->here.count > 0);
    }
    n->weighs = weighs;
    if ((n->rounded && (!n->accepted || !(norms->min_J > 0))) || n->solver.end == SOLVER_STOPPED ||
        n->solver.end == SOLVER_LOST)
      n->next = NEXT_LINE_SEARCH;
    else if (n->accepted)
      newton_take(n, d, norms);
    else
      n->next = d->sums && (weighs || n->backtrack < BACKTRACKS_MAX) ? NEXT_COMPARE_ENERGIES : NEXT_LINE_SEARCH;
  }
  n->norms = *norms;
  newton_note_next(n);
}

/// Decides about a trial that its residual refuses; `higher` is the change of the potential from u1.
HOST_DEVICE void newton_decide_weighed(NewtonProgress *n, const StepDecision *d, double higher) {
  const ResidualNorms norms = n->norms;
  if (n->weighs) newton_weigh(n, &norms, higher);
  if (n->accepted)
    newton_take(n, d, &norms);
  else if (n->backtrack == BACKTRACKS_MAX)
    n->next = NEXT_LINE_SEARCH;
  else
    n->backtrack++, n->backtracks++, n->fraction /= 2;
  newton_note_next(n);
}
