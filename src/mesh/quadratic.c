// Builds meshes of degree 2 and 3: see quadratic.h.
#include "mesh/quadratic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "mesh/hex.h"
#include "mesh/mesh_sets.h"
#include "mesh/simplices.h"

enum { EDGES = 6, CHUNK = 8192 };

// An edge counts as curved if the node on it is farther from the edge's middle than CURVED times the edge's length.
// Smaller distances may be rounding errors, since numbers in files may have only six digits.
static const double CURVED = 1e-5;

// Arguments of the parallel loops that set the new nodes of each tet. middle [tet_count]: nodes on the edges of a
// quadratic tet. outer [tet_count]: the 16 nodes of a cubic tet other than corners. tet_edge and tet_face [tet_count]:
// indices of each tet's edges and faces among all edges and faces of the mesh. edge_count: number of edges of the mesh.
// cell: result of mesh_cells, the only member besides `mesh` that its loop uses.
typedef struct Filling {
  const TetMesh *mesh;
  int (*middle)[EDGES], (*outer)[16];
  const int (*tet_edge)[EDGES], (*tet_face)[4];
  int edge_count;
  int *cell;
} Filling;

static void fill_middles(const void *filling, int first, int last) {
  const Filling *f = filling;
  for (int e = first; e < last; e++)
    for (int k = 0; k < EDGES; k++) f->middle[e][k] = f->mesh->node_count + f->tet_edge[e][k];
}

static void fill_outer(const void *filling, int first, int last) {
  const Filling *f = filling;
  for (int e = first; e < last; e++) {
    const int *tet = f->mesh->tet[e];
    for (int m = 0; m < 12; m++) {  // each edge has two nodes, numbered from its end with the smaller node number
      const bool turned = tet[tet_edge_corners[m / 2][0]] > tet[tet_edge_corners[m / 2][1]];
      f->outer[e][m] = f->mesh->node_count + 2 * f->tet_edge[e][m / 2] + (turned ? 1 - m % 2 : m % 2);
    }
    for (int c = 0; c < 4; c++) f->outer[e][12 + c] = f->mesh->node_count + 2 * f->edge_count + f->tet_face[e][c];
  }
}

// Enlarges the arrays of positions and tags (numbers of nodes in the file) to `nodes` nodes. The contents of these
// arrays do not change, even after a failure. Fails if a mesh of this degree with so many nodes would be too large.
static bool reserve_capacity(TetMesh *mesh, int64_t nodes, int degree, Error *error) {
  const char *what = "nodes on the edges of cells";
  const double cell = degree == 2 ? sizeof *mesh->middle : sizeof *mesh->outer;
  if (nodes > MESH_MAX_NODES)
    return error_set(
        error, "at degree %d the mesh has %lld nodes, more than the limit of %d; use a coarser mesh or a lower degree",
        degree, (long long)nodes, MESH_MAX_NODES);
  if (!memory_holds((double)nodes * (sizeof *mesh->X + sizeof *mesh->node_tag) + (double)mesh->tet_count * cell, what,
                    error))
    return false;
  int64_t capacity = mesh->node_count, same = capacity;
  void *X = mesh->X, *tags = mesh->node_tag;
  bool ok = array_reserve(&X, &capacity, nodes, sizeof *mesh->X, what, error);
  mesh->X = X;
  ok = ok && array_reserve(&tags, &same, nodes, sizeof *mesh->node_tag, what, error);
  mesh->node_tag = tags;
  return ok;
}

// Appends a node with this tag (number). Its position is the weighted sum of the positions of the nodes corner
// [corners], with the weights share [corners].
static void add_node(TetMesh *mesh, const int *corner, const double *share, int corners, int64_t tag) {
  double *x = mesh->X[mesh->node_count];
  for (int i = 0; i < 3; i++) {
    x[i] = share[0] * mesh->X[corner[0]][i];
    for (int c = 1; c < corners; c++) x[i] += share[c] * mesh->X[corner[c]][i];
  }
  mesh->node_tag[mesh->node_count++] = tag;
}

