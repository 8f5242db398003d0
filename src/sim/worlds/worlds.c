// Takes steps of many bodies by kernels that process all of them (worlds.h). The host prepares the arguments of the
// kernels for all bodies, copies them to the GPU in two parts, and waits once for each Newton iteration. Symbols: u1 is
// Newton's present iterate, du its direction, and `trial` the candidate for the next iterate.
#include "sim/worlds/worlds.h"

#include <string.h>

#include "base/parallel.h"
#include "sim/newton/step_recording.h"
#include "sim/worlds/world_kernels.h"

// Kinds of arguments of the kernels. Worlds.host and Worlds.device have one array for each kind, with one element for
// each body. The first assembly needs only the kinds before LATE. While the GPU runs this assembly, the host prepares
// the kinds from LATE on.
typedef enum Kind {
  LOOP_FIRST,  // loops over nodes or unknowns: start of the step, and forces at Newton's first trial state
  ASSEMBLY,    // forces and tangent of the cells
  PROGRESS,    // NewtonProgress, which the GPU updates
  LATE,
  LOOP_LATER = LATE,  // loops of a later trial state, after a linear solve
  LOOP_SHIFT,         // diagonal blocks of the tangent at an accepted trial
  LOOP_END,           // end of the step
  LOOP_ORIGIN,        // the origin of displacements follows the body
  RESIDUAL_FIRST,     // residual of the first trial
  RESIDUAL_LATER,     // residual of a later trial
  DECISION_FIRST,     // decision after the first trial
  DECISION_LATER,     // decision after a later trial
  CHECK_J,            // smallest det F of the trial
  STRAIN_START,       // strain energy at the start of the step
  STRAIN_END,         // strain energy at the end of the step
  SHIFT_FIRST,        // addition of the diagonal blocks to the matrix at the first trial
  SHIFT_LATER,        // addition of the diagonal blocks to the matrix at a later trial
  SYSTEM,             // the linear system
  TURN,               // rotation of velocities at the start of the step (turn_back.h)
  MOMENTA,            // correction of the momenta at the end of the step (spin.h)
  ENERGY,             // correction of the energy at the end of the step (energy_keep.h)
  RESULT,             // WorldResult, which the GPU writes
  KINDS
} Kind;

typedef struct Batch {
  Worlds *worlds;
  Newton *const *list;  // [count], the bodies
  int count;
  size_t bytes[KINDS], offset[KINDS];  // bytes of one element of each array; offset of each array in the memory
} Batch;

// on_host and on_device return the addresses of an argument of body k in the memory of the host and of the GPU.
static void *on_host(const Batch *b, Kind kind, int k) {
  return b->worlds->host + b->offset[kind] + b->bytes[kind] * (size_t)k;
}

static void *on_device(const Batch *b, Kind kind, int k) {
  return b->worlds->device + b->offset[kind] + b->bytes[kind] * (size_t)k;
}

// Returns true if Iterate.shift changes within a step. Iterate.shift is the contribution of inertia and contact to the
// diagonal blocks of the tangent, which is added to the stiffness of the cells.
static bool shift_changes(const Newton *w) {
  return has_contact(&w->motion->forces);
}

static bool is_robust(const Newton *w) {
  return w->settings->newton == NEWTON_ROBUST;
}

