// Tests pliant_step_many, which takes steps of many sims. Each sim must get the same bits as by pliant_step, also if
// Newton's method needs a line search or a shorter time step for some sims. On the GPU, sims with the solver "block"
// take their steps together (sim/worlds). Also tests resets by pliant_reset_many. argv[1]: the device.
#include "../testing.h"

#include <limits.h>

#include "pliant.h"

static const char *device;

// Number of sims in a test: 12 on the CPU. On the GPU there are so many that pliant_step_many divides them into parts.
static int worlds;
enum { WORLDS_MAX = 48 };

// Returns a number from 0 for the first sim to 23 for the last one.
static double rank_of(int k) {
  return 23.0 * k / (worlds - 1);
}

// Fails the test with the library's error message unless the call succeeds.
#define OK(call)                                                                \
  do {                                                                          \
    const int status = (call);                                                  \
    if (status) fail_msg("%s: %s", pliant_status_name(status), pliant_error()); \
  } while (0)

// Returns a scene with a box of 0.4 x 0.1 x 0.1 m whose lower face is at z = 0, for the device of the test.
static pliant_scene *beam(const char *precision) {
  const char *const text =
      "{\"shapes\": [{\"kind\": \"box\", \"size\": [0.4, 0.1, 0.1], \"cells\": 2}], \"young\": 5e4, \"solver\": "
      "\"block\", \"density\": 1000}";
  char quoted[40];
  pliant_scene *scene;
  OK(pliant_scene_parse(&scene, text, NULL));
  snprintf(quoted, sizeof quoted, "\"%s\"", device);
  OK(pliant_scene_set(scene, "device", quoted));
  snprintf(quoted, sizeof quoted, "\"%s\"", precision);
  OK(pliant_scene_set(scene, "precision", quoted));
  if (strcmp(device, "cuda") == 0) OK(pliant_scene_set(scene, "assembly", "\"globalnz\""));
  return scene;
}

static double *positions(pliant_sim *sim, int64_t *rows) {
  pliant_view view = { .size = sizeof view };
  OK(pliant_field(sim, "positions", PLIANT_HOST, &view));
  *rows = view.shape[0];
  return view.data;
}

// Gives all nodes of a sim the velocity v, m/s, and a rotation with the angular velocity w, 1/s, about the y axis.
static void throw(pliant_sim * sim, const double v[3], double w) {
  int64_t rows;
  const double *x = positions(sim, &rows);
  double *velocity = malloc(sizeof *velocity * 3 * (size_t)rows);
  for (int64_t a = 0; a < rows; a++) {
    velocity[3 * a] = v[0] + w * x[3 * a + 2];
    velocity[3 * a + 1] = v[1];
    velocity[3 * a + 2] = v[2] - w * x[3 * a];
  }
  pliant_view view = {
    .size = sizeof view, .data = velocity, .device = PLIANT_HOST, .type = PLIANT_F64, .shape = { rows, 3 }
  };
  OK(pliant_put(sim, "velocities", &view));
  free(velocity);
}

// Creates two lists of `worlds` equal sims from a scene: `sims`, and `alone` for comparison. Destroys the scene.
static void create(pliant_scene *scene, pliant_sim **sims, pliant_sim **alone) {
  OK(pliant_sim_create(&sims[0], scene));
  OK(pliant_sim_clone(sims + 1, worlds - 1, sims[0]));
  OK(pliant_sim_clone(alone, worlds, sims[0]));
  pliant_scene_destroy(scene);
}

static void destroy(pliant_sim **sims, pliant_sim **alone) {
  for (int k = 0; k < worlds; k++) {
    pliant_sim_destroy(sims[k]);
    pliant_sim_destroy(alone[k]);
  }
}

// Checks that both sims have the same positions to the bit, and equal numbers in their reports. Returns the number of
// Newton iterations.
static int check_equal(pliant_sim *sim, pliant_sim *other) {
  int64_t rows;
  pliant_report report = { .size = sizeof report }, expected = { .size = sizeof expected };
  const double *x = positions(sim, &rows), *y = positions(other, &rows);
  assert_memory_equal(x, y, sizeof *x * 3 * (size_t)rows);
  OK(pliant_get_report(sim, &report));
  OK(pliant_get_report(other, &expected));
  assert_int_equal(report.newton_iterations, expected.newton_iterations);
  assert_int_equal(report.cg_iterations, expected.cg_iterations);
  assert_int_equal(report.substeps, expected.substeps);
  if (report.residual != expected.residual || report.min_J != expected.min_J)
    fail_msg("residual %.17g and smallest det F %.17g, alone %.17g and %.17g", report.residual, report.min_J,
             expected.residual, expected.min_J);
  return report.newton_iterations;
}

