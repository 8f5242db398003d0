// Makes quadratic or cubic tets from linear ones: see raise_tets.h.
#include "lab/stationary/raise_tets.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sort.h"
#include "mesh/quadratic.h"

// Adds the nodes of the facets of a group to its nodes. facets [count] are the facets on the boundary of the mesh.
static bool complete_group(const CellMesh *mesh, const CellFacet *facets, int count, CellGroup *group, Error *error) {
  const int cell_nodes = cell_shape_info(mesh->shape)->nodes;
  int64_t room = group->node_count;
  int total = group->node_count;
  if (!array_reserve((void **)&group->node, &room, total + CELL_FACET_NODES_MAX * (int64_t)group->facet_count,
                     sizeof *group->node, "nodes of a group", error))
    return false;
  for (int f = 0; f < count; f++) {
    int corner[4], node[CELL_FACET_NODES_MAX];
    cell_mesh_facet_corners(mesh, &facets[f], corner);
    if (!cell_group_has_facet(group, corner)) continue;
    const int nodes = cell_shape_facet(mesh->shape, facets[f].number, node, NULL);
    for (int k = 0; k < nodes; k++) group->node[total++] = mesh->cell[(int64_t)facets[f].cell * cell_nodes + node[k]];
  }
  qsort(group->node, (size_t)total, sizeof *group->node, compare_ints);
  group->node_count = 0;
  for (int k = 0; k < total; k++)
    if (k == 0 || group->node[k] != group->node[group->node_count - 1])
      group->node[group->node_count++] = group->node[k];
  return true;
}

static bool complete_groups(CellMesh *mesh, Error *error) {
  int count;
  if (mesh->group_count == 0) return true;
  CellFacet *facets = cell_mesh_facets(mesh, &count, error);
  bool ok = facets;
  for (int g = 0; ok && g < mesh->group_count; g++) ok = complete_group(mesh, facets, count, &mesh->group[g], error);
  free(facets);
  return ok;
}

bool raise_tets(CellMesh *mesh, int degree, Error *error) {
  if (degree == 1) return true;
  if (mesh->shape != CELL_TET4)
    return error_set(error, "degree is %d, but in problem elasticity only tets can have a degree above 1", degree);
  if (degree > 3) return error_set(error, "degree is %d, but tets can have at most degree 3", degree);
  TetMesh body = { .node_count = mesh->node_count,
                   .tet_count = mesh->cell_count,
                   .X = mesh->X,
                   .tet = (int(*)[4])mesh->cell,
                   .node_tag = mesh->node_tag };
  mesh->X = NULL;
  mesh->cell = NULL;
  mesh->node_tag = NULL;  // `body` owns these arrays now
  const bool raised = mesh_raise(&body, degree, error) && (mesh->cell = mesh_cells(&body, error));
  if (raised) {
    mesh->shape = mesh_shape(&body);
    mesh->node_count = body.node_count;
    mesh->X = body.X;
    mesh->node_tag = body.node_tag;
    body.X = NULL;
    body.node_tag = NULL;
  }

  mesh_destroy(&body);
  return raised && complete_groups(mesh, error);
}
