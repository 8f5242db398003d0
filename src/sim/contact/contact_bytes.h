// The memory that contact of a surface with itself takes, before anything is allocated.
#pragma once
#include "sim/element/stage.h"

// How many pairs are listed for each node of the surface: three where one of three faces touches; two where an octopus
// is pulled through a ring, one where fingers are dragged across each other, none where nothing is near; ten in a wall
// of bricks.
#define CONTACT_PAIRS 3

/// Adds what it takes on each device, bytes, for a body of this size on `device`: the surface, its trees, what nodes
/// have, and CONTACT_PAIRS of pairs that touch and rub; `sticks`: by springs.
void contact_bytes(const StageSize *size, bool sticks, Device device, double on[2]);
