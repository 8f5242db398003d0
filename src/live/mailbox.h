// A ring buffer of commands from the window to the simulation thread: one sender, one receiver, no locks.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

#include "live/command.h"

enum { MAILBOX_CAPACITY = 256 };  // number of commands; must be a power of two

// Command k, counted from 0, is stored in ring[k % MAILBOX_CAPACITY]. (sent - taken) commands wait in the ring. Both
// counts wrap around at 2^32. A zeroed Mailbox is empty.
typedef struct Mailbox {
  Command ring[MAILBOX_CAPACITY];
  _Alignas(64) _Atomic unsigned sent;   // number of commands that were sent; written only by the sender
  _Alignas(64) _Atomic unsigned taken;  // number of commands that were taken; written only by the receiver
} Mailbox;

/// Adds a command to the ring. Returns false if the ring is full. Commands that move the pulled patch (nodes near the
/// picked point) or the camera may use only half of the ring, so that the command to release the patch still fits while
/// the receiver is busy. A lost movement does no harm, because the next movement has a newer position.
bool mailbox_send(Mailbox *mailbox, const Command *command);

/// Called by the receiver during a long step. Returns true if a waiting command should interrupt the step. Commands
/// that move the pulled patch (nodes near the picked point) or the camera do not interrupt, because the window sends
/// them all the time.
bool mailbox_urgent(Mailbox *mailbox);

/// Removes the oldest command from the ring. Returns false if there is none.
bool mailbox_take(Mailbox *mailbox, Command *command);
