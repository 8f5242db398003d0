// The thread that runs the simulation while the window draws: see sim_thread.h.
#include "live/sim_thread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/timer.h"
#include "live/display_copy.h"
#include "live/step_rates.h"
#include "scene/session_form.h"
#include "scene/vtu_series.h"
#include "scene/write_state.h"

static const double SAMPLE_TIME = 0.1;         // s, time between two samples for plots
static const double CONTACTS_FRACTION = 0.02;  // read_contacts may use at most this fraction of the time
static const double POLL_TIME = 0.001;         // s, longest time between two polls of the mailbox
static const double IDLE_POLL_TIME = 0.01;     // s, time between two polls while no steps are taken, as in a pause
static const double STEP_PATIENCE = 0.05;      // s, time after which an urgent command interrupts a time step

// Data that only the simulation thread uses.
typedef struct Loop {
  SimThread *sim;
  SimStatus status;  // status that was last sent
  StepRates rates;
  double step_due;  // s, clock time at which the next step may begin
  bool step_early;  // true: the mouse has moved since the last step, so the next step may begin before step_due
  bool quit;
  bool changed;         // true: the status has changed without a step, so it must be sent to the window
  double sampled_at;    // s, clock time of the last sample
  double contacts_due;  // s, clock time at which contacts may be listed again
  // Energy and momenta at the first sample after the last change by the user. Plots show differences from these values.
  Energy first;
  bool has_first;
  DisplayCopy display_copy;
  int recording_version;  // value of SimThread.recording_version at the last call of follow_recording
  double fps;             // frames per simulated second of the recording
  double recorded_from;   // s, value of live.elapsed at the start of the recording
  int frame;              // index of the next frame of the recording
  VtuSeries vtu;
} Loop;

// Updates sim->pinned, which sim_thread_pins copies: the marks of nodes that pictures show. They mark pinned axes, and
// nodes at which the surface intersects itself.
static bool report_pins(SimThread *sim, Error *error) {
  const int nodes = sim->live.session.mesh.node_count;
  pthread_mutex_lock(&sim->lock);
  bool ok = true;
  if (sim->pinned_count != nodes) {
    free(sim->pinned);
    sim->pinned = array_new(nodes, 1, "pins", error);
    sim->pinned_count = sim->pinned ? nodes : 0;
    ok = sim->pinned;
  }
  if (ok) live_marks(&sim->live, sim->pinned);
  pthread_mutex_unlock(&sim->lock);
  return ok;
}

static bool publish(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  Simulation *simulation = live->session.simulation;
  const Stream stream = display_copy_stream(&loop->display_copy, live);
  SimStatus *n = &loop->status;
  void *memory, *note;
  n->step = simulation_step_count(simulation);
  n->time = simulation_time(simulation);
  n->paused = live->paused;
  n->settings = *simulation_settings(simulation);
  n->speed = live->speed;
  n->field = live->style.field;
  n->vectors = live->style.vectors;
  n->kept = live->session.pull_count;
  n->undoable = live->holds.now;
  n->redoable = live->holds.count - live->holds.now;
  n->drag_frame = live->drag_frame;
  n->crossings = live->session.crossings;
  n->contact_yields = live->session.contact_yields;
  n->mouse_holds = live->mouse.id != 0;
  live_ball(live, &n->ball_radius, n->ball);
  n->mouse_stiffness = simulation_mouse_stiffness(simulation, -1);
  n->saved = live->saved;
  n->resets = live->resets;
  n->first = timeline_first(&live->timeline);
  n->now = live->timeline.now;
  n->newest = live->timeline.newest;
  n->timeline_bytes = live->timeline.bytes;
  n->view_version = live->view_version;
  n->camera = live->camera;
  n->style = live->style;
  if (n->pin_version != live->pin_version && !report_pins(sim, error)) return false;
  n->pin_version = live->pin_version;
  live_springs(live, n->springs, &n->spring_count);
  n->cuts = live->cuts;
  n->cut_at = live->cut_at;
  n->form = live->session.form;
  const size_t bytes = surface_renderer_bytes(n->form->mesh.node_count);
  if (!triple_buffer_write_begin(&sim->positions, bytes, stream, &memory, &note, error)) return false;

  // Each sent status holds a reference to its form (mesh and surface of the body), so that this form exists as long as
  // the window uses the status.
  Form *before = ((SimStatus *)note)->form;
  memcpy(note, n, sizeof *n);
  form_hold(n->form);
  form_release(before);
  if (!display_copy_write(&loop->display_copy, live, memory, error)) return false;
  loop->changed = false;
  return triple_buffer_write_end(&sim->positions, stream, error);
}

