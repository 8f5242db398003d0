// A vector that one stage of a time step (body, assembly, solver) writes and another reads. The vector is one array if
// both stages are on one device. Otherwise there are two arrays, and transfer_pass copies one to the other;
// TIMED_TRANSFER is the time of these copies.
#pragma once
#include "device/stage_clock.h"

// The one or two arrays of such a vector; a zeroed Transfer is empty.
typedef struct Transfer {
  Device from_device, to_device;
  void *from, *to;  // the array that is written, and the array that is read; one array if the devices are equal
  void *made;       // the array that this Transfer has allocated and owns, `from` or `to`; NULL: none
  size_t bytes;
} Transfer;

/// Prepares the transfer of an existing array `from` to `to_device`; allocates an array there if the devices differ.
bool transfer_from(Transfer *transfer, Device from_device, void *from, Device to_device, size_t bytes, Error *error);

/// Prepares the transfer from `from_device` to an existing array `to`; allocates an array on `from_device` if the
/// devices differ.
bool transfer_to(Transfer *transfer, Device from_device, Device to_device, void *to, size_t bytes, Error *error);
void transfer_destroy(Transfer *transfer);

/// Copies the vector from `from` to `to` if these are two arrays. Uses the GPU's stream `cuda`, and waits for the copy.
bool transfer_pass(const Transfer *transfer, Stream cuda, StageClock *clock, Error *error);
