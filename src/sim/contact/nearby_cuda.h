// What nearby.cu and contact.cu know of each other: see contact_cuda.h.
#pragma once
#include <stdlib.h>

#include "base/array.h"
#include "sim/contact/contact_cuda.h"

// A group of a tree: its members, items or groups of the level below, and the item behind its last.
struct BoxGroup {
  int first, count, end;
};

// Where something is and the ways it may go, see Box in box_tree.h; loaded by sixteen bytes.
struct alignas(16) SweptBox {
  float low[3], high[3], way_low[3], way_high[3];
};

// That a pair is the `index`-th of its query.
struct LoosePlace {
  int query, index;
};

// What a pair that touches does, in the state looked at last.
struct CudaTouch {
  double force[4][3];
  double energy;
  int owner;  // which corner the energy counts with
};

extern "C" {
/// The trees, and room for pairs.
bool nearby_cuda_create(ContactCuda *c, Error *error);
void nearby_cuda_destroy(ContactCuda *c);

/// Each of the numbers [count], not more than there are queries and one, becomes the sum of those before it.
bool nearby_cuda_add_up(ContactCuda *c, int *number, int count, Stream stream, Error *error);
}
