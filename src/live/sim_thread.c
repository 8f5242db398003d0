// The simulation thread: see sim_thread.h.
#include "live/sim_thread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/timer.h"
#include "live/carrier.h"
#include "record/vtu_series.h"
#include "record/write_state.h"
#include "scene/energy_budget.h"

static const double RATE_SPAN = 0.5;    // s, over which rates are averaged
static const double SAMPLE_TIME = 0.1;  // s, between samples for plots
static const double NAP = 0.001;        // s, the longest time without a look into the mailbox
static const double REST = 0.01;        // s, likewise while the body rests
static const double DEAF_TIME = 0.05;   // s, after which a step is left for a command: a shorter one is finished first

// Sums since the span began.
typedef struct Tally {
  double begin;      // s of the clock
  double simulated;  // s
  int steps, newton, cg, halved, damped, unfinished;
} Tally;

// What only the thread knows.
typedef struct Loop {
  SimThread *sim;
  SimNote note;  // as last published
  Tally tally;
  double due;  // s of the clock: not before this the next step
  bool eager;  // the mouse has moved: the next step may come early, so that the answer does
  bool quit;
  bool changed;    // something to publish without a step
  double sampled;  // s of the clock, when the last sample was taken
  Energy first;    // at the first sample since the start or the last change: momenta drift from there
  bool has_first;
  EnergyBudget budget;  // from sample to sample
  Carrier carrier;
  int recording_version;  // that is known here
  double fps;             // of the recording
  double recorded_from;   // s, live.elapsed when the recording began
  int frame;              // of the recording, the next
  VtuSeries vtu;
} Loop;

static bool publish(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  Simulation *simulation = live->session.simulation;
  const Stream stream = carrier_stream(&loop->carrier, live);
  SimNote *n = &loop->note;
  void *memory, *note;
  n->step = simulation_step_count(simulation);
  n->time = simulation_time(simulation);
  n->paused = live->paused;
  n->settings = *simulation_settings(simulation);
  n->speed = live->speed;
  n->field = live->style.field;
  n->kept = live->kept_count;
  n->heard = live->heard;
  n->mouse_holds = live->mouse.id != 0;
  n->mouse_stiffness = simulation_mouse_stiffness(simulation);
  n->view_version = live->view_version, n->camera = live->camera, n->style = live->style;
  if (n->pin_version != live->pin_version) {
    pthread_mutex_lock(&sim->lock);
    memcpy(sim->pinned, live->session.pinned, (size_t)live->session.mesh.node_count);
    pthread_mutex_unlock(&sim->lock);
  }
  n->pin_version = live->pin_version;
  live_springs(live, n->springs, &n->spring_count);
  if (!triple_buffer_write_begin(&sim->positions, stream, &memory, &note, error) ||
      !carrier_write(&loop->carrier, live, memory, error))
    return false;
  memcpy(note, n, sizeof *n);
  loop->changed = false;
  return triple_buffer_write_end(&sim->positions, stream, error);
}

// whether what the thread is at shall end early
static bool wish(void *context) {
  SimThread *sim = context;
  if (atomic_load_explicit(&sim->ending, memory_order_acquire)) return true;
  const double since = atomic_load_explicit(&sim->step_since, memory_order_relaxed);
  return since > 0 && timer_seconds() - since > DEAF_TIME && mailbox_urgent(&sim->commands);
}

static void forget_rates(Loop *loop) {
  loop->tally = (Tally){ .begin = timer_seconds() };
}

static void count_step(Loop *loop, const StepReport *report) {
  Tally *t = &loop->tally;
  SimNote *note = &loop->note;
  note->report = *report;
  t->steps++;
  t->newton += report->newton_iterations;
  t->cg += report->cg_iterations;
  t->halved += report->substeps > 1;
  t->damped += report->damped > 0;
  t->unfinished += !report->converged;
  t->simulated += simulation_settings(loop->sim->live.session.simulation)->dt;
  // trouble shows at once, and for as long as the span after it lasts
  if (t->halved > note->halved) note->halved = t->halved;
  if (t->damped > note->damped) note->damped = t->damped;
  if (t->unfinished > note->unfinished) note->unfinished = t->unfinished;
  const double span = timer_seconds() - t->begin;
  if (span < RATE_SPAN) return;
  note->steps_per_s = t->steps / span;
  note->newton_per_step = (double)t->newton / t->steps;
  note->cg_per_step = (double)t->cg / t->steps;
  note->real_time = t->simulated / span;
  note->halved = t->halved;
  note->damped = t->damped;
  note->unfinished = t->unfinished;
  forget_rates(loop);
}

