// Counts the host's waits for a GPU. During each wait the GPU has no queued work for some 10 us.
#pragma once
#include <stdint.h>

/// Returns the number of waits of all threads since the program began. Waits are calls of stream_sync and device_sync
/// for a GPU, of event_sync for an event that was not reached, and of device_waited.
int64_t device_waits(void);

/// Counts one more wait, in which the host has polled memory that a GPU writes.
void device_waited(void);
