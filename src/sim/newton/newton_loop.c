// Newton's method controlled by the host (newton_loop.h). The host waits once for each evaluated state. From the norm
// of the residual and the smallest det F of the cells it then decides how to continue (decision.h). Symbols
// (integrator.h): u0 are the displacements at the start of the time step, u1 the present iterate, du Newton's
// direction, `trial` the candidate for the next iterate, and F the deformation gradient of a cell.
//
// With self-contact, nodes with a prescribed motion and obstacles (rigid bodies) are moved to the step's end without
// collisions before Newton's method begins. A pair is two parts of surfaces that may touch, such as a point and a
// triangle. Contact is evaluated for the pairs in a list. The list is valid for a state if it contains all pairs that
// touch in this state (sim/contact/contact.h); forces may be evaluated only at such states.
#include "sim/newton/newton_loop.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "sim/dynamics/spin.h"
#include "sim/newton/step_recording.h"
#include "sim/newton/touching_graph.h"

enum { STILL_SOLVES_MAX = 8 };  // maximum number of runs of Newton's method with obstacles at rest (push_through)

static bool pass(const Newton *w, const Transfer *transfer, Error *error) {
  return transfer_pass(transfer, w->cuda, w->clock, error);
}

// Prepares an operator without a stored matrix for products with the tangent at the present state.
static bool linearise(Newton *w, const AssemblyParameters *parameters, Error *error) {
  int span;
  if (!pass(w, &w->linearised, error)) return false;
  if (!stage_begin(w->clock, TIMED_ASSEMBLY, w->solver_stream, &span, error)) return false;
  if (!operator_linearise(w->A, parameters, w->linearised.to, w->solver_stream, error)) return false;
  return stage_end(w->clock, span, w->solver_stream, error);
}

// Returns true if one call of the assembly (assemble_all) computes the forces and also prepares an operator without a
// stored matrix for products. The prepared operator includes Iterate.shift, the diagonal blocks of the tangent without
// the stiffness of cells.
static bool makes_all(const Newton *w) {
  return !operator_stores(w->A) && w->assembly->method->assemble_shifted &&
         w->assembly_stream.device == w->solver_stream.device;
}

// Returns the number of off-diagonal entries that contact adds to each node's 3x3 block (Iterate.shift): 0, 1 (xy) or 3
// (xy, xz, yz). On the CPU the result is 0 if self-contact is the only contact and no contact pair touches.
static int crosses(const Newton *w) {
  const Forces *f = &w->motion->forces;
  const bool idle =
      w->motion->body.device == DEVICE_CPU && f->self && !has_contact(f) && !newton_self_contact(w)->touches(w->motion);
  return idle ? 0 : contact_crosses(f);
}

static bool assemble_all(Newton *w, const TimeStep *step, const AssemblyParameters *parameters, bool copies,
                         Error *error) {
  int span;
  if (!w->motion->method->set_shift(w->motion, step, w->stream, error) || !pass(w, &w->shift, error)) return false;
  const AssemblyShift shift = { w->shift.to, crosses(w), copies ? w->diagonal.from : NULL, NULL };
  if (!stage_begin(w->clock, TIMED_ASSEMBLY, w->assembly_stream, &span, error)) return false;
  if (!assembly_run_shifted(w->assembly, parameters, w->nodal.to, w->internal.from, w->A, &shift, w->assembly_stream,
                            error))
    return false;
  if (!stage_end(w->clock, span, w->assembly_stream, error)) return false;
  if (!pass(w, &w->internal, error)) return false;
  if (!pass(w, &w->min_J, error)) return false;
  return !copies || pass(w, &w->diagonal, error);
}

// Selects the matrices that an evaluation assembles in addition to the forces. TANGENT_NONE: no matrix. TANGENT_LATER:
// the tangent. TANGENT_FIRST: the tangent and a copy of its diagonal, from which the residual's rounding errors are
// estimated. If newton_copies_diagonals returns true, TANGENT_LATER also copies the diagonal.
typedef enum Tangent { TANGENT_NONE, TANGENT_LATER, TANGENT_FIRST } Tangent;

static bool assemble(Newton *w, const TimeStep *step, Tangent tangent, Error *error) {
  const bool with_matrix = tangent != TANGENT_NONE;
  const bool copies = tangent == TANGENT_FIRST || (with_matrix && newton_copies_diagonals(w));
  const AssemblyParameters parameters = step_parameters(w, step);
  const bool stores = operator_stores(w->A);
  int span;
  if (with_matrix)
    w->assemblies++;
  else
    w->vectors++;
  if (!pass(w, &w->nodal, error)) return false;
  if (with_matrix && makes_all(w)) return assemble_all(w, step, &parameters, copies, error);
  if (!stage_begin(w->clock, with_matrix ? TIMED_ASSEMBLY : TIMED_VECTOR, w->assembly_stream, &span, error) ||
      !assembly_run(w->assembly, &parameters, w->nodal.to, w->internal.from,
                    with_matrix && stores ? w->values.from : NULL, w->assembly_stream, error) ||
      !stage_end(w->clock, span, w->assembly_stream, error))
    return false;
  if (!pass(w, &w->internal, error) || !pass(w, &w->min_J, error)) return false;
  if (!with_matrix) return true;
  if (!(stores ? pass(w, &w->values, error) : linearise(w, &parameters, error))) return false;
  if (!w->motion->method->set_shift(w->motion, step, w->stream, error)) return false;
  if (!pass(w, &w->shift, error)) return false;
  if (!operator_shift(w->A, w->shift.to, crosses(w), copies ? w->diagonal.from : NULL, NULL, w->solver_stream, error))
    return false;
  return !copies || pass(w, &w->diagonal, error);
}

