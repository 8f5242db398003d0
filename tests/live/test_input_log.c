// Tests files of input logs, which store the commands of a session. Reading a log must restore long options. An error
// message about a wrong line must contain the file and the line number.
#include "live_testing.h"

static char scene_path[64], log_path[64], bad_path[64];

#ifdef __SANITIZE_ADDRESS__
// The normal build tests all wrong values. With the sanitizer, each takes five times as long, so every fifth is tested.
enum { VALUE_STRIDE = 5 };
#else
enum { VALUE_STRIDE = 1 };
#endif

static const char *const SCENE =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}], \"pins\": [{\"z\": [null, 0.01]}],"
    " \"device\": \"cpu\", \"mu\": 500, \"lambda\": 200, \"density\": 10}";

static void read_scene_into(Scene *scene) {
  Error error = { 0 };
  MUST(scene_read(scene, scene_path, &error));
}

// Writes a log that contains each kind of command that logs store once.
static void write_log(const Scene *scene) {
  Error error = { 0 };
  Live *live = live_new(scene);
  MUST(live_log(live, log_path, &error));
  const SimulationSettings s = *simulation_settings(live->session.simulation);
  for (int kind = 0; kind < COMMAND_SAVE; kind++) {
    StepReport report;
    Command c = { .kind = (CommandKind)kind, .settings = s, .speed = 1, .radius = 0.5, .nodes = { 1, 2, 3 } };
    c.settings.mu = kind == COMMAND_ADJUST ? 600 : s.mu;
    c.camera.distance = 2;
    c.camera.fov = 0.6;
    c.style.section = true;
    c.blade.normal[0] = 1;
    MUST(live_apply(live, &c, &error));
    assert_string_equal(live->refused, "");
    MUST(live_step(live, &report, &error));
  }
  live_delete(live);
}

// Applies all commands of a log to a session without taking steps. Returns false if the log is refused.
static bool run_log(const char *path, Error *error) {
  static Scene scene;
  Live *live = calloc(1, sizeof *live);
  InputReader reader = { 0 };
  Command command;
  bool ok = input_reader_open(&reader, path, &scene, error) && live_create_logged(live, &scene, &reader, error);
  while (ok && live_next_logged(live, &reader, &command, error)) {
    ok = live_apply(live, &command, error) || input_reader_prefix(&reader, error);
    if (reader.step > live->steps_taken) live->steps_taken = reader.step;
  }

  // skip the steps up to the next command
  while (ok && !error->message[0] && !input_reader_over(&reader, live->steps_taken)) {
    live->steps_taken = reader.step;
    while (ok && live_next_logged(live, &reader, &command, error))
      ok = live_apply(live, &command, error) || input_reader_prefix(&reader, error);
  }
  if (live->session.simulation)
    live_delete(live);
  else
    free(live);
  input_reader_close(&reader);
  return ok && !error->message[0];
}

static void long_options_come_back(void **state) {
  (void)state;
  enum { POINTS = 250 };
  Error error = { 0 };
  static Scene scene, again;
  InputReader reader;
  char *drags = malloc(64 * POINTS + 200);
  char *end = drags + sprintf(drags, "[{\"grab\": {\"center\": \"+z\", \"radius\": 0.5}, \"path\": [");
  for (int k = 0; k < POINTS; k++) end += sprintf(end, "%s[%.17g, %.17g, 0, 0]", k ? ", " : "", k / 7.0, sin(k));
  sprintf(end, "]}]");
  assert_true(strlen(drags) > 8000);
  read_scene_into(&scene);
  const Option *option = option_find(scene_options, "drags"), *damping = option_find(scene_options, "damping");
  MUST(option_set_text(option, &scene, drags, &error));
  scene_note_option(&scene, option, drags);
  MUST(option_set_text(damping, &scene, "0.1", &error));
  scene_note_option(&scene, damping, "0.1");
  write_log(&scene);
  MUST(input_reader_open(&reader, log_path, &again, &error));
  input_reader_close(&reader);
  assert_int_equal(again.drag_count, 1);
  assert_int_equal(again.drags[0].point_count, POINTS);
  assert_memory_equal(again.drags[0].path, scene.drags[0].path, sizeof scene.drags[0].path);
  assert_true(again.simulation.damping == 0.1);
  free(drags);
}

