// Creates, checks and frees meshes of cells: see cell_mesh.h.
#include "mesh/cell_mesh.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"

void cell_mesh_destroy(CellMesh *mesh) {
  free(mesh->X);
  free(mesh->cell);
  free(mesh->node_tag);
  free(mesh->factor);
  cell_groups_destroy(mesh->group, mesh->group_count);
  *mesh = (CellMesh){ 0 };
}

bool cell_mesh_allocate(CellMesh *mesh, CellShape shape, double nodes, double cells, Error *error) {
  const double all = cells * cell_shape_info(shape)->nodes;
  *mesh = (CellMesh){ .shape = shape };
  if (!(nodes <= INT_MAX) || !(all <= INT_MAX))
    return error_set(error,
                     "a mesh of %.0f nodes and %.0f cells of %d nodes each is too large: the limit is %d, both for "
                     "nodes and for cells times nodes per cell; use a coarser mesh",
                     nodes, cells, cell_shape_info(shape)->nodes, INT_MAX);
  const double bytes = nodes * (sizeof *mesh->X + sizeof *mesh->node_tag) + all * sizeof *mesh->cell;
  if (!memory_holds(bytes, "the mesh", error)) return false;
  mesh->node_count = (int)nodes;
  mesh->cell_count = (int)cells;
  mesh->X = array_new(mesh->node_count, sizeof *mesh->X, "nodes", error);
  mesh->node_tag = array_new(mesh->node_count, sizeof *mesh->node_tag, "nodes", error);
  mesh->cell = array_new((int64_t)all, sizeof *mesh->cell, "cells", error);
  return mesh->X && mesh->node_tag && mesh->cell;
}

bool cell_mesh_check(const CellMesh *mesh, const char *name, Error *error) {
  const CellShapeInfo *kind = cell_shape_info(mesh->shape);
  for (int e = 0; e < mesh->cell_count; e++) {
    double X[CELL_NODES_MAX][3], x[3];
    for (int a = 0; a < kind->nodes; a++) memcpy(X[a], mesh->X[mesh->cell[(int64_t)e * kind->nodes + a]], sizeof X[a]);
    for (int c = 0; c < kind->corners; c++) {
      // J is det(dx/dxi). It is tested at each corner. For a triangle or tet, J is constant, because the map is linear;
      // so it is computed at any inner point.
      const double xi[3] = { c & 1, c >> 1 & 1, c >> 2 }, middle[3] = { 0.2, 0.2, 0.2 };
      const double J = cell_shape_map(mesh->shape, (const double(*)[3])X, kind->simplex ? middle : xi, x, NULL);
      if (!(J > 0))
        return error_set(error,
                         "%s: cell %d, a %s, is inverted or flat at corner %d: the determinant of its map from the "
                         "reference cell is %g, expected more than 0",
                         name, e + 1, kind->name, c + 1, J);
    }
  }
  return true;
}

bool cell_mesh_to_body(CellMesh *mesh, TetMesh *body, Error *error) {
  if (mesh->shape != CELL_TET4 && mesh->shape != CELL_HEX8)
    return error_set(error, "the cells have the shape %s; a body needs cells of shape tet4 or hex8",
                     cell_shape_info(mesh->shape)->name);
  const bool hex = mesh->shape == CELL_HEX8;
  *body = (TetMesh){ .node_count = mesh->node_count,
                     .tet_count = mesh->cell_count,
                     .X = mesh->X,
                     .tet = hex ? NULL : (int(*)[4])mesh->cell,
                     .hex = hex ? (int(*)[8])mesh->cell : NULL,
                     .node_tag = mesh->node_tag,
                     .stiffness = mesh->factor };
  cell_groups_destroy(mesh->group, mesh->group_count);
  *mesh = (CellMesh){ 0 };
  return true;
}

void cell_mesh_facet_corners(const CellMesh *mesh, const CellFacet *facet, int corner[4]) {
  int node[CELL_FACET_NODES_MAX], corners;
  cell_shape_facet(mesh->shape, facet->number, node, &corners);
  for (int c = 0; c < 4; c++) corner[c] = -1;
  for (int c = 0; c < corners; c++) {
    const int own = mesh->cell[(int64_t)facet->cell * cell_shape_info(mesh->shape)->nodes + node[c]];
    int at = c;
    for (; at > 0 && corner[at - 1] > own; at--) corner[at] = corner[at - 1];
    corner[at] = own;
  }
}

