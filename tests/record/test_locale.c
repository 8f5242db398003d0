// Tests that a locale with decimal commas changes nothing: scenes are read, run and saved as under the locale C.
#include "../testing.h"

#include <sys/stat.h>

#include "../mesh/german_locale.h"
#include "base/formula.h"
#include "mesh/tet_mesh.h"
#include "record/video.h"
#include "scene/scene_save.h"
#include "scene/vtu_series.h"

enum { STEPS = 3, NODES = 90 };

static const char *const SCENE =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [0.3, 0.55, 0.7], \"cells\": 2}], \"young\": 12345.6,"
    " \"poisson\": 0.25, \"density\": 1000.5, \"dt\": 0.0025, \"pins\": [{\"z\": [null, 0.01]}], \"device\": \"cpu\"}";

static const char *in_folder(const char *name) {
  static char path[4][256];
  static int next;
  next = (next + 1) % 4;
  snprintf(path[next], sizeof *path, "%s/%s", folder, name);
  return path[next];
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_true(file && fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static bool holds(const char *path, const char *words) {
  static char text[1 << 14];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return strstr(text, words);
}

// Opens a session with the scene of a file.
static Session *open_scene(const char *path, Scene *scene) {
  Error error = { 0 };
  Session *session = calloc(1, sizeof *session);
  MUST(scene_read(scene, path, &error));
  MUST(session_create(session, scene, &error));
  assert_int_equal(session->mesh.node_count, NODES);
  return session;
}

static void close_scene(Session *session) {
  session_destroy(session);
  free(session);
}

static void take_steps(Session *session, double x[NODES][3]) {
  Error error = { 0 };
  StepReport report;
  for (int k = 0; k < STEPS; k++) MUST(session_step(session, &report, &error));
  MUST(simulation_state(session->simulation, x, NULL, &error));
}

static void scenes_have_the_bits_of_any_locale(void **state) {
  (void)state;
  static Scene scene;
  double expected[NODES][3], x[NODES][3];
  write_text(in_folder("scene.json"), SCENE);
  setlocale(LC_ALL, "C");
  Session *session = open_scene(in_folder("scene.json"), &scene);
  take_steps(session, expected);
  close_scene(session);
  assert_non_null(setlocale(LC_ALL, "de_DE.UTF-8"));
  session = open_scene(in_folder("scene.json"), &scene);
  take_steps(session, x);
  close_scene(session);
  assert_memory_equal(x, expected, sizeof x);
}

static void written_files_are_read_back(void **state) {
  (void)state;
  static Scene scene, again;
  Error error = { 0 };
  double x[NODES][3], opened[NODES][3];
  write_text(in_folder("scene.json"), SCENE);
  Session *session = open_scene(in_folder("scene.json"), &scene);
  take_steps(session, x);

  VtuSeries series = { 0 };
  snprintf(series.folder, sizeof series.folder, "%s", folder);
  MUST(vtu_series_add(&series, session, 0, 0.5, &error));
  vtu_series_destroy(&series);
  assert_true(holds(in_folder("frames.pvd"), "timestep=\"0.5\""));
  TetMesh mesh = { 0 };
  MUST(mesh_read(in_folder("frame_00000.vtu"), 1, &mesh, &error));
  assert_int_equal(mesh.node_count, NODES);
  for (int a = 0; a < NODES; a++)
    for (int i = 0; i < 3; i++) assert_true(mesh.X[a][i] == x[a][i]);
  mesh_destroy(&mesh);

  MUST(scene_save(session, &scene, in_folder("saved.json"), &error));
  close_scene(session);
  assert_true(holds(in_folder("saved.json"), "1000.5"));
  session = open_scene(in_folder("saved.json"), &again);
  MUST(simulation_state(session->simulation, opened, NULL, &error));
  assert_memory_equal(opened, x, sizeof x);
  close_scene(session);
  assert_string_equal(localeconv()->decimal_point, ",");
}

static void options_and_formulas_have_points(void **state) {
  (void)state;
  static Scene scene;
  Error error = { 0 };
  scene_defaults(&scene);
  MUST(option_set_text(option_find(scene_options, "dt"), &scene, "0.0025", &error));
  MUST(option_set_text(option_find(scene_options, "gravity"), &scene, "0.5, .25, -1.5", &error));
  assert_true(scene.simulation.dt == 0.0025);
  assert_true(scene.simulation.gravity[0] == 0.5 && scene.simulation.gravity[1] == 0.25);
  Formula formula;
  MUST(formula_read(&formula, "max(0.25 * x, 1.5e0)", "a formula", NULL, &error));
  assert_true(formula_value(&formula, (double[3]){ 10, 0, 0 }) == 2.5);
  assert_true(formula_value(&formula, (double[3]){ 1, 0, 0 }) == 1.5);
  formula_destroy(&formula);
}

static void numbers_too_large_are_refused_with_a_point(void **state) {
  (void)state;
  static Scene scene;
  Error error = { 0 };
  Session *session = calloc(1, sizeof *session);
  scene_defaults(&scene);
  assert_false(option_set_text(option_find(scene_options, "poisson"), &scene, "0.75", &error));
  assert_non_null(strstr(error.message, "0.75"));
  assert_non_null(strstr(error.message, "0.5"));
  error = (Error){ 0 };
  write_text(in_folder("far.json"),
             "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 1}],"
             " \"obstacles\": [{\"kind\": \"sphere\", \"at\": [0, 0, 1.5e60], \"radius\": 1}]}");
  MUST(scene_read(&scene, in_folder("far.json"), &error));
  assert_false(session_create(session, &scene, &error));
  assert_non_null(strstr(error.message, "1.5e+60"));
  free(session);
}

static void films_have_the_rate_that_was_asked_for(void **state) {
  (void)state;
  char script[200];
  Error error = { 0 };
  Video video = { 0 };
  snprintf(script, sizeof script, "#!/bin/sh\necho \"$@\" > %s/words\n", folder);
  write_text(in_folder("ffmpeg"), script);
  assert_int_equal(chmod(in_folder("ffmpeg"), 0755), 0);
  setenv("PATH", folder, 1);
  MUST(video_open(&video, in_folder("film.mp4"), 16, 16, 29.97, &error));
  video_commit(&video, &error);
  video_close(&video);
  setenv("PATH", "/usr/bin:/bin", 1);
  assert_true(holds(in_folder("words"), "-r 29.97 "));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(scenes_have_the_bits_of_any_locale),
    cmocka_unit_test(written_files_are_read_back),
    cmocka_unit_test(options_and_formulas_have_points),
    cmocka_unit_test(numbers_too_large_are_refused_with_a_point),
    cmocka_unit_test(films_have_the_rate_that_was_asked_for),
  };
  if (!take_german()) {
    puts("skipped: localedef cannot make de_DE.UTF-8");
    return 77;
  }
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return remove_folder() != 0 || failed;
}
