// How much memory is free, for a look before much of it is taken.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/// Bytes of the host that can be taken without swapping: of the machine, and of a container where it has less. 0: not
/// known.
size_t memory_of_host(void);

/// The most bytes that this process has had in the machine's memory at once so far; 0: not known.
size_t memory_peak(void);

/// Asks the system for large pages below memory that is about to be filled for the first time: to find each small one
/// takes longer than to fill it. Where there are none, or little is asked for, nothing happens.
void memory_large_pages(void *memory, size_t bytes);

/// `available` bytes (0: not known), or what $PLIANT_MEMORY_MIB allows where that is less.
size_t memory_bound(size_t available);

/// Fails where $PLIANT_MEMORY_MIB is set to anything but a whole number of MiB. To be looked at when a program begins.
bool memory_bound_check(Error *error);

/// Fails where `bytes` are more than the host has free: "not enough memory on the host: `what` needs about ...".
bool memory_holds(double bytes, const char *what, Error *error);
