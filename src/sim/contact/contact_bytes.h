// Estimate of the memory of self-contact, before anything is allocated.
#pragma once
#include "sim/element/stage.h"

// Assumed number of pairs in the list of pairs that may touch, for each node of the surface. Measured numbers of pairs
// per node: 3 if a third of the surface touches, 2 for an octopus pulled through a ring, 1 for fingers dragged across
// each other, 10 in a wall of bricks.
#define CONTACT_PAIRS 3

/// Adds the estimated bytes of contact for a body of this size to on[DEVICE_CPU] and on[DEVICE_CUDA]. `device` is the
/// device of the body. The estimate counts the surface, the trees, arrays of nodes, and CONTACT_PAIRS pairs for each
/// surface node. It assumes that all these pairs touch and have friction. If `sticks` is true, it also counts the
/// tables of anchors, which are stored for pairs that static friction holds.
void contact_bytes(const StageSize *size, bool sticks, Device device, double on[2]);
