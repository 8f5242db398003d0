// A window with OpenGL 4.5 and a queue of its user events, by the library GLFW. Only the main thread may call these
// functions.
#pragma once
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum WindowEventKind {
  WINDOW_PRESS,
  WINDOW_RELEASE,
  WINDOW_MOVE,
  WINDOW_SCROLL,
  WINDOW_KEY,  // a key was pressed
  WINDOW_KEY_UP,
  WINDOW_TEXT,  // a character was typed
} WindowEventKind;
typedef enum WindowButton { BUTTON_LEFT, BUTTON_RIGHT, BUTTON_MIDDLE } WindowButton;
// Keys have GLFW's numbers.
enum {
  KEY_SPACE = 32,
  KEY_BACK = ',',
  KEY_FORTH = '.',
  KEY_1 = '1',
  KEY_3 = '3',
  KEY_7 = '7',
  KEY_LOWER = '[',
  KEY_RAISE = ']',
  KEY_B = 'B',
  KEY_C = 'C',
  KEY_F = 'F',
  KEY_I = 'I',
  KEY_K = 'K',
  KEY_L = 'L',
  KEY_P = 'P',
  KEY_R = 'R',
  KEY_S = 'S',
  KEY_V = 'V',
  KEY_W = 'W',
  KEY_X = 'X',
  KEY_ESCAPE = 256,
  KEY_ENTER = 257,
  KEY_TAB = 258,
  KEY_BACKSPACE = 259,
  KEY_RIGHT = 262,
  KEY_LEFT = 263,
  KEY_DOWN = 264,
  KEY_UP = 265,
  KEY_PAGE_UP = 266,
  KEY_PAGE_DOWN = 267,
  KEY_HOME = 268,
  KEY_END = 269,
  KEY_F1 = 290,
  KEY_F12 = 301,
  KEY_KEYPAD_ENTER = 335
};

typedef struct WindowEvent {
  WindowEventKind kind;
  int code;              // number of the button or key, or Unicode character
  int scancode, mods;    // GLFW's code of the physical key, and GLFW's bits of the modifier keys
  bool shift, control;   // true while the key Shift or Control is held down
  int letter;            // letter of the key on the user's keyboard layout, 'A' to 'Z'; 0: none
  double pixel[2];       // mouse position at the event, pixels from the picture's upper left corner
  double scroll[2];      // notches of the wheel; scroll[1] is positive away from the user
  double after, before;  // times of timer_seconds, s, between which the event happened
} WindowEvent;

typedef struct Window Window;

/// Opens a window, makes its OpenGL context current, and loads OpenGL. width x height are pixels on a screen of 96
/// pixels an inch; on a denser screen they are multiplied by the content scale. Vertical sync is on. The window has one
/// sample per pixel, since pictures come from a RenderTarget. Fails with GLFW's message, for example if there is no
/// display.
bool window_create(Window **window, const char *title, int width, int height, Error *error);
void window_destroy(Window *window);  // accepts NULL

enum { WINDOW_EVENTS_MAX = 256 };

/// Collects the events since the last call, without waiting. The queue holds WINDOW_EVENTS_MAX events; if there are
/// more, the oldest are lost. Returns true if there was an event or a request to redraw the window.
bool window_poll(Window *window);

/// Removes the next event from the queue. Returns false if there is none for this frame. If a button is pressed and
/// released within one frame, the release stays in the queue until the next window_poll. Otherwise a caller that tests
/// once a frame would not see the press.
bool window_next_event(Window *window, WindowEvent *event);

/// Waits until there is an event, or until `seconds` have passed.
void window_wait(Window *window, double seconds);

/// Writes the path of the file that the user has dropped onto the window last. Returns false if no file was dropped
/// since the last call, or if the path does not fit.
bool window_dropped(Window *window, char *path, size_t size);

/// Shows the finished picture.
void window_swap(Window *window);

void window_set_title(Window *window, const char *title);
// size of the picture, pixels; 0 if the window is minimised
void window_size(const Window *window, int *width, int *height);
double window_refresh_rate(const Window *window);  // refresh rate of the primary monitor, Hz
double window_scale(const Window *window);         // content scale of the window's present screen, at least 1
bool window_hidden(const Window *window);          // the window is minimised or not visible
bool window_closed(const Window *window);          // the user has asked to close the window
void window_keep_open(Window *window);             // cancels the request to close the window
void *window_handle(const Window *window);         // GLFWwindow, for the HUD

#ifdef __cplusplus
}
#endif