// The mesh is named on the command line by a relative path. A replay of the log in another folder must find it.
static void a_mesh_is_found_from_elsewhere(void **state) {
  (void)state;
  Error error = { 0 };
  static Scene scene, again;
  InputReader reader;
  char *home = getcwd(NULL, 0), path[SCENE_PATH_LENGTH];
  asset_path("meshes", path);
  assert_int_equal(chdir(path), 0);
  MUST(scene_read(&scene, "sphere_63.msh", &error));
  const Option *mesh = option_find(scene_options, "mesh");
  MUST(option_set_text(mesh, &scene, "sphere_305.msh", &error));
  scene_note_option(&scene, mesh, "sphere_305.msh");
  snprintf(scene.device, sizeof scene.device, "cpu");
  Live *live = live_new(&scene);
  MUST(live_log(live, log_path, &error));
  live_delete(live);
  assert_int_equal(chdir(home), 0);
  free(home);
  live = calloc(1, sizeof *live);
  MUST(input_reader_open(&reader, log_path, &again, &error));
  MUST(live_create_logged(live, &again, &reader, &error));
  input_reader_close(&reader);
  live_delete(live);
}

static int tried, refused;

// Runs a log in which line `changed` is replaced by `text`. An error message must contain file and line number.
static void try_lines(char *const *lines, int count, int changed, const char *text) {
  Error error = { 0 };
  char location[96];
  FILE *file = fopen(bad_path, "w");
  assert_non_null(file);
  for (int k = 0; k < count; k++) fprintf(file, "%s\n", k == changed ? text : lines[k]);
  assert_int_equal(fclose(file), 0);
  tried++;
  if (run_log(bad_path, &error)) return;
  refused++;
  snprintf(location, sizeof location, "%s:%d: ", bad_path, changed + 1);
  if (strncmp(error.message, location, strlen(location)) == 0) return;

  // If the new text has a later step than the next line, the message names the next line, as steps must not decrease.
  snprintf(location, sizeof location, "%s:%d: ", bad_path, changed + 2);
  const bool step_back =
      strncmp(error.message, location, strlen(location)) == 0 && strstr(error.message, "not less than in the previous");
  if (!step_back) fail_msg("line %d as %.200s: \"%s\" does not name file and line", changed + 1, text, error.message);
}

// Tries the log without each value of a line's JSON object and its member objects, and with wrong values in its place.
static void try_values(char *const *lines, int count, int changed, cJSON *root, cJSON *object) {
  static int next;
  static const char *const values[] = { "null",
                                        "true",
                                        "-1",
                                        "1e300",
                                        "1e999",
                                        "0.5",
                                        "\"nonsense\"",
                                        "[]",
                                        "{}",
                                        "[1e300, -1e300, 1e300]",
                                        "[\"a\", null, 2]" };
  for (int k = 0; k < cJSON_GetArraySize(object); k++) {
    for (int v = -1; v < (int)(sizeof values / sizeof *values); v++) {
      if (next++ % VALUE_STRIDE) continue;
      cJSON *copy = cJSON_Duplicate(root, true);
      cJSON *in = object == root ? copy : cJSON_GetObjectItemCaseSensitive(copy, object->string);
      cJSON *item = cJSON_GetArrayItem(in, k);
      if (v < 0)
        cJSON_DeleteItemFromArray(in, k);
      else
        cJSON_ReplaceItemInObjectCaseSensitive(in, item->string, cJSON_CreateRaw(values[v]));
      char *text = cJSON_PrintUnformatted(copy);
      try_lines(lines, count, changed, text);
      cJSON_free(text);
      cJSON_Delete(copy);
    }
    cJSON *item = cJSON_GetArrayItem(object, k);
    if (object == root && cJSON_IsObject(item)) try_values(lines, count, changed, root, item);
  }
}