// Chooses the solver of the next linear system, and returns the system's relative tolerance: `relative` or, in the
// first system of a time step (`first`) in which contact pairs touch, the result of newton_cg_touching.
static double choose_solver(Newton *w, double relative, bool first) {
  const NewtonBounds bounds = newton_bounds(w);
  const bool touches = w->motion->forces.self && newton_self_contact(w)->touches(w->motion);
  newton_choose_solver(w, touches);
  return first && touches ? newton_cg_touching(&bounds, relative) : relative;
}

// Solves A du = residual. `norm` is the norm of the residual. The first solve of a time step (`first`) creates the
// preconditioner, and later solves use it again, since the matrix changes little. The next time step creates a new
// preconditioner, so the result of a time step depends only on the state at its start.
static bool solve(Newton *w, double relative, double norm, bool first, Error *error) {
  int span;
  const double asked = choose_solver(w, relative, first);  // sets w->solver, so it must precede the lines below
  w->solver->system.relative = asked;
  w->solver->system.norm = norm;
  w->solver->timed = w->clock->running;
  w->solver->keeps = !first;
  if (solver_is_coarse(w->solver->method) && first && !pass(w, &w->theta_u, error)) return false;
  if (!pass(w, &w->residual, error)) return false;
  if (!stage_begin(w->clock, TIMED_SOLVER, w->solver_stream, &span, error)) return false;
  if (!solver_solve(w->solver, w->solver_stream, error)) return false;
  if (!stage_end(w->clock, span, w->solver_stream, error)) return false;
  if (w->du.from != w->du.to && !solver_wait(w->solver, w->solver_stream, error)) return false;
  return pass(w, &w->du, error);
}

// Evaluates the trial u1 + factor * du: computes its residual, its smallest det F, and the matrices that `tangent`
// selects. Waits for the device.
static bool evaluate(Newton *w, const TimeStep *step, double factor, Tangent tangent, Error *error) {
  if (!w->motion->method->set_trial(w->motion, step, factor, w->stream, error)) return false;
  if (!assemble(w, step, tangent, error)) return false;
  if (!w->motion->method->residual(w->motion, step, w->min_J.to, w->assembly->min_J_count,
                                   w->settings->newton == NEWTON_ROBUST, w->stream, error))
    return false;
  return solver_wait(w->solver, w->stream, error);
}

// Returns the reason why Newton's method stops at the iterate u1 without convergence. `searched` is true if a line
// search failed; Iterate.norms_host then has the norms of the search's last trial.
static NewtonCause cause_of(const Newton *w, bool searched) {
  const double J = w->motion->iterate.norms_host->min_J;
  const SolverEnd end = w->solver->report->end;
  if (searched && !(J > 0)) return NEWTON_INVERTED;
  if (end == SOLVER_INDEFINITE) return NEWTON_INDEFINITE;
  if (end != SOLVER_CONVERGED) return NEWTON_LINEAR;
  return searched ? NEWTON_STAGNATED : NEWTON_OUT_OF_ITERATIONS;
}

// Returns the displacements at which Newton's method starts: the body's state. For BDF2 this state was extrapolated, so
// its surface may intersect itself; with self-contact the result is therefore the state before the extrapolation.
static const real *beginning(const Newton *w) {
  const Motion *m = w->motion;
  return w->extrapolated && m->forces.self ? m->iterate.u_backup : m->body.u;
}

// Begins the computation of self-contact in this step, with obstacles at their positions at the start of the step.
static bool begin_contact(const Newton *w, const TimeStep *step, Error *error) {
  int span;
  if (!w->motion->forces.self) return true;
  return stage_begin(w->clock, TIMED_CONTACT + TIMED_BOUNDS, w->stream, &span, error) &&
         newton_self_contact(w)->begin(w->motion, step, beginning(w), w->stream, error) &&
         stage_end(w->clock, span, w->stream, error);
}

// Makes the list of contact pairs valid for the body's state at the start of the step, by evaluating contact in this
// state. This is necessary because the list may still belong to a trial state that Newton's method has rejected.
static bool settle(const Newton *w, Error *error) {
  return self_contact_evaluate(newton_self_contact(w), w->motion, w->motion->forces.self, w->motion->body.u, false,
                               w->stream, error);
}

// Computes the collision-free fraction of the path from `from` to `to`, or from `from` to `from` + du if `to` is NULL.
// Measures the time of this test.
static bool bound(const Newton *w, const void *from, const void *to, double *fraction, Error *error) {
  int span;
  return stage_begin(w->clock, TIMED_CONTACT + TIMED_BOUNDS, w->stream, &span, error) &&
         newton_self_contact(w)->bound(w->motion, from, to, fraction, w->stream, error) &&
         stage_end(w->clock, span, w->stream, error);
}

