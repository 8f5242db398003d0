// The decisions of Newton's method. Each evaluation of a state computes norms of its residual. From these norms, the
// functions of this header decide the next action: solve again, shorten the step, or end. The functions run on the host
// (newton_loop.c). For steps that run as a CUDA graph, they run on the GPU (step_graph.h). This header is compiled for
// each precision. Symbols:
//   u0      displacements at the start of the time step
//   u1      Newton's present iterate for the end of the step
//   du      Newton's direction at u1
//   trial   u1 + fraction * du, the candidate for the next iterate
// A first guess is a state near the expected result, at which Newton's method starts instead of u0. A trial is refused
// if a cell is inverted or if its residual is too large. Contact pairs are pairs of surface parts, such as a point and
// a triangle, that may touch (sim/contact/contact.h). A recorded step is one that runs as a CUDA graph.
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
  double absolute, relative;  // tolerances of the residual's norm: kg m/s, and relative to the norms of its terms
  double cg_relative;         // relative tolerance of every linear solve; 0: newton_cg_relative chooses it
  int iterations_max;
  bool plain;  // setting NEWTON_PLAIN: every full Newton step is accepted
  bool turns;  // the rigid guess may be tried after the first full Newton step (FIRST_GUESS_AUTO)
} NewtonBounds;

// The next action of Newton's method. The order matters: in recorded steps, values before NEXT_PENDING are reported to
// the host. With the other values the GPU continues by itself.
typedef enum NewtonNext {
  NEXT_SOLVE,            // solve a linear system for the next direction
  NEXT_END,              // Newton's method ends; NewtonProgress.outcome is the result
  NEXT_LINE_SEARCH,      // the trial was refused: the host tries shorter steps, or ends Newton's method if the residual
                         // is due to rounding errors
  NEXT_BOUNDED_SEARCH,   // a collision may limit the step along the new direction: the host continues with a collision
                         // test
  NEXT_RESTART_ON_HOST,  // the host repeats the step from its start. Reasons: the first guess is not clearly better
                         // than u0, or pairs touch
  NEXT_OTHER_TANGENT,    // continue with another CUDA graph, since this graph assembles the wrong tangent: with contact
                         // pairs although no pair touches, or without contact pairs although a pair touches
  NEXT_PENDING,          // the GPU has not decided yet

  // the values below are used only on the GPU, with self-contact
  NEXT_COMPARE_ENERGIES,  // the trial's residual is too large: compute the change of the step's potential, which
                          // decides if the trial is accepted
  NEXT_COMPARE_GUESS,     // evaluate u0, and compare its residual with that of the first guess
  NEXT_RETURN_TO_GUESS,   // begin Newton's method at the first guess, whose residual is smaller than that of u0
  NEXT_BEGIN_AT_STATE,    // begin Newton's method at u0, whose residual is smaller than that of the guess

  // only on the GPU, with moving obstacles of self-contact
  NEXT_BEGIN_STEP,        // obstacles can move to their positions at the step's end while the body rests: begin
                          // Newton's method
  NEXT_MOVE_BY_VELOCITY,  // obstacles would collide with the resting body: test again while the body moves by its
                          // velocity
  NEXT_PUSH_AHEAD,        // obstacles would still collide: solve linear systems whose solutions move the body out of
                          // their way
  NEXT_BEGIN_PUSHED,      // obstacles are at the step's end after the body has moved, by its velocity or by linear
                          // systems: begin Newton's method at the body's present state
} NewtonNext;

// The result of Newton's method in a step, or in a part of a step that was divided into halves.
typedef enum NewtonOutcome {
  OUTCOME_CONVERGED,
  OUTCOME_UNFINISHED,  // the maximum number of iterations is reached, or the line search fails; the residual is finite
  OUTCOME_BROKEN,      // the residual is not finite, or the body blocks a moving obstacle
} NewtonOutcome;

