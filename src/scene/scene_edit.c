// Edits a scene as a JSON document: see scene_edit.h.
#include "scene/scene_edit.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "mesh/shapes.h"
#include "scene/edit_values.h"
#include "scene/entry_rows.h"
#include "scene/json_file.h"
#include "scene/scene_bodies.h"
#include "scene/scene_obstacles.h"
#include "scene/scene_parts.h"
#include "scene/scene_transform.h"

// The lists in a scene, whose elements the user can add, change and remove. key: key of the list. word: word for an
// element in labels. region: key of an element whose value is the element's region; "": the element itself is a region;
// NULL: elements of the list have no region. first: number of the first element, 0 or 1, in labels and messages.
static const struct {
  const char *key, *word, *region;
  int first;
} lists[] = {
  { "bodies", "body", NULL, 0 },        { "shapes", "shape", NULL, 1 },
  { "obstacles", "obstacle", NULL, 1 }, { "pins", "pin", "", 1 },
  { "forces", "force", "region", 1 },   { "drags", "drag", "grab", 1 },
  { "cuts", "cut", NULL, 1 },           { "materials", "stiffer part", "region", 1 },
};
enum { LISTS = sizeof lists / sizeof *lists };

// Returns the object with the keys of an entry, or NULL.
static cJSON *object_of(const cJSON *document, const SceneEntry *entry) {
  const bool whole = !entry->list[0] || strcmp(entry->list, "mesh") == 0;
  return whole ? (cJSON *)document : edit_element(document, entry->list, entry->index);
}

// ---- bounding boxes of the bodies, and sizes of new entries

void scene_space(const Scene *scene, const TetMesh *mesh, SceneSpace *space) {
  mesh_bounds(mesh, space->low, space->high);
  space->body_count = scene->body_count;
  for (int k = 0; k < scene->body_count; k++)
    for (int i = 0; i < 3; i++) {
      space->body_low[k][i] = HUGE_VAL;
      space->body_high[k][i] = -HUGE_VAL;
    }
  for (int a = 0; scene->body_count && a < mesh->node_count; a++) {
    const int k = mesh_body(mesh, a);
    for (int i = 0; i < 3; i++) {
      space->body_low[k][i] = fmin(space->body_low[k][i], mesh->X[a][i]);
      space->body_high[k][i] = fmax(space->body_high[k][i], mesh->X[a][i]);
    }
  }
}

// Returns the edge length, m, of new bodies and obstacles: half of the longest edge of the scene's bounding box.
static double unit_of(const SceneSpace *space) {
  double longest = 0;
  for (int i = 0; i < 3; i++) longest = fmax(longest, space->high[i] - space->low[i]);
  return edit_rounded(longest / 2, 1);
}

static cJSON *vector(double x, double y, double z) {
  const double v[3] = { edit_rounded(x, 4), edit_rounded(y, 4), edit_rounded(z, 4) };
  return cJSON_CreateDoubleArray(v, 3);
}

// ---- functions that list the entries of a document, and the keys of an entry

static const char *text_at(const cJSON *object, const char *key) {
  const cJSON *item = edit_key(object, key);
  return cJSON_IsString(item) ? item->valuestring : NULL;
}

// Returns the words of a label that distinguish an entry: its name, kind or file, or the key of its force; NULL: none.
static const char *detail_of(const cJSON *entry) {
  static const char *const names[] = { "name", "kind" }, *const forces[] = { "total", "traction", "pressure" };
  for (int k = 0; k < 2; k++)
    if (text_at(entry, names[k])) return text_at(entry, names[k]);
  if (text_at(edit_key(entry, "shape"), "kind")) return text_at(edit_key(entry, "shape"), "kind");
  for (int k = 0; k < 3; k++)
    if (edit_key(entry, forces[k])) return forces[k];
  const char *mesh = text_at(entry, "mesh"), *slash = mesh ? strrchr(mesh, '/') : NULL;
  return slash ? slash + 1 : mesh;
}

