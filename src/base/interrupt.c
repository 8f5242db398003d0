// Turns Ctrl-C and other signals into requests to end the program (interrupt.h).
#include "base/interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

// The request to end the program, 0: none. It is atomic, since the signal handler writes it.
static _Atomic int signal_number;
static struct timespec request_time;  // time of the last signal that was a new request, on the clock of the machine
static _Thread_local InterruptListener listener;

// A terminal, or the command `timeout`, may send one signal twice: to the program and to its process group. So signals
// within this time count as one request, also if the program has already removed it.
static const double ONE_REQUEST = 0.2;  // s

static void on_signal(int number) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const double since = (double)(now.tv_sec - request_time.tv_sec) + 1e-9 * (double)(now.tv_nsec - request_time.tv_nsec);
  if (since <= ONE_REQUEST) return;
  if (signal_number) {
    signal(number, SIG_DFL);
    raise(number);  // with SIG_DFL the signal ends the program when this handler returns
  }
  request_time = now;
  signal_number = number;
}

void interrupt_begin(void) {
  static const int handled[] = { SIGTERM, SIGINT, SIGHUP };
  struct sigaction hangup;
  sigaction(SIGHUP, NULL, &hangup);
  // if SIGHUP is ignored, as under nohup, handle only the first two signals
  const int count = hangup.sa_handler == SIG_IGN ? 2 : 3;
  // SA_RESTART is not set, so that a signal also ends a read that waits for data from a pipe
  struct sigaction action = { .sa_handler = on_signal };
  for (int k = 0; k < count; k++) sigaddset(&action.sa_mask, handled[k]);
  for (int k = 0; k < count; k++) sigaction(handled[k], &action, NULL);
}

void interrupt_reset(void) {
  signal_number = 0;
}

int interrupt_signal(void) {
  return atomic_load_explicit(&signal_number, memory_order_relaxed);
}

InterruptListener interrupt_listen(bool (*requested)(void *context), void *context) {
  const InterruptListener former = listener;
  listener = (InterruptListener){ requested, context };
  return former;
}

bool interrupt_requested(void) {
  return interrupt_signal() || (listener.requested && listener.requested(listener.context));
}

bool interrupt_check(Error *error) {
  if (!interrupt_requested()) return true;
  const int number = interrupt_signal();
  if (!number) return error_set(error, "interrupted");
  const char *by = number == SIGINT ? "Ctrl-C" : number == SIGHUP ? "a closed terminal" : "kill";
  return error_set(error, "interrupted by %s (signal %d)", by, number);
}
