// Tests the default of the key self_contact. It is on if surfaces of the scene can meet and all chosen methods support
// contact. Else it is off, and so it is while a body is cut. A value that the user gives is not changed.
#include "../testing.h"

#include <unistd.h>

#include "scene/scene.h"
#include "scene/scene_edit.h"
#include "scene/scene_save.h"
#include "scene/session.h"
#include "scene/session_form.h"

#define BODY "\"young\": 1e4, \"dt\": 0.01, \"device\": \"cpu\""
#define SHAPE(at) "{\"kind\": \"box\", \"size\": [0.2, 0.2, 0.2], \"cells\": 2, \"at\": [0, 0, " at "]}"
#define ONE "\"shapes\": [" SHAPE("0") "], " BODY
#define TWO "\"shapes\": [" SHAPE("0") ", " SHAPE("0.25") "], " BODY
#define OVERLAPPING "\"shapes\": [" SHAPE("0") ", " SHAPE("0.15") "], " BODY

// Reads the scene whose keys are in `keys`. The caller frees it.
static Scene *scene_of(const char *keys) {
  Error error = { 0 };
  char text[1000];
  snprintf(text, sizeof text, "{%s}", keys);
  cJSON *object = json_parse(text, strlen(text), "scene", &error);
  Scene *scene = malloc(sizeof *scene);
  assert_non_null(scene);
  scene_defaults(scene);
  snprintf(scene->path, sizeof scene->path, "scene.json");
  if (!object || !scene_read_object(scene, object, &error)) fail_msg("%s: %s", keys, error.message);
  cJSON_Delete(object);
  return scene;
}

static Session *session_of(const char *keys) {
  Error error = { 0 };
  Scene *scene = scene_of(keys);
  Session *session = calloc(1, sizeof *session);
  assert_non_null(session);
  if (!session_create(session, scene, &error)) fail_msg("%s: %s", keys, error.message);
  free(scene);
  return session;
}

static void session_free(Session *session) {
  session_destroy(session);
  free(session);
}

// A scene, and the value of a setting that it must choose.
typedef struct Case {
  const char *keys;
  bool chosen;
} Case;

static bool touches(const SimulationSettings *settings) {
  return settings->self_contact;
}

static bool sticks(const SimulationSettings *settings) {
  return settings->friction_sticks;
}

static void check_choices(const Case *cases, size_t count, bool (*value)(const SimulationSettings *)) {
  for (size_t k = 0; k < count; k++) {
    Session *session = session_of(cases[k].keys);
    const bool chosen = value(simulation_settings(session->simulation));
    if (chosen != cases[k].chosen) fail_msg("%s: the scene has chosen %d", cases[k].keys, chosen);
    session_free(session);
  }
}

static void contact_is_on_where_surfaces_can_meet(void **state) {
  (void)state;
  static const Case cases[] = {
    { ONE, false },
    { ONE ", \"floor\": -1", true },
    { ONE ", \"floor\": -1, \"solver\": \"block\"", false },
    { ONE ", \"floor\": -1, \"self_contact\": false", false },
    { ONE ", \"floor\": 0", false },  // the body begins partly below the floor
    { ONE ", \"obstacles\": [{\"kind\": \"sphere\", \"at\": [0, 0, -2], \"radius\": 1}]", true },
    { ONE ", \"self_contact\": true", true },
    { TWO, true },
    { TWO ", \"self_contact\": false", false },
    { TWO ", \"degree\": 2", true },
    { TWO ", \"degree\": 3", false },
    { TWO ", \"mass\": \"consistent\"", false },
    { TWO ", \"solver\": \"block\"", false },
    { TWO ", \"solver\": \"dcg\"", true },
    { TWO ", \"tear_stress\": 1e9", false },
    { TWO ", \"cuts\": [{\"time\": 1, \"point\": [0, 0, 0], \"normal\": [1, 0, 0]}]", false },
    { OVERLAPPING, false },
    { TWO ", \"floor\": 0", false },  // the lower body begins partly below the floor
    { ONE ", \"obstacles\": [{\"kind\": \"mesh\", \"mesh\": \"surfaces/bowl.obj\", \"at\": [0, 0, -2]}]", true },
  };
  check_choices(cases, sizeof cases / sizeof *cases, touches);
}

// In statics, the body of a scene with one body touches the floor only if the user asks for it.
static void statics_of_one_body_have_no_contact_by_default(void **state) {
  (void)state;
  static const Case cases[] = { { ONE ", \"floor\": -1", false },
                                { ONE ", \"floor\": -1, \"self_contact\": true", true },
                                { TWO ", \"floor\": -1", true } };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Scene *scene = scene_of(cases[k].keys);
    scene->quasi_static = true;
    assert_null(scene_choose_contact(scene));
    assert_int_equal(scene->simulation.self_contact, cases[k].chosen);
    free(scene);
  }
}

