// A vector that one stage of a step (body, assembly, solver) writes and another stage reads. If both stages are on one
// device, the vector is a single array. Otherwise there are two arrays, and transfer_pass copies one to the other. The
// time of copies is measured as TIMED_TRANSFER.
#pragma once
#include "device/stage_clock.h"

// A zeroed Transfer is empty.
typedef struct Transfer {
  Device from_device, to_device;
  void *from, *to;  // addresses of the array that is written and of the array that is read; equal if the devices are
                    // equal
  void *made;       // `from` or `to`, if this Transfer has allocated the array and owns it; NULL: it owns no array
  size_t bytes;
} Transfer;

/// Prepares a transfer from an existing array `from` to `to_device`, and allocates an array on `to_device` if
/// necessary.
bool transfer_from(Transfer *transfer, Device from_device, void *from, Device to_device, size_t bytes, Error *error);

/// Prepares a transfer from `from_device` to an existing array `to`, and allocates an array on `from_device` if
/// necessary.
bool transfer_to(Transfer *transfer, Device from_device, Device to_device, void *to, size_t bytes, Error *error);
void transfer_destroy(Transfer *transfer);

/// Copies the vector if there are two arrays, and waits for the copy, which is queued on the GPU's stream `cuda`.
bool transfer_pass(const Transfer *transfer, Stream cuda, StageClock *clock, Error *error);