// A facet (side of a cell): the nodes at its corners, ascending, -1 after the last, and its cell and index in the cell.
typedef struct Facet {
  int corner[4];
  CellFacet from;
} Facet;

// Arguments of the parallel loop over cells that computes key[f], the smallest corner node of facet f. Facet k of cell
// e has the index f = e * n + k, where n is the number of facets of a cell.
typedef struct FacetKeys {
  const CellMesh *mesh;
  int *key;
} FacetKeys;

static void find_keys(const void *keys, int first, int last) {
  const FacetKeys *k = keys;
  const int each = cell_shape_info(k->mesh->shape)->facets;
  for (int e = first; e < last; e++)
    for (int f = 0; f < each; f++) {
      int corner[4];
      cell_mesh_facet_corners(k->mesh, &(CellFacet){ e, f }, corner);
      k->key[(int64_t)e * each + f] = corner[0];
    }
}

// Finds the facets of the boundary among `count` given facets that have the same smallest corner. A facet inside the
// mesh is given twice, once by each of its cells; a facet of the boundary is given once. number [count] are the facets,
// as cell * (facets per cell) + index in the cell. The facets found are stored in `alone`; returns their number.
// `facet` is memory for `count` facets.
static int find_alone(const CellMesh *mesh, const int *number, int64_t count, Facet *facet, CellFacet *alone) {
  enum { FEW = 64 };
  const int each = cell_shape_info(mesh->shape)->facets;
  int found = 0;
  for (int64_t k = 0; k < count; k++) {
    Facet own = { .from = { number[k] / each, number[k] % each } };
    cell_mesh_facet_corners(mesh, &own.from, own.corner);
    int64_t at = k;
    for (; count <= FEW && at > 0 && cell_facets_compare(&facet[at - 1], &own) > 0; at--) facet[at] = facet[at - 1];
    facet[at] = own;
  }
  if (count > FEW) qsort(facet, (size_t)count, sizeof *facet, cell_facets_compare);
  for (int64_t k = 0, last; k < count; k = last + 1) {
    for (last = k; last + 1 < count && cell_facets_compare(&facet[k], &facet[last + 1]) == 0;) last++;
    if (last == k) alone[found++] = facet[k].from;
  }
  return found;
}

CellFacet *cell_mesh_facets(const CellMesh *mesh, int *count, Error *error) {
  enum { CHUNK = 4096 };
  const int64_t all = (int64_t)mesh->cell_count * cell_shape_info(mesh->shape)->facets;
  if (all > INT_MAX) {
    error_set(error, "the mesh is too large: its cells have %lld sides in total, the limit is %d; use a coarser mesh",
              (long long)all, INT_MAX);
    return NULL;
  }

  int *key = array_new(all, sizeof *key, "facets", error), *number = array_new(all, sizeof *number, "facets", error);
  int64_t *start = array_new((int64_t)mesh->node_count + 1, sizeof *start, "facets", error), maximum = 0, kept = 0;
  CellFacet *alone = NULL;
  Facet *facet = NULL;
  bool ok = key && number && start;
  if (ok) parallel_for(mesh->cell_count, CHUNK, find_keys, &(FacetKeys){ mesh, key });
  ok = ok && sort_by_key(key, all, mesh->node_count, 1, start, number, error);
  for (int a = 0; ok && a < mesh->node_count; a++)
    maximum = start[a + 1] - start[a] > maximum ? start[a + 1] - start[a] : maximum;
  ok = ok && (facet = array_new(maximum, sizeof *facet, "facets", error)) &&
       (alone = array_new(all, sizeof *alone, "facets", error));
  for (int a = 0; ok && a < mesh->node_count; a++)
    kept += find_alone(mesh, number + start[a], start[a + 1] - start[a], facet, alone + kept);
  free(key);
  free(number);
  free(start);
  free(facet);
  *count = (int)kept;
  return alone;
}

bool cell_mesh_boundary(const CellMesh *mesh, uint8_t *on_boundary, Error *error) {
  int count = 0;
  CellFacet *facet = cell_mesh_facets(mesh, &count, error);
  memset(on_boundary, 0, (size_t)mesh->node_count);
  for (int k = 0; facet && k < count; k++) {
    int node[CELL_FACET_NODES_MAX];
    const int nodes = cell_shape_facet(mesh->shape, facet[k].number, node, NULL);
    for (int a = 0; a < nodes; a++)
      on_boundary[mesh->cell[(int64_t)facet[k].cell * cell_shape_info(mesh->shape)->nodes + node[a]]] = 1;
  }
  const bool ok = facet;
  free(facet);
  return ok;
}
