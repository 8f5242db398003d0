// Makes allocations fail, in a program linked with --wrap for malloc, calloc, realloc and aligned_alloc. Allocations of
// Pliant's code are counted, those inside shared libraries are not.
#pragma once

/// Restarts the count of allocations at 1. Allocation number `at` will fail; 0: none.
void failing_begin(long at);

/// Lets all allocations succeed again. Returns the number of allocations since failing_begin.
long failing_end(void);
