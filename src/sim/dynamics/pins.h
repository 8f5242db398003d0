// Bits of a node's pin (the array `pinned` of simulation_create). They say along which axes the node is held, and if it
// follows a prescribed motion.
#pragma once
#include <stdbool.h>

enum {
  PIN_ALL = 1,
  PIN_X = 2,
  PIN_Y = 4,
  PIN_Z = 8,
  PIN_FOLLOWS = 16,  // held axes follow the motion that simulation_set_supports prescribes, if there is one
  PIN_BITS = 31
};

static inline bool pin_holds(int pin, int axis) {
  return pin & (PIN_ALL | PIN_X << axis);
}
