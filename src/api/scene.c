// Scenes of pliant.h. A scene is stored as a JSON object, so that it can be changed, copied and printed. Each change is
// checked against the table of keys.
#include "api/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/path.h"
#include "mesh/mesh_check.h"
#include "mesh/quadratic.h"
#include "scene/json_file.h"
#include "scene/obstacle_surface.h"
#include "scene/scene_parts.h"

enum { TEXT_MAX = 64 << 20 };  // maximum number of bytes of a JSON text

static void drop_mesh(const GivenMesh *given) {
  SharedMesh *shared = (SharedMesh *)given;
  if (!shared || atomic_fetch_sub(&shared->owners, 1) > 1) return;
  mesh_destroy(&shared->given.mesh);
  obstacle_surface_destroy(shared->given.surface);
  free(shared);
}

void pliant_scene_destroy(pliant_scene *scene) {
  if (!scene) return;
  for (int k = 0; k < scene->mesh_count; k++) drop_mesh(scene->mesh[k]);
  free(scene->mesh);
  cJSON_Delete(scene->object);
  free(scene);
}

// Creates a scene from a JSON object, which the scene then owns. Deletes the object on failure.
static pliant_scene *new_scene(cJSON *object, const char *path, Error *error) {
  if (!object && !error->message[0]) error_set(error, "out of memory: cannot store the scene; close other programs");
  if (object && strlen(path) >= SCENE_PATH_LENGTH) error_set(error, "%.100s...: the path is too long", path);
  pliant_scene *made = error->message[0] ? NULL : array_new(1, sizeof *made, "the scene", error);
  if (!made) {
    cJSON_Delete(object);
    return NULL;
  }
  snprintf(made->path, sizeof made->path, "%s", path);
  made->object = object;
  return made;
}

int pliant_scene_create(pliant_scene **scene) {
  API_CALL;
  if (api_need(scene, "scene")) return PLIANT_BAD_ARGUMENT;
  pliant_scene *made = new_scene(cJSON_CreateObject(), "scene", &error);
  if (made) *scene = made;
  return api_result(&error, PLIANT_BAD_ARGUMENT);
}

int pliant_scene_copy(pliant_scene **scene, const pliant_scene *from) {
  API_CALL;
  if (api_need(scene, "scene") || api_need(from, "from")) return PLIANT_BAD_ARGUMENT;
  pliant_scene *made = new_scene(cJSON_Duplicate(from->object, true), from->path, &error);
  if (made) made->mesh = array_new(from->mesh_count, sizeof *made->mesh, "meshes", &error);
  if (made && made->mesh) {
    made->mesh_only = from->mesh_only;
    made->mesh_count = from->mesh_count;
    for (int k = 0; k < from->mesh_count; k++) {
      made->mesh[k] = from->mesh[k];
      atomic_fetch_add(&((SharedMesh *)made->mesh[k])->owners, 1);
    }
    *scene = made;
  } else {
    pliant_scene_destroy(made);
  }
  return api_result(&error, PLIANT_BAD_ARGUMENT);
}

int pliant_scene_listen(pliant_scene *scene, pliant_progress_function progress, pliant_log_function log, void *user) {
  if (api_need(scene, "scene")) return PLIANT_BAD_ARGUMENT;
  scene->listener = (Listener){ progress, log, user };
  return PLIANT_OK;
}

Scene *api_scene_read(const pliant_scene *scene, GivenMeshes *meshes, Error *error) {
  Scene *made = array_new(1, sizeof *made, "the scene", error);
  if (!made) return NULL;
  scene_defaults(made);
  memcpy(made->path, scene->path, sizeof made->path);
  *meshes = (GivenMeshes){ scene->mesh, scene->mesh_count };
  made->given_meshes = meshes;
  made->mesh_only = scene->mesh_only;
  if (scene_read_object(made, scene->object, error) && scene_check_mesh(made, error)) return made;
  free(made);
  return NULL;
}

