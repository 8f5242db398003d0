// A library for LD_PRELOAD that tests the loss of the display at the worst moment: after Xlib has tested that it can
// write, and before the write. Without this library, a test would have to hit an interval of microseconds. If the file
// $LOSE_DISPLAY contains the process number of the display server, the library ends this process before the next write.
#define _GNU_SOURCE  // for RTLD_NEXT
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  __typeof__(writev) *next = (__typeof__(writev) *)dlsym(RTLD_NEXT, "writev");
  const char *path = getenv("LOSE_DISPLAY");
  FILE *file = path ? fopen(path, "r") : NULL;
  int server = 0;
  if (file && fscanf(file, "%d", &server) == 1 && server > 0) {
    // events is 0, since poll always reports the end of the connection (POLLHUP)
    struct pollfd end = { .fd = descriptor };
    unlink(path);
    kill(server, SIGTERM);
    poll(&end, 1, 10000);
  }
  if (file) fclose(file);
  return next(descriptor, parts, count);
}
