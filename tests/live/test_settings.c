// Tests all rows of the tables of settings, which have one row per setting. Settings with APPLIES_LIVE can change while
// the body moves, and settings with APPLIES_ON_REBUILD by building the simulation again; logs and checkpoints must
// restore these changes bit for bit. A running session must refuse changes of all other settings. The signature of a
// checkpoint must contain exactly the settings on which the motion depends. New rows need no new code here.
#include "live/scene_camera.h"
#include "live_testing.h"

#include "scene/checkpoint.h"
#include "scene/scene_save.h"
#include "scene/signature.h"
#include "sim/element/element_row.h"
#include "mesh/format/vtu.h"

enum { CHANGED_AT = 4, STEPS = 9, FPS = 30 };

#ifdef __SANITIZE_ADDRESS__
enum { ROW_STRIDE = 5 };  // tests every fifth row, since a row takes six times as long; the normal build tests all
#else
enum { ROW_STRIDE = 1 };
#endif

static char scene_path[64], log_path[64], bad_path[64], checkpoint_path[64], saved_path[64], begin_path[64];
static char fields_path[64], stiffness_text[128], initial_text[160];

// A ball that slides on a floor with damping, gravity and friction.
static const char *const SCENE =
    "{%s \"mesh\": \"%s/sphere_63.msh\", \"device\": \"cpu\", \"mu\": 500, \"lambda\": 200, \"density\": 10,"
    " \"material\": \"mooney_rivlin\","  // this material has all parameters
    " \"damping\": 0.2, \"gravity\": [3, 0, -9.8], \"floor\": -1.005, \"friction\": 0.3, "
    "\"self_contact\": false, \"friction_sticks\": false, \"dt\": 0.02}";

// A key of the scene in some tests. Its setting is a number, so that a test can change it to "auto".
static const char *const FIXED = "\"cg_relative\": 1e-4,";

// Keys of the scene in some tests. The first makes the initial guess of a step depend on earlier steps. The second
// makes the tolerance of a linear solve depend on the residual. Checkpoints must restore the data for both.
static const char *const GUESSES = "\"first_guess\": \"extrapolated\", \"cg_relative\": \"auto\",";

// Values to which tests change settings that are neither numbers nor names of stages.
static const struct {
  const char *key, *text;
} SAMPLES[] = {
  { "mesh", "sphere_305.msh" },  // a file in the folder assets/meshes
  { "shapes", "[{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}]" },
  { "bodies", "[{\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}, \"velocity\": [1, 0, 0]}]" },
  { "materials", "[{\"region\": {\"z\": [0, null]}, \"stiffness\": 2}]" },
  { "pins", "[{\"z\": [0.5, null]}]" },
  { "twist", "{\"axis\": \"z\", \"degrees\": 10}" },
  { "forces", "[{\"region\": {\"z\": [0, null]}, \"total\": [0, 0, 1]}]" },
  { "obstacles", "[{\"kind\": \"sphere\", \"at\": [0, 0, -9], \"radius\": 1}]" },
  { "drags", "[{\"grab\": {\"center\": \"+z\", \"radius\": 0.5}, \"path\": [[0, 0, 0, 0], [1, 0, 0, 1]]}]" },
  { "cuts", "[{\"time\": 1, \"point\": [0, 0, 0], \"normal\": [0, 0, 1]}]" },
  { "curves", "[\"kinetic\"]" },
  { "color_range", "[0, 1]" },
  { "section", "{\"axis\": \"x\"}" },
  { "environment", "environments/studio.hdr" },
  { "views", "[null, {\"eye\": [3, 0, 0], \"target\": [0, 0, 0]}]" },
  { "camera", "{\"eye\": [3, 0, 0], \"target\": [0, 0, 0]}" },
};

static bool takes_away;  // true: other_value removes an optional number instead of changing it

// Returns another valid value for a setting that is a number.
static OptionValue other_value(const Option *o, const void *target) {
  OptionValue v = option_value(o, target);
  double *x = v.number;
  char text[64];
  switch (o->type) {
    case OPTION_INTEGER:
      x[0] += x[0] > o->low ? -1 : 1;
      break;
    case OPTION_CHOICE:
      choice_text(o->choices, (int)x[0] + 1, text, sizeof text);
      x[0] = text[0] ? x[0] + 1 : 0;
      break;
    case OPTION_FLAG:
      x[0] = !x[0];
      break;
    case OPTION_VECTOR:
      x[1] += 2;
      break;
    case OPTION_OPTIONAL:
      x[0] = v.present ? 1.05 * x[0] : o->zero_is_absent ? 1e-3 : x[0];
      v.present = !takes_away;
      break;
    default:
      x[0] = x[0] != 0 ? 0.75 * x[0] : 1e-3;
  }
  return v;
}

