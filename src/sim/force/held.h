// Bits that say how an unknown of a body is held (Body.held); 0: it is free.
#pragma once

enum {
  HELD_PINNED = 1,  // it stays where it is, also if it has other bits
  HELD_MOVED = 2,   // it ends each step at its target
};
