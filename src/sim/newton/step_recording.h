// Functions that step_graph.c and touching_graph.c share. Most of them queue parts of Newton's iterations while a CUDA
// graph is recorded; the GPU runs this work at each launch of the graph. `trial` is the candidate for Newton's next
// iterate. The shift (Iterate.shift) has the diagonal 3x3 blocks of the tangent without the stiffness of cells. This
// header is compiled for each precision.
#pragma once
#include <string.h>

#include "base/interrupt.h"
#include "device/waits.h"
#include "sim/dynamics/decision.h"
#include "sim/dynamics/energy_keep.h"
#include "sim/dynamics/integrator.h"
#include "sim/newton/newton.h"
#include "sim/dynamics/self_contact.h"

// Returns true if a first guess by a rigid motion of the body may be tried in this step (FIRST_GUESS_AUTO). No node may
// be held, since a pinned body does not rotate freely. No obstacle of self-contact may move, since Newton's method
// might then start at a state other than u0, the start of the step.
static inline bool newton_turns(const Newton *w) {
  const Contact *c = w->motion->forces.self;
  return w->settings->first_guess == FIRST_GUESS_AUTO && !w->motion->body.any_held &&
         !(c && (c->rigid_moves || c->moved > 0));
}

// Returns true if the diagonal of every tangent is copied to Iterate.diagonal, from which rounding errors of the
// residual are estimated. Otherwise only the diagonal of a step's first tangent is copied. The first tangent is not
// enough if obstacles with friction move: pairs that slip in the first iterate may stick later, and then the friction
// is much stiffer.
static inline bool newton_copies_diagonals(const Newton *w) {
  const Contact *c = w->motion->forces.self;
  return c && c->rigid_moves && contact_rubs(c);
}

// Returns true if the body consists of one connected piece that has held nodes. Momenta of such a body need no
// correction (spin.h).
static inline bool newton_holds_body(const Motion *m) {
  return m->pieces && m->pieces->count == 1 && m->body.any_held && !m->halo;
}

// Returns true if the program checks that steps gain no energy: this is so with contact, unless settings.newton is
// NEWTON_PLAIN (EnergyWatch in newton.c).
static inline bool newton_is_watched(const Newton *w) {
  return w->settings->newton == NEWTON_ROBUST && (has_contact(&w->motion->forces) || w->motion->forces.self);
}

// Returns true if the momenta of free pieces are corrected (spin.h) at the end of a step, or of a part of a divided
// step. In scenes with contact, steps of BDF2 and the midpoint rule are corrected only if nothing touches: they must
// gain no energy, and the displacement that belongs to the correction is left out there. The correction alone would add
// a little energy, and backward Euler would repeat many steps.
static inline bool newton_corrects(const Newton *w) {
  const bool euler = w->by_euler || integrator_is_euler(w->settings->integrator);
  return !newton_holds_body(w->motion) && (euler || w->apart || !newton_is_watched(w));
}

// Returns true if the momenta are also corrected so that the energy is kept (energy_keep.h). This is not so if backward
// Euler replaces a failed step.
static inline bool newton_keeps_energy(const Newton *w) {
  return w->settings->integrator == INTEGRATOR_MIDPOINT_ENERGY && !w->by_euler && energy_is_kept(w->motion);
}

// Returns the coefficients of a step of backward Euler, or of a part of a divided step, of duration dt, s. Except with
// the integrator euler, velocities are turned back at the start of the step, so that spin.h corrects the error of the
// angular momentum. Steps that replace a failed step of another integrator would lose rotation otherwise.
static inline TimeStep newton_euler_step(const Newton *w, double dt) {
  TimeStep step = euler_step(dt, w->settings->damping);
  step.turns_back = w->settings->integrator != INTEGRATOR_EULER && !newton_holds_body(w->motion);
  return step;
}

// Returns the coefficients of a whole step of duration dt, s, by backward Euler or by the midpoint rule. The result is
// not valid for BDF2.
static inline TimeStep newton_whole_step(const Newton *w, double dt) {
  const NewtonSettings *s = w->settings;
  return integrator_is_euler(s->integrator) ? newton_euler_step(w, dt) : midpoint_step(dt, s->damping);
}

// Turns velocities back at the start of a step of backward Euler whose rotation will be corrected (turn_back.h).
static inline bool newton_turn_back(const Newton *w, const TimeStep *step, Error *error) {
  return !step->turns_back || w->motion->method->turn_back(w->motion, step, w->stream, error);
}

