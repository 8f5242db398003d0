// Tests edits of scenes as JSON documents. After each edit the document is a valid scene. A value that an input field
// shows gives the same scene when it is read back. A wrong value is refused with the name of its key.
#include "../testing.h"

#include <cjson/cJSON.h>
#include <dirent.h>

#include "base/array.h"
#include "mesh/shapes.h"
#include "scene/edit_values.h"
#include "scene/entry_box.h"
#include "scene/entry_nodes.h"
#include "scene/entry_rows.h"
#include "scene/json.h"
#include "scene/json_file.h"
#include "scene/scene_bodies.h"
#include "scene/scene_body.h"
#include "scene/scene_edit.h"
#include "scene/scene_save.h"
#include "scene/scene_transform.h"

static const char MESH[] =
    "{\"mesh\": \"meshes/octopus.msh.gz\", \"scale\": 2, \"pins\": [{\"z\": [null, 0.1]}],"
    " \"dt\": 0.016666666666666666}";
static const char SHAPES[] =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 2, 3], \"cells\": 2, \"at\": [1, 2, 3], \"turn\": [20, -50, 130]},"
    " {\"kind\": \"sphere\", \"size\": [1, 1, 1], \"cells\": 2, \"at\": [9, 0, 0], \"turn\": [0, 180, 0]}],"
    " \"scale\": 0.5, \"gravity\": [0, 0, -9.81]}";
static const char BODIES[] =
    "{\"bodies\": [{\"name\": \"a\", \"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}},"
    " {\"shape\": {\"kind\": \"torus\", \"size\": [1, 1, 0.3], \"cells\": 2}, \"place\": [3, 0, 0], \"young\": 2e4,"
    " \"pins\": [{\"z\": [null, 0.1]}, {\"z\": [0.2, null]}],"
    " \"turn\": {\"axis\": \"y\", \"degrees\": 30}}, {\"name\": \"c\", \"mesh\": \"meshes/octopus.msh.gz\"}],"
    " \"pins\": [{\"body\": \"a\", \"z\": [null, 0.1]}, {\"body\": 1, \"z\": [null, 0.1]}, {\"body\": 2, \"axes\": "
    "\"xz\"}],"
    " \"forces\": [{\"region\": {\"body\": \"c\", \"center\": \"+z\", \"radius\": 0.1}, \"total\": [1, \"sin(t)\", "
    "3]}],"
    " \"obstacles\": [{\"kind\": \"plane\", \"at\": [0, 0, -1], \"normal\": [0, 0, 1]}], \"self_contact\": true}";
static const char *const DOCUMENTS[] = { MESH, SHAPES, BODIES };
enum { DOCUMENT_COUNT = sizeof DOCUMENTS / sizeof *DOCUMENTS };

static cJSON *parsed(const char *text) {
  Error error = { 0 };
  cJSON *document = json_parse(text, strlen(text), "scene.json", &error);
  MUST(document);
  return document;
}

// Reads the scene of a document. Returns NULL with an error if the scene is refused.
static Scene *scene_of(const cJSON *document, Error *error) {
  Scene *scene = array_new(1, sizeof *scene, "a scene", error);
  char *text = scene_edit_text(document, error);
  assert_true(scene && text);
  const bool ok = scene_edit_read(scene, text, "scene.json", error);
  cJSON_free(text);
  if (ok) return scene;
  free(scene);
  return NULL;
}

static void space_of(const cJSON *document, SceneSpace *space) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Scene *scene = scene_of(document, &error);
  MUST(scene);
  MUST(scene_body(scene, &mesh, &error));
  scene_space(scene, &mesh, space);
  mesh_destroy(&mesh);
  free(scene);
}

static void documents_of_all_shipped_scenes_give_the_same_scene(void **state) {
  (void)state;
  char folder[SCENE_PATH_LENGTH];
  asset_path("scenes", folder);
  DIR *directory = opendir(folder);
  int count = 0, with_young = 0;
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (!strstr(entry->d_name, ".json")) continue;
    Error error = { 0 };
    char path[2 * SCENE_PATH_LENGTH];
    Scene *scene = array_new(1, sizeof *scene, "a scene", &error);
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    MUST(scene_read(scene, path, &error));
    char *text[2];
    for (int k = 0; k < 2; k++) {
      cJSON *document = scene_document(scene, path, &error);
      MUST(document);
      text[k] = scene_edit_text(document, &error);
      cJSON_Delete(document);
      MUST(scene_edit_read(scene, text[k], path, &error));
    }
    assert_string_equal(text[0], text[1]);  // all numbers have all digits
    with_young += strstr(text[0], "\"young\"") && !strstr(text[0], "\"mu\"");
    cJSON_free(text[0]);
    cJSON_free(text[1]);
    free(scene);
    count++;
  }

  closedir(directory);
  assert_true(count > 30);
  assert_true(with_young > 10);  // scenes with Young's modulus keep it; it is not replaced by mu
}

