// Measures the times of the phases of a piece of work, such as a cut: see phases.h.
#include "base/phases.h"

#include <stdio.h>

#include "base/timer.h"

void phases_begin(Phases *phases) {
  *phases = (Phases){ .since = timer_seconds() };
}

void phases_end(Phases *phases, const char *name) {
  const double now = timer_seconds();
  const int k = phases->count < PHASES_MAX ? phases->count++ : PHASES_MAX - 1;
  phases->name[k] = name;
  phases->ms[k] += 1e3 * (now - phases->since);
  phases->since = now;
}

void phases_text(const Phases *phases, char *text, size_t size) {
  const double LEAST = 0.05;  // ms, shorter phases are left out
  size_t length = 0;
  text[0] = 0;
  for (int k = 0; k < phases->count && length < size; k++)
    if (phases->ms[k] >= LEAST)
      length += (size_t)snprintf(text + length, size - length, "%s%s %.1f", length ? ", " : " (", phases->name[k],
                                 phases->ms[k]);
  if (length && length < size) snprintf(text + length, size - length, ")");
}
