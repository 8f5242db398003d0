// Boxes in blocks of eight. Items in the order of a tree (box_tree.h) are stored in slots; eight slots are a block,
// eight blocks a block of the level above, and so on up to a single block. A box is tested against a whole block at
// once.
#pragma once
#include <stdint.h>

#include "sim/contact/box_tree.h"

#ifndef __CUDACC__
typedef float Eight __attribute__((vector_size(32), aligned(16)));  // malloc aligns to 16 bytes only
typedef int EightNodes __attribute__((vector_size(32), aligned(16)));
#else
typedef struct Eight {  // see Corner in box_tree.h
  __attribute__((aligned(16))) float at[8];
} Eight;
typedef struct EightNodes {
  __attribute__((aligned(16))) int at[8];
} EightNodes;
#endif

enum { BOX_BLOCK = 8 };

// Boxes of eight slots, or of eight blocks of the level below; see Box. An empty box has infinite lows, and highs of
// -infinity.
typedef struct BoxBlock {
  Eight low[3], high[3], path_low[3], path_high[3];
} BoxBlock;

// Nodes of the items in eight slots; an item with fewer than three nodes repeats its first node.
typedef struct BlockCorners {
  EightNodes node[3];
} BlockCorners;

// A zeroed BoxBlocks is empty.
typedef struct BoxBlocks {
  int slot_count;         // a multiple of BOX_BLOCK
  int *item;              // [slot_count], the item in a slot; -1: none
  int corner_count;       // 1 to 3: nodes of an item
  BlockCorners *corners;  // [slot_count / BOX_BLOCK]
  uint8_t *filled;        // [slot_count / BOX_BLOCK], a bit for each slot that holds an item
  int level_count;        // level 0 holds the blocks of slots
  int *level;             // [level_count + 1], first block of each level in `block`
  BoxBlock *block;
} BoxBlocks;

// Two blocks of one level, or two slots.
typedef struct BlockPair {
  int a, b;
} BlockPair;

// Positions and displacements of nodes, rounded to float.
typedef struct NodePaths {
  float *at[3], *displacement[3];  // [nodes] each
} NodePaths;

// Swept boxes of a block of slots, kept from one pair of blocks to the next; relative to the displacement of its first
// slot.
typedef struct SweptBlock {
  int block;
  uint64_t filled;  // all bits of byte i are set if slot i holds an item
  float displacement[3];
  Eight low[3], high[3];
} SweptBlock;

/// Creates blocks for items [count]; -1 leaves a slot empty, but never the first slot of a block. Item k has the nodes
/// node[corner_count k ...]. Fails if memory runs out.
bool box_blocks_create(BoxBlocks *blocks, const int *item, int count, const int *node, int corner_count, Error *error);
void box_blocks_destroy(BoxBlocks *blocks);  // accepts a zeroed object

/// Computes the boxes of the blocks of slots `first` to `last` - 1, and the boxes around these blocks in the level
/// above. box_blocks_fit then computes the boxes of the higher levels.
void box_blocks_bound(BoxBlocks *blocks, const NodePaths *paths, int first, int last);
void box_blocks_fit(BoxBlocks *blocks);

/// Number of blocks of a level.
static inline int box_blocks_count(const BoxBlocks *blocks, int level) {
  return blocks->level[level + 1] - blocks->level[level];
}

/// Writes the pairs of slots, one in each block of `pair`, that share no node and whose boxes may come within `near` of
/// each other; the test is slightly wider than boxes_overlap. The blocks are blocks of slots of `own` and `other`. Both
/// slots hold items, even if `near` is infinite or a box is NaN. Pairs are sorted by the first slot, then by the
/// second. `once`: `own` and `other` are equal, and the second slot is not before the first. Returns the number of
/// pairs. *swept belongs to `own` and `near`; its block is -1 at first.
int box_blocks_pairs(const BoxBlocks *own, const BoxBlocks *other, BlockPair pair, float near, bool once,
                     SweptBlock *swept, BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// Keeps those pairs [count] of slots of edges that may come within `near` along their displacements, and a few more,
/// in their order at the beginning of `pair`. Returns their number.
int box_blocks_close_edges(const BoxBlocks *edges, const NodePaths *paths, float near, BlockPair *pair, int count);

/// As box_blocks_pairs, but for blocks of a level above that of slots; writes pairs of blocks of the level below.
int box_blocks_divide(const BoxBlocks *own, const BoxBlocks *other, int level, BlockPair pair, float near, bool once,
                      BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// As box_blocks_divide, but tests block `a` of a lower level of `own` as a whole against the blocks inside block b of
/// `other`.
int box_blocks_divide_other(const BoxBlocks *own, int a, int first_level, const BoxBlocks *other, int b, int level,
                            float near, bool once, BlockPair to[BOX_BLOCK]);
