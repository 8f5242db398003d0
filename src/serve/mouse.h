// The mouse of the page that has the control: pulls, pins, pushes and cuts the body, and moves the camera.
#pragma once
#include "serve/message.h"
#include "serve/shown.h"

typedef enum MouseMode { MOUSE_FREE, MOUSE_ORBIT, MOUSE_PAN, MOUSE_PULL, MOUSE_CUT } MouseMode;

// A zeroed Mouse presses no button.
typedef struct Mouse {
  MouseMode mode;
  int button;  // button by which the mode was begun, as in Message
  double at[2];
  bool pushes;       // the grab pushes the body with a ball
  Pick pick;         // the picked point, which the mouse pulls
  double depth;      // m, distance by which the wheel has moved the target away from the camera
  double target[3];  // m, position to which the picked point is pulled
  double cut_from[2];
  bool target_sent;  // the simulation has received `target`
  bool moved;        // the mouse has moved since the last call of mouse_hover
} Mouse;

/// Applies a message about the mouse.
bool mouse_apply(Mouse *mouse, Shown *shown, const Message *message, Error *error);

/// Sends the present target of a pull to the simulation.
void mouse_send(Mouse *mouse, Shown *shown);

/// Finds the patch that the mouse would grab, for the next picture. Does nothing if the mouse has not moved, since this
/// waits for the GPU.
bool mouse_hover(Mouse *mouse, Shown *shown, Error *error);

/// Ends a pull or another mode, as if the button was released. `how` is COMMAND_RELEASE or COMMAND_KEEP.
void mouse_let_go(Mouse *mouse, Shown *shown, CommandKind how);
