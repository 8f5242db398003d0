// Messages from the page to the server, JSON objects such as
//   {"do":"press", "at":[x,y], "button":0, "shift":false, "control":false, "twice":false}
//   {"do":"move", "at":[x,y]}
//   {"do":"release", "at":[x,y], "button":0}
//   {"do":"wheel", "at":[x,y], "notches":1}
//   {"do":"seen", "frame":17}      the page shows this frame
//   {"do":"act", "name":"pause"}   runs an action, see actions.h
//   {"do":"set", "name":"field", "value":"von_mises"}   changes a setting, see settings.h
//   {"do":"go", "step":120}        moves to a step of the timeline
//   {"do":"fit", "size":[w,h]}     has space for a picture of this size, pixels
//   {"do":"save"}                  writes a scene file, see saving.h
// Edits of the scene, see editing.h. The members "list" and "index" name the entry that becomes the selected one, as in
// scene_edit.h.
//   {"do":"select", "list":"pins", "index":0}
//   {"do":"add", "list":"", "index":0, "name":"sphere"}   adds an entry of this kind
//   {"do":"duplicate", "list":"bodies", "index":1}
//   {"do":"delete", "list":"bodies", "index":1}
//   {"do":"write", "list":"bodies", "index":1, "name":"place", "text":"0, 0, 1"}   changes a key
// Positions are pixels of the picture, from its upper left corner. `twice` marks the second press of a double click.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef enum MessageKind {
  MESSAGE_PRESS,
  MESSAGE_MOVE,
  MESSAGE_RELEASE,
  MESSAGE_WHEEL,
  MESSAGE_SEEN,
  MESSAGE_ACT,
  MESSAGE_SET,
  MESSAGE_GO,
  MESSAGE_SAVE,
  MESSAGE_FIT,
  MESSAGE_SELECT,
  MESSAGE_ADD,
  MESSAGE_DUPLICATE,
  MESSAGE_DELETE,
  MESSAGE_WRITE,
} MessageKind;

enum { MESSAGE_NAME = 40, MESSAGE_VALUE = 256, MESSAGE_LIST = 16, MESSAGE_TEXT = 1024 };

typedef struct Message {
  MessageKind kind;
  double at[2];  // position of the mouse in the picture, pixels from its upper left corner
  int button;    // button of the mouse: 0 left, 1 middle, 2 right
  bool shift, control, twice;
  int size[2];     // pixels, size of the picture for which the page has space
  double notches;  // notches of the wheel, positive when turned away from the user
  int64_t frame;   // number of the frame that the page shows
  int64_t step;    // step of the timeline, from SimStatus.first to SimStatus.newest
  char name[MESSAGE_NAME];
  char value[MESSAGE_VALUE];  // new value of a setting, as JSON text
  char list[MESSAGE_LIST];    // list and index of an entry of the scene
  int index;
  char text[MESSAGE_TEXT];  // new value of a key of this entry, as users type it
} Message;

/// Reads a message from text [length], which a zero byte must follow. Fails if the message has none of the forms at the
/// top of this file.
bool message_read(Message *message, const char *text, size_t length, Error *error);
