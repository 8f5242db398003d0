// CUDA graphs for steps in which contact pairs touch (touching_graph.h). Functions queue_... queue work while a graph
// is recorded; the work runs at each launch. Functions record_... add branches and loops to a graph. Symbols
// (integrator.h): u0 is the state at the start of the step, u1 Newton's present iterate, du its direction, and `trial`
// the candidate for the next iterate. A first guess is a state near the expected result, at which Newton's method may
// start.
#include "sim/newton/touching_graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/environment.h"
#include "base/log.h"
#include "sim/newton/newton_loop.h"
#include "sim/newton/step_recording.h"

// Numbers of parameters that a graph contains as constants (make_key): of step and settings, of forces, and of all.
enum { STEP_KEYS = 20, FORCE_KEYS_ALL = FORCE_ROWS * FORCE_KEYS };
enum { KEYS = STEP_KEYS + MATERIAL_PARAMETERS + FORCE_KEYS_ALL + SELF_CONTACT_KEYS };

typedef struct TouchingGraph {
  Graph step, rest[2][2][2];         // step: graph of a whole step. rest: graphs of the rest of a step that the host
                                     // has begun. Its three indices are conditions, 0 or 1: [the address of u1 is above
                                     // the address of trial][the rest begins with the step's first solve][pairs touch]
  double key[KEYS], last_key[KEYS];  // parameters that the graphs contain as constants, and parameters of the last step
  NewtonProgress *progress;          // on the device: state of Newton's method
  NewtonProgress *asked, *on_host;   // pinned host memory. asked: state of Newton's method before a launch; on_host:
                                     // the state after it
  // recorded: true if the graphs were recorded with the parameters `key`. absent: true if recording has failed, so that
  // the host computes all steps
  bool recorded, absent;
} TouchingGraph;

// Arguments of the functions that queue work for a graph.
typedef struct Recording {
  const Newton *newton;
  TimeStep step, first;  // step: coefficients of the step. first: coefficients of the evaluation at u0, in which nodes
                         // that will soon land count as touching (TimeStep.lookahead)
  FirstGuess guess;
  StepDecision decision;
  bool goes;  // for queue_path, which tests the obstacles' motion for collisions. true: the body moves by its velocity;
              // false: it rests
} Recording;

// A condition of the graph, with CUDA's handle `condition`. It is true if the next action, progress->next, is in the
// set `numbers`. The set has one bit for each action: 1u << NEXT_SOLVE | 1u << NEXT_END is the set of NEXT_SOLVE and
// NEXT_END.
typedef struct Choice {
  const NewtonProgress *progress;
  uint64_t condition;
  unsigned numbers;
} Choice;

static bool queue_choice(void *choice, Stream stream, Error *error) {
  const Choice *c = choice;
  return graph_queue_choice(c->condition, &c->progress->next, c->numbers, stream, error);
}

// Records a branch that runs if progress->next is in the set `numbers` (Choice). `repeats` true: records a loop that
// runs while progress->next is in the set. The caller records the content of the branch or loop into *body.
static bool record_choice(const Recording *r, unsigned numbers, bool repeats, GraphChain *chain, GraphChain *body,
                          Choice *choice, Stream stream, Error *error) {
  *choice = (Choice){ r->decision.progress, 0, numbers };
  return graph_condition(chain, &choice->condition, error) &&
         graph_record(chain, stream, queue_choice, choice, error) &&
         (repeats ? graph_loop : graph_branch)(chain, choice->condition, body, error);
}

static bool queue_asked(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const TouchingGraph *g = r->newton->touching;
  return device_upload(stream, g->progress, g->asked, sizeof *g->progress, error);
}

static bool queue_begin(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Motion *m = r->newton->motion;
  return m->method->recorded->begin(m, &r->step, r->guess, stream, error);
}

static bool queue_path(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  return recorded_contact(r->newton)->displacement(&r->decision, r->goes, stream, error);
}

static bool queue_push_ahead(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  return recorded_contact(r->newton)->push_ahead(r->newton->motion, stream, error);
}

static bool queue_led(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  return recorded_contact(r->newton)->led(r->decision.progress, stream, error);
}

static bool queue_shorten(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Motion *m = r->newton->motion;
  return m->method->recorded->shorten(m, &r->step, &r->decision.progress->fraction, stream, error);
}

