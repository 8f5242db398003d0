// Computes rotations and regions of a scene, and checks volumes of cells: see scene_geometry.h.
#include "scene/scene_geometry.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/meant.h"
#include "base/parallel.h"
#include "scene/scene_bodies.h"

void turn_about_axis(double p[3], int axis, double radians) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  const double a = p[j], b = p[k], c = cos(radians), s = sin(radians);
  p[j] = c * a - s * b;
  p[k] = s * a + c * b;
}

void scene_turn(double point[3], const double degrees[3]) {
  for (int i = 0; i < 3; i++)
    if (degrees[i] != 0) turn_about_axis(point, i, degrees[i] * acos(-1.0) / 180);
}

int region_body(const Scene *scene, const Region *region) {
  if (!region->of_body) return -1;
  if (!region->body_name[0]) return region->body;
  for (int k = 0; k < scene->body_count; k++)
    if (strcmp(scene->bodies[k].name, region->body_name) == 0) return k;
  return scene->body_count;
}

// Returns true if the node belongs to the body, or if `body` is -1.
static bool of_body(const TetMesh *mesh, int node, int body) {
  return body < 0 || mesh_body(mesh, node) == body;
}

RegionPosition region_position(const Scene *scene, const Region *region, const TetMesh *mesh) {
  RegionPosition position = { .body = region_body(scene, region) };
  if (region->set[0]) position.set = mesh_sets_find(mesh->sets, region->set, (int)strlen(region->set));
  memcpy(position.centre, region->centre, sizeof position.centre);
  if (!region->centre_extreme) return position;
  const int axis = abs(region->centre_extreme) - 1, sign = region->centre_extreme > 0 ? 1 : -1;
  int best = -1;
  for (int a = 0; a < mesh->node_count; a++)
    if (of_body(mesh, a, position.body) && (best < 0 || sign * mesh->X[a][axis] > sign * mesh->X[best][axis])) best = a;
  if (best >= 0) memcpy(position.centre, mesh->X[best], sizeof position.centre);
  return position;
}

// Returns true if a point is inside the region's box and ball, and belongs to the region's body. Does not test the
// region's set. node: any node of the body to which the point belongs.
static bool holds_point(const Region *region, const RegionPosition *position, const TetMesh *mesh, int node,
                        const double point[3]) {
  const double *centre = position->centre;
  double distance2 = 0;
  if (!of_body(mesh, node, position->body)) return false;
  for (int i = 0; i < 3; i++) {
    if (!(point[i] > region->low[i] && point[i] < region->high[i])) return false;
    distance2 += (point[i] - centre[i]) * (point[i] - centre[i]);
  }
  return !region->has_ball || distance2 < region->radius * region->radius;
}

bool region_holds(const Region *region, const RegionPosition *position, const TetMesh *mesh, int node,
                  const double point[3]) {
  if (!holds_point(region, position, mesh, node, point)) return false;
  return !region->set[0] || (position->set && mesh_set_has_node(position->set, mesh, node));
}

bool region_holds_tet(const Region *region, const RegionPosition *position, const TetMesh *mesh, int e) {
  const int corners = mesh_corners(mesh);
  double middle[3] = { 0 };
  if (region->set[0] && !(position->set && mesh_set_has_cell(position->set, e))) return false;
  for (int a = 0; a < corners; a++)
    for (int i = 0; i < 3; i++) middle[i] += mesh->X[mesh_cell_node(mesh, e, a)][i] / corners;
  return holds_point(region, position, mesh, mesh_cell_node(mesh, e, 0), middle);
}

// Data of the parallel search for the cell with the smallest index among those whose volume is not valid. first_bad:
// smallest index that was found so far; the number of cells: none was found.
typedef struct Search {
  const TetMesh *mesh;
  atomic_int first_bad;
} Search;

// Smallest and largest valid volume of a cell. Beyond them, products of volumes could overflow or underflow a double.
static const double LEAST = 1e-90, MAX = 1e90;  // m^3

