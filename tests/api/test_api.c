// Tests libpliant through the functions of pliant.h only: scenes, sims, arrays, states, actions, errors. argv[1]: the
// device.
#include "../testing.h"

#include <locale.h>
#include <pthread.h>
#include <unistd.h>
#include <xmmintrin.h>

#include "pliant.h"

static const char *device;

// Fails the test with the library's error message unless the call succeeds.
#define OK(call)                                                                \
  do {                                                                          \
    const int status = (call);                                                  \
    if (status) fail_msg("%s: %s", pliant_status_name(status), pliant_error()); \
  } while (0)

static void set_text(pliant_scene *scene, const char *key, const char *text) {
  char json[80];
  snprintf(json, sizeof json, "\"%s\"", text);
  OK(pliant_scene_set(scene, key, json));
}

// Returns a scene with a free box of 1 x 0.4 x 0.4 m, in double, centred at the origin in x and y.
static pliant_scene *box(void) {
  pliant_scene *scene;
  OK(pliant_scene_create(&scene));
  OK(pliant_scene_set(scene, "shapes", "[{\"kind\": \"box\", \"size\": [1, 0.4, 0.4], \"cells\": 2}]"));
  OK(pliant_scene_set(scene, "young", "1e5"));
  OK(pliant_scene_set(scene, "dt", "0.01"));
  OK(pliant_scene_set(scene, "newton_relative", "1e-9"));
  OK(pliant_scene_set(scene, "cg_relative", "1e-9"));
  set_text(scene, "precision", "double");
  set_text(scene, "device", device);
  return scene;
}

static pliant_sim *create(pliant_scene *scene) {
  pliant_sim *sim;
  OK(pliant_sim_create(&sim, scene));
  pliant_scene_destroy(scene);
  return sim;
}

static double *field(pliant_sim *sim, const char *name, int64_t *rows) {
  pliant_view view = { .size = sizeof view };
  OK(pliant_field(sim, name, PLIANT_HOST, &view));
  assert_int_equal(view.type, PLIANT_F64);
  if (rows) *rows = view.shape[0];
  return view.data;
}

static void observe(pliant_sim *sim, const char *name, double *value, int count) {
  OK(pliant_observe(sim, &name, 1, value, count));
}

static double *copy_positions(pliant_sim *sim, int64_t *rows) {
  const double *x = field(sim, "positions", rows);
  double *copy = malloc(sizeof *copy * 3 * (size_t)*rows);
  memcpy(copy, x, sizeof *copy * 3 * (size_t)*rows);
  return copy;
}

static void check_bits(pliant_sim *sim, const double *expected, int64_t rows) {
  int64_t now;
  const double *x = field(sim, "positions", &now);
  assert_int_equal(now, rows);
  assert_memory_equal(x, expected, sizeof *x * 3 * (size_t)rows);
}

static void falls_as_a_stone(void **state) {
  (void)state;
  pliant_scene *scene = box();
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  pliant_sim *sim = create(scene);
  int64_t rows;
  double *before = copy_positions(sim, &rows);
  OK(pliant_step(sim, 50));
  const double *x = field(sim, "positions", NULL), *v = field(sim, "velocities", NULL);
  for (int64_t a = 0; a < rows; a++) {
    assert_true(fabs(x[3 * a + 2] - before[3 * a + 2] + 1.25) < 1e-9);  // g t^2 / 2, exact for the midpoint rule
    assert_true(fabs(v[3 * a + 2] + 5) < 1e-6);
  }
  pliant_report report = { .size = sizeof report };
  OK(pliant_get_report(sim, &report));
  assert_int_equal(report.step, 50);
  assert_true(fabs(report.time - 0.5) < 1e-12 && report.converged == 1 && report.cause[0] == '\0');
  free(before);
  pliant_sim_destroy(sim);
}

static void forces_accelerate(void **state) {
  (void)state;
  pliant_sim *sim = create(box());
  int64_t rows;
  const double *mass = field(sim, "masses", &rows);
  double *force = calloc(3 * (size_t)rows, sizeof *force), total = 0, momentum[3];
  for (int64_t a = 0; a < rows; a++) {
    force[3 * a] = 2 * mass[a];
    total += mass[a];
  }
  pliant_view view = {
    .size = sizeof view, .data = force, .device = PLIANT_HOST, .type = PLIANT_F64, .shape = { rows, 3 }
  };
  OK(pliant_put(sim, "forces", &view));
  OK(pliant_step(sim, 10));
  observe(sim, "momentum", momentum, 3);
  assert_true(fabs(momentum[0] - 0.2 * total) < 1e-9 * total);  // an acceleration of 2 m/s^2 for 0.1 s

  // a change of the solver rebuilds the simulation but keeps the forces
  OK(pliant_set(sim, "solver", "\"dcg\""));
  OK(pliant_step(sim, 10));
  observe(sim, "momentum", momentum, 3);
  assert_true(fabs(momentum[0] - 0.4 * total) < 1e-9 * total);

  // without forces the momentum does not change
  memset(force, 0, 3 * (size_t)rows * sizeof *force);
  OK(pliant_put(sim, "forces", &view));
  OK(pliant_step(sim, 10));
  observe(sim, "momentum", momentum, 3);
  assert_true(fabs(momentum[0] - 0.4 * total) < 1e-9 * total);

  // an array of floats
  float *single = calloc(3 * (size_t)rows, sizeof *single);
  for (int64_t a = 0; a < rows; a++) single[3 * a + 1] = 2 * (float)mass[a];
  view.data = single;
  view.type = PLIANT_F32;
  OK(pliant_put(sim, "forces", &view));
  OK(pliant_step(sim, 10));
  observe(sim, "momentum", momentum, 3);
  assert_true(fabs(momentum[0] - 0.4 * total) < 1e-9 * total);
  assert_true(fabs(momentum[1] - 0.2 * total) < 1e-6 * total);
  view.device = 1;  // no device of this sim
  assert_int_equal(pliant_put(sim, "forces", &view), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "on device 1"));
  assert_true(!strstr(pliant_error(), "the sim is on the CPU") == (pliant_sim_device(sim) != PLIANT_HOST));
  view.device = PLIANT_HOST;
  view.type = PLIANT_I32;
  assert_int_equal(pliant_put(sim, "forces", &view), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "PLIANT_F64 or PLIANT_F32"));
  free(single);
  free(force);
  pliant_sim_destroy(sim);
}