// The progress of Newton's method in a step.
typedef struct NewtonProgress {
  int next;                          // NewtonNext
  int outcome;                       // NewtonOutcome
  int iterations;                    // number of evaluated full steps
  int cg_iterations, indefinite;     // number of CG iterations, and number of solves that found an indefinite tangent,
                                     // as in StepReport
  int accepted, rounded;             // flags. accepted: the last trial was accepted. rounded: the residual cannot
                                     // decrease further, since it is due to rounding errors
  int solves;                        // flag: `next` is NEXT_SOLVE. The collision test sets it to 0 if the full step
                                     // along du may collide; the trial is then not evaluated
  int finished;                      // flag: Newton's method has converged, and the GPU makes the result the body's
                                     // state
  int guessed;                       // flag: Newton's method began at a first guess
  int backtracks, backtrack;         // numbers of shortened trials. backtracks: in the whole step. backtrack: along the
                                     // last direction
  int weighs;                        // flag: the change of the potential decides if the last trial is accepted
  int sliding;                       // number of pairs with friction, ContactCuda.sliding_count
  int led, led_cg, led_indefinite;   // led: number of linear systems that moved the body out of the way of obstacles.
                                     // led_cg and led_indefinite: their numbers of CG iterations and of indefinite
                                     // tangents
  double elapsed, ahead;             // s, for moving obstacles. elapsed: time of the step up to which they have moved.
                                     // ahead: remaining time of the step
  double residual, min_J, rounding;  // in state u1: norm of the residual, smallest det F, and estimate of the
                                     // residual's rounding errors (newton_rounding)
  double tolerance;                  // kg m/s, tolerance of `residual`
  double before;                     // norm of the residual in the iterate before u1; 0: there is no such iterate
  double cg_relative;                // relative tolerance of the next solve
  double fraction;                   // fraction of du in the last trial
  double least_residual;             // with self-contact: smallest residual of the accepted states, kg m/s
  double slip_fraction;              // fraction, 0 to 1, of the stiffness of slipping friction in the last tangent
                                     // (newton_slip_fraction)
  ContactSums here, there;           // only on the GPU: energies and counts of contact. here: at u1. there: in the last
                                     // trial
  ResidualNorms norms;               // only on the GPU: results of the last evaluation of a state
  SolverReport solver;               // only on the GPU: results of the last linear solve
} NewtonProgress;

/// Returns the tolerance of the residual in a state with these norms, kg m/s.
HOST_DEVICE double newton_tolerance(const NewtonBounds *b, const ResidualNorms *norms) {
  const double scale = norms->momentum + norms->internal + norms->external;
  return fmax(b->absolute, b->relative * scale);
}

/// Estimates the norm of the rounding errors in the residual, kg m/s. They have two sources: rounding of the residual's
/// terms, and rounding of the displacements.
HOST_DEVICE double newton_rounding(const ResidualNorms *norms) {
  const double epsilon = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return epsilon * (norms->momentum + norms->internal + norms->external + norms->rounding);
}

// Returns the relative tolerance of the next linear solve. `residual` is the norm of the residual at u1, and `before`
// that at the iterate before u1 (0: none). `tolerance` is the tolerance of Newton's method. If the setting cg_relative
// is a number, it is returned. If it is "auto", the rules are:
//   - The linear residual need not be below CG_FRACTION times Newton's tolerance, since the nonlinear error is larger.
//   - First system of a step: if the first rule requires a relative tolerance below CG_ONE, a second system will be
//   needed   anyway. The first system is then solved only to CG_FIRST.
//   - Later systems: CG_GAIN times the square of the last reduction of the residual, but at least CG_TIGHT, since the
//     nonlinear error does not decrease faster (Eisenstat and Walker, Choosing the forcing terms in an inexact Newton
//     method, SIAM J. Sci. Comput. 17, 1996, choice 2).
//   - The result is at most CG_LOOSE.
// docs/log/fewer-iterations.md has the measurements from which the constants follow.
HOST_DEVICE double newton_cg_relative(const NewtonBounds *b, double residual, double tolerance, double before) {
  const double CG_FRACTION = 0.3, CG_ONE = 3e-4, CG_FIRST = 3e-3, CG_GAIN = 0.9, CG_TIGHT = 1e-4, CG_LOOSE = 0.1;
  if (b->cg_relative > 0) return b->cg_relative;
  const double needed = CG_FRACTION * tolerance / residual, kept = residual / before;
  const double enough = before > 0 ? fmax(CG_GAIN * kept * kept, CG_TIGHT) : needed < CG_ONE ? CG_FIRST : needed;
  return fmin(fmax(needed, enough), CG_LOOSE);
}

