// The simulation thread. It owns the live session. A triple buffer carries positions to the window, and a mailbox
// carries commands from the window. Neither thread waits for the other, with one exception: during a recording, the
// simulation waits until the window has taken each frame, so that no frame is lost.
#pragma once
#include <pthread.h>

#include "device/triple_buffer.h"
#include "live/live.h"
#include "live/mailbox.h"
#include "scene/observable.h"

enum { SIM_SERIES_MAX = 16 };  // maximum number of observables that have a plot

// One sample for plots.
typedef struct SimSample {
  float time;                   // s, simulated time
  float value[SIM_SERIES_MAX];  // values of the observables that have a plot, in the order of their table
  float linear, angular;        // changes of the linear and the angular momentum since the first sample, kg m/s and kg
                                // m^2/s
  float ms[TIMED_STAGES];       // times of the stages of the newest step, ms; see Profile
  float real_time;              // ratio of simulated time to real time
} SimSample;
enum { SIM_SAMPLES = 120, SIM_CONTACTS = 32 };

// The state that is published with the positions of a step.
typedef struct SimStatus {
  StepReport report;  // report of the newest step
  int64_t step;       // number of steps since the session was at rest
  double time;        // s, simulated time
  // averages over about half a second:
  double steps_per_s, newton_per_step, cg_per_step;
  double real_time;     // ratio of simulated time to real time
  double step_seconds;  // duration of the newest step, s
  int halved, damped,
      unfinished;               // numbers of steps in the last half second that were halved, were damped, or did not
                                // converge
  SimulationSettings settings;  // the present settings
  double speed;                 // the present limit of the speed; see Scene.speed
  // The plots get a sample about every tenth of a second.
  SimSample sample[SIM_SAMPLES];
  int sample_count;                    // number of samples since the start; sample k is stored at index k %
                                       // SIM_SAMPLES, so the last SIM_SAMPLES are kept
  BodyContact contacts[SIM_CONTACTS];  // the first contacts between bodies at the last sample
  int contact_count;
  char energy[160];  // text of energy_budget_text about the energy that the integrator adds; may be empty
  bool paused;
  char trouble[256];                 // reason why the simulation stopped by itself; empty: it runs
  char refused[256];                 // reason why the last refused command was refused; empty: no command was refused
  int refusals;                      // number of refused commands so far: a window shows each reason once
  int resets;                        // number of resets so far
  Spring springs[LIVE_SPRINGS_MAX];  // springs that pull now
  int spring_count;
  int64_t drag_frame;           // Command.frame of the last drag whose effect these positions show
  bool mouse_holds;             // the last entry of `springs` is the spring of the mouse
  int64_t crossings;            // number of edges that intersect triangles; counted only for bodies that had
                                // intersections at the start
  double ball_radius, ball[3];  // m, radius and centre of the ball that pushes; radius 0: no ball
  double mouse_stiffness;       // N/m, stiffness that the simulation chooses for a grab by the mouse
  double mouse_force;           // N, force of the mouse's spring at the last sample
  int kept;                     // number of pulls that stay without the mouse
  FieldKind field;              // field that was written with the positions
  VectorKind vectors;           // vectors that were written with the positions
  Form *form;                   // form of the body (mesh and surface) to which the positions belong. A reader that
                                // still needs it after the next status calls form_hold
  int cuts;                     // number of cuts by the user
  int64_t cut_at;               // position of the last cut on the timeline
  int pin_version;              // number that changes with the marks of the nodes; see sim_thread_pins
  int64_t first, now, newest;   // first, present and newest position of the timeline, in steps
  size_t timeline_bytes;        // memory that the timeline uses, bytes
  int saved;                    // number of scenes that were saved
  int view_version;             // in a replay: number of views that the log has set so far
  Camera camera;                // camera of the newest view
  Style style;
  bool replay_ended;
  int recording;                // number of the present recording, as returned by sim_thread_record
  int frame;                    // index of this frame in the recording; -1: the frame is not recorded
  char recording_trouble[256];  // reason why the next frame cannot be written; the window must then end the recording.
                                // Empty: no error
} SimStatus;

// Settings of a recording; see sim_thread_record.
typedef struct SimRecording {
  double fps;                   // frames per simulated second
  char vtu[SCENE_PATH_LENGTH];  // folder for a VTU series; empty: none
} SimRecording;

typedef struct SimThread {
  Live live;    // used only by the thread; others may read its scene and scene_form after `ready` is set, since these
                // do not change
  Scene scene;  // the scene with which the session starts
  char log[SCENE_PATH_LENGTH];    // file for the input log; empty: none is written
  char state[SCENE_PATH_LENGTH];  // file for the state at the end; empty: none
  InputReader replay;             // input log that is replayed; closed: none
  Device display;                 // device of the positions that are shown
  TripleBuffer positions;         // [node_count][3] float m, a field and vectors, with a SimStatus
  Mailbox commands;
  pthread_t thread;
  pthread_mutex_t lock;  // guards `pinned`, and `recording` while a recording begins or ends
  uint8_t *pinned;       // [pinned_count], marks of the nodes that belong to SimStatus.pin_version; see sim_thread_pins
  int pinned_count;
  SimRecording recording;
  _Atomic int recording_version;  // an odd number means that a recording is running
  _Atomic int frames_taken;       // number of frames of the recording that the window has taken
  _Atomic bool hidden;            // the window is hidden: the thread takes no steps, unless they are recorded or
                                  // replayed
  _Atomic bool ending;            // sim_thread_stop was called: a step, or the building of the session, ends early
  _Atomic double step_since;      // clock time at which the present step began, s; 0: no step is running
  _Atomic bool ready, ended;      // ready: the session exists; ended: the thread has ended by itself, see `error`
  Error error;                    // error of the thread, to be read after `ended` is true or the thread has been
                                  // stopped
} SimThread;

/// Starts a thread that builds the session, sets `ready`, and takes steps, not faster than the scene's speed. `log`,
/// `replay` and `state` are paths of files, or empty. Returns NULL on failure.
SimThread *sim_thread_start(const Scene *scene, const char *log, const char *replay, const char *state, Error *error);

/// Ends the thread and frees everything. Fails with the thread's error. Accepts NULL.
bool sim_thread_stop(SimThread *sim, Error *error);

/// Copies the marks of the nodes (live_marks), [node_count]. Called when SimStatus.pin_version has changed. Returns
/// false if a cut has changed the number of nodes since the status was published; the caller then tries again with the
/// next status.
bool sim_thread_pins(SimThread *sim, uint8_t *pinned, int node_count);

/// Starts a recording. Each frame is published with its index, from 0, and the simulation waits for
/// sim_thread_frame_taken. NULL ends the recording. Returns the number of the recording. SimStatus contains this number
/// too, since frames of the previous recording may still arrive.
int sim_thread_record(SimThread *sim, const SimRecording *recording);
void sim_thread_frame_taken(SimThread *sim, int frame);
