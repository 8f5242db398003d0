// A tree of bounding boxes in blocks of eight, for the search for contact pairs. SIMD instructions test one box against
// all eight boxes of a block at once.
//
// Slots are numbered places for items: points, edges or triangles of the surface. Their order is that of a BoxTree
// (box_tree.h), so neighbouring slots hold items that are near each other. Level 0 has one box for each slot: block 0
// has slots 0 to 7, block 1 has slots 8 to 15, and so on. Level 1 has one box for each block of level 0, around its
// eight boxes: block 0 of level 1 has blocks 0 to 7 of level 0. The highest level has a single block.
#pragma once
#include <stdint.h>

#include "sim/contact/box_tree.h"

#ifndef __CUDACC__
// eight floats, one for each box of a block; aligned to 16 bytes, because malloc guarantees no more
typedef float Eight __attribute__((vector_size(32), aligned(16)));
typedef int EightNodes __attribute__((vector_size(32), aligned(16)));
#else
typedef struct Eight {  // nvcc does not have these vector types; .cu files do not read the elements
  __attribute__((aligned(16))) float at[8];
} Eight;
typedef struct EightNodes {
  __attribute__((aligned(16))) int at[8];
} EightNodes;
#endif

enum { BOX_BLOCK = 8 };

// Eight boxes, of the items in eight slots or of eight blocks of the level below. Element k of each vector belongs to
// box k. Items move: after a fraction s, 0 to 1, of its displacement, an item is between low + s * path_low and high +
// s * path_high for each axis. An empty box has low = path_low = +infinity and high = path_high = -infinity.
typedef struct BoxBlock {
  Eight low[3], high[3], path_low[3], path_high[3];
} BoxBlock;

// Nodes of the items in a block's eight slots. Element k of node[j] is node j of the item in slot k. Edges have only
// two nodes, so their node[2] repeats the first one. Points have one node, which node[1] and node[2] repeat.
typedef struct BlockCorners {
  EightNodes node[3];
} BlockCorners;

// The tree of boxes over the items. A zeroed BoxBlocks is empty.
typedef struct BoxBlocks {
  int slot_count;         // number of slots, a multiple of BOX_BLOCK
  int *item;              // [slot_count], the item in a slot; -1: none
  int corner_count;       // number of nodes of an item: 1 point, 2 edge, 3 triangle
  BlockCorners *corners;  // [slot_count / BOX_BLOCK], nodes of the items in the slots of each block
  // [slot_count / BOX_BLOCK], one byte per block: bit k is 1 if the block's slot k holds an item
  uint8_t *filled;
  // number of levels of the tree; level 0 has the boxes of single slots
  int level_count;
  // [level_count + 1], index in `block` of the first block of each level; the last element is the number of blocks
  int *level;
  BoxBlock *block;  // [level[level_count]], blocks of all levels, from level 0 up
} BoxBlocks;

// A pair of blocks of one level, or a pair of slots: index `a` in one tree, and index `b` in another or the same tree.
typedef struct BlockPair {
  int a, b;
} BlockPair;

// Positions and displacements of nodes, rounded to float.
typedef struct NodePaths {
  float *at[3], *displacement[3];  // [nodes] for each of the axes x, y, z; m
} NodePaths;

// Work memory of box_blocks_pairs, which compares two blocks: boxes around the eight items of block `block` during
// their whole motion, enlarged by `near` on all sides. From the motion, `displacement` is subtracted, a displacement of
// the block's first item. If the next call compares the same block with another one, it uses these boxes again.
typedef struct SweptBlock {
  int block;              // number of the block of level 0; -1: none
  uint64_t filled;        // a mask of eight bytes: byte i is 0xff if slot i contains an item, else 0
  float displacement[3];  // m, smallest displacement of a node of the block's first item, on each axis
  Eight low[3], high[3];  // m, bounds of the eight enlarged boxes during the motion, relative to this displacement
} SweptBlock;

/// Creates the tree for items. item [count]: slot k gets item number item[k]; -1 leaves the slot empty. The first slot
/// of a block must not be empty. Item i has the nodes node[corner_count * i] to node[corner_count * i + corner_count -
/// 1]. Fails if memory runs out.
bool box_blocks_create(BoxBlocks *blocks, const int *item, int count, const int *node, int corner_count, Error *error);
void box_blocks_destroy(BoxBlocks *blocks);  // accepts a zeroed object

/// Computes the boxes of the items in blocks `first` to `last` - 1 of level 0, and the boxes of these blocks in level
/// 1.
void box_blocks_bound(BoxBlocks *blocks, const NodePaths *paths, int first, int last);
/// Computes the boxes of levels 2 and higher. box_blocks_bound must have run for all blocks.
void box_blocks_fit(BoxBlocks *blocks);

/// Returns the number of blocks of a level of the tree.
static inline int box_blocks_count(const BoxBlocks *blocks, int level) {
  return blocks->level[level + 1] - blocks->level[level];
}

/// Finds pairs of items that may come near each other, one in block pair.a of `own`, the other in block pair.b of
/// `other`; both are blocks of level 0. Writes the two slots of each pair to `to`, sorted by the first slot, then by
/// the second. Returns the number of pairs.
///
/// A pair is found if its items share no node and their boxes may come within `near`, m, of each other. The test
/// accepts slightly more pairs than boxes_overlap. It never accepts empty slots, even if `near` is infinite or a box is
/// NaN. If `once` is true, `own` and `other` must be the same tree; each pair is then found only once, with the smaller
/// slot first.
///
/// *swept is work memory. Before the first call, and when `own` or `near` changes, the caller sets swept->block to -1.
int box_blocks_pairs(const BoxBlocks *own, const BoxBlocks *other, BlockPair pair, float near, bool once,
                     SweptBlock *swept, BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// Tests pair [count]: pairs of edges, each given by two slots of the tree `edges`. Removes the pairs whose edges
/// cannot come within `near`, m, of each other while their nodes move along `paths`. The remaining pairs keep their
/// order; the function returns their number. Because of rounding, it may keep some pairs that are too far apart.
int box_blocks_close_edges(const BoxBlocks *edges, const NodePaths *paths, float near, BlockPair *pair, int count);

/// Finds pairs of blocks that may come near each other. The first block of a found pair is inside block pair.a of
/// `own`, the second inside block pair.b of `other`. Blocks pair.a and pair.b are on `level`, above 0; found blocks are
/// one level below. Writes the found pairs to `to` and returns their number. near: distance, m. once: true if `own` and
/// `other` are the same tree; each pair is then found only once.
int box_blocks_divide(const BoxBlocks *own, const BoxBlocks *other, int level, BlockPair pair, float near, bool once,
                      BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// Finds the blocks inside block b of `other` that may come near block a of `own`. Block a is on the level first_level,
/// which is below the level `level` of block b. Writes each found block, with block a, as a pair to `to`. Returns the
/// number of pairs. near: distance, m. once: true if `own` and `other` are the same tree; each pair is then found only
/// once.
int box_blocks_divide_other(const BoxBlocks *own, int a, int first_level, const BoxBlocks *other, int b, int level,
                            float near, bool once, BlockPair to[BOX_BLOCK]);