// Sets u1 to the displacements at which Newton's method starts.
static bool start(const Newton *w, Error *error) {
  const Motion *m = w->motion;
  return device_copy(w->stream, m->iterate.u1, beginning(w), sizeof(real) * (size_t)m->body.n, error);
}

// Sets u1 to the displacements at which Newton's method starts, with prescribed nodes at the step's end. With
// self-contact, no node may be prescribed, since it might pass through a surface.
static bool start_step(const Newton *w, const TimeStep *step, Error *error) {
  const Motion *m = w->motion;
  return start(w, error) && (!m->body.any_moved || m->method->move_held(m, step, w->stream, error));
}

// Returns the remaining time of the obstacles' motion in the step, s.
static double left_to_go(const Contact *c, const TimeStep *step) {
  return step->duration + (step->begins - c->elapsed);
}

// Counts a linear system and its CG iterations in the report.
static void count(Newton *w, StepReport *report) {
  report->newton_iterations++;
  report->cg_iterations += w->solver->report->iterations;
  stage_clock_add(w->clock, TIMED_PRODUCT, w->solver->report->product_ms);
  report->indefinite += w->solver->report->end == SOLVER_INDEFINITE;
}

// Tests if the obstacles of self-contact can move to the step's end without a collision. In the test, the body moves
// from its displacements at the start of the step to `to`. If they can, *may becomes true, and the function moves them
// if `moves` is true.
static bool obstacles_may(const Newton *w, const TimeStep *step, const void *to, bool moves, bool *may, Error *error) {
  Contact *c = w->motion->forces.self;
  double fraction = 1;
  c->ahead = left_to_go(c, step);
  const bool ok = bound(w, beginning(w), to, &fraction, error);
  *may = fraction == 1;
  if (*may && moves) c->elapsed += c->ahead;
  c->ahead = 0;
  return ok;
}

// A prescribed motion that pushes the free nodes of the body aside. If `held` is true, it is the motion of the body's
// prescribed nodes, else the motion of obstacles.
typedef struct Push {
  bool held;
  double left;  // remaining part of the motion: a time, s, for obstacles; a fraction, 0 to 1, for prescribed nodes
} Push;

// Adds to the residual the forces that the remaining prescribed motion exerts on the free unknowns, in the linear
// approximation at u1.
static bool push_residual(const Newton *w, const TimeStep *step, const Push *push, Error *error) {
  const Motion *m = w->motion;
  if (!push->held) return newton_self_contact(w)->push_ahead(m, w->stream, error);
  return m->method->held_rest(m, step, false, w->stream, error) &&
         operator_apply(w->A, m->iterate.du, m->iterate.trial, NULL, w->stream, error) &&
         m->method->take_product(m, w->stream, error);
}

// Continues a prescribed motion that is not complete, and moves the body out of its way. Solves one linear system for
// the body's displacement under the rest of the motion. Then moves the body, and the obstacles or prescribed nodes, by
// a fraction of this motion: the largest fraction without a collision, halved until no cell is inverted and the
// residual is finite. *fraction becomes this fraction, or 0 if nothing can move. `first` is true for the step's first
// linear system.
static bool push_ahead(Newton *w, const TimeStep *step, const Push *push, bool first, double *fraction,
                       StepReport *report, Error *error) {
  const Motion *m = w->motion;
  Contact *c = m->forces.self;
  const ResidualNorms *norms = m->iterate.norms_host;
  const double from = c->elapsed, ahead = push->held ? 0 : push->left;
  c->ahead = ahead;
  bool ok = (first ? evaluate(w, step, 0, TANGENT_FIRST, error) : assemble(w, step, TANGENT_LATER, error));
  ok = ok && interrupt_check(error);
  ok = ok && push_residual(w, step, push, error);
  ok = ok && solve(w, newton_cg_pushing(w->settings->cg_relative), push->held ? 0 : norms->residual, first, error);
  ok = ok && (!push->held || m->method->held_rest(m, step, true, w->stream, error));
  ok = ok && bound(w, m->iterate.u1, NULL, fraction, error);
  c->ahead = 0;
  if (!ok) return false;

  for (int k = 0; k < BACKTRACKS_MAX; k++, *fraction /= 2) {
    c->elapsed = from + *fraction * ahead;
    if (!evaluate(w, step, *fraction, TANGENT_NONE, error)) return false;
    if (k == 0) count(w, report);
    if (!(norms->min_J > 0) || !isfinite(norms->residual)) continue;
    accept_trial(&w->motion->iterate);
    return true;
  }

  *fraction = 0;
  return true;
}

// Sets u1 to the displacements at which Newton's method starts with self-contact. These are the body's displacements,
// which are extrapolated with BDF2. If a collision prevents the motion from the start of the step to the extrapolated
// state, u1 becomes the start of the step.
static bool start_at_state(const Newton *w, Error *error) {
  const Motion *m = w->motion;
  double fraction = 1;
  const bool may_go = w->extrapolated && m->forces.self;
  if (may_go && !bound(w, beginning(w), m->body.u, &fraction, error)) return false;
  return may_go && fraction == 1
             ? device_copy(w->stream, m->iterate.u1, m->body.u, sizeof(real) * (size_t)m->body.n, error)
             : start(w, error);
}

