// Computes distances between bodies: see surface_distance.h. A tree of boxes around the triangles of one body excludes
// most pairs of triangles. The distance of two triangles that do not intersect is that of a corner and a triangle, or
// of two edges.
#include "sim/report/surface_distance.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "sim/contact/box_tree.h"
#include "sim/contact/nearest.h"
#include "sim/force/obstacle.h"

// Returns the distance of two primitives, m.
static double pair_distance(PairKind kind, const double *p0, const double *p1, const double *p2, const double *p3) {
  const double *p[4] = { p0, p1, p2, p3 };
  double x[4][3], weight[4], apart[3];
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 3; i++) x[j][i] = p[j][i];
  return nearest_distance((const double(*)[3])x, kind, weight, apart);
}

// Returns true if the segment from p to q intersects the triangle t.
static bool crosses(const double *p, const double *q, const double *const t[3]) {
  double n[3], u[3], v[3], pq[3], from[3], side[3], edge[3], turn[3];
  subtract3(t[1], t[0], u);
  subtract3(t[2], t[0], v);
  subtract3(q, p, pq);
  subtract3(t[0], p, from);
  cross3(u, v, n);
  const double along = dot3(n, pq), s = along != 0 ? dot3(n, from) / along : -1;
  if (!(s >= 0 && s <= 1)) return false;
  for (int k = 0; k < 3; k++) {
    const double at[3] = { p[0] + s * pq[0], p[1] + s * pq[1], p[2] + s * pq[2] };
    subtract3(t[(k + 1) % 3], t[k], edge);
    subtract3(at, t[k], side);
    cross3(edge, side, turn);
    if (dot3(turn, n) < 0) return false;
  }
  return true;
}

// Returns the distance of two triangles, m; 0 if they intersect.
static double triangle_distance(const double (*x)[3], const int s[3], const int t[3]) {
  const double *const a[3] = { x[s[0]], x[s[1]], x[s[2]] }, *const b[3] = { x[t[0]], x[t[1]], x[t[2]] };
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    const int next = (i + 1) % 3;
    if (crosses(a[i], a[next], b) || crosses(b[i], b[next], a)) return 0;
    least = fmin(least, pair_distance(PAIR_POINT_TRIANGLE, a[i], b[0], b[1], b[2]));
    least = fmin(least, pair_distance(PAIR_POINT_TRIANGLE, b[i], a[0], a[1], a[2]));
    for (int j = 0; j < 3; j++) least = fmin(least, pair_distance(PAIR_EDGES, a[i], a[next], b[j], b[(j + 1) % 3]));
  }
  return least;
}

// The triangles of one body, with the data from which a tree of boxes is made.
typedef struct Triangles {
  int (*node)[3], count;  // [count], nodes of the triangles
  double (*middle)[3];    // [count] m, centres of the triangles
  Box *box;               // [count], boxes around the triangles
} Triangles;

static bool list_triangles(Triangles *list, const TetMesh *mesh, const Surface *surface, const double (*x)[3], int body,
                           Error *error) {
  const int all = surface->triangle_count;
  *list = (Triangles){ .node = array_new(all, sizeof *list->node, "triangles", error),
                       .middle = array_new(all, sizeof *list->middle, "triangles", error),
                       .box = array_new(all, sizeof *list->box, "triangles", error) };
  if (!list->node || !list->middle || !list->box) return false;
  for (int t = 0; t < all; t++) {
    const int *node = surface->triangle[t];
    if (mesh_body(mesh, node[0]) != body) continue;
    const int k = list->count++;
    for (int c = 0; c < 3; c++) {
      list->node[k][c] = node[c];
      for (int i = 0; i < 3; i++) list->middle[k][i] += x[node[c]][i] / 3;
    }
    list->box[k] = box_of_nodes(x, NULL, node, 3);
  }
  return true;
}

static void triangles_destroy(Triangles *list) {
  free(list->node);
  free(list->middle);
  free(list->box);
}

// Returns the smallest distance of the triangles `from` from those of a tree, m. `best`: an upper bound, m.
static double search(const BoxTree *tree, const Triangles *in, const Triangles *from, const double (*x)[3],
                     double best) {
  for (int k = 0; k < from->count && best > 0; k++) {
    const BoxNode *leaf;
    int at = 0;
    while ((leaf = box_tree_next(tree, &from->box[k], box_above(best), &at)))
      for (int j = leaf->first; j < leaf->first + leaf->count; j++)
        best = fmin(best, triangle_distance(x, from->node[k], in->node[tree->item[j]]));
  }
  return best;
}

bool surface_distance(const TetMesh *mesh, const Surface *surface, const double (*x)[3], int a, int b, double *distance,
                      Error *error) {
  Triangles first = { 0 }, second = { 0 };
  BoxTree tree = { 0 };
  *distance = INFINITY;
  bool ok = list_triangles(&first, mesh, surface, x, a, error) && list_triangles(&second, mesh, surface, x, b, error);
  if (ok && first.count > 0 && second.count > 0) {
    // Begins with the triangle of the first body that is nearest to one triangle of the second body.
    for (int k = 0; k < first.count; k++)
      *distance = fmin(*distance, triangle_distance(x, first.node[k], second.node[0]));
    ok = box_tree_create(&tree, (const double(*)[3])second.middle, second.count, second.count, error);
    if (ok) {
      box_tree_fit(&tree, second.box);
      *distance = search(&tree, &second, &first, x, *distance);
    }
    box_tree_destroy(&tree);
  }
  triangles_destroy(&first);
  triangles_destroy(&second);
  return ok;
}

double surface_distance_of_nodes(const TetMesh *mesh, const Surface *surface, const double (*x)[3], int a,
                                 const Obstacle *obstacle) {
  double least = INFINITY, normal[3];
  for (int t = 0; t < surface->triangle_count; t++)
    for (int c = 0; c < 3; c++) {
      const int node = surface->triangle[t][c];
      if (mesh_body(mesh, node) == a) least = fmin(least, obstacle_distance(obstacle, x[node], normal));
    }
  return least;
}
