// Checks a mesh's arrays: see mesh_check.h.
#include "mesh/mesh_check.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"

static bool check_presence(const TetMesh *mesh, Error *error) {
  const int cells_max = mesh->hex ? MESH_MAX_HEXES : MESH_MAX_TETS;
  if (mesh->node_count < 1 || mesh->node_count > MESH_MAX_NODES)
    return error_set(error, "the mesh: node_count is %d, expected 1 to %d", mesh->node_count, MESH_MAX_NODES);
  if (mesh->tet_count < 1 || mesh->tet_count > cells_max)
    return error_set(error, "the mesh: tet_count is %d, expected 1 to %d", mesh->tet_count, cells_max);
  if (!mesh->X) return error_set(error, "the mesh: X is NULL, expected a position for each node");
  if (!mesh->tet && !mesh->hex)
    return error_set(error, "the mesh: tet and hex are NULL, expected the nodes of each cell");
  if (!mesh->node_tag)
    return error_set(error, "the mesh: node_tag is NULL, expected a number for each node, such as its index");
  return true;
}

// Fails if a cell has a node that does not exist, or if a node belongs to no cell.
static bool check_nodes_of_cells(const TetMesh *mesh, Error *error) {
  const int nodes = mesh->node_count, cell_nodes = mesh_cell_nodes(mesh);
  const char *cell = mesh->hex ? "hex" : "tet";
  uint8_t *used = array_new(nodes, 1, "nodes", error);
  if (!used) return false;

  bool ok = true;
  for (int e = 0; ok && e < mesh->tet_count && !interrupt_requested(); e++)
    for (int a = 0; ok && a < cell_nodes; a++) {
      const int node = mesh_cell_node(mesh, e, a);
      if (node >= 0 && node < nodes)
        used[node] = 1;
      else
        ok = error_set(error, "the mesh: node %d of %s %d has the index %d, expected 0 to %d", a, cell, e, node,
                       nodes - 1);
    }
  ok = ok && interrupt_check(error);
  for (int a = 0; ok && a < nodes; a++)
    if (!used[a]) ok = error_set(error, "the mesh: node %d belongs to no %s; leave it out", a, cell);
  free(used);
  return ok;
}

static bool check_positions(const TetMesh *mesh, Error *error) {
  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++)
    for (int i = 0; i < 3; i++)
      if (!isfinite(mesh->X[a][i]))
        return error_set(error, "the mesh: coordinate %c of node %d is %g, expected a finite number", "xyz"[i], a,
                         mesh -> X[a][i]);
  return interrupt_check(error);
}

// Fails if an optional array of the mesh, such as `stiffness`, contains a number out of range.
static bool check_traits(const TetMesh *mesh, Error *error) {
  for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
    const char *cell = mesh->hex ? "hex" : "tet";
    if (mesh->stiffness && !(mesh->stiffness[e] > 0 && isfinite(mesh->stiffness[e])))
      return error_set(error, "the mesh: stiffness of %s %d is %g, expected a finite number more than 0", cell, e,
                       mesh->stiffness[e]);
    if (mesh->ratio && isinf(mesh->ratio[e]))
      return error_set(error,
                       "the mesh: ratio of %s %d is %g, expected a finite number, or NAN for the material's "
                       "Poisson's ratio",
                       cell, e, mesh->ratio[e]);
    if (mesh->density && !isnan(mesh->density[e]) && !(mesh->density[e] > 0 && isfinite(mesh->density[e])))
      return error_set(error,
                       "the mesh: density of %s %d is %g kg/m^3, expected a finite number more than 0, or NAN for the "
                       "settings' density",
                       cell, e, mesh->density[e]);
  }

  for (int a = 0; a < mesh->node_count && !interrupt_requested(); a++) {
    if (mesh->damping && !isnan(mesh->damping[a]) && !(mesh->damping[a] >= 0 && isfinite(mesh->damping[a])))
      return error_set(error,
                       "the mesh: damping of node %d is %g 1/s, expected a finite number of at least 0, or NAN for the "
                       "settings' damping",
                       a, mesh->damping[a]);
    if (mesh->body && (mesh->body[a] < 0 || mesh->body[a] >= mesh->node_count))
      return error_set(error, "the mesh: body of node %d is %d, expected 0 to %d", a, mesh->body[a],
                       mesh->node_count - 1);
  }
  return interrupt_check(error);
}

bool mesh_check(const TetMesh *mesh, Error *error) {
  if (!check_presence(mesh, error) || !check_nodes_of_cells(mesh, error)) return false;
  if (!check_positions(mesh, error) || !check_traits(mesh, error)) return false;
  return mesh_check_cells(mesh, "the mesh", error);
}
