// Fills a surface with tets in a thread of its own, and writes the mesh to a file.
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "base/path.h"

typedef struct FillThread {
  pthread_t thread;
  bool started;                                 // the thread was started and not joined yet
  atomic_bool cancelled, ended;                 // ended: `ok`, the counts and `error` are final
  char surface[PATH_LENGTH], out[PATH_LENGTH];  // surface file, mesh file
  double since;                                 // s, clock time at which the thread was started
  bool ok;                                      // the mesh file is complete
  int tet_count, cavity_count;
  Error error;
} FillThread;

/// Starts the thread; another one must not be running. Fails if the thread cannot be started.
bool fill_thread_start(FillThread *fill, const char *surface, const char *out, Error *error);

/// Returns true, only once, if the thread has ended since the last call.
bool fill_thread_take(FillThread *fill);

/// Cancels the work, and waits until the thread has ended. Does nothing if no thread is running.
void fill_thread_stop(FillThread *fill);
