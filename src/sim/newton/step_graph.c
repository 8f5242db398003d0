// A step without the host: see step_graph.h.
#include "sim/newton/step_graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "device/waits.h"
#include "sim/newton/integrator.h"
#include "sim/newton/self_contact.h"

// After a first guess that was refused a step is the host's, after the next one two, and so on up to REST_MOST: what
// stands on a floor refuses all of them.
enum { SOLVES_MOST = 3, REST_MOST = 16 };
enum { STEP_KEYS = 15, KEYS = STEP_KEYS + SELF_CONTACT_KEYS + MATERIAL_PARAMETERS };
enum { ITERATION_KEYS = 17, ITERATION_ALL = ITERATION_KEYS + SELF_CONTACT_KEYS + MATERIAL_PARAMETERS };

// What an iteration where something touches is of, and how far it may go.
typedef struct IterationAsk {
  double relative, norm, slip_share;
  double share;
  int sliding, wanted;
} IterationAsk;

typedef struct StepGraph {
  Graph graphs[SOLVES_MOST + 1];    // steps of so many solves; [0]: one more solve of a step
  int solves;                       // of the last step, as far as these go
  double key[KEYS];                 // all numbers that are recorded in them
  double last_key[KEYS];            // of the last step: what changes all the time is not worth recording
  NewtonProgress *progress, *told;  // on the device, pinned
  Graph iteration[2][2][2];         // [u1 behind trial][later][something touches]
  double iteration_key[ITERATION_ALL], last_iteration_key[ITERATION_ALL];
  struct IterationAsk *ask, *asked;  // on the device, pinned
  bool iteration_recorded;           // any with this key
  int rest, rest_next;               // steps that are the host's, and will be after another refusal
  bool recorded, absent;             // any with this key; this driver cannot do it
} StepGraph;

// what is being recorded
typedef struct Recording {
  Newton *newton;
  TimeStep step, first;  // the first evaluation's looks ahead
  FirstGuess guess;
  StepDecision decision;
  int *free;  // with contact of the body with itself: says that nothing touches where the step begins
} Recording;

static bool watched(const Newton *w) {
  return w->settings->newton == NEWTON_ROBUST && (has_contact(&w->motion->forces) || w->motion->forces.self);
}

// what contact of the body with itself has for it; NULL: there is no such contact
static const SelfContactRecorded *self_contact(const Newton *w) {
  return w->motion->forces.self ? self_contact_functions(w->motion->body.device, REAL_PRECISION)->recorded : NULL;
}

// where nothing touches that is the one without the operator's term
static Solver *solver_of(const Newton *w) {
  return w->motion->forces.self && w->alone ? w->alone : w->solver;
}

static bool serves(const Newton *w) {
  const Integrator integrator = simulation_integrator(w->settings);
  return w->stream.device == DEVICE_CUDA && w->assembly_stream.device == DEVICE_CUDA &&
         w->solver_stream.device == DEVICE_CUDA && w->motion->method->recorded && solver_of(w)->method->record &&
         !w->clock->running && !(w->graph && w->graph->absent) &&
         (!w->motion->forces.self || self_contact(w)->serves(w->motion)) &&
         (integrator == INTEGRATOR_EULER || (integrator == INTEGRATOR_MIDPOINT && !watched(w))) &&
         (w->settings->first_guess != FIRST_GUESS_EXTRAPOLATED || w->has_before);
}

// all that a recorded step has as numbers; the rest are addresses that stay, but for two that Newton swaps
static void make_key(const Newton *w, double dt, double key[KEYS]) {
  const SimulationSettings *s = w->settings;
  const Floor *floor = &w->motion->forces.floor;
  const double all[STEP_KEYS] = { dt,
                                  simulation_integrator(s),
                                  s->damping,
                                  s->newton,
                                  s->newton_absolute,
                                  s->newton_relative,
                                  s->newton_max,
                                  s->cg_fixed,
                                  s->cg_relative,
                                  s->first_guess,
                                  floor->present,
                                  floor->height,
                                  floor->modulus,
                                  floor->friction,
                                  (double)(uintptr_t)w->motion->iterate.u1 };
  memcpy(key, all, sizeof all);
  settings_material(s, key + STEP_KEYS);
  if (self_contact(w)) self_contact(w)->key(w->motion, key + STEP_KEYS + MATERIAL_PARAMETERS);
}