static void each_kind_can_be_added_and_copied(void **state) {
  (void)state;
  for (int d = 0; d < DOCUMENT_COUNT; d++)
    for (int kind = 0; scene_edit_kinds()[kind]; kind++) {
      Error error = { 0 };
      cJSON *document = parsed(DOCUMENTS[d]);
      SceneSpace space;
      SceneEntry added, entries[SCENE_ENTRIES_MAX];
      space_of(document, &space);
      MUST(scene_edit_add(document, kind, 0, &space, &added, &error));
      const int before = scene_edit_list(document, entries);
      MUST(scene_edit_copy(document, &added, &space, &added, &error));
      assert_int_equal(scene_edit_list(document, entries), before + 1);
      Scene *scene = scene_of(document, &error);
      if (!scene) fail_msg("%s: %s", scene_edit_kinds()[kind], error.message);
      free(scene);
      cJSON_Delete(document);
    }
}

static void bodies_stay_where_the_shapes_and_the_mesh_were(void **state) {
  (void)state;
  for (int d = 0; d < 2; d++) {
    Error error = { 0 };
    cJSON *document = parsed(DOCUMENTS[d]);
    SceneSpace space;
    SceneEntry added;
    TetMesh mesh[2] = { 0 };
    space_of(document, &space);
    for (int k = 0; k < 2; k++) {
      Scene *scene = scene_of(document, &error);
      MUST(scene);
      MUST(scene_body(scene, &mesh[k], &error));
      free(scene);
      if (k == 0) MUST(scene_edit_add(document, 0, 0, &space, &added, &error));
    }
    assert_true(mesh[1].node_count > mesh[0].node_count);
    for (int a = 0; a < mesh[0].node_count; a++)
      // positions may differ by rounding, since the list of bodies stores rotations in another form than the scene with
      // one mesh
      for (int i = 0; i < 3; i++) assert_true(fabs(mesh[0].X[a][i] - mesh[1].X[a][i]) < 1e-14 * 20);

    // The first document (d = 0) had only one mesh, so its pin named no body. It must now name body 0, so that it holds
    // no nodes of the new body.
    const cJSON *pin = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "pins"), 0);
    assert_true(d != 0 || cJSON_GetNumberValue(cJSON_GetObjectItem(pin, "body")) == 0);
    mesh_destroy(&mesh[0]);
    mesh_destroy(&mesh[1]);
    cJSON_Delete(document);
  }
}

static void shown_values_are_read_back_and_wrong_ones_are_refused(void **state) {
  (void)state;
  static SceneEntry entries[SCENE_ENTRIES_MAX];
  static SceneField fields[SCENE_FIELDS_MAX];
  int refused = 0;
  for (int d = 0; d < DOCUMENT_COUNT; d++) {
    cJSON *document = parsed(DOCUMENTS[d]);
    const int count = scene_edit_list(document, entries);
    for (int e = 0; e < count; e++)
      for (int k = 0; k < scene_edit_fields(document, &entries[e], fields); k++) {
        Error error = { 0 };
        const char *key = fields[k].key, *last = strrchr(key, '.');
        if (!fields[k].row || !fields[k].row->help) fail_msg("%s: %s has no help", entries[e].label, key);

        // An entry of a list does not change if a key is set to the value that is shown. Other entries may lack a key.
        // It is shown with its default, and setting it adds the key.
        cJSON *same = cJSON_Duplicate(document, true), *wrong = cJSON_Duplicate(document, true);
        MUST(scene_edit_set(same, &entries[e], key, fields[k].text, &error));
        if (entries[e].list[0]) assert_true(cJSON_Compare(document, same, true));
        Scene *scene = scene_of(same, &error);
        MUST(scene);
        free(scene);

        // No key accepts the value {"q": 1}. The message must name the key. If the key is part of an object, the
        // message may instead name this object, which then lacks another key.
        char object[40];
        snprintf(object, sizeof object, "%.*s", (int)strcspn(key, "."), key);
        MUST(scene_edit_set(wrong, &entries[e], key, "{\"q\": 1}", &error));
        scene = scene_of(wrong, &error);
        assert_null(scene);
        if (!strstr(error.message, last ? last + 1 : key) && !strstr(error.message, object))
          fail_msg("%s: %s", key, error.message);
        refused++;
        cJSON_Delete(same);
        cJSON_Delete(wrong);
      }
    cJSON_Delete(document);
  }
  assert_true(refused > 150);
}