// Takes steps of `sims` together and of `alone` one after the other, and compares both. Returns the difference between
// the largest and the smallest number of Newton iterations in the last step.
static int step_and_compare(pliant_sim **sims, pliant_sim **alone, int steps) {
  int least = INT_MAX, most = 0;
  OK(pliant_step_many(sims, worlds, steps, NULL));
  for (int k = 0; k < worlds; k++) {
    OK(pliant_step(alone[k], steps));
    const int iterations = check_equal(sims[k], alone[k]);
    least = iterations < least ? iterations : least;
    most = iterations > most ? iterations : most;
  }
  return most - least;
}

// Pinned beams are pulled to different points. For points far away, Newton's method needs more iterations than for
// others.
static void pulled(const char *precision) {
  pliant_sim *sims[WORLDS_MAX], *alone[WORLDS_MAX];
  const double end[3] = { 0.2, 0, 0.1 };
  pliant_scene *scene = beam(precision);
  OK(pliant_scene_add(scene, "pins", "{\"x\": [null, -0.19]}"));
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -9.81]"));
  create(scene, sims, alone);
  for (int k = 0; k < worlds; k++) {
    const double to[3] = { -0.004 * rank_of(k), 0.01 * rank_of(k), 0.005 * rank_of(k) };
    for (int copy = 0; copy < 2; copy++) {
      pliant_sim *sim = copy ? alone[k] : sims[k];
      int grab;
      OK(pliant_grab(sim, end, 0.06, 0, &grab));
      OK(pliant_grab_to(sim, grab, to));
    }
  }
  assert_true(step_and_compare(sims, alone, 12) > 0);
  destroy(sims, alone);
}

static void pulled_float(void **state) {
  (void)state;
  pulled("float");
}

static void pulled_double(void **state) {
  (void)state;
  pulled("double");
}

// Free beams that fall on a floor with friction at different speeds, and rotate.
static void thrown_on_a_floor(void **state) {
  (void)state;
  pliant_sim *sims[WORLDS_MAX], *alone[WORLDS_MAX];
  pliant_scene *scene = beam("float");
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -9.81]"));
  OK(pliant_scene_set(scene, "floor", "-0.02"));
  OK(pliant_scene_set(scene, "friction", "0.4"));
  create(scene, sims, alone);
  for (int k = 0; k < worlds; k++) {
    const double v[3] = { 0.1 * rank_of(k), 0, -0.05 * rank_of(k) };
    for (int copy = 0; copy < 2; copy++) throw(copy ? alone[k] : sims[k], v, 0.3 * rank_of(k));
  }
  step_and_compare(sims, alone, 40);
  destroy(sims, alone);
}

// Free beams that spin fast. Newton's method rejects its full step, so the host continues the steps of these beams.
static void spinning(void **state) {
  (void)state;
  pliant_sim *sims[WORLDS_MAX], *alone[WORLDS_MAX];
  create(beam("double"), sims, alone);
  for (int k = 0; k < worlds; k++) {
    const double v[3] = { 1, 0, 0 };
    for (int copy = 0; copy < 2; copy++) throw(copy ? alone[k] : sims[k], v, 2.0 * rank_of(k));
  }
  step_and_compare(sims, alone, 20);
  destroy(sims, alone);
}

// An obstacle of each sim moves along its own path, and pushes the beam.
static void pushed_by_obstacles(void **state) {
  (void)state;
  pliant_sim *sims[WORLDS_MAX], *alone[WORLDS_MAX];
  pliant_scene *scene = beam("float");
  OK(pliant_scene_add(scene, "pins", "{\"x\": [null, -0.19]}"));
  OK(pliant_scene_add(scene, "obstacles", "{\"kind\": \"sphere\", \"at\": [0.15, 0, 0.2], \"radius\": 0.05}"));
  create(scene, sims, alone);
  for (int step = 1; step <= 10; step++) {
    for (int k = 0; k < worlds; k++) {
      const double centre[3] = { 0.15, 0.001 * rank_of(k), 0.2 - 0.0008 * rank_of(k) * step };
      for (int copy = 0; copy < 2; copy++) OK(pliant_obstacle_to(copy ? alone[k] : sims[k], 0, centre, NULL));
    }
    step_and_compare(sims, alone, 1);
  }
  destroy(sims, alone);
}