// the tangent at the trial state, and its diagonal where that is given; unwanted it is of no use
static bool make_tangent(const Newton *w, const TimeStep *step, void *diagonal, const int *wanted, Stream stream,
                         Error *error) {
  const Motion *m = w->motion;
  const AssemblyParameters parameters = step_parameters(w, step);
  const bool changes = has_contact(&m->forces);  // else the step's begin has set the shift of all its tangents
  const AssemblyShift shift = { w->shift.to, contact_crosses(&m->forces), diagonal, wanted };
  return (!changes || m->method->recorded->set_shift(m, step, wanted, stream, error)) &&
         assembly_run_shifted(w->assembly, &parameters, w->nodal.to, w->internal.from, w->A, &shift, stream, error);
}

// the forces at the trial state, without their tangent
static bool make_vector(const Newton *w, const TimeStep *step, Stream stream, Error *error) {
  const AssemblyParameters parameters = step_parameters(w, step);
  return assembly_run(w->assembly, &parameters, w->nodal.to, w->internal.from, NULL, stream, error);
}

static bool decide(const Newton *w, const TimeStep *step, const StepDecision *decision, Stream stream, Error *error) {
  return w->motion->method->recorded->decide(w->motion, step, w->min_J.to, w->assembly->min_J_count,
                                             w->settings->newton == NEWTON_ROBUST, decision, stream, error);
}

static bool queue_begin(void *recording, Stream stream, Error *error) {
  Recording *r = recording;
  const Newton *w = r->newton;
  return w->motion->method->recorded->begin(w->motion, &r->first, r->guess, stream, error) &&
         (!self_contact(w) || self_contact(w)->begin(w->motion, &r->free, stream, error));
}

static bool queue_first(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  StepDecision decision = r->decision;
  decision.solver = NULL, decision.free = r->free;
  return make_tangent(w, &r->first, w->diagonal.from, NULL, stream, error) &&
         decide(w, &r->first, &decision, stream, error);
}

// the tangent where the last solve's step was taken, after graphs that end with the forces alone
static bool queue_tangent(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  return make_tangent(r->newton, &r->step, NULL, &r->decision.progress->solves, stream, error);
}

// the full step, its forces, with them the tangent where another solve is expected, and the decision
static bool queue_trial(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  const int *wanted = &r->decision.progress->solves;
  return w->motion->method->recorded->advance(w->motion, &r->step, wanted, stream, error) &&
         (r->decision.last ? make_vector(w, &r->step, stream, error)
                           : make_tangent(w, &r->step, NULL, wanted, stream, error)) &&
         decide(w, &r->step, &r->decision, stream, error);
}

static bool queue_end(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  return w->motion->method->recorded->finish(w->motion, &r->step, &r->decision, stream, error);
}

// a look at how far the body may go, as it is recorded, and the condition of the search for pairs that it may take
typedef struct Bounding {
  const Newton *newton;
  SelfContactLook look;
  uint64_t search;
} Bounding;

static bool queue_bound(void *bounding, Stream stream, Error *error) {
  const Bounding *b = bounding;
  return self_contact(b->newton)->bound(b->newton->motion, &b->look, b->search, stream, error);
}

static bool queue_search(void *bounding, Stream stream, Error *error) {
  const Bounding *b = bounding;
  return self_contact(b->newton)->search(b->newton->motion, &b->look, stream, error);
}

static bool record_bound(const Newton *w, SelfContactLook look, GraphChain *chain, Stream stream, Error *error) {
  Bounding b = { w, look, 0 };
  GraphChain body;
  return graph_condition(chain, &b.search, error) && graph_record(chain, stream, queue_bound, &b, error) &&
         graph_branch(chain, b.search, &body, error) && graph_record(&body, stream, queue_search, &b, error);
}

