// Position of the block of two nodes among an operator's values. Entry (i, k), row i of the first node and column k of
// the second, is values[at + i row_step + k column_step]. These three numbers describe every format, so an assembly
// reads one BlockPlace per pair of nodes and does not depend on the format.
#pragma once
#include <stdbool.h>

#include "device/host_device.h"

typedef struct BlockPlace {
  int at;  // negative: the block is not stored
  int row_step, column_step;
} BlockPlace;

HOST_DEVICE int block_slot(BlockPlace place, int i, int k) {
  return place.at + i * place.row_step + k * place.column_step;
}

// Slot of entry (i, k) of a node's diagonal block. With diagonal_first the diagonal is in slots [0, n), and the block's
// other entries are numbered as if the diagonal entry were absent.
HOST_DEVICE int diagonal_block_slot(BlockPlace own, bool diagonal_first, int node_dof, int node, int i, int k) {
  if (!diagonal_first) return block_slot(own, i, k);
  return i == k ? node * node_dof + i : block_slot(own, i, k - (k > i));
}
