// Which faces are the same, by their nodes: a table in place of a sort, whose time a cut would notice.
#pragma once
#include <stdint.h>

#include "base/error.h"

/// Of faces by their nodes, node[k] ascending [count][3]: pair [count] is the number of the other one with the same
/// nodes, -1 where there is none. Of more than two that are the same, the third pairs with the fourth, and so on. Fails
/// for lack of memory.
bool face_pairs(const int (*node)[3], int count, int *pair, Error *error);

/// Three nodes in ascending order.
static inline void face_sort(int node[3]) {
  for (int pass = 0; pass < 3; pass++) {
    int *two = node + pass % 2, lower = two[1];
    if (two[0] > lower) two[1] = two[0], two[0] = lower;
  }
}