// what of a command concerns the thread alone
static void take_notice(Loop *loop, const Command *command) {
  SimNote *note = &loop->note;
  Live *live = &loop->sim->live;
  memcpy(note->refused, live->refused, sizeof note->refused);
  if (command->kind == COMMAND_QUIT) loop->quit = true;
  if (command->kind == COMMAND_DRAG) {
    loop->eager = true;
    return;
  }
  loop->changed = true;
  if (command->kind == COMMAND_VIEW) return;
  forget_rates(loop);
  loop->has_first = false;
  loop->budget = (EnergyBudget){ 0 };
  note->energy[0] = '\0';
  if (command->kind != COMMAND_RESET) return;
  if (note->trouble[0]) live->paused = false;
  note->trouble[0] = '\0';
  note->step_seconds = 0;
  note->report = (StepReport){ .substeps = 1, .converged = true };
  note->halved = note->damped = note->unfinished = 0;
}

static double length_of(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// whether the next step is one that is looked at closely: energies and stage times wait for the device
static bool sample_due(const Loop *loop) {
  return timer_seconds() - loop->sampled >= SAMPLE_TIME;
}

static bool take_sample(Loop *loop, const StepReport *report, const Profile *profile, Error *error) {
  Live *live = &loop->sim->live;
  SimNote *note = &loop->note;
  Energy e;
  double force[3] = { 0 };
  static const double nothing[3] = { 0 };
  loop->sampled = timer_seconds();
  if (!energy_budget_look(&loop->budget, live->session.simulation, &e, error) ||
      (live->mouse.id && !simulation_grab_force(live->session.simulation, live->mouse.id, force, error)))
    return false;
  energy_budget_text(&loop->budget, note->energy, sizeof note->energy);
  note->mouse_force = length_of(force, nothing);
  if (!loop->has_first) loop->first = e;
  loop->has_first = true;
  note->sample[note->sample_count++ % SIM_SAMPLES] = (SimSample){
    .kinetic = (float)e.kinetic,
    .elastic = (float)e.elastic,
    .potential = (float)e.potential,
    .linear = (float)length_of(e.linear, loop->first.linear),
    .angular = (float)length_of(e.angular, loop->first.angular),
    .newton = (float)report->newton_iterations,
    .cg = (float)report->cg_iterations,
    .assembly = (float)profile->assembly_ms,
    .vector = (float)profile->vector_ms,
    .solver = (float)profile->cg_ms,
    .transfer = (float)profile->transfer_ms,
    .rest = (float)profile->rest_ms,
    .real_time = (float)note->real_time,
  };
  return true;
}

// a step that cannot be taken is no reason to end: the state is that before it, and the user may reset
static bool step(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  StepReport report;
  Profile profile = { 0 };
  Error cause = { 0 };
  const bool closely = sample_due(loop);
  const double begin = timer_seconds();
  if (closely && !simulation_profile_start(live->session.simulation, error)) return false;
  atomic_store(&sim->step_since, begin);
  const bool taken = live_step(live, &report, &cause);
  atomic_store(&sim->step_since, 0);
  if (closely && !simulation_profile_stop(live->session.simulation, false, &profile, error)) return false;
  if (report.cause == NEWTON_STOPPED && !taken) return true;
  loop->note.step_seconds = timer_seconds() - begin;
  if (taken) {
    count_step(loop, &report);
    if (closely && !take_sample(loop, &report, &profile, error)) return false;
  } else {
    // a device that has failed fails here as well, and ends the thread
    if (!stream_sync(simulation_stream(live->session.simulation), error)) return false;
    live->paused = true;
    snprintf(loop->note.trouble, sizeof loop->note.trouble, "%.255s", cause.message);
  }
  return true;
}

static bool obey_all(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  Command command;
  // of a replay the user may pause, go on, step and quit; all else is the log's
  while (mailbox_take(&sim->commands, &command)) {
    const bool of_time = command.kind == COMMAND_PAUSE || command.kind == COMMAND_STEP || command.kind == COMMAND_QUIT;
    if (sim->replay.file && !of_time) continue;
    if (!live_obey(live, &command, error)) return false;
    take_notice(loop, &command);
  }
  while (sim->replay.file && (!live->paused || live->single_step) && live_logged(live, &sim->replay, &command, error)) {
    if (!live_obey(live, &command, error)) return input_reader_prefix(&sim->replay, error);
    take_notice(loop, &command);
  }
  if (error->message[0]) return false;
  if (sim->replay.file && input_reader_over(&sim->replay, live->taken) && !loop->note.replay_ended)
    loop->note.replay_ended = live->paused = loop->changed = true;
  return true;
}

// ---- recording

// a recording that has begun, or ended, since last time
static void follow_recording(Loop *loop) {
  SimThread *sim = loop->sim;
  const int version = atomic_load_explicit(&sim->recording_version, memory_order_acquire);
  if (version == loop->recording_version) return;
  loop->recording_version = version;
  vtu_series_destroy(&loop->vtu);
  loop->note.frame = -1;
  loop->note.recording_trouble[0] = '\0';
  loop->frame = 0;
  loop->recorded_from = sim->live.elapsed;
  pthread_mutex_lock(&sim->lock);
  memcpy(loop->vtu.folder, sim->recording.vtu, sizeof loop->vtu.folder);
  loop->fps = sim->recording.fps;
  pthread_mutex_unlock(&sim->lock);
}

// publishes the frames that are due, and waits for each to be taken
static bool record_frames(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  const double dt = simulation_settings(live->session.simulation)->dt;
  while (loop->recording_version % 2 == 1 &&
         live->elapsed - loop->recorded_from >= loop->frame / loop->fps - 1e-6 * dt) {
    const double time = loop->frame / loop->fps;
    Error why = { 0 };
    const bool good = !loop->vtu.folder[0] || vtu_series_add(&loop->vtu, &live->session, loop->frame, time, &why);
    loop->note.recording = loop->recording_version, loop->note.frame = good ? loop->frame : -1;
    // a full disk ends the recording, which the other side does, not the simulation
    snprintf(loop->note.recording_trouble, sizeof loop->note.recording_trouble, "%.250s", why.message);
    if (!publish(loop, error)) return false;
    while (atomic_load_explicit(&sim->frames_taken, memory_order_acquire) <= loop->frame) {
      if (atomic_load_explicit(&sim->recording_version, memory_order_acquire) != loop->recording_version) break;
      timer_sleep(NAP / 10);
    }
    loop->frame++;
    follow_recording(loop);
  }
  loop->note.frame = -1;
  return true;
}

// ---- the loop

static bool run(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  forget_rates(loop);
  loop->note.frame = -1;
  if (!publish(loop, error)) return false;
  progress_tell("drawing it", 0.97);
  atomic_store_explicit(&sim->ready, true, memory_order_release);
  while (!loop->quit) {
    if (!obey_all(loop, error)) return false;
    follow_recording(loop);
    if (loop->changed && !publish(loop, error)) return false;
    const double now = timer_seconds(), dt = simulation_settings(live->session.simulation)->dt;
    const bool recording = loop->recording_version % 2 == 1;
    const double step_time = live->speed > 0 && !recording ? dt / live->speed : 0;
    // less than a step early: in the long run there are no more of them
    const double early = loop->due - (loop->eager ? 0.9 * step_time : 0);
    const bool unseen = atomic_load(&sim->unseen) && !recording && !sim->replay.file;
    if ((live->paused || unseen) && !live->single_step) {
      timer_sleep(REST);
    } else if (now < early && !live->single_step) {
      timer_sleep(fmin(early - now, NAP));
    } else {
      if (recording && !record_frames(loop, error)) return false;
      loop->eager = false;
      loop->due = fmax(loop->due, now - step_time) + step_time;  // time lost is not made up for
      if (!step(loop, error) || !publish(loop, error)) return false;
    }
  }
  return true;
}

// all that takes long before the first step
static bool build(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  if (!live_create_logged(live, &sim->scene, &sim->replay, error)) return false;
  if (sim->log[0] && !live_log(live, sim->log, error)) return false;
  sim->display = simulation_stream(live->session.simulation).device;
  sim->pinned = array_new(live->session.mesh.node_count, 1, "pins", error);
  const size_t bytes = surface_renderer_bytes(live->session.mesh.node_count);
  return sim->pinned && triple_buffer_create(&sim->positions, sim->display, bytes, sizeof(SimNote), error) &&
         carrier_create(&loop->carrier, live, sim->display, error);
}

static void *thread_main(void *argument) {
  SimThread *sim = argument;
  Loop *loop = array_new(1, sizeof *loop, "the simulation thread", &sim->error);
  device_flush_denormals();
  interrupt_listen(wish, sim);
  if (loop) {
    loop->sim = sim;
    loop->note.report = (StepReport){ .substeps = 1, .converged = true };
    loop->note.pin_version = -1;  // none told yet
  }
  if (!loop || !build(loop, &sim->error) || !run(loop, &sim->error) ||
      (sim->state[0] && !write_state(&sim->live.session, sim->state, &sim->error)) ||
      !live_log_end(&sim->live, &sim->error))
    atomic_store_explicit(&sim->ended, true, memory_order_release);
  if (loop) {
    vtu_series_destroy(&loop->vtu);
    carrier_destroy(&loop->carrier);
  }
  free(loop);
  return NULL;
}

static void destroy(SimThread *sim) {
  triple_buffer_destroy(&sim->positions);
  live_destroy(&sim->live);
  input_reader_close(&sim->replay);
  pthread_mutex_destroy(&sim->lock);
  free(sim->pinned);
  free(sim);
}

SimThread *sim_thread_start(const Scene *scene, const char *log, const char *replay, const char *state, Error *error) {
  // aligned as the mailbox's cache lines are
  SimThread *sim = aligned_alloc(_Alignof(SimThread), sizeof *sim);
  if (!sim) {
    error_set(error, "out of memory: the simulation thread");
    return NULL;
  }
  memset(sim, 0, sizeof *sim);
  pthread_mutex_init(&sim->lock, NULL);
  sim->scene = *scene;
  snprintf(sim->log, sizeof sim->log, "%s", log);
  snprintf(sim->state, sizeof sim->state, "%s", state);
  if (replay[0] && !input_reader_open(&sim->replay, replay, &sim->scene, error)) goto failed;
  const int status = pthread_create(&sim->thread, NULL, thread_main, sim);
  if (status == 0) return sim;
  error_set(error, "the simulation thread cannot be started: %s", strerror(status));
failed:
  destroy(sim);
  return NULL;
}

bool sim_thread_stop(SimThread *sim, Error *error) {
  if (!sim) return true;
  const Command quit = { .kind = COMMAND_QUIT };
  sim_thread_record(sim, NULL);
  atomic_store(&sim->ending, true);
  while (!atomic_load_explicit(&sim->ended, memory_order_acquire) && !mailbox_send(&sim->commands, &quit))
    timer_sleep(NAP);
  pthread_join(sim->thread, NULL);
  const bool ok = !atomic_load(&sim->ended) || error_set(error, "%s", sim->error.message);
  destroy(sim);
  return ok;
}

void sim_thread_pins(SimThread *sim, uint8_t *pinned) {
  pthread_mutex_lock(&sim->lock);
  memcpy(pinned, sim->pinned, (size_t)sim->live.session.mesh.node_count);
  pthread_mutex_unlock(&sim->lock);
}

int sim_thread_record(SimThread *sim, const SimRecording *recording) {
  const int version = atomic_load(&sim->recording_version);
  if (recording == NULL && version % 2 == 0) return version;
  pthread_mutex_lock(&sim->lock);
  if (recording) sim->recording = *recording;
  pthread_mutex_unlock(&sim->lock);
  atomic_store(&sim->frames_taken, 0);
  // a new recording ends the one under way
  const int next = recording ? version + 1 + version % 2 : version + 1;
  atomic_store_explicit(&sim->recording_version, next, memory_order_release);
  return next;
}

void sim_thread_frame_taken(SimThread *sim, int frame) {
  atomic_store_explicit(&sim->frames_taken, frame + 1, memory_order_release);
}
