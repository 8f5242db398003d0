// A session that a user controls by commands. The window's simulation thread and the replay of an input log use these
// functions. Equal commands at equal steps give bit-identical results.
#pragma once
#include "live/command.h"
#include "live/drag_springs.h"
#include "live/hold_history.h"
#include "live/input_log.h"
#include "live/timeline.h"
#include "render/environment_light.h"
#include "scene/session.h"

enum { LIVE_SPRINGS_MAX = SCENE_PARTS_MAX + SESSION_PULLS_MAX + 1 };

typedef struct Live {
  Session session;
  int64_t steps_taken;       // number of steps since the session began; a reset does not clear it
  double elapsed;            // s, simulated time of all steps since the session began
  SessionPull mouse;         // nodes that the mouse pulls now; `session` has the pulls that stay without the mouse
  int64_t drag_frame;        // Command.frame of the newest drag
  int pin_version;           // changes whenever session.pinned or session.crossing changes, which pictures show
  bool crossed;              // the surface intersected itself after the newest step
  bool paused, single_step;  // paused: no steps are taken; single_step: one step is taken nevertheless
  double speed;              // largest ratio of simulated to real time, see Scene.speed
  Camera camera;
  Style style;
  int saved;          // number of COMMAND_SAVEs that succeeded
  int view_version;   // number of COMMAND_VIEWs that were applied
  char refused[256];  // reason why the last command was not applied or not logged; empty: it was applied and logged
  int refusals;       // number of commands that were not applied or not logged
  bool log_refused;   // `refused` has reported once that the log could not be written; it is not reported again
  EnvironmentLight *environment;  // light of the surroundings in pictures; NULL: a simple sky; owned
  DragSprings drags;
  HoldHistory holds;  // undo history of pins and pulls; empty after a cut, or a return to a time before a cut
  int resets;         // number of COMMAND_RESETs that were applied
  int cuts;           // number of COMMAND_CUTs that changed the body
  int64_t cut_at;     // Timeline.now (number of steps) at the last cut that changed the body; 0 before the first cut
  int form_changes;   // value of Session.form_changes that see_form has processed
  Timeline timeline;  // the last steps, to which the user can return; empty before live_keep_history
  InputLog log;       // log of the commands; closed: none is written
} Live;

/// Creates a session of the scene. `live` must be zeroed.
bool live_create(Live *live, const Scene *scene, Error *error);

/// As live_create, for a scene that input_reader_open has read from a log of a user's commands. Messages of failures
/// contain the log's name. Fails if the mesh has changed since the log was written. If `reader` is closed, this
/// function is equal to live_create.
bool live_create_logged(Live *live, const Scene *scene, const InputReader *reader, Error *error);
void live_destroy(Live *live);

/// Enables COMMAND_GO, by which the user returns to an earlier step; must be called before the first step. From then
/// on, the session's state is stored at every TIMELINE_GAP-th step. The session can return to any of the last
/// TIMELINE_STEPS steps, and then continues with bit-identical results. If the states need more than an eighth of the
/// host's free memory, the oldest ones are dropped.
void live_keep_history(Live *live);

/// Writes the present motion to memory, and takes it over in another session of the same mesh (session_hand_over). The
/// caller frees *bytes, also after a failure. If live_take_over fails, the session can no longer be used.
bool live_hand_over(Live *live, char **bytes, size_t *size, Error *error);
bool live_take_over(Live *live, const char *bytes, size_t size, Error *error);

/// Starts an input log, to which all commands are written. If a write fails later, a notice is printed, and the session
/// continues without a log.
bool live_log(Live *live, const char *path, Error *error);

/// Closes the input log (file with the user's commands). Fails if any write to the log has failed.
bool live_log_end(Live *live, Error *error);

/// Applies a command between two steps. If the command is not possible, for example because settings are invalid,
/// stores the reason in live->refused and succeeds. Fails if the device fails or memory is short.
bool live_apply(Live *live, const Command *command, Error *error);

/// Reads the next command of an input log (file with the user's commands) if it is due before the next step. Returns
/// false if no command is due, or on an error. Logged commands to pause or to take a single step are skipped, because
/// in a replay the present user pauses and steps.
bool live_next_logged(const Live *live, InputReader *reader, Command *command, Error *error);

/// Takes one step. If the step fails, the session keeps the state before the step. If the step was interrupted
/// (NEWTON_STOPPED), steps_taken does not count it, and the caller may apply commands and then take the step again.
bool live_step(Live *live, StepReport *report, Error *error);

/// Queues copies of the data from which the surface is drawn: positions and, if the style shows them, a field and
/// vectors. They are copied into `memory`, on the simulation's device, and arranged as for surface_renderer_update.
bool live_write_picture(Live *live, float *memory, Error *error);

/// Sets *radius, m, and the centre middle [3], m, of the ball with which the user pushes the body, a rigid sphere that
/// follows the mouse. Returns false if the mouse pushes no ball now.
bool live_ball(const Live *live, double *radius, double middle[3]);

/// Computes marks [node_count], one byte per node, for pictures: bits 0 to 2 are set for pinned axes x, y and z;
/// MARK_CROSSES is set if the surface intersects itself at the node.
void live_marks(const Live *live, uint8_t *marks);

/// Lists all springs that pull now, for pictures: springs of the scene's drags (parts of a body pulled along a path),
/// springs that the user has kept after releasing the mouse (COMMAND_KEEP), and the spring of the mouse.
void live_springs(Live *live, Spring springs[LIVE_SPRINGS_MAX], int *count);