// all before the first solve
static bool record_begin(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  const bool bounds = self_contact(r->newton) && r->decision.guessed;
  if (!graph_record(chain, stream, queue_begin, r, error)) return false;
  const SelfContactLook look = { .wanted = r->free, .guessed = true };
  return (!bounds || record_bound(r->newton, look, chain, stream, error)) &&
         graph_record(chain, stream, queue_first, r, error);
}

// A solve and its trial; with `first` of a step, whose preconditioner it makes.
static bool record_solve(Recording *r, GraphChain *chain, bool first, bool last, Stream stream, Error *error) {
  Solver *solver = r->newton->solver;
  NewtonProgress *n = r->decision.progress;
  const SolverInputs inputs = { &n->cg_relative, &n->residual, &n->solves };
  const SelfContactLook look = { .wanted = &n->solves };
  solver->keeps = !first;
  r->decision.last = last;
  return solver->method->record(solver, chain, &inputs, &r->decision.solver, stream, error) &&
         (!self_contact(r->newton) || record_bound(r->newton, look, chain, stream, error)) &&
         graph_record(chain, stream, queue_trial, r, error);
}

// a step of so many solves, 0: one more solve of a step
static bool record(Newton *w, double dt, int solves, Error *error) {
  StepGraph *g = w->graph;
  const SimulationSettings *s = w->settings;
  const bool euler = simulation_integrator(s) == INTEGRATOR_EULER;
  Recording r = { .newton = w,
                  .step = euler ? euler_step(dt, s->damping) : midpoint_step(dt, s->damping),
                  .guess = s->first_guess,
                  .decision = { .bounds = newton_bounds(s), .progress = g->progress, .told = g->told } };
  Graph *graph = &g->graphs[solves];
  r.first = r.step;
  r.decision.guessed = r.guess != FIRST_GUESS_STATE;
  if (!r.decision.guessed && looks_ahead(w->motion)) r.first.lookahead = r.first.duration;
  GraphChain *chain = &graph->chain;
  bool ok = graph_create(graph, error) && (solves > 0 ? record_begin(&r, chain, w->stream, error)
                                                      : graph_record(chain, w->stream, queue_tangent, &r, error) &&
                                                            record_solve(&r, chain, false, true, w->stream, error));
  for (int k = 1; ok && k <= solves; k++) ok = record_solve(&r, chain, k == 1, k == solves, w->stream, error);
  if (ok && graph_record(chain, w->stream, queue_end, &r, error) && graph_finish(graph, w->stream, error)) return true;
  graph_destroy(graph);
  return false;
}

static void forget_iterations(StepGraph *g) {
  for (int k = 0; k < 8; k++) graph_destroy(&g->iteration[k / 4][k / 2 % 2][k % 2]);
  g->iteration_recorded = false;
}

static void forget(StepGraph *g) {
  for (int k = 0; k <= SOLVES_MOST; k++) graph_destroy(&g->graphs[k]);
  g->recorded = false;
}

// Makes a graph ready for this step; *ready false: it is not worth it.
static bool prepare(Newton *w, double dt, int solves, bool *ready, Error *error) {
  StepGraph *g = w->graph;
  double key[KEYS] = { 0 };
  make_key(w, dt, key);
  const bool same = memcmp(key, g->key, sizeof key) == 0, again = memcmp(key, g->last_key, sizeof key) == 0;
  memcpy(g->last_key, key, sizeof key);
  *ready = !g->recorded || same || again;
  if (!*ready) return true;
  if (!same) forget(g);
  memcpy(g->key, key, sizeof key);
  g->recorded = true;
  return g->graphs[solves].executable || record(w, dt, solves, error);
}

void REAL_NAME(step_graph_forget)(Newton *w) {
  if (w->graph) forget(w->graph), forget_iterations(w->graph);
}