// Fails unless each key of a JSON object is a key of a scene and has a valid value. path: name of the scene, for
// messages.
static bool check_keys(const char *path, const cJSON *object, Error *error) {
  Scene *scratch = array_new(1, sizeof *scratch, "the scene", error);
  if (!scratch) return false;
  scene_defaults(scratch);
  snprintf(scratch->path, sizeof scratch->path, "%s", path);
  const bool ok = options_set_object(scene_options, scratch, object, path, error);
  free(scratch);
  return ok;
}

// Fails unless `value` is valid for the scene key `key`.
static bool check_value(const pliant_scene *scene, const char *key, const cJSON *value, Error *error) {
  cJSON *object = cJSON_CreateObject();
  if (!object || !cJSON_AddItemReferenceToObject(object, key, (cJSON *)value)) {
    cJSON_Delete(object);
    return error_set(error, "out of memory: cannot store the scene; close other programs");
  }
  const bool ok = check_keys(scene->path, object, error);
  cJSON_Delete(object);
  return ok;
}

// Parses a JSON text, and returns its value, which the caller deletes. Messages about errors begin with `name`.
static cJSON *parse(const char *json, const char *name, Error *error) {
  const size_t length = strlen(json);
  if (length <= TEXT_MAX) return json_parse(json, length, name, error);
  error_set(error, "%s: is longer than %d bytes", name, TEXT_MAX);
  return NULL;
}

// Sets a key to a value. The scene takes ownership of the value; on failure the value is deleted.
static bool put(pliant_scene *scene, const char *key, cJSON *value, Error *error) {
  bool ok = check_value(scene, key, value, error);
  if (ok && cJSON_HasObjectItem(scene->object, key))
    ok = cJSON_ReplaceItemInObjectCaseSensitive(scene->object, key, value) ||
         error_set(error, "out of memory: cannot store key \"%s\"; close other programs", key);
  else if (ok)
    ok = cJSON_AddItemToObject(scene->object, key, value) ||
         error_set(error, "out of memory: cannot store key \"%s\"; close other programs", key);
  if (!ok) cJSON_Delete(value);
  return ok;
}

int pliant_scene_set(pliant_scene *scene, const char *key, const char *json) {
  API_CALL;
  if (api_need(scene, "scene") || api_need(key, "key") || api_need(json, "json")) return PLIANT_BAD_ARGUMENT;
  char name[80];
  snprintf(name, sizeof name, "key \"%.60s\"", key);
  cJSON *value = parse(json, name, &error);
  if (value) put(scene, key, value, &error);
  return api_result(&error, PLIANT_BAD_ARGUMENT);
}

// Returns a copy of the list under this key: empty if the scene does not have the key, and with one entry if the key
// has a single object instead of a list.
static cJSON *copy_list(const pliant_scene *scene, const char *key) {
  const cJSON *present = cJSON_GetObjectItemCaseSensitive(scene->object, key);
  if (cJSON_IsArray(present)) return cJSON_Duplicate(present, true);
  cJSON *list = cJSON_CreateArray();
  if (list && present) cJSON_AddItemToArray(list, cJSON_Duplicate(present, true));
  return list;
}

// Appends an entry to the list under this key and checks the list. If `number` is not NULL, *number receives the
// entry's index in the list. The scene takes ownership of the entry; on failure the entry is deleted.
static bool append(pliant_scene *scene, const char *key, cJSON *entry, int *number, Error *error) {
  cJSON *list = copy_list(scene, key);
  if (!list || !cJSON_AddItemToArray(list, entry)) {
    cJSON_Delete(list);
    cJSON_Delete(entry);
    return error_set(error, "out of memory: cannot store key \"%s\"; close other programs", key);
  }
  if (number) *number = cJSON_GetArraySize(list) - 1;
  return put(scene, key, list, error);
}

