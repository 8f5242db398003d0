// Pieces that touch: see clusters.h.
#include "sim/contact/clusters.h"

#include "sim/contact/contact.h"

static int find(int *root, int piece) {
  while (root[piece] != piece) piece = root[piece] = root[root[piece]];
  return piece;
}

// Joins the clusters of a pair's four nodes. The smallest piece is the root.
static void join(const Contact *c, const int node[4], int *root) {
  for (int j = 1; j < 4; j++) {
    const int a = find(root, c->skin.component[node[0]]), b = find(root, c->skin.component[node[j]]);
    root[a > b ? a : b] = a > b ? b : a;
  }
}

bool contact_clusters(const Contact *c, int *root, int count) {
  if (c->now.count == 0 && c->sliding_count == 0) return false;
  for (int k = 0; k <= count; k++) root[k] = k;
  for (int64_t k = 0; k < c->now.count; k++) join(c, c->now.touch[k].node, root);
  for (int64_t k = 0; k < c->sliding_count; k++) join(c, c->sliding[k].node, root);
  for (int k = 0; k <= count; k++) root[k] = find(root, k);
  return true;
}
