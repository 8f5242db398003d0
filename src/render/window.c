// Opens a window and collects its events: see window.h.
#include "render/window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <stdlib.h>
#include <string.h>

#include "base/timer.h"
#include "render/gl_check.h"
#include "render/pixels.h"

struct Window {
  GLFWwindow *handle;
  int first, count;  // index of the oldest event in `events`, and number of events
  WindowEvent events[WINDOW_EVENTS_MAX];
  bool active;  // there was an event or a request to redraw since the last window_poll
  // Kinds of events that window_next_event has returned since the last window_poll. clicked: a mouse button was pressed
  // or released. keyed: a key that types no character was pressed or released. typed: there was text (WINDOW_TEXT).
  bool clicked, keyed, typed;
  double polled_at;       // s, time of timer_seconds at the last poll or wait
  double mouse[2];        // window units, last position of the mouse
  char dropped[4096];     // path of a dropped file; empty: none
  GLFWcursor *cursor[3];  // one per WindowCursor, created at its first use; NULL: not created, or not possible here
};

// Adds an event to the queue. The event stores the position of the mouse, because the mouse may be elsewhere when the
// event is processed. The position is that of the last motion event. If the queue is full, the oldest event is dropped.
static WindowEvent *add_event(GLFWwindow *handle, WindowEventKind kind, int code, int mods) {
  Window *window = glfwGetWindowUserPointer(handle);

  // Consecutive motion events become one event.
  WindowEvent *last = &window->events[(window->first + window->count + WINDOW_EVENTS_MAX - 1) % WINDOW_EVENTS_MAX];
  window->active = true;
  if (kind != WINDOW_MOVE || window->count == 0 || last->kind != WINDOW_MOVE) {
    if (window->count == WINDOW_EVENTS_MAX)
      window->first = (window->first + 1) % WINDOW_EVENTS_MAX;
    else
      window->count++;
    last = &window->events[(window->first + window->count - 1) % WINDOW_EVENTS_MAX];
  }
  *last = (WindowEvent){ .kind = kind, .code = code, .mods = mods, .shift = mods & GLFW_MOD_SHIFT };
  last->control = mods & GLFW_MOD_CONTROL;
  last->after = window->polled_at;
  last->before = timer_seconds();

  int units[2], pixels[2];
  glfwGetWindowSize(handle, &units[0], &units[1]);
  glfwGetFramebufferSize(handle, &pixels[0], &pixels[1]);
  pixel_of_unit(window->mouse, units, pixels, last->pixel);
  return last;
}

static void on_button(GLFWwindow *handle, int button, int action, int mods) {
  if (button <= GLFW_MOUSE_BUTTON_MIDDLE)
    add_event(handle, action == GLFW_PRESS ? WINDOW_PRESS : WINDOW_RELEASE, button, mods);
}

static void on_move(GLFWwindow *handle, double x, double y) {
  Window *window = glfwGetWindowUserPointer(handle);
  window->mouse[0] = x;
  window->mouse[1] = y;
  add_event(handle, WINDOW_MOVE, 0, 0);
}

static void on_scroll(GLFWwindow *handle, double x, double y) {
  WindowEvent *event = add_event(handle, WINDOW_SCROLL, 0, 0);
  event->scroll[0] = x;
  event->scroll[1] = y;
}

// Returns the character by which Ctrl and a key are a command: the letter 'A' to 'Z' of the key on the user's keyboard,
// or '+', '-' or '0'; 0: none. On many keyboards the sign + needs Shift and the key of the sign =.
static int letter_of(int key, int scancode) {
  const char *name = glfwGetKeyName(key, scancode);
  if (key == GLFW_KEY_0 || key == GLFW_KEY_KP_0) return '0';
  if (!name || name[1]) return 0;
  if (name[0] >= 'a' && name[0] <= 'z') return name[0] - 'a' + 'A';
  return name[0] == '+' || name[0] == '=' ? '+' : name[0] == '-' ? '-' : 0;
}

static void on_key(GLFWwindow *handle, int key, int scancode, int action, int mods) {
  Window *window = glfwGetWindowUserPointer(handle);
  window->active = true;
  if (action == GLFW_REPEAT) return;
  WindowEvent *event = add_event(handle, action == GLFW_PRESS ? WINDOW_KEY : WINDOW_KEY_UP, key, mods);
  event->scancode = scancode;
  event->letter = letter_of(key, scancode);
}

static void on_text(GLFWwindow *handle, unsigned character) {
  add_event(handle, WINDOW_TEXT, (int)character, 0);
}

// GLFW calls this when the window must be redrawn.
static void on_refresh(GLFWwindow *handle) {
  ((Window *)glfwGetWindowUserPointer(handle))->active = true;
}

static void on_drop(GLFWwindow *handle, int count, const char **paths) {
  Window *window = glfwGetWindowUserPointer(handle);
  window->active = true;
  if (count > 0 && strlen(paths[0]) < sizeof window->dropped) memcpy(window->dropped, paths[0], strlen(paths[0]) + 1);
}

static bool glfw_failed(const char *what, Error *error) {
  const char *words = NULL;
  glfwGetError(&words);
  return error_set(error, "%s: %s", what, words ? words : "no cause given by GLFW");
}

