// The decisions of Newton's method. From the norms of the residual in a state, these functions choose the next action:
// solve again, try a shorter Newton step, or end. They run on the host (newton_loop.c), and on the GPU in recorded time
// steps, which run as a CUDA graph (step_graph.h). This header is compiled for each precision. Symbols:
//   u0      displacements at the start of the time step
//   u1      present iterate of Newton's method for the end of the step
//   du      Newton's direction at u1
//   trial   u1 + fraction * du, the candidate for the next iterate
//   F       deformation gradient of a cell, which is inverted if det F <= 0
// A first guess is a state near the expected result, at which Newton's method starts instead of u0. A trial is refused
// if a cell is inverted or if its residual is too large. Contact pairs are parts of surfaces, such as a point and a
// triangle, that may touch (sim/contact/contact.h).
#pragma once
#include <float.h>
#include <math.h>

#include "base/real.h"
#include "device/host_device.h"
#include "sim/contact/contact_cuda.h"
#include "sim/dynamics/motion.h"
#include "sim/solver/solver.h"

enum { BACKTRACKS_MAX = 8 };  // maximum number of shortened trials along one direction
// A residual of at most ROUNDING_SLACK times the estimate of its rounding errors may consist of them. For vibrating
// beams in float and double, the measured ratio of residual to estimate is 0.2 to 1.6.
enum { ROUNDING_SLACK = 4 };

// Tolerances and limits of Newton's method, copied from the settings.
typedef struct NewtonBounds {
  double absolute, relative;  // absolute tolerance of the residual's norm, kg m/s; tolerance relative to the norms of
                              // its terms
  double cg_relative;         // relative tolerance of all linear solves; 0: newton_cg_relative chooses one per solve
  double least_weight;        // least weight of a node in the norms (Body.weight)
  int iterations_max;         // maximum number of Newton iterations (NewtonProgress.iterations)
  bool plain;                 // true for the setting NEWTON_PLAIN: full Newton steps are always accepted
  bool turns;  // true: if the first full Newton step is refused, a first guess by rigid motions of free pieces may be
               // tried (FIRST_GUESS_AUTO)
} NewtonBounds;

// The next action of Newton's method. In recorded time steps, the host acts on the values before NEXT_PENDING, so the
// GPU reports them to the host; NEXT_SOLVE is reported only if the graph has no further solve. On the values after
// NEXT_PENDING, the GPU acts by itself.
typedef enum NewtonNext {
  NEXT_SOLVE,            // solve a linear system for the next direction
  NEXT_END,              // Newton's method ends; NewtonProgress.outcome is the result
  NEXT_LINE_SEARCH,      // the trial was refused, or the linear solve failed: the host decides about this trial again.
                         // It may try shorter Newton steps, or end if rounding errors dominate the residual
  NEXT_BOUNDED_SEARCH,   // a collision may limit the Newton step along du: the host continues with a collision test
  NEXT_RESTART_ON_HOST,  // the host repeats the time step from its start, for example because contact pairs touch, or
                         // because the first guess is not clearly better than u0
  NEXT_OTHER_TANGENT,    // continue with another CUDA graph: the tangents of this graph include contact although no
                         // pair touches, or lack contact although a pair touches
  NEXT_PENDING,          // the GPU has not decided yet

  // the values below exist only on the GPU, with self-contact
  NEXT_COMPARE_ENERGIES,  // compute the change of the step's potential (potential.h), which decides about a trial with
                          // a large residual
  NEXT_COMPARE_GUESS,     // evaluate u0, to compare its residual with that of the first guess
  NEXT_RETURN_TO_GUESS,   // begin at the first guess, whose residual is smaller than that of u0
  NEXT_BEGIN_AT_STATE,    // begin at u0, whose residual is smaller than that of the first guess

  // the values below exist only on the GPU, with moving obstacles of self-contact
  NEXT_BEGIN_STEP,        // obstacles reach the step's end while the body rests: begin Newton's method
  NEXT_MOVE_BY_VELOCITY,  // obstacles would collide with the resting body: test again with a body that moves by its
                          // velocity
  NEXT_REST,              // obstacles would collide with a body that moves by its velocity, but not with a resting one:
                          // the body rests
  NEXT_PUSH_AHEAD,        // obstacles would still collide: solve linear systems that move the body out of their way
  NEXT_BEGIN_PUSHED,      // obstacles are at the step's end after the body was moved: begin Newton's method at its
                          // present state
} NewtonNext;

