// Where the block of two nodes stands among an operator's values: entry (i, k), row i of the one node and column k of
// the other, is values[at + i row_step + k column_step]. Three numbers describe every format there is, so an assembly
// reads 24 bytes for a pair of nodes, and knows no format.
#pragma once
#include <stdbool.h>

#include "device/host_device.h"

typedef struct BlockPlace {
  int at;  // less than 0: the block is not stored
  int row_step, column_step;
} BlockPlace;

HOST_DEVICE int block_slot(BlockPlace place, int i, int k) {
  return place.at + i * place.row_step + k * place.column_step;
}

// The same in a node's own block. Where the diagonal stands in front of all else, in slots [0, n), the block's other
// entries are placed as if it were not there.
HOST_DEVICE int own_block_slot(BlockPlace own, bool diagonal_first, int node_dof, int node, int i, int k) {
  if (!diagonal_first) return block_slot(own, i, k);
  return i == k ? node * node_dof + i : block_slot(own, i, k - (k > i));
}