void REAL_NAME(step_graph_destroy)(Newton *w) {
  if (!w->graph) return;
  forget(w->graph), forget_iterations(w->graph);
  device_free(DEVICE_CUDA, w->graph->ask);
  device_free_pinned(DEVICE_CUDA, w->graph->asked);
  device_free(DEVICE_CUDA, w->graph->progress);
  device_free_pinned(DEVICE_CUDA, w->graph->told);
  free(w->graph);
  w->graph = NULL;
}

static bool create(Newton *w, Error *error) {
  if (w->graph) return true;
  w->graph = array_new(1, sizeof *w->graph, "recorded step", error);
  if (w->graph && (w->graph->progress = device_alloc(DEVICE_CUDA, sizeof *w->graph->progress, error)) &&
      (w->graph->told = device_alloc_pinned(DEVICE_CUDA, sizeof *w->graph->told, error)) &&
      (w->graph->ask = device_alloc(DEVICE_CUDA, sizeof *w->graph->ask, error)) &&
      (w->graph->asked = device_alloc_pinned(DEVICE_CUDA, sizeof *w->graph->asked, error)))
    return true;
  REAL_NAME(step_graph_destroy)(w);
  return false;
}

// what the host's loop has counted by then, too
static void report_progress(Newton *w, const NewtonProgress *n, StepReport *report) {
  report->newton_iterations = n->iterations;
  report->cg_iterations = n->cg_iterations;
  report->indefinite = n->indefinite;
  report->residual = n->residual;
  report->tolerance = n->tolerance;
  report->min_J = n->min_J;
  // a tangent to begin with, and one after every full step but the last, where another solve is not left to the host; a
  // vector for each of these
  w->assemblies += n->next == NEWTON_BOUNDED ? n->iterations + 1 : n->iterations > 0 ? n->iterations : 1;
  w->vectors += n->iterations;
  *w->motion->iterate.norms_host = n->norms;
  *w->solver->report = n->solver;
}

// queues a graph, whose end will be told
static bool queue(Newton *w, int solves, Error *error) {
  *w->solver->stop = 0;
  w->graph->told->next = NEWTON_RUNNING;
  return graph_launch(&w->graph->graphs[solves], w->stream, error);
}

// Queues the step where it serves; what cannot be had is told once, and then the host has all steps.
static bool launch(Newton *w, double dt) {
  Error why = { 0 };
  bool ready;
  if (!create(w, &why)) return false;
  StepGraph *g = w->graph;
  Contact *self = w->motion->forces.self;
  if (g->rest > 0) return g->rest--, false;
  w->solver = solver_of(w);
  w->solver->with_term = false;
  if (self) anchors_keep(&self->anchors, false);  // as with the state's backup
  const int most = w->settings->newton_max < SOLVES_MOST ? w->settings->newton_max : SOLVES_MOST;
  const int solves = g->solves < 1 ? 1 : g->solves < most ? g->solves : most;
  if (prepare(w, dt, solves, &ready, &why)) {
    if (!ready) return false;
    if (queue(w, solves, &why)) return true;
  }
  log_notice("steps go by the host, with a wait for every look at a state: %s", why.message);
  forget(g);
  g->absent = true;
  return false;
}

static bool wait_for_end(Newton *w, Error *error) {
  const NewtonProgress *n = w->graph->told;
  device_waited();
  if (!solver_watch(w->solver, &n->next, NEWTON_RUNNING, w->stream, error)) return false;
  if (n->next == NEWTON_RUNNING) return stream_sync(w->stream, error) && error_set(error, "a step did not end");
  return solver_heard(w->solver, n->solver.end, error) && interrupt_check(error);
}

// of as much of a step as was queued
static bool hear(Newton *w, Error *error) {
  Error ignored = { 0 };
  const bool ended = wait_for_end(w, error);
  return (!self_contact(w) || self_contact(w)->heard(w->motion, ended ? error : &ignored)) && ended;
}