// Queues the assembly of the first tangent of a step, and the decision with which Newton's method begins.
static bool queue_first(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  const TimeStep *step = r->decision.guessed ? &r->step : &r->first;
  return make_tangent(w, step, w->diagonal.from, NULL, &r->decision, stream, error) &&
         make_decision(w, step, &r->decision, stream, error);
}

// Queues an evaluation of u0, the state at the start of the step, and the choice between u0 and the first guess.
static bool queue_state(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  const Motion *m = w->motion;
  return m->method->recorded->begin(m, &r->step, FIRST_GUESS_STATE, stream, error) &&
         make_vector(w, &r->step, stream, error) && make_decision(w, &r->step, &r->decision, stream, error);
}

// Queues the return to the first guess, for the case that u0 was evaluated (queue_state) but the guess is better.
// Assembles only the forces, since the matrix still has the tangent of the guess.
static bool queue_return(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  if (!queue_begin(recording, stream, error)) return false;
  if (!queue_shorten(recording, stream, error)) return false;
  if (!make_vector(w, &r->step, stream, error)) return false;
  return make_decision(w, &r->step, &r->decision, stream, error);
}

// Queues the assembly of the tangent for a solve after the first one of the step.
static bool queue_tangent(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  void *diagonal = r->decision.moves && contact_rubs(r->newton->motion->forces.self) ? r->newton->diagonal.from : NULL;
  return make_tangent(r->newton, &r->step, diagonal, NULL, &r->decision, stream, error);
}

// Queues the evaluation of the trial u1 + fraction * du, where `fraction` is the part of du that is free of collisions.
static bool queue_trial(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  const NewtonProgress *n = r->decision.progress;
  return w->motion->method->recorded->advance(w->motion, &r->step, &n->fraction, &n->solves, stream, error) &&
         make_vector(w, &r->step, stream, error) && make_decision(w, &r->step, &r->decision, stream, error);
}

static bool queue_weigh(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  return w->motion->method->recorded->weigh(w->motion, &r->step, w->settings->material, &r->decision, stream, error);
}

static bool queue_shorter(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  return w->motion->method->recorded->try_fraction(w->motion, &r->step, &r->decision.progress->fraction, stream,
                                                   error) &&
         make_vector(w, &r->step, stream, error) && make_decision(w, &r->step, &r->decision, stream, error);
}

static bool queue_end(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Motion *m = r->newton->motion;
  return m->method->recorded->finish(m, &r->step, &r->decision, stream, error);
}

// Records a linear solve, the collision test along its direction, and the evaluation of the trial. If the linear system
// moves the body out of the way of obstacles, the function also records the obstacles' motion by the collision-free
// fraction.
static bool record_direction(Recording *r, bool first, GraphChain *chain, Stream stream, Error *error) {
  Solver *solver = r->newton->solver;
  NewtonProgress *n = r->decision.progress;
  const SolverInputs inputs = { &n->cg_relative, &n->residual, &n->solves };
  const SelfContactQuery query = { &n->solves, &n->fraction, false, r->decision.touches, false };
  const bool pushes = r->decision.pushes_ahead;
  solver->keeps = !first;
  if (pushes && !graph_record(chain, stream, queue_push_ahead, r, error)) return false;
  if (!solver->method->record(solver, chain, &inputs, &r->decision.solver, stream, error)) return false;
  if (!record_bound(r->newton, query, chain, stream, error)) return false;
  if (pushes && !graph_record(chain, stream, queue_led, r, error)) return false;
  return graph_record(chain, stream, queue_trial, r, error);
}

// Records the work after a trial whose residual is too large: comparison of the step's potential at u1 and at the
// trial, and a shorter trial if this trial is refused.
static bool record_refused(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  GraphChain body, shorter;
  Choice choice;
  if (!record_choice(r, 1u << NEXT_COMPARE_ENERGIES, false, chain, &body, &choice, stream, error)) return false;
  if (!graph_record(&body, stream, queue_weigh, r, error)) return false;
  if (!record_choice(r, 1u << NEXT_COMPARE_ENERGIES, false, &body, &shorter, &choice, stream, error)) return false;
  return graph_record(&shorter, stream, queue_shorter, r, error);
}