/// Stores the norm of the residual and the smallest det F of u1, which an evaluation has computed.
HOST_DEVICE void newton_note(NewtonProgress *n, const ResidualNorms *norms) {
  n->residual = norms->residual;
  n->min_J = norms->min_J;
}

/// Decides from the norms at u1 if Newton's method ends at u1. Called after newton_note.
HOST_DEVICE void newton_test_residual(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms) {
  n->tolerance = newton_tolerance(b, norms);
  n->rounding = newton_rounding(norms);
  const bool finite = isfinite(n->residual) && isfinite(n->tolerance);
  n->outcome = !finite ? OUTCOME_BROKEN : n->residual <= n->tolerance ? OUTCOME_CONVERGED : OUTCOME_UNFINISHED;
  n->next = n->outcome != OUTCOME_UNFINISHED || n->iterations == b->iterations_max ? NEXT_END : NEXT_SOLVE;
  n->cg_relative = newton_cg_relative(b, n->residual, n->tolerance, n->before);
}

/// Initialises the progress, and decides the first action from the norms at u1.
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

/// Counts a Newton iteration and the CG iterations of its linear solve.
HOST_DEVICE void newton_count(NewtonProgress *n, const SolverReport *solver) {
  n->iterations++;
  n->cg_iterations += solver->iterations;
  n->indefinite += solver->end == SOLVER_INDEFINITE;
}

// Returns (1 - 1e-4 factor) before. A residual up to this value is a sufficient decrease from the residual `before`,
// for a step of length `factor` (Armijo's rule). The intrinsics prevent fused multiply-add, so that CPU and GPU have
// bit-identical results.
HOST_DEVICE double newton_enough(double before, double factor) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(__dsub_rn(1, __dmul_rn(1e-4, factor)), before);
#else
  return (1 - 1e-4 * factor) * before;
#endif
}

/// Decides if the trial u1 + factor * du is accepted, and sets n->accepted. `norms` belong to the trial. Also sets
/// n->rounded if the residual cannot decrease further because of rounding errors.
HOST_DEVICE void newton_judge(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms, double factor) {
  // A residual that no step reduces counts as rounding errors if it is at most ROUNDING_SLACK * newton_rounding. The
  // measured ratio of such a residual to newton_rounding is 0.2 to 1.6, for vibrating beams in float and double.
  const double ROUNDING_SLACK = 4;
  const double before = n->residual, after = norms->residual, tolerance = newton_tolerance(b, norms);
  n->accepted = b->plain || (norms->min_J > 0 && after <= fmax(newton_enough(before, factor), tolerance));
  // Without rounding errors, a full Newton step near the solution at least halves the residual. If the step does not
  // halve it, and the smaller of the two residuals is near its estimated rounding errors, rounding is the cause. The
  // estimate for the state with the larger residual is not used, since this state may have large terms and so a large
  // estimate.
  n->rounded = factor == 1 && after > fmax(0.5 * before, tolerance) &&
               fmin(before, after) <= ROUNDING_SLACK * (after < before ? newton_rounding(norms) : n->rounding);
  if (n->rounded) n->accepted = n->accepted && after < before;
}

