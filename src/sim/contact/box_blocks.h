// Boxes by eights: what is met in the order of a tree (box_tree.h) stands in slots, eight of them are a block, eight
// blocks one of the level above, and so on up to a single one. A box is held against all of a block at once.
#pragma once
#include <stdint.h>

#include "sim/contact/box_tree.h"

#ifndef __CUDACC__
typedef float Eight __attribute__((vector_size(32), aligned(16)));  // as far as malloc aligns
#else
typedef struct Eight {  // as with Corner
  __attribute__((aligned(16))) float at[8];
} Eight;
#endif

enum { BOX_BLOCK = 8 };

// Of eight slots, or of eight blocks of the level below, as in Box; an empty one's lows are above all, its highs below.
typedef struct BoxBlock {
  Eight low[3], high[3], way_low[3], way_high[3];
} BoxBlock;

// A zeroed one is empty.
typedef struct BoxBlocks {
  int slot_count;   // a multiple of BOX_BLOCK
  int *item;        // [slot_count], what stands there; -1: nothing
  int level_count;  // 0 is that of slots
  int *level;       // [level_count + 1], where the blocks of each level begin in
  BoxBlock *block;
} BoxBlocks;

// Two blocks of one level, or two slots.
typedef struct BlockPair {
  int a, b;
} BlockPair;

/// For items [count], -1 where a slot stays empty. Fails for lack of memory.
bool box_blocks_create(BoxBlocks *blocks, const int *item, int count, Error *error);
void box_blocks_destroy(BoxBlocks *blocks);  // takes a zeroed one

/// Puts a box into its slot; box_blocks_fit then makes the levels above that of slots.
void box_blocks_put(BoxBlocks *blocks, int slot, const Box *box);
void box_blocks_fit(BoxBlocks *blocks);

/// The blocks of a level.
static inline int box_blocks_count(const BoxBlocks *blocks, int level) {
  return blocks->level[level + 1] - blocks->level[level];
}

/// Writes the pairs of slots, or of blocks of the level below, whose boxes may come as close as `near` (boxes_meet):
/// one from the first and one from the second of a pair of blocks of this level of `own` and `other`. For each of the
/// former the latter ascend. `once`: both are one, and of two the first is not behind. Returns how many there are.
int box_blocks_divide(const BoxBlocks *own, const BoxBlocks *other, int level, BlockPair pair, float near, bool once,
                      BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// The same for `a` as a whole, a block of a level of `own` below this one of `other`, of which b is one.
int box_blocks_divide_other(const BoxBlocks *own, int a, int own_level, const BoxBlocks *other, int b, int level,
                            float near, bool once, BlockPair to[BOX_BLOCK]);
