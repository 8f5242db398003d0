// A vector that one stage leaves and the next reads. Where both run on one device it is a single array and passing it
// on costs nothing; where they do not, it is copied, once, and the copy is timed as the profile's own row.
#pragma once
#include "sim/dynamics/stage_clock.h"

// A zeroed Transfer is empty.
typedef struct Transfer {
  Device from_device, to_device;
  void *from, *to;  // equal where the devices are
  void *made;       // whichever of the two this Transfer made and owns
  size_t bytes;
} Transfer;

/// From an array that exists to one that is made on `to_device`.
bool transfer_from(Transfer *transfer, Device from_device, void *from, Device to_device, size_t bytes, Error *error);

/// To an array that exists, from one that is made on `from_device`.
bool transfer_to(Transfer *transfer, Device from_device, Device to_device, void *to, size_t bytes, Error *error);
void transfer_destroy(Transfer *transfer);

/// Passes the vector on. Copies in the order of the GPU's stream `cuda` and waits, so that either side may go on.
bool transfer_pass(const Transfer *transfer, Stream cuda, StageClock *clock, Error *error);
