// A tree of bounding boxes over items (edges or triangles of a surface), for searches of items that are near each
// other. When items move, only the boxes are computed again; the tree's structure stays as it was built. Each node
// stores the index of the node after its subtree, so a search needs no stack. A search finds items in the order of the
// leaves.
#pragma once
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

// Bounds of a moving object on each axis. After a fraction s, 0 to 1, of its displacement, the object is between low +
// s * path_low and high + s * path_high, m. The numbers are rounded to float outwards, so that the box still contains
// the object. A Corner is a SIMD vector of four floats: x, y, z and 0.
#ifndef __CUDACC__
typedef float Corner __attribute__((vector_size(16)));
#else
typedef struct Corner {  // nvcc does not have this vector type; .cu files do not read the components
  __attribute__((aligned(16))) float at[4];
} Corner;
#endif
typedef struct Box {
  Corner low, high, path_low, path_high;
} Box;

enum { BOX_LEAF = 4 };  // maximum number of items of a leaf

typedef struct BoxNode {
  Box box;  // box around all items in the subtree of this node
  // Items of a leaf: BoxTree.item[first] to BoxTree.item[first + count - 1]. count is 0 for an inner node.
  int first, count;
  int next;  // index of the node after this subtree; a search continues there if `box` is too far away
} BoxNode;

// A tree of boxes. Its items are edges or triangles. A zeroed BoxTree is empty.
typedef struct BoxTree {
  int item_count, node_count;  // numbers of items and of nodes of the tree
  int *item;                   // [item_count], items in the order of the leaves
  int *leaf;                   // [item_count], index of the leaf node that contains each item
  BoxNode *node;               // [node_count], the nodes of the tree in depth-first order
} BoxTree;

/// Builds a tree over items whose centres are middle [count][3], m. The first `own` items belong to bodies, the others
/// to obstacles. Bodies and obstacles get separate subtrees. Otherwise large triangles of obstacles would enlarge the
/// boxes around small items of bodies.
bool box_tree_create(BoxTree *tree, const double (*middle)[3], int own, int count, Error *error);
void box_tree_destroy(BoxTree *tree);  // accepts a zeroed object

/// Enlarges *box so that it also contains the box *more.
void box_include(Box *box, const Box *more);

/// Computes the boxes of all nodes of the tree from the boxes of the items, boxes [item_count].
void box_tree_fit(BoxTree *tree, const Box *boxes);

/// Returns the box around the nodes node[0] to node[count - 1] during their motion: from x by `displacement` (NULL: all
/// 0), both in m.
Box box_of_nodes(const double (*x)[3], const double (*displacement)[3], const int *node, int count);

#ifndef __CUDACC__
/// Round x to a float. box_below: the result is not above x. box_above: the result is not below x.
static inline float box_below(double x) {
  return (float)(x - fabs(x) * FLT_EPSILON);
}
static inline float box_above(double x) {
  return (float)(x + fabs(x) * FLT_EPSILON);
}

/// Returns true if the objects in two boxes may come within `near`, m, of each other during their displacements. The
/// test uses relative displacements, since objects that move together keep their distance.
static inline bool boxes_overlap(const Box *a, const Box *b, float near) {
  typedef int Mask __attribute__((vector_size(16)));
  typedef long long Halves __attribute__((vector_size(16)));
  const Corner far = { near, near, near, 1 };
  Corner back = a->path_low - b->path_high, on = a->path_high - b->path_low;
  back = (Corner)((Mask)back & (back < 0));
  on = (Corner)((Mask)on & (on > 0));
  const Mask apart = (a->low - b->high + back > far) | (a->high - b->low + on < -far);
  const Halves any = (Halves)apart;
  return (any[0] | any[1]) == 0;
}

/// Finds the next leaf whose box may come within `near`, m, of `box`. The search starts at node *at. Sets *at to the
/// node after this leaf, where the next call continues. Returns NULL at the end of the tree.
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
