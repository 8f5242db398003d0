// Finds the faces on a mesh's boundary: see boundary_faces.h. The faces of all cells are sorted by their corners, so
// that equal faces come together. A face inside the mesh occurs twice, once for each of its two cells; a face of the
// boundary occurs once.
#include "mesh/boundary_faces.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

typedef struct Candidate {
  int corner[4];    // corner nodes, ascending; corner[3] is -1 for a triangle
  int cell, facet;  // number of the cell, and index of the face within the cell
} Candidate;

static int compare_corners(const void *left, const void *right) {
  const Candidate *a = left, *b = right;
  for (int c = 0; c < 4; c++)
    if (a->corner[c] != b->corner[c]) return a->corner[c] < b->corner[c] ? -1 : 1;
  return 0;
}

static int compare_places(const void *left, const void *right) {
  const Candidate *a = left, *b = right;
  if (a->cell != b->cell) return a->cell < b->cell ? -1 : 1;
  return a->facet < b->facet ? -1 : a->facet > b->facet;
}

// Sets face->corner to the corner nodes, ascending, of facet face->facet of cell face->cell. Returns false if a corner
// is not in the set of nodes. inside [node_count] is nonzero for nodes in the set.
static bool set_corners(const TetMesh *mesh, const uint8_t *inside, Candidate *face) {
  int local[CELL_FACET_NODES_MAX], corners;
  cell_shape_facet(mesh_shape(mesh), face->facet, local, &corners);
  face->corner[3] = -1;
  for (int c = 0; c < corners; c++) {
    const int node = mesh_cell_node(mesh, face->cell, local[c]);
    int at = c;
    if (!inside[node]) return false;
    for (; at > 0 && face->corner[at - 1] > node; at--) face->corner[at] = face->corner[at - 1];
    face->corner[at] = node;
  }
  return true;
}

// Lists all faces of cells whose corners are all in a set of nodes, faces inside the mesh too. inside [node_count] is
// nonzero for nodes in the set. Returns false if memory runs out.
static bool list_candidates(const TetMesh *mesh, const uint8_t *inside, Candidate **list, int64_t *count,
                            Error *error) {
  const int facets = cell_shape_info(mesh_shape(mesh))->facets, corners = mesh_corners(mesh);
  int64_t capacity = 0;
  for (int e = 0; e < mesh->tet_count; e++) {
    int within = 0;
    for (int c = 0; c < corners; c++) within += inside[mesh_cell_node(mesh, e, c)] != 0;
    if (within < 3) continue;
    if (!array_reserve((void **)list, &capacity, *count + facets, sizeof **list, "faces of the boundary", error))
      return false;
    for (int f = 0; f < facets; f++) {
      Candidate *face = &(*list)[*count];
      face->cell = e;
      face->facet = f;
      *count += set_corners(mesh, inside, face);
    }
  }
  return true;
}

bool boundary_faces_find(BoundaryFaces *faces, const TetMesh *mesh, const uint8_t *inside, Error *error) {
  const CellShape shape = mesh_shape(mesh);
  Candidate *list = NULL;
  int64_t count = 0, kept = 0;
  int local[CELL_FACET_NODES_MAX];
  *faces = (BoundaryFaces){ .shape = shape, .nodes = cell_shape_facet(shape, 0, local, NULL) };
  bool ok = list_candidates(mesh, inside, &list, &count, error);
  if (ok && count > 0) qsort(list, (size_t)count, sizeof *list, compare_corners);

  // Keep the faces that occur once: those of the boundary. Then sort them in the order of their cells.
  for (int64_t k = 0, run; ok && k < count; k += run) {
    for (run = 1; k + run < count && compare_corners(&list[k], &list[k + run]) == 0; run++) continue;
    if (run == 1) list[kept++] = list[k];
  }
  if (ok && kept > 0) qsort(list, (size_t)kept, sizeof *list, compare_places);
  if (ok && kept > 0)
    ok = (faces->node = array_new(kept * faces->nodes, sizeof *faces->node, "faces of the boundary", error)) &&
         (faces->facet = array_new(kept, sizeof *faces->facet, "faces of the boundary", error)) &&
         (faces->cell = array_new(kept, sizeof *faces->cell, "faces of the boundary", error));
  for (int64_t k = 0; ok && k < kept; k++) {
    cell_shape_facet(shape, list[k].facet, local, NULL);
    for (int c = 0; c < faces->nodes; c++)
      faces->node[k * faces->nodes + c] = mesh_cell_node(mesh, list[k].cell, local[c]);
    faces->facet[k] = list[k].facet;
    faces->cell[k] = list[k].cell;
  }

  faces->count = ok ? (int)kept : 0;
  free(list);
  return ok;
}

void boundary_faces_destroy(BoundaryFaces *faces) {
  free(faces->node);
  free(faces->facet);
  free(faces->cell);
  *faces = (BoundaryFaces){ 0 };
}

// Computes the centre of the reference cell, from which the outward direction of a face is determined.
static void centre_of(CellShape shape, double centre[3]) {
  const bool simplex = cell_shape_info(shape)->simplex;
  for (int i = 0; i < 3; i++) centre[i] = simplex ? 0.25 : 0.5;
}

