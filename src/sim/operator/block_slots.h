// Position of the block of two nodes among an operator's values. Entry (i, k), row i of the first node and column k of
// the second, is values[at + i row_step + k column_step]. These three numbers describe every format, so an assembly
// reads one BlockSlots per pair of nodes and does not depend on the format.
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

// Slot of entry (i, k) of a node's diagonal block. With diagonal_first the diagonal is in slots [0, n), and the block's
// other entries are numbered as if the diagonal entry were absent.
HOST_DEVICE int diagonal_block_slot(BlockSlots diagonal, bool diagonal_first, int node_dof, int node, int i, int k) {
  if (!diagonal_first) return block_slot(diagonal, i, k);
  return i == k ? node * node_dof + i : block_slot(diagonal, i, k - (k > i));
}