// Long computations call this function (interrupt_listen). Returns true if the present step, or the creation of the
// session, must end early: because the thread must end, or because an urgent command waits and the step has taken long.
static bool stop_early(void *context) {
  SimThread *sim = context;
  if (atomic_load_explicit(&sim->ending, memory_order_acquire)) return true;
  const double since = atomic_load_explicit(&sim->step_since, memory_order_relaxed);
  return since > 0 && timer_seconds_coarse() - since > STEP_PATIENCE && mailbox_urgent(&sim->commands);
}

// Must be called after a command was applied. Updates the status for the window and the flags of the loop. If the
// command has moved the session to another step, pauses it. If it has reset a session whose step had failed, ends the
// pause.
static void note_command(Loop *loop, const Command *command) {
  SimStatus *status = &loop->status;
  Live *live = &loop->sim->live;
  const bool refused = live->refusals != status->refusals;

  // Keep the reason in the status until another command is refused, because the window does not read every status.
  if (refused) memcpy(status->refused, live->refused, sizeof status->refused);
  status->refusals = live->refusals;
  if (command->kind == COMMAND_QUIT) loop->quit = true;
  if (command->kind == COMMAND_DRAG) {
    loop->step_early = true;
    return;
  }
  loop->changed = true;
  if (command->kind == COMMAND_VIEW || command->kind == COMMAND_SAVE) return;
  step_rates_begin(&loop->rates);
  loop->has_first = false;
  energy_budget_begin(&live->session.budget);
  status->energy[0] = '\0';

  // Pause after the user has moved to another step. In a replay such a move does not pause, so that the replay goes on.
  if (command->kind == COMMAND_GO && !refused && !loop->sim->replay.file) live->paused = true;
  if (command->kind != COMMAND_RESET && command->kind != COMMAND_GO) return;
  if (status->trouble[0] && command->kind == COMMAND_RESET) live->paused = false;
  status->trouble[0] = '\0';
  status->step_seconds = 0;
  status->report = (StepReport){ .substeps = 1, .converged = true };
  status->halved = status->damped = status->unfinished = 0;
}

