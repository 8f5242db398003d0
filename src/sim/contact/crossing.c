// Intersections of surfaces (crossing.h). All tests use the sign of a tet's volume, a determinant. The determinant is
// first computed in double, with a bound on the rounding error (Shewchuk, Adaptive Precision Floating-Point Arithmetic,
// 1997, first stage of orient3d). If the error could change the sign, the determinant is computed exactly, as a sum of
// 24 products of coordinates. Each product is a sum of up to four doubles.
#include "sim/contact/crossing.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "sim/contact/nearest.h"

// An exact number: the sum of part[0] to part[count - 1]. The parts are sorted by size, and the ranges of their bits do
// not overlap (Shewchuk).
typedef struct Exact {
  double part[100];
  int count;
} Exact;

static void two_sum(double a, double b, double *sum, double *rest) {
  const double s = a + b, part = s - a;
  *rest = (a - (s - part)) + (b - part);
  *sum = s;
}

static void two_product(double a, double b, double *product, double *rest) {
  *product = a * b;
  *rest = fma(a, b, -*product);
}

static void exact_add(Exact *e, double value) {
  int kept = 0;
  for (int k = 0; k < e->count; k++) {
    double sum, rest;
    two_sum(value, e->part[k], &sum, &rest);
    if (rest != 0) e->part[kept++] = rest;
    value = sum;
  }
  if (value != 0) e->part[kept++] = value;
  e->count = kept;
}

static void exact_add_product(Exact *e, double sign, double a, double b, double c) {
  double ab, low, high[2], rest[2];
  two_product(a, b, &ab, &low);
  two_product(ab, c, &high[0], &rest[0]);
  two_product(low, c, &high[1], &rest[1]);
  for (int k = 0; k < 2; k++) {
    exact_add(e, sign * rest[k]);
    exact_add(e, sign * high[k]);
  }
}

// Adds sign * det(a, b, c) to *e. The columns of the matrix are the coordinates of the three points.
static void exact_add_determinant(Exact *e, double sign, const double *a, const double *b, const double *c) {
  for (int i = 0; i < 3; i++) {
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    exact_add_product(e, sign, a[i], b[k], c[l]);
    exact_add_product(e, -sign, a[i], b[l], c[k]);
  }
}

int tet_orientation(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double u[3], v[3], w[3], volume = 0, size = 0;
  subtract3(b, a, u);
  subtract3(c, a, v);
  subtract3(d, a, w);
  for (int i = 0; i < 3; i++) {
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    const double one = u[k] * v[l], two = u[l] * v[k];
    volume += w[i] * (one - two);
    size += fabs(w[i]) * (fabs(one) + fabs(two));
  }
  if (fabs(volume) > 8 * DBL_EPSILON * size) return volume > 0 ? 1 : -1;
  Exact e = { .count = 0 };
  exact_add_determinant(&e, 1, b, c, d);
  exact_add_determinant(&e, -1, a, c, d);
  exact_add_determinant(&e, 1, a, b, d);
  exact_add_determinant(&e, -1, a, b, c);
  if (e.count == 0) return 0;
  return e.part[e.count - 1] > 0 ? 1 : -1;
}

