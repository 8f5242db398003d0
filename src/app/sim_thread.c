// The simulation thread: see sim_thread.h.
#include "app/sim_thread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/timer.h"

static const double RATE_SPAN = 0.5;    // s, over which rates are averaged
static const double SAMPLE_TIME = 0.1;  // s, between samples for plots
static const double NAP = 0.003;        // s, the longest time without a look into the mailbox

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
  int grab;                     // id of the mouse's grab, 0: none
  double wanted[3], offset[3];  // m, where the mouse has its target, and where the grab's target is on its way there
  double due;                   // s of the clock: not before this the next step
  bool paused, single_step, quit;
  bool changed;    // something to publish without a step
  double speed;    // see Scene.speed
  double sampled;  // s of the clock, when the last sample was taken
} Loop;

static bool publish(Loop *loop, Error *error) {
  SimThread *sim = loop->sim;
  Simulation *simulation = sim->session.simulation;
  const Stream stream = simulation_stream(simulation);
  void *memory, *note;
  loop->note.step = simulation_step_count(simulation);
  loop->note.time = simulation_time(simulation);
  loop->note.paused = loop->paused;
  loop->note.settings = *simulation_settings(simulation);
  loop->note.speed = loop->speed;
  if (!drag_springs_update(&loop->note.drags, &sim->session, error) ||
      !triple_buffer_write_begin(&sim->positions, stream, &memory, &note, error) ||
      !simulation_write_positions(simulation, memory, error))
    return false;
  memcpy(note, &loop->note, sizeof loop->note);
  loop->changed = false;
  return triple_buffer_write_end(&sim->positions, stream, error);
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
  t->simulated += loop->sim->session.scene.simulation.dt;
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

static bool obey(Loop *loop, const Command *command, Error *error) {
  Session *session = &loop->sim->session;
  Simulation *simulation = session->simulation;
  switch (command->kind) {
    case COMMAND_GRAB:
    case COMMAND_RELEASE:
      if (loop->grab && !simulation_release(simulation, loop->grab, error)) return false;
      loop->grab = 0;
      if (command->kind == COMMAND_RELEASE) return true;
      const double stiffness = command->stiffness > 0 ? command->stiffness : simulation_mouse_stiffness(simulation);
      memset(loop->wanted, 0, sizeof loop->wanted);
      memset(loop->offset, 0, sizeof loop->offset);
      return simulation_grab(simulation, command->X, command->radius, stiffness, &loop->grab, error);
    case COMMAND_DRAG:
      memcpy(loop->wanted, command->offset, sizeof loop->wanted);
      return true;
    case COMMAND_PAUSE:
      loop->paused = !loop->paused;
      loop->changed = true;
      forget_rates(loop);
      return true;
    case COMMAND_STEP:
      loop->paused = loop->changed = loop->single_step = true;
      return true;
    case COMMAND_RESET:
      if (loop->note.trouble[0]) loop->paused = false;
      loop->note.trouble[0] = '\0';
      loop->note.report = (StepReport){ .substeps = 1, .converged = true };
      loop->note.halved = loop->note.damped = loop->note.unfinished = 0;
      loop->changed = true;
      forget_rates(loop);
      return session_reset(session, error);
    case COMMAND_ADJUST: {
      Error refused = { 0 };  // a setting that cannot be is no reason to end
      if (session_adjust(session, &command->settings, &refused))
        loop->speed = command->speed;
      else
        snprintf(loop->note.trouble, sizeof loop->note.trouble, "%.255s", refused.message);
      loop->changed = true;
      forget_rates(loop);
      return true;
    }
    case COMMAND_QUIT:
      loop->quit = true;
      return true;
  }
  return true;
}

// moves the grab's target toward the mouse, no faster than the body can follow
static bool follow_mouse(Loop *loop, Error *error) {
  Simulation *simulation = loop->sim->session.simulation;
  if (!loop->grab) return true;
  const double reach = simulation_mouse_speed(simulation) * loop->sim->session.scene.simulation.dt;
  double way[3], length2 = 0;
  for (int i = 0; i < 3; i++) way[i] = loop->wanted[i] - loop->offset[i], length2 += way[i] * way[i];
  const double part = length2 > reach * reach ? reach / sqrt(length2) : 1;
  for (int i = 0; i < 3; i++) loop->offset[i] += part * way[i];
  return simulation_drag(simulation, loop->grab, loop->offset, error);
}

// energies wait for the device, so not at every step
static bool take_sample(Loop *loop, const StepReport *report, Error *error) {
  const double now = timer_seconds();
  Energy energy;
  if (now - loop->sampled < SAMPLE_TIME) return true;
  loop->sampled = now;
  if (!simulation_energy(loop->sim->session.simulation, &energy, error)) return false;
  SimNote *note = &loop->note;
  note->sample[note->sample_count++ % SIM_SAMPLES] =
      (SimSample){ (float)energy.kinetic, (float)energy.elastic, (float)report->newton_iterations,
                   (float)report->cg_iterations };
  return true;
}

// a step that cannot be taken is no reason to end: the state is that before it, and the user may reset
static bool step(Loop *loop, Error *error) {
  StepReport report;
  Error cause = { 0 };
  if (!follow_mouse(loop, error)) return false;
  if (session_step(&loop->sim->session, &report, &cause)) {
    count_step(loop, &report);
    if (!take_sample(loop, &report, error)) return false;
  } else {
    // a device that has failed fails here as well, and ends the thread
    if (!stream_sync(simulation_stream(loop->sim->session.simulation), error)) return false;
    loop->paused = true;
    snprintf(loop->note.trouble, sizeof loop->note.trouble, "%.255s", cause.message);
  }
  return publish(loop, error);
}

static bool run(Loop *loop, Error *error) {
  const Scene *scene = &loop->sim->session.scene;
  loop->speed = scene->speed;
  forget_rates(loop);
  if (!publish(loop, error)) return false;
  while (!loop->quit) {
    Command command;
    while (mailbox_take(&loop->sim->commands, &command))
      if (!obey(loop, &command, error)) return false;
    if (loop->changed && !publish(loop, error)) return false;
    const double now = timer_seconds();
    const double step_time = loop->speed > 0 ? scene->simulation.dt / loop->speed : 0;
    if (loop->paused && !loop->single_step) {
      timer_sleep(NAP);
    } else if (now < loop->due && !loop->single_step) {
      timer_sleep(fmin(loop->due - now, NAP));
    } else {
      loop->single_step = false;
      loop->due = fmax(loop->due, now - step_time) + step_time;  // time lost is not made up for
      if (!step(loop, error)) return false;
    }
  }
  return true;
}

static void *thread_main(void *argument) {
  SimThread *sim = argument;
  Loop *loop = array_new(1, sizeof *loop, "the simulation thread", &sim->error);
  if (loop) {
    loop->sim = sim;
    loop->note.report = (StepReport){ .substeps = 1, .converged = true };
  }
  if (!loop || !run(loop, &sim->error)) atomic_store_explicit(&sim->ended, true, memory_order_release);
  free(loop);
  return NULL;
}

SimThread *sim_thread_start(const Scene *scene, Error *error) {
  // aligned as the mailbox's cache lines are
  SimThread *sim = aligned_alloc(_Alignof(SimThread), sizeof *sim);
  if (!sim) {
    error_set(error, "out of memory: the simulation thread");
    return NULL;
  }
  memset(sim, 0, sizeof *sim);
  if (!session_create(&sim->session, scene, error)) goto failed;
  const Device device = simulation_stream(sim->session.simulation).device;
  const size_t bytes = (size_t)sim->session.mesh.node_count * 3 * sizeof(float);
  if (!triple_buffer_create(&sim->positions, device, bytes, sizeof(SimNote), error)) goto failed;
  const int status = pthread_create(&sim->thread, NULL, thread_main, sim);
  if (status == 0) return sim;
  error_set(error, "the simulation thread cannot be started: %s", strerror(status));
  triple_buffer_destroy(&sim->positions);
failed:
  session_destroy(&sim->session);
  free(sim);
  return NULL;
}

bool sim_thread_stop(SimThread *sim, Error *error) {
  if (!sim) return true;
  const Command quit = { .kind = COMMAND_QUIT };
  while (!atomic_load_explicit(&sim->ended, memory_order_acquire) && !mailbox_send(&sim->commands, &quit))
    timer_sleep(NAP);
  pthread_join(sim->thread, NULL);
  const bool ok = !atomic_load(&sim->ended) || error_set(error, "%s", sim->error.message);
  triple_buffer_destroy(&sim->positions);
  session_destroy(&sim->session);
  free(sim);
  return ok;
}
