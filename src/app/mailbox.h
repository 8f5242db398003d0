// What the window tells the simulation thread: a ring of commands between one sender and one receiver, without locks.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

#include "sim/simulation.h"

enum { MAILBOX_CAPACITY = 256 };  // a power of two

typedef enum CommandKind {
  COMMAND_GRAB,     // X, radius, stiffness: take hold of the body with the mouse; lets go of what it held
  COMMAND_DRAG,     // offset: where the held patch is pulled to
  COMMAND_RELEASE,  // let go
  COMMAND_PAUSE,    // pause, or go on
  COMMAND_STEP,     // one step, and pause
  COMMAND_RESET,    // back to rest
  COMMAND_ADJUST,   // settings and speed, as session_adjust takes them
  COMMAND_QUIT,
} CommandKind;

typedef struct Command {
  CommandKind kind;
  double X[3];               // m, a point of the undeformed body
  double offset[3];          // m, from where the patch was when grabbed
  double radius, stiffness;  // m and N/m; stiffness 0: simulation_mouse_stiffness
  SimulationSettings settings;
  double speed;  // simulated seconds per second at most; 0: as fast as it goes
} Command;

// A zeroed Mailbox is empty. The counts only grow (and wrap round); their difference is what lies in the ring.
typedef struct Mailbox {
  Command ring[MAILBOX_CAPACITY];
  _Alignas(64) _Atomic unsigned sent;  // cache lines of their own: each is written by one side
  _Alignas(64) _Atomic unsigned taken;
} Mailbox;

/// Sends a command; false when the ring is full, and nothing is sent. Drags leave half of the ring to all else, so that
/// a receiver which is busy for long still hears of the release: a drag that found no room is outdated by the next.
bool mailbox_send(Mailbox *mailbox, const Command *command);

/// Takes the oldest command; false when there is none.
bool mailbox_take(Mailbox *mailbox, Command *command);
