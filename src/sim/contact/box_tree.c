// Builds a tree of boxes (box_tree.h). A node with more than BOX_LEAF items divides them into two halves, at the median
// of their centres along the axis on which the centres extend furthest.
#include "sim/contact/box_tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"

// Sort key of an item: the items of a tree node are sorted, and then divided into two halves. at: coordinate of the
// item's centre, m, along the axis of the division.
typedef struct Key {
  double at;
  int item;
} Key;

typedef struct Building {
  BoxTree *tree;
  const double (*middle)[3];
  Key *key;
  Error *error;
} Building;

static int compare_keys(const void *a, const void *b) {
  const Key *x = a, *y = b;
  return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->item > y->item) - (x->item < y->item);
}

// Creates the subtree of the items tree->item[first] to tree->item[last - 1]. Fails if memory runs out.
static bool divide(Building *b, int first, int last) {
  BoxTree *tree = b->tree;
  const int self = tree->node_count++;
  if (last - first <= BOX_LEAF) {
    tree->node[self].first = first;
    tree->node[self].count = last - first;
    for (int k = first; k < last; k++) tree->leaf[tree->item[k]] = self;
  } else {
    int axis = 0;
    double longest = -1;
    for (int i = 0; i < 3; i++) {
      double low = INFINITY, high = -INFINITY;
      for (int k = first; k < last; k++) {
        low = fmin(low, b->middle[tree->item[k]][i]);
        high = fmax(high, b->middle[tree->item[k]][i]);
      }
      if (high - low > longest) {
        longest = high - low;
        axis = i;
      }
    }
    for (int k = first; k < last; k++) b->key[k] = (Key){ b->middle[tree->item[k]][axis], tree->item[k] };
    if (!sort_items(b->key + first, last - first, sizeof *b->key, compare_keys, b->error)) return false;
    for (int k = first; k < last; k++) tree->item[k] = b->key[k].item;
    const int half = first + (last - first) / 2;
    if (!divide(b, first, half) || !divide(b, half, last)) return false;
  }

  tree->node[self].next = tree->node_count;
  return true;
}

bool box_tree_create(BoxTree *tree, const double (*middle)[3], int own, int count, Error *error) {
  *tree = (BoxTree){ .item_count = count };
  tree->item = array_new(count, sizeof *tree->item, "contact", error);
  tree->leaf = array_new(count, sizeof *tree->leaf, "contact", error);
  tree->node = array_new(2 * (int64_t)count, sizeof *tree->node, "contact", error);
  Building b = { tree, middle, array_new(count, sizeof *b.key, "contact", error), error };
  bool ok = tree->item && tree->leaf && tree->node && b.key;
  for (int k = 0; ok && k < count; k++) tree->item[k] = k;
  if (ok && own > 0 && own < count) {
    tree->node_count = 1;  // node 0 is the root; its two subtrees have the bodies and the obstacles
    ok = divide(&b, 0, own) && divide(&b, own, count);
    tree->node[0].next = tree->node_count;
  } else if (ok && count > 0) {
    ok = divide(&b, 0, count);
  }
  free(b.key);
  return ok;
}

void box_tree_destroy(BoxTree *tree) {
  free(tree->item);
  free(tree->leaf);
  free(tree->node);
  *tree = (BoxTree){ 0 };
}

typedef int Mask __attribute__((vector_size(16)));

static Corner least(Corner a, Corner b) {
  const Mask less = b < a;
  return (Corner)(((Mask)b & less) | ((Mask)a & ~less));
}

static Corner greatest(Corner a, Corner b) {
  const Mask more = b > a;
  return (Corner)(((Mask)b & more) | ((Mask)a & ~more));
}

void box_include(Box *box, const Box *more) {
  box->low = least(box->low, more->low);
  box->high = greatest(box->high, more->high);
  box->path_low = least(box->path_low, more->path_low);
  box->path_high = greatest(box->path_high, more->path_high);
}

Box box_of_nodes(const double (*x)[3], const double (*displacement)[3], const int *node, int count) {
  Box box = { .low = { 0 } };
  for (int i = 0; i < 3; i++) {
    double low = INFINITY, high = -INFINITY, path_low = INFINITY, path_high = -INFINITY;
    for (int k = 0; k < count; k++) {
      const double at = x[node[k]][i], to = displacement ? displacement[node[k]][i] : 0;
      low = at < low ? at : low;
      high = at > high ? at : high;
      path_low = to < path_low ? to : path_low;
      path_high = to > path_high ? to : path_high;
    }
    box.low[i] = box_below(low);
    box.high[i] = box_above(high);
    box.path_low[i] = box_below(path_low);
    box.path_high[i] = box_above(path_high);
  }
  return box;
}

void box_tree_fit(BoxTree *tree, const Box *boxes) {
  for (int k = tree->node_count - 1; k >= 0; k--) {
    BoxNode *n = &tree->node[k];
    if (n->count > 0) {
      n->box = boxes[tree->item[n->first]];
      for (int i = 1; i < n->count; i++) box_include(&n->box, &boxes[tree->item[n->first + i]]);
    } else {
      n->box = tree->node[k + 1].box;
      box_include(&n->box, &tree->node[tree->node[k + 1].next].box);
    }
  }
}