int scene_edit_list(const cJSON *document, SceneEntry *entries) {
  int count = 0;
  entries[count++] = (SceneEntry){ .list = "", .label = "scene" };
  if (edit_key(document, "mesh")) {
    entries[count] = (SceneEntry){ .list = "mesh" };
    snprintf(entries[count++].label, sizeof entries->label, "mesh: %.50s", detail_of(document));
  }
  for (int l = 0; l < LISTS; l++) {
    int index = 0;
    const cJSON *list = edit_key(document, lists[l].key), *item;
    cJSON_ArrayForEach(item, list) {
      if (count == SCENE_ENTRIES_MAX) return count;
      const char *detail = detail_of(item);
      SceneEntry *e = &entries[count++];
      *e = (SceneEntry){ .list = lists[l].key, .index = index };
      snprintf(e->name, sizeof e->name, "%.39s", text_at(item, "name") ? text_at(item, "name") : "");
      snprintf(e->label, sizeof e->label, "%s %d%s%.40s", lists[l].word, lists[l].first + index, detail ? ": " : "",
               detail ? detail : "");
      index++;
    }
  }
  return count;
}

// Writes a value in the form in which users type it: a list of numbers as "0, 0, 1" without brackets, a string without
// quotes, any other value as JSON.
static void write_text(const cJSON *value, char text[SCENE_FIELD_TEXT]) {
  NUMBERS_WITH_POINT_HERE;
  text[0] = '\0';
  if (!value) return;
  if (cJSON_IsString(value)) {
    snprintf(text, SCENE_FIELD_TEXT, "%s", value->valuestring);
    return;
  }
  cJSON *copy = cJSON_Duplicate(value, true);
  if (copy) json_shorten(copy);
  char *json = copy ? cJSON_PrintUnformatted(copy) : NULL;
  const size_t length = json ? strlen(json) : 0;
  const bool list = json && cJSON_IsArray(value) && cJSON_GetArraySize(value) > 1 && !cJSON_IsArray(value->child) &&
                    !cJSON_IsObject(value->child);
  const bool fits = length < SCENE_FIELD_TEXT / 2;  // a space after each comma can nearly double the length
  size_t to = 0;
  for (size_t k = list; fits && k < length - list; k++) {
    text[to++] = json[k];
    if (list && json[k] == ',') text[to++] = ' ';
  }
  text[to] = '\0';
  if (!fits) snprintf(text, SCENE_FIELD_TEXT, "(too long for this field)");
  cJSON_free(json);
  cJSON_Delete(copy);
}

static void add_field(const cJSON *object, const char *inside, const char *key, const Option *row, SceneField *fields,
                      int *count) {
  if (*count == SCENE_FIELDS_MAX) return;
  SceneField *f = &fields[(*count)++];
  const cJSON *holder = inside[0] ? edit_key(object, inside) : object;
  snprintf(f->key, sizeof f->key, "%.19s%s%.19s", inside, inside[0] ? "." : "", key);
  write_text(edit_key(holder, key), f->text);
  f->row = row;
}

// Sets self_contact and friction_sticks of `defaults` to the values that a scene of this document has. It chooses them
// if it does not have these keys.
static void choose_defaults(const cJSON *document, Scene *defaults) {
  Error ignored = { 0 };
  Scene *scene = array_new(1, sizeof *scene, "the scene", &ignored);
  if (!scene) return;
  scene_defaults(scene);
  if (options_set_object(scene_options, scene, document, "scene", &ignored)) scene_choose_contact(scene);
  defaults->simulation.self_contact = scene->simulation.self_contact;
  defaults->simulation.friction_sticks = scene->simulation.friction_sticks;
  free(scene);
}

// Lists the keys of the scene that the panel does not show in one of its tabs, and that are neither lists nor files,
// except the picture of the surroundings. For a key that the document does not have, the default is listed.
static void list_scene_keys(const cJSON *document, SceneField *fields, int *count) {
  Error ignored = { 0 };
  Scene *defaults = array_new(1, sizeof *defaults, "the scene", &ignored);
  if (!defaults) return;
  scene_defaults(defaults);
  choose_defaults(document, defaults);
  for (const Option *o = scene_options; o->key; o++) {
    const bool file = o->type == OPTION_TEXT && o->applies != APPLIES_TO_VIEW;
    if (o->tab || o->type == OPTION_CUSTOM || file || o->applies == APPLIES_TO_STAGE) continue;
    if (strcmp(o->key, "scale") == 0) continue;  // is listed in the entry of the mesh
    add_field(document, "", o->key, o, fields, count);
    cJSON *usual = edit_key(document, o->key) ? NULL : option_json(o, defaults);
    if (usual) write_text(usual, fields[*count - 1].text);
    cJSON_Delete(usual);
  }
  free(defaults);
}