// Returns the name of another stage (assembly, matrix or solver). NULL: there is no other stage, or the row names no
// stage.
static const char *other_stage(const Option *o, const SimulationSettings *now) {
  const char *name = (const char *)now + o->offset;
  for (int kind = 0; kind < STAGE_KINDS; kind++) {
    if (strcmp(stage_kind_name((StageKind)kind), o->key) != 0) continue;
    const Stage *stage = NULL;
    while ((stage = stage_next(stage, (StageKind)kind, now->device, now->precision, NULL)))
      if (strcmp(stage->name, name) != 0) return stage->name;
  }
  return NULL;
}

// Changes one setting of a simulation. Returns false for the device, which this test on the CPU does not change.
static bool change(const Option *o, SimulationSettings *s) {
  if (o->offset == offsetof(SimulationSettings, device)) return false;
  if (o->type == OPTION_TEXT) {
    const char *name = other_stage(o, s);
    if (!name) fail_msg("\"%s\" is a text and names no stage; change() needs code for it", o->key);
    snprintf((char *)s + o->offset, o->size, "%s", name);
  } else {
    const OptionValue value = other_value(o, s);
    option_put(o, s, &value);
  }
  return true;
}

// Changes one setting of a scene. in_force: settings of the simulation before the change.
static void change_scene(const Option *o, Scene *scene, const SimulationSettings *in_force) {
  Error error = { 0 };
  char name[64], path[SCENE_PATH_LENGTH];
  const char *text = NULL;
  scene_material_begin(scene);
  for (size_t k = 0; k < sizeof SAMPLES / sizeof *SAMPLES; k++)
    if (strcmp(SAMPLES[k].key, o->key) == 0) text = SAMPLES[k].text;
  const Option *own = option_find(simulation_options, o->key);
  if (strcmp(o->key, "mesh") == 0) {
    asset_path("meshes", path);
    snprintf(scene->mesh, sizeof scene->mesh, "%.900s/%s", path, text);
    return;
  }
  if (strcmp(o->key, "begin") == 0) text = begin_path;
  if (strcmp(o->key, "stiffness_field") == 0) text = stiffness_text;
  if (strcmp(o->key, "initial_fields") == 0) text = initial_text;
  if (strcmp(o->key, "shapes") == 0 || strcmp(o->key, "bodies") == 0) scene->mesh[0] = '\0';
  if (!text && o->type == OPTION_TEXT && o->choices) {
    choice_text(o->choices, 0, name, sizeof name);
    text = name;
  }
  if (!text && o->type == OPTION_TEXT && own) text = other_stage(own, in_force);
  if (!text && (o->type == OPTION_TEXT || o->type == OPTION_CUSTOM)) fail_msg("no sample of \"%s\"", o->key);
  if (text) {
    MUST(option_set_text(o, scene, text, &error));
  } else {
    const OptionValue value = other_value(o, scene);
    option_put(o, scene, &value);
    if (o->noted) o->noted(scene);
  }
  MUST(scene_material_end(scene, "test", &error));
}

static void step_until(Live *live, int64_t until) {
  Error error = { 0 };
  StepReport report;
  while (live->steps_taken < until) MUST(live_step(live, &report, &error));
}

static bool same_state(const Live *a, const Live *b) {
  double *x = state_of(a), *y = state_of(b);
  const size_t bytes = 6 * (size_t)a->session.mesh.node_count * sizeof *x;
  const bool same = a->session.mesh.node_count == b->session.mesh.node_count && memcmp(x, y, bytes) == 0;
  free(x);
  free(y);
  return same;
}

static bool same_value(const Option *o, const void *a, const void *b) {
  const Option row[] = { *o, { 0 } };
  return options_alike(row, a, b);
}

