// The simulation thread. It owns the live session. A triple buffer carries positions to the window, a mailbox carries
// commands from it. Neither thread waits for the other, with one exception: while frames are recorded, the simulation
// waits until the window has taken each frame, so that none is lost.
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
  float linear, angular;        // changes of the momenta since the first sample, kg m/s and kg m^2/s
  float ms[TIMED_STAGES];       // times of the stages of the newest step; see Profile
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
  double step_seconds;  // duration of the newest step
  int halved, damped,
      unfinished;               // numbers of steps in the last half second that were halved, were damped, or did not
                                // converge
  SimulationSettings settings;  // in force
  double speed;                 // in force; see Scene.speed
  // a sample about every tenth of a second
  SimSample sample[SIM_SAMPLES];
  int sample_count;                    // number of samples since the start; sample k is stored at index k % SIM_SAMPLES
  BodyContact contacts[SIM_CONTACTS];  // the first contacts between bodies at the last sample
  int contact_count;
  char energy[160];  // text of energy_budget_text on the energy that the integrator adds; may be empty
  bool paused;
  char trouble[256];                 // reason why the simulation stopped by itself; empty: it runs
  char refused[256];                 // reason of the newest refusal; empty: no command was refused
  int refusals;                      // number of refused commands so far: a window shows each reason once
  int resets;                        // number of resets so far
  Spring springs[LIVE_SPRINGS_MAX];  // springs that pull now
  int spring_count;
  int64_t drag_frame;           // Command.frame of the last drag that these positions include
  bool mouse_holds;             // the last spring is the mouse's
  int64_t crossings;            // number of edges that intersect triangles, for bodies that began with intersections
  double ball_radius, ball[3];  // m, radius and centre of the ball that pushes; radius 0: no ball
  double mouse_stiffness;       // N/m, stiffness that the simulation would choose
  double mouse_force;           // N, force of the mouse's spring at the last sample
  int kept;                     // number of kept pulls
  FieldKind field;              // field that was written with the positions
  VectorKind vectors;           // vectors that were written with the positions
  Form *form;                   // form (mesh) to which the positions belong; a reader that needs it after the next
                                // status calls form_hold
  int cuts;                     // number of cuts by the user
  int64_t cut_at;               // position of the last cut on the timeline
  int pin_version;              // see sim_thread_pins
  int64_t first, now, newest;   // first, present and newest position of the timeline, in steps
  size_t timeline_bytes;        // memory of the timeline
  int saved;                    // number of scenes that were saved
  int view_version;             // in a replay: number of views that the log has set so far
  Camera camera;                // camera of the newest view
  Style style;
  bool replay_ended;
  int recording;                // number of the present recording, from sim_thread_record
  int frame;                    // index of this frame in the recording, -1: not recorded
  char recording_trouble[256];  // reason why the next frame cannot be written; the window must then end the recording.
                                // Empty: it can be written
} SimStatus;

// Settings of a recording; see sim_thread_record.
typedef struct SimRecording {
  double fps;                   // frames per simulated second
  char vtu[SCENE_PATH_LENGTH];  // folder for a VTU series; empty: none
} SimRecording;

typedef struct SimThread {
  Live live;    // used by the thread only; others may read scene and scene_form once `ready`: they do not change
  Scene scene;  // the start scene
  char log[SCENE_PATH_LENGTH];    // input log to write; empty: none
  char state[SCENE_PATH_LENGTH];  // file for the state at the end; empty: none
  InputReader replay;             // input log to replay; closed: none
  Device display;                 // device of the positions that are shown
  TripleBuffer positions;         // [node_count][3] float m, a field and vectors, with a SimStatus
  Mailbox commands;
  pthread_t thread;
  pthread_mutex_t lock;  // guards `pinned`, and `recording` while a recording begins or ends
  uint8_t *pinned;       // [pinned_count], marks of the nodes for SimStatus.pin_version; see sim_thread_pins
  int pinned_count;
  SimRecording recording;
  _Atomic int recording_version;  // odd: a recording is running
  _Atomic int frames_taken;       // number of frames of the recording that the window has taken
  _Atomic bool hidden;            // the window is hidden: no steps, unless they are recorded or replayed
  _Atomic bool ending;            // sim_thread_stop was called: a step or the building ends early
  _Atomic double step_since;      // start time of the present step, s of the clock; 0: no step is running
  _Atomic bool ready, ended;      // the session exists; the thread has ended by itself, see `error`
  Error error;                    // the thread's; read it once `ended` is true or the thread has been stopped
} SimThread;

/// Starts a thread that builds the session, sets `ready`, and takes steps, at most with the scene's speed. `log`,
/// `replay` and `state` are files, or empty. Returns NULL on failure.
SimThread *sim_thread_start(const Scene *scene, const char *log, const char *replay, const char *state, Error *error);

/// Ends the thread and frees everything. Fails with the thread's error. Accepts NULL.
bool sim_thread_stop(SimThread *sim, Error *error);

/// Copies the marks of live_marks, [node_count]. Call it when SimStatus.pin_version has changed. Returns false if a cut
/// has changed the number of nodes since; then call it again for the next status.
bool sim_thread_pins(SimThread *sim, uint8_t *pinned, int node_count);

/// Starts a recording: each frame is published with its index, from 0, and the simulation waits for
/// sim_thread_frame_taken. NULL ends the recording. Returns the recording's number, which SimStatus repeats, since
/// frames of the previous recording may still arrive.
int sim_thread_record(SimThread *sim, const SimRecording *recording);
void sim_thread_frame_taken(SimThread *sim, int frame);