int scene_edit_fields(const cJSON *document, const SceneEntry *entry, SceneField *fields) {
  const cJSON *object = object_of(document, entry);
  const char *list = entry->list;
  int count = 0;
  if (!object) return 0;
  if (!list[0]) {
    list_scene_keys(document, fields, &count);
  } else if (strcmp(list, "mesh") == 0) {
    for (const Option *o = scene_options; o->key; o++)
      if (strcmp(o->key, "mesh") == 0 || strcmp(o->key, "scale") == 0)
        add_field(document, "", o->key, o, fields, &count);
  } else if (strcmp(list, "bodies") == 0) {
    for (const Option *o = body_options; o->key; o++) {
      const bool shape = strcmp(o->key, "shape") == 0;
      for (int k = 0; shape && body_shape_keys[k]; k++)
        add_field(object, "shape", body_shape_keys[k], entry_row("shapes", body_shape_keys[k]), fields, &count);
      if (!shape) add_field(object, "", o->key, o, fields, &count);
    }
  } else {
    const char *const *keys = entry_keys(list, object);
    for (int k = 0; keys[k]; k++) {
      const bool region = strcmp(keys[k], "region") == 0 || strcmp(keys[k], "grab") == 0;
      for (int j = 0; region && region_keys[j]; j++)
        add_field(object, keys[k], region_keys[j], entry_row(list, region_keys[j]), fields, &count);
      if (!region) add_field(object, "", keys[k], entry_row(list, keys[k]), fields, &count);
    }
  }
  return count;
}

// ---- functions that change a key of an entry

// Pairs of keys that are valid only together. If the user sets `key`, and the object has no key `other`, this key is
// added with the value `text`. If the user removes `key`, `other` is removed too.
static const struct {
  const char *key, *other, *text;
} pairs[] = { { "center", "radius", "0.1" }, { "radius", "center", "\"+z\"" } };

// Groups of keys; an entry can have only one key of each group.
static const char *const choices[][3] = { { "total", "traction", "pressure" },
                                          { "young", "stiffness", NULL },
                                          { "mesh", "shape", NULL } };

// Returns the JSON value of a text that the user has typed. A text with commas is read as a list. A text that is
// neither a number nor begins like JSON becomes a string. If the key needs another kind of value, the reader of scenes
// later refuses this string. Returns NULL with an error if the text begins like JSON, but is not valid JSON.
static cJSON *value_of(const char *text, const char *key, Error *error) {
  double number;
  const size_t length = strlen(text);
  const bool word = strcmp(text, "true") == 0 || strcmp(text, "false") == 0 || strcmp(text, "null") == 0;
  if (number_is(text, &number)) return cJSON_CreateNumber(number);
  if (strchr(text, ',') && !strchr("[{", text[0])) {
    char list[SCENE_FIELD_TEXT + 4];
    snprintf(list, sizeof list, "[%s]", text);
    cJSON *values = json_parse(list, length + 2, key, &(Error){ 0 });
    if (values) return values;
  }
  return word || strchr("[{\"", text[0]) ? json_parse(text, length, key, error) : cJSON_CreateString(text);
}

// Removes the keys of an object that exclude `key`: the other keys of its group in `choices`.
static void remove_excluded(cJSON *object, const char *key) {
  for (size_t r = 0; r < sizeof choices / sizeof *choices; r++) {
    bool found = false;
    for (int k = 0; k < 3 && choices[r][k]; k++) found = found || strcmp(choices[r][k], key) == 0;
    for (int k = 0; found && k < 3 && choices[r][k]; k++)
      if (strcmp(choices[r][k], key) != 0) cJSON_DeleteItemFromObjectCaseSensitive(object, choices[r][k]);
  }
}

// Must be called after `key` was set to `value`, or removed (`value` is NULL). If `key` is in a row of the table
// `pairs`, adds or removes the other key of this row.
static void follow_pair(cJSON *object, const char *key, const cJSON *value) {
  for (size_t r = 0; r < sizeof pairs / sizeof *pairs; r++) {
    if (strcmp(pairs[r].key, key) != 0) continue;
    if (!value) cJSON_DeleteItemFromObjectCaseSensitive(object, pairs[r].other);
    if (value && !edit_key(object, pairs[r].other)) json_put(object, pairs[r].other, cJSON_Parse(pairs[r].text));
  }
}