static void every_message_names_file_and_line(void **state) {
  (void)state;
  enum { LINES = 32 };
  static Scene scene;
  char *lines[LINES] = { 0 };
  size_t capacity = 0;
  int count = 0;
  Error error = { 0 };
  read_scene_into(&scene);
  scene_note_option(&scene, option_find(scene_options, "damping"), "0");
  write_log(&scene);
  MUST(run_log(log_path, &error));
  FILE *file = fopen(log_path, "r");
  assert_non_null(file);
  while (count < LINES && getline(&lines[count], &capacity, file) > 0) {
    lines[count][strlen(lines[count]) - 1] = '\0';
    count++;
    capacity = 0;
  }

  free(lines[count]);
  fclose(file);
  assert_int_equal(count, 1 + COMMAND_SAVE + 1);
  for (int k = 0; k < count; k++) {
    try_lines(lines, count, k, "[]");
    try_lines(lines, count, k, "{} {}");
    try_lines(lines, count, k, "");
    cJSON *root = cJSON_Parse(lines[k]);
    try_values(lines, count, k, root, root);
    cJSON_Delete(root);
  }

  printf("  %d logs with one wrong value or line, %d of them refused\n", tried, refused);
  assert_true(refused > 500 / VALUE_STRIDE);
  for (int k = 0; k < count; k++) free(lines[k]);
}

static void a_step_beyond_its_range_is_refused(void **state) {
  (void)state;
  static Scene scene;
  static const char *const steps[] = { "1e300", "9.3e18", "-1", "0.5", "1e999", "9007199254740994" };
  read_scene_into(&scene);
  write_log(&scene);
  FILE *file = fopen(log_path, "r");
  char *head = NULL, text[128], *lines[2] = { 0 };
  size_t capacity = 0;
  assert_true(getline(&head, &capacity, file) > 0);
  fclose(file);
  head[strlen(head) - 1] = '\0';
  lines[0] = lines[1] = head;
  for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    Error error = { 0 };
    const int before = refused;
    snprintf(text, sizeof text, "{\"step\":%s,\"do\":\"release\"}", steps[k]);
    try_lines(lines, 2, 1, text);
    assert_int_equal(refused, before + 1);
    assert_false(run_log(bad_path, &error));
    assert_non_null(strstr(error.message, "a whole number \"step\", from 0 to 2^53 and not less than"));
  }
  free(head);
}

static void files_that_are_no_logs_are_refused(void **state) {
  (void)state;
  Error error = { 0 };
  assert_false(run_log("/tmp", &error));
  assert_non_null(strstr(error.message, "/tmp: is a folder, expected a file or a pipe"));
  error = (Error){ 0 };
  assert_false(run_log("/dev/zero", &error));  // a device without end
  assert_non_null(strstr(error.message, "/dev/zero: is a device, expected a file or a pipe"));
  error = (Error){ 0 };
  assert_false(run_log("/dev/null", &error));
  assert_non_null(strstr(error.message, "/dev/null: is a device, expected a file or a pipe"));
}

int main(void) {
  snprintf(scene_path, sizeof scene_path, "/tmp/pliant-log-%d.json", (int)getpid());
  snprintf(log_path, sizeof log_path, "/tmp/pliant-log-%d.jsonl", (int)getpid());
  snprintf(bad_path, sizeof bad_path, "/tmp/pliant-log-%d.bad", (int)getpid());
  FILE *file = fopen(scene_path, "w");
  if (!file || fputs(SCENE, file) < 0 || fclose(file) != 0) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(long_options_come_back),
    cmocka_unit_test(a_mesh_is_found_from_elsewhere),
    cmocka_unit_test(every_message_names_file_and_line),
    cmocka_unit_test(a_step_beyond_its_range_is_refused),
    cmocka_unit_test(files_that_are_no_logs_are_refused),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(scene_path);
  unlink(log_path);
  unlink(bad_path);
  return failed;
}
