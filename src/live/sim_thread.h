// The thread that moves the body while another one shows it. It owns the live session; positions come out through a
// triple buffer, the user's commands go in through a mailbox, and neither side waits for the other, except where frames
// are recorded: then the body waits until each is taken, so that none is lost.
#pragma once
#include <pthread.h>

#include "device/triple_buffer.h"
#include "live/live.h"
#include "live/mailbox.h"
#include "scene/observable.h"

enum { SIM_SERIES_MAX = 16 };  // observables that have a plot

// One sample for plots.
typedef struct SimSample {
  float time;                   // s, simulated
  float value[SIM_SERIES_MAX];  // observables that have a plot, in the order of their rows
  float linear, angular;        // momenta: how far from where they were, kg m/s and kg m^2/s
  float ms[TIMED_STAGES];       // time of each stage in the newest step; see Profile
  float real_time;              // simulated over real seconds
} SimSample;
enum { SIM_SAMPLES = 120, SIM_CONTACTS = 32 };

// The state that is published with the positions of a step.
typedef struct SimStatus {
  StepReport report;  // of the newest step
  int64_t step;       // steps since rest
  double time;        // s, simulated
  // averages over about half a second
  double steps_per_s, newton_per_step, cg_per_step;
  double real_time;     // simulated over real seconds
  double step_seconds;  // what the newest step took
  int halved, damped,
      unfinished;               // steps of that time that were taken in parts, by backward Euler, or did not converge
  SimulationSettings settings;  // in force
  double speed;                 // likewise; see Scene.speed
  // a sample about every tenth of a second
  SimSample sample[SIM_SAMPLES];
  int sample_count;                    // since the start; sample k is at k % SIM_SAMPLES
  BodyContact contacts[SIM_CONTACTS];  // what bodies do to each other, as of the last sample: the first of them
  int contact_count;
  char energy[160];  // how much energy the integrator adds, where that is worth a word: energy_budget_text
  bool paused;
  char trouble[256];                 // why the simulation stopped by itself; empty: it did not
  char refused[256];                 // why the newest refused command was not done; empty: none was refused so far
  int refusals;                      // number of refused commands so far: a window shows each reason once
  int resets;                        // number of resets so far
  Spring springs[LIVE_SPRINGS_MAX];  // that pull now
  int spring_count;
  int64_t drag_frame;           // the window's frame of the last drag that these positions follow
  bool mouse_holds;             // the last of them is the mouse's
  int64_t crossings;            // edges that go through triangles, of what began so
  double ball_radius, ball[3];  // m, of the ball with which the mouse pushes, and its middle; radius 0: it does not
  double mouse_stiffness;       // N/m, what the simulation would choose
  double mouse_force;           // N, of the mouse's, as of the last sample
  int kept;                     // patches that stay pulled
  FieldKind field;              // of the values that came with the positions
  VectorKind vectors;           // likewise
  Form *form;                   // that the positions are of; who goes on using it than to the next status holds it
  int cuts;                     // by hand that did something,
  int64_t cut_at;               // and the position of the timeline that the last of them was made at
  int pin_version;              // see sim_thread_pins
  int64_t first, now, newest;   // of the timeline: positions that can be gone to, and where the body is
  size_t timeline_bytes;        // what it takes
  int saved;                    // scenes that were saved
  int view_version;             // of a replay: counts the views of the log,
  Camera camera;                // and the newest of them
  Style style;
  bool replay_ended;
  int recording;                // the number of the recording under way, as sim_thread_record gave it,
  int frame;                    // and which of its frames this is, -1: none
  char recording_trouble[256];  // why its next frame cannot be written; empty: it can. It waits to be ended then
} SimStatus;

// What a recording asks of the thread; see sim_thread_record.
typedef struct SimRecording {
  double fps;                   // frames per simulated second
  char vtu[SCENE_PATH_LENGTH];  // folder for a VTU series; empty: none
} SimRecording;

typedef struct SimThread {
  Live live;    // the thread's; others may read scene and scene_form once it is ready: they do not change
  Scene scene;  // what it begins with
  char log[SCENE_PATH_LENGTH];    // input log to write; empty: none
  char state[SCENE_PATH_LENGTH];  // where the state goes at the end; empty: nowhere
  InputReader replay;             // input log that is done again; closed: none
  Device display;                 // where positions go to
  TripleBuffer positions;         // [node_count][3] float m, a field and vectors, with a SimStatus
  Mailbox commands;
  pthread_t thread;
  pthread_mutex_t lock;  // of pinned, and of recording while it is begun or ended
  uint8_t *pinned;       // [pinned_count], as of SimStatus.pin_version
  int pinned_count;
  SimRecording recording;
  _Atomic int recording_version;  // odd: under way
  _Atomic int frames_taken;       // by the other side, of the recording
  _Atomic bool hidden;            // the window is hidden: no steps, unless they are recorded or replayed
  _Atomic bool ending;            // sim_thread_stop was called: a step or the building ends early
  _Atomic double step_since;      // s of the clock, when the step under way was begun; 0: none is
  _Atomic bool ready, ended;      // the session is there; it has ended by itself: `error` says why
  Error error;                    // the thread's; read it once `ended` is true or the thread has been stopped
} SimThread;

/// Starts a thread that builds the session, says `ready`, and steps it, no faster than the scene's speed. `log`,
/// `replay` and `state` are files, or empty. NULL on failure.
SimThread *sim_thread_start(const Scene *scene, const char *log, const char *replay, const char *state, Error *error);

/// Ends the thread and frees everything. Fails with what went wrong in the thread. Takes NULL.
bool sim_thread_stop(SimThread *sim, Error *error);

/// Copies which nodes are pinned, [node_count], as live_marks; to be called when SimStatus.pin_version has changed.
/// False where the body has been cut since, and has another number: it is to be called again for the next status.
bool sim_thread_pins(SimThread *sim, uint8_t *pinned, int node_count);

/// From now on each frame is published with its number, from 0, and the body waits until sim_thread_frame_taken. NULL
/// ends the recording. Returns the recording's number, which is in their SimStatus, since frames of the one before may
/// still arrive.
int sim_thread_record(SimThread *sim, const SimRecording *recording);
void sim_thread_frame_taken(SimThread *sim, int frame);
