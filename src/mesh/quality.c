// Computes measures of a mesh's quality: see quality.h.
#include "mesh/quality.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/union_find.h"
#include "base/vectors.h"
#include "base/interrupt.h"
#include "mesh/hex.h"

// Returns circumradius / (3 inradius) of tet e, 1 for a regular tet. `volume` is the tet's volume, m^3.
static double aspect(const TetMesh *mesh, int e, double volume) {
  const int *t = mesh->tet[e];
  double a[3], b[3], c[3], bc[3], ca[3], ab[3], centre[3], area = 0;
  vector_minus(mesh->X[t[0]], mesh->X[t[3]], a);
  vector_minus(mesh->X[t[1]], mesh->X[t[3]], b);
  vector_minus(mesh->X[t[2]], mesh->X[t[3]], c);
  vector_cross(b, c, bc);
  vector_cross(c, a, ca);
  vector_cross(a, b, ab);
  for (int i = 0; i < 3; i++)
    centre[i] = vector_dot(a, a) * bc[i] + vector_dot(b, b) * ca[i] + vector_dot(c, c) * ab[i];
  const double circumradius = sqrt(vector_dot(centre, centre)) / (12 * volume);
  double u[3], v[3], w[3];
  vector_minus(b, a, u);
  vector_minus(c, a, v);
  vector_cross(u, v, w);
  area =
      0.5 * (sqrt(vector_dot(bc, bc)) + sqrt(vector_dot(ca, ca)) + sqrt(vector_dot(ab, ab)) + sqrt(vector_dot(w, w)));
  return circumradius / (3 * (3 * volume / area));
}

// Extends the range *low to *high, radians, by the six dihedral angles of tet e.
static void dihedrals(const TetMesh *mesh, int e, double *low, double *high) {
  for (int p = 0; p < 4; p++)
    for (int q = p + 1; q < 4; q++) {
      // The dihedral angle at the edge pq is the angle between two planes: each contains this edge and one of the two
      // other corners.
      int other[2], count = 0;
      for (int c = 0; c < 4; c++)
        if (c != p && c != q) other[count++] = c;
      const int *t = mesh->tet[e];
      double edge[3], first[3], second[3], n0[3], n1[3], product[3];
      vector_minus(mesh->X[t[q]], mesh->X[t[p]], edge);
      vector_minus(mesh->X[t[other[0]]], mesh->X[t[p]], first);
      vector_minus(mesh->X[t[other[1]]], mesh->X[t[p]], second);
      vector_cross(edge, first, n0);
      vector_cross(edge, second, n1);
      vector_cross(n0, n1, product);
      const double angle = atan2(sqrt(vector_dot(product, product)), vector_dot(n0, n1));
      *low = fmin(*low, angle);
      *high = fmax(*high, angle);
    }
}

// Extends the range *low to *high, radians, by the dihedral angles of hex e. A face of a hex may be curved, so there is
// one angle at each end of each edge. It is the angle between two planes: each contains the edge and one of the two
// other edges at this end. Returns the hex's aspect (see MeshQuality), which is 1 for a cuboid.
static double hex_quality(const TetMesh *mesh, int e, double *low, double *high) {
  double X[8][3], shape;
  for (int a = 0; a < 8; a++) memcpy(X[a], mesh->X[mesh->hex[e][a]], sizeof X[a]);
  for (int c = 0; c < 8; c++)
    for (int k = 0; k < 3; k++) {
      double along[3], first[3], second[3], n0[3], n1[3], product[3];
      vector_minus(X[c ^ 1 << k], X[c], along);
      vector_minus(X[c ^ 1 << (k + 1) % 3], X[c], first);
      vector_minus(X[c ^ 1 << (k + 2) % 3], X[c], second);
      vector_cross(along, first, n0);
      vector_cross(along, second, n1);
      vector_cross(n0, n1, product);
      const double angle = atan2(sqrt(vector_dot(product, product)), vector_dot(n0, n1));
      *low = fmin(*low, angle);
      *high = fmax(*high, angle);
    }
  hex_worst_corner((const double(*)[3])X, &shape);
  return 1 / shape;
}

static bool count_components(const TetMesh *mesh, int *count, Error *error) {
  int *parent = array_new(mesh->node_count, sizeof *parent, "nodes", error);
  if (!parent) return false;
  *count = 0;
  for (int a = 0; a < mesh->node_count; a++) parent[a] = a;
  const int nodes = mesh_cell_nodes(mesh);
  for (int e = 0; e < mesh->tet_count; e++)
    for (int a = 1; a < nodes; a++) union_join(parent, mesh_cell_node(mesh, e, a), mesh_cell_node(mesh, e, 0));
  for (int a = 0; a < mesh->node_count; a++) *count += parent[a] == a;
  free(parent);
  return true;
}

bool mesh_quality(const TetMesh *mesh, MeshQuality *q, Error *error) {
  double low = HUGE_VAL, high = 0;
  const int corners = mesh_corners(mesh);
  *q = (MeshQuality){ .min_volume = HUGE_VAL, .min_edge = HUGE_VAL };
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
    const double volume = mesh_tet_volume(mesh, e);
    const double one = mesh->hex ? hex_quality(mesh, e, &low, &high) : aspect(mesh, e, volume);
    q->volume += volume;
    q->min_volume = fmin(q->min_volume, volume);
    q->max_volume = fmax(q->max_volume, volume);
    q->mean_aspect += one / mesh->tet_count;
    if (one > q->worst_aspect) {
      q->worst_aspect = one;
      for (int c = 0; c < corners; c++) q->worst_tags[c] = mesh->node_tag[mesh_cell_node(mesh, e, c)];
    }
    if (!mesh->hex) dihedrals(mesh, e, &low, &high);
    for (int p = 0; p < corners; p++)
      for (int r = p + 1; r < corners; r++) {
        const int along = p ^ r;  // bits of a corner's number are its coordinates: ends of an edge differ in one bit
        double edge[3];
        if (mesh->hex && along != 1 && along != 2 && along != 4) continue;
        vector_minus(mesh->X[mesh_cell_node(mesh, e, p)], mesh->X[mesh_cell_node(mesh, e, r)], edge);
        const double length = sqrt(vector_dot(edge, edge));
        q->min_edge = fmin(q->min_edge, length);
        q->max_edge = fmax(q->max_edge, length);
      }
  }

  q->min_dihedral = low * 180 / acos(-1);
  q->max_dihedral = high * 180 / acos(-1);
  return interrupt_check(error) && count_components(mesh, &q->components, error);
}
