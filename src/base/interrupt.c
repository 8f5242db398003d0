// Interrupts: see interrupt.h.
#include "base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static _Atomic int came;  // without a lock, so that the handler may write it and every thread read it
static struct timespec when;
static bool begun, without_terminal;  // under nohup the end of the terminal is none of ours
static _Thread_local struct {
  bool (*wish)(void *context);
  void *context;
} listener;

// `timeout` and a terminal may tell a program and its group, so twice: that is one wish, not two
static const double SAME_WISH = 0.2;  // s

static void note(int number) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (!came) when = now;
  if (came && (double)(now.tv_sec - when.tv_sec) + 1e-9 * (double)(now.tv_nsec - when.tv_nsec) > SAME_WISH) {
    signal(number, SIG_DFL);
    raise(number);  // acts as soon as this function is left
  }
  came = number;
}

void interrupt_begin(void) {
  struct sigaction hangup;
  sigaction(SIGHUP, NULL, &hangup);
  begun = true, without_terminal = hangup.sa_handler == SIG_IGN;
  interrupt_renew();
}

void interrupt_renew(void) {
  static const int noted[] = { SIGTERM, SIGINT, SIGHUP };
  const int count = !begun ? 0 : without_terminal ? 2 : 3;
  // without SA_RESTART: what waits for a pipe hears it too
  struct sigaction action = { .sa_handler = note };
  for (int k = 0; k < count; k++) sigaddset(&action.sa_mask, noted[k]);
  for (int k = 0; k < count; k++) sigaction(noted[k], &action, NULL);
}

int interrupt_signal(void) {
  return atomic_load_explicit(&came, memory_order_relaxed);
}

void interrupt_listen(bool (*wish)(void *context), void *context) {
  listener.wish = wish;
  listener.context = context;
}

bool interrupt_wanted(void) {
  return interrupt_signal() || (listener.wish && listener.wish(listener.context));
}

bool interrupt_check(Error *error) {
  if (!interrupt_wanted()) return true;
  const int number = interrupt_signal();
  return number ? error_set(error, "interrupted by signal %d", number) : error_set(error, "interrupted");
}