static void states_repeat(void **state) {
  (void)state;
  pliant_scene *scene = box();
  OK(pliant_scene_add(scene, "pins", "{\"x\": [null, -0.49]}"));
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  pliant_sim *sim = create(scene), *copies[3];
  const double corner[3] = { 0.5, 0.2, 0.2 }, up[3] = { 0, 0, 0.1 };
  int grab;
  OK(pliant_step(sim, 5));
  OK(pliant_grab(sim, corner, 0.2, 0, &grab));
  OK(pliant_grab_to(sim, grab, up));
  size_t size;
  OK(pliant_save(sim, NULL, 0, &size));
  void *bytes = malloc(size);
  assert_int_equal(pliant_save(sim, bytes, size - 1, NULL), PLIANT_BAD_ARGUMENT);
  OK(pliant_save(sim, bytes, size, NULL));
  OK(pliant_sim_clone(copies, 3, sim));
  OK(pliant_step(sim, 7));
  int64_t rows;
  double *expected = copy_positions(sim, &rows);

  // restores the state from memory, and steps clones of the sim together
  OK(pliant_load(sim, bytes, size));
  OK(pliant_step(sim, 7));
  check_bits(sim, expected, rows);
  int statuses[3] = { 9, 9, 9 };
  OK(pliant_step_many(copies, 3, 7, statuses));
  for (int k = 0; k < 3; k++) {
    assert_int_equal(statuses[k], PLIANT_OK);
    check_bits(copies[k], expected, rows);
    OK(pliant_release(copies[k], grab));
    assert_int_equal(pliant_release(copies[k], grab), PLIANT_BAD_ARGUMENT);
    assert_int_equal(pliant_release(copies[k], -2), PLIANT_BAD_ARGUMENT);
    pliant_sim_destroy(copies[k]);
  }

  // truncated bytes are refused, and the sim still works
  for (size_t cut = 0; cut < size; cut += 97) assert_int_equal(pliant_load(sim, bytes, cut), PLIANT_BAD_ARGUMENT);
  OK(pliant_step(sim, 1));
  OK(pliant_reset(sim));
  OK(pliant_step(sim, 5));
  OK(pliant_grab(sim, corner, 0.2, 0, &grab));
  OK(pliant_grab_to(sim, grab, up));
  OK(pliant_step(sim, 7));
  check_bits(sim, expected, rows);
  free(expected);
  free(bytes);
  pliant_sim_destroy(sim);
}

// Clones have the report of the last step. A call of pliant_load that fails does not change it, and a step that fails
// changes only the cause.
static void reports_stay(void **state) {
  (void)state;
  pliant_scene *scene = box();
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  OK(pliant_scene_add(scene, "pins", "{\"x\": [null, -0.49]}"));
  OK(pliant_scene_set(scene, "newton_max", "1"));
  OK(pliant_scene_set(scene, "halvings_max", "0"));
  pliant_sim *sim = create(scene), *copy;
  pliant_report before = { .size = sizeof before }, after = before, cloned = before;
  OK(pliant_step(sim, 5));
  OK(pliant_get_report(sim, &before));
  assert_true(before.converged == 0 && before.cause[0] != '\0');
  char cause[480];
  snprintf(cause, sizeof cause, "%s", before.cause);
  OK(pliant_sim_clone(&copy, 1, sim));
  OK(pliant_get_report(copy, &cloned));
  assert_true(cloned.step == 5 && cloned.converged == 0);
  assert_string_equal(cloned.cause, cause);

  assert_int_equal(pliant_load(sim, "PLIANT", 6), PLIANT_BAD_ARGUMENT);
  OK(pliant_get_report(sim, &after));
  assert_true(after.step == 5 && after.newton_iterations == before.newton_iterations && after.min_J == before.min_J);
  assert_string_equal(after.cause, cause);

  int64_t rows;
  field(sim, "masses", &rows);
  double *force = malloc(3 * (size_t)rows * sizeof *force);
  for (int64_t k = 0; k < 3 * rows; k++) force[k] = 1e300;  // its square is beyond double
  const pliant_view view = {
    .size = sizeof view, .data = force, .device = PLIANT_HOST, .type = PLIANT_F64, .shape = { rows, 3 }
  };
  OK(pliant_put(sim, "forces", &view));
  free(force);
  assert_int_equal(pliant_step(sim, 1), PLIANT_STEP_FAILED);
  OK(pliant_get_report(sim, &after));
  assert_true(after.step == 5 && after.residual == before.residual && after.min_J == before.min_J);
  assert_true(after.cause[0] != '\0' && strcmp(after.cause, cause) != 0);
  pliant_sim_destroy(copy);
  pliant_sim_destroy(sim);
}

// Two hexahedra of edge 1 m, side by side along x: coordinates of 12 nodes, and 8 nodes per cell in VTK's order.
static const double hex_x[36] = { 0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0,
                                  0, 0, 1, 1, 0, 1, 2, 0, 1, 0, 1, 1, 1, 1, 1, 2, 1, 1 };
static const int32_t hex_cell[16] = { 0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10 };

