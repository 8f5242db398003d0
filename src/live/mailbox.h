// Commands from the window to the simulation thread: a ring between one sender and one receiver, without locks.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

#include "live/command.h"

enum { MAILBOX_CAPACITY = 256 };  // a power of two

// A zeroed Mailbox is empty. The counts only grow (and wrap round); their difference is the number of commands in the
// ring.
typedef struct Mailbox {
  Command ring[MAILBOX_CAPACITY];
  _Alignas(64) _Atomic unsigned sent;  // cache lines of their own: each is written by one side
  _Alignas(64) _Atomic unsigned taken;
} Mailbox;

/// Sends a command; false when the ring is full, and nothing is sent. Drags use only half of the ring, so
/// that a receiver which is busy for long still gets the release; a drag that is lost is replaced by the next one.
bool mailbox_send(Mailbox *mailbox, const Command *command);

/// For the receiver: whether a command waits for which a long step should be interrupted: any but drags and views,
/// which come all the time.
bool mailbox_urgent(Mailbox *mailbox);

/// Takes the oldest command; false when there is none.
bool mailbox_take(Mailbox *mailbox, Command *command);
