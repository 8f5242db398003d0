// Makes the vertices with which a surface is drawn: see creases.h.
#include "mesh/creases.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

// Computes the outward unit normal of a triangle at rest; 0 if its area is 0.
static void normal_at_rest(const TetMesh *mesh, const int triangle[3], double normal[3]) {
  double u[3], v[3], length2 = 0;
  for (int i = 0; i < 3; i++) {
    u[i] = mesh->X[triangle[1]][i] - mesh->X[triangle[0]][i];
    v[i] = mesh->X[triangle[2]][i] - mesh->X[triangle[0]][i];
  }
  for (int i = 0; i < 3; i++) {
    normal[i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
    length2 += normal[i] * normal[i];
  }
  for (int i = 0; i < 3; i++) normal[i] = length2 > 0 ? normal[i] / sqrt(length2) : 0;
}

// Returns true if two triangles that both contain `node` have a common edge that ends at `node`.
static bool share_edge(const int a[3], const int b[3], int node) {
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      if (a[i] == b[k] && a[i] != node) return true;
  return false;
}

static bool is_crease(const double a[3], const double b[3]) {
  const double flat = cos(CREASE_DEGREES * 3.14159265358979323846 / 180);
  const double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const double sizes = (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
  return sizes > 0 && cosine < flat;
}

// Divides the triangles around a node into sides of creases (sharp edges). Two triangles are on one side if a chain of
// common edges without crease connects them. side[k], from 0 on, is the side of the k-th triangle of the node. Returns
// the number of sides. `waiting` is memory for one int per triangle of the node.
static int find_sides(const Surface *surface, const double (*normal)[3], int node, int *side, int *waiting) {
  const int *fan = surface->fan + surface->fan_start[node];
  const int count = surface->fan_start[node + 1] - surface->fan_start[node];
  int sides = 0;
  for (int k = 0; k < count; k++) side[k] = -1;
  for (int first = 0; first < count; first++) {
    if (side[first] >= 0) continue;
    int left = 1;
    waiting[0] = first;
    side[first] = sides;
    while (left > 0) {
      const int t = fan[waiting[--left]];
      for (int k = 0; k < count; k++)
        if (side[k] < 0 && share_edge(surface->triangle[t], surface->triangle[fan[k]], node) &&
            !is_crease(normal[t], normal[fan[k]])) {
          side[k] = sides;
          waiting[left++] = k;
        }
    }
    sides++;
  }
  return sides;
}

// Appends `sides` vertices for one node. The triangles around the node are divided into sides by sharp edges, and each
// side gets a separate vertex. side[k] is the side of the k-th triangle of the node.
static void add_node(SurfaceVertices *v, const Surface *surface, int node, const int *side, int sides) {
  const int start = surface->fan_start[node], end = surface->fan_start[node + 1];

  // Next index in v->fan. The node's triangles have the indices `start` to `end` - 1 there. They are sorted by side, so
  // that the triangles of each vertex are contiguous.
  int at = start;
  for (int s = 0; s < sides; s++, v->count++) {
    v->node[v->count] = node;
    v->fan_start[v->count] = at;
    for (int k = start; k < end; k++) {
      const int t = surface->fan[k];
      if (side[k - start] != s) continue;
      v->fan[at++] = t;
      for (int c = 0; c < 3; c++)
        if (surface->triangle[t][c] == node) v->triangle[t][c] = v->count;
    }
  }
}

bool surface_vertices_create(SurfaceVertices *vertices, const Surface *surface, const TetMesh *mesh, Error *error) {
  SurfaceVertices made = { 0 };
  const int64_t corners = 3 * (int64_t)surface->triangle_count;
  int longest = 0;
  for (int a = 0; a < mesh->node_count; a++) {
    const int count = surface->fan_start[a + 1] - surface->fan_start[a];
    if (count > longest) longest = count;
  }
  double(*normal)[3] = array_new(surface->triangle_count, sizeof *normal, "normals of triangles", error);
  int *side = array_new(2 * (int64_t)longest, sizeof *side, "triangles around a node", error);
  made.node = array_new(corners, sizeof *made.node, "the surface's vertices", error);
  made.fan_start = array_new(corners + 1, sizeof *made.fan_start, "the surface's vertices", error);
  made.fan = array_new(corners, sizeof *made.fan, "triangles around vertices", error);
  made.triangle = array_new(surface->triangle_count, sizeof *made.triangle, "surface triangles", error);
  const bool ok = normal && side && made.node && made.fan_start && made.fan && made.triangle;
  for (int t = 0; ok && t < surface->triangle_count; t++) normal_at_rest(mesh, surface->triangle[t], normal[t]);
  for (int a = 0; ok && a < mesh->node_count; a++)
    add_node(&made, surface, a, side, find_sides(surface, (const double(*)[3])normal, a, side, side + longest));
  if (ok) made.fan_start[made.count] = (int)corners;
  free(normal);
  free(side);
  if (ok)
    *vertices = made;
  else
    surface_vertices_destroy(&made);
  return ok;
}

void surface_vertices_destroy(SurfaceVertices *vertices) {
  free(vertices->node);
  free(vertices->triangle);
  free(vertices->fan_start);
  free(vertices->fan);
  *vertices = (SurfaceVertices){ 0 };
}