/// Decides if a trial is accepted in a step with self-contact. Called after newton_judge. `touched` is true if a pair
/// touches in the trial or at u1. The force of a pair rises steeply at small distances, so a good step may increase the
/// residual. Therefore a second criterion is used: the potential, the function whose negative gradient is the residual.
///
/// A trial is accepted if its residual is smaller than those of all accepted states. If not, it is accepted if its
/// potential is smaller than that of u1. Iterates cannot cycle, since the potential only decreases between two new
/// smallest residuals. Returns true if the residual is too large: the caller must then compute the change of the
/// potential and call newton_weigh.
HOST_DEVICE bool newton_judge_touching(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms,
                                       double factor, bool touched) {
  const double after = norms->residual;
  if (b->plain || !(norms->min_J > 0) || !isfinite(after)) return false;
  if (touched && !n->rounded)
    n->accepted = after <= fmax(newton_enough(n->least_residual, factor), newton_tolerance(b, norms));
  if (n->accepted) n->least_residual = fmin(n->least_residual, after);
  return !n->accepted && touched && !n->rounded;
}

/// Returns true if the host should try the rigid guess before the line search: the first full Newton step from u0 was
/// refused. This happens in each step of a stiff body that rotates: the full step moves nodes along straight lines and
/// so stretches the body.
HOST_DEVICE bool newton_may_turn(const NewtonProgress *n, const NewtonBounds *b) {
  return b->turns && n->iterations == 1 && n->backtrack == 0 && n->fraction == 1 && !n->guessed && !n->accepted &&
         !n->rounded;
}

/// Called if newton_judge_touching returned true: accepts the trial if `higher`, the change of the potential from u1 to
/// the trial, is negative.
HOST_DEVICE void newton_weigh(NewtonProgress *n, const ResidualNorms *norms, double higher) {
  n->accepted = higher < 0;
  if (n->accepted) n->least_residual = fmin(n->least_residual, norms->residual);
}

/// Returns the change of the step's potential from u1 to the trial, kg m^2/s. Arguments ..._here belong to u1 and
/// ..._there to the trial. cells_... are elastic energies, and pairs_... are energies of contact pairs, J. `rest` is
/// the change of all other parts of the potential (higher_at). `impulse`, s, and `theta` are the step's coefficients
/// (TimeStep).
HOST_DEVICE double newton_higher(double rest, double impulse, double theta, double cells_there, double cells_here,
                                 double pairs_there, double pairs_here) {
#ifdef __CUDA_ARCH__
  const double cells = __ddiv_rn(__dsub_rn(cells_there, cells_here), theta);
  return __dadd_rn(rest, __dmul_rn(impulse, __dadd_rn(cells, __dsub_rn(pairs_there, pairs_here))));
#else
  return rest + impulse * ((cells_there - cells_here) / theta + (pairs_there - pairs_here));
#endif
}

/// Returns the relative tolerance of a step's first linear solve if pairs touch; `relative` is the tolerance without
/// contact. The result is at least CG_TOUCHING, unless the setting cg_relative is a number.
HOST_DEVICE double newton_cg_touching(const NewtonBounds *b, double relative) {
  const double CG_TOUCHING = 0.03;
  return b->cg_relative > 0 ? relative : fmax(relative, CG_TOUCHING);
}

/// Returns the relative tolerance of linear systems that move a body out of the way of obstacles or of prescribed
/// nodes. `relative` is the tolerance of the settings. These systems are not part of Newton's method, so for 0 ("auto")
/// the residual gives no tolerance. Newton's method corrects their errors.
HOST_DEVICE double newton_cg_pushing(double relative) {
  const double CG_PUSHING = 1e-4;
  return relative > 0 ? relative : CG_PUSHING;
}

/// Returns the slip fraction, 0 to 1, of the next tangent. For nodes that slip on the floor or an obstacle, the tangent
/// includes this fraction of the stiffness (friction force / slip). `fraction` is the slip fraction of the last
/// tangent. A node slips if its friction force has reached its limit; otherwise a spring holds it at its anchor.
///
/// In the exact tangent a slipping node has no stiffness along the slip, since its force is constant. But most nodes
/// that slip in one iterate stick in the solution. Without stiffness, a Newton step moves them too far, and the next
/// step moves them back. Therefore the result is SLIP_FRACTION after a full step that was refused (`refused`). After an
/// accepted step it is SLIP_FADES times the last fraction, so that the tangent approaches the exact one.
/// docs/decisions/006-time-integrators-and-contact.md has the measurements from which the constants follow.
HOST_DEVICE real newton_slip_fraction(real fraction, bool refused) {
  const real SLIP_FRACTION = (real)0.5, SLIP_FADES = (real)0.7;
  return refused ? SLIP_FRACTION : SLIP_FADES * fraction;
}

