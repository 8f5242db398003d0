// Measures the times of the phases of a piece of work, such as a cut, for a message to the user.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PHASES_MAX = 16 };

// Names and times of the phases so far; a zeroed Phases is empty.
typedef struct Phases {
  double since;  // clock time, s, at which the present phase began
  int count;
  const char *name[PHASES_MAX];  // [count], names of the phases; the texts must stay valid
  double ms[PHASES_MAX];         // [count], times of the phases, ms
} Phases;

/// Begins the first phase.
void phases_begin(Phases *phases);

/// Ends the present phase, gives it this name, and begins the next. Phases beyond PHASES_MAX are added to the last one.
void phases_end(Phases *phases, const char *name);

/// Writes " (faces 12.0, mesh 30.1)": the names and times in ms of the phases that took at least 0.05 ms. Writes "" if
/// there are none.
void phases_text(const Phases *phases, char *text, size_t size);

#ifdef __cplusplus
}
#endif