bool mesh_raise(TetMesh *mesh, int degree, Error *error) {
  static const double half[2] = { 0.5, 0.5 }, thirds[2][2] = { { 2.0 / 3, 1.0 / 3 }, { 1.0 / 3, 2.0 / 3 } };
  static const double third[3] = { 1.0 / 3, 1.0 / 3, 1.0 / 3 };
  Simplices s = { 0 };
  const int corners = mesh->node_count, kinds = degree == 3 ? SIMPLEX_EDGES | SIMPLEX_FACES : SIMPLEX_EDGES;
  if (degree == 1 || mesh_degree(mesh) == degree) return true;
  if (mesh->hex)
    return error_set(error, "degree %d is for tetrahedra, and the mesh has hexahedra; use degree 1", degree);
  if (mesh_degree(mesh) > 1)
    return error_set(error, "the mesh has degree %d and cannot be raised to degree %d; begin with a linear mesh",
                     mesh_degree(mesh), degree);
  int(*middle)[EDGES] =
      degree == 2 ? array_new(mesh->tet_count, sizeof *middle, "nodes on the edges of cells", error) : NULL;
  int(*outer)[16] =
      degree == 3 ? array_new(mesh->tet_count, sizeof *outer, "nodes on the edges of cells", error) : NULL;
  const bool ok =
      (middle || outer) && simplices_create(&s, mesh, kinds, error) &&
      reserve_capacity(mesh, (int64_t)corners + (degree - 1) * (int64_t)s.edge_count + s.face_count, degree, error);
  if (ok) {
    const Filling filling = { .mesh = mesh,
                              .middle = middle,
                              .outer = outer,
                              .tet_edge = (const int(*)[EDGES])s.tet_edge,
                              .tet_face = (const int(*)[4])s.tet_face,
                              .edge_count = s.edge_count };
    int64_t tag = 0;
    parallel_for(mesh->tet_count, CHUNK, outer ? fill_outer : fill_middles, &filling);
    for (int a = 0; a < corners; a++)
      if (mesh->node_tag[a] > tag) tag = mesh->node_tag[a];
    for (int k = 0; k < s.edge_count; k++)
      for (int on = 0; on < degree - 1; on++) add_node(mesh, s.edge[k], degree == 2 ? half : thirds[on], 2, ++tag);
    for (int k = 0; k < s.face_count; k++) add_node(mesh, s.face[k], third, 3, ++tag);
    mesh->middle = middle;
    mesh->outer = outer;
  } else {
    free(middle);
    free(outer);
  }
  simplices_destroy(&s);
  if (!ok || mesh_sets_raise(mesh, corners, error)) return ok;
  mesh_linearise(mesh);
  mesh->node_count = corners;
  return false;
}

void mesh_linearise(TetMesh *mesh) {
  free(mesh->middle);
  free(mesh->outer);
  mesh->middle = NULL;
  mesh->outer = NULL;
}

void mesh_place_middles(TetMesh *mesh) {
  const CellShape shape = mesh_shape(mesh);
  for (int e = 0; mesh_degree(mesh) > 1 && e < mesh->tet_count; e++)
    for (int a = 4; a < mesh_cell_nodes(mesh); a++) {
      double part[4], *x = mesh->X[mesh_cell_node(mesh, e, a)];
      cell_shape_part(shape, a, part);
      for (int i = 0; i < 3; i++) {
        x[i] = 0;
        for (int c = 0; c < 4; c++) x[i] += part[c] * mesh->X[mesh->tet[e][c]][i];
      }
    }
}

int mesh_parts_of_tet(const TetMesh *mesh, int e, int part[MESH_PARTS_MAX][4]) {
  // A quadratic tet is divided into a tet at each corner and an octahedron between these four tets. The octahedron is
  // cut into four tets around its diagonal from the middle of edge 02 to the middle of edge 13.
  static const int nodes[MESH_PARTS_MAX][4] = { { 0, 4, 6, 7 }, { 4, 1, 5, 8 }, { 6, 5, 2, 9 }, { 7, 8, 9, 3 },
                                                { 6, 8, 4, 5 }, { 6, 8, 5, 9 }, { 6, 8, 9, 7 }, { 6, 8, 7, 4 } };
  if (mesh->hex) return hex_parts(mesh->hex[e], part);
  const int *corner = mesh->tet[e];
  memcpy(part[0], corner, sizeof *part);
  for (int k = 0; mesh->middle && k < MESH_PARTS_MAX; k++)
    for (int c = 0; c < 4; c++) part[k][c] = nodes[k][c] < 4 ? corner[nodes[k][c]] : mesh->middle[e][nodes[k][c] - 4];
  return mesh->middle ? MESH_PARTS_MAX : 1;
}

