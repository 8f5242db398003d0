// Limits of a batch of assembly `parts` (part_batches.h): number of tets, and shared memory.
#pragma once
#include <stddef.h>

#include "device/host_device.h"

enum {
  BATCH_CORNERS = 4,
  BATCH_PHASE = 8,  // lanes whose 16-byte loads a GPU executes at once
  BATCH_TETS_MAX = 4096 - BATCH_PHASE
};

// Number of slots per corner for the values of a batch's tets. At least BATCH_PHASE slots after the last tet hold
// zeros: padding entries read them, in the bank with the fewest accesses. The stride is a multiple of BATCH_PHASE, so
// that all corners of a tet lie in the same group of banks.
HOST_DEVICE int batch_stride(int tets) {
  return (tets + BATCH_PHASE - 1) / BATCH_PHASE * BATCH_PHASE + BATCH_PHASE;
}

// Shared memory of a thread block, in bytes: per node of a batch, per slot of batch_stride, and in total.
typedef struct BatchCapacity {
  size_t node_bytes, tet_bytes, bytes;
} BatchCapacity;
