// Counts how often the host waits for a GPU. During each wait the GPU has no queued work for some 10 us.
#pragma once
#include <stdint.h>

/// Number of waits of all threads since the program began. Counted are waits in stream_sync, waits in event_sync for an
/// event that was not yet reached, and calls of device_waited.
int64_t device_waits(void);

/// Counts one more wait: the host has polled memory that a GPU writes.
void device_waited(void);
