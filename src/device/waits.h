// Counts how often the host waits for a GPU. Each wait costs some 10 us in which the GPU has no queued work.
#pragma once
#include <stdint.h>

/// Waits in stream_sync, waits in event_sync for events that were not reached yet, and waits reported by device_waited;
/// of all threads, since the program began.
int64_t device_waits(void);

/// Reports another wait of the host, which polled memory that a GPU writes.
void device_waited(void);