// Runs and logs a session in which one setting changes after CHANGED_AT steps. `line` receives the log's line with the
// change.
static Live *run_with_change(const Scene *scene, const Option *o, CommandKind kind, char line[2000]) {
  Error error = { 0 };
  Live *live = live_new(scene);
  MUST(live_log(live, log_path, &error));
  step_until(live, CHANGED_AT);
  Command command = { .kind = kind, .settings = *simulation_settings(live->session.simulation), .speed = 1 };
  change(o, &command.settings);
  double *before = state_of(live);
  MUST(live_apply(live, &command, &error));
  if (live->refused[0]) fail_msg("%s: %s", o->key, live->refused);
  double *after = state_of(live);

  // A change must keep positions, except that the ball is lifted out of the floor when self_contact begins. It must
  // keep velocities, so momenta change with the density.
  if (!command.settings.self_contact)
    assert_memory_equal(before, after, 3 * (size_t)live->session.mesh.node_count * sizeof *before);
  free(before);
  free(after);
  FILE *file = fopen(log_path, "r");
  assert_non_null(file);
  while (fgets(line, 2000, file)) continue;
  fclose(file);
  step_until(live, STEPS);
  MUST(live_log_end(live, &error));
  return live;
}

static Live *replay(void) {
  Error error = { 0 };
  InputReader reader;
  Command command;
  StepReport report;
  Scene *scene = malloc(sizeof *scene);
  Live *live = calloc(1, sizeof *live);
  MUST(input_reader_open(&reader, log_path, scene, &error));
  MUST(live_create_logged(live, scene, &reader, &error));
  while (!input_reader_over(&reader, live->steps_taken)) {
    while (live_next_logged(live, &reader, &command, &error)) MUST(live_apply(live, &command, &error));
    assert_string_equal(error.message, "");
    if (!input_reader_over(&reader, live->steps_taken)) MUST(live_step(live, &report, &error));
  }
  input_reader_close(&reader);
  free(scene);
  return live;
}

// Requires that a replay of the log and a checkpoint restore the changed session bit for bit, and that the session from
// the checkpoint continues with equal bits.
static void goes_on_bit_for_bit(Live *live, const Option *o, const SimulationSettings *before) {
  Error error = { 0 };
  Live *again = replay();
  assert_int_equal(again->steps_taken, STEPS);
  if (!same_state(live, again)) fail_msg("%s: its log does not replay bit for bit", o->key);
  live_delete(again);
  MUST(checkpoint_write(&live->session, FPS, checkpoint_path, &error));
  Scene *scene = read_scene(scene_path);
  if (o->applies != APPLIES_TO_STAGE) {
    again = live_new(scene);
    if (checkpoint_read(&again->session, FPS, checkpoint_path, &error))
      fail_msg("%s: a checkpoint with another value was accepted", o->key);
    assert_non_null(strstr(error.message, o->key));
    live_delete(again);
    error = (Error){ 0 };
  }

  change_scene(option_find(scene_options, o->key), scene, before);
  again = live_new(scene);
  MUST(checkpoint_read(&again->session, FPS, checkpoint_path, &error));
  if (!same_state(live, again)) fail_msg("%s: a checkpoint does not restore bit for bit", o->key);
  again->steps_taken = live->steps_taken;
  step_until(live, STEPS + 3);
  step_until(again, STEPS + 3);
  if (!same_state(live, again)) fail_msg("%s: steps after a checkpoint differ", o->key);
  live_delete(again);
  free(scene);
}

static bool changes_in_a_session(const Option *o) {
  return o->applies == APPLIES_LIVE || o->applies == APPLIES_ON_REBUILD || o->applies == APPLIES_TO_STAGE;
}

static void every_setting_has_its_key_and_its_tab(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = malloc(sizeof *scene);
  scene_defaults(scene);
  for (const Option *o = simulation_options; o->key; o++) {
    const Option *key = option_find(scene_options, o->key);
    if (!key) fail_msg("\"%s\" is no key of a scene", o->key);

    // Each setting can be changed in a session, except "degree", which changes the mesh of a body. The key of the scene
    // must permit changes at the same times as the setting.
    assert_true((changes_in_a_session(o) || o->applies == APPLIES_TO_BODY) && key->applies == o->applies);
    MUST(option_check(o, &scene->simulation, &error));
    if (o->offset == offsetof(SimulationSettings, device)) continue;  // a scene's device may be "auto"
    change_scene(key, scene, &scene->simulation);
    const SimulationSettings defaults = simulation_defaults();
    int changed = 0;
    for (const Option *p = simulation_options; p->key; p++) changed += !same_value(p, &scene->simulation, &defaults);
    if (changed != 1 || same_value(o, &scene->simulation, &defaults))
      fail_msg("\"%s\" of a scene sets another setting", o->key);
    scene->simulation = defaults;
  }

  for (const Option *o = scene_options; o->key; o++) assert_true(o->applies != APPLIES_TO_COMMAND);
  free(scene);
}

