// Finds pairs of triangular faces with equal nodes, by a hash table. Sorting would be slower, which matters for cuts in
// a running simulation.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// Finds for each of the faces node [count][3], whose nodes are ascending, another face with the same nodes: pair
/// [count] is its number, or -1 if there is none. If more than two faces are equal, the third is paired with the
/// fourth, and so on. Fails if memory runs out.
bool face_pairs(const int (*node)[3], int count, int *pair, Error *error);

/// Sorts three nodes in ascending order.
static inline void face_sort(int node[3]) {
  for (int pass = 0; pass < 3; pass++) {
    int *two = node + pass % 2, lower = two[1];
    if (two[0] > lower) two[1] = two[0], two[0] = lower;
  }
}
