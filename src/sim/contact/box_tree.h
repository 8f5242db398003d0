// A tree of boxes over items whose order in it is fixed when it is made: refitted to boxes that have moved, and walked
// without a stack. Items are met in the tree's order, whatever their boxes.
#pragma once
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where something is, and the ways it may go, all of it at one pace: after a share s of these it is within
// [low, high] + s [way_low, way_high]. In float, rounded outward; the fourth of each is 0.
#ifndef __CUDACC__
typedef float Corner __attribute__((vector_size(16)));
#else
typedef struct Corner {  // CUDA knows no vectors, and looks into none
  __attribute__((aligned(16))) float at[4];
} Corner;
#endif
typedef struct Box {
  Corner low, high, way_low, way_high;
} Box;

enum { BOX_LEAF = 4 };  // items of a leaf at most

typedef struct BoxNode {
  Box box;
  int first, count;  // of a leaf: its items in BoxTree.item; else count is 0
  int next;          // the node that follows where this box is not met
} BoxNode;

// A zeroed tree is empty.
typedef struct BoxTree {
  int item_count, node_count;
  int *item;      // [item_count], by leaves
  int *leaf;      // [item_count], the node of each item's leaf
  BoxNode *node;  // [node_count], each before its children
} BoxTree;

/// A tree over items at these middles [count][3]. The first `own` of them, a body's, stand before the others, an
/// obstacle's: these may be large, and would make boxes large that they shared.
bool box_tree_create(BoxTree *tree, const double (*middle)[3], int own, int count, Error *error);
void box_tree_destroy(BoxTree *tree);  // takes a zeroed one

/// The box becomes one around both.
void box_include(Box *box, const Box *more);

/// Fits it to the items' boxes [item_count].
void box_tree_fit(BoxTree *tree, const Box *boxes);

/// The box of nodes [count] at x on their ways; NULL: they have none.
Box box_of_nodes(const double (*x)[3], const double (*way)[3], const int *node, int count);

#ifndef __CUDACC__
/// Floats that are no larger, and no smaller.
static inline float box_below(double x) {
  return (float)(x - fabs(x) * FLT_EPSILON);
}
static inline float box_above(double x) {
  return (float)(x + fabs(x) * FLT_EPSILON);
}

/// Whether two boxes may come as close as `near` along each axis, by how their ways differ: what moves together stays
/// apart as it is.
static inline bool boxes_meet(const Box *a, const Box *b, float near) {
  typedef int Mask __attribute__((vector_size(16)));
  typedef long long Halves __attribute__((vector_size(16)));
  const Corner far = { near, near, near, 1 };
  Corner back = a->way_low - b->way_high, on = a->way_high - b->way_low;
  back = (Corner)((Mask)back & (back < 0)), on = (Corner)((Mask)on & (on > 0));
  const Mask apart = (a->low - b->high + back > far) | (a->high - b->low + on < -far);
  const Halves any = (Halves)apart;
  return (any[0] | any[1]) == 0;
}

/// The next leaf from node *at on that `box` may come near to; NULL where there is none. *at is then behind it.
static inline const BoxNode *box_tree_next(const BoxTree *tree, const Box *box, float near, int *at) {
  while (*at < tree->node_count) {
    const BoxNode *n = &tree->node[*at];
    const bool meets = boxes_meet(&n->box, box, near);
    *at = meets ? *at + 1 : n->next;
    if (meets && n->count > 0) return n;
  }
  return NULL;
}
#endif

#ifdef __cplusplus
}
#endif
