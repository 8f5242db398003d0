// Tests bodies that intersect initially. A session with a window must mark the intersecting nodes and compute no
// contact until the bodies have separated; then they must collide. A session without a window must refuse such a scene.
#include "live_testing.h"

#include "base/style.h"
#include "sim/crossing_marks.h"

static const char *const TEXT =
    "{\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"size\": [1, 1, 1], \"cells\": 4}, \"velocity\": [-0.6, 0, 0]},"
    " {\"shape\": {\"kind\": \"box\", \"size\": [0.4, 0.4, 0.4], \"cells\": 1}, \"place\": [0.42, 0, -0.2],"
    " \"velocity\": [0.6, 0, 0]}], \"young\": 1e5, \"self_contact\": true, \"device\": \"cpu\"}";

// A scene with obstacles, which push nodes of bodies out: one ball intersects a box, another ball is inside a sphere.
static const char *const OBSTACLES =
    "{\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"size\": [1, 1, 1], \"cells\": 4}},"
    " {\"shape\": {\"kind\": \"sphere\", \"size\": [0.2, 0.2, 0.2], \"cells\": 2}, \"place\": [3.02, 0, 0.35],"
    " \"velocity\": [0, 0, 3]}], \"obstacles\": [{\"kind\": \"box\", \"at\": [-0.9, 0, 0.5], \"size\": [1, 1, 1]},"
    " {\"kind\": \"sphere\", \"at\": [3, 0, 0.4], \"radius\": 0.3}],"
    " \"young\": 1e5, \"self_contact\": true, \"device\": \"cpu\"}";

static Scene *scene_of(const char *text) {
  char path[] = "/tmp/pliant-crossings-XXXXXX.json";
  const int file = mkstemps(path, 5);
  assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
  Scene *scene = read_scene(path);
  unlink(path);
  return scene;
}

static Scene *overlapping(void) {
  return scene_of(TEXT);
}

static int marked(const Live *live) {
  const int nodes = live->session.mesh.node_count;
  uint8_t *marks = malloc((size_t)nodes);
  int count = 0;
  live_marks(live, marks);
  for (int a = 0; a < nodes; a++) count += marks[a] & MARK_CROSSES ? 1 : 0;
  free(marks);
  return count;
}

static bool waits(const Live *live) {
  return !simulation_settings(live->session.simulation)->self_contact;
}

static void crossings_are_marked_until_they_end(void **state) {
  (void)state;
  Scene *scene = overlapping();
  Live *live = live_new(scene);
  int steps = 0, before = marked(live);
  printf("  %d nodes are marked, of %lld crossings\n", before, (long long)live->session.crossings);
  assert_true(waits(live) && before > 5 && live->session.crossings > 5);
  const int version = live->pin_version;
  while (waits(live) && steps < 100) {
    assert_true(marked(live) > 0);
    take_steps(live, 1);
    steps++;
  }

  printf("  contact begins after %d steps\n", steps);
  assert_true(steps > 3 && steps < 60 && marked(live) == 0 && live->session.crossings == 0);
  assert_true(live->pin_version > version);
  take_steps(live, 3);
  assert_false(waits(live));

  // after a reset the bodies must intersect again, and the motion must repeat with equal bits
  double *x = state_of(live);
  do_it(live, &(Command){ .kind = COMMAND_RESET });
  assert_true(waits(live) && marked(live) == before);
  take_steps(live, steps + 3);
  double *again = state_of(live);
  assert_memory_equal(x, again, 6 * (size_t)live->session.mesh.node_count * sizeof *x);
  free(x);
  free(again);
  live_delete(live);
  free(scene);
}

