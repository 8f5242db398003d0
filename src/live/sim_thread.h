// The thread that takes the steps of the session that a user controls in a window. The thread sends positions to the
// window by a triple buffer and receives commands by a mailbox (ring buffer). Neither thread waits for the other,
// except while frames are recorded: then the simulation waits until the window has taken each frame.
#pragma once
#include <pthread.h>

#include "device/triple_buffer.h"
#include "live/live.h"
#include "live/mailbox.h"
#include "live/curves.h"
#include "scene/observable.h"

enum { SIM_SERIES_MAX = 16 };  // max number of observables with a plot

// Values of the plots at one time.
typedef struct SimSample {
  float time;                   // s, simulated time
  float value[SIM_SERIES_MAX];  // values of the observables with a plot, in the order of the table `observables`
  // change of linear and angular momentum, kg m/s and kg m^2/s, since the first sample after the user's last command
  float linear, angular;
  float ms[TIMED_STAGES];  // ms, times of the stages of the newest step, see Profile
  float real_time;         // ratio of simulated to real time
} SimSample;
enum { SIM_SAMPLES = 120, SIM_CONTACTS = 32 };  // max number of stored samples; max number of contacts in a status

// State of the session after a step. This state is sent to the window together with the positions.
typedef struct SimStatus {
  StepReport report;  // report of the newest step
  int64_t step;       // number of steps since the initial state; a reset sets it to 0
  double time;        // s, simulated time
  // Means over the last half second.
  double steps_per_s, newton_per_step, cg_per_step;
  double real_time;     // ratio of simulated to real time
  double step_seconds;  // s, duration of the newest step
  // Numbers of steps in the last half second. halved: the step was divided into shorter parts. damped: backward Euler,
  // which damps motion, replaced the chosen integrator. unfinished: Newton's method did not converge.
  int halved, damped, unfinished;
  SimulationSettings settings;  // settings of the simulation after this step
  double speed;                 // largest ratio of simulated to real time, see Scene.speed
  // [SIM_SAMPLES], samples for plots, ten per second; sample k since the start is stored at index k % SIM_SAMPLES
  SimSample sample[SIM_SAMPLES];
  int sample_count;                    // number of samples since the start
  BodyContact contacts[SIM_CONTACTS];  // [contact_count], contacts between bodies at the last sample
  int contact_count;
  char energy[160];  // text of energy_budget_text about the integrator's errors; may be empty
  bool paused;
  char trouble[256];                 // reason why the last step failed and the session paused; empty: no error
  char refused[256];                 // reason why a command was last refused; empty: none was
  int refusals;                      // number of refused commands; the window shows each reason once
  int resets;                        // number of resets by the user since the thread began
  Spring springs[LIVE_SPRINGS_MAX];  // [spring_count], springs that pull now
  int spring_count;
  int64_t drag_frame;  // Command.frame of the newest drag whose effect these positions show
  bool mouse_holds;    // true: the mouse pulls nodes; the last element of `springs` is the mouse's spring
  // number of intersections, see Session.crossings; counted only if surfaces intersect in the initial state, otherwise
  // 0
  int64_t crossings;
  bool contact_yields;          // Session.contact_yields: bodies can be cut although settings.self_contact is true
  double ball_radius, ball[3];  // m, radius and centre of the ball that pushes; radius 0: none
  double mouse_stiffness;       // N/m, stiffness that the simulation chooses for the mouse's pull
  double mouse_force;           // N, force of the mouse's spring at the last sample
  int kept;                     // number of springs that pull after the mouse was released
  int undoable, redoable;       // numbers of changes of pins and pulls that COMMAND_UNDO and COMMAND_REDO can revert
  FieldKind field;              // kind of the field values sent with the positions
  VectorKind vectors;           // kind of the vectors sent with the positions
  // Mesh and surface to which the positions sent with this status belong. A reader that needs this Form after the next
  // status must add a reference by form_hold.
  Form *form;
  int cuts;                    // number of cuts by the user that changed the body
  int64_t cut_at;              // number of steps before the last of these cuts (Live.cut_at)
  int pin_version;             // changes whenever the marks of nodes change, see sim_thread_pins
  int64_t first, now, newest;  // positions on the timeline: oldest to which the user can return; present; newest
  size_t timeline_bytes;       // bytes that the stored states of the timeline use
  int saved;                   // number of saved scenes
  int view_version;            // in a replay: number of views that the log has set
  Camera camera;               // camera of the newest view
  Style style;
  bool replay_ended;
  int recording;                // number of the present recording, from sim_thread_record
  int frame;                    // index of this frame in the recording; -1: not recorded
  char recording_trouble[256];  // reason why the window must end the recording; empty: none
} SimStatus;