/// Returns true if the residual of the first guess is finite and no cell is inverted. Called after newton_note.
HOST_DEVICE bool newton_guess_is_sound(const NewtonProgress *n) {
  return isfinite(n->residual) && n->min_J > 0;
}

/// Returns true if a first guess is clearly better than u0, so that u0 need not be evaluated: its residual is at most
/// half the norm of the momenta, but above the tolerance.
HOST_DEVICE bool newton_guess_is_better(const NewtonProgress *n, const ResidualNorms *norms) {
  return n->residual > n->tolerance && n->residual <= 0.5 * norms->momentum;
}

// Inputs of one decision that a CUDA graph takes on the GPU, without the host (step_graph.h), and addresses of its
// result.
typedef struct StepDecision {
  NewtonBounds bounds;
  NewtonProgress *progress;    // on the device
  NewtonProgress *on_host;     // copy in the host's memory; it is written if the host has to act (newton_reports)
  const SolverReport *solver;  // report of the last solve, on the device; NULL: the decision begins a step
  const int *free;             // on the device, for the decision that begins a step: *free is 0 if pairs touch or
                               // contact limits the first guess. Or NULL
  bool guessed;                // true if the step begins at a first guess
  bool last;                   // the graph has no solve after this decision, so the host always receives it
  // For graphs of steps in which pairs touch (touching_graph.h), else NULL. sums: energies and counts of contact in the
  // evaluated state. slides: number of pairs that slide
  const ContactSums *sums;
  const int *slides;
  bool touches;          // true if the tangents that the graph assembles include contact pairs
  bool compares_guess;   // true: u0 was evaluated, and this decision compares the first guess with u0
  bool guess_is_better;  // true: this decision comes after a comparison that has found the guess better and returned to
                         // it
  // For moving obstacles. moves: the decision comes after obstacles have moved to the step's end. pushes_ahead: the
  // decision comes after a linear system that moves the body out of the way of obstacles. push_relative: relative
  // tolerance of this system
  bool moves, pushes_ahead;
  double push_relative;
} StepDecision;

enum { BACKTRACKS_MAX = 8 };  // maximum number of shortened trials along a direction
enum { PUSHES_MAX = 24 };     // maximum number of linear systems that move a body out of the way of obstacles
// After each of these linear systems, obstacles must be able to make at least this fraction of their remaining motion.
static const double PUSH_FRACTION_MIN = 1e-3;

/// Returns true if a collision may limit the step along the new direction. The collision test has then set n->solves to
/// 0.
HOST_DEVICE bool newton_was_bounded(const NewtonProgress *n) {
  return n->next == NEXT_SOLVE && !n->solves;
}

/// Returns true if decision *d must be taken, because n->next, the action chosen last, requires it. If not, the
/// decision is skipped: an earlier decision has chosen another branch or has ended the step.
HOST_DEVICE bool newton_is_asked(const NewtonProgress *n, const StepDecision *d) {
  if (d->compares_guess) return n->next == NEXT_COMPARE_GUESS;
  if (d->pushes_ahead) return n->next == NEXT_PUSH_AHEAD;
  return !d->solver || n->next == NEXT_SOLVE || n->next == NEXT_COMPARE_ENERGIES;
}

/// Returns true if the decision must be reported to the host: the GPU cannot continue by itself, or the step has ended.
HOST_DEVICE bool newton_reports(const NewtonProgress *n, const StepDecision *d) {
  return n->next < NEXT_PENDING && !d->pushes_ahead && (!n->solves || d->last);
}

