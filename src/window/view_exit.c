// Completes files if the window is closed by the window system or another program: see view.h.
#include <signal.h>
#include <stdlib.h>

#include "base/log.h"
#include "window/view.h"

static View *guarded;  // view whose files the exit handler completes; NULL: no window is open

// The exit handler. Xlib calls exit() if the X server or the window no longer exists. Completes all files, without
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
  // If the display ends just before Xlib writes to it, SIGPIPE would end the process. If it is ignored, write() fails,
  // Xlib calls exit(), and the handler runs.
  signal(SIGPIPE, SIG_IGN);
  if (atexit(end_with_process) != 0) log_notice("a recording may be lost if the window is closed from outside");
}

void view_unguard_exit(void) {
  guarded = NULL;
}