static void meshes_come_from_arrays(void **state) {
  (void)state;
  pliant_scene *scene;
  int number = -1;
  OK(pliant_scene_create(&scene));
  set_text(scene, "device", device);
  OK(pliant_scene_add_mesh(scene, "bar", PLIANT_HEX8, 12, hex_x, 2, hex_cell, "{\"density\": 500}", &number));
  assert_int_equal(number, 0);
  assert_int_equal(pliant_scene_add_mesh(scene, "bar", PLIANT_HEX8, 12, hex_x, 2, hex_cell, NULL, NULL),
                   PLIANT_BAD_ARGUMENT);
  pliant_sim *sim = create(scene);
  int64_t rows;
  const double *mass = field(sim, "masses", &rows);
  double total = 0;
  for (int64_t a = 0; a < rows; a++) total += mass[a];
  assert_true(fabs(total - 1000) < 1e-9);
  pliant_view cells = { .size = sizeof cells };
  OK(pliant_field(sim, "cells", PLIANT_HOST, &cells));
  assert_int_equal(cells.shape[0], 2);
  assert_int_equal(cells.shape[1], 8);
  assert_memory_equal(cells.data, hex_cell, sizeof hex_cell);
  OK(pliant_step(sim, 2));
  pliant_sim_destroy(sim);
}

static void quadratic_meshes_from_arrays_have_degree_2(void **state) {
  (void)state;

  // four corners, and the nodes on the edges 01, 12, 20, 03, 13 and 23
  static const double x[30] = { 0,   0,   0, 1, 0,   0, 0, 1, 0,   0,   0, 1,   0.5, 0,   0,
                                0.5, 0.5, 0, 0, 0.5, 0, 0, 0, 0.5, 0.5, 0, 0.5, 0,   0.5, 0.5 };
  static const int32_t cell[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  for (int degree = 1; degree <= 3; degree++) {
    pliant_scene *scene;
    pliant_sim *sim;
    char text[8];
    OK(pliant_scene_create(&scene));
    set_text(scene, "device", device);
    snprintf(text, sizeof text, "%d", degree);
    OK(pliant_scene_set(scene, "degree", text));
    OK(pliant_scene_add_mesh(scene, "tet", PLIANT_TET10, 10, x, 1, cell, NULL, NULL));
    const int made = pliant_sim_create(&sim, scene);
    if (degree == 2) {
      OK(made);
      pliant_sim_destroy(sim);
    } else {
      assert_int_equal(made, PLIANT_BAD_ARGUMENT);
      assert_non_null(strstr(pliant_error(), "the cells of this mesh have degree 2"));
    }
    pliant_scene_destroy(scene);
  }
}

// A written scene contains meshes that came from arrays, and the sim's present state. A sim created from the file
// continues with the same bits.
static void scenes_are_written(void **state) {
  (void)state;
  const double far[9] = { 9, 0, 0, 9, 1, 0, 9, 0, 1.0 / 3 };
  const int32_t triangle[3] = { 0, 1, 2 };
  char folder[] = "/tmp/pliant-write-XXXXXX", path[80];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/bar.json", folder);
  pliant_scene *scene = box();
  OK(pliant_scene_set(scene, "shapes", "[]"));
  OK(pliant_scene_set(scene, "pins", "[{\"x\": [null, 0.1]}]"));
  OK(pliant_scene_set(scene, "self_contact", "true"));
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  assert_int_equal(pliant_scene_add_mesh(scene, "a/b", PLIANT_HEX8, 12, hex_x, 2, hex_cell, NULL, NULL),
                   PLIANT_BAD_ARGUMENT);
  OK(pliant_scene_add_mesh(scene, "a.b c", PLIANT_HEX8, 12, hex_x, 2, hex_cell, NULL, NULL));
  OK(pliant_scene_add_mesh(scene, NULL, PLIANT_TRIANGLE, 3, far, 1, triangle, NULL, NULL));
  pliant_sim *sim = create(scene), *again;
  OK(pliant_set(sim, "young", "3e5"));
  OK(pliant_step(sim, 3));
  assert_int_equal(pliant_write(sim, "/no/such/folder/bar.json"), PLIANT_BAD_FILE);
  assert_int_equal(pliant_write(sim, folder), PLIANT_BAD_FILE);
  OK(pliant_write(sim, path));
  OK(pliant_scene_open(&scene, path));
  OK(pliant_sim_create(&again, scene));
  pliant_scene_destroy(scene);
  OK(pliant_step(sim, 3));
  OK(pliant_step(again, 3));
  int64_t rows;
  double *expected = copy_positions(sim, &rows);
  assert_int_equal(rows, 12);
  check_bits(again, expected, rows);
  free(expected);
  pliant_sim_destroy(sim);
  pliant_sim_destroy(again);
  static const char *const files[] = { "bar.json", "bar.state", "bar-mesh-0.vtu", "bar-mesh-1.obj" };
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[k]);
    assert_int_equal(remove(path), 0);
  }
  assert_int_equal(rmdir(folder), 0);
}