// Returns true if the origin of displacements follows the body (MotionMethod.move_origin): no node is held, and the run
// has one process.
static inline bool newton_moves_origin(const Motion *m) {
  return !m->body.any_held && !m->halo;
}

// Returns true if the integrator's steps can run on the GPU without the host: backward Euler, or the midpoint rule
// without a check of the energy.
static inline bool newton_integrates_on_gpu(const Newton *w) {
  const Integrator integrator = w->settings->integrator;
  return integrator_is_euler(integrator) || (integrator_is_midpoint(integrator) && !newton_is_watched(w));
}

static inline NewtonBounds newton_bounds(const Newton *w) {
  // With contact, steps by BDF2 and by the midpoint rule that take more iterations rarely converge, and backward Euler
  // repeats them in fewer iterations.
  enum { TRY_ITERATIONS_MAX = 20 };
  const NewtonSettings *s = w->settings;
  const int maximum = w->tries && s->newton_max > TRY_ITERATIONS_MAX ? TRY_ITERATIONS_MAX : s->newton_max;
  const NewtonBounds bounds = { .absolute = s->newton_absolute,
                                .relative = s->newton_relative,
                                .cg_relative = s->cg_relative,
                                .least_weight = w->motion->body.least_weight,
                                .iterations_max = maximum,
                                .plain = s->newton == NEWTON_PLAIN,
                                .turns = newton_turns(w) };
  return bounds;
}

static inline AssemblyParameters step_parameters(const Newton *w, const TimeStep *step) {
  AssemblyParameters parameters = { .vector_scale = step->impulse, .matrix_scale = step->impulse * step->theta };
  memcpy(parameters.material, w->settings->material, sizeof parameters.material);
  return parameters;
}

// Returns the first guess for a step that runs as a CUDA graph.
static inline FirstGuess newton_first_guess(const NewtonSettings *s) {
  return s->first_guess == FIRST_GUESS_AUTO ? FIRST_GUESS_STATE : s->first_guess;
}

// Returns the functions of self-contact for steps that run as a CUDA graph; NULL without self-contact.
static inline const SelfContactRecorded *recorded_contact(const Newton *w) {
  return w->motion->forces.self ? self_contact_functions(w->motion->body.device, REAL_PRECISION)->recorded : NULL;
}

// Returns true if all stages (body, assembly and solver) run on the GPU and their times are not measured. A graph can
// then contain their work, if the solver's work can be recorded (SolverMethod.record).
static inline bool can_record(const Newton *w) {
  return w->stream.device == DEVICE_CUDA && w->assembly_stream.device == DEVICE_CUDA &&
         w->solver_stream.device == DEVICE_CUDA && w->motion->method->recorded && !w->clock->running;
}

// Queues the assembly of the forces and the tangent at the trial state, and of the tangent's diagonal unless `diagonal`
// is NULL. When the graph runs, the assembly is skipped if `wanted` is not NULL and *wanted, on the GPU, is 0.
static inline bool make_tangent(const Newton *w, const TimeStep *step, void *diagonal, const int *wanted,
                                const StepDecision *decision, Stream stream, Error *error) {
  const Motion *m = w->motion;
  const AssemblyParameters parameters = step_parameters(w, step);
  // without contact and pressures, Iterate.shift is constant in a step and was computed at the start of the step
  const bool changes = has_contact(&m->forces) || pressure_acts(&m->forces) || decision->sums;
  const AssemblyShift shift = { w->shift.to, contact_crosses(&m->forces), diagonal, wanted };
  return (!changes || m->method->recorded->set_shift(m, step, wanted, decision, stream, error)) &&
         assembly_run_shifted(w->assembly, &parameters, w->nodal.to, w->internal.from, w->A, &shift, stream, error);
}

// Queues the assembly of the forces, without the tangent, at the trial state.
static inline bool make_vector(const Newton *w, const TimeStep *step, Stream stream, Error *error) {
  const AssemblyParameters parameters = step_parameters(w, step);
  return assembly_run(w->assembly, &parameters, w->nodal.to, w->internal.from, NULL, stream, error);
}

static inline bool make_decision(const Newton *w, const TimeStep *step, const StepDecision *decision, Stream stream,
                                 Error *error) {
  return w->motion->method->recorded->decide(w->motion, step, w->min_J.to, w->assembly->min_J_count,
                                             w->settings->newton == NEWTON_ROBUST, decision, stream, error);
}

