// How long each phase of a piece of work took, in their order, for those who want to know where the time went.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PHASES_MAX = 16 };

// A zeroed Phases is empty.
typedef struct Phases {
  double since;  // s, when the present one began
  int count;
  const char *name[PHASES_MAX];  // texts that stay valid
  double ms[PHASES_MAX];
} Phases;

/// The first phase begins.
void phases_begin(Phases *phases);

/// What was done until now since the last call was this; further phases than there is room for go to the last one.
void phases_end(Phases *phases, const char *name);

/// " (faces 12, mesh 30.1)", without those that took next to nothing; "" where all did.
void phases_text(const Phases *phases, char *text, size_t size);

#ifdef __cplusplus
}
#endif