// A scene is written while obstacles that the caller has moved and turned touch the body. The file has their present
// position and angle.
static void moved_obstacles_are_written(void **state) {
  (void)state;
  static const char *const kinds[] = { "\"kind\": \"box\", \"size\": [0.2, 1, 1]",
                                       "\"kind\": \"box\", \"size\": [1, 0.2, 1], \"turn\": [0, 0, 90]" };
  char folder[] = "/tmp/pliant-write-XXXXXX", path[80], file[90], entry[200];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/box.json", folder);
  for (int kind = 0; kind < 2; kind++) {
    pliant_scene *scene = box();
    snprintf(entry, sizeof entry, "{%s, \"at\": [-1, 0, 0.2]}", kinds[kind]);
    OK(pliant_scene_set(scene, "self_contact", "true"));
    OK(pliant_scene_add(scene, "obstacles", entry));
    pliant_sim *sim = create(scene), *again;
    double momentum[3];

    // kinds[1] first turns by 180 degrees in steps -30 to 0, at a distance from the body
    for (int step = kind ? -30 : 1; step <= 30; step++) {
      const double x[3] = { step < 1 ? -2 : -1 + 0.01 * step, 0, 0.2 }, degrees = kind ? 6 * (step + 30) : 0,
                   half = (step < 1 ? degrees : step + 180 * kind) * acos(-1.0) / 360;
      OK(pliant_obstacle_to(sim, 0, x, (double[4]){ cos(half), 0, 0, sin(half) }));
      OK(pliant_step(sim, 1));
    }
    observe(sim, "momentum", momentum, 3);
    assert_true(fabs(momentum[0]) > 1 && fabs(momentum[1]) > 1);  // the inclined face has pushed the body
    OK(pliant_write(sim, path));
    OK(pliant_scene_open(&scene, path));
    OK(pliant_sim_create(&again, scene));
    pliant_scene_destroy(scene);
    OK(pliant_step(sim, 10));
    OK(pliant_step(again, 10));
    int64_t rows;
    const double *x = field(sim, "positions", &rows), *y = field(again, "positions", NULL);
    double worst = 0;
    for (int64_t k = 0; k < 3 * rows; k++) worst = fmax(worst, fabs(x[k] - y[k]));
    if (!(worst <= 1e-9)) fail_msg("obstacle %d: the positions differ by %g m", kind, worst);
    pliant_sim_destroy(sim);
    pliant_sim_destroy(again);
  }

  for (int k = 0; k < 2; k++) {
    snprintf(file, sizeof file, "%.*s%s", (int)strlen(path) - 5, path, k ? ".state" : ".json");
    assert_int_equal(remove(file), 0);
  }
  assert_int_equal(rmdir(folder), 0);
}

// Cells with either orientation are accepted. The field "cells" has the node numbers in the order in which the caller
// gave them.
static void orientation_is_kept(void **state) {
  (void)state;
  const double x[15] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, -1 };
  const int32_t tets[8] = { 0, 1, 2, 3, 0, 2, 1, 4 };
  pliant_scene *scene;
  OK(pliant_scene_create(&scene));
  set_text(scene, "device", device);
  OK(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, 5, x, 2, tets, NULL, NULL));
  pliant_sim *sim = create(scene);
  pliant_view cells = { .size = sizeof cells };
  OK(pliant_field(sim, "cells", PLIANT_HOST, &cells));
  assert_memory_equal(cells.data, tets, sizeof tets);
  OK(pliant_step(sim, 1));
  pliant_sim_destroy(sim);
}

static void bad_arrays_are_refused(void **state) {
  (void)state;
  pliant_scene *scene;
  OK(pliant_scene_create(&scene));
  double x[15] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 5, 5 };
  int32_t tet[4] = { 0, 1, 2, 3 };
  const int32_t bad[][4] = { { 0, 1, 2, 4 }, { 0, 1, 2, -1 }, { 0, 1, 2, 2 }, { 0, 0, 0, 0 }, { 0, 1, 2, INT32_MAX } };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    assert_int_equal(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, 4, x, 1, bad[k], NULL, NULL), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, 5, x, 1, tet, NULL, NULL), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, 0, x, 1, tet, NULL, NULL), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, 4, x, -1, tet, NULL, NULL), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, INT64_MAX, x, 1, tet, NULL, NULL),
                   PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_scene_add_mesh(scene, NULL, (pliant_cell)7, 4, x, 1, tet, NULL, NULL), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, 4, x, 1, tet, "[1]", NULL), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, 4, x, 1, tet, "{\"yung\": 1}", NULL),
                   PLIANT_BAD_ARGUMENT);
  for (int k = 0; k < 3; k++) {
    const double values[3] = { NAN, INFINITY, 1e300 };
    x[0] = values[k];
    assert_int_equal(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, 4, x, 1, tet, NULL, NULL), PLIANT_BAD_ARGUMENT);
    assert_true(strlen(pliant_error()) > 10);
    if (k < 2)
      assert_int_equal(pliant_scene_add_mesh(scene, NULL, PLIANT_TRIANGLE, 4, x, 1, tet, NULL, NULL),
                       PLIANT_BAD_ARGUMENT);
  }

  x[0] = 0;
  size_t size;
  OK(pliant_scene_print(scene, NULL, 0, &size));
  assert_true(size < 8);  // the scene's JSON text is still empty: no refused mesh was added
  OK(pliant_scene_add_mesh(scene, NULL, PLIANT_TET4, 4, x, 1, tet, NULL, NULL));
  pliant_scene_destroy(scene);
}

static void bad_values_are_refused(void **state) {
  (void)state;
  static const char *const bad[][2] = {
    { "yung", "1" },      { "young", "0" },   { "young", "\"soft\"" },    { "young", "1e999" }, { "young", "" },
    { "young", "{" },     { "young", "[1" },  { "gravity", "[0, 0]" },    { "pins", "7" },      { "device", "\"tpu\"" },
    { "shapes", "[{}]" }, { "steps", "1.5" }, { "pins", "[{\"x\": 1}]" }, { "bodies", "[]" },
  };
  pliant_scene *scene = box();
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    assert_int_equal(pliant_scene_set(scene, bad[k][0], bad[k][1]), PLIANT_BAD_ARGUMENT);
    assert_true(strlen(pliant_error()) > 10);
  }
  assert_int_equal(pliant_scene_set(scene, "precision", "double"), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "key \"precision\": character 1: not JSON"));
  assert_int_equal(pliant_scene_set(scene, "young", "1e6 Pa"), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "write numbers without units"));
  assert_int_equal(pliant_scene_add(scene, "young", "{}"), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_scene_set(NULL, "young", "1"), PLIANT_BAD_ARGUMENT);
  pliant_sim *sim = NULL;
  assert_int_equal(pliant_scene_open(&scene, "/no/such/scene.json"), PLIANT_BAD_FILE);
  assert_int_equal(pliant_scene_open(&scene, "/no/such/mesh.msh"), PLIANT_BAD_FILE);
  OK(pliant_scene_add(scene, "pins", "{\"x\": [7, null]}"));
  assert_int_equal(pliant_sim_create(&sim, scene), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "selects no node"));
  assert_null(sim);
  pliant_scene_destroy(scene);
}