// Starts Newton's method at u0 or, if `goes` is true, at the present u1: evaluates residual and tangent there. `first`
// has the coefficients of this evaluation, in which nodes that will soon land count as touching (TimeStep.lookahead).
static bool begin_at_state(Newton *w, const TimeStep *first, bool goes, NewtonProgress *n, Error *error) {
  const NewtonBounds bounds = newton_bounds(w);
  const bool contact = w->motion->forces.self != NULL;
  if (!goes && !(contact ? start_at_state(w, error) : start_step(w, first, error))) return false;
  if (!evaluate(w, first, 0, TANGENT_FIRST, error) || !interrupt_check(error)) return false;
  newton_begin(n, &bounds, w->motion->iterate.norms_host);
  return true;
}

// Sets u1 = u0 + fraction * (g - u0), where g are the displacements of the first guess that the settings name.
static bool guess(const Newton *w, const TimeStep *step, double fraction, Error *error) {
  const MotionMethod *method = w->motion->method;
  return method->guess(w->motion, step, w->settings->first_guess, w->stream, error) &&
         (fraction == 1 || method->shorten(w->motion, beginning(w), fraction, w->stream, error));
}

// Starts Newton's method at the first guess: sets u1, and evaluates residual and tangent there. If a collision is in
// the path from u0 to the guess, u1 is the end of the collision-free part of the path. *better becomes true if no cell
// is inverted at u1 and, in addition, one of two conditions holds: newton_guess_is_better returns true, or u0 has not
// converged and has a larger residual than u1. If *better is false, u1 must not be used.
static bool begin_at_guess(Newton *w, const TimeStep *step, bool *better, NewtonProgress *n, Error *error) {
  const NewtonBounds bounds = newton_bounds(w);
  const ResidualNorms *norms = w->motion->iterate.norms_host;
  double fraction = 1;
  *better = false;
  if (!guess(w, step, 1, error)) return false;
  if (w->motion->forces.self && !bound(w, beginning(w), w->motion->iterate.u1, &fraction, error)) return false;
  if (fraction < 1 && !w->motion->method->shorten(w->motion, beginning(w), fraction, w->stream, error)) return false;
  if (!evaluate(w, step, 0, TANGENT_FIRST, error) || !interrupt_check(error)) return false;
  newton_begin(n, &bounds, norms);
  *better = newton_guess_is_sound(n);
  if (!*better || newton_guess_is_better(n, norms)) return true;

  // Evaluate u0 too. If its residual is within the tolerance, Newton's method must end at u0: a body that moves very
  // slowly would otherwise never come to rest, since the guess is within the tolerance as well.
  if (!start_step(w, step, error) || !evaluate(w, step, 0, TANGENT_NONE, error) || !interrupt_check(error))
    return false;
  const double here = norms->residual;
  *better = n->residual < here && here > newton_tolerance(&bounds, norms);

  // u1 was overwritten: compute the guess and its forces again. The matrix still has the tangent of the guess.
  return !*better || (guess(w, step, fraction, error) && evaluate(w, step, 0, TANGENT_NONE, error));
}

// Computes *higher, the change of the step's potential (potential.h) from u1 to the trial state. Measures the time of
// this computation.
static bool potential_above(Newton *w, const TimeStep *step, double *higher, Error *error) {
  int span;
  return stage_begin(w->clock, TIMED_CONTACT + TIMED_HEIGHTS, w->stream, &span, error) &&
         newton_self_contact(w)->higher(w->motion, step, w->settings->material, higher, w->stream, error) &&
         stage_end(w->clock, span, w->stream, error);
}

// Decides if the trial is accepted (n->accepted), or if rounding errors end the line search (n->rounded). The decision
// depends on the trial's residual and, with self-contact, also on the step's potential (potential.h).
static bool judge(Newton *w, const TimeStep *step, NewtonProgress *n, Error *error) {
  const ResidualNorms *norms = w->motion->iterate.norms_host;
  const NewtonBounds bounds = newton_bounds(w);
  newton_judge(n, &bounds, norms, n->fraction);
  if (!w->motion->forces.self) return true;
  double higher;
  const bool touched = newton_self_contact(w)->touched(w->motion);
  const bool weighs = newton_judge_touching(n, &bounds, norms, n->fraction, touched);
  if (weighs && !potential_above(w, step, &higher, error)) return false;
  if (weighs) newton_weigh(n, norms, higher);
  if (touched && !n->accepted && !n->rounded) n->rounded = newton_ends_rounded(n);
  return true;
}

