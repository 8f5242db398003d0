// Bits of Body.held, which has one element for each unknown. An unknown is free if no bit is set.
#pragma once

enum {
  HELD_PINNED = 1,  // the unknown does not move, even if HELD_MOVED is set too
  HELD_MOVED = 2,   // its motion is prescribed: at the end of each step it has the value in Body.target
};