static void settings_change(void **state) {
  (void)state;
  pliant_sim *sim = create(box());
  char json[64];
  OK(pliant_set(sim, "young", "2e5"));
  OK(pliant_get(sim, "young", json, sizeof json, NULL));
  assert_true(fabs(atof(json) - 2e5) < 1e-6);
  OK(pliant_set(sim, "precision", "\"float\""));
  OK(pliant_get(sim, "precision", json, sizeof json, NULL));
  assert_string_equal(json, "\"float\"");
  assert_int_equal(pliant_set(sim, "mesh", "\"a.msh\""), PLIANT_NOT_NOW);
  assert_int_equal(pliant_set(sim, "young", "-1"), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_get(sim, "young", json, 2, NULL), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_set(sim, "yuong", "1"), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "there is no key \"yuong\" (did you mean \"young\"?)"));
  assert_int_equal(pliant_get(sim, "yuong", json, sizeof json, NULL), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "there is no key \"yuong\" (did you mean \"young\"?)"));
  OK(pliant_step(sim, 2));
  pliant_sim_destroy(sim);
}

static void gpus_that_do_not_exist_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {
    "cuda:x", "cuda:-1", "cuda:", "cuda:100", "cuda:01", "cuda:1 ", "cuda1", "cpu:0"
  };
  pliant_scene *scene = box();
  char json[20], fault[60], value[20];
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    snprintf(json, sizeof json, "\"%s\"", wrong[k]);
    assert_int_equal(pliant_scene_set(scene, "device", json), PLIANT_BAD_ARGUMENT);
    assert_non_null(strstr(pliant_error(), "expected one of auto|cpu|cuda or cuda:N with N from 0 to 99"));
  }

  // the first number after those of the machine's GPUs
  pliant_sim *sim = NULL;
  snprintf(json, sizeof json, "\"cuda:%d\"", pliant_device_count());
  snprintf(fault, sizeof fault, "device %s cannot be used: ", json);
  OK(pliant_scene_set(scene, "device", json));
  assert_int_equal(pliant_sim_create(&sim, scene), PLIANT_NO_DEVICE);
  assert_memory_equal(pliant_error(), fault, strlen(fault));
  pliant_scene_destroy(scene);

  // a sim keeps its device
  sim = create(box());
  const int before = pliant_sim_device(sim);
  assert_int_equal(pliant_set(sim, "device", json), PLIANT_NO_DEVICE);
  assert_memory_equal(pliant_error(), fault, strlen(fault));
  OK(pliant_get(sim, "device", value, sizeof value, NULL));
  snprintf(json, sizeof json, "\"%s\"", device);
  assert_string_equal(value, json);
  assert_int_equal(pliant_sim_device(sim), before);
  OK(pliant_step(sim, 1));
  pliant_sim_destroy(sim);
}

static void nodes_are_found_and_held(void **state) {
  (void)state;
  pliant_scene *scene = box();
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  pliant_sim *sim = create(scene);
  int64_t count;
  OK(pliant_find(sim, "{\"x\": [null, -0.49]}", NULL, 0, &count));
  assert_true(count > 0 && count < 64);
  int32_t nodes[64];
  assert_int_equal(pliant_find(sim, "{\"x\": [null, -0.49]}", nodes, 1, &count), PLIANT_BAD_ARGUMENT);
  OK(pliant_find(sim, "{\"x\": [null, -0.49]}", nodes, 64, &count));
  OK(pliant_hold(sim, nodes, count, 7));
  OK(pliant_equilibrium(sim));
  int64_t rows;
  double reaction = 0, total = 0;  // N, reactions along z; kg, mass of the body
  const double *r = field(sim, "reactions", &rows), *mass = field(sim, "masses", NULL);
  for (int64_t a = 0; a < rows; a++) {
    reaction += r[3 * a + 2];
    total += mass[a];
  }
  assert_true(fabs(reaction - 10 * total) < 1e-3 * total);  // the held nodes carry the weight
  OK(pliant_hold(sim, nodes, count, 0));
  OK(pliant_step(sim, 10));
  double v[3];
  observe(sim, "momentum", v, 3);
  assert_true(fabs(v[2] + total) < 1e-3 * total);  // free fall for 0.1 s
  assert_int_equal(pliant_hold(sim, (int32_t[]){ -1 }, 1, 7), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_hold(sim, nodes, 1, 8), PLIANT_BAD_ARGUMENT);
  pliant_sim_destroy(sim);
}

// Computes the position x [3] of material point X [3] at time t, under a shear that grows with time.
static void shear(const double *X, double t, double *x) {
  x[0] = X[0] + 0.3 * t * X[2];
  x[1] = X[1] * (1 - 0.1 * t);
  x[2] = X[2] + 0.2 * t * X[0];
}

static double largest_difference(pliant_sim *sim, const double *X, const int32_t *nodes, int64_t count, double t) {
  const double *x = field(sim, "positions", NULL);
  double worst = 0, to[3];
  for (int64_t k = 0; k < count; k++) {
    const int64_t a = nodes ? nodes[k] : k;
    shear(X + 3 * a, t, to);
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(x[3 * a + i] - to[i]));
  }
  return worst;
}