// Calls `apply` for the region of each entry of the lists that have regions. If `apply` returns false, removes the
// entry. Returns the number of removed entries.
static int for_regions(cJSON *document, bool (*apply)(cJSON *region, const void *context), const void *context) {
  int removed = 0;
  for (int l = 0; l < LISTS; l++) {
    cJSON *list = lists[l].region ? edit_key(document, lists[l].key) : NULL;
    for (cJSON *item = list ? list->child : NULL, *next; item; item = next) {
      cJSON *region = lists[l].region[0] ? edit_key(item, lists[l].region) : item;
      next = item->next;
      if (apply(region, context)) continue;
      cJSON_Delete(cJSON_DetachItemViaPointer(list, item));
      removed++;
    }
  }
  return removed;
}

// A body that gets another name. name: new one; NULL: it loses its name.
typedef struct Renamed {
  int index;
  const char *old, *name;
} Renamed;

// Adapts a region to another name of a body.
static bool follow_rename(cJSON *region, const void *context) {
  const Renamed *renamed = context;
  const char *body = text_at(region, "body");
  if (body && strcmp(body, renamed->old) == 0)
    edit_replace(region, "body",
                 renamed->name ? cJSON_CreateString(renamed->name) : cJSON_CreateNumber(renamed->index));
  return true;
}

bool scene_edit_set(cJSON *document, const SceneEntry *entry, const char *key, const char *text, Error *error) {
  cJSON *object = object_of(document, entry);
  const char *point = strchr(key, '.'), *last = point ? point + 1 : key;
  char inside[40], trimmed[SCENE_FIELD_TEXT];
  if (!object) return error_set(error, "this entry no longer exists; choose another one");
  snprintf(inside, sizeof inside, "%.*s", point ? (int)(point - key) : 0, key);
  while (isspace((unsigned char)*text)) text++;
  snprintf(trimmed, sizeof trimmed, "%s", text);
  for (size_t k = strlen(trimmed); k > 0 && isspace((unsigned char)trimmed[k - 1]); k--) trimmed[k - 1] = '\0';

  // the value is read first, so that an invalid text changes nothing
  cJSON *value = trimmed[0] ? value_of(trimmed, key, error) : NULL;
  if (trimmed[0] && !value) return false;
  if (point && !edit_key(object, inside)) json_put(object, inside, cJSON_CreateObject());
  cJSON *holder = point ? edit_key(object, inside) : object;
  char old[SCENE_FIELD_TEXT] = "";
  const bool renames = strcmp(entry->list, "bodies") == 0 && strcmp(key, "name") == 0;
  if (renames && text_at(object, "name")) snprintf(old, sizeof old, "%s", text_at(object, "name"));
  if (value)
    edit_replace(holder, last, value);
  else
    cJSON_DeleteItemFromObjectCaseSensitive(holder, last);

  if (old[0]) for_regions(document, follow_rename, &(Renamed){ entry->index, old, text_at(object, "name") });
  if (value) remove_excluded(object, point ? inside : last);
  if (strcmp(entry->list, "obstacles") != 0) follow_pair(holder, last, value);  // obstacles have no "center"
  if (point && !holder->child) cJSON_DeleteItemFromObjectCaseSensitive(object, inside);
  return json_is_whole(error);
}

// ---- functions that convert a mesh or shapes to entries of the list "bodies"

// Returns a shape, an entry of "shapes", as an entry of "bodies".
static cJSON *body_of_shape(const cJSON *shape, double scale) {
  static const char *const kept[] = { "kind", "size", "cells" };
  double at[3], turn[3];
  cJSON *body = cJSON_CreateObject(), *made = cJSON_CreateObject();
  for (int k = 0; k < 3; k++) json_put(made, kept[k], cJSON_Duplicate(edit_key(shape, kept[k]), true));
  if (text_at(shape, "name")) json_put(body, "name", cJSON_CreateString(text_at(shape, "name")));
  json_put(body, "shape", made);
  edit_read_vector(shape, "at", at);
  edit_read_vector(shape, "turn", turn);
  if (scale != 1) json_put(body, "scale", cJSON_CreateNumber(scale));
  if (turn[0] != 0 || turn[1] != 0 || turn[2] != 0) json_put(body, "turn", transform_turn_of(turn));
  for (int i = 0; i < 3; i++) at[i] *= scale;
  json_put(body, "place", cJSON_CreateDoubleArray(at, 3));
  return body;
}

static bool restrict_to_first(cJSON *region, const void *context) {
  (void)context;
  if (!edit_key(region, "body")) json_put(region, "body", cJSON_CreateNumber(0));
  return true;
}

