// The last steps of a session, to which a user can return. The timeline stores the whole state before every
// TIMELINE_GAP-th step, and the commands of the mouse between two stored states. Any other state is computed again from
// the last stored state before it, with bit-identical results.
//
// A position is a number of steps since the session began: position k is the state after step k. After any command
// other than a pull of the mouse, the state before the next step is stored. So between two stored states only pulls of
// the mouse must be repeated.
#pragma once
#include "live/command.h"
#include "scene/session.h"

enum { TIMELINE_GAP = 10, TIMELINE_STEPS = 1000 };

// The state at a position.
typedef struct Moment {
  int64_t at;
  SimulationSettings settings;
  Form *form;         // form of the body (mesh and surface) at this position; the Moment holds a reference to it
  double cut_until;   // copy of Session.cut_until
  SessionPull mouse;  // grab of the mouse at this position
  char *bytes;        // [size]: pins, then the output of session_motion_write
  size_t size;
  size_t form_bytes;  // size of `form`, bytes, if this is the first moment with this form; otherwise 0
} Moment;

typedef struct TimedCommand {
  int64_t at;  // number of steps that were taken before the command
  Command command;
} TimedCommand;

// A zeroed Timeline stores nothing.
typedef struct Timeline {
  int64_t steps_max;    // maximum number of stored steps; 0: nothing is stored
  size_t bytes_max;     // maximum number of bytes that the stored states may use
  size_t bytes;         // number of bytes that they use now
  int64_t now, newest;  // present position, and newest stored position
  bool visited;         // the session was moved to position `now`, and has taken no step since
  bool due;             // the state must be stored before the next step
  Moment *moment;       // [moment_count], from the oldest to the newest
  int64_t moment_count, moment_capacity;
  TimedCommand *command;  // [command_count], from the oldest to the newest
  int64_t command_count, command_capacity;
  Moment home;  // the state at the newest position, stored when the user moved back from there; `bytes` is NULL if
                // there is none
  Moment between[TIMELINE_GAP];  // states between two stored moments, which were computed again
  int between_count;
} Timeline;

/// Starts to store up to `steps` steps in up to `bytes` of memory.
void timeline_begin(Timeline *timeline, int64_t steps, size_t bytes);
void timeline_destroy(Timeline *timeline);

/// Returns the oldest position to which the session can return.
int64_t timeline_first(const Timeline *timeline);

/// Called before each command that changes the motion of the body.
bool timeline_note(Timeline *timeline, const Command *command, Error *error);

/// timeline_step_begins is called before each step, and timeline_step_ends after it. `taken` is false if the step
/// failed.
bool timeline_step_begins(Timeline *timeline, Session *session, const SessionPull *mouse, Error *error);
void timeline_step_ends(Timeline *timeline, bool taken);

/// Called before the session moves to another position. Stores the present state, unless the session came to this
/// position by a move and has taken no step from there.
bool timeline_leave(Timeline *timeline, Session *session, const SessionPull *mouse, Error *error);

/// Drops all positions after the present one, because the session continues differently from here.
void timeline_forget_rest(Timeline *timeline);

/// Returns the last stored moment at or before a position, or NULL if there is none.
const Moment *timeline_before(const Timeline *timeline, int64_t position);

/// Stores a state that was computed again, for later moves. Its position is after the moment that timeline_before
/// returns.
bool timeline_keep_between(Timeline *timeline, int64_t position, Session *session, const SessionPull *mouse,
                           Error *error);
void timeline_forget_between(Timeline *timeline);

/// Sets the state of the session and the grab of the mouse to those of a moment.
bool moment_restore(const Moment *moment, Session *session, SessionPull *mouse, Error *error);
