// Creates the trees for searches on the GPU (CudaTree) from the host's trees of boxes (BoxTree) of the undeformed
// surface. nearby.cu computes their boxes and searches in them.
#include <string.h>

#include "sim/contact/contact.h"
#include "sim/contact/nearby_cuda.cuh"

enum { TOP_MAX = 128 };  // maximum number of groups on the highest level, where a search begins

static bool far_apart(const double a[3], const double b[3], double gap) {
  double between[3];
  subtract3(a, b, between);
  return dot3(between, between) > gap * gap;
}

// Divides the items of a BoxTree into groups of at most 32 members. The lowest level has groups of items, the next
// level groups of these groups, and so on, until a level has at most TOP_MAX groups. The members of a group fill one
// subtree of the BoxTree; the subtree is chosen as large as possible. Returns the number of levels.
//
// A subtree may contain items of two distant bodies. The box around such a group would be large, and a warp would test
// all boxes in it. Therefore groups of items are also divided between consecutive items whose centres are further apart
// than `gap`, m. below [node_count + 1] is a work array: for each node of the BoxTree, the number of items, or of
// groups of the level below, in earlier nodes.
static int cut(const BoxTree *tree, const double (*middle)[3], double gap, int *below, BoxGroup *group,
               int level_start[TREE_LEVELS + 1]) {
  const int nodes = tree->node_count;
  int levels = 0, groups = 0;
  for (int k = 0, items = 0; k <= nodes; k++) {
    below[k] = items;
    if (k < nodes) items += tree->node[k].count;
  }
  level_start[0] = 0;
  while (nodes > 0 && levels < TREE_LEVELS && (levels == 0 || groups - level_start[levels - 1] > TOP_MAX)) {
    const int first_group = groups;
    for (int k = 0; k < nodes;) {
      const int next = tree->node[k].next, first = below[k], count = below[next] - first;
      below[k] = groups - first_group;  // for the next level, which has the groups of this level as members
      if (count > 32) {
        k++;
        continue;
      }
      k = next;
      if (levels > 0) {
        group[groups++] = BoxGroup{ first, count, group[level_start[levels - 1] + first + count - 1].end };
        continue;
      }
      for (int from = first, to = first + 1; from < first + count; to++) {
        if (to < first + count && !far_apart(middle[tree->item[to]], middle[tree->item[to - 1]], gap)) continue;
        group[groups++] = BoxGroup{ from, to - from, to };
        from = to;
      }
    }
    below[nodes] = groups - first_group;
    level_start[++levels] = groups;
  }
  return levels;
}

// Creates a CudaTree from the host's tree of boxes. node [items][corners]: the nodes of each item. fits: true if the
// tree has boxes; the tree of vertices has none.
static bool create_tree(CudaTree *to, const BoxTree *tree, const Skin *skin, const int *node, int corners, bool fits,
                        Error *error) {
  // largest distance of consecutive items in a group, in mean edge lengths; a group is about four edges wide
  const double GAP = 8;
  const int nodes = tree->node_count, items = tree->item_count;
  *to = CudaTree{};
  to->item_count = items;
  int *below = (int *)array_new(nodes + (int64_t)1, sizeof *below, "contact", error);
  TreeItem *item = (TreeItem *)array_new(items, sizeof *item, "contact", error);
  BoxGroup *group = (BoxGroup *)array_new(TREE_LEVELS * (int64_t)items, sizeof *group, "contact", error);
  double(*middle)[3] = (double(*)[3])array_new(items, sizeof *middle, "contact", error);
  bool ok = below && item && group && middle;
  for (int k = 0; ok && k < items; k++) {
    const int number = tree->item[k];
    item[k].number = number;
    item[k].node[2] = tree->leaf[number];
    for (int j = 0; j < corners; j++) item[k].node[j] = node[number * corners + j];
    for (int j = 0; j < corners; j++)
      for (int i = 0; i < 3; i++) middle[k][i] += skin->X[node[k * corners + j]][i] / corners;
  }

  if (ok) to->level_count = cut(tree, (const double(*)[3])middle, GAP * skin->mean_edge, below, group, to->level_start);
  const size_t groups = ok ? (size_t)to->level_start[to->level_count] : 0, count = (size_t)items;
  ok = ok && (to->group = (BoxGroup *)device_clone(DEVICE_CUDA, group, sizeof *group * groups, error)) &&
       (to->item = (TreeItem *)device_clone(DEVICE_CUDA, item, sizeof *item * count, error)) &&
       (!fits || ((to->box = (SweptBox *)device_alloc(DEVICE_CUDA, sizeof *to->box * groups, error)) &&
                  (to->swept = (SweptBox *)device_alloc(DEVICE_CUDA, sizeof *to->swept * count, error))));
  free(below);
  free(item);
  free(group);
  free(middle);
  return ok;
}

static void destroy_tree(CudaTree *tree) {
  void *arrays[] = { tree->item, tree->group, tree->box, tree->swept };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(DEVICE_CUDA, arrays[k]);
}

// Creates the tree of vertices, in which neighbouring vertices are in one group.
static bool create_vertices(ContactCuda *c, Error *error) {
  const Skin *skin = &c->host->skin;
  BoxTree tree = {};
  double(*middle)[3] = (double(*)[3])array_new(skin->point_count, sizeof *middle, "contact", error);
  for (int k = 0; middle && k < skin->point_count; k++) memcpy(middle[k], skin->X[skin->vertex[k]], sizeof middle[k]);
  const bool ok = middle &&
                  box_tree_create(&tree, (const double(*)[3])middle, skin->body_vertices, skin->point_count, error) &&
                  create_tree(&c->vertices, &tree, skin, skin->vertex, 1, false, error);
  box_tree_destroy(&tree);
  free(middle);
  return ok;
}

extern "C" bool cuda_trees_create(ContactCuda *c, Error *error) {
  const Skin *skin = &c->host->skin;
  return create_tree(&c->triangles, &skin->triangles, skin, skin->triangle[0], 3, true, error) &&
         create_tree(&c->edges, &skin->edges, skin, skin->edge[0], 2, true, error) && create_vertices(c, error);
}

extern "C" void cuda_trees_destroy(ContactCuda *c) {
  destroy_tree(&c->triangles);
  destroy_tree(&c->edges);
  destroy_tree(&c->vertices);
}