static void rest(StepGraph *g) {
  const int steps = g->rest_next > 0 ? g->rest_next : 1;
  g->rest = steps - 1;  // with the one that was refused
  g->rest_next = 2 * steps < REST_MOST ? 2 * steps : REST_MOST;
}

bool REAL_NAME(step_graph_take)(Newton *w, double dt, bool *done, StepReport *report, Error *error) {
  *done = false;
  if (!serves(w) || !launch(w, dt)) return true;
  const NewtonProgress *n = w->graph->told;
  if (!hear(w, error)) return false;
  while (n->next == NEWTON_SOLVES)  // more than were thought
    if ((!w->graph->graphs[0].executable && !record(w, dt, 0, error)) || !queue(w, 0, error) || !hear(w, error))
      return false;
  if (n->next == NEWTON_REFUSED) {
    rest(w->graph);
    return true;
  }
  w->graph->rest_next = 1;
  w->graph->solves = n->iterations + (n->next == NEWTON_BOUNDED);
  report_progress(w, n, report);
  *done = n->finished;
  if (!*done) {
    w->left = n;
    return true;
  }
  if (self_contact(w) &&
      !self_contact_functions(w->motion->body.device, REAL_PRECISION)->stick(w->motion, w->stream, error))
    return false;
  report->without_host = true;
  report->rounded = n->rounded;
  report->guessed = w->settings->first_guess != FIRST_GUESS_STATE;
  return true;
}

// an iteration with self-contact, as it is recorded
typedef struct Iteration {
  const Newton *newton;
  TimeStep step;
  bool later;
  const SolverReport *report;  // on the device
} Iteration;

static bool queue_iteration_begin(void *iteration, Stream stream, Error *error) {
  const Iteration *i = iteration;
  const Newton *w = i->newton;
  const StepGraph *g = w->graph;
  const AssemblyParameters parameters = step_parameters(w, &i->step);
  const AssemblyShift shift = { w->shift.to, contact_crosses(&w->motion->forces), NULL, NULL };
  if (!device_upload(stream, g->ask, g->asked, sizeof *g->ask, error)) return false;
  return !i->later ||
         (w->motion->method->recorded->iteration_shift(w->motion, &i->step, &g->ask->slip_share, &g->ask->sliding,
                                                       stream, error) &&
          assembly_run_shifted(w->assembly, &parameters, w->nodal.to, w->internal.from, w->A, &shift, stream, error));
}

static bool queue_iteration_trial(void *iteration, Stream stream, Error *error) {
  const Iteration *i = iteration;
  const Newton *w = i->newton;
  const StepGraph *g = w->graph;
  const MotionRecorded *recorded = w->motion->method->recorded;
  return recorded->try_share(w->motion, &i->step, &g->ask->share, &g->ask->wanted, stream, error) &&
         make_vector(w, &i->step, stream, error) &&
         recorded->iteration_residual(w->motion, &i->step, w->min_J.to, w->assembly->min_J_count,
                                      w->settings->newton == NEWTON_ROBUST, &g->ask->sliding, stream, error) &&
         device_download(stream, g->asked, g->ask, sizeof *g->asked, error) &&
         device_download(stream, w->solver->report, i->report, sizeof *w->solver->report, error);
}

static bool record_iteration(Newton *w, const TimeStep *step, bool later, Graph *graph, Error *error) {
  IterationAsk *ask = w->graph->ask;
  const SolverInputs inputs = { &ask->relative, &ask->norm, NULL };
  const SelfContactLook look = { &ask->wanted, &ask->share, false, w->solver->with_term };
  Iteration i = { w, *step, later, NULL };
  GraphChain *chain = &graph->chain;
  w->solver->keeps = later;
  if (self_contact(w)->prepare(w->motion, w->stream, error) && graph_create(graph, error) &&
      graph_record(chain, w->stream, queue_iteration_begin, &i, error) &&
      w->solver->method->record(w->solver, chain, &inputs, &i.report, w->stream, error) &&
      record_bound(w, look, chain, w->stream, error) &&
      graph_record(chain, w->stream, queue_iteration_trial, &i, error) && graph_finish(graph, w->stream, error))
    return true;
  graph_destroy(graph);
  return false;
}

