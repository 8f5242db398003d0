// Allocations that fail on purpose, in a program linked with --wrap for malloc, calloc, realloc and aligned_alloc:
// those that Pliant's own code asks for, not those inside shared libraries.
#pragma once

/// From now on allocations count from 1 anew, and number `at` fails; 0: none does.
void failing_begin(long at);

/// Lets all succeed again and returns how many were asked for.
long failing_end(void);
