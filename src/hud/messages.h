// Lines of text below the first line of the window, and the window that lists all messages.
#pragma once
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Kinds of messages, each of which has a colour.
typedef enum HudMessageKind { HUD_INFORMATION, HUD_WARNING, HUD_ERROR, HUD_MESSAGE_KINDS } HudMessageKind;

enum { HUD_MESSAGE_TEXT = 400, HUD_NOTICES_MAX = 12 };

typedef struct HudMessage {
  HudMessageKind kind;
  char time[12];  // time of day, such as "14:05:09"; empty: none
  char text[HUD_MESSAGE_TEXT];
} HudMessage;

// Lines below the first line of the window, from the top. The first `lasting` lines describe the present state, such as
// warnings and progress. The lines after them are messages, the newest last. If the window is too small for all lines,
// the oldest messages are not drawn.
typedef struct HudNotices {
  HudMessage line[HUD_NOTICES_MAX];  // [count]
  int count, lasting;
} HudNotices;

// The window that lists all messages. The caller fills it before hud_draw, which stores the user's clicks in it.
typedef struct HudMessageList {
  const HudMessage *message;  // [count], the oldest first
  int count;
  bool moved;         // the list scrolls to the newest message
  bool clear, close;  // buttons that were pressed in this frame
} HudMessageList;

/// Adds a line of text, which must be the last one of its kind of lines, see HudNotices. Does nothing if there are
/// HUD_NOTICES_MAX lines already.
void hud_notices_add(HudNotices *notices, HudMessageKind kind, const char *text);

/// Draws the lines from (left, top) down to at most the y coordinate `lowest`, wrapped at the width `wrap`, pixels.
/// Returns the y coordinate at which the next text begins.
float hud_notices_draw(const HudNotices *notices, float left, float top, float lowest, float wrap);

/// Draws the newest line above all widgets, for windows without space beside the panel. bottom: lower edge of its
/// rectangle, pixels.
void hud_newest_notice_draw(const HudNotices *notices, float left, float bottom, float wrap);

/// Draws the list in the middle of the space between the x coordinates `left` and `right`. These, the height of the
/// window and the margin are in pixels. All three functions must be called within a frame of Dear ImGui.
void hud_message_list_draw(HudMessageList *list, float left, float right, float height, float margin);

#ifdef __cplusplus
}
#endif
