// A window with OpenGL 4.5, and what the user does in it, in that order. GLFW; main thread only.
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
  WINDOW_KEY,  // pressed
  WINDOW_KEY_UP,
  WINDOW_TEXT,  // a character was typed
} WindowEventKind;
typedef enum WindowButton { BUTTON_LEFT, BUTTON_RIGHT, BUTTON_MIDDLE } WindowButton;
// GLFW's numbers
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
  int code;              // button, key or character (Unicode)
  int scancode, mods;    // GLFW's
  bool shift, control;   // held down
  int letter;            // of a key: what it says on the user's keyboard, 'A' to 'Z'; 0: something else
  double pixel[2];       // where the mouse was then, in pixels of the picture, from its upper left corner
  double scroll[2];      // notches; [1]: away from the user is positive
  double after, before;  // s of timer_seconds: it happened between these
} WindowEvent;

typedef struct Window Window;

/// Opens a window, makes its context current, and loads OpenGL. width x height are pixels of a screen of 96 pixels an
/// inch; on a denser screen the window has more pixels, by the content scale. Vertical sync is on. It has one sample a
/// pixel: pictures come from a RenderTarget. Fails with GLFW's words, such as when there is no display.
bool window_create(Window **window, const char *title, int width, int height, Error *error);
void window_destroy(Window *window);  // takes NULL

enum { WINDOW_EVENTS_MAX = 256 };

/// Collects what happened since last time, without waiting: at most WINDOW_EVENTS_MAX events, the oldest are lost.
/// True where anything did, if only that the window has to be drawn anew.
bool window_poll(Window *window);

/// The next event; false when there is none for now. An event that would hide one before it from a reader who looks
/// once a frame, such as the release of a press, is kept until after the next window_poll.
bool window_next_event(Window *window, WindowEvent *event);

/// Waits until something happens, or so long (s).
void window_wait(Window *window, double seconds);

/// The file that was dropped onto the window last, once; false where there is none, or its path has no room.
bool window_dropped(Window *window, char *path, size_t size);

/// Shows what was drawn.
void window_swap(Window *window);

void window_set_title(Window *window, const char *title);
void window_size(const Window *window, int *width, int *height);  // of the picture, pixels; 0 while minimised
double window_refresh_rate(const Window *window);                 // pictures/s of the screen it was opened on
double window_scale(const Window *window);                        // content scale of its present screen, at least 1
bool window_hidden(const Window *window);                         // minimised, or not on the screen at all
bool window_closed(const Window *window);                         // the user asked to close it
void window_keep_open(Window *window);                            // withdraws that
void *window_handle(const Window *window);                        // GLFWwindow, for the HUD

#ifdef __cplusplus
}
#endif
