// Edits documents of scenes: each edit gives a scene that can be read, values that are read back equal those that were
// shown, and a wrong value is refused with the name of its key.
#include "../testing.h"

#include <cjson/cJSON.h>
#include <dirent.h>

#include "base/array.h"
#include "scene/json.h"
#include "scene/json_file.h"
#include "scene/scene_body.h"
#include "scene/scene_edit.h"
#include "scene/scene_save.h"

static const char MESH[] =
    "{\"mesh\": \"meshes/hand_coarse.msh\", \"scale\": 2, \"pins\": [{\"z\": [null, 0.1]}],"
    " \"dt\": 0.016666666666666666}";
static const char SHAPES[] =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 2, 3], \"cells\": 2, \"at\": [1, 2, 3], \"turn\": [20, -50, 130]},"
    " {\"kind\": \"sphere\", \"size\": [1, 1, 1], \"cells\": 2, \"at\": [9, 0, 0], \"turn\": [0, 180, 0]}],"
    " \"scale\": 0.5, \"gravity\": [0, 0, -9.81]}";
static const char BODIES[] =
    "{\"bodies\": [{\"name\": \"a\", \"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}},"
    " {\"shape\": {\"kind\": \"torus\", \"size\": [1, 1, 0.3], \"cells\": 2}, \"place\": [3, 0, 0], \"young\": 2e4,"
    " \"pins\": [{\"z\": [null, 0.1]}, {\"z\": [0.2, null]}],"
    " \"turn\": {\"axis\": \"y\", \"degrees\": 30}}, {\"name\": \"c\", \"mesh\": \"meshes/hand_coarse.msh\"}],"
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

// Reads the scene of a document. Returns NULL with an error if it is refused.
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
    cJSON_free(text[0]), cJSON_free(text[1]);
    free(scene);
    count++;
  }
  closedir(directory);
  assert_true(count > 30);
  assert_true(with_young > 10);  // the material stays as the user gave it
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
      for (int i = 0; i < 3; i++)  // a rotation by other formulas rounds differently
        assert_true(fabs(mesh[0].X[a][i] - mesh[1].X[a][i]) < 1e-14 * 20);
    // the pin of the scene with one mesh does not hold the new body
    const cJSON *pin = cJSON_GetArrayItem(cJSON_GetObjectItem(document, "pins"), 0);
    assert_true(d != 0 || cJSON_GetNumberValue(cJSON_GetObjectItem(pin, "body")) == 0);
    mesh_destroy(&mesh[0]), mesh_destroy(&mesh[1]);
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
        if (!fields[k].help) fail_msg("%s: %s has no help", entries[e].label, key);
        // Setting a key to its shown value changes no entry of a list. A key that the scene lacks is shown with its
        // default, so setting this key adds it.
        cJSON *same = cJSON_Duplicate(document, true), *wrong = cJSON_Duplicate(document, true);
        MUST(scene_edit_set(same, &entries[e], key, fields[k].text, &error));
        if (entries[e].list[0]) assert_true(cJSON_Compare(document, same, true));
        Scene *scene = scene_of(same, &error);
        MUST(scene);
        free(scene);
        // No key accepts this value. The message names the key, or the object that contains it if this object then
        // lacks another key.
        char object[40];
        snprintf(object, sizeof object, "%.*s", (int)strcspn(key, "."), key);
        MUST(scene_edit_set(wrong, &entries[e], key, "{\"q\": 1}", &error));
        scene = scene_of(wrong, &error);
        assert_null(scene);
        if (!strstr(error.message, last ? last + 1 : key) && !strstr(error.message, object))
          fail_msg("%s: %s", key, error.message);
        refused++;
        cJSON_Delete(same), cJSON_Delete(wrong);
      }
    cJSON_Delete(document);
  }
  assert_true(refused > 150);
}

static void texts_become_values(void **state) {
  (void)state;
  static const struct {
    const char *key, *text, *json;             // json NULL: the text is refused
  } rows[] = { { "place", "1, -2,.5", NULL },  // JSON has no .5, so this is a word
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

static void a_body_takes_its_pins_and_forces_along(void **state) {
  (void)state;
  Error error = { 0 };
  cJSON *document = parsed(BODIES);
  int more;
  MUST(scene_edit_remove(document, &(SceneEntry){ .list = "bodies", .index = 0 }, &more, &error));
  assert_int_equal(more, 1);
  const cJSON *pins = cJSON_GetObjectItem(document, "pins");
  for (int k = 0; k < 2; k++)  // the numbers of the later bodies have changed
    assert_int_equal((int)cJSON_GetNumberValue(cJSON_GetObjectItem(cJSON_GetArrayItem(pins, k), "body")), k);
  MUST(scene_edit_remove(document, &(SceneEntry){ .list = "bodies", .index = 1 }, &more, &error));
  assert_int_equal(more, 2);  // a pin by number, and the force by name
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
      assert_int_equal(scene_edit_move(document, &entries[e], by, &error), has);
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

int main(void) {
  json_begin();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(documents_of_all_shipped_scenes_give_the_same_scene),
    cmocka_unit_test(each_kind_can_be_added_and_copied),
    cmocka_unit_test(bodies_stay_where_the_shapes_and_the_mesh_were),
    cmocka_unit_test(shown_values_are_read_back_and_wrong_ones_are_refused),
    cmocka_unit_test(texts_become_values),
    cmocka_unit_test(keys_replace_and_complete_each_other),
    cmocka_unit_test(bodies_and_obstacles_have_positions_that_move),
    cmocka_unit_test(a_body_takes_its_pins_and_forces_along),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
