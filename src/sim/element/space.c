// Creates spaces from meshes, and computes masses, volumes and bounding boxes (space.h).
#include "sim/element/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "mesh/quadratic.h"

void space_destroy(Space *space) {
  adjacency_destroy(&space->graph);
  free(space->X);
  free(space->cell);
  free(space->node_tag);
  free(space->stiffness);
  free(space->ratio);
  free(space->density);
  free(space->damping);
  free(space->body);
  free(space->part);
  free(space->batch);
  *space = (Space){ 0 };
}

// Fails if the number of unknowns does not fit into an int.
static bool count_fits(int64_t nodes, int node_dof, Error *error) {
  return nodes * node_dof <= INT32_MAX ||
         error_set(error, "the mesh is too large: it has %lld unknowns, the limit is %d; use a coarser mesh",
                   (long long)nodes * node_dof, INT32_MAX);
}

// Sets space->graph, the list of neighbours of each node.
static bool make_graph(Space *space, Error *error) {
  return adjacency_create_cells(&space->graph, space->node_count, space->cell_count, space->cell_nodes, space->cell,
                                error);
}

// Copies the array `from` [count] to a new array, and stores the new address in *copy. If `from` is NULL, stores NULL.
// Fails if memory runs out. `what` names the array in the message.
static bool copy_into(void *copy, const void *from, int64_t count, size_t size, const char *what, Error *error) {
  void *made = from ? array_new(count, size, what, error) : NULL;
  if (made) memcpy(made, from, size * (size_t)count);
  memcpy(copy, &made, sizeof made);
  return made || !from;
}

bool space_create(Space *space, const TetMesh *mesh, int node_dof, Error *error) {
  TetMesh copy = { .node_count = mesh->node_count, .tet_count = mesh->tet_count };
  const int64_t nodes = mesh->node_count, tets = mesh->tet_count;
  bool ok = copy_into(&copy.X, mesh->X, nodes, sizeof *mesh->X, "nodes", error);
  ok = ok && copy_into(&copy.node_tag, mesh->node_tag, nodes, sizeof *mesh->node_tag, "nodes", error);
  ok = ok && copy_into(&copy.tet, mesh->tet, tets, sizeof *mesh->tet, "cells", error);
  ok = ok && copy_into(&copy.middle, mesh->middle, tets, sizeof *mesh->middle, "cells", error);
  ok = ok && copy_into(&copy.outer, mesh->outer, tets, sizeof *mesh->outer, "cells", error);
  ok = ok && copy_into(&copy.hex, mesh->hex, tets, sizeof *mesh->hex, "cells", error);
  ok = ok && copy_into(&copy.stiffness, mesh->stiffness, tets, sizeof *mesh->stiffness, "cells", error);
  ok = ok && copy_into(&copy.ratio, mesh->ratio, tets, sizeof *mesh->ratio, "cells", error);
  ok = ok && copy_into(&copy.density, mesh->density, tets, sizeof *mesh->density, "cells", error);
  ok = ok && copy_into(&copy.damping, mesh->damping, nodes, sizeof *mesh->damping, "nodes", error);
  ok = ok && copy_into(&copy.body, mesh->body, nodes, sizeof *mesh->body, "nodes", error);
  if (ok) return space_take(space, &copy, node_dof, error);
  mesh_destroy(&copy);
  return false;
}

bool space_take(Space *space, TetMesh *mesh, int node_dof, Error *error) {
  const bool raised = mesh_degree(mesh) > 1;
  if (!count_fits(mesh->node_count, node_dof, error)) {
    mesh_destroy(mesh);
    return false;
  }
  Space made = { .shape = mesh_shape(mesh),
                 .cell_nodes = mesh_cell_nodes(mesh),
                 .node_dof = node_dof,
                 .node_count = mesh->node_count,
                 .owned_count = mesh->node_count,
                 .cell_count = mesh->tet_count,
                 .X = mesh->X,
                 .cell = raised      ? mesh_cells(mesh, error)
                         : mesh->hex ? (int *)mesh->hex
                                     : (int *)mesh->tet,
                 .node_tag = mesh->node_tag,
                 .stiffness = mesh->stiffness,
                 .ratio = mesh->ratio,
                 .density = mesh->density,
                 .damping = mesh->damping,
                 .body = mesh->body };
  if (raised) {
    free(mesh->tet);
    free(mesh->middle);
    free(mesh->outer);
  }

  *mesh = (TetMesh){ 0 };
  const bool ok = made.cell && make_graph(&made, error);
  if (ok)
    *space = made;
  else
    space_destroy(&made);
  return ok;
}