// A list in the panel must have all words that are valid for a key, so that users can choose each of them.
static void lists_have_all_words(void **state) {
  (void)state;
  const Option *kind = entry_row("shapes", "kind"), *share = entry_row("forces", "share");
  int count = 0;
  for (; mesh_shape_name(count); count++) assert_int_equal(choice_index(kind->choices, mesh_shape_name(count)), count);
  assert_int_equal(choice_index(kind->choices, ""), -1);
  char word[32];
  choice_text(kind->choices, count, word, sizeof word);
  assert_string_equal(word, "");

  // a force may lack the key "share"
  assert_int_equal(choice_index(share->choices, ""), 0);
  assert_null(entry_row("obstacles", "kind")->choices);
  assert_null(entry_row("pins", "no such key"));
  assert_true(option_find(body_options, "color")->color);
}

// Edits of looks, materials, forces and obstacles continue a motion. Edits of meshes, pins, the initial state, the time
// step and self-contact do not.
static void some_edits_continue_the_motion(void **state) {
  (void)state;
  static const struct {
    SceneEntry entry;
    const char *key, *text;
    bool continues;
  } rows[] = { { { .list = "bodies" }, "color", "1, 0, 0", true },
               { { .list = "bodies", .index = 1 }, "roughness", "0.2", true },
               { { .list = "bodies", .index = 1 }, "transparency", "0.5", true },
               { { .list = "bodies", .index = 1 }, "young", "5e4", true },
               { { .list = "bodies", .index = 2 }, "stiffness", "3", true },
               { { .list = "bodies", .index = 2 }, "density", "300", true },
               { { .list = "bodies" }, "name", "cup", true },
               { { .list = "forces" }, "total", "1, 2, 3", true },
               { { .list = "forces" }, "region.radius", "0.3", true },
               { { .list = "obstacles" }, "at", "0, 0, -2", true },
               { { .list = "" }, "friction", "0.3", true },
               { { .list = "" }, "contact_distance", "0.01", true },
               { { .list = "bodies", .index = 1 }, "place", "4, 0, 0", false },
               { { .list = "bodies", .index = 1 }, "scale", "2", false },
               { { .list = "bodies" }, "shape.cells", "2", false },
               { { .list = "bodies" }, "velocity", "1, 0, 0", false },
               { { .list = "pins" }, "z", "null, 0.2", false },
               { { .list = "" }, "dt", "0.001", false },
               { { .list = "" }, "self_contact", "false", false } };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    Error error = { 0 };
    cJSON *before = parsed(BODIES), *after = parsed(BODIES);
    assert_true(scene_edit_continues(before, after));
    MUST(scene_edit_set(after, &rows[r].entry, rows[r].key, rows[r].text, &error));
    if (scene_edit_continues(before, after) != rows[r].continues ||
        scene_edit_continues(after, before) != rows[r].continues)
      fail_msg("%s of %s", rows[r].key, rows[r].entry.list);
    cJSON_Delete(before);
    cJSON_Delete(after);
  }

  // an added force continues the motion, an added body or pin does not
  Error error = { 0 };
  for (int kind = 0; scene_edit_kinds()[kind]; kind++) {
    cJSON *before = parsed(BODIES), *after = parsed(BODIES);
    SceneSpace space;
    SceneEntry added;
    space_of(before, &space);
    MUST(scene_edit_add(after, kind, 0, &space, &added, &error));
    const bool expected = strcmp(added.list, "forces") == 0 || strcmp(added.list, "materials") == 0 ||
                          strcmp(added.list, "obstacles") == 0;
    if (scene_edit_continues(before, after) != expected) fail_msg("added %s", scene_edit_kinds()[kind]);
    cJSON_Delete(before);
    cJSON_Delete(after);
  }
}

static void texts_become_values(void **state) {
  (void)state;
  static const struct {
    const char *key, *text, *json;  // json: the resulting value; NULL: the text is refused
    // not an array in JSON, which has no number .5, so the text is taken as a word
  } rows[] = { { "place", "1, -2,.5", NULL },
               { "place", " 1, -2, 0.5 ", "[1,-2,0.5]" },
               { "scale", ".5", "0.5" },
               { "scale", "1e-3", "0.001" },
               { "name", "cup", "\"cup\"" },
               { "name", "\"5\"", "\"5\"" },
               { "turn", "{\"axis\": \"z\", \"degrees\": 30}", "{\"axis\":\"z\",\"degrees\":30}" },
               { "turn", "{\"axis\": \"z\"", NULL } };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    Error error = { 0 };
    cJSON *document = parsed(BODIES);
    const SceneEntry body = { .list = "bodies", .index = 0 };
    const bool ok = scene_edit_set(document, &body, rows[r].key, rows[r].text, &error);
    const cJSON *entry = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "bodies"), 0);
    char *json = cJSON_PrintUnformatted(cJSON_GetObjectItem(entry, rows[r].key));
    if (rows[r].json) {
      assert_true(ok);
      assert_string_equal(json, rows[r].json);
    } else {
      Scene *scene = ok ? scene_of(document, &error) : NULL;
      assert_null(scene);
      assert_non_null(strstr(error.message, rows[r].key));
    }
    cJSON_free(json);
    cJSON_Delete(document);
  }
}