// Tries the rigid guess: free pieces (connected parts of the body) move as rigid bodies. It is tried after the line
// search has refused the first full Newton step from u0. The guess is accepted if no collision is in its path, no cell
// is inverted, and the residual is less than half of the residual at u0 or may consist of rounding errors. *turned then
// becomes true, and Newton's method begins again at the guess. Otherwise u1 becomes u0 again.
static bool try_rigid_guess(Newton *w, const TimeStep *step, NewtonProgress *n, bool *turned, Error *error) {
  const Motion *m = w->motion;
  const NewtonBounds bounds = newton_bounds(w);
  const ResidualNorms *norms = m->iterate.norms_host;
  double fraction = 1;
  *turned = false;
  if (!m->method->guess(m, step, FIRST_GUESS_RIGID, w->stream, error) ||
      (m->forces.self && !bound(w, beginning(w), m->iterate.u1, &fraction, error)))
    return false;
  if (fraction == 1) {
    if (!evaluate(w, step, 0, TANGENT_FIRST, error) || !interrupt_check(error)) return false;
    *turned = norms->min_J > 0 && (norms->residual < 0.5 * n->residual || newton_may_be_rounding(n, norms));
  }
  if (!*turned) return start(w, error) && (!m->forces.self || settle(w, error));
  const double rounding_least = n->rounding_least;
  newton_begin(n, &bounds, norms);
  n->guessed = true;
  n->rounding_least = fmax(n->rounding_least, rounding_least);
  return true;
}

// *moves becomes true if the Newton step du moves an unknown by more than rounding errors of displacements could.
static bool step_moves(const Newton *w, bool *moves, Error *error) {
  const double ROUNDING_MAX = 100;  // rounding errors of displacements, in units of the machine epsilon
  const double epsilon = sizeof(real) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
  const Motion *m = w->motion;
  const size_t n = (size_t)m->body.n, bytes = sizeof(real) * n;
  const bool copies = m->body.device != DEVICE_CPU;
  real *copy = copies ? array_new(2 * (int64_t)n, sizeof *copy, "displacements", error) : NULL;
  if (copies &&
      (!copy || !device_download(w->stream, copy, m->iterate.du, bytes, error) ||
       !device_download(w->stream, copy + n, m->iterate.u1, bytes, error) || !stream_sync(w->stream, error))) {
    free(copy);
    return false;
  }

  const real *du = copies ? copy : m->iterate.du, *u = copies ? copy + n : m->iterate.u1;
  double moved = 0, largest = 0;
  for (size_t i = 0; i < n; i++) {
    moved = fmax(moved, fabs((double)du[i]));
    largest = fmax(largest, fabs((double)u[i]));
  }
  free(copy);
  double any = moved > ROUNDING_MAX * epsilon * largest;
  if (!halo_sum(m->halo, &any, 1, error)) return false;
  *moves = any > 0;
  return true;
}

// Decides again about a full Newton step whose trial was refused because rounding errors dominate the residual. If the
// step moves the body, u1 is not the solution, although its residual is small: the residual of a stiff body that flies
// is its momentum, which can be smaller than the rounding errors of its internal forces, or of those in other bodies.
// The trial is then accepted if its residual may consist of rounding errors too, and the next Newton step removes most
// of them. Otherwise the line search goes on if u1 is the start of the step; a later u1 counts as the solution.
static bool judge_rounded(const Newton *w, NewtonProgress *n, Error *error) {
  enum { ITERATIONS = 4 };  // number of Newton steps that may be accepted in this way, so that this comes to an end
  bool moves;
  if (!n->rounded || n->accepted || n->iterations > ITERATIONS || n->backtrack > 0) return true;
  if (!step_moves(w, &moves, error)) return false;
  if (!moves) return true;
  n->accepted = newton_may_be_rounding(n, w->motion->iterate.norms_host);
  if (n->accepted || (n->iterations == 1 && !n->guessed)) n->rounded = false;
  return true;
}

// Line search: evaluates trials u1 + fraction * du until one is accepted. The first trial is u1 + du or, if a collision
// is in the way, the end of the collision-free part of this step. The next trials are nearer to u1. `tested` is true if
// a CUDA graph has already evaluated the present trial and counted the iteration. *turned becomes true if the search
// ends without an accepted trial, because Newton's method begins again at the rigid guess (try_rigid_guess).
static bool search(Newton *w, const TimeStep *step, bool tested, NewtonProgress *n, bool *turned, StepReport *report,
                   Error *error) {
  const NewtonBounds bounds = newton_bounds(w);
  bool known = tested;
  *turned = false;
  if (!tested) {
    n->fraction = 1;
    n->backtrack = 0;
  }
  if (!tested && w->motion->forces.self && !bound(w, w->motion->iterate.u1, NULL, &n->fraction, error)) return false;
  for (;; n->backtrack++, n->fraction /= 2) {
    if (!known && !evaluate(w, step, n->fraction, TANGENT_NONE, error)) return false;
    if (!interrupt_check(error)) return false;
    if (!tested && n->backtrack == 0) {
      newton_count(n, w->solver->report);
      count(w, report);
    }
    if (!judge(w, step, n, error) || !judge_rounded(w, n, error)) return false;
    if (n->accepted || n->rounded || n->backtrack == BACKTRACKS_MAX) return true;
    const bool may_turn = isfinite(step->duration) && newton_may_turn(n, &bounds);
    if (may_turn && !try_rigid_guess(w, step, n, turned, error)) return false;
    if (*turned) return true;
    report->backtracks++;
    known = false;
  }
}