bool space_create_cells(Space *space, const CellMesh *mesh, int node_dof, Error *error) {
  const int64_t nodes = mesh->node_count, cells = mesh->cell_count;
  const int cell_nodes = cell_shape_info(mesh->shape)->nodes;
  if (!count_fits(nodes, node_dof, error)) return false;
  Space made = { .shape = mesh->shape,
                 .cell_nodes = cell_nodes,
                 .node_dof = node_dof,
                 .node_count = mesh->node_count,
                 .owned_count = mesh->node_count,
                 .cell_count = mesh->cell_count };
  bool ok = copy_into(&made.X, mesh->X, nodes, sizeof *mesh->X, "nodes", error);
  ok = ok && copy_into(&made.node_tag, mesh->node_tag, nodes, sizeof *mesh->node_tag, "nodes", error);
  ok = ok && copy_into(&made.cell, mesh->cell, cells * cell_nodes, sizeof *mesh->cell, "cells", error);
  ok = ok && copy_into(&made.stiffness, mesh->factor, cells, sizeof *mesh->factor, "cells", error);
  ok = ok && make_graph(&made, error);
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

// Returns a mesh with a single linear tet or hex, whose corners are the corners of cell e. The mesh borrows the space's
// arrays.
static TetMesh corners_of(const Space *space, int e) {
  int *node = space->cell + (int64_t)e * space->cell_nodes;
  const bool hex = space->shape == CELL_HEX8;
  return (TetMesh){ .node_count = space->node_count,
                    .tet_count = 1,
                    .X = space->X,
                    .tet = hex ? NULL : (int(*)[4])node,
                    .hex = hex ? (int(*)[8])node : NULL };
}

double space_cell_volume(const Space *space, int e) {
  const TetMesh tet = corners_of(space, e);
  return mesh_tet_volume(&tet, 0);
}

double space_cell_density(const Space *space, double density, int e) {
  return space->density && !isnan(space->density[e]) ? space->density[e] : density;
}

double space_cell_J(const Space *space, const double (*u)[3], int e) {
  const TetMesh tet = corners_of(space, e);
  return mesh_tet_J(&tet, u, 0);
}

// Divides the mass of each cell among its nodes: sets share [node_count], kg, with sums in the order of the cells.
// share_of[0] is the fraction for a corner, share_of[1] for a node on an edge, share_of[2] for a node on a face (cubic
// cells).
static void share_mass(const Space *space, double density, const double share_of[3], double *share) {
  const int on_edges = 4 + 6 * (cell_shape_info(space->shape)->degree - 1);
  memset(share, 0, sizeof *share * (size_t)space->node_count);
  for (int e = 0; e < space->cell_count; e++) {
    const int *node = space_cell(space, e);
    const double whole = space_cell_density(space, density, e) * space_cell_volume(space, e);
    for (int a = 0; a < space->cell_nodes; a++) share[node[a]] += whole * share_of[a < 4 ? 0 : a < on_edges ? 1 : 2];
  }
}

// Sets share [node_count], kg, to the integral of density times each node's shape function, for cells in the plane.
static void integrate_shapes(const Space *space, double density, double *share) {
  const int n = cell_shape_info(space->shape)->degree + 1, nodes = space->cell_nodes;
  double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX];
  const int points = cell_shape_rule(space->shape, n, xi, weight);
  memset(share, 0, sizeof *share * (size_t)space->node_count);
  for (int e = 0; e < space->cell_count; e++) {
    const int *node = space_cell(space, e);
    const double rho = space_cell_density(space, density, e);
    double X[CELL_NODES_MAX][3], N[CELL_NODES_MAX], x[3];
    for (int a = 0; a < nodes; a++) memcpy(X[a], space->X[node[a]], sizeof X[a]);
    for (int q = 0; q < points; q++) {
      const double w = rho * weight[q] * cell_shape_map(space->shape, (const double(*)[3])X, xi[q], x, NULL);
      cell_shape_at(space->shape, xi[q], N, NULL);
      for (int a = 0; a < nodes; a++) share[node[a]] += w * N[a];
    }
  }
}

// Returns a mesh that borrows the nodes and cells of a space of linear tets or hexes.
static TetMesh mesh_of(const Space *space) {
  const bool hex = space->shape == CELL_HEX8;
  return (TetMesh){ .node_count = space->node_count,
                    .tet_count = space->cell_count,
                    .X = space->X,
                    .tet = hex ? NULL : (int(*)[4])space->cell,
                    .hex = hex ? (int(*)[8])space->cell : NULL,
                    .density = space->density };
}

void space_lumped_mass(const Space *space, double density, double *mass) {
  const TetMesh mesh = mesh_of(space);
  if (space->shape == CELL_TET4 || space->shape == CELL_HEX8)
    mesh_lumped_mass(&mesh, density, mass);
  else if (space->shape == CELL_TET10)
    share_mass(space, density, (const double[3]){ MESH_LUMPED_CORNER, MESH_LUMPED_MIDDLE, 0 }, mass);
  else if (space->shape == CELL_TET20)
    share_mass(space, density, MESH_LUMPED_CUBIC, mass);
  else
    integrate_shapes(space, density, mass);
}

void space_weight(const Space *space, double density, double *weight) {
  const TetMesh mesh = mesh_of(space);
  if (space->shape == CELL_TET4 || space->shape == CELL_HEX8)
    mesh_weight(&mesh, density, weight);
  else if (space->shape == CELL_TET10)
    share_mass(space, density, (const double[3]){ MESH_WEIGHT_CORNER, MESH_WEIGHT_MIDDLE, 0 }, weight);
  else if (space->shape == CELL_TET20)
    share_mass(space, density, MESH_WEIGHT_CUBIC, weight);
  else
    integrate_shapes(space, density, weight);
}

int space_nearest_node(const Space *space, const double point[3]) {
  const TetMesh nodes = { .node_count = space->node_count, .X = space->X };
  return mesh_nearest_node(&nodes, point);
}

void space_bounds(const Space *space, double low[3], double high[3]) {
  const TetMesh nodes = { .node_count = space->node_count, .X = space->X };
  mesh_bounds(&nodes, low, high);
}