// Adjusts one setting in the middle of a run. `unchanged` is the same run without this change.
static void change_live(const Scene *scene, const Option *o, const Live *unchanged) {
  const SimulationSettings before = *simulation_settings(unchanged->session.simulation);
  char line[2000], key[80];
  Live *live = run_with_change(scene, o, COMMAND_ADJUST, line);
  const SimulationSettings *now = simulation_settings(live->session.simulation);
  if (same_value(o, &before, now)) fail_msg("%s: was not adjusted", o->key);
  for (const Option *p = simulation_options; p->key; p++)
    if (p != o && !same_value(p, &before, now)) fail_msg("%s: adjusted %s", o->key, p->key);
  snprintf(key, sizeof key, "\"set\":{\"%s\":", o->key);
  if (!strstr(line, key) || !strstr(line, "\"do\":\"adjust\"")) fail_msg("%s: the log says %s", o->key, line);

  // settings in the panel's tab "Body" must change the motion; those of other tabs (limits, tolerances) need not
  if (o->tab && strcmp(o->tab, "Body") == 0 && same_state(live, unchanged))
    fail_msg("%s: the body moves as without the change", o->key);
  goes_on_bit_for_bit(live, o, &before);
  live_delete(live);
}

static void live_rows_change_while_the_body_moves(void **state) {
  (void)state;
  Scene *scene = read_scene(scene_path);
  Live *unchanged = live_new(scene);
  int rows = 0;
  step_until(unchanged, STEPS);
  for (const Option *o = simulation_options; o->key; o++) {
    if (o->applies != APPLIES_LIVE || (o - simulation_options) % ROW_STRIDE) continue;
    change_live(scene, o, unchanged);
    takes_away = o->type == OPTION_OPTIONAL;
    if (takes_away) change_live(scene, o, unchanged);
    takes_away = false;
    rows++;
  }
  printf("  %d settings changed live\n", rows);
  assert_true(rows > 0);
  live_delete(unchanged);
  free(scene);
}

// Changes one setting of a stage in the middle of a run by COMMAND_SWITCH. Returns false if it cannot change in a
// session.
static bool switch_row(const Scene *scene, const Option *o) {
  Error error = { 0 };
  char line[2000], key[80];
  Live *live = live_new(scene);
  const SimulationSettings before = *simulation_settings(live->session.simulation);
  Command command = { .kind = COMMAND_ADJUST, .settings = before, .speed = 1 };
  const bool can = change(o, &command.settings);

  // COMMAND_ADJUST must not change this setting
  MUST(live_apply(live, &command, &error));
  assert_string_equal(live->refused, "");
  assert_true(same_value(o, &before, simulation_settings(live->session.simulation)));
  live_delete(live);
  if (!can || !changes_in_a_session(o)) return false;
  live = run_with_change(scene, o, COMMAND_SWITCH, line);
  if (same_value(o, &before, simulation_settings(live->session.simulation))) fail_msg("%s: no switch", o->key);
  snprintf(key, sizeof key, "\"%s\":", o->key);
  if (!strstr(line, key) || !strstr(line, "\"do\":\"switch\"")) fail_msg("%s: the log says %s", o->key, line);
  goes_on_bit_for_bit(live, o, &before);
  live_delete(live);
  return true;
}

static void other_rows_take_a_rebuild(void **state) {
  (void)state;
  Scene *scene = read_scene(scene_path);
  int rows = 0;
  for (const Option *o = simulation_options; o->key; o++) {
    if (o->applies == APPLIES_LIVE || (o - simulation_options) % ROW_STRIDE) continue;
    rows += switch_row(scene, o);
    takes_away = o->type == OPTION_OPTIONAL && option_value(o, &scene->simulation).present;
    if (takes_away) switch_row(scene, o);
    takes_away = false;
  }
  printf("  %d settings changed by a rebuild\n", rows);
  assert_true(rows > 0);
  free(scene);
}

