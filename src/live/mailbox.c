// A ring buffer of commands from the window to the simulation thread, without locks: see mailbox.h.
#include "live/mailbox.h"

static bool outdated_by_next(const Command *command) {
  return command->kind == COMMAND_DRAG || command->kind == COMMAND_VIEW;
}

bool mailbox_send(Mailbox *mailbox, const Command *command) {
  const unsigned sent = atomic_load_explicit(&mailbox->sent, memory_order_relaxed);
  const unsigned waiting = sent - atomic_load_explicit(&mailbox->taken, memory_order_acquire);
  const unsigned capacity = outdated_by_next(command) ? MAILBOX_CAPACITY / 2 : MAILBOX_CAPACITY;
  if (waiting >= capacity) return false;
  mailbox->ring[sent % MAILBOX_CAPACITY] = *command;
  atomic_store_explicit(&mailbox->sent, sent + 1, memory_order_release);
  return true;
}

bool mailbox_urgent(Mailbox *mailbox) {
  const unsigned sent = atomic_load_explicit(&mailbox->sent, memory_order_acquire);
  for (unsigned k = atomic_load_explicit(&mailbox->taken, memory_order_relaxed); k != sent; k++)
    if (!outdated_by_next(&mailbox->ring[k % MAILBOX_CAPACITY])) return true;
  return false;
}

bool mailbox_take(Mailbox *mailbox, Command *command) {
  const unsigned taken = atomic_load_explicit(&mailbox->taken, memory_order_relaxed);
  if (taken == atomic_load_explicit(&mailbox->sent, memory_order_acquire)) return false;
  *command = mailbox->ring[taken % MAILBOX_CAPACITY];
  atomic_store_explicit(&mailbox->taken, taken + 1, memory_order_release);
  return true;
}