int pliant_scene_add(pliant_scene *scene, const char *list, const char *json_entry) {
  API_CALL;
  if (api_need(scene, "scene") || api_need(list, "list") || api_need(json_entry, "json_entry"))
    return PLIANT_BAD_ARGUMENT;
  static const char *const lists = "pins|forces|drags|obstacles|bodies|shapes|materials|cuts";
  if (choice_index(lists, list) < 0)
    return api_fail(PLIANT_BAD_ARGUMENT, "list is \"%s\", expected one of %s", list, lists);
  cJSON *entry = parse(json_entry, list, &error);
  if (entry && !cJSON_IsObject(entry)) {
    error_set(&error, "%s: the entry is %s, expected an object { ... }", list, json_kind(entry));
    cJSON_Delete(entry);
    entry = NULL;
  }
  if (entry) append(scene, list, entry, NULL, &error);
  return api_result(&error, PLIANT_BAD_ARGUMENT);
}

// Creates a scene from a JSON text. path: name of the scene in messages. Fails if a key is unknown or a value is
// invalid.
static pliant_scene *read_text(const char *text, size_t length, const char *path, Error *error) {
  cJSON *object = json_parse(text, length, path, error);
  if (!object) return NULL;
  pliant_scene *made = new_scene(object, path, error);
  if (made && check_keys(path, object, error)) return made;
  pliant_scene_destroy(made);
  return NULL;
}

int pliant_scene_parse(pliant_scene **scene, const char *json, const char *folder) {
  API_CALL;
  if (api_need(scene, "scene") || api_need(json, "json")) return PLIANT_BAD_ARGUMENT;
  char path[2 * SCENE_PATH_LENGTH];
  snprintf(path, sizeof path, "%s%sscene", folder ? folder : "", folder && folder[0] ? "/" : "");
  pliant_scene *made = read_text(json, strlen(json), path, &error);
  if (made) *scene = made;
  return api_result(&error, PLIANT_BAD_ARGUMENT);
}

// Creates a scene whose body is the mesh in the file `path`.
static pliant_scene *of_mesh_file(const char *path, Error *error) {
  cJSON *object = cJSON_CreateObject();
  const char *slash = strrchr(path, '/');
  if (object) cJSON_AddStringToObject(object, "mesh", slash ? slash + 1 : path);
  pliant_scene *made = new_scene(object, path, error);
  if (made) made->mesh_only = true;
  return made;
}

int pliant_scene_open(pliant_scene **scene, const char *path) {
  API_CALL;
  if (api_need(scene, "scene") || api_need(path, "path")) return PLIANT_BAD_ARGUMENT;
  pliant_scene *made = NULL;
  if (path_ends_with(path, ".json")) {
    size_t length;
    char *text = scene_read_text(path, &length, &error);
    if (text) made = read_text(text, length, path, &error);
    free(text);
  } else if (mesh_check_file(path, &error)) {
    made = of_mesh_file(path, &error);
  }
  if (made) *scene = made;
  return api_result(&error, PLIANT_BAD_FILE);
}

int pliant_scene_print(const pliant_scene *scene, char *json, size_t capacity, size_t *needed) {
  API_ENTER;
  if (api_need(scene, "scene")) return PLIANT_BAD_ARGUMENT;
  char *text = cJSON_Print(scene->object);
  if (!text)
    return api_fail(PLIANT_NO_MEMORY, "out of memory: cannot store the text of the scene; close other programs");
  const int status = api_give(text, strlen(text) + 1, json, capacity, needed, "the text of the scene");
  cJSON_free(text);
  return status;
}

static int nodes_of(pliant_cell kind) {
  return kind == PLIANT_TET4 ? 4 : kind == PLIANT_TET10 ? 10 : kind == PLIANT_HEX8 ? 8 : 3;
}

