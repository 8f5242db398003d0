// Interrupts: see interrupt.h.
#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;
static const int SIGNALS[] = { SIGINT, SIGTERM, SIGHUP };
enum { SIGNAL_COUNT = sizeof SIGNALS / sizeof *SIGNALS };
static struct sigaction before[SIGNAL_COUNT];

static void note(int signal) {
  came = signal;
}

void interrupt_begin(void) {
  const struct sigaction action = { .sa_handler = note, .sa_flags = (int)SA_RESETHAND };
  came = 0;
  for (int k = 0; k < SIGNAL_COUNT; k++) {
    sigaction(SIGNALS[k], &action, &before[k]);
    // under nohup the end of the terminal is none of ours
    if (SIGNALS[k] == SIGHUP && before[k].sa_handler == SIG_IGN) sigaction(SIGHUP, &before[k], NULL);
  }
}

void interrupt_end(void) {
  for (int k = 0; k < SIGNAL_COUNT; k++) sigaction(SIGNALS[k], &before[k], NULL);
}

int interrupt_signal(void) {
  return came;
}
