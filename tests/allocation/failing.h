// Makes chosen allocations fail. The program must be linked with --wrap for malloc, calloc, realloc and aligned_alloc.
// Only allocations in Pliant's code are counted, not those inside shared libraries.
#pragma once

/// Restarts the count of allocations at 1. Allocation number `at` will fail; at = 0: none will.
void failing_begin(long at);

/// Lets all allocations succeed again. Returns the number of allocations since failing_begin.
long failing_end(void);
