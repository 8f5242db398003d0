// Amounts of free memory, for checks before large allocations.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/// Returns the bytes that the host can allocate without swapping, 0: not known. In a container with a memory limit, the
/// result is at most the unused part of this limit.
size_t memory_of_host(void);

/// Returns the peak memory of this process so far, bytes; 0: not known.
size_t memory_peak(void);

/// Asks the system for large pages, of 2 MiB, in memory that is about to be filled for the first time. With pages of 4
/// KiB, the page faults would take longer than the filling itself. Does nothing if the system has no large pages or the
/// memory is small.
void memory_large_pages(void *memory, size_t bytes);

/// Returns `available` bytes, but at most the limit in the environment variable PLIANT_MEMORY_MIB, if this is set. If
/// `available` is 0, which means not known, returns the limit; returns 0 if there is no limit either.
size_t memory_bound(size_t available);

/// Fails if PLIANT_MEMORY_MIB is set to something other than a whole number of MiB. Called when a program begins.
bool memory_bound_check(Error *error);

/// Fails if `bytes` exceed the host's free memory: "not enough memory on the host: `what` needs about ...".
bool memory_holds(double bytes, const char *what, Error *error);