// Settings of a recording, in which frames are written to a video or to VTU files; see sim_thread_record.
typedef struct SimRecording {
  double fps;                   // frames per simulated second
  char vtu[SCENE_PATH_LENGTH];  // folder for a VTU series; empty: none
} SimRecording;

// A motion that one simulation thread hands over to another one, see sim_thread_hand_over. Only the thread named by the
// stage may use the other members.
typedef enum HandOverStage {
  HAND_OVER_NONE,     // the window's thread
  HAND_OVER_GIVE,     // the simulation thread, which must pause and write the motion
  HAND_OVER_TAKE,     // the simulation thread, which must continue the motion
  HAND_OVER_DONE,     // the window's thread
  HAND_OVER_REFUSED,  // the window's thread; `why` has the reason
} HandOverStage;

typedef struct HandOver {
  _Atomic int stage;  // a HandOverStage
  _Atomic bool kept;  // true: the simulation thread must drop the bytes, and pause or continue according to `paused`
  char *bytes;        // [size], the motion; owned
  size_t size;
  bool paused;  // the motion shall be paused after it was taken over, or kept
  Error why;
} HandOver;

// The simulation thread, with the data that it shares with the window's thread.
typedef struct SimThread {
  // The simulation thread uses `live`. Once `ready` is set, other threads may read its members scene and scene_form,
  // because these do not change.
  Live live;
  Scene scene;                    // scene with which the session begins
  char log[SCENE_PATH_LENGTH];    // file for the input log; empty: none
  char state[SCENE_PATH_LENGTH];  // file for the final state; empty: none
  InputReader replay;             // input log that is replayed; closed: none
  Device display;                 // device on which the window reads the positions
  TripleBuffer positions;         // [node_count][3] float, m, then a field and vectors; each with a SimStatus
  Mailbox commands;
  Curves curves;  // observables that the user plots; the window's thread may use their functions
  pthread_t thread;
  pthread_mutex_t lock;  // guards `pinned`, and `recording` at its start and end
  uint8_t *pinned;       // [pinned_count], marks of nodes for SimStatus.pin_version, see sim_thread_pins
  int pinned_count;
  SimRecording recording;
  _Atomic int recording_version;  // odd: a recording is running
  _Atomic int frames_taken;       // number of frames of the recording that the window has taken
  HandOver hand_over;
  _Atomic bool hidden;        // the window is hidden: only steps that are recorded or replayed are taken
  _Atomic bool ending;        // sim_thread_stop was called: the present step or the building of the session ends early
  _Atomic double step_since;  // s, clock time at which the present step began; 0: none
  _Atomic bool ready, ended;  // ready: the session exists; ended: the thread has ended because of an error, see `error`
  Error error;                // may be read after `ended` or after the thread was stopped
} SimThread;

/// Starts a thread that creates the session, sets `ready`, and takes steps, not faster than the scene's speed allows.
/// If `paused`, the thread takes no step before it gets a command to continue. log: file for the input log; replay:
/// input log to repeat; state: file for the final state; an empty path means no file. Returns NULL on failure.
SimThread *sim_thread_start(const Scene *scene, bool paused, const char *log, const char *replay, const char *state,
                            Error *error);

/// Ends the thread and frees everything. Fails with the thread's error if the thread failed. Accepts NULL.
bool sim_thread_stop(SimThread *sim, Error *error);

/// Hands the present motion over to the thread `to`, which must be ready and paused, and have a scene of the same mesh.
/// Returns HAND_OVER_NONE until this is done, so the caller must repeat the call. Returns HAND_OVER_DONE if `to`
/// continues the motion, paused or not; `from` is then paused. Returns HAND_OVER_REFUSED with an error if one of the
/// threads has refused. *given: the motion of `from` could be written, so `to` has refused.
HandOverStage sim_thread_hand_over(SimThread *from, SimThread *to, bool paused, bool *given, Error *error);

/// Makes a thread keep the motion that it has handed over, or was about to, and pauses or continues it. Does nothing if
/// the thread has never handed over a motion.
void sim_thread_keep(SimThread *sim, bool paused);

/// Copies the marks of nodes that pictures show, [node_count] bytes: pinned axes, and nodes at which the surface
/// intersects itself (live_marks). Must be called when SimStatus.pin_version has changed. Returns false if the body no
/// longer has node_count nodes, because it was cut after the status was sent. The caller then tries again with the next
/// status.
bool sim_thread_pins(SimThread *sim, uint8_t *pinned, int node_count);

/// Begins a recording of frames for a video, or ends the recording if `recording` is NULL. Each frame is sent with its
/// index, from 0 on, and the simulation then waits for sim_thread_frame_taken. Returns the number of the recording.
/// SimStatus.recording has this number too, which distinguishes its frames from late frames of an earlier recording.
int sim_thread_record(SimThread *sim, const SimRecording *recording);
void sim_thread_frame_taken(SimThread *sim, int frame);