static void keys_replace_and_complete_each_other(void **state) {
  (void)state;
  Error error = { 0 };
  cJSON *document = parsed(BODIES);
  const SceneEntry force = { .list = "forces", .index = 0 }, pin = { .list = "pins", .index = 0 };
  const cJSON *f = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "forces"), 0);
  const cJSON *p = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "pins"), 0);
  MUST(scene_edit_set(document, &force, "pressure", "7", &error));
  assert_null(cJSON_GetObjectItem(f, "total"));
  MUST(scene_edit_set(document, &pin, "center", "+z", &error));
  assert_non_null(cJSON_GetObjectItem(p, "radius"));
  MUST(scene_edit_set(document, &force, "region.radius", "", &error));
  assert_null(cJSON_GetObjectItem(cJSON_GetObjectItem(f, "region"), "center"));
  Scene *scene = scene_of(document, &error);
  MUST(scene);
  free(scene);
  cJSON_Delete(document);
}

static void regions_follow_the_name_of_their_body(void **state) {
  (void)state;
  Error error = { 0 };
  cJSON *document = parsed(BODIES);
  const SceneEntry body = { .list = "bodies", .index = 1 }, pin = { .list = "pins", .index = 0 };
  const cJSON *p = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "pins"), 0);
  MUST(scene_edit_set(document, &body, "name", "one", &error));
  MUST(scene_edit_set(document, &pin, "body", "one", &error));
  MUST(scene_edit_set(document, &body, "name", "other", &error));
  assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(p, "body")), "other");
  MUST(scene_edit_set(document, &body, "name", "", &error));
  assert_int_equal(cJSON_GetObjectItem(p, "body")->valueint, 1);
  cJSON_Delete(document);
}

// Entries of lists that act on bodies, obstacles and shapes keep their names in saved scenes.
static void all_entries_can_have_names(void **state) {
  (void)state;
  static const char *const document_text =
      "{\"shapes\": {\"name\": \"s\", \"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1},"
      " \"self_contact\": true, \"pins\": {\"name\": \"p\", \"z\": [null, 0.1]},"
      " \"forces\": {\"name\": \"f\", \"region\": {\"z\": [0.9, null]}, \"total\": [1, 0, 0]},"
      " \"drags\": {\"name\": \"d\", \"grab\": {\"x\": [0.9, null]}, \"path\": [[0, 0, 0, 0], [1, 1, 0, 0]]},"
      " \"cuts\": {\"name\": \"c\", \"time\": 1, \"point\": [0, 0, 0.5], \"normal\": [0, 0, 1]},"
      " \"materials\": {\"name\": \"m\", \"region\": {\"z\": [0.5, null]}, \"stiffness\": 2},"
      " \"obstacles\": {\"name\": \"o\", \"kind\": \"plane\", \"at\": [0, 0, -1], \"normal\": [0, 0, 1]}}";
  static const char *const lists[] = { "shapes", "pins", "forces", "drags", "cuts", "materials", "obstacles" };
  Error error = { 0 };
  Scene *scene = array_new(1, sizeof *scene, "the scene", &error);
  assert_non_null(scene);
  scene_defaults(scene);
  cJSON *given = parsed(document_text);
  MUST(scene_read_object(scene, given, &error));
  cJSON *document = scene_document(scene, "scene.json", &error);
  assert_non_null(document);
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    const char *name = cJSON_GetStringValue(
        cJSON_GetObjectItem(cJSON_GetArrayItem(cJSON_GetObjectItem(document, lists[k]), 0), "name"));
    if (!name || name[0] != lists[k][0] || name[1]) fail_msg("%s: name %s", lists[k], name ? name : "absent");
  }

  cJSON_Delete(given);
  cJSON_Delete(document);
  free(scene);
}

static void a_body_takes_its_pins_and_forces_along(void **state) {
  (void)state;
  Error error = { 0 };
  cJSON *document = parsed(BODIES);
  int more;
  MUST(scene_edit_remove(document, &(SceneEntry){ .list = "bodies", .index = 0 }, &more, &error));
  assert_int_equal(more, 1);
  const cJSON *pins = cJSON_GetObjectItem(document, "pins");

  // the pins that held bodies 1 and 2 now hold the same bodies by their new numbers, 0 and 1
  for (int k = 0; k < 2; k++)
    assert_int_equal((int)cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetArrayItem(pins, k), "body")), k);
  MUST(scene_edit_remove(document, &(SceneEntry){ .list = "bodies", .index = 1 }, &more, &error));

  // two entries that named this body were removed, too: a pin (by number) and the force (by name)
  assert_int_equal(more, 2);
  Scene *scene = scene_of(document, &error);
  MUST(scene);
  free(scene);
  assert_false(scene_edit_remove(document, &(SceneEntry){ .list = "bodies", .index = 0 }, &more, &error));
  assert_non_null(strstr(error.message, "needs a body"));
  cJSON_Delete(document);
}

