// Stores the messages of the window: see message_list.h.
#include "window/message_list.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const double SHOWN = 8;  // s, time for which the picture shows a message
enum { SHOWN_MAX = 4 };         // max number of messages in the picture

void message_list_add(MessageList *l, HudMessageKind kind, const char *text, double now) {
  HudMessage m = { .kind = kind };
  const time_t today = time(NULL);
  struct tm local;
  snprintf(m.text, sizeof m.text, "%s", text);
  if (localtime_r(&today, &local)) strftime(m.time, sizeof m.time, "%H:%M:%S", &local);
  const bool again = l->count > 0 && strcmp(l->message[l->count - 1].text, m.text) == 0;
  if (!again && l->count == MESSAGES_MAX) {
    l->count--;
    memmove(l->message, l->message + 1, sizeof *l->message * (size_t)l->count);
    memmove(l->until, l->until + 1, sizeof *l->until * (size_t)l->count);
  }
  if (!again) l->count++;
  l->added++;
  l->message[l->count - 1] = m;
  l->until[l->count - 1] = now + SHOWN;
}

void message_list_show(const MessageList *l, double now, HudNotices *notices) {
  for (int k = l->count > SHOWN_MAX ? l->count - SHOWN_MAX : 0; k < l->count; k++)
    if (now < l->until[k]) hud_notices_add(notices, l->message[k].kind, l->message[k].text);
}

bool message_list_changes(const MessageList *l, double before, double now) {
  for (int k = 0; k < l->count; k++)
    if (before < l->until[k] && l->until[k] <= now) return true;
  return false;
}