// Arguments of queue_bound and queue_search, which queue collision tests. Each test has two branches of the graph,
// which make a new list of contact pairs and repeat the test. The first runs if the list was not valid for the test;
// the second, within the first, if the first has tested only the beginning of a long motion. `search` and `again` are
// CUDA's handles of the conditions of these branches.
typedef struct Bounding {
  const Newton *newton;
  SelfContactQuery query;
  uint64_t search, again;
} Bounding;

static inline bool queue_bound(void *bounding, Stream stream, Error *error) {
  const Bounding *b = bounding;
  return recorded_contact(b->newton)->bound(b->newton->motion, &b->query, b->search, stream, error);
}

static inline bool queue_search(void *bounding, Stream stream, Error *error) {
  const Bounding *b = bounding;
  return recorded_contact(b->newton)->search(b->newton->motion, &b->query, b->again, stream, error);
}

static inline bool record_bound(const Newton *w, SelfContactQuery query, GraphChain *chain, Stream stream,
                                Error *error) {
  Bounding b = { w, query, 0, 0 };
  GraphChain body, rest;
  if (!graph_condition(chain, &b.search, error)) return false;
  if (!graph_record(chain, stream, queue_bound, &b, error)) return false;
  if (!graph_branch(chain, b.search, &body, error)) return false;
  if (query.fraction && !graph_condition(&body, &b.again, error)) return false;
  if (!graph_record(&body, stream, queue_search, &b, error)) return false;
  if (!query.fraction) return true;
  const uint64_t again = b.again;
  b.again = 0;
  return graph_branch(&body, again, &rest, error) && graph_record(&rest, stream, queue_search, &b, error);
}

// Waits until a launched graph has written Newton's next action to on_host->next. The host polls this value.
static inline bool wait_for_decision(Newton *w, const NewtonProgress *on_host, Error *error) {
  device_waited();
  if (!solver_watch(w->solver, &on_host->next, NEXT_PENDING, w->stream, error)) return false;
  if (on_host->next == NEXT_PENDING)
    return stream_sync(w->stream, error) &&
           error_set(error,
                     "the GPU ended a time step without writing the result of this step; please report this error");
  return solver_received(w->solver, on_host->solver.end, error) && interrupt_check(error);
}

// Returns true if this step should run as a graph. A graph contains parameters, such as dt, as constants. Three arrays
// of `size` bytes have the parameters: `now` of this step, `last` of the previous step, and `key` of the recorded
// graph. *same becomes true if `now` equals `key`, and `last` becomes `now`. If `now` differs from `key`, a new graph
// is recorded only if none exists or `now` equals `last`. Reason: if parameters change in every step, a graph would be
// recorded for every step and used only once.
static inline bool worth_recording(const double *now, const double *key, double *last, size_t size, bool recorded,
                                   bool *same) {
  const bool again = memcmp(now, last, size) == 0;
  memcpy(last, now, size);
  *same = memcmp(now, key, size) == 0;
  return !recorded || *same || again;
}

// Adds the work that the GPU did between two states of Newton's method, `before` and `n`, to the counts in *report and
// *w. Each iteration has assembled one tangent, and each trial one force vector. If n->next is NEXT_BOUNDED_SEARCH, the
// GPU has assembled one more tangent and solved for a direction, but the host evaluates the trial.
static inline void count_progress(Newton *w, const NewtonProgress *before, const NewtonProgress *n,
                                  StepReport *report) {
  const int iterations = n->iterations - before->iterations, backtracks = n->backtracks - before->backtracks;
  const int led = n->led - before->led;
  report->newton_iterations += iterations + led;
  report->cg_iterations += n->cg_iterations - before->cg_iterations + n->led_cg - before->led_cg;
  report->indefinite += n->indefinite - before->indefinite + n->led_indefinite - before->led_indefinite;
  report->backtracks += backtracks;
  w->assemblies += iterations + led + (n->next == NEXT_BOUNDED_SEARCH);
  w->vectors += iterations + led + backtracks;
  *w->motion->iterate.norms_host = n->norms;
  *w->solver->report = n->solver;
}

// Fills the report of a whole step that the GPU took. A step without iterations has assembled one tangent too, which
// the function adds to the counts.
static inline void report_progress(Newton *w, const NewtonProgress *n, StepReport *report) {
  const NewtonProgress none = { 0 };
  count_progress(w, &none, n, report);
  w->assemblies += n->iterations == 0 && n->next != NEXT_BOUNDED_SEARCH;
  report->residual = n->residual;
  report->tolerance = n->tolerance;
  report->min_J = n->min_J;
}