// Records the loop of Newton's iterations, which runs until Newton's method ends or the host must continue. An inner
// loop runs while trials are accepted. The inner loop has no branch for refused trials, since even a branch that is
// skipped takes as much time as a few kernels.
static bool record_loop(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  GraphChain all, plain;
  Choice on, taken;
  if (!record_choice(r, 1u << NEXT_SOLVE | 1u << NEXT_COMPARE_ENERGIES, true, chain, &all, &on, stream, error))
    return false;
  if (!record_choice(r, 1u << NEXT_SOLVE, true, &all, &plain, &taken, stream, error)) return false;
  if (!graph_record(&plain, stream, queue_tangent, r, error)) return false;
  if (!record_direction(r, false, &plain, stream, error)) return false;
  if (!graph_record(&plain, stream, queue_choice, &taken, error)) return false;
  if (!record_refused(r, &all, stream, error)) return false;
  return graph_record(&all, stream, queue_choice, &on, error);
}

// Records the comparison of u0, the state at the start of the step, with a first guess that is not clearly better than
// u0. Newton's method begins at the state with the smaller residual.
static bool record_comparison(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  GraphChain body, back, begins;
  Choice choice;
  Recording state = *r, again = *r, begin = *r;
  state.decision.compares_guess = true;
  again.decision.guess_is_better = true;
  begin.decision.guessed = begin.decision.moves = false;
  if (!record_choice(r, 1u << NEXT_COMPARE_GUESS | 1u << NEXT_BEGIN_AT_STATE, false, chain, &body, &choice, stream,
                     error))
    return false;
  if (!graph_record(&body, stream, queue_state, &state, error)) return false;
  if (!record_choice(r, 1u << NEXT_RETURN_TO_GUESS, false, &body, &back, &choice, stream, error)) return false;
  if (!graph_record(&back, stream, queue_return, &again, error)) return false;
  if (!record_choice(r, 1u << NEXT_BEGIN_AT_STATE, false, &body, &begins, &choice, stream, error)) return false;
  return graph_record(&begins, stream, queue_first, &begin, error);
}

// Records a loop of linear systems, each of which moves the body out of the way of obstacles. The loop runs until the
// obstacles are at their positions at the step's end, or until the host must repeat the step.
static bool record_push_ahead(const Recording *r, GraphChain *chain, Stream stream, Error *error) {
  GraphChain body, more;
  Choice choice, on;
  Recording start = *r, system = *r;
  start.guess = FIRST_GUESS_STATE;
  system.decision.pushes_ahead = true;
  system.decision.guessed = false;
  system.first = r->step;
  if (!record_choice(r, 1u << NEXT_PUSH_AHEAD, false, chain, &body, &choice, stream, error)) return false;
  if (!graph_record(&body, stream, queue_begin, &start, error)) return false;
  if (!graph_record(&body, stream, queue_first, &system, error)) return false;
  if (!record_direction(&system, true, &body, stream, error)) return false;
  if (!record_choice(r, 1u << NEXT_PUSH_AHEAD, true, &body, &more, &on, stream, error)) return false;
  if (!graph_record(&more, stream, queue_tangent, &system, error)) return false;
  if (!record_direction(&system, false, &more, stream, error)) return false;
  return graph_record(&more, stream, queue_choice, &on, error);
}

// Records the motion of obstacles to the step's end. Three motions of the body are tried, one after the other, as in
// move_obstacles in newton_loop.c: the body rests, it moves by its velocity, or linear systems move it out of the way.
// If pairs may have friction, the motion by the velocity comes first, and the body rests if this motion is not free.
static bool record_paths(const Recording *r, GraphChain *chain, Stream stream, Error *error) {
  NewtonProgress *n = r->decision.progress;
  const SelfContactQuery standing = { &n->solves, &n->fraction, false, true, true };
  const SelfContactQuery going = { &n->solves, &n->fraction, true, true, false };
  GraphChain body, rests;
  Choice choice, again;
  Recording stands = *r, goes = *r;
  stands.guess = FIRST_GUESS_STATE;
  goes.guess = FIRST_GUESS_VELOCITY;
  goes.goes = true;
  if (!graph_record(chain, stream, queue_begin, &stands, error)) return false;
  if (!record_bound(r->newton, standing, chain, stream, error)) return false;
  if (!graph_record(chain, stream, queue_path, &stands, error)) return false;
  if (!record_choice(r, 1u << NEXT_MOVE_BY_VELOCITY, false, chain, &body, &choice, stream, error)) return false;
  if (!graph_record(&body, stream, queue_begin, &goes, error)) return false;
  if (!record_bound(r->newton, going, &body, stream, error)) return false;
  if (!graph_record(&body, stream, queue_path, &goes, error)) return false;
  if (!record_push_ahead(r, &body, stream, error)) return false;
  if (!record_choice(r, 1u << NEXT_REST, false, &body, &rests, &again, stream, error)) return false;
  if (!graph_record(&rests, stream, queue_begin, &stands, error)) return false;
  if (!record_bound(r->newton, standing, &rests, stream, error)) return false;
  return graph_record(&rests, stream, queue_path, &stands, error);
}

