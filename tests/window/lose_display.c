// A library for LD_PRELOAD that ends the display server between Xlib's test that it can write and the write itself.
// Without this library, a test would have to hit an interval of microseconds. If the file $LOSE_DISPLAY contains the
// process number of the server, the library ends this process before the next write.
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
    struct pollfd end = { .fd = descriptor };  // poll always reports POLLHUP
    unlink(path);
    kill(server, SIGTERM);
    poll(&end, 1, 10000);
  }
  if (file) fclose(file);
  return next(descriptor, parts, count);
}