// Copies the residual and the smallest det F at u1 to the report.
static void report_state(const NewtonProgress *n, StepReport *report) {
  report->residual = n->residual;
  report->min_J = n->min_J;
}

// Writes to the report the reason why Newton's method ended. If Newton's method converges, but an earlier part of the
// divided step did not, the report keeps the cause of the earlier failure.
static void report_end(const Newton *w, const NewtonProgress *n, StepReport *report) {
  report->tolerance = n->tolerance;
  if (n->next != NEXT_END) return;
  if (n->outcome == OUTCOME_CONVERGED && report->converged) report->cause = NEWTON_CONVERGED;
  if (n->outcome == OUTCOME_BROKEN) report->cause = n->min_J <= 0 ? NEWTON_INVERTED : NEWTON_NOT_FINITE;
  if (n->outcome == OUTCOME_UNFINISHED) report->cause = cause_of(w, false);
}

// Computes the direction du at u1. In all iterations but the first, also assembles the tangent at u1. If a CUDA graph
// has done this and further iterations on the GPU (touching_graph.h), *went becomes true.
static bool find_direction(Newton *w, const TimeStep *step, NewtonProgress *n, bool *went, StepReport *report,
                           Error *error) {
  const bool first = n->iterations == 0;
  TimeStep later = *step;
  n->slip_fraction = newton_slip_fraction((real)n->slip_fraction, n->backtrack > 0);
  n->backtrack = 0;
  later.slip_fraction = (real)n->slip_fraction;
  if (!REAL_NAME(touching_graph_go_on)(w, step, n, went, report, error)) return false;
  if (*went) return true;
  return (first || assemble(w, &later, TANGENT_LATER, error)) && solve(w, n->cg_relative, n->residual, first, error);
}

// Makes an accepted trial the new u1. If no trial was accepted, evaluates u1 again, so that Iterate.internal has the
// forces at u1.
static bool accept_or_return(Newton *w, const TimeStep *step, NewtonProgress *n, StepReport *report, Error *error) {
  Iterate *it = &w->motion->iterate;
  n->before = n->residual;
  if (n->accepted) {
    accept_trial(it);
  } else {
    report->cause = cause_of(w, true);
    report->rejected_J = report->cause == NEWTON_INVERTED ? it->norms_host->min_J : 0;
    if (!evaluate(w, step, 0, TANGENT_NONE, error)) return false;
  }
  newton_note(n, it->norms_host);
  return true;
}

// Returns the outcome of a failed line search: OUTCOME_CONVERGED if rounding errors dominate the residual, else
// OUTCOME_UNFINISHED.
static NewtonOutcome outcome_at_limit(const NewtonProgress *n, StepReport *report) {
  report_state(n, report);
  if (!n->rounded || !(n->min_J > 0)) return OUTCOME_UNFINISHED;
  if (report->converged) report->cause = NEWTON_CONVERGED;
  report->rounded++;
  return OUTCOME_CONVERGED;
}

// Runs Newton's method from u1, at which residual and tangent were evaluated with the coefficients `first`, or from the
// progress *n of a CUDA graph. At the end u1 is the last accepted iterate, and Iterate.internal and u_theta have the
// values that belong to u1.
static bool converge(Newton *w, const TimeStep *step, const TimeStep *first, NewtonProgress *n, StepReport *report,
                     NewtonOutcome *outcome, Error *error) {
  const NewtonBounds bounds = newton_bounds(w);
  for (;;) {
    report_state(n, report);
    report_end(w, n, report);
    *outcome = (NewtonOutcome)n->outcome;
    if (n->next == NEXT_END) return true;

    const bool tested = n->next == NEXT_LINE_SEARCH, solved = tested || n->next == NEXT_BOUNDED_SEARCH;
    bool went = false, turned;
    if (!solved && !find_direction(w, step, n, &went, report, error)) return false;
    if (went) continue;
    if (!search(w, step, tested, n, &turned, report, error)) return false;
    if (turned) continue;

    // The first tangent treats nodes that will soon land as if they touched (lookahead). If the line search along its
    // direction fails, continue with the exact tangent.
    const bool may_go_on = n->iterations == 1 && first->lookahead > 0;
    if (!accept_or_return(w, step, n, report, error)) return false;
    if (n->rounded || (!n->accepted && !may_go_on)) {
      *outcome = outcome_at_limit(n, report);
      return true;
    }
    newton_test_residual(n, &bounds, w->motion->iterate.norms_host);
  }
}

// Solves linear systems, each of which moves the body out of the way of the prescribed motion (push_ahead), from u1 on.
// Ends when the prescribed motion is complete (*free becomes true), when it hardly advances (PUSH_FRACTION_MIN), or
// after PUSHES_MAX systems.
static bool push_until_free(Newton *w, const TimeStep *step, Push *push, bool *free, StepReport *report, Error *error) {
  double fraction = 1;
  for (int k = 0; k < PUSHES_MAX && !*free && fraction > PUSH_FRACTION_MIN; k++) {
    if (!push_ahead(w, step, push, k == 0, &fraction, report, error)) return false;
    push->left *= 1 - fraction;
    *free = fraction == 1;
  }
  return true;
}

