// Finds pairs of triangular faces that have the same three nodes, by a hash table. A hash table is faster than sorting,
// which matters for cuts in a running simulation.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// For each face node [count][3], whose nodes ascend, finds another face with the same nodes. pair [count] gets the
/// number of that face, or -1 if there is none. If more than two faces are equal, the first two are a pair, the next
/// two are a pair, and so on. Fails if memory runs out.
bool face_pairs(const int (*node)[3], int count, int *pair, Error *error);

/// Sorts three nodes in ascending order.
static inline void face_sort(int node[3]) {
  for (int pass = 0; pass < 3; pass++) {
    int *two = node + pass % 2, lower = two[1];
    if (two[0] > lower) two[1] = two[0], two[0] = lower;
  }
}