// Records the work before the first solve, for a step in which obstacles rest or have already moved to the step's end.
static bool record_start(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  const SelfContactQuery query = { &r->decision.progress->solves, &r->decision.progress->fraction, true, true, false };
  const bool guessed = r->decision.guessed;
  if (!graph_record(chain, stream, queue_begin, r, error)) return false;
  if (guessed &&
      !(record_bound(r->newton, query, chain, stream, error) && graph_record(chain, stream, queue_shorten, r, error)))
    return false;
  if (!graph_record(chain, stream, queue_first, r, error)) return false;
  return !guessed || record_comparison(r, chain, stream, error);
}

// Records the work before the first solve. First, obstacles move to the step's end. If the body was moved out of their
// way, by its velocity or by linear systems, Newton's method begins at this position of the body. Otherwise it begins
// at the first guess.
static bool record_begin(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  GraphChain arrived, stands;
  Choice choice, other;
  Recording led = *r;
  led.decision.guessed = false;
  if (!r->decision.moves) return record_start(r, chain, stream, error);
  if (!record_paths(r, chain, stream, error)) return false;
  if (!r->decision.guessed) return graph_record(chain, stream, queue_first, r, error);
  if (!record_choice(r, 1u << NEXT_BEGIN_PUSHED | 1u << NEXT_RESTART_ON_HOST, false, chain, &arrived, &choice, stream,
                     error))
    return false;
  if (!graph_record(&arrived, stream, queue_first, &led, error)) return false;
  if (!record_choice(r, 1u << NEXT_BEGIN_STEP, false, chain, &stands, &other, stream, error)) return false;
  return record_start(r, &stands, stream, error);
}

// The part of a step that a graph contains. whole: true for a whole step, false for the rest of a step that the host
// has begun. first: true if the rest begins with the step's first solve, false if it begins with the assembly of a
// later tangent. touches: true if the tangent includes contact pairs.
typedef struct Extent {
  bool whole, first, touches;
} Extent;

static bool record(const Newton *w, const TimeStep *step, Extent of, Graph *graph, Error *error) {
  const TouchingGraph *g = w->touching;
  const SelfContactRecorded *contact = recorded_contact(w);
  Contact *c = w->motion->forces.self;
  Recording r = { .newton = w, .step = *step, .guess = newton_first_guess(w->settings) };
  r.decision = (StepDecision){ .bounds = newton_bounds(w),
                               .progress = g->progress,
                               .on_host = g->on_host,
                               .guessed = r.guess != FIRST_GUESS_STATE,
                               .touches = of.touches,
                               .moves = c->moved > 0,
                               .push_relative = newton_cg_pushing(w->settings->cg_relative) };
  contact->connect(w->motion, &r.decision);
  r.step.slip_fraction = 0;
  r.first = r.step;
  if (uses_lookahead(w->motion)) r.first.lookahead = r.first.duration;
  GraphChain *chain = &graph->chain;
  c->times = &g->progress->elapsed;
  bool ok = contact->prepare(w->motion, w->stream, error);
  ok = ok && graph_create(graph, error);
  ok = ok && graph_record(chain, w->stream, queue_asked, &r, error);
  ok = ok && (!of.whole || record_begin(&r, chain, w->stream, error));
  ok = ok && (!of.first || record_direction(&r, true, chain, w->stream, error));
  ok = ok && record_loop(&r, chain, w->stream, error);
  ok = ok && (!of.whole || graph_record(chain, w->stream, queue_end, &r, error));
  ok = ok && graph_finish(graph, w->stream, error);
  c->times = NULL;
  if (!ok) graph_destroy(graph);
  return ok;
}

