// Handles a window that is closed by the window system or another program: see view.h.
#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "window/view.h"

static View *guarded;  // the view that the exit handler completes; NULL: no window is open

// Xlib calls exit() when the X server or the window no longer exists. This handler completes all files, without
// drawing.
static void end_with_process(void) {
  View *view = guarded;
  Error error = { 0 };
  guarded = NULL;
  if (!view) return;
  log_notice("the window was closed from outside, by the window system or another program");
  view_finish_recording(view);
  if (view->next) sim_thread_stop(view->next, &(Error){ 0 });
  if (!sim_thread_stop(view->sim, &error)) log_notice("%s", error.message);
  trace_close(&view->trace);
}

void view_guard_exit(View *view) {
  guarded = view;
  // If the display ends just before Xlib writes to it, the signal SIGPIPE would end the process. With SIGPIPE ignored,
  // write() fails, Xlib calls exit(), and the handler runs.
  signal(SIGPIPE, SIG_IGN);
  if (atexit(end_with_process) != 0) log_notice("a recording may be lost if the window is closed from outside");
}

void view_unguard_exit(void) {
  guarded = NULL;
}