// The result of Newton's method in a time step, or in a part of a divided time step.
typedef enum NewtonOutcome {
  OUTCOME_CONVERGED,
  OUTCOME_UNFINISHED,  // the residual is finite, but newton_max iterations were not enough or the line search failed
  OUTCOME_BROKEN,      // the residual is not finite, or a surface blocks a moving obstacle or a prescribed node
} NewtonOutcome;

// The state of Newton's method in a time step. In recorded time steps it is on the GPU, where the branches of the graph
// read it.
typedef struct NewtonProgress {
  int next;                          // the next action, a NewtonNext
  int outcome;                       // the result, a NewtonOutcome
  int iterations;                    // number of Newton iterations: directions du along which a trial was evaluated
  int cg_iterations, indefinite;     // number of CG iterations, and of solves that found an indefinite tangent
                                     // (StepReport)
  int accepted, rounded;             // flags. accepted: the last trial was accepted. rounded: the residual consists of
                                     // rounding errors and cannot decrease
  int solves;                        // flag: 1 if `next` is NEXT_SOLVE. The collision test sets it to 0 if the Newton
                                     // step along du may collide; the trial is then not evaluated
  int finished;                      // flag, only in recorded time steps: 1 if Newton's method has converged. The graph
                                     // then runs the kernels that store the result as the body's state
  int guessed;                       // flag: Newton's method began at a first guess
  int backtracks, backtrack;         // numbers of shortened trials. backtracks: in the whole time step; backtrack:
                                     // along the last direction
  int weighs;                        // flag: the change of the potential decides about the last trial
  int sliding;                       // number of pairs that may have friction (ContactCuda.sliding_count)
  int led, led_cg, led_indefinite;   // led: number of linear systems that moved the body out of the way of obstacles;
                                     // led_cg: their CG iterations; led_indefinite: number of these systems with an
                                     // indefinite tangent
  int prefers_velocity, rests;       // flags, for moving obstacles. prefers_velocity: pairs have friction, so the
                                     // body moves by its velocity before Newton's method begins. rests: obstacles
                                     // can move to the step's end while the body rests
  double elapsed, ahead;             // s. elapsed: time since the start of the time step up to which obstacles have
                                     // moved; ahead: rest of the time step
  double residual, min_J, rounding;  // values at u1. residual: its norm, kg m/s; min_J: smallest det F; rounding:
                                     // estimate of the residual's rounding errors, kg m/s
  double tolerance;                  // kg m/s, value of `residual` below which Newton's method has converged
  double before;                     // norm of the residual in the iterate before u1, kg m/s; 0: u1 is the first
                                     // iterate
  double cg_relative;                // relative tolerance of the next linear solve
  double fraction;                   // step length of the last trial, as a fraction of du; before the first trial,
                                     // the collision-free fraction of the first guess or of the obstacles' motion
  double least_residual;             // with self-contact: smallest residual of all accepted states, kg m/s
  double rounding_least;             // kg m/s, value of `rounding` at the first iterate. Displacements of a fast body
                                     // are largest there, and cause rounding errors in later iterates too
  double risen;                      // kg m^2/s, rise of the step's potential (potential.h) from u1 to the last trial,
                                     // if the trial was refused for this rise; else 0
  double slip_fraction;              // 0 to 1, for nodes that slip: fraction of the friction's stiffness that the last
                                     // tangent included (newton_slip_fraction)
  ContactSums here, there;           // only on the GPU: energies and counts of contact pairs, `here` at u1, `there` in
                                     // the last trial
  ResidualNorms norms;               // only on the GPU: norms of the state that was evaluated last
  SolverReport solver;               // only on the GPU: report of the last linear solve
} NewtonProgress;

