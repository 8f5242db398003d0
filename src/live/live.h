// A session that a user controls by commands. The window's simulation thread and the replay of an input log both use
// it. Equal commands at equal steps give bit-identical results.
#pragma once
#include "live/command.h"
#include "live/drag_springs.h"
#include "live/hold_history.h"
#include "live/input_log.h"
#include "live/timeline.h"
#include "scene/session.h"

enum { LIVE_SPRINGS_MAX = SCENE_PARTS_MAX + SESSION_PULLS_MAX + 1 };

typedef struct Live {
  Session session;
  int64_t steps_taken;  // number of steps since the session began; a reset does not set it to 0
  double elapsed;       // s, simulated time of the steps in steps_taken
  SessionPull mouse;    // the grab of the mouse; kept pulls are stored in `session`
  int64_t drag_frame;   // Command.frame of the last drag of the mouse
  int pin_version;      // a number that changes whenever session.pinned or session.crossing changes
  bool crossed;         // the surface intersected itself after the last step
  bool paused, single_step;
  double speed;  // limit of the speed: see Scene.speed
  Camera camera;
  Style style;
  int saved;          // number of COMMAND_SAVEs that succeeded
  int view_version;   // number of COMMAND_VIEWs so far
  char refused[256];  // reason why the last command was refused or not logged; empty: the command was applied and
                      // logged
  int refusals;       // number of commands so far that were refused or not logged
  bool log_refused;   // the log's fault was reported in `refused`, which happens only once
  DragSprings drags;
  HoldHistory holds;  // changes of pins and pulls since the last cut, or since a move back to a time before a cut
  int resets;         // number of COMMAND_RESETs that were applied
  int cuts;           // number of COMMAND_CUTs that changed the body
  int64_t cut_at;     // position on the timeline of the last of these cuts
  int form_changes;   // value of Session.form_changes up to which this object has processed changes of the form
  Timeline timeline;  // the last steps, to which the user can return; see live_remember
  InputLog log;       // input log of the session; closed: no log is written
} Live;

/// Builds the session. `live` must be zero.
bool live_create(Live *live, const Scene *scene, Error *error);

/// As live_create, for the scene of an input log; messages contain the log's name. Fails if the mesh has changed since
/// the log was written. If `reader` is closed, this is live_create.
bool live_create_logged(Live *live, const Scene *scene, const InputReader *reader, Error *error);
void live_destroy(Live *live);

/// Enables COMMAND_GO. From now on states are stored, so that the session can return to any of the last TIMELINE_STEPS
/// steps, and continue from there with bit-identical results. If these states need more than an eighth of the host's
/// free memory, fewer are kept. Called before the first step. Every TIMELINE_GAP steps the state is read from the
/// device.
void live_remember(Live *live);

/// Starts an input log of all commands. If writing fails later, for example because the disk is full, a notice reports
/// this, and the session continues without a log.
bool live_log(Live *live, const char *path, Error *error);

/// Ends the log. Fails if writing has failed.
bool live_log_end(Live *live, Error *error);

/// Applies a command before the next step. If a command cannot be applied, for example because settings are out of
/// range, this is no failure, and live->refused has the reason. Fails if the device fails or memory is short.
bool live_apply(Live *live, const Command *command, Error *error);

/// Reads the log's next command before the next step. Returns false if there is none, or on an error. Skips pauses and
/// single steps, since a replay is not paced by the log.
bool live_next_logged(const Live *live, InputReader *reader, Command *command, Error *error);

/// Takes one step. If the step fails, the session keeps the state before the step. An interrupted step (NEWTON_STOPPED)
/// counts as not begun: the log does not count it, and the step can be taken after the next commands.
bool live_step(Live *live, StepReport *report, Error *error);

/// Writes positions and, if the style shows them, field and vectors to `memory`, in the layout of
/// surface_renderer_update. `memory` is on the simulation's device, and the work is queued.
bool live_write_picture(Live *live, float *memory, Error *error);

/// Writes radius and centre of the ball with which the mouse pushes, m. Returns false if the mouse does not push.
bool live_ball(const Live *live, double *radius, double middle[3]);

/// Computes the marks of each node [node_count] for pictures: bits of its pinned axes, and MARK_CROSSES if the surface
/// intersects itself at the node.
void live_marks(const Live *live, uint8_t *marks);

/// Lists all springs that pull now: springs of the scene's drags, springs that stay without the mouse, and the spring
/// of the mouse.
void live_springs(Live *live, Spring springs[LIVE_SPRINGS_MAX], int *count);