static void fill_cells(const void *filling, int first, int last) {
  const Filling *f = filling;
  const int nodes = mesh_cell_nodes(f->mesh);
  for (int e = first; e < last; e++)
    for (int a = 0; a < nodes; a++) f->cell[(int64_t)e * nodes + a] = mesh_cell_node(f->mesh, e, a);
}

int *mesh_cells(const TetMesh *mesh, Error *error) {
  int *cell = array_new((int64_t)mesh_cell_nodes(mesh) * mesh->tet_count, sizeof *cell, "cells", error);
  if (cell) parallel_for(mesh->tet_count, CHUNK, fill_cells, &(Filling){ .mesh = mesh, .cell = cell });
  return cell;
}

// Computes node [edge_count], the node in the middle of each edge. Fails if two tets have different nodes on their
// common edge, if a node is on two edges, or if a node on an edge is also a corner.
static bool find_nodes(const TetMesh *mesh, const char *name, const Simplices *s, int *node, Error *error) {
  // use[a] is 0 if node a was not found yet, -1 if it is a corner, and 1 + k if it is on edge k.
  int *use = array_new(mesh->node_count, sizeof *use, "nodes in the middle of edges", error);
  bool ok = use;
  for (int e = 0; ok && e < mesh->tet_count; e++)
    for (int c = 0; c < 4; c++) use[mesh->tet[e][c]] = -1;
  for (int k = 0; ok && k < s->edge_count; k++) node[k] = -1;
  for (int e = 0; ok && e < mesh->tet_count; e++)
    for (int k = 0; ok && k < EDGES; k++) {
      const int edge = s->tet_edge[e][k], a = mesh->middle[e][k];
      const long long ends[2] = { (long long)mesh->node_tag[s->edge[edge][0]],
                                  (long long)mesh->node_tag[s->edge[edge][1]] };
      const long long tag = (long long)mesh->node_tag[a];
      if (node[edge] >= 0 && node[edge] != a)
        ok = error_set(error, "%s: two tets have different nodes, %lld and %lld, on the edge from node %lld to %lld",
                       name, (long long)mesh->node_tag[node[edge]], tag, ends[0], ends[1]);
      else if (use[a] != 0 && use[a] != edge + 1)
        ok = error_set(error, "%s: node %lld is on the edge from node %lld to %lld and is also %s", name, tag, ends[0],
                       ends[1], use[a] < 0 ? "a corner" : "on another edge");
      node[edge] = a;
      use[a] = edge + 1;
    }
  free(use);
  return ok && interrupt_check(error);
}

bool mesh_straighten(TetMesh *mesh, const char *name, Error *error) {
  Simplices s = { 0 };
  if (!mesh->middle) return true;
  bool ok = simplices_create(&s, mesh, SIMPLEX_EDGES, error);
  int *node = ok ? array_new(s.edge_count, sizeof *node, "edges", error) : NULL, curved = 0;
  ok = ok && node && find_nodes(mesh, name, &s, node, error);
  for (int k = 0; ok && k < s.edge_count; k++) {
    const double *p = mesh->X[s.edge[k][0]], *q = mesh->X[s.edge[k][1]];
    double *x = mesh->X[node[k]], off = 0, length = 0;
    for (int i = 0; i < 3; i++) {
      const double middle = 0.5 * (p[i] + q[i]);
      off = fmax(off, fabs(x[i] - middle));
      length = fmax(length, fabs(q[i] - p[i]));
      x[i] = middle;
    }
    curved += !(off <= CURVED * length);
  }
  if (curved)
    log_notice("%s: straightened %d curved edge%s of %d edges in total, because elements have straight edges", name,
               curved, curved == 1 ? "" : "s", s.edge_count);
  free(node);
  simplices_destroy(&s);
  return ok;
}
