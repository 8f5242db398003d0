// Amounts of free memory, for checks before large allocations.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/// Bytes that can be allocated on the host without swapping; in a container with a memory limit, at most the rest of
/// that limit. 0: not known.
size_t memory_of_host(void);

/// Peak memory of this process so far, bytes; 0: not known.
size_t memory_peak(void);

/// Asks the system for large pages (2 MiB) in memory that is about to be filled for the first time. The system handles
/// a page fault for each new page; with small pages, these faults would take longer than filling the memory. Does
/// nothing if the system has no large pages, or if the memory is small.
void memory_large_pages(void *memory, size_t bytes);

/// The smaller one of `available` bytes (0: not known) and the limit in the environment variable PLIANT_MEMORY_MIB.
size_t memory_bound(size_t available);

/// Fails if PLIANT_MEMORY_MIB is set to anything but a whole number of MiB. Called when a program begins.
bool memory_bound_check(Error *error);

/// Fails if `bytes` exceed the host's free memory: "not enough memory on the host: `what` needs about ...".
bool memory_holds(double bytes, const char *what, Error *error);