// Computes the position of each array of arguments in Worlds.host and Worlds.device, and enlarges both if necessary.
static bool plan(Batch *b, Error *error) {
  Worlds *worlds = b->worlds;
  const size_t loop = sizeof(Loop), decision = sizeof(StepDecision), cells = sizeof(ElementLoop);
  const size_t residual = REAL_NAME(residual_work_bytes)(), shift = REAL_NAME(shift_work_bytes)();
  const size_t bytes[KINDS] = { [LOOP_FIRST] = loop,
                                [LOOP_LATER] = loop,
                                [LOOP_SHIFT] = loop,
                                [LOOP_END] = loop,
                                [LOOP_ORIGIN] = loop,
                                [RESIDUAL_FIRST] = residual,
                                [RESIDUAL_LATER] = residual,
                                [DECISION_FIRST] = decision,
                                [DECISION_LATER] = decision,
                                [CHECK_J] = cells,
                                [STRAIN_START] = cells,
                                [STRAIN_END] = cells,
                                [SHIFT_FIRST] = shift,
                                [SHIFT_LATER] = shift,
                                [TURN] = sizeof(TurnBack),
                                [MOMENTA] = sizeof(SpinWork),
                                [ENERGY] = sizeof(EnergyWork),
                                [SYSTEM] = REAL_NAME(block_system_bytes)(),
                                [RESULT] = sizeof(WorldResult),
                                [ASSEMBLY] = b->list[0]->assembly->method->many->bytes,
                                [PROGRESS] = sizeof(NewtonProgress) };
  size_t all = 0;
  for (int kind = 0; kind < KINDS; kind++) {
    b->bytes[kind] = bytes[kind];
    b->offset[kind] = all;
    all += (bytes[kind] * (size_t)b->count + 255) / 256 * 256;
  }

  if (all <= worlds->capacity && b->count <= worlds->bodies) return true;

  const size_t bodies = (size_t)b->count;
  worlds_destroy(worlds);
  if (!(worlds->host = device_alloc_pinned(DEVICE_CUDA, all, error)) ||
      !(worlds->device = device_alloc(DEVICE_CUDA, all, error)) ||
      !(worlds->progress = device_alloc_pinned(DEVICE_CUDA, sizeof(NewtonProgress) * bodies, error)) ||
      !(worlds->result = device_alloc_pinned(DEVICE_CUDA, sizeof(WorldResult) * bodies, error)) ||
      !stream_create(DEVICE_CUDA, &worlds->stream, error) || !event_create(DEVICE_CUDA, &worlds->copied, error)) {
    worlds_destroy(worlds);
    return error_prefix(error, "steps of %d bodies", b->count);
  }

  worlds->capacity = all;
  worlds->bodies = b->count;
  return true;
}

// Returns the coefficients of the time step at Newton's first trial state.
static TimeStep first_trial(const Newton *w) {
  TimeStep step = newton_whole_step(w, w->settings->dt);
  if (uses_lookahead(w->motion)) step.lookahead = step.duration;
  return step;
}

// Writes the arguments, for body k, of the kernels that loop over nodes and unknowns after Newton's first trial state.
static void prepare_loops(const Batch *b, int k, const TimeStep *step) {
  const Newton *w = b->list[k];
  const Motion *m = w->motion;
  const NewtonProgress *progress = on_device(b, PROGRESS, k);
  const WorldResult *result = on_device(b, RESULT, k);
  Loop *loop = on_host(b, LOOP_LATER, k);
  *loop = loop_at_end(m, step, m->iterate.trial, false);
  loop->gate = &progress->solves;

  loop = on_host(b, LOOP_SHIFT, k);
  *loop = loop_over(m, step);
  loop->motion.iterate.u1 = m->iterate.trial;
  loop->gate = &progress->solves;

  loop = on_host(b, LOOP_END, k);
  *loop = loop_at_end(m, step, m->iterate.trial, true);
  loop->gate = &progress->finished;

  loop = on_host(b, LOOP_ORIGIN, k);
  *loop = loop_over(m, NULL);
  loop->gate = &result->complete;
}

