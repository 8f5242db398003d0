// Divides cells into tets and their surface into triangles: see cell_surface.h.
#include "mesh/cell_surface.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { TETS_OF_A_HEX = 6 };

// Returns the index k of the smallest of node[0] to node[count - 1].
static int smallest(const int *node, int count) {
  int found = 0;
  for (int k = 1; k < count; k++)
    if (node[k] < node[found]) found = k;
  return found;
}

// Divides a hex into six tets that share one corner, the apex, which is the corner with the smallest node number. A
// face at the apex is divided along the diagonal from the apex. Each of the three other faces is divided along the
// diagonal from its smallest node number. So two neighbouring hexes divide their common face along the same diagonal.
static void tets_of_hex(const int node[8], int (*tet)[4]) {
  const int apex = smallest(node, 8);
  for (int d = 0, k = 0; d < 3; d++) {
    const int along[3] = { 1 << d, 1 << (d + 1) % 3, 1 << (d + 2) % 3 };
    const bool high = !(apex & along[0]);

    // `corner` are the corners, as indices in `node`, of a face without the apex: the one that is perpendicular to
    // direction d. They are counter-clockwise seen from outside the hex.
    const int first = high ? along[0] : 0;
    const int corner[4] = { first, first + along[high ? 1 : 2], first + along[1] + along[2],
                            first + along[high ? 2 : 1] };
    int face[4];
    for (int c = 0; c < 4; c++) face[c] = node[corner[c]];
    const int from = smallest(face, 4);
    for (int t = 1; t < 3; t++, k++) {
      tet[k][0] = face[from];
      tet[k][1] = face[(from + t) % 4];
      tet[k][2] = face[(from + t + 1) % 4];
      tet[k][3] = node[apex];
    }
  }
}

// Allocates a mesh with the nodes of `mesh` and space for `tets` tets. Copies positions and tags (numbers in the file)
// of the nodes.
static bool take_nodes(TetMesh *made, const CellMesh *mesh, double tets, Error *error) {
  if (!mesh_allocate(made, mesh->node_count, tets, error)) return false;
  memcpy(made->X, mesh->X, sizeof *mesh->X * (size_t)mesh->node_count);
  memcpy(made->node_tag, mesh->node_tag, sizeof *mesh->node_tag * (size_t)mesh->node_count);
  return true;
}

static bool create_solid(CellSurface *made, const CellMesh *mesh, Error *error) {
  const int nodes = cell_shape_info(mesh->shape)->nodes;
  const bool hexes = mesh->shape == CELL_HEX8;
  if (!take_nodes(&made->mesh, mesh, (hexes ? (double)TETS_OF_A_HEX : 1) * mesh->cell_count, error)) return false;
  if (mesh->shape == CELL_TET10 &&
      !(made->mesh.middle = array_new(mesh->cell_count, sizeof *made->mesh.middle, "middles of edges", error)))
    return false;
  for (int e = 0; e < mesh->cell_count; e++) {
    const int *node = mesh->cell + (int64_t)e * nodes;
    if (hexes) {
      tets_of_hex(node, made->mesh.tet + (int64_t)TETS_OF_A_HEX * e);
    } else {
      memcpy(made->mesh.tet[e], node, sizeof made->mesh.tet[e]);
      if (made->mesh.middle) memcpy(made->mesh.middle[e], node + 4, sizeof made->mesh.middle[e]);
    }
  }
  return surface_create(&made->surface, &made->mesh, error);
}

// Creates the surface of a plane mesh. Each triangle is one triangle of the surface. A quad of degree p becomes p x p
// squares of two triangles each.
static bool create_plane(CellSurface *made, const CellMesh *mesh, Error *error) {
  const CellShapeInfo *kind = cell_shape_info(mesh->shape);
  const int side = kind->simplex ? 1 : kind->degree, across = side + 1, parts = kind->simplex ? 1 : 2 * side * side;
  if ((int64_t)parts * mesh->cell_count > INT32_MAX / 3)
    return error_set(error, "%d cells are too many to be drawn as %d triangles each; use a coarser mesh",
                     mesh->cell_count, parts);
  Surface *s = &made->surface;
  s->triangle_count = parts * mesh->cell_count;
  s->triangle = array_new(s->triangle_count, sizeof *s->triangle, "triangles", error);
  if (!s->triangle || !take_nodes(&made->mesh, mesh, 0, error)) return false;
  int(*triangle)[3] = s->triangle;
  for (int e = 0; e < mesh->cell_count; e++) {
    const int *node = mesh->cell + (int64_t)e * kind->nodes;
    if (kind->simplex) {
      memcpy(*triangle++, node, sizeof *triangle);
      continue;
    }
    for (int j = 0; j < side; j++)
      for (int i = 0; i < side; i++) {
        const int low = i + across * j, high = low + across;
        memcpy(*triangle++, (int[3]){ node[low], node[low + 1], node[high + 1] }, sizeof *triangle);
        memcpy(*triangle++, (int[3]){ node[low], node[high + 1], node[high] }, sizeof *triangle);
      }
  }
  return surface_find_fans(s, mesh->node_count, error);
}

bool cell_surface_create(CellSurface *made, const CellMesh *mesh, Error *error) {
  *made = (CellSurface){ 0 };
  if ((cell_shape_info(mesh->shape)->dimension == 3 ? create_solid : create_plane)(made, mesh, error)) return true;
  cell_surface_destroy(made);
  return false;
}

void cell_surface_destroy(CellSurface *made) {
  surface_destroy(&made->surface);
  mesh_destroy(&made->mesh);
}
