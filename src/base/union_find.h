// Union-find: sets of the items 0 to count - 1, which can be joined. parent [count] stores a forest, in which the root
// of each tree is the smallest item of a set. At first, parent[k] must be k for each item.
#pragma once

/// Returns the smallest item of the set of `item`. Shortens the path to this root (path halving).
static inline int union_root(int *parent, int item) {
  while (parent[item] != item) item = parent[item] = parent[parent[item]];
  return item;
}

/// Joins the sets of two items.
static inline void union_join(int *parent, int item, int other) {
  const int a = union_root(parent, item), b = union_root(parent, other);
  parent[a > b ? a : b] = a > b ? b : a;
}
