// Carries commands from the window to the simulation thread: a ring with one sender and one receiver, without locks.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

#include "live/command.h"

enum { MAILBOX_CAPACITY = 256 };  // a power of two

// A zeroed Mailbox is empty. `sent` and `taken` are numbers of commands so far; they wrap around at 2^32. Their
// difference is the number of commands in the ring.
typedef struct Mailbox {
  Command ring[MAILBOX_CAPACITY];
  _Alignas(64) _Atomic unsigned sent;  // the two counts are on separate cache lines, since each is written by another
                                       // thread
  _Alignas(64) _Atomic unsigned taken;
} Mailbox;

/// Sends a command. Returns false, and sends nothing, if the ring is full. Drags use at most half of the ring, so that
/// the release that follows fits if the receiver is busy. A drag that is not sent is no loss, since the next drag has a
/// newer position.
bool mailbox_send(Mailbox *mailbox, const Command *command);

/// Called by the receiver. Returns true if the ring contains a command that should interrupt a long step. Drags and
/// views do not interrupt a step, since they arrive all the time.
bool mailbox_urgent(Mailbox *mailbox);

/// Takes the oldest command. Returns false if there is none.
bool mailbox_take(Mailbox *mailbox, Command *command);