/// Estimates the norm of the residual's rounding errors, kg m/s, from rounding of its terms and of the displacements.
HOST_DEVICE double newton_rounding(const ResidualNorms *norms) {
  const double epsilon = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  return epsilon * (norms->momentum + norms->internal + norms->external + norms->rounding);
}

/// Returns the tolerance of the residual in a state with these norms, kg m/s. If moved pins are the only load of a
/// static equilibrium, the forces at free nodes are the residual itself, so they give no tolerance. The residual then
/// has to decrease to a part of its rounding errors.
HOST_DEVICE double newton_tolerance(const NewtonBounds *b, const ResidualNorms *norms) {
  const double ROUNDING_PART = 0.1;
  const double scale = norms->momentum + norms->internal + norms->external;
  const bool unloaded = norms->momentum == 0 && norms->external == 0;
  const double smallest = unloaded ? ROUNDING_PART * newton_rounding(norms) : 0;
  return fmax(fmax(b->absolute, smallest), b->relative * scale);
}

/// Returns true if the residual of a state with these norms is small enough to consist of rounding errors, if Newton's
/// method reached the state by one long step from u1. Such a step has larger rounding errors than the two states: the
/// measured residuals of flying stiff bodies are up to 18 times the estimate at u1.
HOST_DEVICE bool newton_may_be_rounding(const NewtonProgress *n, const ResidualNorms *norms) {
  const double LONG_STEP = 64;
  return norms->min_J > 0 && norms->residual <= LONG_STEP * fmax(n->rounding, newton_rounding(norms));
}

// Returns the relative tolerance of the next linear solve. If the setting cg_relative is a number, returns this number.
// If it is "auto", the result follows from two norms of the residual, `residual` at u1 and `before` at the iterate
// before u1 (0: u1 is the first iterate), and from the tolerance of Newton's method:
//   - First system of a step: CG_FRACTION * tolerance / residual, so that one system is enough. If this value is below
//     CG_ONE, a second system will be needed anyway, and the result is CG_FIRST.
//   - Later systems: CG_GAIN * (residual / before)^2, but at least CG_TIGHT. A smaller value would not help: the
//     nonlinear error would then exceed the error of the linear solve (Eisenstat and Walker, SIAM J. Sci. Comput. 17,
//     1996, choice 2).
// The result is never less than CG_FRACTION * tolerance / residual, with which this system is the last one, and at most
// CG_LOOSE. It is multiplied by the least weight of a node, since the solver compares norms without weights.
// docs/log/fewer-iterations.md has the measurements from which the constants follow.
HOST_DEVICE double newton_cg_relative(const NewtonBounds *b, double residual, double tolerance, double before) {
  const double CG_FRACTION = 0.3, CG_ONE = 3e-4, CG_FIRST = 3e-3, CG_GAIN = 0.9, CG_TIGHT = 1e-4, CG_LOOSE = 0.1;
  if (b->cg_relative > 0) return b->cg_relative;
  const double needed = CG_FRACTION * tolerance / residual, kept = residual / before;
  const double enough = before > 0 ? fmax(CG_GAIN * kept * kept, CG_TIGHT) : needed < CG_ONE ? CG_FIRST : needed;
  return b->least_weight * fmin(fmax(needed, enough), CG_LOOSE);
}

/// Copies the norm of the residual and the smallest det F from *norms to *n. The norms must have been evaluated at u1.
HOST_DEVICE void newton_note(NewtonProgress *n, const ResidualNorms *norms) {
  n->residual = norms->residual;
  n->min_J = norms->min_J;
}

/// Decides if Newton's method ends at the present iterate u1 or solves another linear system (n->next). `norms` were
/// evaluated at u1, and n->residual is already set.
HOST_DEVICE void newton_test_residual(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms) {
  n->tolerance = newton_tolerance(b, norms);
  n->rounding = fmax(newton_rounding(norms), n->rounding_least);
  const bool finite = isfinite(n->residual) && isfinite(n->tolerance);
  n->outcome = !finite ? OUTCOME_BROKEN : n->residual <= n->tolerance ? OUTCOME_CONVERGED : OUTCOME_UNFINISHED;
  n->next = n->outcome != OUTCOME_UNFINISHED || n->iterations == b->iterations_max ? NEXT_END : NEXT_SOLVE;
  n->cg_relative = newton_cg_relative(b, n->residual, n->tolerance, n->before);
}