// Each node of the surface follows a shear. In equilibrium the inner nodes follow it, too, since a homogeneous
// deformation of a homogeneous body causes no internal forces at inner nodes.
static void nodes_follow_their_paths(void **state) {
  (void)state;
  pliant_sim *sim = create(box());
  int64_t rows, count = 0;
  double *X = copy_positions(sim, &rows), *to = malloc(sizeof *to * 3 * (size_t)rows);
  int32_t *nodes = malloc(sizeof *nodes * (size_t)rows), inner = -1;
  for (int32_t a = (int32_t)rows - 1; a >= 0; a--) {  // in descending order, since the call accepts any order
    if (fabs(X[3 * a]) > 0.499 || fabs(X[3 * a + 1]) > 0.199 || X[3 * a + 2] < 0.001 || X[3 * a + 2] > 0.399)
      nodes[count++] = a;
    else
      inner = a;
  }

  assert_true(inner >= 0 && count > 20);
  int grab, springs;
  OK(pliant_grab_nodes(sim, nodes, count, 0, &grab));
  for (int step = 1; step <= 10; step++) {
    for (int64_t k = 0; k < count; k++) shear(X + 3 * nodes[k], 0.1 * step, to + 3 * k);
    OK(pliant_grab_put(sim, grab, nodes, count, to));
    OK(pliant_step(sim, 1));
    assert_true(largest_difference(sim, X, nodes, count, 0.1 * step) <= 1e-15);
  }

  OK(pliant_equilibrium(sim));
  assert_true(largest_difference(sim, X, NULL, rows, 1) <= 1e-7);
  assert_true(largest_difference(sim, X, nodes, count, 1) <= 1e-15);

  // calls with bad arguments move no node
  const int32_t bad[2] = { nodes[0], inner };
  to[0] = 7;
  assert_int_equal(pliant_grab_put(sim, grab, bad, 2, to), PLIANT_BAD_ARGUMENT);
  char expected[40];
  snprintf(expected, sizeof expected, "node %d: this node does not belong", inner);
  assert_non_null(strstr(pliant_error(), expected));
  to[0] = NAN;
  assert_int_equal(pliant_grab_put(sim, grab, nodes, 1, to), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_grab_put(sim, grab + 1, nodes, 1, to), PLIANT_BAD_ARGUMENT);
  OK(pliant_grab_nodes(sim, &inner, 1, 10, &springs));
  assert_int_equal(pliant_grab_put(sim, springs, &inner, 1, X), PLIANT_BAD_ARGUMENT);
  OK(pliant_release(sim, springs));
  OK(pliant_step(sim, 1));
  assert_true(largest_difference(sim, X, nodes, count, 1) <= 1e-15);

  // a saved state contains the nodes' target positions
  size_t size;
  OK(pliant_save(sim, NULL, 0, &size));
  char *bytes = malloc(size);
  OK(pliant_save(sim, bytes, size, NULL));
  OK(pliant_reset(sim));
  OK(pliant_load(sim, bytes, size));
  OK(pliant_step(sim, 1));
  assert_true(largest_difference(sim, X, nodes, count, 1) <= 1e-15);
  free(X);
  free(to);
  free(nodes);
  free(bytes);
  pliant_sim_destroy(sim);
}

static void obstacles_push(void **state) {
  (void)state;
  pliant_scene *scene = box();
  OK(pliant_scene_set(scene, "self_contact", "true"));
  OK(pliant_scene_add(scene, "obstacles", "{\"kind\": \"box\", \"at\": [-1, 0, 0.2], \"size\": [0.2, 1, 1]}"));
  pliant_sim *sim = create(scene);
  double momentum[3], x[3] = { -1, 0, 0.2 }, mass = 0;
  int64_t rows;
  const double *m = field(sim, "masses", &rows);
  for (int64_t a = 0; a < rows; a++) mass += m[a];

  // at 1 m/s the obstacle reaches the box after 0.4 s and then pushes it along
  for (int k = 0; k < 100; k++) {
    x[0] += 0.01;
    OK(pliant_obstacle_to(sim, 0, x, NULL));
    OK(pliant_step(sim, 1));
    observe(sim, "momentum", momentum, 3);
    if (k == 35) assert_true(fabs(momentum[0]) < 1e-9 * mass);  // after 0.36 s, so before the contact
  }

  assert_true(momentum[0] > 0.9 * mass);
  OK(pliant_step(sim, 1));
  const double half_turn[4] = { 0, 0, 0, 1 };
  assert_int_equal(pliant_obstacle_to(sim, 0, x, half_turn), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_obstacle_to(sim, 1, x, NULL), PLIANT_BAD_ARGUMENT);
  OK(pliant_reset(sim));
  OK(pliant_step(sim, 60));
  observe(sim, "momentum", momentum, 3);

  // the reset has moved the obstacle back to its start, away from the box
  assert_true(fabs(momentum[0]) < 1e-9 * mass);
  pliant_sim_destroy(sim);
}

// The bytes of a state depend only on the state. Damaged bytes are refused or give a sim that works.
static void states_with_obstacles_are_checked(void **state) {
  (void)state;
  unsigned char *bytes[2];
  size_t size[2];
  pliant_sim *sim = NULL;
  for (int k = 0; k < 2; k++) {
    pliant_scene *scene = box();
    OK(pliant_scene_add(scene, "obstacles", "{\"kind\": \"sphere\", \"at\": [-3, 0, 0], \"radius\": 0.2}"));
    pliant_sim_destroy(sim);
    sim = create(scene);
    const double x[3] = { -2.9, 0, 0 };
    OK(pliant_obstacle_to(sim, 0, x, NULL));
    OK(pliant_step(sim, 2));
    OK(pliant_save(sim, NULL, 0, &size[k]));
    bytes[k] = malloc(size[k]);
    OK(pliant_save(sim, bytes[k], size[k], NULL));
  }

  assert_int_equal(size[0], size[1]);
  assert_memory_equal(bytes[0], bytes[1], size[0]);
  int refused = 0;
  for (size_t at = 8; at < 2000 && at < size[0]; at++) {
    memcpy(bytes[1], bytes[0], size[0]);
    bytes[1][at] ^= 0x7f;
    const int status = pliant_load(sim, bytes[1], size[0]);
    assert_true(status == PLIANT_OK || status == PLIANT_BAD_ARGUMENT);
    refused += status != PLIANT_OK;
    OK(pliant_load(sim, bytes[0], size[0]));
  }

  assert_true(refused > 20);
  OK(pliant_step(sim, 1));
  free(bytes[0]);
  free(bytes[1]);
  pliant_sim_destroy(sim);
}

