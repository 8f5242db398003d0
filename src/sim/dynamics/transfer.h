// A vector that one stage writes and the next reads. On one device it is a single array without a copy. Between devices
// it is copied once, and the profile shows the copy in a row of its own.
#pragma once
#include "sim/dynamics/stage_clock.h"

// A zeroed Transfer is empty.
typedef struct Transfer {
  Device from_device, to_device;
  void *from, *to;  // equal if the devices are equal
  void *made;       // the array of the two that this Transfer allocated and owns
  size_t bytes;
} Transfer;

/// Connects an existing array to a new one on `to_device`.
bool transfer_from(Transfer *transfer, Device from_device, void *from, Device to_device, size_t bytes, Error *error);

/// Connects a new array on `from_device` to an existing one.
bool transfer_to(Transfer *transfer, Device from_device, Device to_device, void *to, size_t bytes, Error *error);
void transfer_destroy(Transfer *transfer);

/// Copies the vector, in the order of the GPU's stream `cuda`, and waits, so that both sides may continue.
bool transfer_pass(const Transfer *transfer, Stream cuda, StageClock *clock, Error *error);
