// Meshes of degree 2: see quadratic.h.
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
#include "mesh/simplices.h"

enum { EDGES = 6, CHUNK = 8192 };

// A node farther than this from the middle of its edge, over the edge's length, makes it curved: files have as few as
// six digits.
static const double CURVED = 1e-5;

// What the loops over tets work on.
typedef struct Filling {
  const TetMesh *mesh;
  int (*middle)[EDGES];
  const int (*tet_edge)[EDGES];
  int *cell;
} Filling;

static void fill_middles(const void *filling, int first, int last) {
  const Filling *f = filling;
  for (int e = first; e < last; e++)
    for (int k = 0; k < EDGES; k++) f->middle[e][k] = f->mesh->node_count + f->tet_edge[e][k];
}

// nodes, positions and tags grow; on failure they may have, which does no harm
static bool make_room(TetMesh *mesh, int64_t nodes, Error *error) {
  const char *what = "nodes in the middle of edges";
  if (nodes > MESH_MAX_NODES)
    return error_set(error, "of degree 2 the mesh has %lld nodes, at most %d fit", (long long)nodes, MESH_MAX_NODES);
  if (!memory_holds(
          (double)nodes * (sizeof *mesh->X + sizeof *mesh->node_tag) + (double)mesh->tet_count * sizeof *mesh->middle,
          what, error))
    return false;
  int64_t room = mesh->node_count, same = room;
  void *X = mesh->X, *tags = mesh->node_tag;
  bool ok = array_reserve(&X, &room, nodes, sizeof *mesh->X, what, error);
  mesh->X = X;
  ok = ok && array_reserve(&tags, &same, nodes, sizeof *mesh->node_tag, what, error);
  mesh->node_tag = tags;
  return ok;
}

bool mesh_raise(TetMesh *mesh, Error *error) {
  Simplices simplices = { 0 };
  const int corners = mesh->node_count;
  if (mesh->hex) return error_set(error, "degree 2 is for tetrahedra, and the mesh has hexahedra; take degree 1");
  if (mesh->middle) return true;
  int(*middle)[EDGES] = array_new(mesh->tet_count, sizeof *middle, "nodes in the middle of edges", error);
  const bool ok = middle && simplices_create(&simplices, mesh, SIMPLEX_EDGES, error) &&
                  make_room(mesh, (int64_t)corners + simplices.edge_count, error);
  if (ok) {
    const Filling filling = { .mesh = mesh, .middle = middle, .tet_edge = (const int(*)[EDGES])simplices.tet_edge };
    int64_t tag = 0;
    parallel_for(mesh->tet_count, CHUNK, fill_middles, &filling);
    for (int a = 0; a < corners; a++)
      if (mesh->node_tag[a] > tag) tag = mesh->node_tag[a];
    for (int k = 0; k < simplices.edge_count; k++) {
      const int *end = simplices.edge[k];
      for (int i = 0; i < 3; i++) mesh->X[corners + k][i] = 0.5 * (mesh->X[end[0]][i] + mesh->X[end[1]][i]);
      mesh->node_tag[corners + k] = ++tag;
    }
    mesh->node_count = corners + simplices.edge_count;
    mesh->middle = middle;
  } else {
    free(middle);
  }
  simplices_destroy(&simplices);
  return ok;
}

void mesh_linearise(TetMesh *mesh) {
  free(mesh->middle);
  mesh->middle = NULL;
}

void mesh_place_middles(TetMesh *mesh) {
  for (int e = 0; mesh->middle && e < mesh->tet_count; e++)
    for (int k = 0; k < EDGES; k++)
      for (int i = 0; i < 3; i++)
        mesh->X[mesh->middle[e][k]][i] =
            0.5 * (mesh->X[mesh->tet[e][tet_edge_corners[k][0]]][i] + mesh->X[mesh->tet[e][tet_edge_corners[k][1]]][i]);
}

int mesh_parts_of_tet(const TetMesh *mesh, int e, int part[MESH_PARTS_MAX][4]) {
  // one at each corner; the octahedron between them along its diagonal from edge 02 to edge 13
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
  for (int e = first; e < last; e++) {
    int *cell = f->cell + (int64_t)e * (4 + EDGES);
    memcpy(cell, f->mesh->tet[e], sizeof *f->mesh->tet);
    memcpy(cell + 4, f->mesh->middle[e], sizeof *f->mesh->middle);
  }
}

int *mesh_cells(const TetMesh *mesh, Error *error) {
  const int nodes = mesh_cell_nodes(mesh);
  int *cell = array_new((int64_t)nodes * mesh->tet_count, sizeof *cell, "cells", error);
  if (cell && mesh->middle)
    parallel_for(mesh->tet_count, CHUNK, fill_cells, &(Filling){ .mesh = mesh, .cell = cell });
  else if (cell)
    memcpy(cell, mesh->hex ? (const void *)mesh->hex : mesh->tet,
           sizeof *cell * (size_t)nodes * (size_t)mesh->tet_count);
  return cell;
}

// the node of each edge [edge_count]; fails where that is not one and the same, or not its own
static bool find_nodes(const TetMesh *mesh, const char *name, const Simplices *s, int *node, Error *error) {
  // 0: no node of an edge yet, -1: a corner, else 1 + its edge
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
        ok = error_set(error, "%s: tets have different nodes, %lld and %lld, on the edge from node %lld to %lld", name,
                       (long long)mesh->node_tag[node[edge]], tag, ends[0], ends[1]);
      else if (use[a] != 0 && use[a] != edge + 1)
        ok = error_set(error, "%s: node %lld is on the edge from node %lld to %lld and %s", name, tag, ends[0], ends[1],
                       use[a] < 0 ? "a corner too" : "on another one");
      node[edge] = a, use[a] = edge + 1;
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
      off = fmax(off, fabs(x[i] - middle)), length = fmax(length, fabs(q[i] - p[i]));
      x[i] = middle;
    }
    curved += !(off <= CURVED * length);
  }
  if (curved)
    log_notice("%s: straightened %d curved edge%s of %d: elements have straight edges", name, curved,
               curved == 1 ? "" : "s", s.edge_count);
  free(node);
  simplices_destroy(&s);
  return ok;
}
