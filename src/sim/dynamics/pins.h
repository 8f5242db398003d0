// Bits of a pin. A pin is an element of the array `pinned` of simulation_create, which has one element for each node.
// The bits give the axes along which the node is held, and state if the node follows a prescribed motion.
#pragma once
#include <stdbool.h>

enum {
  PIN_ALL = 1,
  PIN_X = 2,
  PIN_Y = 4,
  PIN_Z = 8,
  PIN_FOLLOWS = 16,  // along its held axes, the node follows the motion that simulation_set_supports sets; without such
                     // a motion it rests
  PIN_BITS = 31
};

static inline bool pin_holds(int pin, int axis) {
  return pin & (PIN_ALL | PIN_X << axis);
}