static void forget(TouchingGraph *g) {
  graph_destroy(&g->step);
  for (int k = 0; k < 8; k++) graph_destroy(&g->rest[k / 4][k / 2 % 2][k % 2]);
  g->recorded = false;
}

void REAL_NAME(touching_graph_forget)(Newton *w) {
  if (w->touching) forget(w->touching);
}

void REAL_NAME(touching_graph_destroy)(Newton *w) {
  TouchingGraph *g = w->touching;
  if (!g) return;
  forget(g);
  device_free(DEVICE_CUDA, g->progress);
  device_free_pinned(DEVICE_CUDA, g->asked);
  device_free_pinned(DEVICE_CUDA, g->on_host);
  free(g);
  w->touching = NULL;
}

static bool create(Newton *w, Error *error) {
  TouchingGraph *g = w->touching;
  if (g) return true;
  g = w->touching = array_new(1, sizeof *g, "recorded step", error);
  if (!g) return false;
  // tests set this environment variable, so that the host controls all steps
  if (environment_value("PLIANT_HOST_LOOP"))
    return error_set(error, "the environment variable PLIANT_HOST_LOOP is set");
  return (g->progress = device_alloc(DEVICE_CUDA, sizeof *g->progress, error)) &&
         (g->asked = device_alloc_pinned(DEVICE_CUDA, sizeof *g->asked, error)) &&
         (g->on_host = device_alloc_pinned(DEVICE_CUDA, sizeof *g->on_host, error));
}

// Lists all parameters that the graphs contain as constants. Newton's method swaps the arrays u1 and `trial`. There is
// a graph for each order of their two addresses, so only the lower address is listed; other addresses do not change.
static void make_key(const Newton *w, const TimeStep *step, double key[KEYS]) {
  const NewtonSettings *s = w->settings;
  const Iterate *it = &w->motion->iterate;
  const double all[STEP_KEYS] = { step->theta,        step->turns_back,
                                  step->impulse,      step->impulse_at_end,
                                  step->inertia,      step->end_inertia,
                                  step->inverse_dt,   step->spring_shift,
                                  step->damper_shift, step->duration,
                                  step->begins,       step->stuck,
                                  s->newton,          s->newton_absolute,
                                  s->newton_relative, s->newton_max,
                                  s->cg_relative,     s->first_guess,
                                  newton_turns(w),    (double)(uintptr_t)(it->u1 < it->trial ? it->u1 : it->trial) };
  memcpy(key, all, sizeof all);
  memcpy(key + STEP_KEYS, s->material, sizeof s->material);
  key += STEP_KEYS + MATERIAL_PARAMETERS;
  forces_key(&w->motion->forces, key);
  recorded_contact(w)->key(w->motion, key + FORCE_KEYS_ALL);
}

// Records the graph unless it exists with the present parameters. *ready becomes false if it does not exist and a
// recording would probably cost more time than it saves (worth_recording).
static bool prepare(Newton *w, const TimeStep *step, Extent of, Graph *graph, bool *ready, Error *error) {
  TouchingGraph *g = w->touching;
  double key[KEYS] = { 0 };
  bool same;
  make_key(w, step, key);
  *ready = worth_recording(key, g->key, g->last_key, sizeof key, g->recorded, &same);
  if (!*ready) return true;
  if (!same) {
    forget(g);
    memcpy(g->key, key, sizeof key);
  }
  g->recorded = true;
  return graph->executable || record(w, step, of, graph, error);
}

// Writes a notice that CUDA graphs cannot be used; the host then takes the steps in which pairs touch. Returns true.
static bool give_up(Newton *w, const Error *why) {
  log_notice(
      "CUDA graphs are not available for time steps with contact, so the host controls each Newton iteration, which "
      "is slower: %s",
      why->message);
  if (w->touching) {
    forget(w->touching);
    w->touching->absent = true;
  }
  return true;
}

static bool is_usable(const Newton *w) {
  return w->motion->forces.self && can_record(w) && !(w->touching && w->touching->absent);
}

// Launches a graph and waits for its result in the host's memory.
static bool run(Newton *w, const Graph *graph, Error *error) {
  const TouchingGraph *g = w->touching;
  Error ignored = { 0 };
  *w->solver->stop = 0;
  g->on_host->next = NEXT_PENDING;
  if (!graph_launch(graph, w->stream, error)) return false;
  const bool ended = wait_for_decision(w, g->on_host, error);
  const NewtonProgress *n = g->on_host->next == NEXT_PENDING ? g->asked : g->on_host;
  return recorded_contact(w)->answer(w->motion, n, ended ? error : &ignored) && ended;
}