static int stop_at_once(void *user) {
  ++*(int *)user;
  return 1;
}

static void interrupts_leave_the_state(void **state) {
  (void)state;
  pliant_scene *scene = box();
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  pliant_sim *sim = create(scene);
  OK(pliant_step(sim, 3));
  int64_t rows;
  int calls = 0;
  double *before = copy_positions(sim, &rows);
  OK(pliant_set_interrupt(sim, stop_at_once, &calls));
  assert_int_equal(pliant_step(sim, 3), PLIANT_STOPPED);
  assert_true(calls >= 1);
  check_bits(sim, before, rows);
  OK(pliant_set_interrupt(sim, NULL, NULL));
  OK(pliant_step(sim, 3));
  free(before);
  pliant_sim_destroy(sim);
}

// A sim whose callbacks call functions of the library. reads: number of successful readings; refused: number of refused
// changes.
typedef struct Nested {
  pliant_sim *sim;
  int reads, refused;
} Nested;

static void read_and_change(const char *what, double part, void *user) {
  Nested *n = user;
  const char *name = "kinetic";
  double energy;
  (void)what, (void)part;
  n->reads += pliant_observe(n->sim, &name, 1, &energy, 1) == PLIANT_OK;
  n->refused += pliant_step(n->sim, 1) == PLIANT_NOT_NOW;
  n->refused += pliant_step_many(&n->sim, 1, 1, NULL) == PLIANT_NOT_NOW;
  n->refused += pliant_listen(n->sim, NULL, NULL, NULL) == PLIANT_NOT_NOW;
}

static int stop_after_a_reading(void *user) {
  return ((Nested *)user)->reads > 0;
}

static void callbacks_read_but_do_not_change(void **state) {
  (void)state;
  pliant_scene *scene = box();
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  Nested n = { create(scene), 0, 0 };
  OK(pliant_listen(n.sim, read_and_change, NULL, &n));
  OK(pliant_step(n.sim, 1));
  assert_true(n.reads > 0 && n.refused == 3 * n.reads);
  OK(pliant_step_many(&n.sim, 1, 1, NULL));
  assert_int_equal(n.refused, 3 * n.reads);

  // the interrupt callback is still polled after a reading
  n.reads = 0;
  OK(pliant_set_interrupt(n.sim, stop_after_a_reading, &n));
  assert_int_equal(pliant_step(n.sim, 10000), PLIANT_STOPPED);
  pliant_sim_destroy(n.sim);
}

static void cuts_open(void **state) {
  (void)state;
  pliant_sim *sim = create(box());
  const double x[3] = { 0.05, 0, 0 }, normal[3] = { 1, 0, 0 };
  int64_t before, after;
  int opened = 0;
  field(sim, "positions", &before);
  OK(pliant_cut(sim, x, normal, 0, &opened));
  field(sim, "positions", &after);
  assert_true(opened > 0 && after > before);
  OK(pliant_step(sim, 2));
  size_t size;
  assert_int_equal(pliant_save(sim, NULL, 0, &size), PLIANT_NOT_NOW);
  OK(pliant_reset(sim));
  field(sim, "positions", &after);
  assert_int_equal(after, before);
  pliant_sim_destroy(sim);
}

static void *run_alone(void *result) {
  pliant_scene *scene = box();
  OK(pliant_scene_add(scene, "pins", "{\"x\": [null, -0.49]}"));
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  pliant_sim *sim = create(scene);
  int64_t rows;
  OK(pliant_step(sim, 20));
  *(double **)result = copy_positions(sim, &rows);
  pliant_sim_destroy(sim);
  return NULL;
}

static void threads_have_the_same_bits(void **state) {
  (void)state;
  enum { THREADS = 4 };
  pthread_t thread[THREADS];
  double *result[THREADS], *alone;
  run_alone(&alone);
  for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_create(&thread[k], NULL, run_alone, &result[k]), 0);
  for (int k = 0; k < THREADS; k++) {
    pthread_join(thread[k], NULL);
    assert_memory_equal(result[k], alone, 24 * sizeof *alone);
    free(result[k]);
  }
  free(alone);
}

// Progress reports and notices that a listener has received. part, what: fraction and operation of the newest report;
// first: operation of the first report since the last check; notice: the newest notice.
typedef struct Reports {
  pthread_t thread;
  const char *idle_key;       // key that has no effect in the scene of the test, which causes a notice
  int count, wrong, notices;  // wrong: in another thread, or with a fraction above 1 or below that of the report before
  double part;
  char what[40], first[40], notice[200];
} Reports;

static void note_progress(const char *what, double part, void *user) {
  Reports *r = user;
  r->wrong += !pthread_equal(r->thread, pthread_self()) || part < r->part || part > 1;
  r->part = part;
  snprintf(r->what, sizeof r->what, "%s", what);
  if (r->count++ == 0) snprintf(r->first, sizeof r->first, "%s", what);
}

static void note_line(const char *line, void *user) {
  Reports *r = user;
  r->wrong += !pthread_equal(r->thread, pthread_self());
  r->notices++;
  snprintf(r->notice, sizeof r->notice, "%s", line);
}

static void check_reports(Reports *r, const char *first, const char *last, int count) {
  assert_int_equal(r->wrong, 0);
  assert_string_equal(r->first, first);
  assert_string_equal(r->what, last);
  assert_true(r->part == 1 && r->count >= count);
  r->count = 0;
  r->part = 0;
}

