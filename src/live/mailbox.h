// A ring of commands from the window to the simulation thread: one sender, one receiver, no locks.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

#include "live/command.h"

enum { MAILBOX_CAPACITY = 256 };  // commands; a power of two

// A zeroed Mailbox is empty. The ring holds sent - taken commands; the counts wrap around at 2^32.
typedef struct Mailbox {
  Command ring[MAILBOX_CAPACITY];
  _Alignas(64) _Atomic unsigned sent;   // number of commands that were sent; written only by the sender
  _Alignas(64) _Atomic unsigned taken;  // number of commands that were taken; written only by the receiver
} Mailbox;

/// Sends a command. Returns false if the ring is full. Drags use at most half of the ring, so that a busy receiver
/// still gets the release after them. A drag that is not sent is no loss, since the next one has a newer position.
bool mailbox_send(Mailbox *mailbox, const Command *command);

/// For the receiver: returns true if the ring contains a command that should interrupt a long step. Drags and views
/// arrive all the time and do not interrupt.
bool mailbox_urgent(Mailbox *mailbox);

/// Removes the oldest command from the ring. Returns false if there is none.
bool mailbox_take(Mailbox *mailbox, Command *command);
