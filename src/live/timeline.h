// Stores the last steps of a session, so that the user can return to each of these steps. A position is a number of
// steps since the session began. The whole state is stored at every TIMELINE_GAP-th position, and the mouse commands at
// all positions. To return to a position, the session restores the last state stored before it. It then repeats the
// steps and the mouse commands in between, with bit-identical results. Commands other than pulls by the mouse are not
// repeated. Instead, the state after such a command is stored too.
#pragma once
#include "live/command.h"
#include "scene/session.h"

// TIMELINE_GAP: steps between stored states; TIMELINE_STEPS: steps to which the user can return
enum { TIMELINE_GAP = 10, TIMELINE_STEPS = 1000 };

// The state of a session at one position.
typedef struct Moment {
  int64_t at;  // position of the state on the timeline: number of steps since the session began
  SimulationSettings settings;
  Form *form;         // mesh of the body (form.h); the Moment holds a reference
  double cut_until;   // value of Session.cut_until at this position
  SessionPull mouse;  // nodes that the mouse pulls at this position
  char *bytes;        // [size]: the pins, then the output of session_motion_write
  size_t size;
  size_t form_bytes;  // bytes of `form`, if no older stored Moment has the same form; otherwise 0
} Moment;

// A mouse command and its position. If the user returns to an earlier position and the steps are repeated, the command
// is applied again at its position.
typedef struct TimedCommand {
  int64_t at;  // position: number of steps before the command
  Command command;
} TimedCommand;

// The stored states and mouse commands of a session. A zeroed Timeline stores nothing.
typedef struct Timeline {
  int64_t steps_max;    // number of newest steps to which the user can return; 0: nothing is stored
  size_t bytes_max;     // limit of `bytes`
  size_t bytes;         // bytes that the stored states use
  int64_t now, newest;  // present position; newest position to which the user can return
  bool visited;         // the user has moved to position `now` and taken no step since
  bool due;             // the state must be stored before the next step
  Moment *moment;       // [moment_count], stored states, the oldest first
  int64_t moment_count, moment_capacity;
  TimedCommand *command;  // [command_count], the oldest first
  int64_t command_count, command_capacity;
  Moment home;  // state at the newest position, stored when the user left it; `bytes` is NULL if there is none
  Moment between[TIMELINE_GAP];  // states after repeated steps, which lie between two elements of `moment`
  int between_count;
} Timeline;

/// Starts to store states, so that the user can return to the last `steps` steps. If the states need more than `bytes`
/// bytes, the oldest ones are dropped.
void timeline_begin(Timeline *timeline, int64_t steps, size_t bytes);
void timeline_destroy(Timeline *timeline);

/// Returns the oldest position to which the session can return; a position is a number of steps.
int64_t timeline_first(const Timeline *timeline);

/// Must be called before each command that can change the motion of the body. Stores a mouse command with the present
/// position (number of steps taken). For any other command, requests that the state before the next step is stored.
bool timeline_note(Timeline *timeline, const Command *command, Error *error);

/// timeline_step_begins must be called before each step. It stores the session's state if TIMELINE_GAP steps have
/// passed since the last stored state, or if timeline_note has requested a stored state. `mouse` is the present pull by
/// the mouse. timeline_step_ends must be called after each step. `taken`: the step succeeded.
bool timeline_step_begins(Timeline *timeline, Session *session, const SessionPull *mouse, Error *error);
void timeline_step_ends(Timeline *timeline, bool taken);

/// Stores the present state in timeline->home, so that the user can return to this state. Must be called before the
/// session moves to an earlier or later step. Does nothing if the present position was reached by such a move and no
/// step was taken since.
bool timeline_leave(Timeline *timeline, Session *session, const SessionPull *mouse, Error *error);

/// Drops all stored states and commands from the present position on. Must be called when the session continues
/// differently from there.
void timeline_drop_rest(Timeline *timeline);

/// Returns the stored state from which the session repeats steps to reach `position`; NULL: no state is stored. If
/// timeline->home or an element of timeline->between has exactly this position, the result is this state, and no step
/// is repeated. Otherwise the result is the last state in timeline->moment before the position. A state in `moment` at
/// the position itself is not used, because it contains the effect of commands that the user gave there. Exception: if
/// no state lies before the position, the result is the oldest state in `moment`.
const Moment *timeline_before(const Timeline *timeline, int64_t position);

/// Stores the state at a position that the session has reached by repeated steps, so that later moves along the
/// timeline may start from this state. Does nothing if TIMELINE_GAP such states are stored.
bool timeline_keep_between(Timeline *timeline, int64_t position, Session *session, const SessionPull *mouse,
                           Error *error);
void timeline_drop_between(Timeline *timeline);

/// Restores a state that the timeline has stored: sets the session to `moment`, and *mouse to the mouse's pull in this
/// state.
bool moment_restore(const Moment *moment, Session *session, SessionPull *mouse, Error *error);
