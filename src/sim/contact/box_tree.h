// A tree of boxes over items whose order in it is fixed when it is made: refitted to boxes that have moved, and walked
// without a stack. Items are met in the tree's order, whatever their boxes.
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct Box {
  double low[3], high[3];
} Box;

typedef struct BoxNode {
  Box box;
  int first, count;  // of a leaf: its items in BoxTree.item; else count is 0
  int next;          // the node that follows where this box is not met
} BoxNode;

// A zeroed tree is empty.
typedef struct BoxTree {
  int item_count, node_count;
  int *item;      // [item_count], by leaves
  BoxNode *node;  // [node_count], each before its children
} BoxTree;

/// A tree over items at these middles [count][3].
bool box_tree_create(BoxTree *tree, const double (*middle)[3], int count, Error *error);
void box_tree_destroy(BoxTree *tree);  // takes a zeroed one

/// Fits it to the items' boxes [item_count].
void box_tree_fit(BoxTree *tree, const Box *boxes);

/// The next leaf from node *at on whose box meets `box`; NULL where there is none. *at is then behind it.
static inline const BoxNode *box_tree_next(const BoxTree *tree, const Box *box, int *at) {
  while (*at < tree->node_count) {
    const BoxNode *n = &tree->node[*at];
    const bool meets = n->box.low[0] <= box->high[0] && n->box.high[0] >= box->low[0] &&
                       n->box.low[1] <= box->high[1] && n->box.high[1] >= box->low[1] &&
                       n->box.low[2] <= box->high[2] && n->box.high[2] >= box->low[2];
    *at = meets ? *at + 1 : n->next;
    if (meets && n->count > 0) return n;
  }
  return NULL;
}

static inline bool boxes_meet(const Box *a, const Box *b) {
  for (int i = 0; i < 3; i++)
    if (!(a->low[i] <= b->high[i] && a->high[i] >= b->low[i])) return false;
  return true;
}