// Copies the caller's cells to the arrays of a mesh. The caller's cells have their nodes in VTK's order; the copies
// have the engine's order.
static bool copy_cells(TetMesh *mesh, pliant_cell kind, const int32_t *cell, Error *error) {
  int order[CELL_NODES_MAX];
  const int count = nodes_of(kind);
  const int64_t cells = mesh->tet_count;
  if (kind == PLIANT_HEX8) {
    if (!(mesh->hex = array_new(cells, sizeof *mesh->hex, "cells", error))) return false;
  } else {
    if (!(mesh->tet = array_new(cells, sizeof *mesh->tet, "cells", error))) return false;
    if (kind == PLIANT_TET10 && !(mesh->middle = array_new(cells, sizeof *mesh->middle, "cells", error))) return false;
  }
  cell_shape_file_order(mesh_shape(mesh), CELL_FILE_VTK, order);
  for (int e = 0; e < cells; e++)
    for (int a = 0; a < count; a++) *mesh_cell_entry(mesh, e, order[a]) = cell[(int64_t)e * count + a];
  return true;
}

static bool make_body(TetMesh *mesh, pliant_cell kind, int64_t nodes, const double *x, int64_t cells,
                      const int32_t *cell, Error *error) {
  const int64_t cells_max = kind == PLIANT_HEX8 ? MESH_MAX_HEXES : MESH_MAX_TETS;
  if (nodes > MESH_MAX_NODES || cells > cells_max)
    return error_set(error, "the mesh has %lld nodes and %lld cells, expected at most %d nodes and %lld cells",
                     (long long)nodes, (long long)cells, MESH_MAX_NODES, (long long)cells_max);
  *mesh = (TetMesh){ .node_count = (int)nodes, .tet_count = (int)cells };
  mesh->X = array_copy(x, nodes, sizeof *mesh->X, "nodes", error);
  mesh->node_tag = array_new(nodes, sizeof *mesh->node_tag, "nodes", error);
  if (!mesh->X || !mesh->node_tag || !copy_cells(mesh, kind, cell, error)) return false;
  for (int a = 0; a < nodes; a++) mesh->node_tag[a] = a;
  if (!mesh_check(mesh, error) || (mesh->middle && !mesh_straighten(mesh, "the mesh", error))) return false;
  mesh_turn_inverted(mesh);
  return true;
}

static bool make_surface(ObstacleSurface *surface, int64_t nodes, const double *x, int64_t cells, const int32_t *cell,
                         Error *error) {
  if (nodes > MESH_MAX_NODES || cells > MESH_MAX_TETS)
    return error_set(error, "the obstacle's surface has too many nodes (%lld) or triangles (%lld); simplify it",
                     (long long)nodes, (long long)cells);
  for (int64_t k = 0; k < 3 * nodes; k++)
    if (!isfinite(x[k])) return error_set(error, "node %lld has a position that is not finite", (long long)(k / 3));
  for (int64_t k = 0; k < 3 * cells; k++)
    if (cell[k] < 0 || cell[k] >= nodes)
      return error_set(error, "triangle %lld has node %d, expected 0 to %lld", (long long)(k / 3), cell[k],
                       (long long)nodes - 1);
  *surface = (ObstacleSurface){ .vertex_count = (int)nodes, .triangle_count = (int)cells };
  surface->X = array_copy(x, nodes, sizeof *surface->X, "nodes", error);
  surface->triangle = array_copy(cell, cells, sizeof *surface->triangle, "triangles", error);
  return surface->X && surface->triangle;
}

// Creates the JSON entry of a mesh for the list "bodies" or "obstacles". The entry has the keys of the caller's JSON
// text `options`, and the key "mesh". A body also has the key "name" unless `name` is NULL. An obstacle (`surface` is
// true) has the key "kind" instead.
static cJSON *mesh_entry(const char *path, const char *name, bool surface, const char *options, Error *error) {
  cJSON *entry = options ? parse(options, "options", error) : cJSON_CreateObject();
  if (!entry) {
    if (!error->message[0]) error_set(error, "out of memory: cannot store the options of a mesh; close other programs");
    return NULL;
  }
  if (!cJSON_IsObject(entry) || cJSON_HasObjectItem(entry, "mesh") || cJSON_HasObjectItem(entry, "name")) {
    error_set(error, "options: expected an object { ... } without the keys \"mesh\" and \"name\", which the call sets");
    cJSON_Delete(entry);
    return NULL;
  }
  cJSON_AddStringToObject(entry, "mesh", path);
  if (surface) cJSON_AddStringToObject(entry, "kind", "mesh");
  if (!surface && name) cJSON_AddStringToObject(entry, "name", name);
  return entry;
}

