// Computes the section of a mesh with a plane: see plane_cut.h.
#include "mesh/plane_cut.h"

#include <stdlib.h>

#include "base/array.h"
#include "mesh/quadratic.h"

static double height(const TetMesh *mesh, const double normal[3], double at, int node) {
  const double *X = mesh->X[node];
  return normal[0] * X[0] + normal[1] * X[1] + normal[2] * X[2] - at;
}

// Returns the point where the edge from node a to node b crosses the plane. height_a and height_b are the heights of
// the nodes above the plane, with different signs. The result does not depend on the order of a and b, so all tets at
// the edge get identical points.
static PlaneCutVertex on_edge(int a, int b, double height_a, double height_b) {
  if (a > b) return on_edge(b, a, height_b, height_a);
  return (PlaneCutVertex){ .ends = { a, b }, .part = (float)(height_a / (height_a - height_b)) };
}

// Computes the section of a tet, whose corners are the nodes `node`, with the plane normal . X = at. The section is 0,
// 1 or 2 triangles. Returns their number.
static int cut_tet(const TetMesh *mesh, const int node[4], const double normal[3], double at,
                   PlaneCutVertex triangle[2][3]) {
  int below[4], above[4], below_count = 0, above_count = 0;
  double h[4];
  for (int a = 0; a < 4; a++) {
    h[a] = height(mesh, normal, at, node[a]);
    if (h[a] > 0)
      above[above_count++] = a;
    else
      below[below_count++] = a;
  }

  if (below_count == 0 || above_count == 0) return 0;

  // The edges that cross the plane are listed so that successive edges have a common face. Their points are then the
  // corners, in order, of a triangle or quadrilateral.
  PlaneCutVertex vertex[4];
  int count = 0;
  for (int i = 0; i < below_count; i++)
    for (int k = 0; k < above_count; k++) {
      const int b = below[i], a = above[i % 2 ? above_count - 1 - k : k];
      vertex[count++] = on_edge(node[b], node[a], h[b], h[a]);
    }
  for (int t = 0; t + 2 < count; t++) {
    triangle[t][0] = vertex[0];
    triangle[t][1] = vertex[t + 1];
    triangle[t][2] = vertex[t + 2];
  }
  return count - 2;
}

bool plane_cut_create(PlaneCut *cut, const TetMesh *mesh, const double normal[3], double at, Error *error) {
  PlaneCut made = { 0 };
  int64_t capacity = 0, tets_capacity = 0;
  for (int e = 0; e < mesh->tet_count; e++) {
    int part[MESH_PARTS_MAX][4], count = 0;
    PlaneCutVertex triangle[2 * MESH_PARTS_MAX][3];
    const int parts = mesh_parts_of_tet(mesh, e, part);
    for (int k = 0; k < parts; k++) count += cut_tet(mesh, part[k], normal, at, triangle + count);
    if (count == 0) continue;
    if (!array_reserve((void **)&made.triangle, &capacity, made.triangle_count + count, sizeof *made.triangle,
                       "the cut", error) ||
        !array_reserve((void **)&made.tet, &tets_capacity, made.triangle_count + count, sizeof *made.tet, "the cut",
                       error)) {
      plane_cut_destroy(&made);
      return false;
    }
    for (int t = 0; t < count; t++, made.triangle_count++) {
      for (int c = 0; c < 3; c++) made.triangle[made.triangle_count][c] = triangle[t][c];
      made.tet[made.triangle_count] = e;
    }
  }
  *cut = made;
  return true;
}

void plane_cut_destroy(PlaneCut *cut) {
  free(cut->triangle);
  free(cut->tet);
  *cut = (PlaneCut){ 0 };
}