// Runs Newton's method from u1, while obstacles and prescribed nodes stay at their present positions. *ended becomes
// false if the outcome is OUTCOME_BROKEN, which means that the residual is not finite.
static bool solve_with_still_obstacles(Newton *w, const TimeStep *step, bool *ended, StepReport *report, Error *error) {
  const NewtonBounds bounds = newton_bounds(w);
  NewtonProgress n = { 0 };
  NewtonOutcome outcome;
  if (!evaluate(w, step, 0, TANGENT_FIRST, error) || !interrupt_check(error)) return false;
  newton_begin(&n, &bounds, w->motion->iterate.norms_host);
  if (!converge(w, step, step, &n, report, &outcome, error)) return false;
  *ended = outcome != OUTCOME_BROKEN;
  return true;
}

// Tries to complete the prescribed motion of this step; *free is true on success. First, linear systems move the body
// out of the way (push_until_free). If the motion does not advance further, Newton's method solves for the body while
// obstacles and prescribed nodes rest. Then linear systems continue from this solution.
static bool push_through(Newton *w, const TimeStep *step, Push *push, bool *free, StepReport *report, Error *error) {
  double before = HUGE_VAL;
  if (!push_until_free(w, step, push, free, report, error)) return false;
  for (int k = 0; k < STILL_SOLVES_MAX && !*free && push->left < (1 - PUSH_FRACTION_MIN) * before; k++) {
    bool ended;
    before = push->left;
    if (!solve_with_still_obstacles(w, step, &ended, report, error)) return false;
    if (!ended) return true;
    if (!push_until_free(w, step, push, free, report, error)) return false;
  }
  return true;
}

// Moves obstacles of self-contact to the end of the step, before Newton's method begins. Tries three motions of the
// body, one after the other: the body rests; it moves by its velocity; linear systems move it out of the way
// (push_through). *goes is true if the body was moved; its displacements are then u1. *rests is true if the obstacles
// can also move while the body rests. *free is false if the body blocks the obstacles, so that the time step must be
// divided.
//
// If pairs have friction in this step, the motion by the velocity comes first. A body that rests on a moving obstacle,
// such as a conveyor, then begins where it sticks. If the body rested while the obstacle moves, all its pairs would
// slip by the full motion of the obstacle.
static bool move_obstacles(Newton *w, const TimeStep *step, bool *goes, bool *rests, bool *free, StepReport *report,
                           Error *error) {
  const Motion *m = w->motion;
  Contact *c = m->forces.self;
  *goes = *rests = false;
  *free = true;
  if (!c || !c->rigid_moves || !isfinite(step->duration)) return true;
  bool slides;
  if (!newton_self_contact(w)->slides(m, &slides, w->stream, error) ||
      !obstacles_may(w, step, beginning(w), !slides, rests, error))
    return false;
  if (*rests && !slides) return true;
  *goes = true;
  if (!m->method->guess(m, step, FIRST_GUESS_VELOCITY, w->stream, error) ||
      !obstacles_may(w, step, m->iterate.u1, true, free, error))
    return false;
  if (*free) return true;
  *goes = !*rests;
  if (*rests) return obstacles_may(w, step, beginning(w), true, free, error);
  Push push = { .left = left_to_go(c, step) };
  return start(w, error) && push_through(w, step, &push, free, report, error);
}

// With self-contact: moves prescribed nodes from u1 to the step's end. If a surface is in their path, linear systems
// move the body's free nodes away (push_through). *free is false if this fails, so that the time step must be divided.
static bool move_held(Newton *w, const TimeStep *step, bool *free, StepReport *report, Error *error) {
  const Motion *m = w->motion;
  const Iterate *it = &m->iterate;
  const size_t bytes = sizeof(real) * (size_t)m->body.n;
  double fraction = 1;
  if (!device_copy(w->stream, it->trial, it->u1, bytes, error) || !m->method->move_held(m, step, w->stream, error) ||
      !bound(w, it->trial, it->u1, &fraction, error))
    return false;
  *free = fraction == 1;

  // push_through computes products with the tangent, so it needs the tangent on the body's device. If the tangent is on
  // another device, *free stays false.
  if (*free || w->du.from != w->du.to) return true;

  Push push = { .held = true, .left = 1 };
  return device_copy(w->stream, it->u1, it->trial, bytes, error) && push_through(w, step, &push, free, report, error);
}

// Returns true if the first guess of the settings is not u0 and can be computed. `whole`: the time step is not divided.
static bool has_first_guess(const Newton *w, bool whole) {
  const FirstGuess guess = w->settings->first_guess;
  return guess == FIRST_GUESS_VELOCITY || guess == FIRST_GUESS_RIGID ||
         (guess == FIRST_GUESS_EXTRAPOLATED && whole && w->has_before);
}

// Runs Newton's method from the first guess or, if `continues`, from the progress *n of a CUDA graph. *done is false if
// the guess is not better than u0, or if Newton's method does not converge from it.
static bool converge_from_guess(Newton *w, const TimeStep *step, bool continues, NewtonProgress *n, bool *done,
                                StepReport *report, NewtonOutcome *outcome, Error *error) {
  bool better = true;
  *done = false;
  if (!continues && !begin_at_guess(w, step, &better, n, error)) return false;
  if (!better) return true;
  if (!converge(w, step, step, n, report, outcome, error)) return false;
  *done = *outcome == OUTCOME_CONVERGED;
  report->guessed += *done;
  return *done || !w->motion->forces.self || settle(w, error);  // on failure, make the list of pairs valid at u0
}

