// Bits of a node's pin: all displacements are held, or those along single axes; and held displacements follow a motion.
#pragma once
#include <stdbool.h>

enum {
  PIN_ALL = 1,
  PIN_X = 2,
  PIN_Y = 4,
  PIN_Z = 8,
  PIN_FOLLOWS = 16,  // held displacements follow the motions of simulation_set_supports, where they have one
  PIN_BITS = 31
};

static inline bool pin_holds(int pin, int axis) {
  return pin & (PIN_ALL | PIN_X << axis);
}
