// Spaces: see space.h.
#include "sim/space.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/sort.h"

enum { EDGES = 6, TET10_NODES = 10 };

// corners of a tet's edges, in the order of a 10-node cell's nodes
static const int EDGE[EDGES][2] = { { 0, 1 }, { 1, 2 }, { 0, 2 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };

void space_destroy(Space *space) {
  adjacency_destroy(&space->graph);
  free(space->X);
  free(space->cell);
  free(space->node_tag);
  free(space->stiffness);
  *space = (Space){ 0 };
}

static bool count_fits(int64_t nodes, int node_dof, Error *error) {
  return nodes * node_dof <= INT32_MAX || error_set(error, "the mesh is too large: %lld unknowns, at most %d fit",
                                                    (long long)nodes * node_dof, INT32_MAX);
}

// room for `nodes` nodes and the mesh's cells, with the mesh's own nodes and stiffness in place
static bool allocate(Space *space, const TetMesh *mesh, int64_t nodes, Error *error) {
  if (!count_fits(nodes, space->node_dof, error)) return false;
  space->node_count = space->owned_count = (int)nodes;
  space->cell_count = mesh->tet_count;
  space->X = array_new(nodes, sizeof *space->X, "nodes", error);
  space->cell = array_new((int64_t)space->cell_nodes * space->cell_count, sizeof *space->cell, "cells", error);
  space->node_tag = array_new(nodes, sizeof *space->node_tag, "nodes", error);
  if (mesh->stiffness) space->stiffness = array_new(mesh->tet_count, sizeof *space->stiffness, "cells", error);
  if (!space->X || !space->cell || !space->node_tag || (mesh->stiffness && !space->stiffness)) return false;
  if (mesh->stiffness) memcpy(space->stiffness, mesh->stiffness, sizeof *mesh->stiffness * (size_t)mesh->tet_count);
  memcpy(space->X, mesh->X, sizeof *mesh->X * (size_t)mesh->node_count);
  memcpy(space->node_tag, mesh->node_tag, sizeof *mesh->node_tag * (size_t)mesh->node_count);
  return true;
}

static bool make_graph(Space *space, Error *error) {
  return adjacency_create_cells(&space->graph, space->node_count, space->cell_count, space->cell_nodes, space->cell,
                                error);
}

bool space_create(Space *space, const TetMesh *mesh, int node_dof, Error *error) {
  Space made = { .shape = CELL_TET4, .cell_nodes = 4, .node_dof = node_dof };
  if (allocate(&made, mesh, mesh->node_count, error)) {
    memcpy(made.cell, mesh->tet, sizeof *mesh->tet * (size_t)mesh->tet_count);
    if (make_graph(&made, error)) {
      *space = made;
      return true;
    }
  }
  space_destroy(&made);
  return false;
}

bool space_take(Space *space, TetMesh *mesh, int node_dof, Error *error) {
  Space made = { .shape = CELL_TET4,
                 .cell_nodes = 4,
                 .node_dof = node_dof,
                 .node_count = mesh->node_count,
                 .owned_count = mesh->node_count,
                 .cell_count = mesh->tet_count,
                 .X = mesh->X,
                 .cell = (int *)mesh->tet,
                 .node_tag = mesh->node_tag,
                 .stiffness = mesh->stiffness };
  *mesh = (TetMesh){ 0 };
  const bool ok = count_fits(made.node_count, node_dof, error) && make_graph(&made, error);
  if (ok)
    *space = made;
  else
    space_destroy(&made);
  return ok;
}

bool space_create_quadratic(Space *space, const TetMesh *mesh, int node_dof, Error *error) {
  Space made = { .shape = CELL_TET10, .cell_nodes = TET10_NODES, .node_dof = node_dof };
  Adjacency edges = { 0 };
  bool ok = false;
  int *first_edge = NULL;  // [node_count + 1]: edges by their lower node, in the order of the higher one
  if (!adjacency_create(&edges, mesh, error)) goto done;
  first_edge = array_new((int64_t)mesh->node_count + 1, sizeof *first_edge, "edges", error);
  if (!first_edge) goto done;
  const int64_t edge_count = (edges.start[mesh->node_count] - mesh->node_count) / 2;
  if (!allocate(&made, mesh, mesh->node_count + edge_count, error)) goto done;
  int node = mesh->node_count;
  for (int a = 0; a < mesh->node_count; a++) {
    first_edge[a] = node;
    for (int64_t s = edges.start[a]; s < edges.start[a + 1]; s++) {
      const int b = edges.neighbour[s];
      for (int i = 0; b > a && i < 3; i++) made.X[node][i] = (mesh->X[a][i] + mesh->X[b][i]) / 2;
      node += b > a;
    }
  }
  for (int e = 0; e < mesh->tet_count && !interrupt_signal(); e++) {
    int *cell = made.cell + (int64_t)e * TET10_NODES;
    memcpy(cell, mesh->tet[e], sizeof *mesh->tet);
    for (int k = 0; k < EDGES; k++) {
      const int p = cell[EDGE[k][0]], q = cell[EDGE[k][1]], low = p < q ? p : q, high = p < q ? q : p;
      // neighbours ascend, so the pairs of a node with higher ones stand behind that with itself
      const int64_t own = adjacency_find(&edges, low, low), pair = adjacency_find(&edges, low, high);
      cell[4 + k] = first_edge[low] + (int)(pair - own) - 1;
    }
  }
  ok = interrupt_check(error) && make_graph(&made, error);
done:
  free(first_edge);
  adjacency_destroy(&edges);
  if (ok)
    *space = made;
  else
    space_destroy(&made);
  return ok;
}

bool node_cells_create(NodeCells *cells, const Space *space, Error *error) {
  const int64_t corners = (int64_t)space->cell_nodes * space->cell_count;
  *cells = (NodeCells){ .start = array_new((int64_t)space->node_count + 1, sizeof *cells->start, "nodes", error),
                        .cell = array_new(corners, sizeof *cells->cell, "cells", error) };
  if (cells->start && cells->cell &&
      sort_by_key(space->cell, corners, space->node_count, space->cell_nodes, cells->start, cells->cell, error))
    return true;
  node_cells_destroy(cells);
  return false;
}

void node_cells_destroy(NodeCells *cells) {
  free(cells->start);
  free(cells->cell);
  *cells = (NodeCells){ 0 };
}

// the corners of one cell, for what is known of a tet
static TetMesh corners_of(const Space *space, int e) {
  return (TetMesh){ .node_count = space->node_count,
                    .tet_count = 1,
                    .X = space->X,
                    .tet = (int(*)[4])(space->cell + (int64_t)e * space->cell_nodes) };
}

double space_cell_volume(const Space *space, int e) {
  const TetMesh tet = corners_of(space, e);
  return mesh_tet_volume(&tet, 0);
}

double space_cell_J(const Space *space, const double (*u)[3], int e) {
  const TetMesh tet = corners_of(space, e);
  return mesh_tet_J(&tet, u, 0);
}

void space_lumped_mass(const Space *space, double density, double *mass) {
  if (space->shape == CELL_TET4) {
    const TetMesh tets = {
      .node_count = space->node_count, .tet_count = space->cell_count, .X = space->X, .tet = (int(*)[4])space->cell
    };
    mesh_lumped_mass(&tets, density, mass);
    return;
  }
  memset(mass, 0, sizeof *mass * (size_t)space->node_count);
  for (int e = 0; e < space->cell_count; e++) {
    const int *node = space_cell(space, e);
    const double whole = density * space_cell_volume(space, e);
    for (int a = 0; a < space->cell_nodes; a++) mass[node[a]] += a < 4 ? whole / 36 : whole * 4 / 27;
  }
}

int space_nearest_node(const Space *space, const double point[3]) {
  const TetMesh nodes = { .node_count = space->node_count, .X = space->X };
  return mesh_nearest_node(&nodes, point);
}

void space_bounds(const Space *space, double low[3], double high[3]) {
  const TetMesh nodes = { .node_count = space->node_count, .X = space->X };
  mesh_bounds(&nodes, low, high);
}
