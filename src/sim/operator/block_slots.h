// Position of the block of a pair of nodes in an operator's array `values`. A block has a row for each unknown of the
// first node and a column for each unknown of the second. Entry (i, k) is values[at + i row_step + k column_step].
// Example: a 3 x 3 block that is stored contiguously, row by row, has row_step 3 and column_step 1. These three numbers
// describe the blocks of every storage format, so an assembly does not depend on the format.
#pragma once
#include <stdbool.h>

#include "device/host_device.h"

typedef struct BlockSlots {
  int at;  // negative: the block is not stored
  int row_step, column_step;
} BlockSlots;

HOST_DEVICE int block_slot(BlockSlots slots, int i, int k) {
  return slots.at + i * slots.row_step + k * slots.column_step;
}

// Returns the index in `values` (slot) of entry (i, k) of a node's diagonal block. Formats with diagonal_first store
// the diagonal of the matrix in slots [0, n). The other entries of the block are then stored elsewhere, without a gap
// for the diagonal entry: in each row, entries after the diagonal move one place forward.
HOST_DEVICE int diagonal_block_slot(BlockSlots diagonal, bool diagonal_first, int node_dof, int node, int i, int k) {
  if (!diagonal_first) return block_slot(diagonal, i, k);
  return i == k ? node * node_dof + i : block_slot(diagonal, i, k - (k > i));
}