static void bodies_and_obstacles_have_positions_that_move(void **state) {
  (void)state;
  const double by[3] = { 0.2, 0, -1 };
  const Transform moves[2] = { { TRANSFORM_MOVE, .axis = 0, .amount = by[0] },
                               { TRANSFORM_MOVE, .axis = 2, .amount = by[2] } };
  static SceneEntry entries[SCENE_ENTRIES_MAX];
  int movable = 0;
  for (int d = 0; d < DOCUMENT_COUNT; d++) {
    Error error = { 0 };
    cJSON *document = parsed(DOCUMENTS[d]);
    SceneSpace space;
    space_of(document, &space);
    SceneEntry added;
    for (int k = 0; scene_edit_kinds()[k]; k++)
      if (strncmp(scene_edit_kinds()[k], "obstacle", 8) == 0)
        MUST(scene_edit_add(document, k, 0, &space, &added, &error));
    const int count = scene_edit_list(document, entries);
    for (int e = 0; e < count; e++) {
      double before[3], after[3];
      const bool has = scene_edit_position(document, &entries[e], before);
      assert_int_equal(scene_edit_can(document, &entries[e], TRANSFORM_MOVE), has);
      for (int k = 0; k < 2; k++) assert_int_equal(scene_edit_transform(document, &entries[e], &moves[k], &error), has);
      if (!has) continue;
      assert_true(scene_edit_position(document, &entries[e], after));

      // positions are rounded to nine digits
      for (int i = 0; i < 3; i++) assert_true(fabs(after[i] - before[i] - by[i]) <= 1e-8 * fmax(1, fabs(after[i])));
      movable++;
    }
    cJSON_Delete(document);
  }
  assert_int_equal(movable, 2 + 3 + 1 + 3 * 4);
}

// A scene with one obstacle of each kind. The mesh obstacle has no key "at", so it is at the origin.
static const char OBSTACLES[] =
    "{\"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}, \"place\": [0, 0, 9]}],"
    " \"self_contact\": true, \"obstacles\": [{\"kind\": \"plane\", \"at\": [0, 0, -1], \"normal\": [0, 0.2, 1]},"
    " {\"kind\": \"sphere\", \"at\": [3, 0, 0], \"radius\": 0.2},"
    " {\"kind\": \"box\", \"at\": [1, 0, 0.1], \"size\": [0.4, 0.5, 0.2], \"turn\": [10, 90, 30]},"
    " {\"kind\": \"capsule\", \"from\": [0, -1, 0.3], \"to\": [0, 1, 0.3], \"radius\": 0.05},"
    " {\"kind\": \"mesh\", \"mesh\": \"surfaces/bowl.obj\", \"turn\": [-20, 40, 170]}]}";

static double distance_of(const double a[3], const double b[3]) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// Applies the transform to the obstacle `before`: to its centre, the ends of its half axes, and its size. Returns the
// largest distance or difference from the corresponding values of the obstacle `after`, which an edit has transformed.
static double obstacle_error(const Obstacle *before, const Obstacle *after, const Transform *t) {
  double largest = 0;
  for (int k = -1; k < 3; k++) {
    const bool turned = before->kind == OBSTACLE_BOX || before->kind == OBSTACLE_MESH || k == 2;
    const bool sized = before->kind != OBSTACLE_PLANE;
    double points[2][3];
    for (int side = 0; side < 2; side++) {
      const Obstacle *o = side ? after : before;
      const double length = !sized ? 1
                            : o->kind == OBSTACLE_BOX || (o->kind == OBSTACLE_CAPSULE && k == 2)
                                ? o->size[k < 0 ? 0 : k]
                                : o->size[0];
      for (int i = 0; i < 3; i++) points[side][i] = o->centre[i] + (k < 0 ? 0 : length * o->axis[k][i]);
    }
    if (k >= 0 && !turned) continue;
    transform_point(t, points[0]);
    largest = fmax(largest, distance_of(points[0], points[1]));
  }
  const bool scaled = t->kind == TRANSFORM_SCALE && (!t->along || t->axis == 0);
  return fmax(largest,
              before->kind == OBSTACLE_PLANE ? 0 : fabs(after->size[0] - before->size[0] * (scaled ? t->amount : 1)));
}

