// The messages of the window. The window shows the newest ones for some seconds, and a list of all of them on demand.
#pragma once
#include <stdint.h>

#include "hud/messages.h"

enum { MESSAGES_MAX = 100 };

typedef struct MessageList {
  HudMessage message[MESSAGES_MAX];  // [count], the oldest first; more messages replace the oldest ones
  double until[MESSAGES_MAX];        // s, clock time at which the message disappears from the picture
  int count;
  int64_t added;  // number of all messages so far
} MessageList;

/// Adds a message at the clock time `now`. If the newest message has the same text, shows this message again instead.
void message_list_add(MessageList *list, HudMessageKind kind, const char *text, double now);

/// Adds the messages that the picture shows at the clock time `now` to the window's lines.
void message_list_show(const MessageList *list, double now, HudNotices *notices);

/// Returns true if a message disappears from the picture after the clock time `before`, and not later than `now`.
bool message_list_changes(const MessageList *list, double before, double now);