// Makes all calls that report progress, with a scene that causes one notice.
static void *listen_alone(void *user) {
  Reports *r = user;
  r->thread = pthread_self();
  pliant_scene *scene = box();
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -10]"));
  OK(pliant_scene_add(scene, "pins", "{\"x\": [null, -0.49]}"));
  OK(pliant_scene_set(scene, r->idle_key, "0.01"));
  OK(pliant_scene_listen(scene, note_progress, note_line, r));
  pliant_sim *sim = create(scene);
  check_reports(r, "reading the mesh", "ready", 5);
  assert_int_equal(r->notices, 1);
  assert_non_null(strstr(r->notice, r->idle_key));
  for (int k = 0; k < 20; k++) OK(pliant_step(sim, 1));
  check_reports(r, "taking time steps", "taking time steps", 20);
  OK(pliant_step(sim, 4));
  check_reports(r, "taking time steps", "taking time steps", 4);
  OK(pliant_equilibrium(sim));
  check_reports(r, "finding the equilibrium", "finding the equilibrium", 1);
  OK(pliant_set(sim, "precision", "\"float\""));
  check_reports(r, "ordering the nodes", "ready", 4);
  OK(pliant_listen(sim, NULL, NULL, NULL));
  OK(pliant_step(sim, 1));
  assert_int_equal(r->count, 0);
  pliant_sim_destroy(sim);
  return NULL;
}

static void threads_receive_reports_of_their_own_sims(void **state) {
  (void)state;
  enum { THREADS = 2 };
  pthread_t thread[THREADS];
  Reports of_all = { .thread = pthread_self() },
          of[THREADS] = { { .idle_key = "contact_distance" }, { .idle_key = "friction_speed" } };
  pliant_set_log(note_line, &of_all);
  for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_create(&thread[k], NULL, listen_alone, &of[k]), 0);
  for (int k = 0; k < THREADS; k++) pthread_join(thread[k], NULL);
  assert_int_equal(of_all.wrong + of_all.notices, 0);
  pliant_set_log(NULL, NULL);
}

static void floating_point_mode_and_locale_of_the_caller_are_kept(void **state) {
  (void)state;
  setenv("PLIANT_MEMORY_MIB", "nonsense", 1);   // the library reads no environment variable
  const unsigned mode = _mm_getcsr() & 0xffc0;  // rounding, denormals and masks, without the flags of exceptions
  const locale_t locale = uselocale((locale_t)0);
  pliant_sim *sim = create(box());
  OK(pliant_step(sim, 1));
  pliant_sim_destroy(sim);
  assert_int_equal(_mm_getcsr() & 0xffc0, mode);
  assert_ptr_equal(uselocale((locale_t)0), locale);
}

static void tables_end(void **state) {
  (void)state;
  int options = 0, fields = 0, observables = 0;
  pliant_option_info option = { .size = sizeof option };
  pliant_field_info row = { .size = sizeof row };
  pliant_observable_info observable = { .size = sizeof observable };
  while (pliant_option(options, &option) == PLIANT_OK) options++;
  while (pliant_field_row(fields, &row) == PLIANT_OK) fields++;
  while (pliant_observable(observables, &observable) == PLIANT_OK) observables++;
  assert_true(options > 50 && fields > 15 && observables > 15);
  assert_string_equal(pliant_status_name(PLIANT_NOT_NOW), "not_now");
  assert_string_equal(pliant_status_name(99), "unknown");

  // every field of the list can be computed
  pliant_sim *sim = create(box());
  for (int k = 0; k < fields; k++) {
    pliant_view view = { .size = sizeof view };
    OK(pliant_field_row(k, &row));
    OK(pliant_field(sim, row.name, PLIANT_HOST, &view));
    assert_true(view.data && view.shape[0] > 0 && view.shape[1] > 0);
    if (strcmp(device, "cuda") == 0 && row.on_device) OK(pliant_field(sim, row.name, pliant_sim_device(sim), &view));
  }

  double none[3];
  const char *const names[] = { "kinetik", "position:0" };
  assert_int_equal(pliant_observe(sim, names, 1, none, 1), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_observe(sim, names, -1, none, 1), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_observe(sim, names + 1, 1, none, 3), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "the mesh has no node 0; the numbers of its nodes are from 1 to "));
  pliant_view view = { .size = sizeof view };
  assert_int_equal(pliant_field(sim, "positon", PLIANT_HOST, &view), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "there is no field \"positon\" (did you mean \"positions\"?)"));
  pliant_sim_destroy(sim);
}

int main(int argc, char **argv) {
  device = argc > 1 ? argv[1] : "cpu";
  if (strcmp(device, "cuda") == 0 && pliant_device_count() == 0) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(falls_as_a_stone),
    cmocka_unit_test(forces_accelerate),
    cmocka_unit_test(states_repeat),
    cmocka_unit_test(reports_stay),
    cmocka_unit_test(meshes_come_from_arrays),
    cmocka_unit_test(quadratic_meshes_from_arrays_have_degree_2),
    cmocka_unit_test(scenes_are_written),
    cmocka_unit_test(moved_obstacles_are_written),
    cmocka_unit_test(orientation_is_kept),
    cmocka_unit_test(bad_arrays_are_refused),
    cmocka_unit_test(bad_values_are_refused),
    cmocka_unit_test(settings_change),
    cmocka_unit_test(gpus_that_do_not_exist_are_refused),
    cmocka_unit_test(nodes_are_found_and_held),
    cmocka_unit_test(nodes_follow_their_paths),
    cmocka_unit_test(obstacles_push),
    cmocka_unit_test(states_with_obstacles_are_checked),
    cmocka_unit_test(interrupts_leave_the_state),
    cmocka_unit_test(callbacks_read_but_do_not_change),
    cmocka_unit_test(cuts_open),
    cmocka_unit_test(threads_have_the_same_bits),
    cmocka_unit_test(threads_receive_reports_of_their_own_sims),
    cmocka_unit_test(floating_point_mode_and_locale_of_the_caller_are_kept),
    cmocka_unit_test(tables_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
