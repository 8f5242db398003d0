// The reduction array of paper 000, section 16.3.1 (Fig. 16.3): which entries of the element data add up to which
// entry of the system, packed so that the threads of a block have equal work and read it coalesced.
//
// A block of the reduction owns `targets` neighbouring entries. Each entry's list is its sources (source + 1 > 0), then
// its target (-(target within the block) - 1 < 0). Lists are dealt to the block's threads, longest first, each to the
// least loaded thread (LPT, Graham 1969). Thread t reads entries[start + t], entries[start + t + threads], ... ; 0
// pads.
#pragma once
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Reduction {
  int block_count;
  int64_t *start;  // [block_count + 1], into entries
  int *entries;    // [start[block_count]]
} Reduction;

/// `source_start` [target_count + 1] and `source` give each target's list, in the order of summation. Blocks of
/// `targets` entries for `threads` threads (at most 1024).
bool reduction_create(Reduction *reduction, int64_t target_count, const int64_t *source_start, const int *source,
                      int targets, int threads, Error *error);
void reduction_destroy(Reduction *reduction);

#ifdef __cplusplus
}
#endif