// Applies the transform to the nodes of `body` in the scene `before`. Returns the largest distance of all nodes from
// the corresponding nodes of the scene `after`. So nodes of other bodies must not move. *moved receives the number of
// moved nodes.
static double mesh_error(const Scene *before, const Scene *after, int body, const Transform *t, int *moved) {
  Error error = { 0 };
  TetMesh mesh[2] = { 0 };
  double largest = 0;
  MUST(scene_body(before, &mesh[0], &error));
  MUST(scene_body(after, &mesh[1], &error));
  assert_int_equal(mesh[0].node_count, mesh[1].node_count);
  *moved = 0;
  for (int a = 0; a < mesh[0].node_count; a++) {
    const double rest = distance_of(mesh[0].X[a], mesh[1].X[a]);
    const bool moves = body < 0 ? rest > 1e-6 : mesh_body(&mesh[0], a) == body;
    if (moves) transform_point(t, mesh[0].X[a]);
    largest = fmax(largest, moves ? distance_of(mesh[0].X[a], mesh[1].X[a]) : rest);
    *moved += moves;
  }
  mesh_destroy(&mesh[0]);
  mesh_destroy(&mesh[1]);
  return largest;
}

// As mesh_error, for an entry of "shapes" that is scaled along one axis. Its mesh has other cells then, so the function
// compares the size and the origin of the shape.
static double shape_error(const Scene *before, const Scene *after, int k, const Transform *t) {
  const SceneShape *from = &before->shapes[k], *to = &after->shapes[k];
  double origin[2][3], largest = 0;
  for (int i = 0; i < 3; i++) {
    largest = fmax(largest, fabs(to->size[i] - from->size[i] * (i == t->axis ? t->amount : 1)));
    origin[0][i] = before->scale * from->at[i];
    origin[1][i] = after->scale * to->at[i];
  }
  transform_point(t, origin[0]);
  return fmax(largest, distance_of(origin[0], origin[1]));
}

static void entries_turn_and_scale_about_a_point(void **state) {
  (void)state;
  static const char *const documents[] = { SHAPES, BODIES, OBSTACLES };
  static const struct {
    TransformKind kind;
    double amount;
    bool along;  // the scaling is along the entry's local axis
  } rows[] = { { TRANSFORM_TURN, 15, false },  { TRANSFORM_TURN, -90, false },  { TRANSFORM_TURN, 180, false },
               { TRANSFORM_TURN, 359, false }, { TRANSFORM_SCALE, 0.5, false }, { TRANSFORM_SCALE, 3, false },
               { TRANSFORM_SCALE, 1.7, true } };
  static SceneEntry entries[SCENE_ENTRIES_MAX];
  int edits = 0, refused = 0;
  for (int d = 0; d < 3; d++)
    for (size_t r = 0; r < 3 * sizeof rows / sizeof *rows; r++) {
      cJSON *first = parsed(documents[d]);
      const int count = scene_edit_list(first, entries);
      for (int e = 0; e < count; e++) {
        Error error = { 0 };
        Transform t = { rows[r / 3].kind, .axis = (int)r % 3, .amount = rows[r / 3].amount, .pivot = { 1, 2, 0.5 },
                        .along = rows[r / 3].along };
        double axes[3][3] = { { 0 } };
        cJSON *document = cJSON_Duplicate(first, true);
        const bool can =
            scene_edit_can(document, &entries[e], t.kind) && (!t.along || scene_edit_axes(document, &entries[e], axes));
        memcpy(t.direction, axes[t.axis], sizeof t.direction);
        assert_int_equal(scene_edit_transform(document, &entries[e], &t, &error), can);
        refused += !can;
        Scene *before = scene_of(first, &error), *after = scene_of(document, &error);
        if (!after) fail_msg("%s: the changed scene is not valid: %s", entries[e].label, error.message);
        const bool obstacle = strcmp(entries[e].list, "obstacles") == 0, body = strcmp(entries[e].list, "bodies") == 0;
        const int k = entries[e].index;
        int moved = 1;
        const double off = !can                            ? 0
                           : t.along && !obstacle && !body ? shape_error(before, after, k, &t)
                           : obstacle
                               ? obstacle_error(&before->simulation.obstacles[k], &after->simulation.obstacles[k], &t)
                               : mesh_error(before, after, body ? k : -1, &t, &moved);

        // values in a document are rounded to nine digits, and no point is more than 30 m from the fixed point of the
        // transform
        if (!(off <= 30e-8) || moved == 0)
          fail_msg("%s: transform of kind %d, axis %d, amount %g: %d points moved, largest error %g m",
                   entries[e].label, t.kind, t.axis, t.amount, moved, off);
        edits += can;
        free(before);
        free(after);
        cJSON_Delete(document);
      }
      cJSON_Delete(first);
    }

  // Number of edits: 4 rotations, 2 scalings and 1 scaling along one axis, each for 3 axes. The documents have 2
  // shapes; 3 bodies and a plane; 1 body and 5 obstacles. A sphere cannot be rotated, and a plane cannot be scaled. Of
  // the obstacles, only the box can be scaled along one axis.
  assert_int_equal(edits, 12 * (2 + 4 + 5) + 6 * (2 + 3 + 5) + 3 * (2 + 3 + 2));
  assert_true(refused > 100);
}

