// Pairs of equal faces, by their nodes. It uses a hash table instead of a sort, which would slow down a cut.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// Pairs faces by their nodes, node[k] ascending [count][3]: pair [count] is the number of another face with the same
/// nodes, or -1. Among more than two equal faces the third is paired with the fourth, and so on. Fails if memory runs
/// out.
bool face_pairs(const int (*node)[3], int count, int *pair, Error *error);

/// Sorts three nodes in ascending order.
static inline void face_sort(int node[3]) {
  for (int pass = 0; pass < 3; pass++) {
    int *two = node + pass % 2, lower = two[1];
    if (two[0] > lower) two[1] = two[0], two[0] = lower;
  }
}