static void search_volumes(const void *search, int first, int last) {
  Search *s = *(Search *const *)search;
  for (int e = first; e < last; e++) {
    const double volume = mesh_tet_volume(s->mesh, e);
    int least = atomic_load_explicit(&s->first_bad, memory_order_relaxed);
    if (volume >= LEAST && volume <= MAX) continue;
    while (e < least && !atomic_compare_exchange_weak(&s->first_bad, &least, e)) continue;
    return;
  }
}

bool scene_check_volumes(const char *name, double scale, const TetMesh *mesh, Error *error) {
  enum { CHUNK = 8192 };
  Search search = { mesh, mesh->tet_count };
  parallel_for(mesh->tet_count, CHUNK, search_volumes, &(Search *){ &search });
  if (search.first_bad == mesh->tet_count) return true;
  const char *cell = mesh->hex ? "hex" : "tet";
  const double *X = mesh->X[mesh_cell_node(mesh, search.first_bad, 0)];
  const double away = fmax(fabs(X[0]), fmax(fabs(X[1]), fabs(X[2]))), step = away * DBL_EPSILON;
  const double volume = mesh_tet_volume(mesh, search.first_bad);

  // All volumes are positive when a mesh is read. If one is not positive here, the cell is so far from the origin that
  // the rounding of its coordinates has destroyed its shape.
  if (!(volume > 0) && step * step * step > LEAST)
    return error_set(
        error,
        "%s: a %s %g m from the origin has a volume of %g m^3, because positions there are rounded to %.2g m; use a "
        "\"place\" or \"at\" nearer to the origin",
        name, cell, away, volume, step);
  return error_set(error,
                   "%s: with scale %g a %s has a volume of %g m^3, expected %g to %g m^3; change the scale or the size",
                   name, scale, cell, volume, LEAST, MAX);
}

bool region_check_set(const Region *region, const TetMesh *mesh, const char *location, Error *error) {
  char known[400] = "", text[96];
  const MeshSets *sets = mesh->sets;
  if (!region->set[0] || mesh_sets_find(sets, region->set, (int)strlen(region->set))) return true;
  if (!sets || sets->count == 0)
    return error_set(error, "%s: \"set\" is \"%s\", but the mesh has no named sets (.msh and .inp files can have them)",
                     location, region->set);
  Meant meant = meant_by(region->set);
  for (int k = 0; k < sets->count; k++) {
    const size_t length = strlen(known);
    meant_offer(&meant, sets->set[k].name);
    if (length + 4 < sizeof known)
      snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "", sets->set[k].name);
  }
  return error_set(error, "%s: no set of the mesh has the name \"%s\"%s; there are: %s", location, region->set,
                   meant_text(&meant, text), known);
}

static bool check_entry(const Scene *scene, const Region *region, const TetMesh *mesh, const char *list, int entry,
                        Error *error) {
  char location[SCENE_PATH_LENGTH + 64];
  snprintf(location, sizeof location, "%s: %s entry %d", scene->path, list, entry + 1);
  return region_check_set(region, mesh, location, error);
}

bool scene_check_sets(const Scene *scene, const TetMesh *mesh, Error *error) {
  ListedPin listed;
  for (int k = 0; scene_pin(scene, k, &listed); k++)
    if (!check_entry(scene, &listed.pin.region, mesh, listed.list, listed.entry, error)) return false;
  for (int k = 0; k < scene->force_count; k++)
    if (!check_entry(scene, &scene->forces[k].region, mesh, "forces", k, error)) return false;
  for (int k = 0; k < scene->drag_count; k++)
    if (!check_entry(scene, &scene->drags[k].region, mesh, "drags", k, error)) return false;
  for (int k = 0; k < scene->material_count; k++) {
    const Region *region = &scene->materials[k].region;
    if (!check_entry(scene, region, mesh, "materials", k, error)) return false;
    const MeshSet *set = mesh_sets_find(mesh->sets, region->set, (int)strlen(region->set));
    if (set && set->cell_count == 0)
      return error_set(error, "%s: materials entry %d: the set \"%s\" has no cells; name a set of tets or hexes",
                       scene->path, k + 1, set->name);
  }
  return true;
}
