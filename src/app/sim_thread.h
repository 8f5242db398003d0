// The thread that moves the body while another one shows it. It owns the session's simulation; positions come out
// through a triple buffer, the user's wishes go in through a mailbox, and neither side waits for the other.
#pragma once
#include <pthread.h>

#include "app/drag_springs.h"
#include "app/mailbox.h"
#include "app/session.h"
#include "device/triple_buffer.h"

// One sample for plots.
typedef struct SimSample {
  float kinetic, elastic;  // J
  float newton, cg;        // iterations of the newest step
} SimSample;
enum { SIM_SAMPLES = 120 };

// What travels with the positions of a step.
typedef struct SimNote {
  StepReport report;  // of the newest step
  int64_t step;       // steps since rest
  double time;        // s, simulated
  // averages over about half a second
  double steps_per_s, newton_per_step, cg_per_step;
  double real_time;  // simulated over real seconds
  int halved, damped,
      unfinished;               // steps of that time that were taken in parts, by backward Euler, or did not converge
  SimulationSettings settings;  // in force
  double speed;                 // likewise; see Scene.speed
  // energy and counts of the last steps, a sample about every tenth of a second
  SimSample sample[SIM_SAMPLES];
  int sample_count;  // since the start; the newest is at (sample_count - 1) % SIM_SAMPLES
  bool paused;
  char trouble[256];  // why the simulation stopped by itself; empty: it did not
  DragSprings drags;  // of the script
} SimNote;

typedef struct SimThread {
  Session session;         // the thread's; others may read scene, mesh and surface, which do not change
  TripleBuffer positions;  // [node_count][3] float, m, with a SimNote
  Mailbox commands;
  pthread_t thread;
  _Atomic bool ended;  // by itself: `error` says why
  Error error;         // the thread's; read it once `ended` is true or the thread has been stopped
} SimThread;

/// Builds the session and begins to step it, no faster than the scene's speed. NULL on failure.
SimThread *sim_thread_start(const Scene *scene, Error *error);

/// Ends the thread and frees everything. Fails with what went wrong in the thread. Takes NULL.
bool sim_thread_stop(SimThread *sim, Error *error);
