// A step without the host: see step_graph.h.
#include "sim/newton/step_graph.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "sim/newton/integrator.h"

// After a first guess that was refused a step is the host's, after the next one two, and so on up to REST_MOST: what
// stands on a floor refuses all of them.
enum { REST_MOST = 16, KEYS = 20 + MATERIAL_PARAMETERS };

typedef struct StepGraph {
  Graph graph;
  double key[KEYS];                 // all numbers that are recorded in it
  double last_key[KEYS];            // of the last step: what changes all the time is not worth recording
  NewtonProgress *progress, *told;  // on the device, pinned
  int rest, rest_next;              // steps that are the host's, and will be after another refusal
  bool absent;                      // this driver cannot do it
} StepGraph;

// what is being recorded
typedef struct Recording {
  Newton *newton;
  TimeStep step, first;  // the first evaluation's looks ahead
  FirstGuess guess;
  StepDecision decision;
} Recording;

static bool watched(const Newton *w) {
  return w->settings->newton == NEWTON_ROBUST && w->motion->forces.floor.present;
}

static bool serves(const Newton *w) {
  const Integrator integrator = simulation_integrator(w->settings);
  return w->stream.device == DEVICE_CUDA && w->assembly_stream.device == DEVICE_CUDA &&
         w->solver_stream.device == DEVICE_CUDA && w->motion->method->recorded && w->solver->method->record &&
         operator_stores(w->A) && !w->clock->running && !(w->graph && w->graph->absent) &&
         (integrator == INTEGRATOR_EULER || (integrator == INTEGRATOR_MIDPOINT && !watched(w))) &&
         (w->settings->first_guess != FIRST_GUESS_EXTRAPOLATED || w->has_before);
}

// all that a recorded step has as numbers; the rest are addresses that stay, but for two that Newton swaps
static void make_key(const Newton *w, double dt, double key[KEYS]) {
  const SimulationSettings *s = w->settings;
  const Floor *floor = &w->motion->forces.floor;
  const double all[KEYS - MATERIAL_PARAMETERS] = { dt,
                                                   simulation_integrator(s),
                                                   s->damping,
                                                   s->newton,
                                                   s->newton_absolute,
                                                   s->newton_relative,
                                                   s->newton_max,
                                                   s->cg_fixed,
                                                   s->cg_relative,
                                                   s->first_guess,
                                                   w->motion->body.any_held,
                                                   floor->present,
                                                   floor->height,
                                                   floor->modulus,
                                                   floor->friction,
                                                   (double)(uintptr_t)w->motion->iterate.u1 };
  memcpy(key, all, sizeof all);
  settings_material(s, key + KEYS - MATERIAL_PARAMETERS);
}

static bool assemble(const Newton *w, const TimeStep *step, bool with_matrix, Stream stream, Error *error) {
  const AssemblyParameters parameters = step_parameters(w, step);
  return assembly_run(w->assembly, &parameters, w->nodal.to, w->internal.from, with_matrix ? w->values.from : NULL,
                      stream, error);
}

// the tangent at the trial state
static bool make_tangent(const Newton *w, const TimeStep *step, Stream stream, Error *error) {
  const Motion *m = w->motion;
  return assemble(w, step, true, stream, error) && m->method->recorded->set_shift(m, step, stream, error) &&
         operator_shift(w->A, w->shift.to, m->forces.floor.present, w->diagonal.from, stream, error);
}

static bool decide(const Newton *w, const TimeStep *step, const StepDecision *decision, Stream stream, Error *error) {
  return w->motion->method->recorded->decide(w->motion, step, w->min_J.to, w->assembly->min_J_count,
                                             w->settings->newton == NEWTON_ROBUST, decision, stream, error);
}

static bool queue_begin(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  StepDecision decision = r->decision;
  decision.solver = NULL;
  return w->motion->method->recorded->begin(w->motion, &r->first, r->guess, stream, error) &&
         make_tangent(w, &r->first, stream, error) && decide(w, &r->first, &decision, stream, error);
}

// another tangent, where the last one's step was taken
static bool queue_tangent(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  return make_tangent(r->newton, &r->step, stream, error);
}

static bool queue_trial(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  const int *wanted = r->decision.after_first ? &r->decision.progress->solves : NULL;
  return w->motion->method->recorded->advance(w->motion, &r->step, wanted, stream, error) &&
         assemble(w, &r->step, false, stream, error) && decide(w, &r->step, &r->decision, stream, error);
}

static bool record_solve(Recording *r, GraphChain *chain, Stream stream, Error *error) {
  const NewtonProgress *n = r->decision.progress;
  const SolverInputs inputs = { &n->cg_relative, &n->residual, r->decision.after_first ? &n->solves : NULL };
  Solver *solver = r->newton->solver;
  solver->keeps = !r->decision.after_first;
  return solver->method->record(solver, chain, &inputs, &r->decision.solver, stream, error) &&
         graph_record(chain, stream, queue_trial, r, error);
}