static double length_of(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Returns true if values for plots must be read after the next step. Reading makes the thread wait for the device.
static bool sample_due(const Loop *loop) {
  return timer_seconds() - loop->sampled_at >= SAMPLE_TIME;
}

// Lists the contacts between two bodies, or between a body and an obstacle. Contact forces are also needed for the
// change of angular momentum in the last step, so this change is computed here too.
static bool read_contacts(Loop *loop, Error *error) {
  SimStatus *status = &loop->status;
  Session *session = &loop->sim->live.session;
  BodyContact *list;
  int count;
  const double begun = timer_seconds();
  if (begun < loop->contacts_due) return true;
  status->contact_count = 0;
  if (!energy_budget_update_spin(&session->budget, session->simulation, error)) return false;
  if (!contact_of_bodies(session->simulation, &list, &count, error)) return false;
  for (int k = 0; k < count && status->contact_count < SIM_CONTACTS; k++)
    if (list[k].body[0] != list[k].body[1]) status->contacts[status->contact_count++] = list[k];
  free(list);
  const double now = timer_seconds();
  loop->contacts_due = now + (now - begun) / CONTACTS_FRACTION;
  return true;
}

// Computes the observables that have a plot and stores their values in `sample`. `energy` is the energy of the present
// state.
static bool sample_observables(Live *live, const StepReport *report, const Energy *energy, SimSample *sample,
                               Error *error) {
  Observed now;
  int count = 0;
  bool ok = true;
  observed_begin(&now, &live->session, report);
  now.energy = *energy;
  now.has_energy = now.has_spin = true;
  for (const Observable *row = observables; ok && row->name && count < SIM_SERIES_MAX; row++) {
    double value[OBSERVABLE_SIZE_MAX];
    if (!row->plot) continue;
    ok = observe(&now, row, NULL, value, error);
    sample->value[count++] = (float)value[0];
  }
  observed_end(&now);
  return ok;
}

static bool take_sample(Loop *loop, const StepReport *report, const Profile *profile, Error *error) {
  Live *live = &loop->sim->live;
  SimStatus *status = &loop->status;
  Energy e;
  double force[3] = { 0 };
  static const double nothing[3] = { 0 };
  loop->sampled_at = timer_seconds();
  if (!energy_budget_update(&live->session.budget, live->session.simulation, &e, error) ||
      (live->mouse.id && !simulation_grab_force(live->session.simulation, live->mouse.id, true, force, error)) ||
      !read_contacts(loop, error))
    return false;
  energy_budget_text(&live->session.budget, simulation_settings(live->session.simulation), status->energy,
                     sizeof status->energy);
  status->mouse_force = length_of(force, nothing);
  if (!loop->has_first) loop->first = e;
  loop->has_first = true;
  SimSample *sample = &status->sample[status->sample_count++ % SIM_SAMPLES];
  *sample = (SimSample){
    .time = (float)simulation_time(live->session.simulation),
    .linear = (float)length_of(e.linear, loop->first.linear),
    .angular = (float)length_of(e.angular, loop->first.angular),
    .real_time = (float)status->real_time,
  };
  for (int k = 0; k < TIMED_STAGES; k++) sample->ms[k] = (float)profile->ms[k];
  return sample_observables(live, report, &e, sample, error);
}

// Takes a step. If the step fails, the session keeps the state before the step and pauses, so that the user may reset
// the session.
static bool step(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  StepReport report;
  Profile profile = { 0 };
  Error cause = { 0 };
  const bool sampled = sample_due(loop);
  const double begin = timer_seconds();
  if (sampled && !simulation_profile_start(live->session.simulation, error)) return false;
  atomic_store(&sim->step_since, begin);
  const bool taken = live_step(live, &report, &cause);
  atomic_store(&sim->step_since, 0);
  if (sampled) simulation_profile_stop(live->session.simulation, &profile);
  if (report.cause == NEWTON_STOPPED && !taken) return true;
  loop->status.step_seconds = timer_seconds() - begin;
  if (taken) {
    step_rates_add(&loop->rates, &report, simulation_settings(live->session.simulation)->dt, &loop->status);
    if (!curves_record(&sim->curves, &live->session, &report, error)) return false;
    if (sampled && !take_sample(loop, &report, &profile, error)) return false;
  } else {
    // A failed step may be due to a failed device. Then stream_sync fails too, and the thread ends.
    if (!stream_sync(simulation_stream(live->session.simulation), error)) return false;
    live->paused = true;
    snprintf(loop->status.trouble, sizeof loop->status.trouble, "%.255s", cause.message);
  }
  return true;
}

static bool apply_commands(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  Command command;

  // While an input log is replayed, the user may pause, continue, take single steps, save and quit. All other commands
  // come from the log.
  while (mailbox_take(&sim->commands, &command)) {
    const bool of_time = command.kind == COMMAND_PAUSE || command.kind == COMMAND_STEP || command.kind == COMMAND_QUIT;
    if (sim->replay.file && !of_time && command.kind != COMMAND_SAVE) continue;
    if (command.kind == COMMAND_SAVE) curves_names(&sim->curves, live->session.scene.curves);
    if (!live_apply(live, &command, error)) return false;
    note_command(loop, &command);
  }
  while (sim->replay.file && (!live->paused || live->single_step) &&
         live_next_logged(live, &sim->replay, &command, error)) {
    if (!live_apply(live, &command, error)) return input_reader_prefix(&sim->replay, error);
    note_command(loop, &command);
  }
  if (error->message[0]) return false;
  if (sim->replay.file && input_reader_over(&sim->replay, live->steps_taken) && !loop->status.replay_ended)
    loop->status.replay_ended = live->paused = loop->changed = true;
  return true;
}

// Hands the motion over to another thread, or takes over the motion of another one, if the window has requested it.
static void follow_hand_over(Loop *loop) {
  Live *live = &loop->sim->live;
  HandOver *h = &loop->sim->hand_over;
  int stage = atomic_load_explicit(&h->stage, memory_order_acquire);
  const bool kept = atomic_load_explicit(&h->kept, memory_order_acquire);
  if (!kept && stage != HAND_OVER_GIVE && stage != HAND_OVER_TAKE) return;
  loop->changed = true;
  h->why = (Error){ 0 };
  if (kept) {
    free(h->bytes);
    h->bytes = NULL;
    live->paused = h->paused;
    stage = HAND_OVER_NONE;
  } else if (stage == HAND_OVER_GIVE) {
    stage = live_hand_over(live, &h->bytes, &h->size, &h->why) ? HAND_OVER_DONE : HAND_OVER_REFUSED;
    live->paused = live->paused || stage == HAND_OVER_DONE;
  } else {
    stage = live_take_over(live, h->bytes, h->size, &h->why) ? HAND_OVER_DONE : HAND_OVER_REFUSED;
    live->paused = h->paused || stage == HAND_OVER_REFUSED;
  }
  atomic_store_explicit(&h->stage, stage, memory_order_release);
  atomic_store_explicit(&h->kept, false, memory_order_release);
}

// ---- recording of frames

// Adapts the loop if the window has called sim_thread_record, to begin or to end a recording.
static void follow_recording(Loop *loop) {
  SimThread *sim = loop->sim;
  const int version = atomic_load_explicit(&sim->recording_version, memory_order_acquire);
  if (version == loop->recording_version) return;
  loop->recording_version = version;
  vtu_series_destroy(&loop->vtu);
  loop->status.frame = -1;
  loop->status.recording_trouble[0] = '\0';
  loop->frame = 0;
  loop->recorded_from = sim->live.elapsed;
  pthread_mutex_lock(&sim->lock);
  memcpy(loop->vtu.folder, sim->recording.vtu, sizeof loop->vtu.folder);
  loop->fps = sim->recording.fps;
  pthread_mutex_unlock(&sim->lock);
}

// Sends all frames of the recording that are due at the present simulated time. After each frame, waits until the
// window has taken it.
static bool record_frames(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  const double dt = simulation_settings(live->session.simulation)->dt;
  while (loop->recording_version % 2 == 1 &&
         live->elapsed - loop->recorded_from >= loop->frame / loop->fps - 1e-6 * dt) {
    const double time = vtu_series_time(loop->frame, loop->fps, dt);
    Error why = { 0 };
    const bool good = !loop->vtu.folder[0] || vtu_series_add(&loop->vtu, &live->session, loop->frame, time, &why);
    loop->status.recording = loop->recording_version;
    loop->status.frame = good ? loop->frame : -1;

    // on a failure, such as a full disk, the status tells the window to end the recording; the simulation continues
    snprintf(loop->status.recording_trouble, sizeof loop->status.recording_trouble, "%.250s", why.message);
    if (!publish(loop, error)) return false;
    while (atomic_load_explicit(&sim->frames_taken, memory_order_acquire) <= loop->frame) {
      if (atomic_load_explicit(&sim->recording_version, memory_order_acquire) != loop->recording_version) break;
      timer_sleep(POLL_TIME / 10);
    }
    loop->frame++;
    follow_recording(loop);
  }

  loop->status.frame = -1;
  return true;
}

// ---- the loop of the simulation thread

static bool run(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  step_rates_begin(&loop->rates);
  loop->status.frame = -1;
  if (!publish(loop, error)) return false;
  progress_set("drawing", 0.97);
  atomic_store_explicit(&sim->ready, true, memory_order_release);
  while (!loop->quit) {
    if (!apply_commands(loop, error) ||
        !curves_follow(&sim->curves, &live->session, live->resets, &loop->changed, error))
      return false;
    follow_recording(loop);
    follow_hand_over(loop);
    if (loop->changed && !publish(loop, error)) return false;
    const double now = timer_seconds(), dt = simulation_settings(live->session.simulation)->dt;
    const bool recording = loop->recording_version % 2 == 1;
    const double step_time = live->speed > 0 && !recording ? dt / live->speed : 0;

    // If the mouse has moved, the next step may begin up to 0.9 step times early. step_due still advances by one step
    // time per step, which keeps the mean rate.
    const double early = loop->step_due - (loop->step_early ? 0.9 * step_time : 0);
    const bool hidden = atomic_load(&sim->hidden) && !recording && !sim->replay.file;
    if ((live->paused || hidden) && !live->single_step) {
      timer_sleep(IDLE_POLL_TIME);
    } else if (now < early && !live->single_step) {
      timer_sleep(fmin(early - now, POLL_TIME));
    } else {
      if (recording && !record_frames(loop, error)) return false;
      loop->step_early = false;

      // If this step is late, later steps must not run faster to catch up. So step_due becomes at least one step time
      // from now.
      loop->step_due = fmax(loop->step_due, now - step_time) + step_time;
      if (!step(loop, error) || !publish(loop, error)) return false;
    }
  }
  return true;
}

// Creates the session, its input log, the timeline, and the buffers by which positions are sent to the window.
static bool build(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Live *live = &sim->live;
  if (!live_create_logged(live, &sim->scene, &sim->replay, error)) return false;
  if (!session_expect_cuts(&live->session, error)) return false;  // reserves memory, since the user may cut bodies
  if (sim->log[0] && !live_log(live, sim->log, error)) return false;
  live_keep_history(live);
  sim->display = simulation_stream(live->session.simulation).device;
  const size_t bytes = surface_renderer_bytes(live->session.mesh.node_count);
  return triple_buffer_create(&sim->positions, sim->display, bytes, sizeof(SimStatus), error) &&
         display_copy_create(&loop->display_copy, live, sim->display, error);
}

// Returns true if a computation of this thread has failed only because sim_thread_stop has requested its end, as when
// the user closes the window during a reset. Returns false after a signal such as Ctrl-C.
static bool was_stopped(const SimThread *sim) {
  return atomic_load(&sim->ending) && !interrupt_signal() && strstr(sim->error.message, "interrupted");
}

// Runs the simulation until the end, then writes the state and the end of the log. Returns false on failure.
static bool run_to_end(Loop *loop) {
  SimThread *sim = loop->sim;
  Error *error = &sim->error;
  if (!build(loop, error)) return was_stopped(sim);
  if (!run(loop, error)) {
    if (!was_stopped(sim)) return false;
    *error = (Error){ 0 };
  }
  return (!sim->state[0] || write_state(&sim->live.session, sim->state, error)) && live_log_end(&sim->live, error);
}

static void *thread_main(void *argument) {
  SimThread *sim = argument;
  Loop *loop = array_new(1, sizeof *loop, "the simulation thread", &sim->error);
  device_flush_denormals();
  interrupt_listen(stop_early, sim);
  if (loop) {
    loop->sim = sim;
    loop->status.report = (StepReport){ .substeps = 1, .converged = true };
    loop->status.pin_version = -1;  // the window has not yet received the marks of pinned nodes
  }
  if (!loop || !run_to_end(loop)) atomic_store_explicit(&sim->ended, true, memory_order_release);
  if (loop) {
    vtu_series_destroy(&loop->vtu);
    display_copy_destroy(&loop->display_copy);
  }
  free(loop);
  return NULL;
}

static void destroy(SimThread *sim) {
  for (int k = 0; k < 3; k++) {
    const SimStatus *note = sim->positions.slots[k].note;
    if (note) form_release(note->form);
  }
  triple_buffer_destroy(&sim->positions);
  live_destroy(&sim->live);
  input_reader_close(&sim->replay);
  pthread_mutex_destroy(&sim->lock);
  curves_destroy(&sim->curves);
  free(sim->pinned);
  free(sim->hand_over.bytes);
  free(sim);
}

SimThread *sim_thread_start(const Scene *scene, bool paused, const char *log, const char *replay, const char *state,
                            Error *error) {
  // The members of the mailbox need the alignment of a cache line, which malloc does not guarantee.
  SimThread *sim = aligned_alloc(_Alignof(SimThread), sizeof *sim);
  if (!sim) {
    error_set(error, "out of memory: cannot create the simulation thread; close other programs");
    return NULL;
  }
  memset(sim, 0, sizeof *sim);
  pthread_mutex_init(&sim->lock, NULL);
  curves_create(&sim->curves);
  sim->scene = *scene;
  snprintf(sim->log, sizeof sim->log, "%s", log);
  snprintf(sim->state, sizeof sim->state, "%s", state);
  if (replay[0] && !input_reader_open(&sim->replay, replay, &sim->scene, error)) goto failed;

  // the command to pause is sent before the thread starts, so that the thread pauses before its first step
  if (paused) mailbox_send(&sim->commands, &(Command){ .kind = COMMAND_PAUSE });
  const int status = pthread_create(&sim->thread, NULL, thread_main, sim);
  if (status == 0) return sim;
  error_set(error,
            "the simulation thread cannot be started: %s; free memory, or raise the limit on processes (ulimit -u)",
            strerror(status));
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
    timer_sleep(POLL_TIME);
  pthread_join(sim->thread, NULL);
  const bool ok = !atomic_load(&sim->ended) || error_set(error, "%s", sim->error.message);
  destroy(sim);
  return ok;
}

HandOverStage sim_thread_hand_over(SimThread *from, SimThread *to, bool paused, bool *given, Error *error) {
  HandOver *giver = &from->hand_over, *taker = &to->hand_over;
  *given = false;
  if (atomic_load_explicit(&giver->kept, memory_order_acquire)) return HAND_OVER_NONE;
  const int giving = atomic_load_explicit(&giver->stage, memory_order_acquire);
  const int taking = atomic_load_explicit(&taker->stage, memory_order_acquire);
  *given = giving == HAND_OVER_DONE;
  if (giving == HAND_OVER_NONE) {
    atomic_store_explicit(&giver->stage, HAND_OVER_GIVE, memory_order_release);
  } else if (*given && taking == HAND_OVER_NONE) {
    taker->bytes = giver->bytes;
    taker->size = giver->size;
    taker->paused = paused;
    giver->bytes = NULL;
    atomic_store_explicit(&taker->stage, HAND_OVER_TAKE, memory_order_release);
  }

  const HandOver *refusing = giving == HAND_OVER_REFUSED ? giver : taking == HAND_OVER_REFUSED ? taker : NULL;
  if (refusing) error_set(error, "%s", refusing->why.message);
  if (refusing) return HAND_OVER_REFUSED;
  if (taking != HAND_OVER_DONE) return HAND_OVER_NONE;

  // `to` may hand over its motion later
  free(taker->bytes);
  taker->bytes = NULL;
  atomic_store_explicit(&taker->stage, HAND_OVER_NONE, memory_order_release);
  return HAND_OVER_DONE;
}

void sim_thread_keep(SimThread *sim, bool paused) {
  HandOver *h = &sim->hand_over;
  if (atomic_load_explicit(&h->stage, memory_order_acquire) == HAND_OVER_NONE) return;
  h->paused = paused;
  atomic_store_explicit(&h->kept, true, memory_order_release);
}

bool sim_thread_pins(SimThread *sim, uint8_t *pinned, int node_count) {
  pthread_mutex_lock(&sim->lock);
  const bool same = sim->pinned_count == node_count;
  if (same) memcpy(pinned, sim->pinned, (size_t)node_count);
  pthread_mutex_unlock(&sim->lock);
  return same;
}

int sim_thread_record(SimThread *sim, const SimRecording *recording) {
  const int version = atomic_load(&sim->recording_version);
  if (recording == NULL && version % 2 == 0) return version;
  pthread_mutex_lock(&sim->lock);
  if (recording) sim->recording = *recording;
  pthread_mutex_unlock(&sim->lock);
  atomic_store(&sim->frames_taken, 0);
  // The version is odd while a recording runs. If a new recording ends a running one, the version increases by 2.
  const int next = recording ? version + 1 + version % 2 : version + 1;
  atomic_store_explicit(&sim->recording_version, next, memory_order_release);
  return next;
}

void sim_thread_frame_taken(SimThread *sim, int frame) {
  atomic_store_explicit(&sim->frames_taken, frame + 1, memory_order_release);
}