// Returns true if contact pairs contribute to the tangent at u1.
HOST_DEVICE bool newton_has_pairs(const NewtonProgress *n, const StepDecision *d) {
  return n->here.count > 0 || (n->sliding > 0 && *d->slides > 0);
}

// Sets n->next to NEXT_OTHER_TANGENT if this graph assembles the wrong tangent: with contact pairs (d->touches)
// although no pair touches, or without contact pairs although a pair touches. The host then launches another graph.
HOST_DEVICE void newton_see_pairs(NewtonProgress *n, const StepDecision *d) {
  if (n->next == NEXT_SOLVE && newton_has_pairs(n, d) != d->touches) n->next = NEXT_OTHER_TANGENT;
}

// Makes the last trial the iterate u1, and decides the next action.
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

// Sets the flags n->solves and n->finished from n->next. Branches of the recorded graph depend on these flags.
HOST_DEVICE void newton_note_next(NewtonProgress *n) {
  n->solves = n->next == NEXT_SOLVE;
  n->finished = n->next == NEXT_END && n->outcome == OUTCOME_CONVERGED;
}

// Decides the first action of a step, after an evaluation at u0 or at the first guess.
HOST_DEVICE void newton_decide_begin(NewtonProgress *n, const StepDecision *d, const ResidualNorms *norms) {
  const bool bounded = d->sums && (d->guessed || d->moves) && !d->guess_is_better && !n->solves;
  const double fraction = n->fraction;
  newton_begin(n, &d->bounds, norms);
  if (d->sums && d->guessed) n->fraction = fraction;  // queue_return needs the fraction if it returns to the guess
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

/// Moves obstacles by `fraction` of their remaining motion, which takes the time n->ahead.
HOST_DEVICE void newton_move_on(NewtonProgress *n, double fraction) {
#ifdef __CUDA_ARCH__
  n->elapsed = __dadd_rn(n->elapsed, __dmul_rn(fraction, n->ahead));
  n->ahead = __dmul_rn(n->ahead, __dsub_rn(1, fraction));
#else
  n->elapsed += fraction * n->ahead;
  n->ahead *= 1 - fraction;
#endif
}

/// Decides after a collision test of the obstacles' motion to the step's end. The fraction n->fraction of this motion
/// is free of collisions. In the test the body rested or, if `goes` is true, moved by its velocity. If the whole motion
/// is free, the obstacles move. Otherwise the next method is tried: after a resting body, a body that moves by its
/// velocity; after this, linear systems that push the body aside.
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

// Decides in the loop of linear systems that move the body out of the way of obstacles, after each evaluation of a
// state. The first evaluation is at the start of the step. If the loop cannot continue, the host repeats the step from
// its start.
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

/// Takes the decision after an evaluation of a state, and stores it in *n. It is the decision that the host's loop
/// (newton_loop.c) takes in this state. In rare cases the decision is that the host continues the step.
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
    else if (!weighs && newton_may_turn(n, &d->bounds))
      n->next = NEXT_LINE_SEARCH;
    else
      n->next = d->sums && (weighs || n->backtrack < BACKTRACKS_MAX) ? NEXT_COMPARE_ENERGIES : NEXT_LINE_SEARCH;
  }
  n->norms = *norms;
  newton_note_next(n);
}

/// Decides about a trial whose residual is too large. `higher` is the change of the step's potential from u1 to the
/// trial. Accepts the trial, or halves n->fraction for another trial.
HOST_DEVICE void newton_decide_weighed(NewtonProgress *n, const StepDecision *d, double higher) {
  const ResidualNorms norms = n->norms;
  if (n->weighs) newton_weigh(n, &norms, higher);
  if (n->accepted)
    newton_take(n, d, &norms);
  else if (n->backtrack == BACKTRACKS_MAX || newton_may_turn(n, &d->bounds))
    n->next = NEXT_LINE_SEARCH;
  else
    n->backtrack++, n->backtracks++, n->fraction /= 2;
  newton_note_next(n);
}
