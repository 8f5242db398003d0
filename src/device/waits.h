// Counts how often the host waits for a GPU. Each wait costs some 10 us in which the GPU has no queued work.
#pragma once
#include <stdint.h>

/// Number of waits of all threads since the program began: in stream_sync, in event_sync if the event was not reached
/// yet, and those reported by device_waited.
int64_t device_waits(void);

/// Reports another wait of the host, which polled memory that a GPU writes.
void device_waited(void);