// Writes the arguments, for body k, of the kernels that compute the residual and decide about Newton's next action.
static void prepare_decisions(const Batch *b, int k, const TimeStep *step, const SolverReport *report) {
  const Newton *w = b->list[k];
  const TimeStep first = first_trial(w);
  const int count = w->assembly->min_J_count;
  NewtonProgress *progress = on_device(b, PROGRESS, k);
  REAL_NAME(residual_work_of)
  (w->motion, &first, w->min_J.to, count, is_robust(w), NULL, on_host(b, RESIDUAL_FIRST, k));
  REAL_NAME(residual_work_of)
  (w->motion, step, w->min_J.to, count, is_robust(w), &progress->solves, on_host(b, RESIDUAL_LATER, k));

  StepDecision *decision = on_host(b, DECISION_FIRST, k);
  *decision = (StepDecision){ .bounds = newton_bounds(w), .progress = progress, .on_host = &b->worlds->progress[k] };
  StepDecision *later = on_host(b, DECISION_LATER, k);
  *later = *decision;
  later->solver = report;
}

// Writes the arguments, for body k, of the kernels that correct the momenta at the end of the step.
static void prepare_momenta(const Batch *b, int k, const TimeStep *step) {
  const Newton *w = b->list[k];
  const Motion *m = w->motion;
  const Iterate *it = &m->iterate;
  const NewtonProgress *progress = on_device(b, PROGRESS, k);
  const TurnBack turn = turn_back_of(m, step);
  memcpy(on_host(b, TURN, k), &turn, sizeof turn);
  const SpinWork work = { spin_step(m, step, w->settings->dt, it->u_backup, it->p_backup), &progress->finished };
  memcpy(on_host(b, MOMENTA, k), &work, sizeof work);
}

// Writes the arguments, for body k, of the kernels that correct the energy at the end of the step.
static void prepare_energy(const Batch *b, int k, const TimeStep *step) {
  const Newton *w = b->list[k];
  const Motion *m = w->motion;
  const Iterate *it = &m->iterate;
  const NewtonProgress *progress = on_device(b, PROGRESS, k);
  const EnergyWork work = { energy_step(m, step, it->u_backup, it->p_backup, 0), &progress->finished,
                            on_device(b, RESULT, k) };
  memcpy(on_host(b, ENERGY, k), &work, sizeof work);
  ElementLoop *strain = on_host(b, STRAIN_START, k);
  *strain = (ElementLoop){
    .cells = m->cells, .nodal = it->u_backup, .result = m->pieces->cell_energy, .wanted = &progress->finished
  };
  m->element->set_material(strain, w->settings->material);
  ElementLoop *end = on_host(b, STRAIN_END, k);
  *end = *strain;
  end->nodal = m->body.u;
}

// Writes the arguments of body k that the first assembly needs.
static void prepare_first(const Batch *b, int k) {
  const Newton *w = b->list[k];
  const TimeStep step = newton_whole_step(w, w->settings->dt), first = first_trial(w);
  NewtonProgress *progress = on_device(b, PROGRESS, k);
  *(NewtonProgress *)on_host(b, PROGRESS, k) = (NewtonProgress){ .solves = 1 };
  b->worlds->progress[k].next = NEXT_PENDING;

  Loop *loop = on_host(b, LOOP_FIRST, k);
  *loop = loop_at_end(w->motion, &first, w->motion->iterate.trial, false);
  loop->guess = FIRST_GUESS_STATE;

  const AssemblyParameters parameters = step_parameters(w, &step);
  w->assembly->method->many->prepare(w->assembly, &parameters, w->nodal.to, w->internal.from, w->A->values,
                                     &progress->solves, on_host(b, ASSEMBLY, k));
}