// While the bodies intersect, they fall and sink into a floor, since no contact is computed. When contact begins, the
// session must lift them out of the floor, and then they must stay above it.
static void contact_begins_above_the_floor(void **state) {
  (void)state;
  char text[1000];
  snprintf(text, sizeof text, "%.*s, \"gravity\": [0, 0, -9.81], \"floor\": -0.2}", (int)strlen(TEXT) - 1, TEXT);
  Scene *scene = scene_of(text);
  Live *live = live_new(scene);
  double lowest = HUGE_VAL;
  int steps = 0;
  for (; waits(live) && steps < 100; steps++) take_steps(live, 1);
  take_steps(live, 20);
  double *x = state_of(live);
  for (int a = 0; a < live->session.mesh.node_count; a++) lowest = fmin(lowest, x[3 * a + 2]);
  printf("  contact begins after %d steps; 20 steps later the lowest node is at %.5f m\n", steps, lowest);
  assert_true(steps > 3 && steps < 60 && lowest > -0.2 && lowest < -0.19);
  free(x);
  live_delete(live);
  free(scene);
}

static void bodies_that_are_pushed_together_again_touch(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = overlapping();
  Live *live = live_new(scene);
  CrossingMarks *marks;
  const int nodes = live->session.mesh.node_count;
  double(*x)[3] = malloc(sizeof *x * (size_t)nodes);
  uint8_t *node = malloc((size_t)nodes);
  int64_t count;
  MUST(crossing_marks_create(&marks, &live->session.mesh, &scene->simulation, &error));
  for (int k = 0; waits(live) && k < 100; k++) take_steps(live, 1);

  // pulls the box back to the ball: now they must not intersect
  int id;
  uint8_t *box = calloc((size_t)nodes, 1);
  for (int a = 0; a < nodes; a++) box[a] = mesh_body(&live->session.mesh, a) == 1;
  MUST(simulation_grab_nodes(live->session.simulation, box, 500, &id, &error));
  MUST(simulation_drag(live->session.simulation, id, (double[3]){ -1, 0, 0 }, &error));
  for (int k = 0; k < 40; k++) {
    take_steps(live, 1);
    MUST(simulation_state(live->session.simulation, x, NULL, &error));
    MUST(crossing_marks_update(marks, (const double(*)[3])x, 0, node, &count, &error));
    assert_int_equal(count, 0);
  }

  crossing_marks_destroy(marks);
  free(x);
  free(node);
  free(box);
  live_delete(live);
  free(scene);
}

static void bodies_that_start_in_an_obstacle_are_marked_until_they_are_out(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = scene_of(OBSTACLES);
  Live *live = live_new(scene);
  const int nodes = live->session.mesh.node_count;
  uint8_t *marks = malloc((size_t)nodes);
  int of[2] = { 0 }, all[2] = { 0 }, steps = 0;
  assert_true(waits(live));
  for (; waits(live) && steps < 200; steps++) {
    // Initially some nodes of the first ball must be marked, and all nodes of the second ball, which is inside.
    live_marks(live, marks);
    memset(of, 0, sizeof of);
    memset(all, 0, sizeof all);
    for (int a = 0; a < nodes; a++) {
      const int body = mesh_body(&live->session.mesh, a);
      all[body]++;
      of[body] += marks[a] & MARK_CROSSES ? 1 : 0;
    }
    assert_true(of[0] + of[1] > 0);
    if (steps == 0) assert_true(of[0] > 5 && of[0] < all[0] / 2 && of[1] == all[1]);
    take_steps(live, 1);
  }

  printf("  contact begins after %d steps\n", steps);
  assert_true(steps > 3 && steps < 200 && marked(live) == 0);
  Energy energy;
  take_steps(live, 10);
  assert_false(waits(live));
  MUST(simulation_energy(live->session.simulation, &energy, &error));
  free(marks);
  live_delete(live);
  free(scene);
}

static void overlaps_without_a_window_are_refused(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = overlapping();
  Session *session = calloc(1, sizeof *session);
  assert_false(session_create(session, scene, &error));
  if (!strstr(error.message, "the surface intersects itself")) fail_msg("%s", error.message);
  free(session);
  free(scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(crossings_are_marked_until_they_end),
    cmocka_unit_test(contact_begins_above_the_floor),
    cmocka_unit_test(bodies_that_are_pushed_together_again_touch),
    cmocka_unit_test(bodies_that_start_in_an_obstacle_are_marked_until_they_are_out),
    cmocka_unit_test(overlaps_without_a_window_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