// The panel sends all settings with each change. If it sends a second change before it has read the effect of the
// first, the second must not revert the first.
static void changes_do_not_undo_each_other(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = read_scene(scene_path);
  Live *live = live_new(scene);
  const SimulationSettings seen = *simulation_settings(live->session.simulation);
  SimulationSettings first = seen, second = seen, third = seen;
  first.mu = 700;
  second.friction = 0.7;
  third.precision = PRECISION_F64;
  const SimulationSettings *wanted[] = { &first, &second, &third };
  MUST(live_log(live, log_path, &error));
  for (int k = 0; k < 3; k++) {
    Command command = { .kind = k < 2 ? COMMAND_ADJUST : COMMAND_SWITCH, .settings = *wanted[k], .speed = 1 };
    command.unchanged = options_alike(simulation_options, wanted[k], &seen);
    MUST(live_apply(live, &command, &error));
    assert_string_equal(live->refused, "");
  }

  const SimulationSettings *now = simulation_settings(live->session.simulation);
  assert_true(now->mu == 700 && now->friction == 0.7 && now->precision == PRECISION_F64);
  step_until(live, STEPS);
  MUST(live_log_end(live, &error));
  Live *again = replay();
  assert_true(same_state(live, again));
  live_delete(again);
  live_delete(live);
  free(scene);
}

// A replay of the log must restore each setting of the style, which controls how the body is drawn.
static void rows_of_the_style_are_logged(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = read_scene(scene_path);
  Option row;
  int rows = 0;
  for (const Option *o = scene_options; o->key; o++) {
    if (!style_option(o, &row)) continue;
    Live *live = live_new(scene);
    Command command = { .kind = COMMAND_VIEW, .camera = { .distance = 1, .fov = 0.6 }, .style = live->style };
    const OptionValue value = other_value(&row, &command.style);
    option_put(&row, &command.style, &value);
    MUST(live_log(live, log_path, &error));
    MUST(live_apply(live, &command, &error));
    MUST(live_log_end(live, &error));
    Live *again = replay();
    assert_false(same_value(&row, &live->style, &scene->style));
    for (const Option *p = scene_options; p->key; p++)
      if (style_option(p, &row) && !same_value(&row, &again->style, &live->style))
        fail_msg("%s: %s is not as it was", o->key, p->key);
    live_delete(live);
    live_delete(again);
    rows++;
  }

  printf("  %d rows of the style\n", rows);
  assert_true(rows > 0);
  free(scene);
}

// A replay of the log must restore the camera exactly, also after a move to a stored view with another direction up.
static void the_camera_is_logged(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = read_scene(scene_path);
  Live *live = live_new(scene);
  Command command = { .kind = COMMAND_VIEW, .camera = live->camera, .style = live->style };
  const SceneCamera stored = {
    .given = true, .eye = { 3, 1, 2 }, .target = { 0, 0.1, 0 }, .up = { 0.6, 0, 0.8 }, .fov = 50
  };
  MUST(scene_camera_use(&stored, &command.camera, &error));
  MUST(live_log(live, log_path, &error));
  MUST(live_apply(live, &command, &error));
  MUST(live_log_end(live, &error));
  Live *again = replay();
  assert_memory_equal(&again->camera, &command.camera, offsetof(Camera, orthographic));
  live_delete(live);
  live_delete(again);
  free(scene);
}

// Returns true if the session accepts a log whose only command sets this option to its value in `target`.
static bool log_takes(const char *head, const char *what, const Option *o, const void *target, Error *error) {
  InputReader reader;
  Command command;
  Scene *scene = malloc(sizeof *scene);
  cJSON *value = o->type == OPTION_CUSTOM ? cJSON_CreateNull() : option_json(o, target);
  char *text = cJSON_PrintUnformatted(value);
  FILE *file = fopen(bad_path, "w");
  assert_non_null(file);
  fprintf(file, "%s{\"step\":0,\"do\":\"%s\",\"set\":{\"%s\":%s},\"speed\":1}\n", head, what, o->key, text);
  assert_int_equal(fclose(file), 0);
  Live *live = calloc(1, sizeof *live);
  const bool ok = input_reader_open(&reader, bad_path, scene, error) &&
                  live_create_logged(live, scene, &reader, error) && live_next_logged(live, &reader, &command, error);
  input_reader_close(&reader);
  live_delete(live);
  cJSON_free(text);
  cJSON_Delete(value);
  free(scene);
  return ok;
}

