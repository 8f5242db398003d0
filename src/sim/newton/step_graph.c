// CUDA graphs of whole time steps, without the host (step_graph.h). Functions queue_... queue work while a graph is
// recorded; the work runs at each launch. u1 is Newton's present iterate, and `trial` the candidate for the next one.
#include "sim/newton/step_graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "sim/newton/step_recording.h"
#include "sim/newton/touching_graph.h"

// SOLVES_MAX is the largest number of linear solves in a graph. REST_MAX is the largest number of steps that the host
// takes after a graph has refused a step.
//
// A graph refuses a step if contact pairs touch at its start, or if the first guess is not clearly better than the
// start of the step. The host then takes the step. For a body at rest on a floor every guess is refused, so that graphs
// cost time but save none. Therefore the host takes 1 step after the first refusal (the refused step), and 2, 4, ... up
// to REST_MAX steps after each further refusal, until a graph succeeds.
enum { SOLVES_MAX = 3, REST_MAX = 16 };
// Numbers of parameters that a graph contains as constants (make_key): of step and settings, of forces, and of all.
enum { STEP_KEYS = 13, FORCE_KEYS_ALL = FORCE_ROWS * FORCE_KEYS };
enum { KEYS = STEP_KEYS + MATERIAL_PARAMETERS + FORCE_KEYS_ALL + SELF_CONTACT_KEYS };
typedef struct StepGraph {
  Graph graphs[SOLVES_MAX + 1];        // graphs[k] with k > 0: a whole step with k linear solves. graphs[0]: one more
                                       // solve, which continues a step that needs more solves than its graph has
  int solves;                          // number of linear solves of the last step
  double key[KEYS];                    // all parameters that the graphs contain as constants (make_key)
  double last_key[KEYS];               // values of the parameters of `key` in the last step (worth_recording)
  NewtonProgress *progress, *on_host;  // state of Newton's method: on the device, and its copy in pinned host memory
  int rest, rest_next;                 // rest: number of coming steps that the host takes without a graph. rest_next:
                                       // number of steps that the host will take after the next refusal, at most
                                       // REST_MAX
  // recorded: true if the graphs were recorded with the parameters `key`. absent: true if recording has failed, so that
  // the host computes all steps
  bool recorded, absent;
} StepGraph;

// Arguments of the functions that queue work for a graph.
typedef struct Recording {
  Newton *newton;
  TimeStep step, first;  // step: coefficients of the step. first: coefficients of its first evaluation, in which nodes
                         // that will soon land count as touching (TimeStep.lookahead)
  FirstGuess guess;
  StepDecision decision;
  int *free;  // on the GPU, with self-contact: *free is 1 if no pair touches at the start of the step, else 0
} Recording;

// Returns the solver whose work the graph contains. If no contact pairs touch and no pressures act, the operator
// consists of its matrix only, so the faster solver w->alone can be used.
static Solver *solver_of(const Newton *w) {
  if (pressure_acts(&w->motion->forces)) return w->whole;
  return w->motion->forces.self && w->alone ? w->alone : w->solver;
}

// Returns true if a CUDA graph can take this step. *touches is true if contact pairs touch at the start of the step.
static bool is_usable(const Newton *w, bool *touches) {
  *touches = false;
  // with self-contact, only the loop on the host (newton_loop.c) can move nodes with a prescribed motion
  if (w->motion->forces.self && w->motion->body.any_moved) return false;
  if (!can_record(w)) return false;
  if (!solver_of(w)->method->record) return false;
  if (w->graph && w->graph->absent) return false;
  if (w->motion->forces.self && !recorded_contact(w)->is_usable(w->motion, touches)) return false;
  if (!newton_integrates_on_gpu(w)) return false;
  return w->settings->first_guess != FIRST_GUESS_EXTRAPOLATED || w->has_before;
}