static bool has_mesh(const pliant_scene *scene, const char *path) {
  for (int k = 0; k < scene->mesh_count; k++)
    if (strcmp(scene->mesh[k]->path, path) == 0) return true;
  return false;
}

// Adds a mesh to the scene, and adds the entry of this mesh to the list "bodies" or "obstacles". On failure the scene
// does not change, and the caller still owns the mesh.
static bool add_shared(pliant_scene *scene, SharedMesh *shared, cJSON *entry, bool surface, int *number, Error *error) {
  const GivenMesh **list = realloc(scene->mesh, sizeof *list * (size_t)(scene->mesh_count + 1));
  if (!list) {
    cJSON_Delete(entry);
    return error_set(error, "out of memory: cannot store the list of meshes; close other programs");
  }
  scene->mesh = list;
  const bool raises = shared->given.mesh.middle && !cJSON_HasObjectItem(scene->object, "degree");
  if (!append(scene, surface ? "obstacles" : "bodies", entry, number, error)) return false;
  if (raises) cJSON_AddNumberToObject(scene->object, "degree", 2);
  scene->mesh[scene->mesh_count++] = &shared->given;
  return true;
}

int pliant_scene_add_mesh(pliant_scene *scene, const char *name, pliant_cell kind, int64_t nodes, const double *x,
                          int64_t cells, const int32_t *cell, const char *options, int *number) {
  API_CALL;
  const bool surface = kind == PLIANT_TRIANGLE;
  if (api_need(scene, "scene") || api_need(x, "x") || api_need(cell, "cell")) return PLIANT_BAD_ARGUMENT;
  if ((int)kind < PLIANT_TET4 || kind > PLIANT_TRIANGLE)
    return api_fail(PLIANT_BAD_ARGUMENT, "kind is %d, expected a value of pliant_cell", (int)kind);
  if (nodes < 1 || cells < 1)
    return api_fail(PLIANT_BAD_ARGUMENT, "`nodes` is %lld and `cells` is %lld, expected 1 or more for both",
                    (long long)nodes, (long long)cells);
  SharedMesh *shared = array_new(1, sizeof *shared, "a mesh", &error);
  if (!shared) return api_result(&error, PLIANT_NO_MEMORY);
  atomic_init(&shared->owners, 1);
  const int length = name ? snprintf(shared->given.path, SCENE_PATH_LENGTH, GIVEN_MESH_PREFIX "%s", name)
                          : snprintf(shared->given.path, SCENE_PATH_LENGTH, GIVEN_MESH_PREFIX "%d", scene->mesh_count);
  bool ok = length < SCENE_PATH_LENGTH || error_set(&error, "name: the name of the mesh is too long");
  ok = ok && (!name || name_check(name, "name", &error));
  ok = ok && (!has_mesh(scene, shared->given.path) ||
              error_set(&error, "the scene already has a mesh \"%s\"; choose another name", name));
  if (surface) ok = ok && (shared->given.surface = array_new(1, sizeof(ObstacleSurface), "an obstacle", &error));
  ok = ok && (surface ? make_surface(shared->given.surface, nodes, x, cells, cell, &error)
                      : make_body(&shared->given.mesh, kind, nodes, x, cells, cell, &error));
  cJSON *entry = ok ? mesh_entry(shared->given.path, name, surface, options, &error) : NULL;
  if (!entry || !add_shared(scene, shared, entry, surface, number, &error)) drop_mesh(&shared->given);
  return api_result(&error, PLIANT_BAD_ARGUMENT);
}
