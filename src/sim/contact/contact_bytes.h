// Estimate of the memory of self-contact, before anything is allocated.
#pragma once
#include "sim/element/stage.h"

// Assumed number of pairs in the list of pairs that may touch, per node of the surface. Measured: 3 if a third of the
// surface touches, 2 for an octopus pulled through a ring, 1 for fingers dragged across each other, 10 in a wall of
// bricks.
#define CONTACT_PAIRS 3

/// Adds the bytes of contact for a body of this size to on[DEVICE_CPU] and on[DEVICE_CUDA]. `device` is the device of
/// the body. The estimate has the surface, trees, arrays per node, and CONTACT_PAIRS pairs per surface node, which all
/// touch with friction. If `sticks` is true, it also has anchors of static friction.
void contact_bytes(const StageSize *size, bool sticks, Device device, double on[2]);