// One sim has a force that is too large for float. Its step must fail, and the steps of all other sims must be taken.
// One further sim has another mesh.
static void one_fails(void **state) {
  (void)state;
  pliant_sim *sims[WORLDS_MAX], *alone[WORLDS_MAX];
  int statuses[WORLDS_MAX + 1];
  create(beam("float"), sims, alone);
  pliant_scene *scene = beam("float");
  OK(pliant_scene_set(scene, "shapes", "[{\"kind\": \"box\", \"size\": [0.4, 0.1, 0.1], \"cells\": 3}]"));
  pliant_sim *other, *all[WORLDS_MAX + 1];
  OK(pliant_sim_create(&other, scene));
  pliant_scene_destroy(scene);
  for (int k = 0; k < worlds; k++) {
    const double v[3] = { 0, 0.1 * rank_of(k), 0 };
    for (int copy = 0; copy < 2; copy++) throw(copy ? alone[k] : sims[k], v, 0.5);
    all[k] = sims[k];
  }

  all[worlds] = other;

  int64_t rows;
  positions(sims[7], &rows);
  double *force = calloc(3 * (size_t)rows, sizeof *force);
  force[4] = 1e38;
  pliant_view view = {
    .size = sizeof view, .data = force, .device = PLIANT_HOST, .type = PLIANT_F64, .shape = { rows, 3 }
  };
  OK(pliant_put(sims[7], "forces", &view));
  assert_int_equal(pliant_step_many(all, worlds + 1, 3, statuses), PLIANT_STEP_FAILED);
  assert_non_null(strstr(pliant_error(), "sim 7"));
  for (int k = 0; k < worlds; k++) {
    OK(pliant_step(alone[k], 3));
    assert_int_equal(statuses[k], k == 7 ? PLIANT_STEP_FAILED : PLIANT_OK);
    if (k != 7) check_equal(sims[k], alone[k]);
  }

  assert_int_equal(statuses[worlds], PLIANT_OK);
  all[3] = all[5];
  assert_int_equal(pliant_step_many(all, worlds, 1, NULL), PLIANT_BAD_ARGUMENT);
  free(force);
  pliant_sim_destroy(other);
  destroy(sims, alone);
}

// Every second sim is reset by pliant_reset_many, and its copy by pliant_reset. Both must continue with the same bits,
// and the other sims must keep their state. In the initial state of the scene, the beam is twisted. The reset must also
// end grabs, release held nodes and move an obstacle back, so that the bits are those of a new sim.
static void resets(void **state) {
  (void)state;
  pliant_sim *sims[WORLDS_MAX], *alone[WORLDS_MAX], *fresh;
  unsigned char chosen[WORLDS_MAX];
  int statuses[WORLDS_MAX];
  pliant_scene *scene = beam("float");
  OK(pliant_scene_set(scene, "gravity", "[0, 0, -9.81]"));
  OK(pliant_scene_set(scene, "floor", "-0.02"));
  OK(pliant_scene_set(scene, "twist", "{\"axis\": \"x\", \"degrees\": 40}"));
  OK(pliant_scene_add(scene, "obstacles", "{\"kind\": \"sphere\", \"at\": [0.15, 0, 0.3], \"radius\": 0.05}"));
  create(scene, sims, alone);
  OK(pliant_sim_clone(&fresh, 1, sims[0]));
  const double end[3] = { 0.2, 0, 0.1 }, up[3] = { 0, 0, 0.02 }, centre[3] = { 0.15, 0, 0.2 };
  const int32_t held = 3;
  for (int k = 0; k < worlds; k++) {
    for (int copy = 0; copy < 2; copy++) {
      pliant_sim *sim = copy ? alone[k] : sims[k];
      int grab;
      OK(pliant_grab(sim, end, 0.06, 0, &grab));
      OK(pliant_grab_to(sim, grab, up));
      OK(pliant_hold(sim, &held, 1, 7));
      OK(pliant_obstacle_to(sim, 0, centre, NULL));
    }
    chosen[k] = k % 2 == 0;
  }

  step_and_compare(sims, alone, 5);
  OK(pliant_reset_many(sims, worlds, chosen, statuses));
  for (int k = 0; k < worlds; k++) {
    int64_t rows;
    if (chosen[k]) OK(pliant_reset(alone[k]));
    const double *x = positions(sims[k], &rows), *y = positions(alone[k], &rows);
    assert_memory_equal(x, y, sizeof *x * 3 * (size_t)rows);
    assert_int_equal(statuses[k], PLIANT_OK);
  }

  step_and_compare(sims, alone, 6);

  OK(pliant_reset_many(sims, worlds, NULL, NULL));
  for (int k = 0; k < worlds; k++) OK(pliant_reset(alone[k]));
  step_and_compare(sims, alone, 3);
  OK(pliant_step(fresh, 3));
  for (int k = 0; k < worlds; k++) check_equal(sims[k], fresh);
  pliant_sim_destroy(fresh);
  assert_int_equal(pliant_reset_many(sims, -1, NULL, NULL), PLIANT_BAD_ARGUMENT);
  assert_int_equal(pliant_reset_many(NULL, 1, NULL, NULL), PLIANT_BAD_ARGUMENT);
  OK(pliant_reset_many(NULL, 0, NULL, NULL));
  destroy(sims, alone);
}