/// Initialises *n, the state of Newton's method, and chooses the first action from the norms at the first iterate u1.
HOST_DEVICE void newton_begin(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms) {
  n->iterations = n->cg_iterations = n->indefinite = 0;
  n->accepted = n->rounded = n->finished = 0;
  n->guessed = n->backtracks = n->backtrack = n->weighs = 0;
  n->before = n->slip_fraction = n->risen = 0;
  n->rounding_least = newton_rounding(norms);
  n->fraction = 1;
  n->least_residual = norms->residual;
  n->solver.iterations = 0;
  n->solver.end = SOLVER_CONVERGED;
  n->solver.relative_residual = n->solver.product_ms = 0;
  newton_note(n, norms);
  newton_test_residual(n, b, norms);
}

/// Counts one more Newton iteration in *n, and adds the CG iterations of its linear solve.
HOST_DEVICE void newton_count(NewtonProgress *n, const SolverReport *solver) {
  n->iterations++;
  n->cg_iterations += solver->iterations;
  n->indefinite += solver->end == SOLVER_INDEFINITE;
}

// Returns the largest residual that is a sufficient decrease from the residual `before`, for the trial u1 + factor * du
// (Armijo's rule). The intrinsics prevent fused multiply-add, so that CPU and GPU have bit-identical results.
HOST_DEVICE double newton_enough(double before, double factor) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(__dsub_rn(1, __dmul_rn(1e-4, factor)), before);
#else
  return (1 - 1e-4 * factor) * before;
#endif
}

/// Decides if the trial u1 + factor * du, with the given norms, is accepted. Sets n->accepted, and n->rounded if
/// rounding errors keep the residual from decreasing.
HOST_DEVICE void newton_judge(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms, double factor) {
  // Rounding errors count as the cause if a full Newton step does not halve the residual, and the smaller residual is
  // at most ROUNDING_SLACK times their estimate.
  const double before = n->residual, after = norms->residual, tolerance = newton_tolerance(b, norms);
  n->accepted = b->plain || (norms->min_J > 0 && after <= fmax(newton_enough(before, factor), tolerance));
  // Near the solution a full Newton step at least halves the residual. If it does not, and the smaller of the two
  // residuals is near the estimate of rounding errors in its state, rounding is the cause. The estimate in the other
  // state may be too large and is not used.
  n->rounded = factor == 1 && after > fmax(0.5 * before, tolerance) &&
               fmin(before, after) <=
                   ROUNDING_SLACK * (after < before ? fmax(newton_rounding(norms), n->rounding_least) : n->rounding);
  if (n->rounded) n->accepted = n->accepted && after < before;
}

/// Decides if a trial is accepted in a time step with self-contact, after newton_judge. `touched` is true if a pair
/// touches in the trial or at u1. If `touched` is false, newton_judge has decided. Else a trial is accepted if its
/// residual is below those of all accepted states. If not, and if no cell is inverted, the function returns true: the
/// caller must compute the change of the step's potential (potential.h), and call newton_weigh. The negative gradient
/// of the potential is the residual.
///
/// n->rounded, the result of newton_judge, becomes false if `touched` is true and contact may be the reason why the
/// residual did not halve: the residuals at u1 and at the trial are both above the estimate of rounding errors, or that
/// at the trial is too large to consist of them.
///
/// Reason: the force of a pair rises steeply at small distances, so a good Newton step may increase the residual.
/// Iterates cannot cycle: between two new smallest residuals, each accepted trial decreases the potential.
HOST_DEVICE bool newton_judge_touching(NewtonProgress *n, const NewtonBounds *b, const ResidualNorms *norms,
                                       double factor, bool touched) {
  const double after = norms->residual;
  const bool small = fmin(n->residual, after) <= fmax(n->rounding, newton_rounding(norms));
  if (touched && !(small && newton_may_be_rounding(n, norms))) n->rounded = 0;
  const bool sound = !b->plain && norms->min_J > 0 && isfinite(after), decides = sound && touched && !n->rounded;
  if (decides) n->accepted = after <= fmax(newton_enough(n->least_residual, factor), newton_tolerance(b, norms));
  if (sound && n->accepted) n->least_residual = fmin(n->least_residual, after);
  const bool weighs = decides && !n->accepted;
  if (!weighs || n->backtrack == 0) n->risen = 0;
  return weighs;
}