// all that such an iteration has as numbers
static void make_iteration_key(const Newton *w, const TimeStep *step, double key[ITERATION_ALL]) {
  const Floor *floor = &w->motion->forces.floor;
  const Iterate *it = &w->motion->iterate;
  const double all[ITERATION_KEYS] = { step->theta,
                                       step->impulse,
                                       step->impulse_at_end,
                                       step->inertia,
                                       step->end_inertia,
                                       step->inverse_dt,
                                       step->spring_shift,
                                       step->damper_shift,
                                       step->duration,
                                       step->begins,
                                       step->stuck,
                                       w->settings->newton,
                                       (double)(uintptr_t)(it->u1 < it->trial ? it->u1 : it->trial),
                                       floor->present,
                                       floor->height,
                                       floor->modulus,
                                       floor->friction };
  memcpy(key, all, sizeof all);
  settings_material(w->settings, key + ITERATION_KEYS);
  self_contact(w)->key(w->motion, key + ITERATION_KEYS + MATERIAL_PARAMETERS);
}

static bool iterates(const Newton *w, const TimeStep *step) {
  const Contact *c = w->motion->forces.self;
  return c && w->stream.device == DEVICE_CUDA && w->assembly_stream.device == DEVICE_CUDA &&
         w->solver_stream.device == DEVICE_CUDA && w->motion->method->recorded && w->solver->method->record &&
         !w->clock->running && !c->rigid_moves && !(w->graph && w->graph->absent) &&
         step->duration == (real)w->settings->dt;
}

// Makes an iteration ready; *graph NULL: it is not worth it.
static bool prepare_iteration(Newton *w, const TimeStep *step, bool later, Graph **graph, Error *error) {
  StepGraph *g = w->graph;
  double key[ITERATION_ALL] = { 0 };
  make_iteration_key(w, step, key);
  const bool same = memcmp(key, g->iteration_key, sizeof key) == 0;
  const bool again = memcmp(key, g->last_iteration_key, sizeof key) == 0;
  memcpy(g->last_iteration_key, key, sizeof key);
  *graph = NULL;
  if (g->iteration_recorded && !same && !again) return true;
  if (!same) forget_iterations(g);
  memcpy(g->iteration_key, key, sizeof key);
  g->iteration_recorded = true;
  *graph = &g->iteration[w->motion->iterate.u1 > w->motion->iterate.trial][later][w->solver->with_term];
  return (*graph)->executable || record_iteration(w, step, later, *graph, error);
}

bool REAL_NAME(step_graph_iterate)(Newton *w, const TimeStep *step, double relative, double norm, bool later,
                                   bool *done, double *share, Error *error) {
  Error why = { 0 };
  Graph *graph = NULL;
  *done = false, *share = -1;
  if (!iterates(w, step)) return true;
  if (!create(w, &why) || !prepare_iteration(w, step, later, &graph, &why)) {
    log_notice("steps go by the host, with a wait for every look at a state: %s", why.message);
    if (w->graph) w->graph->absent = true;
    return true;
  }
  if (!graph) return true;
  StepGraph *g = w->graph;
  *g->asked = (IterationAsk){ relative, norm, step->slip_share, 1, 0, 1 };
  if (!self_contact(w)->ask(w->motion, &g->asked->sliding)) return true;
  *w->solver->stop = 0;
  w->solver->report->end = SOLVER_RUNNING;
  if (!graph_launch(graph, w->stream, error)) return false;
  *done = solver_wait(w->solver, w->stream, error);
  if (*done && g->asked->wanted) *share = g->asked->share;
  w->assemblies += later;
  w->vectors += *share >= 0;
  Error *cause = *done ? error : &why;  // the first one stands
  return self_contact(w)->answer(w->motion, *share >= 0, w->solver->with_term, cause) && *done;
}
