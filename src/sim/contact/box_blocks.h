// A tree of bounding boxes in blocks of eight, for the search for contact pairs. SIMD instructions test a box against
// all eight boxes of a block at once. Slots hold items (points, edges or triangles of the surface), in the order of a
// BoxTree (box_tree.h), so that neighbouring slots hold items that are near each other. Slots 0 to 7 are block 0 of
// level 0, slots 8 to 15 block 1. Blocks 0 to 7 of level 0 are block 0 of level 1, and so on up to a level with a
// single block.
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

// Boxes of the items in eight slots, or of eight blocks of the level below: element k of each vector belongs to box k.
// Items move along displacements. After a fraction s, 0 to 1, of these, a box is from low + s * path_low to high + s *
// path_high. An empty box has low and path_low of +infinity, and high and path_high of -infinity.
typedef struct BoxBlock {
  Eight low[3], high[3], path_low[3], path_high[3];
} BoxBlock;

// Nodes of the items in eight slots; for items with one or two nodes, the rest repeats the first node.
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
  int *level;             // [level_count + 1], index in `block` of each level's first block
  BoxBlock *block;
} BoxBlocks;

// Indices of two blocks of one level, or of two slots.
typedef struct BlockPair {
  int a, b;
} BlockPair;

// Positions and displacements of nodes, rounded to float.
typedef struct NodePaths {
  float *at[3], *displacement[3];  // [nodes] each
} NodePaths;

// Boxes that contain the eight items of one block during their whole displacement, relative to the displacement of the
// block's first item. box_blocks_pairs keeps them for its next call, whose first block is often the same.
typedef struct SweptBlock {
  int block;
  uint64_t filled;  // byte i is 0xff if slot i contains an item, else 0
  float displacement[3];
  Eight low[3], high[3];
} SweptBlock;

/// Creates blocks whose slots contain item [count]. -1 leaves a slot empty; the first slot of a block may not be empty.
/// Item k has the nodes node[corner_count * k] to node[corner_count * k + corner_count - 1]. Fails if memory runs out.
bool box_blocks_create(BoxBlocks *blocks, const int *item, int count, const int *node, int corner_count, Error *error);
void box_blocks_destroy(BoxBlocks *blocks);  // accepts a zeroed object

/// box_blocks_bound computes the boxes in the blocks `first` to `last` - 1 of level 0, and their boxes in level 1.
/// After it has run for all blocks, box_blocks_fit computes the higher levels.
void box_blocks_bound(BoxBlocks *blocks, const NodePaths *paths, int first, int last);
void box_blocks_fit(BoxBlocks *blocks);

/// Number of blocks of a level.
static inline int box_blocks_count(const BoxBlocks *blocks, int level) {
  return blocks->level[level + 1] - blocks->level[level];
}

/// Finds pairs of a slot in block pair.a of `own` and a slot in block pair.b of `other`, both of level 0. A pair is
/// written to `to` if its items share no node and their boxes may come within `near` of each other. The test accepts
/// slightly more pairs than boxes_overlap. It never returns empty slots, even if `near` is infinite or a box is NaN.
/// Pairs are sorted by the first slot, then by the second. With `once`, `own` and `other` must be equal; pairs whose
/// second slot is before the first are left out, so that each pair is found once. Returns the number of pairs. *swept
/// is work memory, which calls with equal `own` and `near` share; the caller sets swept->block to -1 before the first
/// of them.
int box_blocks_pairs(const BoxBlocks *own, const BoxBlocks *other, BlockPair pair, float near, bool once,
                     SweptBlock *swept, BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// Removes pairs of edges that cannot come within `near` along their displacements. pair [count] are pairs of slots;
/// the remaining ones keep their order. Some pairs that could be removed remain, because of rounding. Returns the
/// number of remaining pairs.
int box_blocks_close_edges(const BoxBlocks *edges, const NodePaths *paths, float near, BlockPair *pair, int count);

/// As box_blocks_pairs, but for blocks of `level`, which is above 0. Writes pairs of blocks of the level below.
int box_blocks_divide(const BoxBlocks *own, const BoxBlocks *other, int level, BlockPair pair, float near, bool once,
                      BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// As box_blocks_divide, but only block b of `other`, on level `level`, is divided. Block a of `own`, on the lower
/// level `first_level`, is tested as a whole against the blocks inside block b.
int box_blocks_divide_other(const BoxBlocks *own, int a, int first_level, const BoxBlocks *other, int b, int level,
                            float near, bool once, BlockPair to[BOX_BLOCK]);