// pliant_field_many must copy the same bits as pliant_field. It must refuse sims of different sizes, unknown fields,
// and an array that is too small.
static void fields(void **state) {
  (void)state;
  pliant_sim *sims[WORLDS_MAX], *alone[WORLDS_MAX], *other;
  create(beam("float"), sims, alone);
  for (int k = 0; k < worlds; k++) {
    const double v[3] = { 0.1 * k, 0, 0.2 };
    throw(sims[k], v, 0.5);
  }
  OK(pliant_step_many(sims, worlds, 2, NULL));
  const char *const names[] = { "positions", "velocities", "von_mises", "held_axes" };
  const int numbers[] = { 3, 3, 1, 1 }, bytes[] = { 8, 8, 4, 4 };
  for (int f = 0; f < 4; f++) {
    pliant_view view = { .size = sizeof view };
    OK(pliant_field(sims[0], names[f], PLIANT_HOST, &view));
    const size_t size = (size_t)view.shape[0] * (size_t)(numbers[f] * bytes[f]);
    char *values = malloc(size * (size_t)worlds);
    OK(pliant_field_many(sims, worlds, names[f], values, size * (size_t)worlds));
    for (int k = 0; k < worlds; k++) {
      OK(pliant_field(sims[k], names[f], PLIANT_HOST, &view));
      assert_memory_equal(values + size * (size_t)k, view.data, size);
    }
    assert_int_equal(pliant_field_many(sims, worlds, names[f], values, size * (size_t)worlds - 1), PLIANT_BAD_ARGUMENT);
    assert_int_equal(pliant_field_many(sims, worlds, "nonsense", values, size * (size_t)worlds), PLIANT_BAD_ARGUMENT);
    free(values);
  }

  pliant_scene *scene = beam("float");
  OK(pliant_scene_set(scene, "shapes", "[{\"kind\": \"box\", \"size\": [0.4, 0.1, 0.1], \"cells\": 1}]"));
  OK(pliant_sim_create(&other, scene));
  pliant_scene_destroy(scene);
  pliant_sim *const both[] = { sims[0], other };
  double *values = calloc(6000, sizeof *values);
  assert_int_equal(pliant_field_many(both, 2, "positions", values, 6000 * sizeof *values), PLIANT_BAD_ARGUMENT);
  assert_non_null(strstr(pliant_error(), "sim 1"));
  free(values);
  pliant_sim_destroy(other);
  destroy(sims, alone);
}

int main(int argc, char **argv) {
  device = argc > 1 ? argv[1] : "cpu";
  const bool on_gpu = strcmp(device, "cuda") == 0;
  if (on_gpu && pliant_device_count() == 0) return 77;
  worlds = on_gpu ? WORLDS_MAX : 12;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(pulled_float),
    cmocka_unit_test(pulled_double),
    cmocka_unit_test(thrown_on_a_floor),
    cmocka_unit_test(spinning),
    cmocka_unit_test(pushed_by_obstacles),
    cmocka_unit_test(one_fails),
    cmocka_unit_test(resets),
    cmocka_unit_test(fields),
  };
  if (argc > 2) cmocka_set_test_filter(argv[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
