// Position of the block of a pair of nodes in an operator's array `values`. Entry (i, k), with row i of the first node
// and column k of the second, is values[at + i row_step + k column_step]. These three numbers describe the blocks of
// every storage format. So an assembly reads one BlockSlots per pair and does not depend on the format.
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

// Slot of entry (i, k) of a node's diagonal block. With diagonal_first, the matrix diagonal is in slots [0, n). The
// other entries of the block are stored elsewhere, without a gap where the diagonal entry would be.
HOST_DEVICE int diagonal_block_slot(BlockSlots diagonal, bool diagonal_first, int node_dof, int node, int i, int k) {
  if (!diagonal_first) return block_slot(diagonal, i, k);
  return i == k ? node * node_dof + i : block_slot(diagonal, i, k - (k > i));
}
