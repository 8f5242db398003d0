// A tree of bounding boxes over items (edges or triangles of a surface), for searches of items that are near each
// other. Its structure is fixed at creation; when items move, only the boxes are computed again. It is traversed
// without a stack, and always visits items in the order of the tree's leaves.
#pragma once
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bounds of a moving object. After a fraction s, 0 to 1, of its displacement, the object is between low + s * path_low
// and high + s * path_high. The numbers are floats, rounded so that the box becomes larger. A Corner is a SIMD vector
// of four floats: x, y, z and 0.
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
  Box box;           // box around all items below this node of the tree
  int first, count;  // a leaf contains BoxTree.item[first ... first + count - 1]; an inner node has count 0
  int next;          // the first node after this subtree: a search continues there if the box does not overlap
} BoxNode;

// A zeroed tree is empty.
typedef struct BoxTree {
  int item_count, node_count;  // numbers of items and of nodes of the tree
  int *item;                   // [item_count], items in the order of the leaves
  int *leaf;                   // [item_count], the leaf node of each item
  BoxNode *node;               // [node_count], the nodes of the tree in depth-first order
} BoxTree;

/// Builds a tree over items whose centres are middle [count][3], m. The first `own` items belong to bodies, the others
/// to obstacles. Bodies and obstacles have separate subtrees. Otherwise large triangles of obstacles would enlarge
/// boxes that also contain items of bodies.
bool box_tree_create(BoxTree *tree, const double (*middle)[3], int own, int count, Error *error);
void box_tree_destroy(BoxTree *tree);  // accepts a zeroed object

/// Enlarges `box` so that it contains the box `more` too.
void box_include(Box *box, const Box *more);

/// Computes the boxes of all nodes of the tree from the boxes of the items, boxes [item_count].
void box_tree_fit(BoxTree *tree, const Box *boxes);

/// Returns the box around node [count] at positions x with displacements `displacement` (NULL: all 0), m.
Box box_of_nodes(const double (*x)[3], const double (*displacement)[3], const int *node, int count);

#ifndef __CUDACC__
/// box_below returns a float that is at most x, and box_above a float that is at least x.
static inline float box_below(double x) {
  return (float)(x - fabs(x) * FLT_EPSILON);
}
static inline float box_above(double x) {
  return (float)(x + fabs(x) * FLT_EPSILON);
}

/// Tests if the objects in two boxes may come within `near` m of each other, along each axis, during their
/// displacements. The test uses relative displacements, since objects that move together keep their distance.
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

/// Finds the next leaf, from node *at on, whose box may come within `near` m of `box`. Sets *at to the node after this
/// leaf, so that the next call continues there. Returns NULL at the end of the tree.
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
