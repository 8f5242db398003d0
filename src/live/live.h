// A session under the user's hand: what each command does to it. The window's simulation thread and the replay of an
// input log both drive one; the same commands before the same steps give the same bits.
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
  int64_t steps_taken;  // since the session began; a reset does not count back
  double elapsed;       // s, simulated in them
  SessionPull mouse;    // what the mouse holds; what it held and keeps pulled is the session's
  int64_t drag_frame;   // Command.frame of the last drag
  int pin_version;      // changes with session.pinned and session.crossing
  bool crossed;         // the surface went through itself after the last step
  bool paused, single_step;
  double speed;  // see Scene.speed
  Camera camera;
  Style style;
  int saved;          // counts the COMMAND_SAVEs that were done
  int view_version;   // counts COMMAND_VIEWs
  char refused[256];  // why the last command could not be done, or not be logged; empty: it was
  int refusals;       // number of commands so far that ended with such a reason
  bool log_refused;   // the fault of the log has been such a reason once
  DragSprings drags;
  HoldHistory holds;  // changes of what holds the body, since it was cut last or put back to before a cut
  int resets;         // number of COMMAND_RESETs that were done
  int cuts;           // COMMAND_CUTs that did something,
  int64_t cut_at;     // and where on the timeline the last of them was
  int form_changes;   // of the session, as they have been seen here
  Timeline timeline;  // the last steps, see live_remember
  InputLog log;       // closed: nothing is written down
} Live;

/// Builds the session. `live` must be zero.
bool live_create(Live *live, const Scene *scene, Error *error);

/// As live_create, of the scene that a log says; messages name the log. Fails where its mesh has changed. With a closed
/// reader it is live_create.
bool live_create_logged(Live *live, const Scene *scene, const InputReader *reader, Error *error);
void live_destroy(Live *live);

/// From now on the last TIMELINE_STEPS steps, or as many as an eighth of the host's free memory holds, can be gone back
/// to (COMMAND_GO), and continued from with the same bits. To be called before the first step. Costs the reading of the
/// state once in TIMELINE_GAP steps.
void live_remember(Live *live);

/// From now on writes all commands into an input log. Where that fails later (a full disk) a notice says so, and the
/// session goes on without a log.
bool live_log(Live *live, const char *path, Error *error);

/// Ends the log. Fails where writing it has failed.
bool live_log_end(Live *live, Error *error);

/// Does what a command says, before the next step. What cannot be done, such as settings out of range, is no failure:
/// live->refused says why. It fails where the device does, or memory is lacking.
bool live_apply(Live *live, const Command *command, Error *error);

/// The next command that a log has before the next step; false when there is none, or an error. Pauses and single steps
/// are left out: a replay has its own pace.
bool live_next_logged(const Live *live, InputReader *reader, Command *command, Error *error);

/// One step. A step that cannot be taken fails, and the state is that before it. One that was interrupted
/// (NEWTON_STOPPED) was not begun: no log counts it, and it can be taken after the commands that come next.
bool live_step(Live *live, StepReport *report, Error *error);

/// Queues the writing of positions and, where the style has them, field and vectors: what surface_renderer_update
/// takes. `memory` is on the simulation's device.
bool live_write_picture(Live *live, float *memory, Error *error);

/// Where the ball is with which the mouse pushes, m; false: it does not.
bool live_ball(const Live *live, double *radius, double middle[3]);

/// What pictures mark of each node [node_count]: its pins, and MARK_CROSSES where the surface goes through itself.
void live_marks(const Live *live, uint8_t *marks);

/// All springs that pull now, script's, kept ones and the mouse's.
void live_springs(Live *live, Spring springs[LIVE_SPRINGS_MAX], int *count);