/// Returns true if rounding errors may be the reason why no trial of a line search was accepted in a time step with
/// self-contact: the search began with a full Newton step, and the residual at u1 is near its rounding errors.
HOST_DEVICE bool newton_ends_rounded(const NewtonProgress *n) {
  const bool full = n->fraction * (1 << BACKTRACKS_MAX) == 1;
  return full && n->backtrack == BACKTRACKS_MAX && n->residual <= ROUNDING_SLACK * n->rounding;
}

/// Returns true if the first full Newton step from u0 was refused, and the host should try a first guess by rigid
/// motions (NewtonBounds.turns) before the line search. This happens in each time step of a stiff body that rotates:
/// Newton's step moves nodes along straight lines, which stretches the body.
HOST_DEVICE bool newton_may_turn(const NewtonProgress *n, const NewtonBounds *b) {
  return b->turns && n->iterations == 1 && n->backtrack == 0 && n->fraction == 1 && !n->guessed && !n->accepted &&
         !n->rounded;
}

/// Decides about a trial in which contact pairs touch and whose residual is too large. Accepts it if `higher`, the
/// change of the step's potential from u1 to the trial, is negative, with one exception: half of this trial's step is
/// tried first if the minimum of the potential along du is probably closer to it.
///
/// The parabola through the potential at u1, at this trial and at the trial before, whose step was twice as long, has
/// its minimum below 3/4 of this trial's step if the trial before raised the potential by more than twice the decrease
/// at this trial. Without the exception, iterates jump over a minimum from side to side, and the potential hardly
/// decreases.
HOST_DEVICE void newton_weigh(NewtonProgress *n, const ResidualNorms *norms, double higher) {
  const bool overshoots = n->risen > -2 * higher && n->backtrack < BACKTRACKS_MAX;
  n->accepted = higher < 0 && !overshoots;
  n->risen = fmax(higher, 0.0);
  if (n->accepted) n->least_residual = fmin(n->least_residual, norms->residual);
}

/// Returns the change of the step's potential (potential.h) from u1 to the trial, kg m^2/s. Names that end in _here are
/// values at u1, and names that end in _there values at the trial. cells_here, cells_there: elastic energies of all
/// cells, J. pairs_here, pairs_there: energies of all contact pairs, J. rest: change of all other parts of the
/// potential, which is the sum of the function higher_at over all nodes. impulse (in seconds) and theta (a number) are
/// coefficients of the time step (TimeStep).
HOST_DEVICE double newton_higher(double rest, double impulse, double theta, double cells_there, double cells_here,
                                 double pairs_there, double pairs_here) {
#ifdef __CUDA_ARCH__
  const double cells = __ddiv_rn(__dsub_rn(cells_there, cells_here), theta);
  return __dadd_rn(rest, __dmul_rn(impulse, __dadd_rn(cells, __dsub_rn(pairs_there, pairs_here))));
#else
  return rest + impulse * ((cells_there - cells_here) / theta + (pairs_there - pairs_here));
#endif
}

/// Returns the relative tolerance of the first linear solve of a time step in which contact pairs touch: `relative`,
/// the tolerance without contact, but at least CG_TOUCHING. If the setting cg_relative is a number, returns `relative`.
HOST_DEVICE double newton_cg_touching(const NewtonBounds *b, double relative) {
  const double CG_TOUCHING = 0.03;
  return b->cg_relative > 0 ? relative : fmax(relative, b->least_weight * CG_TOUCHING);
}

/// Returns the relative tolerance of linear systems that move a body out of the way of obstacles or of prescribed
/// nodes. `relative` is the setting cg_relative; 0 is "auto". Newton's method later corrects the errors of these
/// systems.
HOST_DEVICE double newton_cg_pushing(double relative) {
  const double CG_PUSHING = 1e-4;
  return relative > 0 ? relative : CG_PUSHING;
}