static void friction_sticks_where_surfaces_with_friction_can_meet(void **state) {
  (void)state;
  static const Case cases[] = {
    { ONE ", \"floor\": -1", false },
    { ONE ", \"friction\": 0.3", false },
    { ONE ", \"floor\": -1, \"friction\": 0.3", true },
    { ONE ", \"floor\": -1, \"friction\": 0.3, \"friction_sticks\": false", false },
    { ONE ", \"self_contact\": true, \"friction\": 0.3", true },
    { TWO ", \"friction\": 0.3, \"self_contact\": false", false },
    { ONE ", \"obstacles\": [{\"kind\": \"sphere\", \"at\": [0, 0, -2], \"radius\": 1, \"friction\": 0.4}]", true },
  };
  check_choices(cases, sizeof cases / sizeof *cases, sticks);
}

static void a_wanted_contact_that_cannot_begin_is_an_error(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = scene_of(OVERLAPPING ", \"self_contact\": true");
  Session *session = calloc(1, sizeof *session);
  assert_non_null(session);
  assert_false(session_create(session, scene, &error));
  assert_non_null(strstr(error.message, "self_contact"));
  free(session);
  free(scene);
}

static void a_cut_ends_contact_and_its_undo_restores_it(void **state) {
  (void)state;
  Error error = { 0 };
  StepReport step;
  CutReport cut;
  Session *session = session_of(TWO);
  const Blade blade = { .normal = { 1, 0, 0 } };
  MUST(session_step(session, &step, &error));
  MUST(session_cut(session, &blade, &cut, &error));
  assert_true(cut.copies > 0);
  assert_false(simulation_settings(session->simulation)->self_contact);
  MUST(session_step(session, &step, &error));

  MUST(session_take_form(session, session->scene_form, &error));
  assert_true(simulation_settings(session->simulation)->self_contact);
  MUST(session_step(session, &step, &error));
  session_free(session);

  // a contact that the user wants does not end
  session = session_of(TWO ", \"self_contact\": true");
  assert_false(session_cut(session, &blade, &cut, &error));
  assert_non_null(strstr(error.message, "set self_contact to false"));
  session_free(session);
}

// Returns the value of the key self_contact in the saved scene: 1 or 0; -1 if the scene does not have it.
static int saved_contact(const char *keys) {
  Error error = { 0 };
  Session *session = session_of(keys);
  char path[64] = "/tmp/pliant-contact-XXXXXX", state[80];
  close(mkstemp(path));
  unlink(path);
  strcat(path, ".json");
  Scene *look = malloc(sizeof *look);
  assert_non_null(look);
  *look = session->scene;
  MUST(scene_save(session, look, path, &error));
  size_t length;
  char *text = scene_read_text(path, &length, &error);
  cJSON *object = text ? json_parse(text, length, path, &error) : NULL;
  assert_non_null(object);
  const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, "self_contact");
  const int saved = value ? cJSON_IsTrue(value) : -1;
  cJSON_Delete(object);
  free(text);
  free(look);
  unlink(path);
  snprintf(state, sizeof state, "%.*s.state", (int)strlen(path) - 5, path);
  unlink(state);
  session_free(session);
  return saved;
}

static void a_saved_scene_of_several_bodies_has_the_key(void **state) {
  (void)state;
  assert_int_equal(saved_contact(ONE), -1);
  assert_int_equal(saved_contact(TWO), 1);
  assert_int_equal(saved_contact(TWO ", \"self_contact\": false"), 0);
  assert_int_equal(saved_contact(OVERLAPPING), 0);
}

// Returns the text of the key self_contact in the editor's list of the scene's keys.
static void edited_contact(const char *keys, char text[16]) {
  Error error = { 0 };
  char whole[1000];
  SceneField *fields = calloc(SCENE_FIELDS_MAX, sizeof *fields);
  assert_non_null(fields);
  snprintf(whole, sizeof whole, "{%s}", keys);
  cJSON *document = json_parse(whole, strlen(whole), "scene", &error);
  assert_non_null(document);
  const int count = scene_edit_fields(document, &(SceneEntry){ .list = "" }, fields);
  text[0] = '\0';
  for (int k = 0; k < count; k++)
    if (strcmp(fields[k].key, "self_contact") == 0) snprintf(text, 16, "%.15s", fields[k].text);
  cJSON_Delete(document);
  free(fields);
}

static void the_editor_shows_the_chosen_value(void **state) {
  (void)state;
  char text[16];
  edited_contact(ONE, text);
  assert_string_equal(text, "false");
  edited_contact(TWO, text);
  assert_string_equal(text, "true");
  edited_contact(TWO ", \"self_contact\": false", text);
  assert_string_equal(text, "false");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(contact_is_on_where_surfaces_can_meet),
    cmocka_unit_test(statics_of_one_body_have_no_contact_by_default),
    cmocka_unit_test(friction_sticks_where_surfaces_with_friction_can_meet),
    cmocka_unit_test(a_wanted_contact_that_cannot_begin_is_an_error),
    cmocka_unit_test(a_cut_ends_contact_and_its_undo_restores_it),
    cmocka_unit_test(a_saved_scene_of_several_bodies_has_the_key),
    cmocka_unit_test(the_editor_shows_the_chosen_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