static bool queue_end(void *recording, Stream stream, Error *error) {
  const Recording *r = recording;
  const Newton *w = r->newton;
  return w->motion->method->recorded->finish(w->motion, &r->step, &r->decision,
                                             w->settings->first_guess == FIRST_GUESS_EXTRAPOLATED,
                                             !w->motion->body.any_held, stream, error);
}

static bool record(Newton *w, double dt, Error *error) {
  StepGraph *g = w->graph;
  const SimulationSettings *s = w->settings;
  const bool euler = simulation_integrator(s) == INTEGRATOR_EULER;
  Recording r = { .newton = w,
                  .step = euler ? euler_step(dt, s->damping) : midpoint_step(dt, s->damping),
                  .guess = s->first_guess,
                  .decision = { .bounds = newton_bounds(s), .progress = g->progress, .told = g->told } };
  GraphChain *chain = &g->graph.chain, loop;
  StepDecision *d = &r.decision;
  const Stream stream = w->stream;
  r.first = r.step;
  d->guessed = r.guess != FIRST_GUESS_STATE;
  if (!d->guessed && w->motion->forces.floor.present) r.first.lookahead = r.first.duration;
  graph_destroy(&g->graph);
  // the first solve stands before the loop: entering that takes as long as several kernels
  if (!graph_create(&g->graph, error) || !graph_condition(chain, &d->loop, error) ||
      !graph_record(chain, stream, queue_begin, &r, error))
    return false;
  d->after_first = true;
  if (!record_solve(&r, chain, stream, error) || !graph_loop(chain, d->loop, &loop, error) ||
      !graph_record(&loop, stream, queue_tangent, &r, error))
    return false;
  d->after_first = false;
  return record_solve(&r, &loop, stream, error) && graph_record(chain, stream, queue_end, &r, error) &&
         graph_finish(&g->graph, stream, error);
}

// Makes the graph ready for this step; *ready false: it is not worth it.
static bool prepare(Newton *w, double dt, bool *ready, Error *error) {
  StepGraph *g = w->graph;
  double key[KEYS] = { 0 };
  make_key(w, dt, key);
  const bool known = g->graph.executable, again = memcmp(key, g->last_key, sizeof key) == 0;
  memcpy(g->last_key, key, sizeof key);
  *ready = known && memcmp(key, g->key, sizeof key) == 0;
  if (*ready || (known && !again)) return true;
  memcpy(g->key, key, sizeof key);
  return *ready = record(w, dt, error);
}

void REAL_NAME(step_graph_destroy)(Newton *w) {
  if (!w->graph) return;
  graph_destroy(&w->graph->graph);
  device_free(DEVICE_CUDA, w->graph->progress);
  device_free_pinned(DEVICE_CUDA, w->graph->told);
  free(w->graph);
  w->graph = NULL;
}

static bool create(Newton *w, Error *error) {
  if (w->graph) return true;
  w->graph = array_new(1, sizeof *w->graph, "recorded step", error);
  if (w->graph && (w->graph->progress = device_alloc(DEVICE_CUDA, sizeof *w->graph->progress, error)) &&
      (w->graph->told = device_alloc_pinned(DEVICE_CUDA, sizeof *w->graph->told, error)))
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
  // a tangent to begin with, and one after every full step but the last; a vector for each of these
  w->assemblies += n->iterations > 0 ? n->iterations : 1;
  w->vectors += n->iterations;
  *w->motion->iterate.sums_host = n->sums;
  *w->solver->report = n->solver;
}

// Queues the step where it serves; what cannot be had is told once, and then the host has all steps.
static bool launch(Newton *w, double dt) {
  Error why = { 0 };
  bool ready;
  if (!create(w, &why)) return false;
  StepGraph *g = w->graph;
  if (g->rest > 0) return g->rest--, false;
  if (prepare(w, dt, &ready, &why)) {
    if (!ready) return false;
    *w->solver->stop = 0;
    g->told->next = NEWTON_RUNNING;
    if (graph_launch(&g->graph, w->stream, &why)) return true;
  }
  log_notice("steps go by the host, with a wait for every look at a state: %s", why.message);
  g->absent = true;
  return false;
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
  if (!solver_watch(w->solver, &n->next, NEWTON_RUNNING, w->stream, error)) return false;
  if (n->next == NEWTON_RUNNING) return stream_sync(w->stream, error) && error_set(error, "a step did not end");
  if (!solver_heard(w->solver, n->solver.end, error) || !interrupt_check(error)) return false;
  if (n->next == NEWTON_REFUSED) {
    rest(w->graph);
    return true;
  }
  w->graph->rest_next = 1;
  report_progress(w, n, report);
  *done = n->finished;
  if (!*done) {
    w->left = n;
    return true;
  }
  report->without_host = true;
  report->rounded = n->rounded;
  report->guessed = w->settings->first_guess != FIRST_GUESS_STATE;
  w->has_before = w->settings->first_guess == FIRST_GUESS_EXTRAPOLATED;
  return true;
}