// Lists all parameters that a graph contains as constants. The address of u1 is one of them, since Newton's method
// swaps the arrays u1 and `trial`; other addresses do not change.
static void make_key(const Newton *w, double dt, double key[KEYS]) {
  const NewtonSettings *s = w->settings;
  const double all[STEP_KEYS] = { dt,
                                  s->integrator,
                                  s->damping,
                                  s->newton,
                                  s->newton_absolute,
                                  s->newton_relative,
                                  s->newton_max,
                                  s->cg_relative,
                                  s->first_guess,
                                  newton_turns(w),
                                  newton_whole_step(w, dt).turns_back,
                                  (double)(uintptr_t)w->motion->iterate.u1,
                                  w->prelude ? (double)w->preludes : 0 };
  memcpy(key, all, sizeof all);
  memcpy(key + STEP_KEYS, s->material, sizeof s->material);
  key += STEP_KEYS + MATERIAL_PARAMETERS;
  forces_key(&w->motion->forces, key);
  if (recorded_contact(w)) recorded_contact(w)->key(w->motion, key + FORCE_KEYS_ALL);
}

static bool queue_begin(void *recording, Stream stream, Error *error) {
  Recording *r = recording;
  const Newton *w = r->newton;
  return w->motion->method->recorded->begin(w->motion, &r->first, r->guess, stream, error) &&
         (!recorded_contact(w) || recorded_contact(w)->begin(w->motion, &r->free, stream, error));
}

static bool queue_first(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  StepDecision decision = r->decision;
  decision.solver = NULL;
  decision.free = r->free;
  return make_tangent(w, &r->first, w->diagonal.from, NULL, &decision, stream, error) &&
         make_decision(w, &r->first, &decision, stream, error);
}

// Queues the assembly of the tangent at the last trial, with which graphs[0] begins. Reason: the graph launched before
// graphs[0] was expected to complete the step, so it has assembled only the forces at this trial.
static bool queue_tangent(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  return make_tangent(r->newton, &r->step, NULL, &r->decision.progress->solves, &r->decision, stream, error);
}

// Queues the work after a linear solve: computation of the trial by a full Newton step, assembly of its forces, and the
// decision how Newton's method continues. If another solve follows in this graph, also queues the assembly of the
// tangent.
static bool queue_trial(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  const int *wanted = &r->decision.progress->solves;
  return w->motion->method->recorded->advance(w->motion, &r->step, NULL, wanted, stream, error) &&
         (r->decision.last ? make_vector(w, &r->step, stream, error)
                           : make_tangent(w, &r->step, NULL, wanted, &r->decision, stream, error)) &&
         make_decision(w, &r->step, &r->decision, stream, error);
}

static bool queue_end(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  return w->motion->method->recorded->finish(w->motion, &r->step, &r->decision, stream, error);
}

// Records the part of a graph before the first linear solve: start of the step, collision tests, and first tangent.
static bool record_begin(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  Contact *self = r->newton->motion->forces.self;
  const bool bounds = self && r->decision.guessed;
  bool ok = graph_record(chain, stream, queue_begin, r, error);
  const SelfContactQuery query = { .wanted = r->free, .guessed = true };
  if (ok && self && self->moved > 0) {
    const SelfContactQuery stands = { .wanted = r->free, .stands = true };
    self->ahead = r->step.duration;
    ok = record_bound(r->newton, stands, chain, stream, error);
    self->ahead = 0;
  }
  if (!ok) return false;
  if (self) self->elapsed = r->step.duration;
  return (!bounds || record_bound(r->newton, query, chain, stream, error)) &&
         graph_record(chain, stream, queue_first, r, error);
}

// Records a linear solve and the evaluation of its trial. The `first` solve of a step builds the preconditioner, which
// later solves keep. After the `last` solve in a graph, only the forces are assembled, without a tangent.
static bool record_solve(Recording *r, GraphChain *chain, bool first, bool last, Stream stream, Error *error) {
  Solver *solver = r->newton->solver;
  NewtonProgress *n = r->decision.progress;
  const SolverInputs inputs = { &n->cg_relative, &n->residual, &n->solves };
  const SelfContactQuery query = { .wanted = &n->solves };
  solver->keeps = !first;
  r->decision.last = last;
  return solver->method->record(solver, chain, &inputs, &r->decision.solver, stream, error) &&
         (!recorded_contact(r->newton) || record_bound(r->newton, query, chain, stream, error)) &&
         graph_record(chain, stream, queue_trial, r, error);
}