bool REAL_NAME(touching_graph_take)(Newton *w, double dt, bool *done, StepReport *report, Error *error) {
  Error why = { 0 };
  bool ready;
  const Motion *m = w->motion;
  Contact *c = m->forces.self;
  *done = false;
  if (!is_usable(w) || !integrator_is_euler(w->settings->integrator)) return true;
  newton_choose_solver(w, true);
  if (!w->solver->method->record) return true;
  if (!create(w, &why)) return give_up(w, &why);
  TouchingGraph *g = w->touching;
  const TimeStep step = newton_euler_step(w, dt);
  anchors_keep(&c->anchors, false);  // friction anchors are part of the state, so they are backed up too
  // recorded graphs require that the address of u1 is below that of `trial`
  if (m->iterate.u1 > m->iterate.trial) accept_trial(&w->motion->iterate);
  if (!newton_self_contact(w)->begin(m, &step, m->body.u, w->stream, error)) return false;
  const Extent all = { true, true, true };
  if (!prepare(w, &step, all, &g->step, &ready, &why)) return give_up(w, &why);
  const bool moves = c->moved > 0;
  c->elapsed = step.duration;  // the graph moves obstacles to the step's end
  *g->asked = (NewtonProgress){
    .solves = 1, .fraction = 1, .elapsed = moves ? 0 : step.duration, .ahead = moves ? step.duration : 0
  };
  if (!ready || !recorded_contact(w)->ask(m, g->asked)) {
    c->settled = true;  // the state is unchanged, so the list of contact pairs is still valid
    return true;
  }
  if (!run(w, &g->step, error)) return false;
  NewtonProgress *n = g->on_host;
  if (n->next == NEXT_RESTART_ON_HOST) return true;
  if (n->next == NEXT_OTHER_TANGENT) n->next = NEXT_SOLVE;
  report_progress(w, n, report);
  *done = n->finished;
  if (!*done) {
    w->left = n;
    return true;
  }
  if (!newton_self_contact(w)->stick(m, w->stream, error)) return false;
  report->without_host = true;
  report->rounded = n->rounded;
  report->guessed = n->guessed;
  return true;
}

bool REAL_NAME(touching_graph_go_on)(Newton *w, const TimeStep *step, NewtonProgress *n, bool *went, StepReport *report,
                                     Error *error) {
  Error why = { 0 };
  bool ready;
  Motion *m = w->motion;
  *went = false;
  if (!is_usable(w) || step->duration != (real)w->settings->dt) return true;
  const Extent of = { false, n->iterations == 0, newton_self_contact(w)->touches(m) };
  newton_choose_solver(w, of.touches);
  if (!w->solver->method->record) return true;
  if (!create(w, &why)) return give_up(w, &why);
  TouchingGraph *g = w->touching;
  accept_trial(&m->iterate);  // the graph begins with the present iterate in `trial`
  Graph *graph = &g->rest[m->iterate.u1 > m->iterate.trial][of.first][of.touches];
  const bool ok = prepare(w, step, of, graph, &ready, &why);
  const NewtonBounds bounds = newton_bounds(w);
  *g->asked = *n;
  if (of.first && of.touches) g->asked->cg_relative = newton_cg_touching(&bounds, n->cg_relative);
  g->asked->next = NEXT_SOLVE;
  g->asked->solves = 1;
  g->asked->elapsed = m->forces.self->elapsed;
  g->asked->ahead = 0;
  if (!ok || !ready || !recorded_contact(w)->ask(m, g->asked)) {
    accept_trial(&m->iterate);
    return ok || give_up(w, &why);
  }
  const NewtonProgress before = *n;
  if (!run(w, graph, error)) return false;
  *n = *g->on_host;
  *went = true;
  count_progress(w, &before, n, report);
  if (n->next == NEXT_OTHER_TANGENT) n->next = NEXT_SOLVE;
  if (n->next == NEXT_END) report->rounded += n->rounded;
  if (n->next != NEXT_LINE_SEARCH) accept_trial(&m->iterate);  // the accepted trial becomes the iterate u1
  return true;
}