// Replaces the scene's mesh or its shapes by entries of a list "bodies". If the scene had a mesh, regions of pins,
// forces and others are restricted to body 0, which has this mesh, so that they do not apply to bodies that are added
// later.
static void make_bodies(cJSON *document) {
  if (edit_key(document, "bodies")) return;
  cJSON *bodies = cJSON_CreateArray(), *shape;
  const double factor = edit_number(document, "scale", 1);
  cJSON_ArrayForEach(shape, edit_key(document, "shapes")) json_append(bodies, body_of_shape(shape, factor));
  cJSON_DeleteItemFromObjectCaseSensitive(document, "shapes");
  if (edit_key(document, "mesh")) {
    cJSON *body = cJSON_CreateObject(), *scale = cJSON_DetachItemFromObjectCaseSensitive(document, "scale");
    json_put(body, "mesh", cJSON_DetachItemFromObjectCaseSensitive(document, "mesh"));
    if (scale) json_put(body, "scale", scale);
    json_append(bodies, body);
    for_regions(document, restrict_to_first, NULL);
  }
  cJSON_DeleteItemFromObjectCaseSensitive(document, "scale");
  json_put(document, "bodies", bodies);
}

SceneEntry scene_edit_body_of_mesh(cJSON *document, const SceneEntry *entry) {
  if (strcmp(entry->list, "mesh") != 0) return *entry;
  SceneEntry body = *entry;
  make_bodies(document);
  body.list = "bodies";
  return body;
}

// ---- functions that make new entries

// Adds an entry at the end of a list.
static void append(cJSON *document, const char *key, cJSON *item, SceneEntry *added) {
  if (!edit_key(document, key)) json_put(document, key, cJSON_CreateArray());
  cJSON *list = edit_key(document, key);
  json_append(list, item);
  *added = (SceneEntry){ .list = key, .index = cJSON_GetArraySize(list) - 1 };
}

// Returns a region that contains the part of a body between two heights, which are the fractions `from` and `to` of the
// body's height. There is no lower bound if `from` is 0, and no upper bound if `to` is 1.
static cJSON *region_of(int body, const SceneSpace *space, double from, double to) {
  const bool several = body < space->body_count;
  const double low = several ? space->body_low[body][2] : space->low[2];
  const double high = several ? space->body_high[body][2] : space->high[2];
  cJSON *region = cJSON_CreateObject(), *bounds = cJSON_CreateArray();
  if (several) json_put(region, "body", cJSON_CreateNumber(body));
  const double fraction[2] = { from, to };
  for (int k = 0; k < 2; k++) {
    const double z = edit_rounded(low + fraction[k] * (high - low), 4);
    json_append(bounds, fraction[k] > 0 && fraction[k] < 1 ? cJSON_CreateNumber(z) : cJSON_CreateNull());
  }
  json_put(region, "z", bounds);
  return region;
}

static cJSON *new_pin(int body, const SceneSpace *space) {
  return region_of(body, space, 0, 0.1);
}

// Returns a new force, along x. Its magnitude suits the size of the scene: it would accelerate a cube of water with
// edges of the length unit_of(space) by 1 m/s^2.
static cJSON *new_force(int body, const SceneSpace *space) {
  cJSON *force = cJSON_CreateObject();
  const double unit = unit_of(space);
  json_put(force, "region", region_of(body, space, 0.9, 1));
  json_put(force, "total", vector(edit_rounded(1000 * unit * unit * unit, 1), 0, 0));
  return force;
}

static cJSON *new_drag(int body, const SceneSpace *space) {
  const double points[2][4] = { { 0, 0, 0, 0 }, { 1, edit_rounded(unit_of(space) / 2, 2), 0, 0 } };
  cJSON *drag = cJSON_CreateObject(), *path = cJSON_CreateArray();
  json_put(drag, "grab", region_of(body, space, 0.9, 1));
  for (int k = 0; k < 2; k++) json_append(path, cJSON_CreateDoubleArray(points[k], 4));
  json_put(drag, "path", path);
  return drag;
}

static cJSON *new_part(int body, const SceneSpace *space) {
  cJSON *part = cJSON_CreateObject();
  json_put(part, "region", region_of(body, space, 0.5, 1));
  json_put(part, "stiffness", cJSON_CreateNumber(10));
  return part;
}