/// Returns the slip fraction, 0 to 1, of the next tangent: the fraction of the stiffness (friction force / slip) that
/// the tangent includes for nodes that slip on the floor or an obstacle. `fraction` is the slip fraction of the last
/// tangent. If the last full Newton step was refused (`refused`), the result is SLIP_FRACTION, else SLIP_FADES times
/// `fraction`.
///
/// Reason: in the exact tangent, a slipping node has no stiffness along the slip. But most nodes that slip in one
/// iterate stick in the solution, and without stiffness Newton's steps would move them to and fro.
/// docs/decisions/006-time-integrators-and-contact.md gives the reasons for the constants.
HOST_DEVICE real newton_slip_fraction(real fraction, bool refused) {
  const real SLIP_FRACTION = (real)0.5, SLIP_FADES = (real)0.7;
  return refused ? SLIP_FRACTION : SLIP_FADES * fraction;
}

/// Returns true if the first guess of the time step can be used: its residual is finite and no cell is inverted. *n
/// must contain the residual and the smallest det F (min_J) of this guess.
HOST_DEVICE bool newton_guess_is_sound(const NewtonProgress *n) {
  return isfinite(n->residual) && n->min_J > 0;
}

/// Returns true if the residual of a first guess is at most half the norm of the momenta, but above the tolerance. The
/// guess then counts as clearly better than u0, the start of the time step, and u0 need not be evaluated.
HOST_DEVICE bool newton_guess_is_better(const NewtonProgress *n, const ResidualNorms *norms) {
  return n->residual > n->tolerance && n->residual <= 0.5 * norms->momentum;
}

// Inputs of one decision that the GPU takes in a recorded time step (step_graph.h), and addresses of its result.
typedef struct StepDecision {
  NewtonBounds bounds;
  NewtonProgress *progress;    // on the GPU: input and result of the decision
  NewtonProgress *on_host;     // copy of *progress in the host's memory, written if the host has to act
                               // (newton_reports)
  const SolverReport *solver;  // on the GPU: report of the last linear solve; NULL: the decision begins a time step
  const int *free;             // on the GPU, for the decision that begins a time step: 0 if pairs touch, or if contact
                               // limits the first guess; else 1. May be NULL
  bool guessed;                // true if the step begins at a first guess
  bool last;                   // true: the graph has no solve after this decision, so the host always gets its result
  // on the GPU, for steps in which contact pairs touch (touching_graph.h); else NULL. *sums: energies and counts of
  // contact pairs in the evaluated state. *slides: number of pairs with friction
  const ContactSums *sums;
  const int *slides;
  bool touches;          // true: the tangents that the graph assembles include contact pairs
  bool compares_guess;   // true: u0 was evaluated, and the decision compares the first guess with it
  bool guess_is_better;  // true: a comparison has found the first guess better than u0, so Newton's method begins at
                         // the guess

  // For moving obstacles. moves: true if the decision comes after obstacles have moved to the step's end. pushes_ahead:
  // true if it comes after a linear system that moves the body out of their way. push_relative: relative tolerance of
  // this system
  bool moves, pushes_ahead;
  double push_relative;
} StepDecision;

enum { PUSHES_MAX = 24 };  // maximum number of linear systems that move a body out of the way of obstacles
// Linear systems move the body out of the way of obstacles, one system after the other. After each system, the
// obstacles move as far as they can without a collision. If this is at most the fraction PUSH_FRACTION_MIN of their
// remaining motion, no further system is solved.
static const double PUSH_FRACTION_MIN = 1e-3;

/// Returns true if a collision may limit the Newton step along du: the collision test has set n->solves to 0.
HOST_DEVICE bool newton_was_bounded(const NewtonProgress *n) {
  return n->next == NEXT_SOLVE && !n->solves;
}

