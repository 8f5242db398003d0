// Bits of Body.held, which has one element for each unknown. An unknown is free if no bit is set.
#pragma once

enum {
  HELD_PINNED = 1,  // the unknown does not move, even if HELD_MOVED is set too
  HELD_MOVED = 2,   // the unknown's motion is prescribed: each time step ends with the value in Body.target
};
