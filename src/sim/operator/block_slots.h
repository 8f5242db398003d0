// Position of one block of the matrix in an operator's array `values`. The block of nodes a and b has a row for each
// unknown of a, and a column for each unknown of b. A slot is the index of one entry in `values`. Entry (i, k) of the
// block has the slot at + i * row_step + k * column_step. Example: a 3 x 3 block stored row by row from slot 90 on has
// at = 90, row_step = 3, column_step = 1; entry (1, 2) has slot 95. Every storage format describes its blocks by these
// three numbers, so an assembly does not depend on the format.
#pragma once
#include <stdbool.h>

#include "device/host_device.h"

typedef struct BlockSlots {
  int at;  // slot (index in `values`) of entry (0, 0) of the block; negative: the block is not stored
  // row_step: distance in `values` from an entry of the block to the entry below. column_step: distance to the entry on
  // the right.
  int row_step, column_step;
} BlockSlots;

// Returns the slot of the entry in row i and column k of a block: its index in `values`, the array of all numbers of
// the matrix.
HOST_DEVICE int block_slot(BlockSlots slots, int i, int k) {
  return slots.at + i * slots.row_step + k * slots.column_step;
}

// Returns the slot (index in `values`) of the entry in row i and column k of a node's diagonal block. Formats with
// diagonal_first store the diagonal of the whole matrix in slots 0 to n - 1. Elsewhere they store the rows of the block
// without their diagonal entries. So row 1 of a 3 x 3 block has two stored entries: (1, 0), and column_step slots later
// (1, 2).
HOST_DEVICE int diagonal_block_slot(BlockSlots diagonal, bool diagonal_first, int node_dof, int node, int i, int k) {
  if (!diagonal_first) return block_slot(diagonal, i, k);
  return i == k ? node * node_dof + i : block_slot(diagonal, i, k - (k > i));
}