// Records w->graph->graphs[solves], the graph of a step with `solves` linear solves. graphs[0] contains a single solve,
// which continues a step that needs more solves than its graph has.
static bool record(Newton *w, double dt, int solves, Error *error) {
  StepGraph *g = w->graph;
  const NewtonSettings *s = w->settings;
  Recording r = { .newton = w,
                  .step = newton_whole_step(w, dt),
                  .guess = newton_first_guess(s),
                  .decision = { .bounds = newton_bounds(w), .progress = g->progress, .on_host = g->on_host } };
  Graph *graph = &g->graphs[solves];
  r.first = r.step;
  r.decision.guessed = r.guess != FIRST_GUESS_STATE;
  if (!r.decision.guessed && uses_lookahead(w->motion)) r.first.lookahead = r.first.duration;
  GraphChain *chain = &graph->chain;
  Contact *self = w->motion->forces.self;

  // In a graph of a whole step, obstacles begin at their positions at the start of the step. In graphs[0], they are
  // already at the step's end.
  if (self) self->elapsed = solves > 0 ? 0 : r.step.duration;
  bool ok =
      graph_create(graph, error) && (solves == 0 || !w->prelude || graph_append(chain, &w->prelude->chain, error));
  ok = ok && (solves > 0 ? record_begin(&r, chain, w->stream, error)
                         : graph_record(chain, w->stream, queue_tangent, &r, error) &&
                               record_solve(&r, chain, false, true, w->stream, error));
  for (int k = 1; ok && k <= solves; k++) ok = record_solve(&r, chain, k == 1, k == solves, w->stream, error);
  if (ok && graph_record(chain, w->stream, queue_end, &r, error) && graph_finish(graph, w->stream, error)) return true;
  graph_destroy(graph);
  return false;
}

static void forget(StepGraph *g) {
  for (int k = 0; k <= SOLVES_MAX; k++) graph_destroy(&g->graphs[k]);
  g->recorded = false;
}

// Records graphs[solves] unless it exists with the present parameters. *ready becomes false if this graph does not
// exist and a recording would probably cost more time than it saves (worth_recording).
static bool prepare(Newton *w, double dt, int solves, bool *ready, Error *error) {
  StepGraph *g = w->graph;
  double key[KEYS] = { 0 };
  bool same;
  make_key(w, dt, key);
  *ready = worth_recording(key, g->key, g->last_key, sizeof key, g->recorded, &same);
  if (!*ready) return true;
  if (!same) {
    forget(g);
    memcpy(g->key, key, sizeof key);
  }
  g->recorded = true;
  return g->graphs[solves].executable || record(w, dt, solves, error);
}

void REAL_NAME(step_graph_forget)(Newton *w) {
  if (w->graph) forget(w->graph);
  REAL_NAME(touching_graph_forget)(w);
}

void REAL_NAME(step_graph_destroy)(Newton *w) {
  REAL_NAME(touching_graph_destroy)(w);
  if (!w->graph) return;
  forget(w->graph);
  device_free(DEVICE_CUDA, w->graph->progress);
  device_free_pinned(DEVICE_CUDA, w->graph->on_host);
  free(w->graph);
  w->graph = NULL;
}

static bool create(Newton *w, Error *error) {
  if (w->graph) return true;
  w->graph = array_new(1, sizeof *w->graph, "recorded step", error);
  if (w->graph && (w->graph->progress = device_alloc(DEVICE_CUDA, sizeof *w->graph->progress, error)) &&
      (w->graph->on_host = device_alloc_pinned(DEVICE_CUDA, sizeof *w->graph->on_host, error)))
    return true;
  REAL_NAME(step_graph_destroy)(w);
  return false;
}