static void a_log_changes_no_other_result(void **state) {
  (void)state;
  static const char *const whats[] = { "adjust", "switch" };
  Error error = { 0 };
  char head[4000];
  Scene *scene = read_scene(scene_path);
  Live *live = live_new(scene);
  MUST(live_log(live, log_path, &error));
  const SimulationSettings in_force = *simulation_settings(live->session.simulation);
  live_delete(live);
  FILE *file = fopen(log_path, "r");
  assert_true(file && fgets(head, sizeof head, file));
  fclose(file);
  for (const Option *o = scene_options; o->key; o++)
    for (int k = 0; k < 2 && (o - scene_options) % ROW_STRIDE == 0; k++) {
      const Option *own = option_find(simulation_options, o->key);
      const bool belongs = own && changes_in_a_session(o) && (k == 0) == (o->applies == APPLIES_LIVE);
      error = (Error){ 0 };
      const bool taken =
          own ? log_takes(head, whats[k], own, &in_force, &error) : log_takes(head, whats[k], o, scene, &error);
      if (taken != belongs) fail_msg("\"%s\" of %s: %s", whats[k], o->key, taken ? "was accepted" : error.message);
      if (!taken) assert_non_null(strstr(error.message, o->key));
      if (!taken) assert_non_null(strstr(error.message, ":2: "));
    }
  free(scene);
}

// Takes CHANGED_AT steps with the scene, and saves the result to saved_path.
static void save_scene(const Scene *scene) {
  Error error = { 0 };
  Live *live = live_new(scene);
  step_until(live, CHANGED_AT);
  MUST(scene_save(&live->session, scene, saved_path, &error));
  live_delete(live);
}

static char *sign(const Scene *scene) {
  Error error = { 0 };
  Session *session = calloc(1, sizeof *session);
  size_t size = 0;
  char *text = NULL;
  FILE *memory = open_memstream(&text, &size);
  MUST(session_create(session, scene, &error));
  MUST(signature_write(session, FPS, memory, &error));
  assert_int_equal(fclose(memory), 0);
  session_destroy(session);
  free(session);
  return text;
}

// A checkpoint fits a scene only if their signatures agree. With one setting changed they must differ if, and only if,
// the motion depends on this setting.
static void signatures_list_the_settings_of_the_motion(void **state) {
  (void)state;
  Scene *scene = read_scene(scene_path);
  Session *session = calloc(1, sizeof *session);
  Error error = { 0 };
  MUST(session_create(session, scene, &error));
  const SimulationSettings in_force = *simulation_settings(session->simulation);
  session_destroy(session);
  free(session);
  save_scene(scene);
  char *plain = sign(scene);
  for (const Option *o = scene_options; o->key; o++) {
    Scene *other = read_scene(scene_path);
    change_scene(o, other, &in_force);
    char *text = sign(other);
    error = (Error){ 0 };
    const bool alike = signature_compare(plain, text, &error);
    if (alike != (o->applies == APPLIES_TO_STAGE || o->applies == APPLIES_TO_VIEW))
      fail_msg("%s: %s", o->key, alike ? "its signature does not contain it" : error.message);
    free(text);
    free(other);
  }

  free(plain);
  free(scene);
}

// Signatures must be compared by names of settings: those of older programs have another order and lack newer settings.
static void signatures_are_compared_by_name(void **state) {
  (void)state;
  Error error = { 0 };
  assert_true(signature_compare("a\t1\nb\t2\n", "b\t2\na\t1\n", &error));

  // A signature of an older version lacks the setting halvings_max. It fits if this setting has its default, 6, but not
  // with another value.
  assert_true(signature_compare("a\t1\n", "halvings_max\t6\na\t1\n", &error));
  assert_false(signature_compare("a\t1\n", "halvings_max\t5\na\t1\n", &error));
  error = (Error){ 0 };
  assert_false(signature_compare("a\t1\n", "b\t2\na\t1\n", &error));
  assert_non_null(strstr(error.message, "it lacks \"b\""));
  error = (Error){ 0 };
  assert_false(signature_compare("c\t1\nb\t2\na\t1\n", "b\t2\na\t1\n", &error));
  assert_non_null(strstr(error.message, "it has \"c\""));
  error = (Error){ 0 };
  assert_false(signature_compare("a\t3\nb\t2\n", "b\t2\na\t1\n", &error));
  assert_non_null(strstr(error.message, "its a is 3, but here 1"));
}