/// Returns true if the decision *d belongs to the next action, n->next. Otherwise the time step has taken another
/// branch of the graph or has ended, and the decision must be skipped.
HOST_DEVICE bool newton_is_asked(const NewtonProgress *n, const StepDecision *d) {
  if (d->compares_guess) return n->next == NEXT_COMPARE_GUESS;
  if (d->pushes_ahead) return n->next == NEXT_PUSH_AHEAD;
  return !d->solver || n->next == NEXT_SOLVE || n->next == NEXT_COMPARE_ENERGIES;
}

/// Returns true if the decision must be reported to the host: the GPU cannot continue by itself, or the time step has
/// ended.
HOST_DEVICE bool newton_reports(const NewtonProgress *n, const StepDecision *d) {
  return n->next < NEXT_PENDING && !d->pushes_ahead && (!n->solves || d->last);
}

// Returns true if contact pairs have friction in this step. slides: StepDecision.slides
HOST_DEVICE bool newton_slides(const NewtonProgress *n, const int *slides) {
  return n->sliding > 0 && *slides > 0;
}

// Returns true if contact pairs contribute to the tangent at u1.
HOST_DEVICE bool newton_has_pairs(const NewtonProgress *n, const StepDecision *d) {
  return n->here.count > 0 || newton_slides(n, d->slides);
}

// Sets n->next to NEXT_OTHER_TANGENT if this graph has the wrong tangents: they include contact pairs (d->touches)
// while no pair contributes, or lack contact pairs while a pair contributes. The host then launches another graph.
HOST_DEVICE void newton_see_pairs(NewtonProgress *n, const StepDecision *d) {
  if (n->next == NEXT_SOLVE && newton_has_pairs(n, d) != d->touches) n->next = NEXT_OTHER_TANGENT;
}

// Makes the last trial the new u1, Newton's present iterate, and chooses the next action.
HOST_DEVICE void newton_take(NewtonProgress *n, const StepDecision *d, const ResidualNorms *norms) {
  n->before = n->residual;
  newton_note(n, norms);
  n->here = n->there;
  if (!d->sums) n->least_residual = fmin(n->least_residual, n->residual);
  if (n->rounded) {
    n->next = NEXT_END;
    n->outcome = OUTCOME_CONVERGED;
  } else
    newton_test_residual(n, &d->bounds, norms);
  if (!d->sums) return;
  newton_see_pairs(n, d);
  if (n->next != NEXT_SOLVE) return;
  n->slip_fraction = newton_slip_fraction((real)n->slip_fraction, n->backtrack > 0);
  n->backtrack = 0;
}

// Sets n->solves and n->finished, which the graph's branches read, from n->next.
HOST_DEVICE void newton_note_next(NewtonProgress *n) {
  n->solves = n->next == NEXT_SOLVE;
  n->finished = n->next == NEXT_END && n->outcome == OUTCOME_CONVERGED;
}

// Chooses the first action of a time step, after an evaluation at its start, u0, or at the first guess.
HOST_DEVICE void newton_decide_begin(NewtonProgress *n, const StepDecision *d, const ResidualNorms *norms) {
  const bool bounded = d->sums && (d->guessed || d->moves) && !d->guess_is_better && !n->solves;
  const double fraction = n->fraction;
  newton_begin(n, &d->bounds, norms);
  if (d->sums && d->guessed) n->fraction = fraction;  // a later return to the first guess needs this fraction
  const bool sound = newton_guess_is_sound(n), better = sound && newton_guess_is_better(n, norms);
  n->guessed = d->guessed;
  if (d->guessed && !better && !d->guess_is_better)
    n->next = !d->sums ? NEXT_RESTART_ON_HOST : sound ? NEXT_COMPARE_GUESS : NEXT_BEGIN_AT_STATE;

  // if the body moved by its velocity and a cell is inverted, the host lets the body rest
  const bool returns = d->moves && n->prefers_velocity && !sound;
  if (bounded || returns || (d->free && !*d->free)) n->next = NEXT_RESTART_ON_HOST;
  if (!d->sums) return;
  n->here = *d->sums;
  newton_see_pairs(n, d);
  if (n->next == NEXT_SOLVE) n->cg_relative = newton_cg_touching(&d->bounds, n->cg_relative);
}

