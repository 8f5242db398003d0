// Clusters of pieces (connected parts of the mesh) that touch: see clusters.h.
#include "sim/contact/clusters.h"

#include "base/union_find.h"
#include "sim/contact/contact.h"

// Joins the clusters of the pieces (connected parts of the mesh) to which a contact pair's four nodes belong.
static void join(const Contact *c, const int node[4], int *root) {
  for (int j = 1; j < 4; j++) union_join(root, c->skin.component[node[0]], c->skin.component[node[j]]);
}

bool contact_clusters(const Contact *c, int *root, int count) {
  if (c->now.count == 0 && c->sliding_count == 0) return false;
  for (int k = 0; k <= count; k++) root[k] = k;
  for (int64_t k = 0; k < c->now.count; k++) join(c, c->now.touch[k].node, root);
  for (int64_t k = 0; k < c->sliding_count; k++) join(c, c->sliding[k].node, root);
  for (int k = 0; k <= count; k++) root[k] = union_root(root, k);
  return true;
}
