// Interrupts: see interrupt.h.
#include "base/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t came;
static struct sigaction before[2];  // of SIGINT and SIGTERM

static void note(int signal) {
  came = signal;
}

void interrupt_begin(void) {
  const struct sigaction action = { .sa_handler = note, .sa_flags = (int)SA_RESETHAND };
  came = 0;
  sigaction(SIGINT, &action, &before[0]);
  sigaction(SIGTERM, &action, &before[1]);
}

void interrupt_end(void) {
  sigaction(SIGINT, &before[0], NULL);
  sigaction(SIGTERM, &before[1], NULL);
}

int interrupt_signal(void) {
  return came;
}