// Before the first linear solve of a simulation: evaluates the tangent of the body at rest, and calls the function with
// which the solver w->whole prepares its preconditioner. The tangent has the inertia of `step`; u1 and `trial` become
// 0. Does nothing if the solver needs no preparation.
static bool prepare_solver(Newton *w, const TimeStep *step, Error *error) {
  const Motion *m = w->motion;
  if (w->prepared || !w->whole->method->prepare) return true;
  w->prepared = true;

  // Forces are evaluated at u1 = 0, whatever the displacement at the start of the step is.
  TimeStep at_rest = *step;
  at_rest.theta = 1;
  at_rest.impulse = step->impulse * step->theta;
  return device_zero(w->stream, m->iterate.u1, sizeof(real) * (size_t)m->body.n, error) &&
         evaluate(w, &at_rest, 0, TANGENT_FIRST, error) && w->whole->method->prepare(w->whole, error);
}

// Starts Newton's method at u0 instead of the present u1, at which a cell is inverted or the residual is not finite.
// Obstacles must be able to move to the step's end while the body rests.
static bool begin_at_rest(Newton *w, const TimeStep *first, NewtonProgress *n, Error *error) {
  bool free;
  w->motion->forces.self->elapsed = first->begins;
  return obstacles_may(w, first, beginning(w), true, &free, error) && begin_at_state(w, first, false, n, error);
}

// Solves one time step or part of a divided time step: moves obstacles and prescribed nodes, then runs Newton's method
// from the first guess and, if it does not converge from there, from u0.
bool REAL_NAME(newton_iterate)(Newton *w, const TimeStep *step, bool whole, StepReport *report, NewtonOutcome *outcome,
                               Error *error) {
  const bool moves = isfinite(step->duration);
  bool continues = w->left, goes = false, rests = false, free = true, done = false;
  NewtonProgress n = { 0 };
  TimeStep first = *step;
  if (continues) n = *w->left;
  w->left = NULL;
  if (!prepare_solver(w, step, error)) return false;

  // move obstacles of self-contact to their position at the step's end
  if (!continues && (!begin_contact(w, step, error) || !move_obstacles(w, step, &goes, &rests, &free, report, error)))
    return false;

  // with self-contact, move nodes with a prescribed motion to their positions at the step's end
  if (!continues && free && w->motion->forces.self && w->motion->body.any_moved) {
    if ((!goes && !start_at_state(w, error)) || !move_held(w, step, &free, report, error)) return false;
    goes = true;
  }
  if (!free) {
    *outcome = OUTCOME_BROKEN;
    report->cause = NEWTON_BLOCKED;
    return true;
  }

  // run Newton's method from the first guess
  if (moves && !goes && (!continues || n.guessed) && has_first_guess(w, whole)) {
    if (!converge_from_guess(w, step, continues, &n, &done, report, outcome, error)) return false;
    if (done) return true;
    continues = false;
  }

  // run Newton's method from u0, or from the state to which obstacles or prescribed nodes have moved the body
  if (moves && uses_lookahead(w->motion)) first.lookahead = step->duration;
  if (!continues && !begin_at_state(w, &first, goes, &n, error)) return false;
  if (!continues && goes && rests && !w->motion->body.any_moved && !newton_guess_is_sound(&n) &&
      !begin_at_rest(w, &first, &n, error))
    return false;
  if (!converge(w, step, &first, &n, report, outcome, error)) return false;
  report->guessed += n.guessed && *outcome == OUTCOME_CONVERGED;
  return true;
}

bool REAL_NAME(newton_iterate_again)(Newton *w, const TimeStep *step, StepReport *report, NewtonOutcome *outcome,
                                     Error *error) {
  const NewtonBounds bounds = newton_bounds(w);
  NewtonProgress n = { 0 };
  if (!evaluate(w, step, 0, TANGENT_FIRST, error) || !interrupt_check(error)) return false;
  newton_begin(&n, &bounds, w->motion->iterate.norms_host);
  n.guessed = true;  // the rigid guess would begin at the start of the step again
  if (n.outcome == OUTCOME_CONVERGED) n.next = NEXT_SOLVE;
  return converge(w, step, step, &n, report, outcome, error);
}

bool REAL_NAME(newton_tangent)(Newton *w, double *min_J, Error *error) {
  const TimeStep step = static_step();
  if (!begin_contact(w, &step, error) || !start(w, error) || !evaluate(w, &step, 0, TANGENT_FIRST, error)) return false;
  *min_J = w->motion->iterate.norms_host->min_J;
  return true;
}

bool REAL_NAME(newton_forces)(Newton *w, Error *error) {
  const TimeStep step = static_step();  // without begin_contact, which would drop the friction of the last step
  return (!w->motion->forces.self || settle(w, error)) && start(w, error) && evaluate(w, &step, 0, TANGENT_NONE, error);
}