// Writes the other arguments of body k, the kinds from LATE on.
static void prepare_later(const Batch *b, int k) {
  Newton *w = b->list[k];
  const Motion *m = w->motion;
  const TimeStep step = newton_whole_step(w, w->settings->dt);
  NewtonProgress *progress = on_device(b, PROGRESS, k);
  const SolverInputs inputs = { &progress->cg_relative, &progress->residual, &progress->solves };
  const SolverReport *report;

  *(WorldResult *)on_host(b, RESULT, k) = (WorldResult){ 0 };
  REAL_NAME(block_system_of)(w->whole, &inputs, on_host(b, SYSTEM, k), &report);
  prepare_loops(b, k, &step);
  prepare_decisions(b, k, &step, report);
  if (newton_corrects(w)) prepare_momenta(b, k, &step);
  if (newton_keeps_energy(w)) prepare_energy(b, k, &step);

  const int crosses = contact_crosses(&m->forces);
  REAL_NAME(shift_work_of)(w->A, w->shift.to, crosses, w->diagonal.from, NULL, on_host(b, SHIFT_FIRST, k));
  REAL_NAME(shift_work_of)(w->A, w->shift.to, crosses, NULL, &progress->solves, on_host(b, SHIFT_LATER, k));
  *(ElementLoop *)on_host(b, CHECK_J, k) = (ElementLoop){
    .cells = m->cells, .nodal = m->iterate.trial, .result = REAL_NAME(world_smallest_J)(m), .wanted = &progress->solves
  };
}

static void prepare_some_first(const void *batch, int first, int last) {
  for (int k = first; k < last; k++) prepare_first(batch, k);
}

static void prepare_some_later(const void *batch, int first, int last) {
  for (int k = first; k < last; k++) prepare_later(batch, k);
}

static bool queue_loop(const Batch *b, WorldLoop loop, Kind arguments, int count, Error *error) {
  return REAL_NAME(worlds_each)(loop, on_device(b, arguments, 0), count, b->count, b->list[0]->stream, error);
}

static bool queue_assembly(const Batch *b, bool with_matrix, Error *error) {
  const Newton *w = b->list[0];
  return w->assembly->method->many->assemble(w->assembly, on_device(b, ASSEMBLY, 0), b->count, with_matrix, w->stream,
                                             error);
}

// Queues the assembly of the tangents at the trial states, for all bodies in which Newton's method continues, and of
// the diagonal blocks that queue_shift adds to the tangents. `loop`: kind of the arguments.
static bool queue_tangent(const Batch *b, Kind loop, Error *error) {
  const Motion *m = b->list[0]->motion;
  const int nodes = m->body.node_count;
  return (!shift_changes(b->list[0]) || queue_loop(b, WORLD_SHIFT, loop, nodes, error)) &&
         (!has_separate_tangent(&m->forces) || queue_loop(b, WORLD_SHIFT_SEPARATE_FORCES, loop, nodes, error)) &&
         queue_assembly(b, true, error);
}

static bool queue_shift(const Batch *b, Kind shift, Error *error) {
  const Newton *w = b->list[0];
  return REAL_NAME(worlds_shift)(on_device(b, shift, 0), w->motion->body.node_count, b->count, w->stream, error);
}

// Queues the evaluation of the trial states and the decisions of Newton's method. The forces of the cells at the trial
// states must have been computed or queued before.
static bool queue_decision(const Batch *b, Kind loop, Kind residual, Kind decision, Error *error) {
  const Newton *w = b->list[0];
  const Motion *m = w->motion;
  const int nodes = m->body.node_count;
  return (!has_separate_loop(&m->forces) || queue_loop(b, WORLD_SEPARATE_FORCES, loop, nodes, error)) &&
         (!is_robust(w) ||
          m->element->smallest_J_many(on_device(b, CHECK_J, 0), b->count, m->cells.count, w->stream, error)) &&
         REAL_NAME(worlds_residual)(on_device(b, residual, 0), on_device(b, decision, 0), nodes, b->count, w->stream,
                                    error);
}

static bool queue_iteration(const Batch *b, Error *error) {
  const Newton *w = b->list[0];
  if (!REAL_NAME(block_solve_many)(w->whole, on_device(b, SYSTEM, 0), b->count, w->stream, error)) return false;
  if (!queue_loop(b, WORLD_ADVANCE, LOOP_LATER, w->motion->body.n, error)) return false;
  if (!queue_assembly(b, false, error)) return false;
  if (!queue_decision(b, LOOP_LATER, RESIDUAL_LATER, DECISION_LATER, error)) return false;
  if (!queue_tangent(b, LOOP_SHIFT, error)) return false;
  return queue_shift(b, SHIFT_LATER, error);
}

