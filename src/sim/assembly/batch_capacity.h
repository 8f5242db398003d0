// Limits of a batch in the assembly "parts": its number of tets, and its shared memory on a GPU. A batch is a group of
// matrix rows that one thread block assembles, with all tets that contribute to these rows (part_batches.h).
#pragma once
#include <stddef.h>

#include "device/host_device.h"

enum {
  BATCH_CORNERS = 4,
  // A GPU executes the 16-byte loads of a warp in groups of this many lanes.
  BATCH_PHASE = 8,
  BATCH_TETS_MAX = 4096 - BATCH_PHASE
};

// Returns the number of slots per corner in shared memory. The values of a batch's tets are stored as [corner][slot],
// with one slot per tet. At least BATCH_PHASE further slots hold zeros: the lists of tets that a warp reads
// (part_batches.h) are padded with entries for these slots. Consecutive zero slots are in different groups of memory
// banks. So each padding entry can use the group that has the fewest other reads. The number is a multiple of
// BATCH_PHASE, so that all corners of a tet are in the same group of banks.
HOST_DEVICE int batch_stride(int tets) {
  return (tets + BATCH_PHASE - 1) / BATCH_PHASE * BATCH_PHASE + BATCH_PHASE;
}

// The shared memory of a thread block, `bytes`, and what a batch needs of it: node_bytes for each of its nodes, and
// tet_bytes for each of batch_stride(tets) slots.
typedef struct BatchCapacity {
  size_t node_bytes, tet_bytes, bytes;
} BatchCapacity;
