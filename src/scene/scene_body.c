// Reads or makes the mesh of a scene's body: see scene_body.h.
#include "scene/scene_body.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "mesh/join.h"
#include "mesh/quadratic.h"
#include "mesh/shapes.h"
#include "scene/given_mesh.h"
#include "scene/scene_bodies.h"
#include "scene/scene_fields.h"
#include "scene/scene_geometry.h"

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

static bool grade_parts(const Scene *scene, TetMesh *mesh, const double *of_bodies, Error *error) {
  for (int k = 0; k < scene->material_count; k++) {
    const SceneMaterial *material = &scene->materials[k];
    const RegionPosition position = region_position(scene, &material->region, mesh);
    int count = 0;
    for (int e = 0; e < mesh->tet_count && !interrupt_requested(); e++) {
      if (!region_holds_tet(&material->region, &position, mesh, e)) continue;
      mesh->stiffness[e] = of_bodies ? of_bodies[e] * material->stiffness : material->stiffness;
      count++;
    }
    if (!interrupt_check(error)) return false;
    if (count == 0)
      return error_set(error, "%s: materials entry %d selects no %s of the mesh; change its \"region\"", scene->path,
                       k + 1, mesh->hex ? "hex" : "tet");
  }
  return true;
}

static bool grade(const Scene *scene, TetMesh *mesh, Error *error) {
  if (!scene->material_count) return true;
  // The stiffness factor of a cell is the product of two factors: the factor of its body, and the factor of the last
  // material region that contains the cell.
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
                                 : scene_mesh_read(scene, scene->mesh, degree, &made, error);
  if (scene->shape_count) ok = ok && mesh_raise(&made, degree, error);
  if (ok) mesh_scale(&made, scene->scale);
  ok = ok && scene_check_volumes(scene->path, scene->scale, &made, error);
  ok = ok && scene_check_sets(scene, &made, error);
  ok = ok && grade(scene, &made, error);
  ok = ok && scene_stiffness_field(scene, &made, error);
  if (ok)
    *mesh = made;
  else
    mesh_destroy(&made);
  return ok;
}

uint32_t scene_mesh_sum(const TetMesh *mesh) {
  uLong sum = crc32_z(0, (const Bytef *)mesh->X, sizeof *mesh->X * (size_t)mesh->node_count);
  if (mesh->tet) sum = crc32_z(sum, (const Bytef *)mesh->tet, sizeof *mesh->tet * (size_t)mesh->tet_count);
  if (mesh->hex) sum = crc32_z(sum, (const Bytef *)mesh->hex, sizeof *mesh->hex * (size_t)mesh->tet_count);
  if (mesh->middle) sum = crc32_z(sum, (const Bytef *)mesh->middle, sizeof *mesh->middle * (size_t)mesh->tet_count);
  if (mesh->outer) sum = crc32_z(sum, (const Bytef *)mesh->outer, sizeof *mesh->outer * (size_t)mesh->tet_count);
  return (uint32_t)sum;
}

uint32_t scene_body_sum(const TetMesh *mesh) {
  uLong sum = scene_mesh_sum(mesh);
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
    x[a][j] -= middle[0];
    x[a][k] -= middle[1];
    turn_about_axis(x[a], axis, scene->twist * (x[a][axis] - low[axis]) / length);
    x[a][j] += middle[0];
    x[a][k] += middle[1];
  }
}
