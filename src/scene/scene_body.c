// The body of a scene: see scene_body.h.
#include "scene/scene_body.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "mesh/join.h"
#include "mesh/quadratic.h"
#include "mesh/shapes.h"
#include "scene/scene_bodies.h"

// whether a node belongs to the body that a region asks for, if any
static bool of_body(const TetMesh *mesh, int node, int body) {
  return body < 0 || mesh_body(mesh, node) == body;
}

RegionPlace region_place(const Scene *scene, const Region *region, const TetMesh *mesh) {
  RegionPlace place = { .body = region_body(scene, region) };
  memcpy(place.centre, region->centre, sizeof place.centre);
  if (!region->centre_extreme) return place;
  const int axis = abs(region->centre_extreme) - 1, sign = region->centre_extreme > 0 ? 1 : -1;
  int best = -1;
  for (int a = 0; a < mesh->node_count; a++)
    if (of_body(mesh, a, place.body) && (best < 0 || sign * mesh->X[a][axis] > sign * mesh->X[best][axis])) best = a;
  if (best >= 0) memcpy(place.centre, mesh->X[best], sizeof place.centre);
  return place;
}

bool region_holds(const Region *region, const RegionPlace *place, const TetMesh *mesh, int node,
                  const double point[3]) {
  const double *centre = place->centre;
  double distance2 = 0;
  if (!of_body(mesh, node, place->body)) return false;
  for (int i = 0; i < 3; i++) {
    if (!(point[i] > region->low[i] && point[i] < region->high[i])) return false;
    distance2 += (point[i] - centre[i]) * (point[i] - centre[i]);
  }
  return !region->has_ball || distance2 < region->radius * region->radius;
}

bool region_holds_tet(const Region *region, const RegionPlace *place, const TetMesh *mesh, int e) {
  const int corners = mesh_corners(mesh);
  double middle[3] = { 0 };
  for (int a = 0; a < corners; a++)
    for (int i = 0; i < 3; i++) middle[i] += mesh->X[mesh_cell_node(mesh, e, a)][i] / corners;
  return region_holds(region, place, mesh, mesh_cell_node(mesh, e, 0), middle);
}

// turns p about one axis
static void turn(double p[3], int axis, double radians) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  const double a = p[j], b = p[k], c = cos(radians), s = sin(radians);
  p[j] = c * a - s * b, p[k] = s * a + c * b;
}

void scene_turn(double point[3], const double degrees[3]) {
  for (int i = 0; i < 3; i++)
    if (degrees[i] != 0) turn(point, i, degrees[i] * acos(-1.0) / 180);
}

static bool make_shapes(const Scene *scene, TetMesh *mesh, Error *error) {
  for (int k = 0; k < scene->shape_count; k++) {
    const SceneShape *shape = &scene->shapes[k];
    TetMesh one = { 0 };
    if (!mesh_make_shape(shape->kind, shape->size, shape->cells, &one, error))
      return error_prefix(error, "%s: shapes entry %d", scene->path, k + 1);
    for (int a = 0; a < one.node_count && !interrupt_requested(); a++) scene_turn(one.X[a], shape->turn);
    for (int a = 0; a < one.node_count; a++)
      for (int i = 0; i < 3; i++) one.X[a][i] += shape->at[i];
    const bool ok = interrupt_check(error) && mesh_join(mesh, &one, error);
    mesh_destroy(&one);
    if (!ok) return error_about(error, scene->path);
  }
  return true;
}

// What finds the first tet whose volume is beyond bounds.
typedef struct Search {
  const TetMesh *mesh;
  atomic_int first_bad;
} Search;

// with volumes beyond these, products of them leave the range of doubles
static const double LEAST = 1e-90, MOST = 1e90;  // m^3