static cJSON *new_cut(int body, const SceneSpace *space) {
  (void)body;
  cJSON *cut = cJSON_CreateObject();
  const double *a = space->low, *b = space->high;
  json_put(cut, "time", cJSON_CreateNumber(0.5));
  json_put(cut, "point", vector((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2));
  json_put(cut, "normal", vector(1, 0, 0));
  return cut;
}

// Returns a new obstacle, at smaller x than all bodies, so that it touches none. A plane is placed below all bodies.
static cJSON *new_obstacle(ObstacleKind kind, const SceneSpace *space) {
  const double unit = unit_of(space), x = space->low[0] - unit, y = (space->low[1] + space->high[1]) / 2;
  const double z = space->low[2] + unit / 2;
  cJSON *obstacle = cJSON_CreateObject();
  json_put(obstacle, "kind", cJSON_CreateString(obstacle_kinds[kind]));
  if (kind == OBSTACLE_CAPSULE) {
    json_put(obstacle, "from", vector(x, y - unit / 2, z));
    json_put(obstacle, "to", vector(x, y + unit / 2, z));
  } else {
    json_put(obstacle, "at", vector(x, y, kind == OBSTACLE_PLANE ? space->low[2] - unit / 4 : z));
  }
  if (kind == OBSTACLE_PLANE) json_put(obstacle, "normal", vector(0, 0, 1));
  if (kind == OBSTACLE_BOX) json_put(obstacle, "size", vector(unit, unit, unit));
  if (kind != OBSTACLE_PLANE && kind != OBSTACLE_BOX)
    json_put(obstacle, "radius", cJSON_CreateNumber(edit_rounded(unit / 4, 2)));
  return obstacle;
}

// Returns a new body, which is placed at larger x than all other bodies, so that it touches none. Its lowest point has
// the same height as the lowest point of the other bodies.
static cJSON *new_body(const char *shape, const SceneSpace *space) {
  const double unit = unit_of(space), *size = mesh_shape_size(shape);
  cJSON *body = cJSON_CreateObject(), *made = cJSON_CreateObject();
  json_put(made, "kind", cJSON_CreateString(shape));
  json_put(made, "size", vector(size[0] * unit, size[1] * unit, size[2] * unit));
  json_put(made, "cells", cJSON_CreateNumber(3));
  json_put(body, "shape", made);
  json_put(
      body, "place",
      vector(space->high[0] + 0.5 * unit + size[0] * unit / 2, (space->low[1] + space->high[1]) / 2, space->low[2]));
  return body;
}

// Kinds of entries that act on bodies. name: as the user reads it; list: list of the scene that contains such entries;
// make: returns a new entry for a body.
static const struct {
  const char *name, *list;
  cJSON *(*make)(int body, const SceneSpace *space);
} acts[] = { { "pin", "pins", new_pin },
             { "force", "forces", new_force },
             { "drag", "drags", new_drag },
             { "stiffer part", "materials", new_part },
             { "cut", "cuts", new_cut } };
enum { ACTS = sizeof acts / sizeof *acts };

// A kind of new entries: a body if `shape` is set, an entry that acts on bodies if `act` is not -1, otherwise an
// obstacle.
typedef struct Kind {
  const char *shape;
  ObstacleKind obstacle;
  int act;  // index in `acts`; -1: none
} Kind;

// Returns kind `index` of the list that scene_edit_kinds returns, and the name of this kind. The list has first the
// shapes, then the obstacles except those with a file, then the entries that act on bodies. Returns false if the list
// has fewer kinds.
static bool kind_at(int index, Kind *kind, char name[32]) {
  int k = 0;
  *kind = (Kind){ .act = -1 };
  for (; mesh_shape_name(k); k++)
    if (k == index) {
      kind->shape = mesh_shape_name(k);
      snprintf(name, 32, "%s", kind->shape);
      return true;
    }
  for (int o = 0; o < OBSTACLE_KINDS; o++) {
    if (o == OBSTACLE_MESH || k++ != index) continue;
    kind->obstacle = (ObstacleKind)o;
    snprintf(name, 32, "obstacle: %s", obstacle_kinds[o]);
    return true;
  }
  kind->act = index - k;
  if (kind->act >= ACTS) return false;
  snprintf(name, 32, "%s", acts[kind->act].name);
  return true;
}

const char *const *scene_edit_kinds(void) {
  static char names[SCENE_KINDS_MAX][32];
  static const char *list[SCENE_KINDS_MAX + 1];
  Kind kind;
  for (int k = 0; !list[k] && k < SCENE_KINDS_MAX && kind_at(k, &kind, names[k]); k++) list[k] = names[k];
  return list;
}

bool scene_edit_add(cJSON *document, int index, int body, const SceneSpace *space, SceneEntry *added, Error *error) {
  Kind kind;
  char name[32];
  if (!kind_at(index, &kind, name)) return error_set(error, "there is no kind %d of entries", index);
  if (kind.shape) {
    make_bodies(document);
    append(document, "bodies", new_body(kind.shape, space), added);
  } else if (kind.act >= 0) {
    append(document, acts[kind.act].list, acts[kind.act].make(body, space), added);
  } else {
    append(document, "obstacles", new_obstacle(kind.obstacle, space), added);
  }
  return json_is_whole(error);
}

bool scene_edit_add_mesh(cJSON *document, const char *path, const double *low, const double *high,
                         const SceneSpace *space, SceneEntry *added, Error *error) {
  cJSON *body = cJSON_CreateObject();
  const double gap = 0.1 * (high[0] - low[0] + space->high[0] - space->low[0]);
  make_bodies(document);
  json_put(body, "mesh", cJSON_CreateString(path));
  json_put(body, "place",
           vector(space->high[0] + gap - low[0], (space->low[1] + space->high[1] - low[1] - high[1]) / 2,
                  space->low[2] - low[2]));
  append(document, "bodies", body, added);
  return json_is_whole(error);
}

bool scene_edit_add_obstacle(cJSON *document, const char *path, const double *low, const double *high,
                             const SceneSpace *space, SceneEntry *added, Error *error) {
  cJSON *obstacle = cJSON_CreateObject();
  const double gap = 0.1 * (high[0] - low[0] + space->high[0] - space->low[0]);
  json_put(obstacle, "kind", cJSON_CreateString(obstacle_kinds[OBSTACLE_MESH]));
  json_put(obstacle, "mesh", cJSON_CreateString(path));
  // at smaller x than all bodies, so that it touches none
  json_put(obstacle, "at",
           vector(space->low[0] - gap - high[0], (space->low[1] + space->high[1] - low[1] - high[1]) / 2,
                  space->low[2] - low[2]));
  append(document, "obstacles", obstacle, added);
  return json_is_whole(error);
}

bool scene_edit_copy(cJSON *document, const SceneEntry *entry, const SceneSpace *space, SceneEntry *added,
                     Error *error) {
  if (!entry->list[0]) return error_set(error, "choose a body, an obstacle or another entry to duplicate it");
  const SceneEntry source = scene_edit_body_of_mesh(document, entry);
  const char *list = source.list;
  cJSON *copy = cJSON_Duplicate(edit_element(document, list, source.index), true);
  if (!copy) return error_set(error, "this entry no longer exists; choose another one");
  cJSON_DeleteItemFromObjectCaseSensitive(copy, "name");  // names are unique, so the copy gets none
  const double width = space->high[0] - space->low[0], gap = 0.25 * unit_of(space);
  const bool obstacle = strcmp(list, "obstacles") == 0;
  const Transform aside = { TRANSFORM_MOVE, .axis = 0, .amount = obstacle ? -1.25 * unit_of(space) : width + gap };
  append(document, list, copy, added);
  return scene_edit_can(document, added, TRANSFORM_MOVE) ? scene_edit_transform(document, added, &aside, error)
                                                         : json_is_whole(error);
}

// A body that is removed: its index and its name, NULL if it has none.
typedef struct Removed {
  int index;
  const char *name;
} Removed;

// Adapts a region to the removal of a body. Returns false if the region names the removed body: the region is then to
// be removed too. If the region has the number of a later body, subtracts 1 from this number.
static bool follow_removal(cJSON *region, const void *context) {
  const Removed *removed = context;
  cJSON *body = edit_key(region, "body");
  if (cJSON_IsString(body)) return !removed->name || strcmp(body->valuestring, removed->name) != 0;
  if (!cJSON_IsNumber(body) || body->valueint < removed->index) return true;
  if (body->valueint == removed->index) return false;
  cJSON_SetNumberValue(body, body->valueint - 1);
  return true;
}

bool scene_edit_remove(cJSON *document, const SceneEntry *entry, int *more, Error *error) {
  *more = 0;
  cJSON *list = edit_key(document, entry->list), *item = edit_element(document, entry->list, entry->index);
  const bool body = strcmp(entry->list, "bodies") == 0 || strcmp(entry->list, "shapes") == 0;
  const bool mesh = strcmp(entry->list, "mesh") == 0;
  if (mesh || (body && cJSON_GetArraySize(list) == 1))
    return error_set(error, "a scene needs a body; add another one before you delete this one");
  if (!item) return error_set(error, "choose a body, an obstacle or another entry to delete it");
  if (strcmp(entry->list, "bodies") == 0) {
    const Removed removed = { entry->index, text_at(item, "name") };
    *more = for_regions(document, follow_removal, &removed);
  }
  cJSON_Delete(cJSON_DetachItemViaPointer(list, item));
  for (int l = 0; l < LISTS; l++) {
    const cJSON *rest = edit_key(document, lists[l].key);
    if (rest && !rest->child) cJSON_DeleteItemFromObjectCaseSensitive(document, lists[l].key);
  }
  return json_is_whole(error);
}

// ---- functions that convert a document to text, and read a scene from this text

char *scene_edit_text(const cJSON *document, Error *error) {
  NUMBERS_WITH_POINT_HERE;
  cJSON *copy = cJSON_Duplicate(document, true);
  if (copy) json_shorten(copy);
  char *text = copy ? cJSON_Print(copy) : NULL;
  cJSON_Delete(copy);
  if (json_is_whole(error) && text) return text;
  cJSON_free(text);
  error_set(error, "out of memory: cannot store the scene; close other programs");
  return NULL;
}

bool scene_edit_read(Scene *scene, const char *text, const char *path, Error *error) {
  cJSON *document = json_parse(text, strlen(text), path, error);
  scene_defaults(scene);
  snprintf(scene->path, sizeof scene->path, "%s", path);
  const bool ok = document && scene_read_object(scene, document, error) && scene_check_mesh(scene, error);
  cJSON_Delete(document);
  return ok;
}

// Returns true if the value of a row may change while the body moves.
static bool is_free(const Option *row) {
  if (row->edit != EDIT_AS_APPLIES) return row->edit == EDIT_CONTINUES;
  return row->applies == APPLIES_LIVE || row->applies == APPLIES_AS_OTHERS || row->applies == APPLIES_ON_REBUILD ||
         row->applies == APPLIES_TO_STAGE || row->applies == APPLIES_TO_VIEW;
}

static bool same_value(const cJSON *before, const cJSON *after, const char *key) {
  const cJSON *a = edit_key(before, key), *b = edit_key(after, key);
  return (!a && !b) || (a && b && cJSON_Compare(a, b, true));
}

// Returns true if two objects differ only in keys that may change while the body moves. skipped: key that is not
// compared, or NULL.
static bool differ_freely(const cJSON *before, const cJSON *after, const Option *rows, const char *skipped) {
  for (const Option *row = rows; row->key; row++)
    if (!(skipped && strcmp(row->key, skipped) == 0) && !is_free(row) && !same_value(before, after, row->key))
      return false;
  return true;
}

// Returns a copy of a document in which no entry has a name, and regions have the numbers of bodies in place of names.
static cJSON *without_names(const cJSON *document) {
  cJSON *copy = cJSON_Duplicate(document, true);
  int index = 0;
  cJSON *body, *item;
  cJSON_ArrayForEach(body, edit_key(copy, "bodies")) {
    if (text_at(body, "name")) for_regions(copy, follow_rename, &(Renamed){ index, text_at(body, "name"), NULL });
    index++;
  }
  for (int l = 0; l < LISTS; l++)
    cJSON_ArrayForEach(item, edit_key(copy, lists[l].key)) cJSON_DeleteItemFromObjectCaseSensitive(item, "name");
  return copy;
}

bool scene_edit_continues(const cJSON *before, const cJSON *after) {
  cJSON *first = without_names(before), *second = without_names(after);
  const cJSON *a = edit_key(first, "bodies"), *b = edit_key(second, "bodies");
  const int count = cJSON_GetArraySize(a);
  bool same =
      first && second && differ_freely(first, second, scene_options, "bodies") && count == cJSON_GetArraySize(b);
  for (int k = 0; same && k < count; k++)
    same = differ_freely(cJSON_GetArrayItem(a, k), cJSON_GetArrayItem(b, k), body_options, NULL);
  cJSON_Delete(first);
  cJSON_Delete(second);
  return same;
}