// The mesh of a scene becomes a body when it is moved, turned or scaled, and its pins then hold this body.
static void a_mesh_becomes_a_body_that_is_transformed(void **state) {
  (void)state;
  static const double direction[3] = { 0, 1, 0 };
  for (int kind = 0; kind <= TRANSFORM_KINDS; kind++) {
    Error error = { 0 };
    const bool along = kind == TRANSFORM_KINDS;
    cJSON *first = parsed(MESH), *document = parsed(MESH);
    Transform t = { along ? TRANSFORM_SCALE : (TransformKind)kind, .axis = 1, .amount = 0.7, .pivot = { 0, 0, 1 },
                    .along = along };
    memcpy(t.direction, direction, sizeof t.direction);
    const SceneEntry body = scene_edit_body_of_mesh(document, &(SceneEntry){ .list = "mesh" });
    assert_string_equal(body.list, "bodies");
    assert_int_equal((int)edit_number(edit_element(document, "pins", 0), "body", -1), 0);
    MUST(scene_edit_transform(document, &body, &t, &error));
    Scene *before = scene_of(first, &error), *after = scene_of(document, &error);
    MUST(before && after);
    int moved;
    const double off = mesh_error(before, after, 0, &t, &moved);
    if (!(off <= 30e-8) || moved == 0) fail_msg("kind %d: error %g", kind, off);  // values have nine digits
    free(before);
    free(after);
    cJSON_Delete(first);
    cJSON_Delete(document);
  }
}

// If successive rotations add up to a simple rotation, the value of the key "turn" is simple again.
static void turns_add_up_to_readable_values(void **state) {
  (void)state;
  static const struct {
    const char *before, *after;  // value of the key "turn" of a body
    int axis;
    double degrees;
  } rows[] = { { NULL, "{\"axis\":[0,0,1],\"degrees\":15}", 2, 15 },
               { "{\"axis\":\"z\",\"degrees\":30}", "{\"axis\":[0,0,1],\"degrees\":45}", 2, 15 },
               { "{\"axis\":[0,0,2],\"degrees\":170}", "{\"axis\":[0,0,1],\"degrees\":-175}", 2, 15 },
               { "{\"axis\":\"y\",\"degrees\":-30}", "{\"axis\":[0,1,0],\"degrees\":-45}", 1, -15 },
               { "{\"axis\":\"x\",\"degrees\":90}", "{\"axis\":[1,0,0],\"degrees\":180}", 0, 90 },
               { "{\"axis\":\"x\",\"degrees\":90}", NULL, 0, -90 } };
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    Error error = { 0 };
    cJSON *document = parsed(BODIES);
    cJSON *body = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "bodies"), 0);
    if (rows[r].before) cJSON_AddItemToObject(body, "turn", cJSON_Parse(rows[r].before));
    const Transform t = { TRANSFORM_TURN, .axis = rows[r].axis, .amount = rows[r].degrees };
    MUST(scene_edit_transform(document, &(SceneEntry){ .list = "bodies" }, &t, &error));
    char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(body, "turn"));
    if (rows[r].after)
      assert_string_equal(text, rows[r].after);
    else
      assert_null(text);
    cJSON_free(text);
    cJSON_Delete(document);
  }
}

static void lowest_points_are_those_of_the_meshes(void **state) {
  (void)state;
  static const char *const documents[] = { SHAPES, BODIES, OBSTACLES };
  static SceneEntry entries[SCENE_ENTRIES_MAX];
  int refused = 0;
  for (int d = 0; d < 3; d++) {
    Error error = { 0 };
    cJSON *document = parsed(documents[d]);
    Scene *scene = scene_of(document, &error);
    SceneSpace space;
    space_of(document, &space);
    double least = HUGE_VAL, z, corner[8][3];
    const int count = scene_edit_list(document, entries);
    for (int e = 0; e < count; e++) {
      const bool placed = entry_box(document, &entries[e], &space, &scene->simulation, corner);
      assert_int_equal(placed, scene_edit_can(document, &entries[e], TRANSFORM_MOVE));
      if (!entry_lowest(document, &entries[e], &space, &scene->simulation, &z, &error)) {
        refused += placed;  // planes can be moved, but have no lowest point
        continue;
      }
      double lowest = HUGE_VAL;
      for (int k = 0; k < 8; k++) lowest = fmin(lowest, corner[k][2]);
      assert_true(placed && z >= lowest - 1e-12);
      if (strcmp(entries[e].list, "obstacles") != 0) least = fmin(least, z);

      // the sphere of OBSTACLES has its centre at z = 0 and the radius 0.2 m; the capsule has z = 0.3 and 0.05 m
      if (strstr(entries[e].label, ": sphere") && d == 2) assert_true(fabs(z + 0.2) < 1e-12);
      if (strstr(entries[e].label, ": capsule")) assert_true(fabs(z - 0.25) < 1e-12);
    }
    assert_true(fabs(least - space.low[2]) < 1e-12);
    free(scene);
    cJSON_Delete(document);
  }
  assert_int_equal(refused, 2);
}

