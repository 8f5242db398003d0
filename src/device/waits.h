// How often the host has waited for a GPU: each takes some 10 us in which nothing is queued.
#pragma once
#include <stdint.h>

/// By stream_sync, by event_sync where that was not reached yet, and by what device_waited tells of; of all threads,
/// since the program began.
int64_t device_waits(void);

/// The host has waited otherwise: it watched memory that a GPU writes.
void device_waited(void);