static WorldPieces most_pieces(const Batch *b) {
  WorldPieces most = { 0 };
  for (int k = 0; k < b->count; k++) {
    const SpinPieces *p = b->list[k]->motion->pieces;
    if (p->count > most.pieces) most.pieces = p->count;
    if (p->chunk_count > most.chunks) most.chunks = p->chunk_count;
  }
  return most;
}

// Queues the rotation of velocities at the start of the steps, if the bodies need it (turn_back.h).
static bool queue_turn(const Batch *b, Error *error) {
  const Newton *w = b->list[0];
  return !newton_whole_step(w, w->settings->dt).turns_back ||
         REAL_NAME(worlds_turn_back)(on_device(b, TURN, 0), most_pieces(b), b->count, w->stream, error);
}

static bool queue_correction(const Batch *b, Error *error) {
  const Newton *w = b->list[0];
  const Motion *m = w->motion;
  const void *works = on_device(b, ENERGY, 0);
  const int bodies = b->count, cells = m->cells.count, parts = m->element->parts(cells);
  const WorldPieces most = most_pieces(b);
  if (newton_corrects(w) && !REAL_NAME(worlds_keep_spin)(on_device(b, MOMENTA, 0), most, bodies, w->stream, error))
    return false;
  if (!newton_keeps_energy(w)) return true;
  if (!m->element->energy_many(on_device(b, STRAIN_START, 0), bodies, cells, w->stream, error)) return false;
  if (!REAL_NAME(worlds_add_strain)(works, parts, 0, bodies, w->stream, error)) return false;
  if (!m->element->energy_many(on_device(b, STRAIN_END, 0), bodies, cells, w->stream, error)) return false;
  if (!REAL_NAME(worlds_add_strain)(works, parts, 1, bodies, w->stream, error)) return false;
  return REAL_NAME(worlds_keep_energy)(works, most, bodies, w->stream, error);
}

// Queues the kernels that complete the steps in which Newton's method has converged.
static bool queue_end(const Batch *b, Error *error) {
  const Newton *w = b->list[0];
  const Motion *m = w->motion;
  const int nodes = m->body.node_count;
  if (has_separate_loop(&m->forces) && !queue_loop(b, WORLD_SEPARATE_FORCES, LOOP_END, nodes, error)) return false;
  if (!queue_loop(b, WORLD_FINISH, LOOP_END, nodes, error)) return false;
  if (!queue_correction(b, error)) return false;
  if (!REAL_NAME(worlds_complete)(on_device(b, DECISION_LATER, 0), on_device(b, RESULT, 0), b->count, w->stream, error))
    return false;
  if (newton_moves_origin(m) && !(queue_loop(b, WORLD_ORIGIN, LOOP_ORIGIN, 3, error) &&
                                  queue_loop(b, WORLD_FOLLOW_ORIGIN, LOOP_ORIGIN, m->body.n, error)))
    return false;
  if (!device_download(w->stream, b->worlds->result, on_device(b, RESULT, 0), sizeof(WorldResult) * (size_t)b->count,
                       error))
    return false;
  return stream_sync(w->stream, error);
}

// Waits for the decisions of Newton's method. *any is true if it continues for at least one body.
static bool wait(const Batch *b, bool *any, Error *error) {
  const volatile NewtonProgress *progress = b->worlds->progress;
  *any = false;
  if (!stream_sync(b->list[0]->stream, error)) return false;
  for (int k = 0; k < b->count; k++) *any = *any || progress[k].next == NEXT_PENDING;
  return true;
}

