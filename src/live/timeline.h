// The last steps of a session, to go back to: the whole state before every TIMELINE_GAP-th of them, and what the mouse
// did in between. A step in between is computed again from the state before it, which gives the same bits.
//
// Steps are counted from when the session began, whatever is done to it; position k is behind the k-th step. Whatever
// else a user does between two steps than pull has the state kept again before the next one, so that only pulls are
// ever done again.
#pragma once
#include "live/command.h"
#include "scene/session.h"

enum { TIMELINE_GAP = 10, TIMELINE_STEPS = 1000 };

// The state at a position.
typedef struct Moment {
  int64_t at;
  SimulationSettings settings;
  Form *form;         // that the body was in, held
  double cut_until;   // see Session
  SessionPull mouse;  // what the mouse holds
  char *bytes;        // [size]: pins, and what session_motion_write writes
  size_t size;
  size_t form_bytes;  // of its form, where it is the first moment that has it
} Moment;

typedef struct TimedCommand {
  int64_t at;  // done between the steps `at` and `at` + 1
  Command command;
} TimedCommand;

// A zeroed Timeline remembers nothing.
typedef struct Timeline {
  int64_t steps_max;    // how many steps are remembered; 0: none
  size_t bytes_max;     // and how much they may take
  size_t bytes;         // what they take
  int64_t now, newest;  // where the session is, and the last position there is
  bool visited;         // the session was put where it is, and no step taken since
  bool due;             // the next step needs the state before it
  Moment *moment;       // [moment_count], from the oldest on
  int64_t moment_count, moment_capacity;
  TimedCommand *command;  // [command_count], likewise
  int64_t command_count, command_capacity;
  Moment home;  // the newest position as it was left, with all that was done since the step before it; no bytes: none
  Moment between[TIMELINE_GAP];  // positions behind one moment that have been computed again
  int between_count;
} Timeline;

/// From now on up to `steps` steps are remembered, as far as `bytes` suffice for them.
void timeline_begin(Timeline *timeline, int64_t steps, size_t bytes);
void timeline_destroy(Timeline *timeline);

/// The oldest position that can be gone to.
int64_t timeline_first(const Timeline *timeline);

/// To be called with each command that moves the body otherwise than steps do, before it is done.
bool timeline_note(Timeline *timeline, const Command *command, Error *error);

/// To be called before each step, and then with whether it was taken.
bool timeline_step_begins(Timeline *timeline, Session *session, const SessionPull *mouse, Error *error);
void timeline_step_ends(Timeline *timeline, bool taken);

/// To be called before the session is put elsewhere: remembers where it is, unless it was only put there.
bool timeline_leave(Timeline *timeline, Session *session, const SessionPull *mouse, Error *error);

/// Forgets what lies behind the present position: the session goes on in another way from here.
void timeline_forget_rest(Timeline *timeline);

/// The moment from which a position is reached soonest: it, or the last one before it. NULL: there is none.
const Moment *timeline_before(const Timeline *timeline, int64_t position);

/// Keeps the state at a position behind `timeline_before` for the next time.
bool timeline_keep_between(Timeline *timeline, int64_t position, Session *session, const SessionPull *mouse,
                           Error *error);
void timeline_forget_between(Timeline *timeline);

/// Puts the session, and what the mouse holds, into a moment.
bool moment_restore(const Moment *moment, Session *session, SessionPull *mouse, Error *error);
