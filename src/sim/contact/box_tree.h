// A tree of boxes over items. Its structure is fixed at creation; boxes are refitted to moved items, and the tree is
// walked without a stack. Items are visited in the tree's order, whatever their boxes.
#pragma once
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bounds of an object and of its displacements: after a fraction s of these it is within [low, high] + s [path_low,
// path_high]. In float, rounded outward; the fourth component of each is 0.
#ifndef __CUDACC__
typedef float Corner __attribute__((vector_size(16)));
#else
typedef struct Corner {  // CUDA has no vector types of this kind; .cu files do not read the components
  __attribute__((aligned(16))) float at[4];
} Corner;
#endif
typedef struct Box {
  Corner low, high, path_low, path_high;
} Box;

enum { BOX_LEAF = 4 };  // maximum number of items of a leaf

typedef struct BoxNode {
  Box box;
  int first, count;  // items of a leaf in BoxTree.item; an inner node has count 0
  int next;          // next node to visit if this box is rejected
} BoxNode;

// A zeroed tree is empty.
typedef struct BoxTree {
  int item_count, node_count;
  int *item;      // [item_count], by leaves
  int *leaf;      // [item_count], the leaf node of each item
  BoxNode *node;  // [node_count], each before its children
} BoxTree;

/// Builds a tree over items with these centres [count][3]. The first `own` items, of a body, and the others, of
/// obstacles, form separate subtrees: obstacles' items may be large and would enlarge shared boxes.
bool box_tree_create(BoxTree *tree, const double (*middle)[3], int own, int count, Error *error);
void box_tree_destroy(BoxTree *tree);  // accepts a zeroed object

/// Enlarges the box to include another one.
void box_include(Box *box, const Box *more);

/// Refits the tree to the items' boxes [item_count].
void box_tree_fit(BoxTree *tree, const Box *boxes);

/// Returns the box of nodes [count] at x with displacements `displacement`; NULL: none.
Box box_of_nodes(const double (*x)[3], const double (*displacement)[3], const int *node, int count);

#ifndef __CUDACC__
/// Round to a float that is not larger, or not smaller, than x.
static inline float box_below(double x) {
  return (float)(x - fabs(x) * FLT_EPSILON);
}
static inline float box_above(double x) {
  return (float)(x + fabs(x) * FLT_EPSILON);
}

/// Tests if two boxes may come within `near` of each other along each axis. Only their relative displacement counts:
/// objects that move together keep their distance.
static inline bool boxes_overlap(const Box *a, const Box *b, float near) {
  typedef int Mask __attribute__((vector_size(16)));
  typedef long long Halves __attribute__((vector_size(16)));
  const Corner far = { near, near, near, 1 };
  Corner back = a->path_low - b->path_high, on = a->path_high - b->path_low;
  back = (Corner)((Mask)back & (back < 0)), on = (Corner)((Mask)on & (on > 0));
  const Mask apart = (a->low - b->high + back > far) | (a->high - b->low + on < -far);
  const Halves any = (Halves)apart;
  return (any[0] | any[1]) == 0;
}

/// Returns the next leaf, from node *at on, that may come within `near` of `box`; NULL at the end. Moves *at past it.
static inline const BoxNode *box_tree_next(const BoxTree *tree, const Box *box, float near, int *at) {
  while (*at < tree->node_count) {
    const BoxNode *n = &tree->node[*at];
    const bool overlaps = boxes_overlap(&n->box, box, near);
    *at = overlaps ? *at + 1 : n->next;
    if (overlaps && n->count > 0) return n;
  }
  return NULL;
}
#endif

#ifdef __cplusplus
}
#endif
