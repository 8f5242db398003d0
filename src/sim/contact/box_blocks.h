// A tree of bounding boxes in blocks of eight, for the search for contact pairs. SIMD instructions test a box against
// all eight boxes of a block at once.
//
// Slots hold items (points, edges or triangles of the surface). Neighbouring slots hold items that are near each other,
// in the order of a BoxTree (box_tree.h). Level 0 has one box per slot: block 0 has slots 0 to 7, block 1 has slots 8
// to 15, and so on. Level 1 has one box per block of level 0, around its eight boxes: block 0 of level 1 has blocks 0
// to 7 of level 0. The highest level has a single block.
#pragma once
#include <stdint.h>

#include "sim/contact/box_tree.h"

#ifndef __CUDACC__
typedef float Eight __attribute__((vector_size(32), aligned(16)));  // aligned to 16 bytes, since malloc guarantees no
                                                                    // more
typedef int EightNodes __attribute__((vector_size(32), aligned(16)));
#else
typedef struct Eight {  // CUDA has no such vector types; .cu files do not read the elements
  __attribute__((aligned(16))) float at[8];
} Eight;
typedef struct EightNodes {
  __attribute__((aligned(16))) int at[8];
} EightNodes;
#endif

enum { BOX_BLOCK = 8 };

// Eight boxes: those of the items in eight slots, or of eight blocks of the level below. Element k of each vector
// belongs to box k. Items move along displacements. After a fraction s, 0 to 1, of its displacement, an item is between
// low + s * path_low and high + s * path_high. An empty box has low = path_low = +infinity and high = path_high =
// -infinity.
typedef struct BoxBlock {
  Eight low[3], high[3], path_low[3], path_high[3];
} BoxBlock;

// Nodes of the items in eight slots: element k of node[j] is node j of the item in slot k. For items with one or two
// nodes, the remaining vectors repeat the first node.
typedef struct BlockCorners {
  EightNodes node[3];
} BlockCorners;

// A zeroed BoxBlocks is empty.
typedef struct BoxBlocks {
  int slot_count;         // number of slots, a multiple of BOX_BLOCK
  int *item;              // [slot_count], the item in a slot; -1: none
  int corner_count;       // number of nodes of an item: 1 point, 2 edge, 3 triangle
  BlockCorners *corners;  // [slot_count / BOX_BLOCK], nodes of the items in the slots of each block
  uint8_t *filled;        // [slot_count / BOX_BLOCK], bit k of an element is 1 if slot k of the block holds an item
  // number of levels of the tree; a block of level 0 has the boxes of eight slots, a block of a higher level those of
  // eight blocks below
  int level_count;
  int *level;       // [level_count + 1], index in `block` of each level's first block
  BoxBlock *block;  // [level[level_count]], the blocks of all levels, from level 0 up; a block has eight boxes
} BoxBlocks;

// Indices of two blocks of one level, or of two slots.
typedef struct BlockPair {
  int a, b;
} BlockPair;

// Positions and displacements of nodes, rounded to float.
typedef struct NodePaths {
  float *at[3], *displacement[3];  // [nodes] for each of the axes x, y, z; m
} NodePaths;

// Boxes that contain the eight items of block number `block` during their whole motion. The motion is relative to the
// block's first item: `displacement` is the displacement of this item. box_blocks_pairs keeps these boxes for its next
// call, since consecutive calls often have the same first block.
typedef struct SweptBlock {
  int block;
  uint64_t filled;        // a mask of eight bytes: byte i is 0xff if slot i contains an item, else 0
  float displacement[3];  // m, displacement of the block's first item
  Eight low[3], high[3];  // m, bounds of the eight boxes during the motion, relative to this displacement
} SweptBlock;

/// Creates blocks whose slots contain the items item [count], in this order. The value -1 leaves a slot empty. The
/// first slot of a block must not be empty. Item k has the nodes node[corner_count * k] to node[corner_count * k +
/// corner_count - 1]. Fails if memory runs out.
bool box_blocks_create(BoxBlocks *blocks, const int *item, int count, const int *node, int corner_count, Error *error);
void box_blocks_destroy(BoxBlocks *blocks);  // accepts a zeroed object

/// box_blocks_bound computes the boxes in the blocks `first` to `last` - 1 of level 0, and their boxes in level 1.
/// After it has run for all blocks, box_blocks_fit computes the higher levels.
void box_blocks_bound(BoxBlocks *blocks, const NodePaths *paths, int first, int last);
void box_blocks_fit(BoxBlocks *blocks);

/// Returns the number of blocks of a level of the tree.
static inline int box_blocks_count(const BoxBlocks *blocks, int level) {
  return blocks->level[level + 1] - blocks->level[level];
}

/// Finds pairs of items (points, edges or triangles) that may come near each other. One item is in block pair.a of
/// `own`, the other in block pair.b of `other`; both are blocks of level 0. A slot is the place of one item. Writes the
/// pairs of slots to `to`, sorted by the first slot, then by the second. Returns the number of pairs.
///
/// A pair is found if its items share no node and their boxes may come within `near` of each other. The test accepts
/// slightly more pairs than boxes_overlap. It never returns empty slots, even if `near` is infinite or a box is NaN.
/// With `once`, `own` and `other` must be equal; each pair is then found once, with its first slot before the second.
///
/// *swept is work memory. Before the first call the caller sets swept->block to -1. Further calls with equal `own` and
/// `near` may continue to use it.
int box_blocks_pairs(const BoxBlocks *own, const BoxBlocks *other, BlockPair pair, float near, bool once,
                     SweptBlock *swept, BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// Removes pairs of edges that cannot come within `near` of each other along their displacements. pair [count] are
/// pairs of slots. The remaining pairs keep their order; their number is returned. Because of rounding, some pairs
/// remain that could be removed.
int box_blocks_close_edges(const BoxBlocks *edges, const NodePaths *paths, float near, BlockPair *pair, int count);

/// Finds pairs of blocks that may come near each other, on the level below `level`, which is above 0. The first is
/// inside block pair.a of `own`, the second inside block pair.b of `other`; both are blocks of `level`. Writes the
/// pairs to `to` and returns their number. `near` and `once` are as in box_blocks_pairs.
int box_blocks_divide(const BoxBlocks *own, const BoxBlocks *other, int level, BlockPair pair, float near, bool once,
                      BlockPair to[BOX_BLOCK * BOX_BLOCK]);

/// Divides only one of two blocks: block b of `other`, on level `level`. Tests the box around block a of `own`, which
/// is on the lower level `first_level`, against the boxes of the blocks inside block b. Writes the pairs that may come
/// near each other to `to` and returns their number.
int box_blocks_divide_other(const BoxBlocks *own, int a, int first_level, const BoxBlocks *other, int b, int level,
                            float near, bool once, BlockPair to[BOX_BLOCK]);
