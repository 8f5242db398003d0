// Union-find on items 0 to count - 1: parent [count] is a forest whose roots are the smallest items of their sets. Set
// parent[k] = k for each item before the first call.
#pragma once

/// Returns the smallest item of the set of `item`. Also shortens the path to it, for later calls (path halving).
static inline int union_root(int *parent, int item) {
  while (parent[item] != item) item = parent[item] = parent[parent[item]];
  return item;
}

/// Joins the sets of two items.
static inline void union_join(int *parent, int item, int other) {
  const int a = union_root(parent, item), b = union_root(parent, other);
  parent[a > b ? a : b] = a > b ? b : a;
}