// Launches graphs[solves], which has `solves` linear solves; graphs[0] has a single solve, which continues the step.
// The result goes to w->graph->on_host.
static bool queue(Newton *w, int solves, Error *error) {
  *w->solver->stop = 0;
  w->graph->on_host->next = NEXT_PENDING;
  if (w->motion->forces.self) w->motion->forces.self->elapsed = (real)w->settings->dt;
  w->prelude_ran = true;  // it is part of the graph of a whole step
  return graph_launch(&w->graph->graphs[solves], w->stream, error);
}

// Records, if necessary, and launches the graph of this step. Returns false if the host must take the step. If
// recording fails, writes a notice, and the host takes all later steps.
static bool launch(Newton *w, double dt) {
  Error why = { 0 };
  bool ready;
  if (!create(w, &why)) return false;
  StepGraph *g = w->graph;
  Contact *self = w->motion->forces.self;
  if (g->rest > 0) {
    g->rest--;
    return false;
  }
  w->solver = solver_of(w);
  w->solver->with_term = false;
  if (self) anchors_keep(&self->anchors, false);  // friction anchors are part of the state, so they are backed up too
  const int maximum = w->settings->newton_max < SOLVES_MAX ? w->settings->newton_max : SOLVES_MAX;
  const int solves = g->solves < 1 ? 1 : g->solves < maximum ? g->solves : maximum;
  if (prepare(w, dt, solves, &ready, &why)) {
    if (!ready) return false;
    if (queue(w, solves, &why)) return true;
  }
  log_notice(
      "CUDA graphs are not available for time steps, so the host controls each Newton iteration, which is slower: %s",
      why.message);
  forget(g);
  g->absent = true;
  return false;
}

// Waits for the result of the launched graph. With self-contact, then copies the length of the list of contact pairs to
// the host.
static bool receive(Newton *w, Error *error) {
  Error ignored = { 0 };
  const bool ended = wait_for_decision(w, w->graph->on_host, error);
  return (!recorded_contact(w) || recorded_contact(w)->received(w->motion, ended ? error : &ignored)) && ended;
}

static void rest(StepGraph *g) {
  const int steps = g->rest_next > 0 ? g->rest_next : 1;
  g->rest = steps - 1;  // minus 1, because the refused step is one of these steps
  g->rest_next = 2 * steps < REST_MAX ? 2 * steps : REST_MAX;
}

void REAL_NAME(step_graph_receive)(Newton *w, const NewtonProgress *n, bool *done, StepReport *report) {
  report_progress(w, n, report);
  *done = n->finished;
  if (!*done) {
    w->left = n;
    return;
  }
  w->last = n->norms;
  report->without_host = true;
  report->rounded = n->rounded;
  report->guessed = n->guessed;
}

bool REAL_NAME(step_graph_take)(Newton *w, double dt, bool *done, StepReport *report, Error *error) {
  bool touches;
  *done = false;
  if (!is_usable(w, &touches)) return true;
  const TimeStep step = newton_whole_step(w, dt);
  if (!newton_turn_back(w, &step, error)) return false;
  if (touches && !REAL_NAME(newton_run_prelude)(w, error)) return false;
  if (touches) return REAL_NAME(touching_graph_take)(w, dt, done, report, error);
  if (!launch(w, dt)) return true;
  const NewtonProgress *n = w->graph->on_host;
  if (!receive(w, error)) return false;
  while (n->next == NEXT_SOLVE)  // the step needs more solves than the graph has
    if ((!w->graph->graphs[0].executable && !record(w, dt, 0, error)) || !queue(w, 0, error) || !receive(w, error))
      return false;
  if (n->next == NEXT_RESTART_ON_HOST) {
    rest(w->graph);
    return true;
  }
  w->graph->rest_next = 1;
  w->graph->solves = n->iterations + (n->next == NEXT_BOUNDED_SEARCH);
  REAL_NAME(step_graph_receive)(w, n, done, report);
  return !*done || !recorded_contact(w) ||
         self_contact_functions(w->motion->body.device, REAL_PRECISION)->stick(w->motion, w->stream, error);
}