static void search_volumes(const void *search, int first, int last) {
  Search *s = *(Search *const *)search;
  for (int e = first; e < last; e++) {
    const double volume = mesh_tet_volume(s->mesh, e);
    int least = atomic_load_explicit(&s->first_bad, memory_order_relaxed);
    if (volume >= LEAST && volume <= MOST) continue;
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
  // the mesh itself was read with volumes: rounding has taken them
  if (!(volume > 0) && step * step * step > LEAST)
    return error_set(error,
                     "%s: a %s %g m from the origin has a volume of %g m^3: numbers there are %.2g m apart; take a "
                     "\"place\" or \"at\" nearer to the origin",
                     name, cell, away, volume, step);
  return error_set(error, "%s: with scale %g a %s has a volume of %g m^3; expected %g to %g", name, scale, cell, volume,
                   LEAST, MOST);
}

static bool grade_parts(const Scene *scene, TetMesh *mesh, const double *of_bodies, Error *error) {
  for (int k = 0; k < scene->material_count; k++) {
    const SceneMaterial *material = &scene->materials[k];
    const RegionPlace place = region_place(scene, &material->region, mesh);
    int count = 0;
    for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
      if (!region_holds_tet(&material->region, &place, mesh, e)) continue;
      mesh->stiffness[e] = of_bodies ? of_bodies[e] * material->stiffness : material->stiffness;
      count++;
    }
    if (!interrupt_check(error)) return false;
    if (count == 0)
      return error_set(error, "%s: materials entry %d selects no %s of the mesh", scene->path, k + 1,
                       mesh->hex ? "hex" : "tet");
  }
  return true;
}

static bool grade(const Scene *scene, TetMesh *mesh, Error *error) {
  if (!scene->material_count) return true;
  // factors of parts on those of bodies
  double *of_bodies = mesh->stiffness;
  mesh->stiffness = array_new(mesh->tet_count, sizeof *mesh->stiffness, "tets", error);
  for (int e = 0; mesh->stiffness && e < mesh->tet_count; e++) mesh->stiffness[e] = of_bodies ? of_bodies[e] : 1;
  const bool ok = mesh->stiffness && grade_parts(scene, mesh, of_bodies, error);
  free(of_bodies);
  return ok;
}

bool scene_body(const Scene *scene, TetMesh *mesh, Error *error) {
  TetMesh made = { 0 };
  const int degree = scene->simulation.degree;
  bool ok = scene->body_count    ? scene_bodies_make(scene, &made, error)
            : scene->shape_count ? make_shapes(scene, &made, error)
                                 : mesh_read(scene->mesh, degree, &made, error);
  if (scene->shape_count) ok = ok && mesh_raise(&made, degree, error);
  if (ok) mesh_scale(&made, scene->scale);
  ok = ok && scene_check_volumes(scene->path, scene->scale, &made, error) && grade(scene, &made, error);
  if (ok)
    *mesh = made;
  else
    mesh_destroy(&made);
  return ok;
}

uint32_t scene_body_sum(const TetMesh *mesh) {
  uLong sum = crc32_z(0, (const Bytef *)mesh->X, sizeof *mesh->X * (size_t)mesh->node_count);
  if (mesh->tet) sum = crc32_z(sum, (const Bytef *)mesh->tet, sizeof *mesh->tet * (size_t)mesh->tet_count);
  if (mesh->hex) sum = crc32_z(sum, (const Bytef *)mesh->hex, sizeof *mesh->hex * (size_t)mesh->tet_count);
  if (mesh->middle) sum = crc32_z(sum, (const Bytef *)mesh->middle, sizeof *mesh->middle * (size_t)mesh->tet_count);
  if (mesh->outer) sum = crc32_z(sum, (const Bytef *)mesh->outer, sizeof *mesh->outer * (size_t)mesh->tet_count);
  if (mesh->stiffness)
    sum = crc32_z(sum, (const Bytef *)mesh->stiffness, sizeof *mesh->stiffness * (size_t)mesh->tet_count);
  if (mesh->ratio) sum = crc32_z(sum, (const Bytef *)mesh->ratio, sizeof *mesh->ratio * (size_t)mesh->tet_count);
  if (mesh->density) sum = crc32_z(sum, (const Bytef *)mesh->density, sizeof *mesh->density * (size_t)mesh->tet_count);
  if (mesh->damping) sum = crc32_z(sum, (const Bytef *)mesh->damping, sizeof *mesh->damping * (size_t)mesh->node_count);
  return (uint32_t)sum;
}

void scene_start(const Scene *scene, const TetMesh *mesh, double (*x)[3]) {
  const int axis = scene->twist_axis, j = (axis + 1) % 3, k = (axis + 2) % 3;
  double low[3], high[3];
  mesh_bounds(mesh, low, high);
  const double length = high[axis] - low[axis], middle[2] = { (low[j] + high[j]) / 2, (low[k] + high[k]) / 2 };
  for (int a = 0; a < mesh->node_count; a++) {
    memcpy(x[a], mesh->X[a], sizeof *x);
    if (scene->twist == 0 || !(length > 0)) continue;
    x[a][j] -= middle[0], x[a][k] -= middle[1];
    turn(x[a], axis, scene->twist * (x[a][axis] - low[axis]) / length);
    x[a][j] += middle[0], x[a][k] += middle[1];
  }
}