bool window_create(Window **window, const char *title, int width, int height, Error *error) {
  *window = NULL;
  Window *made = calloc(1, sizeof *made);
  if (!made) return error_set(error, "out of memory: cannot create the window; close other programs");
  if (!glfwInit()) {
    free(made);
    return glfw_failed("cannot open a window", error);
  }
  glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
  glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
  glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
  glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
  made->handle = glfwCreateWindow(width, height, title, NULL, NULL);
  if (!made->handle) {
    glfw_failed("cannot open a window with OpenGL 4.5 (" GL_BY_PROCESSOR ")", error);
    goto failed;
  }
  glfwSetWindowUserPointer(made->handle, made);
  glfwMakeContextCurrent(made->handle);
  if (!gl_load(glfwGetProcAddress, error)) goto failed;
  glfwSwapInterval(1);
  glfwSetMouseButtonCallback(made->handle, on_button);
  glfwSetCursorPosCallback(made->handle, on_move);
  glfwSetScrollCallback(made->handle, on_scroll);
  glfwSetKeyCallback(made->handle, on_key);
  glfwSetCharCallback(made->handle, on_text);
  glfwSetWindowRefreshCallback(made->handle, on_refresh);
  glfwGetCursorPos(made->handle, &made->mouse[0], &made->mouse[1]);
  glfwSetDropCallback(made->handle, on_drop);
  *window = made;
  return true;
failed:
  window_destroy(made);
  return false;
}

void window_destroy(Window *window) {
  if (!window) return;
  if (window->handle) glfwDestroyWindow(window->handle);
  glfwTerminate();
  free(window);
}

bool window_poll(Window *window) {
  glfwPollEvents();
  window->polled_at = timer_seconds();
  const bool active = window->active || window->count > 0;
  window->active = window->clicked = window->keyed = window->typed = false;
  return active;
}

// Returns true if the event's key types a character. GLFW then also sends a WINDOW_TEXT event with this character.
static bool is_character(const WindowEvent *event) {
  return event->code < GLFW_KEY_ESCAPE && !(event->mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER));
}

// Returns true if an event must stay in the queue until the next window_poll, that is, for the next frame. Widgets see
// only one state of mouse and keys per frame. Therefore, after a click or a key, most other events have to wait.
static bool must_wait(const Window *window, const WindowEvent *event) {
  if (window->count > WINDOW_EVENTS_MAX / 2) return false;  // if the queue is half full, no event waits
  switch (event->kind) {
    case WINDOW_MOVE:
    case WINDOW_SCROLL:
      return window->clicked;
    case WINDOW_KEY:
    case WINDOW_KEY_UP:
      if (is_character(event)) return window->clicked || window->keyed;
      break;
    case WINDOW_TEXT:
      return window->clicked || window->keyed;
    case WINDOW_PRESS:
    case WINDOW_RELEASE:
      break;
  }
  return window->clicked || window->keyed || window->typed;
}

bool window_next_event(Window *window, WindowEvent *event) {
  if (window->count == 0 || must_wait(window, &window->events[window->first])) return false;
  *event = window->events[window->first];
  window->first = (window->first + 1) % WINDOW_EVENTS_MAX;
  window->count--;
  if (event->kind == WINDOW_PRESS || event->kind == WINDOW_RELEASE) window->clicked = true;
  if (event->kind == WINDOW_TEXT) window->typed = true;
  if ((event->kind == WINDOW_KEY || event->kind == WINDOW_KEY_UP) && !is_character(event)) window->keyed = true;
  return true;
}

void window_wait(Window *window, double seconds) {
  if (window->count == 0) glfwWaitEventsTimeout(seconds);
  window->polled_at = timer_seconds();
}

bool window_dropped(Window *window, char *path, size_t size) {
  const size_t length = strlen(window->dropped);
  const bool fits = length > 0 && length < size;
  if (fits) memcpy(path, window->dropped, length + 1);
  window->dropped[0] = '\0';
  return fits;
}

void window_swap(Window *window) {
  glfwSwapBuffers(window->handle);
}

void window_set_cursor(Window *window, WindowCursor cursor) {
  static const int shapes[] = {
    [CURSOR_ARROW] = GLFW_ARROW_CURSOR, [CURSOR_HAND] = GLFW_HAND_CURSOR, [CURSOR_CROSSHAIR] = GLFW_CROSSHAIR_CURSOR
  };
  if (!window->cursor[cursor]) window->cursor[cursor] = glfwCreateStandardCursor(shapes[cursor]);
  glfwSetCursor(window->handle, window->cursor[cursor]);
}

void window_set_title(Window *window, const char *title) {
  glfwSetWindowTitle(window->handle, title);
}

void window_size(const Window *window, int *width, int *height) {
  glfwGetFramebufferSize(window->handle, width, height);
}

double window_refresh_rate(const Window *window) {
  (void)window;
  GLFWmonitor *monitor = glfwGetPrimaryMonitor();
  const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
  return mode && mode->refreshRate > 0 ? mode->refreshRate : 60;
}

double window_scale(const Window *window) {
  float x, y;
  glfwGetWindowContentScale(window->handle, &x, &y);
  return x > 1 ? x : 1;
}

bool window_hidden(const Window *window) {
  return glfwGetWindowAttrib(window->handle, GLFW_ICONIFIED) || !glfwGetWindowAttrib(window->handle, GLFW_VISIBLE);
}

bool window_closed(const Window *window) {
  return glfwWindowShouldClose(window->handle);
}

void window_keep_open(Window *window) {
  glfwSetWindowShouldClose(window->handle, GLFW_FALSE);
}

void *window_handle(const Window *window) {
  return window->handle;
}
