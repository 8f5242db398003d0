// Runs TetGen in a thread: see fill_thread.h.
#include "window/fill_thread.h"

#include <stdio.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/timer.h"
#include "mesh/fill_surface.h"
#include "mesh/mesh_write.h"

static bool is_cancelled(void *argument) {
  return atomic_load(&((FillThread *)argument)->cancelled);
}

static void *fill_and_write(void *argument) {
  FillThread *f = argument;
  interrupt_listen(is_cancelled, f);  // also ends the search for cavities
  const FillOptions options = { .quality = FILL_QUALITY, .cancelled = &f->cancelled };
  TetMesh mesh = { 0 };
  f->ok = fill_surface(f->surface, &options, &mesh, &f->cavity_count, &f->error) &&
          mesh_write(f->out, &mesh, NULL, &f->error);
  f->tet_count = mesh.tet_count;
  mesh_destroy(&mesh);
  atomic_store(&f->ended, true);
  return NULL;
}

bool fill_thread_start(FillThread *f, const char *surface, const char *out, Error *error) {
  snprintf(f->surface, sizeof f->surface, "%s", surface);
  snprintf(f->out, sizeof f->out, "%s", out);
  f->error = (Error){ 0 };
  f->ok = false;
  f->since = timer_seconds();
  atomic_store(&f->cancelled, false);
  atomic_store(&f->ended, false);
  const int status = pthread_create(&f->thread, NULL, fill_and_write, f);
  f->started = status == 0;
  return f->started || error_set(error, "cannot start a thread: %s", strerror(status));
}

bool fill_thread_take(FillThread *f) {
  if (!f->started || !atomic_load(&f->ended)) return false;
  pthread_join(f->thread, NULL);
  f->started = false;
  return true;
}

void fill_thread_stop(FillThread *f) {
  if (!f->started) return;
  atomic_store(&f->cancelled, true);
  pthread_join(f->thread, NULL);
  f->started = false;
}
