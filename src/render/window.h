// A window with OpenGL 4.5 and a queue of its events, by the library GLFW. Only the main thread may call these
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
typedef enum WindowCursor { CURSOR_ARROW, CURSOR_HAND, CURSOR_CROSSHAIR } WindowCursor;
typedef enum WindowButton { BUTTON_LEFT, BUTTON_RIGHT, BUTTON_MIDDLE } WindowButton;
// Numbers of keys in WindowEvent.code. They are GLFW's numbers.
enum {
  KEY_SPACE = 32,
  KEY_BACK = ',',
  KEY_FORTH = '.',
  KEY_1 = '1',
  KEY_3 = '3',
  KEY_5 = '5',
  KEY_7 = '7',
  KEY_LOWER = '[',
  KEY_RAISE = ']',
  KEY_A = 'A',
  KEY_B = 'B',
  KEY_C = 'C',
  KEY_E = 'E',
  KEY_F = 'F',
  KEY_G = 'G',
  KEY_H = 'H',
  KEY_I = 'I',
  KEY_J = 'J',
  KEY_K = 'K',
  KEY_L = 'L',
  KEY_M = 'M',
  KEY_N = 'N',
  KEY_O = 'O',
  KEY_P = 'P',
  KEY_R = 'R',
  KEY_S = 'S',
  KEY_T = 'T',
  KEY_U = 'U',
  KEY_V = 'V',
  KEY_W = 'W',
  KEY_X = 'X',
  KEY_ESCAPE = 256,
  KEY_ENTER = 257,
  KEY_TAB = 258,
  KEY_BACKSPACE = 259,
  KEY_DELETE = 261,
  KEY_RIGHT = 262,
  KEY_LEFT = 263,
  KEY_DOWN = 264,
  KEY_UP = 265,
  KEY_PAGE_UP = 266,
  KEY_PAGE_DOWN = 267,
  KEY_HOME = 268,
  KEY_END = 269,
  KEY_F1 = 290,
  KEY_F2 = 291,
  KEY_F5 = 294,
  KEY_F6 = 295,
  KEY_F7 = 296,
  KEY_F8 = 297,
  KEY_F12 = 301,
  KEY_KEYPAD_ENTER = 335,
  KEY_LEFT_CONTROL = 341,
  KEY_RIGHT_CONTROL = 345
};

// One event of keyboard or mouse.
typedef struct WindowEvent {
  WindowEventKind kind;
  int code;              // number of the button or key, or Unicode character
  int scancode, mods;    // GLFW's code of the physical key; GLFW's bits for Shift, Control and others
  bool shift, control;   // Shift or Control is held down
  int letter;            // letter of the key on the user's keyboard, 'A' to 'Z', or '+', '-' or '0'; 0: none
  double pixel[2];       // pixels from the upper left corner, position of the mouse at the event
  double scroll[2];      // notches of the wheel; scroll[1] is positive when turned away from the user
  double after, before;  // s, times of timer_seconds: the event happened after `after` and before `before`
} WindowEvent;

typedef struct Window Window;

/// Opens a window and makes its OpenGL context current, with vertical sync. width x height: pixels on a screen of 96
/// pixels per inch, multiplied by the content scale on other screens. The window has one sample per pixel, because
/// pictures are drawn into a RenderTarget. On failure, for example without a display, the error is GLFW's message.
bool window_create(Window **window, const char *title, int width, int height, Error *error);
void window_destroy(Window *window);  // accepts NULL

enum { WINDOW_EVENTS_MAX = 256 };  // events in the queue

/// Collects the events since the last call, without waiting. If there are more than WINDOW_EVENTS_MAX, the oldest are
/// lost. Returns true if there was an event or a request to redraw the window.
bool window_poll(Window *window);

/// Removes the next event from the queue. Returns false if there is none for this frame (the time until the next
/// window_poll). An event that follows a click, a key or text of this frame may have to wait for the next frame. For
/// example, the release of a button waits, so that the button is seen as pressed in one frame.
bool window_next_event(Window *window, WindowEvent *event);

/// Waits for an event, but not longer than `seconds`.
void window_wait(Window *window, double seconds);

/// Writes the path of the file that the user dropped onto the window last. Returns false if none was dropped since the
/// last call, or if the path is longer than `size` allows.
bool window_dropped(Window *window, char *path, size_t size);

/// Shows the picture that was drawn.
void window_swap(Window *window);

/// Sets the picture of the mouse cursor over the window. If the desktop lacks it, the cursor stays an arrow.
void window_set_cursor(Window *window, WindowCursor cursor);

void window_set_title(Window *window, const char *title);
// writes the size of the window's picture, pixels; 0 if the window is minimised
void window_size(const Window *window, int *width, int *height);
double window_refresh_rate(const Window *window);  // Hz, refresh rate of the primary monitor
double window_scale(const Window *window);         // content scale of the screen that shows the window, at least 1
bool window_hidden(const Window *window);          // true if the window is minimised or not visible
bool window_closed(const Window *window);          // true if the user has asked to close the window
void window_keep_open(Window *window);             // withdraws the user's request to close the window
void *window_handle(const Window *window);         // the GLFWwindow, for the HUD

#ifdef __cplusplus
}
#endif
