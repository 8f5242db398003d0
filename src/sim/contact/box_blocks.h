// Boxes by eights: what is met in the order of a tree (box_tree.h) stands in slots, eight of them are a block, eight
// blocks one of the level above, and so on up to a single one. A box is held against all of a block at once.
#pragma once
#include <stdint.h>

#include "sim/contact/box_tree.h"

#ifndef __CUDACC__
typedef float Eight __attribute__((vector_size(32), aligned(16)));  // as far as malloc aligns
typedef int EightNodes __attribute__((vector_size(32), aligned(16)));
#else
typedef struct Eight {  // as with Corner
  __attribute__((aligned(16))) float at[8];
} Eight;
typedef struct EightNodes {
  __attribute__((aligned(16))) int at[8];
} EightNodes;
#endif

enum { BOX_BLOCK = 8 };

// Of eight slots, or of eight blocks of the level below, as in Box; an empty one's lows are above all, its highs below.
typedef struct BoxBlock {
  Eight low[3], high[3], way_low[3], way_high[3];
} BoxBlock;

// The nodes of what stands in eight slots, of which the first is repeated where there are fewer than three.
typedef struct BlockCorners {
  EightNodes node[3];
} BlockCorners;

// A zeroed one is empty.
typedef struct BoxBlocks {
  int slot_count;         // a multiple of BOX_BLOCK
  int *item;              // [slot_count], what stands there; -1: nothing
  int corner_count;       // 1 to 3: nodes of an item
  BlockCorners *corners;  // [slot_count / BOX_BLOCK]
  uint8_t *filled;        // [slot_count / BOX_BLOCK], a bit for each slot that holds an item
  int level_count;        // 0 is that of slots
  int *level;             // [level_count + 1], where the blocks of each level begin in
  BoxBlock *block;
} BoxBlocks;

// Two blocks of one level, or two slots.
typedef struct BlockPair {
  int a, b;
} BlockPair;

// Where nodes are, and their ways, to nearest floats.
typedef struct NodeWays {
  float *at[3], *way[3];  // [nodes] each
} NodeWays;

// What of a block of slots is kept from one pair to the next: where it may be on its ways, seen from its first one.
typedef struct SweptBlock {
  int block;
  uint64_t filled;  // all bits of byte i where slot i holds an item
  float way[3];
  Eight low[3], high[3];
} SweptBlock;

/// For items [count], -1 where a slot stays empty, though never the first of a block; item k has nodes
/// [corner_count k ...]. Fails for lack of memory.
bool box_blocks_create(BoxBlocks *blocks, const int *item, int count, const int *node, int corner_count, Error *error);
void box_blocks_destroy(BoxBlocks *blocks);  // takes a zeroed one

/// Makes the blocks of slots from `first` to `last` - 1, and their boxes in the level above; box_blocks_fit then those
/// of the levels above that.
void box_blocks_place(BoxBlocks *blocks, const NodeWays *places, int first, int last);
void box_blocks_fit(BoxBlocks *blocks);

/// The blocks of a level.
static inline int box_blocks_count(const BoxBlocks *blocks, int level) {
  return blocks->level[level + 1] - blocks->level[level];
}

/// Writes the pairs of slots that share no node and whose boxes may come as close as `near`, by boxes_meet or nearly
/// so: one from the first and one from the second of a pair of blocks of slots of `own` and `other`. Both slots hold
/// items, even if `near` is infinite or a box is not a number. For each of the former the latter ascend. `once`: both
/// are one, and of two the first is not behind. Returns how many there are. *swept is of `own` and `near`, its block -1
/// at first.
int box_blocks_pairs(const BoxBlocks *own, const BoxBlocks *other, BlockPair pair, float near, bool once,
                     SweptBlock *swept, BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// Leaves of pairs [count] of slots of edges those that may come as close as `near` on their ways, and a few more, at
/// the beginning in their order. Returns how many there are.
int box_blocks_close_edges(const BoxBlocks *edges, const NodeWays *places, float near, BlockPair *pair, int count);

/// As box_blocks_pairs for blocks of a level above that of slots: pairs of blocks of the level below.
int box_blocks_divide(const BoxBlocks *own, const BoxBlocks *other, int level, BlockPair pair, float near, bool once,
                      BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// The same for `a` as a whole, a block of a level of `own` below this one of `other`, of which b is one.
int box_blocks_divide_other(const BoxBlocks *own, int a, int own_level, const BoxBlocks *other, int b, int level,
                            float near, bool once, BlockPair to[BOX_BLOCK]);