// Returns the number of nodes of entry `index` of a list. *checksum: sum of their numbers
static int count_nodes(const char *document, const char *list, int index, int *checksum) {
  Error error = { 0 };
  cJSON *json = parsed(document);
  Scene *scene = scene_of(json, &error);
  TetMesh mesh = { 0 };
  MUST(scene);
  MUST(scene_body(scene, &mesh, &error));
  int *node = array_new(mesh.node_count, sizeof *node, "nodes", &error);
  MUST(node);
  const int count = entry_nodes(scene, &(SceneEntry){ .list = list, .index = index }, &mesh, node);
  *checksum = 0;
  for (int k = 0; k < count; k++) {
    assert_true(node[k] < mesh.node_count && (k == 0 || node[k] > node[k - 1]));
    *checksum += node[k];
  }
  free(node);
  mesh_destroy(&mesh);
  free(scene);
  cJSON_Delete(json);
  return count;
}

static void entries_with_a_region_have_its_nodes(void **state) {
  (void)state;

  // two cubes of 27 nodes each; body 1 is above body 0
  static const char TWO[] =
      "{\"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2}},"
      " {\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2}, \"place\": [0, 0, 3]}],"
      " \"pins\": [{\"body\": 1, \"z\": [null, 3.1]}, {\"z\": [null, 3.1]}],"
      " \"forces\": [{\"region\": {\"body\": 0, \"center\": \"+z\", \"radius\": 0.1}, \"total\": [1, 0, 0]}],"
      " \"drags\": [{\"grab\": {\"body\": 0}, \"path\": [[0, 0, 0, 0], [1, 1, 0, 0]]}],"
      " \"materials\": [{\"region\": {\"z\": [3.5, null]}, \"stiffness\": 2}]}";

  // two cubes in a row; the second one is turned, so that its axes are -z, y and x
  static const char ROW[] =
      "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2},"
      " {\"kind\": \"box\", \"size\": [1, 1, 2], \"cells\": 2, \"at\": [3, 0, 1], \"turn\": [0, 90, 0]}],"
      " \"scale\": 0.1}";
  static const struct {
    const char *document, *list;
    int index, count, least;
  } expected[] = { { TWO, "pins", 0, 9, 27 },     { TWO, "pins", 1, 36, 0 },   { TWO, "pins", 2, 0, 0 },
                   { TWO, "forces", 0, 1, 0 },    { TWO, "drags", 0, 27, 0 },  { TWO, "materials", 0, 18, 27 },
                   { TWO, "obstacles", 0, 0, 0 }, { ROW, "shapes", 0, 27, 0 }, { ROW, "shapes", 1, 45, 27 } };
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    int sum;
    const int count = count_nodes(expected[k].document, expected[k].list, expected[k].index, &sum);
    if (count != expected[k].count || sum < expected[k].least * count)
      fail_msg("%s %d: %d nodes, not %d, with the sum %d", expected[k].list, expected[k].index, count,
               expected[k].count, sum);
  }
}

int main(void) {
  json_begin();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(documents_of_all_shipped_scenes_give_the_same_scene),
    cmocka_unit_test(each_kind_can_be_added_and_copied),
    cmocka_unit_test(bodies_stay_where_the_shapes_and_the_mesh_were),
    cmocka_unit_test(shown_values_are_read_back_and_wrong_ones_are_refused),
    cmocka_unit_test(lists_have_all_words),
    cmocka_unit_test(some_edits_continue_the_motion),
    cmocka_unit_test(texts_become_values),
    cmocka_unit_test(keys_replace_and_complete_each_other),
    cmocka_unit_test(bodies_and_obstacles_have_positions_that_move),
    cmocka_unit_test(entries_turn_and_scale_about_a_point),
    cmocka_unit_test(a_mesh_becomes_a_body_that_is_transformed),
    cmocka_unit_test(turns_add_up_to_readable_values),
    cmocka_unit_test(lowest_points_are_those_of_the_meshes),
    cmocka_unit_test(entries_with_a_region_have_its_nodes),
    cmocka_unit_test(regions_follow_the_name_of_their_body),
    cmocka_unit_test(all_entries_can_have_names),
    cmocka_unit_test(a_body_takes_its_pins_and_forces_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