void face_rule(CellShape shape, int facet, FaceRule *rule) {
  const CellShapeInfo *info = cell_shape_info(shape);
  double xi[FACE_POINTS_MAX][3], direction[2][3], N[CELL_NODES_MAX], dN[CELL_NODES_MAX][3], centre[3], volume = 0;
  int local[CELL_FACET_NODES_MAX];

  // Choose enough points that the rule is exact for a shape function times the normal. For shape functions of degree p,
  // this product has degree 3p-2 on a triangle, and degree 3p-1 along each direction on a quadrilateral.
  rule->points = cell_shape_facet_rule(shape, facet, 3 * info->degree / 2 + 2, xi, rule->weight, direction);
  rule->nodes = cell_shape_facet(shape, facet, local, NULL);
  centre_of(shape, centre);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    volume += (xi[0][i] - centre[i]) * (direction[0][j] * direction[1][k] - direction[0][k] * direction[1][j]);
  }
  for (int q = 0; q < rule->points; q++) {
    cell_shape_at(shape, xi[q], N, dN);
    for (int c = 0; c < rule->nodes; c++) {
      double along[2] = { 0, 0 };
      for (int i = 0; i < 3; i++)
        for (int t = 0; t < 2; t++) along[t] += dN[local[c]][i] * direction[t][i];
      rule->N[q][c] = N[local[c]];
      rule->d[0][q][c] = along[volume < 0];
      rule->d[1][q][c] = along[volume >= 0];
    }
  }
}

FaceRule *face_rules(CellShape shape, Error *error) {
  const int facets = cell_shape_info(shape)->facets;
  FaceRule *rules = array_new(facets, sizeof *rules, "rules on faces", error);
  for (int f = 0; rules && f < facets; f++) face_rule(shape, f, &rules[f]);
  return rules;
}

// Computes the outward normal at integration point q of a face. node [rule->nodes] are the face's nodes; x
// [node_count][3], m, are the positions of all nodes of the mesh. The normal's length times rule->weight[q] is the area
// that belongs to the point, m^2.
static void normal_at(const FaceRule *rule, int q, const int *node, const double (*x)[3], double normal[3]) {
  double t[2][3] = { { 0 } };
  for (int c = 0; c < rule->nodes; c++)
    for (int i = 0; i < 3; i++)
      for (int s = 0; s < 2; s++) t[s][i] += rule->d[s][q][c] * (x[node[c]][i] - x[node[0]][i]);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    normal[i] = t[0][j] * t[1][k] - t[0][k] * t[1][j];
  }
}

bool boundary_faces_areas(const BoundaryFaces *faces, const TetMesh *mesh, double *share, Error *error) {
  const int nodes = faces->nodes;
  FaceRule *rules = face_rules(faces->shape, error);
  for (int k = 0; rules && k < faces->count; k++) {
    const FaceRule *rule = &rules[faces->facet[k]];
    const int *node = faces->node + (int64_t)k * nodes;
    for (int q = 0; q < rule->points; q++) {
      double n[3];
      normal_at(rule, q, node, (const double(*)[3])mesh->X, n);
      const double area = rule->weight[q] * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      for (int c = 0; c < nodes; c++) share[node[c]] += area * rule->N[q][c];
    }
  }
  free(rules);
  return rules != NULL;
}

// Returns a number from -1 to 1 that depends on k in an irregular way.
static double scattered(unsigned k) {
  k = (k ^ 61) ^ k >> 16;
  k *= 9;
  k = (k ^ k >> 4) * 0x27d4eb2d;
  return (double)(k ^ k >> 15) / (double)UINT_MAX * 2 - 1;
}

bool boundary_faces_closed(const BoundaryFaces *faces, const double *value, int node_count, bool *closed,
                           Error *error) {
  // The sum of factor times area times normal is an integral along the rim. So it is 0 for all positions of the nodes
  // only if there is no rim. The function computes this sum for irregular positions.
  double sum[3] = { 0 }, size = 0;
  FaceRule *rules = face_rules(faces->shape, error);
  double(*x)[3] = array_new(node_count, sizeof *x, "positions", error);
  const bool ok = rules && x;
  for (int i = 0; ok && i < 3 * node_count; i++) x[i / 3][i % 3] = scattered((unsigned)i);
  for (int k = 0; ok && k < faces->count; k++) {
    const FaceRule *rule = &rules[faces->facet[k]];
    for (int q = 0; q < rule->points; q++) {
      double n[3];
      normal_at(rule, q, faces->node + (int64_t)k * faces->nodes, (const double(*)[3])x, n);
      for (int i = 0; i < 3; i++) {
        sum[i] += value[k] * rule->weight[q] * n[i];
        size += fabs(value[k] * rule->weight[q] * n[i]);
      }
    }
  }

  *closed = fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) <= 1e-10 * size;
  free(rules);
  free(x);
  return ok;
}

double boundary_face_point(const BoundaryFaces *faces, int k, const FaceRule *rule, int q, const double (*X)[3],
                           double point[3]) {
  const int *node = faces->node + (int64_t)k * faces->nodes;
  double n[3];
  normal_at(rule, q, node, X, n);
  point[0] = point[1] = point[2] = 0;
  for (int c = 0; c < faces->nodes; c++)
    for (int i = 0; i < 3; i++) point[i] += rule->N[q][c] * X[node[c]][i];
  return rule->weight[q] * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

int mesh_nodes_of_whole_cells(const TetMesh *mesh, const uint8_t *inside, uint8_t *marked) {
  const int corners = mesh_corners(mesh), nodes = mesh_cell_nodes(mesh);
  int count = 0;
  memset(marked, 0, (size_t)mesh->node_count);
  for (int e = 0; e < mesh->tet_count; e++) {
    bool whole = true;
    for (int c = 0; c < corners && whole; c++) whole = inside[mesh_cell_node(mesh, e, c)] != 0;
    for (int a = 0; whole && a < nodes; a++) {
      uint8_t *mark = &marked[mesh_cell_node(mesh, e, a)];
      count += !*mark;
      *mark = 1;
    }
  }
  return count;
}
