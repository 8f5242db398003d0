// What the window tells the simulation thread: a ring of commands between one sender and one receiver, without locks.
#pragma once
#include <stdatomic.h>
#include <stdbool.h>

#include "live/command.h"

enum { MAILBOX_CAPACITY = 256 };  // a power of two

// A zeroed Mailbox is empty. The counts only grow (and wrap round); their difference is what lies in the ring.
typedef struct Mailbox {
  Command ring[MAILBOX_CAPACITY];
  _Alignas(64) _Atomic unsigned sent;  // cache lines of their own: each is written by one side
  _Alignas(64) _Atomic unsigned taken;
} Mailbox;

/// Sends a command; false when the ring is full, and nothing is sent. Drags leave half of the ring to all else, so that
/// a receiver which is busy for long still hears of the release: a drag that found no room is outdated by the next.
bool mailbox_send(Mailbox *mailbox, const Command *command);

/// Whether a command waits that a long step should not keep waiting: any but drags and views, which come all the time. For the
/// receiver.
bool mailbox_urgent(Mailbox *mailbox);

/// Takes the oldest command; false when there is none.
bool mailbox_take(Mailbox *mailbox, Command *command);
