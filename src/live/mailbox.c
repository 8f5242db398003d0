// The ring of commands: see mailbox.h.
#include "live/mailbox.h"

bool mailbox_send(Mailbox *mailbox, const Command *command) {
  const unsigned sent = atomic_load_explicit(&mailbox->sent, memory_order_relaxed);
  const unsigned waiting = sent - atomic_load_explicit(&mailbox->taken, memory_order_acquire);
  const bool outdated_by_next = command->kind == COMMAND_DRAG || command->kind == COMMAND_VIEW;
  const unsigned room = outdated_by_next ? MAILBOX_CAPACITY / 2 : MAILBOX_CAPACITY;
  if (waiting >= room) return false;
  mailbox->ring[sent % MAILBOX_CAPACITY] = *command;
  atomic_store_explicit(&mailbox->sent, sent + 1, memory_order_release);
  return true;
}

bool mailbox_take(Mailbox *mailbox, Command *command) {
  const unsigned taken = atomic_load_explicit(&mailbox->taken, memory_order_relaxed);
  if (taken == atomic_load_explicit(&mailbox->sent, memory_order_acquire)) return false;
  *command = mailbox->ring[taken % MAILBOX_CAPACITY];
  atomic_store_explicit(&mailbox->taken, taken + 1, memory_order_release);
  return true;
}
