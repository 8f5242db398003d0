// A vector that one stage of a step (body, assembly, solver) writes and another stage reads. If both are on one device,
// it is a single array. Otherwise there are two arrays, and transfer_pass copies one to the other. The profile shows
// the time of copies separately.
#pragma once
#include "sim/dynamics/stage_clock.h"

// A zeroed Transfer is empty.
typedef struct Transfer {
  Device from_device, to_device;
  void *from, *to;  // equal if the devices are equal
  void *made;       // the one of the two arrays that this Transfer has allocated and owns; NULL: none
  size_t bytes;
} Transfer;

/// Prepares a transfer from an existing array `from` to `to_device`, and allocates an array there if necessary.
bool transfer_from(Transfer *transfer, Device from_device, void *from, Device to_device, size_t bytes, Error *error);

/// Prepares a transfer from `from_device` to an existing array `to`, and allocates an array on `from_device` if
/// necessary.
bool transfer_to(Transfer *transfer, Device from_device, Device to_device, void *to, size_t bytes, Error *error);
void transfer_destroy(Transfer *transfer);

/// Copies the vector if there are two arrays, and waits for the copy. It is queued on the GPU's stream `cuda`.
bool transfer_pass(const Transfer *transfer, Stream cuda, StageClock *clock, Error *error);
