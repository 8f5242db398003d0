// Reads and writes meshes that users give as arrays in memory: see given_mesh.h.
#include "scene/given_mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "mesh/mesh_write.h"
#include "mesh/quadratic.h"
#include "scene/obstacle_surface.h"

bool given_mesh_is_named(const char *path) {
  return strncmp(path, GIVEN_MESH_PREFIX, strlen(GIVEN_MESH_PREFIX)) == 0;
}

static const GivenMesh *find(const Scene *scene, const char *path) {
  const GivenMeshes *meshes = scene->given_meshes;
  for (int k = 0; meshes && k < meshes->count; k++)
    if (strcmp(meshes->item[k]->path, path) == 0) return meshes->item[k];
  return NULL;
}

// Returns the mesh in memory with the name `path`: the surface of an obstacle if `surface`, otherwise the mesh of a
// body. Fails if there is none of this name, or if it is of the other kind.
static const GivenMesh *find_kind(const Scene *scene, const char *path, bool surface, Error *error) {
  const GivenMesh *found = find(scene, path);
  if (found && surface == (found->surface != NULL)) return found;
  error_set(error, "%s: %s", path,
            !found    ? "the scene has no mesh of this name in memory"
            : surface ? "is a mesh of a body; an obstacle needs triangles"
                      : "is a surface of triangles; a body needs tetrahedra or hexahedra");
  return NULL;
}

bool scene_mesh_check(const Scene *scene, const char *path, Error *error) {
  return given_mesh_is_named(path) ? find_kind(scene, path, false, error) != NULL : mesh_check_file(path, error);
}

bool scene_surface_check(const Scene *scene, const char *path, Error *error) {
  return given_mesh_is_named(path) ? find_kind(scene, path, true, error) != NULL : obstacle_surface_check(path, error);
}

bool scene_mesh_read(const Scene *scene, const char *path, int degree, TetMesh *mesh, Error *error) {
  if (!given_mesh_is_named(path)) return mesh_read(path, degree, mesh, error);
  const GivenMesh *given = find_kind(scene, path, false, error);
  if (!given) return false;
  const int own = mesh_degree(&given->mesh);
  if (own != degree && (own > 1 || given->mesh.hex))
    return error_set(
        error, "%s: the cells of this mesh have degree %d, but the scene has \"degree\": %d; set \"degree\" to %d",
        path, own, degree, own);
  TetMesh made = { 0 };
  const bool ok = mesh_copy(&given->mesh, &made, error) && (own == degree || mesh_raise(&made, degree, error));
  if (ok)
    *mesh = made;
  else
    mesh_destroy(&made);
  return ok;
}

bool scene_surface_read(const Scene *scene, const char *path, ObstacleSurface **surface, Error *error) {
  if (!given_mesh_is_named(path)) return obstacle_surface_read(path, surface, error);
  const GivenMesh *given = find_kind(scene, path, true, error);
  if (!given) return false;
  ObstacleSurface *made = array_new(1, sizeof *made, "an obstacle", error);
  if (!made) return false;
  *made = (ObstacleSurface){ .vertex_count = given->surface->vertex_count,
                             .triangle_count = given->surface->triangle_count };
  made->X = array_copy(given->surface->X, made->vertex_count, sizeof *made->X, "vertices", error);
  made->triangle =
      array_copy(given->surface->triangle, made->triangle_count, sizeof *made->triangle, "triangles", error);
  if (made->X && made->triangle) {
    *surface = made;
    return true;
  }
  obstacle_surface_destroy(made);
  return false;
}

// Writes a surface as .obj file. Numbers have 17 digits, which keep every bit.
static bool write_surface(const char *path, const ObstacleSurface *surface, Error *error) {
  AtomicFile file = { 0 };
  if (!atomic_file_open(&file, path, error)) return false;
  for (int a = 0; a < surface->vertex_count; a++)
    fprintf(file.stream, "v %.17g %.17g %.17g\n", surface->X[a][0], surface->X[a][1], surface->X[a][2]);
  for (int t = 0; t < surface->triangle_count; t++)
    fprintf(file.stream, "f %d %d %d\n", surface->triangle[t][0] + 1, surface->triangle[t][1] + 1,
            surface->triangle[t][2] + 1);
  const bool ok = atomic_file_commit(&file, error);
  atomic_file_close(&file);
  return ok;
}

bool given_mesh_write(const Scene *scene, const char *path, char mesh[SCENE_PATH_LENGTH], Error *error) {
  char file[SCENE_PATH_LENGTH];
  const GivenMesh *given = find(scene, mesh);
  if (!given) return error_set(error, "%s: the scene has no mesh of this name in memory", mesh);
  int number = 0;
  while (scene->given_meshes->item[number] != given) number++;
  const int length = snprintf(file, sizeof file, "%.*s-mesh-%d.%s", (int)(strlen(path) - strlen(".json")), path, number,
                              given->surface ? "obj" : "vtu");
  if (length >= SCENE_PATH_LENGTH)
    return error_set(error, "%.100s...: the path of the mesh's file is too long; choose a shorter path", file);
  if (!(given->surface ? write_surface(file, given->surface, error) : mesh_write(file, &given->mesh, NULL, error)))
    return false;
  memcpy(mesh, file, (size_t)length + 1);
  return true;
}