static bool write_scene(const char *keys, const char *meshes) {
  FILE *file = fopen(scene_path, "w");
  return file && fprintf(file, SCENE, keys, meshes) > 0 && fclose(file) == 0;
}

// Writes a file with the scene's mesh and two fields, and sets the values of the scene keys that name these fields.
static bool write_fields(const char *meshes) {
  char path[SCENE_PATH_LENGTH];
  TetMesh mesh = { 0 };
  Error error = { 0 };
  snprintf(path, sizeof path, "%.900s/sphere_63.msh", meshes);
  if (!mesh_read(path, 1, &mesh, &error)) return false;
  double *speed = calloc(3 * (size_t)mesh.node_count, sizeof *speed);
  double *factor = calloc((size_t)mesh.tet_count, sizeof *factor);
  for (int k = 0; speed && k < 3 * mesh.node_count; k++) speed[k] = 0.1;
  for (int e = 0; factor && e < mesh.tet_count; e++) factor[e] = 2;
  const VtuField fields[] = { { "speed", 3, false, speed, 0 }, { "factor", 1, true, factor, 0 } };
  const MeshWriting how = { MESH_TEXT, false, 0 };
  FILE *file = fopen(fields_path, "w");
  const bool ok = file && vtu_write_fields(file, &mesh, NULL, fields, 2, &how, &error) && fclose(file) == 0;
  snprintf(stiffness_text, sizeof stiffness_text, "{\"name\": \"factor\", \"file\": \"%s\"}", fields_path);
  snprintf(initial_text, sizeof initial_text, "{\"velocity\": \"speed\", \"file\": \"%s\"}", fields_path);
  free(speed);
  free(factor);
  mesh_destroy(&mesh);
  return ok;
}

int main(void) {
  elements_open_all(NULL);
  char meshes[SCENE_PATH_LENGTH];
  const int id = (int)getpid();
  snprintf(scene_path, sizeof scene_path, "/tmp/pliant-settings-%d.json", id);
  snprintf(log_path, sizeof log_path, "/tmp/pliant-settings-%d.jsonl", id);
  snprintf(bad_path, sizeof bad_path, "/tmp/pliant-settings-%d.bad", id);
  snprintf(checkpoint_path, sizeof checkpoint_path, "/tmp/pliant-settings-%d.checkpoint", id);
  snprintf(saved_path, sizeof saved_path, "/tmp/pliant-settings-%d-saved.json", id);
  snprintf(begin_path, sizeof begin_path, "/tmp/pliant-settings-%d-saved.state", id);
  snprintf(fields_path, sizeof fields_path, "/tmp/pliant-settings-%d-fields.vtu", id);
  asset_path("meshes", meshes);
  if (!write_fields(meshes)) return 1;
  if (!write_scene(FIXED, meshes)) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_setting_has_its_key_and_its_tab),
    cmocka_unit_test(live_rows_change_while_the_body_moves),
    cmocka_unit_test(other_rows_take_a_rebuild),
    cmocka_unit_test(changes_do_not_undo_each_other),
    cmocka_unit_test(rows_of_the_style_are_logged),
    cmocka_unit_test(the_camera_is_logged),
    cmocka_unit_test(a_log_changes_no_other_result),
    cmocka_unit_test(signatures_list_the_settings_of_the_motion),
    cmocka_unit_test(signatures_are_compared_by_name),
  };
  const struct CMUnitTest with_guesses[] = {
    cmocka_unit_test(live_rows_change_while_the_body_moves),
    cmocka_unit_test(other_rows_take_a_rebuild),
  };
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (!write_scene(GUESSES, meshes)) return 1;
  failed += cmocka_run_group_tests(with_guesses, NULL, NULL);
  unlink(scene_path);
  unlink(log_path);
  unlink(bad_path);
  unlink(checkpoint_path);
  unlink(saved_path);
  unlink(begin_path);
  unlink(fields_path);
  return failed;
}
