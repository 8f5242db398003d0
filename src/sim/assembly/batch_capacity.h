// The limits of a batch of assembly `parts` (part_batches.h): numbers of tets, and shared memory.
#pragma once
#include <stddef.h>

#include "device/host_device.h"

enum {
  BATCH_CORNERS = 4,
  BATCH_PHASE = 8,  // lanes whose loads of 16 bytes a GPU executes at once
  BATCH_TETS_MOST = 4096 - BATCH_PHASE
};

// How many slots a batch has for the values of its tets, corner by corner. At least BATCH_PHASE slots after them stay
// empty: entries of no tet use these, in whichever bank is free. All corners of a tet lie in the same banks, so a lane
// that knows the bank of the row's corner knows that of the column's.
HOST_DEVICE int batch_stride(int tets) {
  return (tets + BATCH_PHASE - 1) / BATCH_PHASE * BATCH_PHASE + BATCH_PHASE;
}

// Shared memory of a block of threads: bytes for each node of a batch, for each of batch_stride tets, and in all.
typedef struct BatchCapacity {
  size_t node_bytes, tet_bytes, bytes;
} BatchCapacity;