/// Moves obstacles by `fraction` of their remaining motion, which lasts n->ahead, s.
HOST_DEVICE void newton_move_on(NewtonProgress *n, double fraction) {
#ifdef __CUDA_ARCH__
  n->elapsed = __dadd_rn(n->elapsed, __dmul_rn(fraction, n->ahead));
  n->ahead = __dmul_rn(n->ahead, __dsub_rn(1, fraction));
#else
  n->elapsed += fraction * n->ahead;
  n->ahead *= 1 - fraction;
#endif
}

/// Chooses the next action after a collision test of the obstacles' motion to the end of the time step. n->fraction is
/// the fraction of this motion that is free of collisions. In the test the body moved by its velocity if `goes` is
/// true, else it rested. If the whole motion is free, the obstacles move to its end. If not, the next method is tried:
/// first a body that moves by its velocity, then linear systems that push the body aside. If `slides` is true, pairs
/// have friction: the body then moves by its velocity if this motion is free. If it is not, the body rests if it can.
HOST_DEVICE void newton_decide_motion(NewtonProgress *n, bool slides, bool goes) {
  const bool again = n->next == NEXT_REST, tries_velocity = !goes && !again && slides;
  n->prefers_velocity = slides;
  const bool is_free = n->solves && n->fraction == 1;
  if (!goes) n->rests = is_free;
  if (!n->solves || (again && !is_free)) {
    // the GPU could not test this motion for collisions, so the host repeats the step
    n->next = NEXT_RESTART_ON_HOST;
    n->solves = 0;
  } else if (is_free && !tries_velocity) {
    n->next = goes ? NEXT_BEGIN_PUSHED : NEXT_BEGIN_STEP;
    newton_move_on(n, 1);
  } else {
    n->next = !goes ? NEXT_MOVE_BY_VELOCITY : n->rests ? NEXT_REST : NEXT_PUSH_AHEAD;
  }
}

// Chooses the next action after each evaluation in the loop of linear systems that move the body out of the way of
// obstacles. The first evaluation is at the start of the time step. If the loop cannot continue, the host repeats the
// time step from its start.
HOST_DEVICE void newton_decide_pushed(NewtonProgress *n, const StepDecision *d, const ResidualNorms *norms) {
  const bool first = !d->solver;
  bool sound = n->solves;
  if (sound && !first) {
    n->solver = *d->solver;
    n->led++;
    n->led_cg += n->solver.iterations;
    n->led_indefinite += n->solver.end == SOLVER_INDEFINITE;
    sound = n->solver.end != SOLVER_STOPPED && n->solver.end != SOLVER_LOST && norms->min_J > 0 &&
            isfinite(norms->residual);
  }
  newton_note(n, norms);
  n->here = *d->sums;
  n->cg_relative = first ? newton_cg_touching(&d->bounds, d->push_relative) : d->push_relative;
  if (sound && !first && n->fraction == 1)
    n->next = NEXT_BEGIN_PUSHED;
  else if (!sound || !newton_has_pairs(n, d) ||
           (!first && (!(n->fraction > PUSH_FRACTION_MIN) || n->led == PUSHES_MAX))) {
    n->next = NEXT_RESTART_ON_HOST;
    n->solves = 0;
  }
}

/// Chooses the next action after an evaluation of a state, as the host's loop does (newton_loop.c), and stores it in
/// n->next. In rare cases this action is one that only the host can take.
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

/// Decides about a trial with a residual that is too large. If n->weighs is 1 and `higher`, the change of the step's
/// potential from u1 to the trial, is negative, accepts the trial. Otherwise halves n->fraction for another trial;
/// after the last allowed trial, the host must continue (NEXT_LINE_SEARCH).
HOST_DEVICE void newton_decide_weighed(NewtonProgress *n, const StepDecision *d, double higher) {
  const ResidualNorms norms = n->norms;
  if (n->weighs) newton_weigh(n, &norms, higher);
  if (n->accepted)
    newton_take(n, d, &norms);
  else if (n->backtrack == BACKTRACKS_MAX || newton_may_turn(n, &d->bounds))
    n->next = NEXT_LINE_SEARCH;
  else {
    n->backtrack++;
    n->backtracks++;
    n->fraction /= 2;
  }
  newton_note_next(n);
}
