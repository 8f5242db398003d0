// Bits that say how an unknown of a body is held (Body.held); 0: it is free.
#pragma once

enum {
  HELD_PINNED = 1,  // it does not move, even if HELD_MOVED is set too
  HELD_MOVED = 2,   // its motion is prescribed: each step ends with it at Body.target
};
