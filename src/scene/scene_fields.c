// Reads stiffness factors, initial displacements and initial velocities from files: see scene_fields.h.
#include "scene/scene_fields.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "mesh/mesh_field.h"
#include "scene/given_mesh.h"
#include "scene/json_file.h"
#include "scene/scene_parts.h"

// ---- the keys "stiffness_field" and "initial_fields"

static bool parse_text(const cJSON *object, const char *key, char *text, size_t size, const char *name, Error *error) {
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, key);
  if (!value) return true;
  if (!cJSON_IsString(value) || !value->valuestring[0] || strlen(value->valuestring) >= size)
    return error_set(error, "%s: \"%s\" must be a text of 1 to %zu characters", name, key, size - 1);
  memcpy(text, value->valuestring, strlen(value->valuestring) + 1);
  return true;
}

// Reads the key "stiffness_field": { "name": "stiffness", "file": "bone.vtu" }.
bool parse_stiffness_field(void *target, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "name", "file", NULL };
  Scene *s = target;
  s->stiffness_field[0] = s->stiffness_file[0] = 0;
  if (!parse_only_keys(value, keys, name, error)) return false;
  if (!cJSON_GetObjectItemCaseSensitive(value, "name"))
    return error_set(error, "%s: needs \"name\", the name of a field on cells in the file", name);
  return parse_text(value, "name", s->stiffness_field, sizeof s->stiffness_field, name, error) &&
         parse_text(value, "file", s->stiffness_file, sizeof s->stiffness_file, name, error);
}

// Reads the key "initial_fields": { "displacement": FIELD, "velocity": FIELD, "file": "frame_00010.vtu" }.
bool parse_initial_fields(void *target, const cJSON *value, const char *name, Error *error) {
  static const char *const keys[] = { "displacement", "velocity", "file", NULL };
  Scene *s = target;
  s->displacement_field[0] = s->velocity_field[0] = s->initial_file[0] = 0;
  if (!parse_only_keys(value, keys, name, error)) return false;
  if (!parse_text(value, "displacement", s->displacement_field, sizeof s->displacement_field, name, error))
    return false;
  if (!parse_text(value, "velocity", s->velocity_field, sizeof s->velocity_field, name, error)) return false;
  if (!parse_text(value, "file", s->initial_file, sizeof s->initial_file, name, error)) return false;
  return scene_has_initial_fields(s) ||
         error_set(error, "%s: needs \"displacement\" or \"velocity\", each the name of a field on nodes in the file",
                   name);
}

static void put_text(cJSON *object, const char *key, const char *text) {
  if (text[0]) json_put(object, key, cJSON_CreateString(text));
}

cJSON *print_stiffness_field(const void *target) {
  const Scene *s = target;
  cJSON *object = s->stiffness_field[0] ? cJSON_CreateObject() : NULL;
  if (object) {
    put_text(object, "name", s->stiffness_field);
    put_text(object, "file", s->stiffness_file);
  }
  return object;
}

cJSON *print_initial_fields(const void *target) {
  const Scene *s = target;
  cJSON *object = scene_has_initial_fields(s) ? cJSON_CreateObject() : NULL;
  if (!object) return NULL;
  put_text(object, "displacement", s->displacement_field);
  put_text(object, "velocity", s->velocity_field);
  put_text(object, "file", s->initial_file);
  return object;
}

// ---- reading the fields' values from files

// Returns the path of a field's file: `file` or, if that is empty, the scene's mesh file. Fails if there is neither.
static const char *file_of(const Scene *scene, const char *file, const char *key, Error *error) {
  if (file[0]) return file;
  if (scene->mesh[0] && !given_mesh_is_named(scene->mesh)) return scene->mesh;
  error_set(error, "%s: \"%s\" needs \"file\", because the scene has no mesh file", scene->path, key);
  return NULL;
}

// Returns true if cell e has the same corners in both meshes, in any order.
static bool same_cell(const TetMesh *a, const TetMesh *b, int e) {
  const int corners = mesh_corners(a);
  for (int c = 0; c < corners; c++) {
    bool found = false;
    for (int d = 0; d < corners; d++) found = found || mesh_cell_node(a, e, c) == mesh_cell_node(b, e, d);
    if (!found) return false;
  }
  return true;
}

// Fails unless the mesh in the file of a field (`file`, at `path`) has the same cells as the scene's mesh. The
// positions of its nodes may differ.
static bool check_cells(const char *path, const TetMesh *mesh, const TetMesh *file, Error *error) {
  if (mesh_shape(mesh) != mesh_shape(file) || mesh->node_count != file->node_count ||
      mesh->tet_count != file->tet_count)
    return error_set(error, "%s: has %d nodes and %d %s, but the scene's body has %d nodes and %d %s", path,
                     file->node_count, file->tet_count, mesh_cell_word(file), mesh->node_count, mesh->tet_count,
                     mesh_cell_word(mesh));
  for (int e = 0; e < mesh->tet_count; e++)
    if (!same_cell(mesh, file, e))
      return error_set(error, "%s: cell %d, counted from 0, has other nodes than the same cell of the scene's body",
                       path, e);
  return true;
}

// Reads the values of a field from a file, whose mesh must have the cells of `mesh`. Returns the values, which the
// caller frees, or NULL with an error.
static double *read_values(const Scene *scene, const char *path, const MeshField *field, const TetMesh *mesh,
                           Error *error) {
  TetMesh file = { 0 };
  double *values = NULL;
  if (!mesh_read_field(path, scene->simulation.degree, field, &file, &values, error)) return NULL;
  const bool same = check_cells(path, mesh, &file, error);
  mesh_destroy(&file);
  if (same) return values;
  free(values);
  return NULL;
}

bool scene_stiffness_field(const Scene *scene, TetMesh *mesh, Error *error) {
  const MeshField field = { scene->stiffness_field, true, 1 };
  if (!field.name[0]) return true;
  const char *path = file_of(scene, scene->stiffness_file, "stiffness_field", error);
  double *values = path ? read_values(scene, path, &field, mesh, error) : NULL;
  if (!values) return error_about(error, scene->path);

  bool ok = true;
  for (int e = 0; ok && e < mesh->tet_count; e++) {
    if (!(values[e] > 0))
      ok = error_set(
          error,
          "%s: the field \"%s\" is %g in cell %d, counted from 0, but a factor on the stiffness must be more than 0",
          path, field.name, values[e], e);
    values[e] *= mesh->stiffness ? mesh->stiffness[e] : 1;
  }
  if (!ok) {
    free(values);
    return false;
  }
  free(mesh->stiffness);
  mesh->stiffness = values;
  return true;
}

bool scene_initial_fields(const Scene *scene, const TetMesh *mesh, double (*u)[3], double (*v)[3], uint32_t *sum,
                          Error *error) {
  const char *path = file_of(scene, scene->initial_file, "initial_fields", error);
  for (int k = 0; path && k < 2; k++) {
    const MeshField field = { k ? scene->velocity_field : scene->displacement_field, false, 3 };
    if (!field.name[0]) continue;
    double *values = read_values(scene, path, &field, mesh, error);
    if (!values) return false;
    const size_t bytes = sizeof *u * (size_t)mesh->node_count;
    memcpy(k ? v : u, values, bytes);
    *sum = (uint32_t)crc32_z(*sum, (const Bytef *)values, bytes);
    free(values);
  }
  return path && interrupt_check(error);
}