// Prepares the arguments of the kinds from LATE on, and copies them to the GPU while the first assembly runs. The
// stream of the kernels then waits for the copy.
static bool prepare_late_kinds(const Batch *b, Error *error) {
  Worlds *worlds = b->worlds;
  const size_t early = b->offset[LATE], all = b->offset[RESULT] + b->bytes[RESULT] * (size_t)b->count;
  parallel_for(b->count, 1, prepare_some_later, b);
  return device_upload(worlds->stream, worlds->device + early, worlds->host + early, all - early, error) &&
         event_record(&worlds->copied, worlds->stream, error) && event_wait(b->list[0]->stream, &worlds->copied, error);
}

static bool run(const Batch *b, Error *error) {
  const Newton *w = b->list[0];
  bool any = true;
  parallel_for(b->count, 1, prepare_some_first, b);
  if (!device_upload(w->stream, b->worlds->device, b->worlds->host, b->offset[LATE], error)) return false;
  if (!queue_loop(b, WORLD_BEGIN, LOOP_FIRST, w->motion->body.n, error)) return false;
  if (!queue_tangent(b, LOOP_FIRST, error)) return false;
  if (!prepare_late_kinds(b, error)) return false;
  if (!queue_turn(b, error)) return false;
  if (!queue_shift(b, SHIFT_FIRST, error)) return false;
  if (!queue_decision(b, LOOP_FIRST, RESIDUAL_FIRST, DECISION_FIRST, error)) return false;
  while (wait(b, &any, error) && any)
    if (!queue_iteration(b, error)) return false;
  return !any && queue_end(b, error);
}

static bool take(Worlds *worlds, Newton *const *list, int count, Error *error) {
  Batch b = { .worlds = worlds, .list = list, .count = count };
  if (!plan(&b, error)) return false;
  for (int k = 0; k < count; k++) {
    Newton *w = list[k];
    w->solver = w->whole;
    w->solver->with_term = false;
    *w->solver->stop = 0;
    if (!REAL_NAME(spin_find_pieces)(w->motion, w->space, w->stream, error)) return false;
  }
  if (!run(&b, error)) return false;
  for (int k = 0; k < count; k++) {
    list[k]->taken = &worlds->progress[k];
    list[k]->energy_error = worlds->result[k].energy_error;
  }
  return true;
}

// Returns true if a step of this body can be taken together with steps of other bodies.
static bool is_usable(const Newton *w) {
  const Forces *f = &w->motion->forces;
  if (!can_record(w) || !REAL_NAME(solver_is_block)(w->whole) || w->alone) return false;
  if (!w->assembly->method->many || w->assembly->chunk_count > 0 || w->A->term.apply || w->A->load_term.apply)
    return false;
  if (f->self || pressure_acts(f) || w->motion->body.rows.value || w->motion->halo) return false;
  if (newton_first_guess(w->settings) != FIRST_GUESS_STATE) return false;
  return newton_integrates_on_gpu(w);
}

static bool fit(const Newton *first, const Newton *other) {
  const Motion *a = first->motion, *b = other->motion;
  const NewtonSettings *s = first->settings, *t = other->settings;
  if (!is_usable(other)) return false;
  if (first == other) return true;
  if (first->assembly->method != other->assembly->method || a->element != b->element) return false;
  if (a->body.node_count != b->body.node_count || a->cells.count != b->cells.count) return false;
  if (first->A->value_count != other->A->value_count || a->body.any_held != b->body.any_held) return false;
  if (s->integrator != t->integrator || s->newton != t->newton) return false;
  if (newton_corrects(first) != newton_corrects(other)) return false;
  if (newton_keeps_energy(first) != newton_keeps_energy(other)) return false;
  if (has_contact(&a->forces) != has_contact(&b->forces)) return false;
  return has_separate_loop(&a->forces) == has_separate_loop(&b->forces) &&
         contact_crosses(&a->forces) == contact_crosses(&b->forces);
}

const WorldsFunctions REAL_NAME(worlds) = { .fit = fit, .take = take };
