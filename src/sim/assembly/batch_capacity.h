// Limits of a batch in the assembly "parts": its number of tets, and its shared memory on a GPU. A batch is a group of
// matrix rows that one thread block of the GPU assembles, together with all tets that contribute to these rows
// (part_batches.h).
#pragma once
#include <stddef.h>

#include "device/host_device.h"

enum {
  // number of corners of a tet
  BATCH_CORNERS = 4,
  // The GPU executes the 16-byte loads of a warp (32 threads) in four phases; in each phase, 8 threads load.
  BATCH_PHASE = 8,
  // Maximum number of tets of a batch. Lists name a tet by 12 bits, 0 to 4095. The last BATCH_PHASE of these numbers
  // are for padding, columns of zeros (batch_stride below).
  BATCH_TETS_MAX = 4096 - BATCH_PHASE
};

// Returns the number of columns of a table in shared memory. The table has the results of a batch's tets, as
// [corner][column]: column x belongs to tet x. At least BATCH_PHASE further columns hold zeros. Lists of tets that a
// warp reads are padded to equal length with numbers of these columns.
//
// Neighbouring columns are in different groups of memory banks, so padding can use the group with the fewest other
// reads. The result is a multiple of BATCH_PHASE, so all corners of a tet are in one group of banks. Example: 20 tets
// need 24 + 8 = 32 columns.
HOST_DEVICE int batch_stride(int tets) {
  return (tets + BATCH_PHASE - 1) / BATCH_PHASE * BATCH_PHASE + BATCH_PHASE;
}

// Shared memory of a thread block, in bytes. bytes: memory that a thread block has. node_bytes: memory that a batch
// needs for each of its nodes. tet_bytes: memory that it needs for each of the batch_stride(tets) columns of its
// tables.
typedef struct BatchCapacity {
  size_t node_bytes, tet_bytes, bytes;
} BatchCapacity;
