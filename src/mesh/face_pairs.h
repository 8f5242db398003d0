// Finds pairs of triangular faces with the same three nodes, by a hash table. For cuts in a running simulation this is
// faster than sorting.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// Finds pairs of faces with equal nodes. node [count][3] are the nodes of each face, ascending. pair[k] becomes the
/// index of the face that forms a pair with face k, or -1 if there is none. If more than two faces are equal, the first
/// two are a pair, then the next two, and so on. Fails if memory runs out.
bool face_pairs(const int (*node)[3], int count, int *pair, Error *error);

/// Sorts three nodes in ascending order.
static inline void face_sort(int node[3]) {
  for (int pass = 0; pass < 3; pass++) {
    int *two = node + pass % 2, lower = two[1];
    if (two[0] > lower) {
      two[1] = two[0];
      two[0] = lower;
    }
  }
}