bool edge_crosses_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                           const double c[3]) {
  const int above = tet_orientation(a, b, c, p), below = tet_orientation(a, b, c, q);
  if (above == below) return false;  // both ends of the edge are on one side of the triangle's plane, or in the plane
  const int ab = tet_orientation(p, q, a, b), bc = tet_orientation(p, q, b, c), ca = tet_orientation(p, q, c, a);
  return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

enum { QUERIES = 128 };  // number of edges that one task of a parallel loop tests

typedef struct Task {
  const Skin *skin;
  const double (*x)[3];
  const Box *box;  // [triangle_count], bounding box of each triangle
  uint8_t *mark;   // [node_count], 1: the node takes part in a crossing; NULL: no marks are wanted
  Crossings *part;
} Task;

// Marks nodes atomically, since several threads may mark one node.
static void mark_nodes(uint8_t *mark, const int *node, int count) {
  for (int k = 0; k < count; k++) __atomic_store_n(&mark[node[k]], 1, __ATOMIC_RELAXED);
}

static void query(const void *task, int first, int last) {
  const Task *t = task;
  const Skin *s = t->skin;
  Crossings found = { 0 };
  for (int k = first; k < last; k++) {
    const int *e = s->edge[k];
    if (e[0] >= s->active_nodes) continue;
    const Box box = box_of_nodes(t->x, NULL, e, 2);
    const BoxNode *leaf;
    int at = 0;
    while ((leaf = box_tree_next(&s->triangles, &box, 0, &at)))
      for (int i = leaf->first; i < leaf->first + leaf->count; i++) {
        const int *n = s->triangle[s->triangles.item[i]];
        bool shares = e[0] >= s->body_nodes && n[0] >= s->body_nodes;  // skip the pair: two obstacles may intersect
        for (int j = 0; j < 3; j++) shares = shares || n[j] == e[0] || n[j] == e[1];
        if (shares || n[0] >= s->active_nodes || !boxes_overlap(&box, &t->box[s->triangles.item[i]], 0) ||
            !edge_crosses_triangle(t->x[e[0]], t->x[e[1]], t->x[n[0]], t->x[n[1]], t->x[n[2]]))
          continue;
        if (t->mark) {
          mark_nodes(t->mark, e, 2);
          mark_nodes(t->mark, n, 3);
        }
        if (found.count++ == 0) {
          found.edge = k;
          found.triangle = s->triangles.item[i];
        }
      }
  }
  t->part[first / QUERIES] = found;
}

// Adds to *crossings the vertices of the body in or below a plane, which is the surface of a half space. If `mark` is
// not NULL, mark[node] becomes 1 for the nodes of these vertices.
static void add_sunk(const Skin *s, const double (*x)[3], uint8_t *mark, Crossings *crossings) {
  for (int k = 0; k < s->active_planes; k++) {
    const double(*plane)[3] = &x[s->plane[k]];
    for (int v = 0; v < s->body_vertices; v++) {
      const int a = s->vertex[v];
      if (tet_orientation(plane[0], plane[1], plane[2], x[a]) > 0) continue;
      if (mark) mark[a] = 1;
      if (crossings->count++ == 0) {
        crossings->vertex = v;
        crossings->plane = k;
      }
    }
  }
}

bool mark_crossings(Skin *skin, const double (*x)[3], uint8_t *mark, Crossings *crossings, Error *error) {
  const int pieces = (skin->edge_count + QUERIES - 1) / QUERIES;
  WORK_ARRAYS_HERE(&skin->work);
  Box *box = work_array(&skin->work, skin->triangle_count, sizeof *box, "contact", error);
  Crossings *part = work_array(&skin->work, pieces, sizeof *part, "contact", error);
  const bool ok = box && part;
  *crossings = (Crossings){ .edge = -1, .triangle = -1, .vertex = -1, .plane = -1 };
  if (mark) memset(mark, 0, (size_t)skin->node_count);
  if (ok) {
    for (int k = 0; k < skin->triangle_count; k++) box[k] = box_of_nodes(x, NULL, skin->triangle[k], 3);
    box_tree_fit(&skin->triangles, box);
    const Task task = { skin, x, box, mark, part };
    parallel_for(skin->edge_count, QUERIES, query, &task);
    for (int k = 0; k < pieces; k++) {
      if (crossings->count == 0 && part[k].count > 0) {
        crossings->edge = part[k].edge;
        crossings->triangle = part[k].triangle;
      }
      crossings->count += part[k].count;
    }
    add_sunk(skin, x, mark, crossings);
  }
  return ok;
}

bool find_crossings(Skin *skin, const double (*x)[3], Crossings *crossings, Error *error) {
  return mark_crossings(skin, x, NULL, crossings, error);
}
