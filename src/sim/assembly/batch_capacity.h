// Limits of a batch in the assembly "parts": its number of tets, and its shared memory on a GPU. A batch is a group of
// matrix rows that one thread block of the GPU assembles, together with all tets that contribute to these rows
// (part_batches.h).
#pragma once
#include <stddef.h>

#include "device/host_device.h"

enum {
  BATCH_CORNERS = 4,
  // number of threads whose 16-byte loads the GPU executes at the same time; so the loads of a warp of 32 threads take
  // four phases
  BATCH_PHASE = 8,
  // Maximum number of tets of a batch. A list entry stores the number of a tet in 12 bits: 0 to 4095. The last
  // BATCH_PHASE = 8 of these numbers name columns of zeros, with which short lists are padded (batch_stride below).
  BATCH_TETS_MAX = 4096 - BATCH_PHASE
};

// Returns the number of columns of a table in shared memory that holds the results of a batch with `tets` tets. The
// table is [corner][column]: column x belongs to tet x. At least BATCH_PHASE further columns hold zeros. The lists of
// tets that the threads of a warp read are padded to equal length with numbers of zero columns.
//
// Neighbouring columns are in different groups of memory banks. So there is a zero column in each group of banks, and a
// padding entry can name the column whose group has the fewest other reads. The number of columns is a multiple of
// BATCH_PHASE = 8, so all corners of a tet are in one group of banks. Example: 20 tets need 24 + 8 = 32 columns.
HOST_DEVICE int batch_stride(int tets) {
  return (tets + BATCH_PHASE - 1) / BATCH_PHASE * BATCH_PHASE + BATCH_PHASE;
}

// Shared memory, in bytes. bytes: memory that one thread block of the GPU has. node_bytes: memory for each node of a
// batch. tet_bytes: memory for each of the batch_stride(tets) columns of the batch's tables.
typedef struct BatchCapacity {
  size_t node_bytes, tet_bytes, bytes;
} BatchCapacity;
