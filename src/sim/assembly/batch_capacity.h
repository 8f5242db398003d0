// Limits of a batch of assembly `parts`: its number of tets, and its shared memory on a GPU. A batch is a group of
// matrix rows that one thread block assembles, with the tets that contribute to them (part_batches.h).
#pragma once
#include <stddef.h>

#include "device/host_device.h"

enum {
  BATCH_CORNERS = 4,
  BATCH_PHASE = 8,  // lanes of a warp whose 16-byte loads a GPU executes together
  BATCH_TETS_MAX = 4096 - BATCH_PHASE
};

// In shared memory, values of a batch's tets are stored as [corner][slot], with one slot per tet. This function returns
// the number of slots per corner. At least BATCH_PHASE slots after the last tet hold zeros. Lists of tets
// (part_batches.h) are padded with entries that read one of these zero slots, that in the memory bank with the fewest
// accesses. The number is a multiple of BATCH_PHASE, so that all corners of a tet are in the same group of banks.
HOST_DEVICE int batch_stride(int tets) {
  return (tets + BATCH_PHASE - 1) / BATCH_PHASE * BATCH_PHASE + BATCH_PHASE;
}

// Shared memory of a thread block: `bytes` are available. A batch needs node_bytes for each of its nodes, and tet_bytes
// for each of batch_stride(tets) slots.
typedef struct BatchCapacity {
  size_t node_bytes, tet_bytes, bytes;
} BatchCapacity;
