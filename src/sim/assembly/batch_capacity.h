// Limits of a batch in the assembly "parts": its number of tets, and its shared memory on a GPU. A batch is a group of
// matrix rows that one thread block of the GPU assembles. To a batch also belong all tets that contribute to these rows
// (part_batches.h).
#pragma once
#include <stddef.h>

#include "device/host_device.h"

enum {
  // number of corners of a tet
  BATCH_CORNERS = 4,
  // A GPU executes the 16-byte loads of a warp in phases. In each phase, this many of the 32 threads load.
  BATCH_PHASE = 8,
  // Maximum number of tets of a batch. A tet's number has 12 bits, and BATCH_PHASE numbers are kept for padding.
  BATCH_TETS_MAX = 4096 - BATCH_PHASE
};

// Returns the number of columns of the tables in shared memory. A table holds the values of a batch's tets as
// [corner][column]; column x belongs to tet x. At least BATCH_PHASE further columns hold zeros. The lists of tets that
// a warp reads (part_batches.h) have equal lengths: short lists are padded with entries for these zero columns.
//
// Consecutive zero columns are in different groups of memory banks, so each padding entry can use the group that has
// the fewest other reads. The result is a multiple of BATCH_PHASE, so that all corners of a tet are in one group.
// Example: 20 tets need 24 + 8 = 32 columns.
HOST_DEVICE int batch_stride(int tets) {
  return (tets + BATCH_PHASE - 1) / BATCH_PHASE * BATCH_PHASE + BATCH_PHASE;
}

// Shared memory of a thread block, in bytes. `bytes` is the amount that exists. A batch needs node_bytes for each of
// its nodes, and tet_bytes for each of the batch_stride(tets) columns of its tables.
typedef struct BatchCapacity {
  size_t node_bytes, tet_bytes, bytes;
} BatchCapacity;
