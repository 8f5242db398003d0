// The bits of the bytes in Body.held, which has one byte for each unknown. An unknown without any of these bits is
// free.
#pragma once

enum {
  HELD_PINNED = 1,  // the unknown does not move, even if HELD_MOVED is set too
  HELD_MOVED = 2,   // the unknown's motion is prescribed: each time step ends with the value in Body.target
};
