// Memory of contact of a surface with itself, estimated before anything is allocated.
#pragma once
#include "sim/element/stage.h"

// Number of listed pairs per surface node: three if one of three faces touches; two if an octopus is pulled through a
// ring, one if fingers are dragged across each other, none if nothing is near; ten in a wall of bricks.
#define CONTACT_PAIRS 3

/// Adds the bytes that contact needs on each device for a body of this size on `device`: surface, trees, arrays by
/// node, and CONTACT_PAIRS pairs per surface node that touch and rub; `sticks`: with anchors.
void contact_bytes(const StageSize *size, bool sticks, Device device, double on[2]);
