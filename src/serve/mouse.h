// Handles the mouse on the page in the user's browser. The mouse pulls, pins, pushes and cuts the body, and moves the
// camera.
#pragma once
#include "serve/message.h"
#include "serve/shown.h"

typedef enum MouseMode { MOUSE_FREE, MOUSE_ORBIT, MOUSE_PAN, MOUSE_PULL, MOUSE_CUT } MouseMode;

// State of the mouse: its position, and what it does while a button is pressed. In a zeroed Mouse no button is pressed.
typedef struct Mouse {
  MouseMode mode;
  int button;          // button whose press began `mode`, as in Message
  double at[2];        // pixels, position of the mouse
  bool pushes;         // true: the mouse pushes the body with a ball, instead of pulling it
  Pick pick;           // point of the body that the mouse pulls
  double depth;        // m, distance along the view direction by which the user has moved `target` with the wheel
  double target[3];    // m, position to which the picked point is pulled
  double cut_from[2];  // pixels, start of the line along which the mouse cuts
  bool target_sent;    // true: `target` was sent to the simulation
  bool moved;          // true: the mouse has moved since the last call of mouse_hover
} Mouse;

/// Applies a mouse event, which the page in the browser has sent, to camera and simulation.
bool mouse_apply(Mouse *mouse, Shown *shown, const Message *message, Error *error);

/// Sends to the simulation the position to which the mouse now pulls.
void mouse_send(Mouse *mouse, Shown *shown);

/// Finds the patch of surface that the mouse would pull, so that the next picture highlights this patch. The search
/// waits for the GPU, so it is done only if the mouse has moved.
bool mouse_hover(Mouse *mouse, Shown *shown, Error *error);

/// Ends a pull, cut or camera motion that began with the press of a button, as if the button was released. how:
/// COMMAND_KEEP leaves a pull in place, COMMAND_RELEASE removes it.
void mouse_let_go(Mouse *mouse, Shown *shown, CommandKind how);
