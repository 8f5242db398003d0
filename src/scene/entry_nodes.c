// Finds the nodes of an entry of a scene: see entry_nodes.h.
#include "scene/entry_nodes.h"

#include <math.h>
#include <string.h>

#include "scene/scene_geometry.h"

// Returns the region of entry `index` of a list; NULL: it has none.
static const Region *region_of(const Scene *s, const char *list, int index) {
  if (strcmp(list, "pins") == 0 && index < s->pin_count) return &s->pins[index].region;
  if (strcmp(list, "forces") == 0 && index < s->force_count) return &s->forces[index].region;
  if (strcmp(list, "drags") == 0 && index < s->drag_count) return &s->drags[index].region;
  if (strcmp(list, "materials") == 0 && index < s->material_count) return &s->materials[index].region;
  return NULL;
}

// Returns true if a shape of the scene contains a point at rest, m, up to a small fraction of its size.
static bool shape_holds(const Scene *scene, const SceneShape *shape, const double point[3]) {
  const double margin = 1e-6 * fmax(fmax(shape->size[0], shape->size[1]), shape->size[2]);
  for (int k = 0; k < 3; k++) {
    double axis[3] = { k == 0, k == 1, k == 2 }, along = 0;
    scene_turn(axis, shape->turn);
    for (int i = 0; i < 3; i++) along += axis[i] * (point[i] / scene->scale - shape->at[i]);
    // the origin of a shape is the middle of the lower face of its box
    if (k == 2) along -= shape->size[2] / 2;
    if (!(fabs(along) <= shape->size[k] / 2 + margin)) return false;
  }
  return true;
}

// Lists the nodes of the cells whose centres are in a region.
static int nodes_of_cells(const Region *region, const RegionPosition *position, const TetMesh *mesh, int *node) {
  const int per_cell = mesh_cell_nodes(mesh);
  int count = 0;
  // node[a] is 1 first if the node belongs to such a cell
  memset(node, 0, sizeof *node * (size_t)mesh->node_count);
  for (int e = 0; e < mesh->tet_count; e++) {
    if (!region_holds_tet(region, position, mesh, e)) continue;
    for (int a = 0; a < per_cell; a++) node[mesh_cell_node(mesh, e, a)] = 1;
  }
  for (int a = 0; a < mesh->node_count; a++)
    if (node[a]) node[count++] = a;
  return count;
}

int entry_nodes(const Scene *scene, const SceneEntry *entry, const TetMesh *mesh, int *node) {
  int count = 0;
  if (strcmp(entry->list, "shapes") == 0 && entry->index < scene->shape_count)
    for (int a = 0; a < mesh->node_count; a++)
      if (shape_holds(scene, &scene->shapes[entry->index], mesh->X[a])) node[count++] = a;
  const Region *region = region_of(scene, entry->list, entry->index);
  if (!region) return count;
  const RegionPosition position = region_position(scene, region, mesh);
  if (strcmp(entry->list, "materials") == 0) return nodes_of_cells(region, &position, mesh, node);
  for (int a = 0; a < mesh->node_count; a++)
    if (region_holds(region, &position, mesh, a, mesh->X[a])) node[count++] = a;
  return count;
}
