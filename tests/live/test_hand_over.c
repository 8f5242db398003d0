// Tests that another session of the same mesh continues a motion: with equal bits if nothing else differs, and with
// equal positions and velocities if materials, forces or obstacles differ. Motions that cannot continue are refused.
#include "live_testing.h"

#include <float.h>

#include "scene/scene_edit.h"

// A box that is pinned at its foot, and a box that falls; "%s" are more keys of the second box, of the scene and its
// obstacles.
static const char *const TWO =
    "{\"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2}, \"pins\": {\"z\": [null, 0.1]}},"
    " {\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2}, \"place\": [3, 0, 2] %s}], \"young\": 2e4,"
    " \"poisson\": 0.3, \"density\": 1000, \"gravity\": [0, 0, -9.81], \"dt\": 0.01, \"precision\": \"double\","
    " \"device\": \"cpu\" %s}";

static Live *live_of(const char *of_body, const char *of_scene) {
  Error error = { 0 };
  char text[2000];
  Scene *scene = malloc(sizeof *scene);
  assert_non_null(scene);
  snprintf(text, sizeof text, TWO, of_body, of_scene);
  MUST(scene_edit_read(scene, text, "two.json", &error));
  Live *live = live_new(scene);
  free(scene);
  return live;
}

static bool hand_over(Live *from, Live *to, Error *error) {
  char *bytes = NULL;
  size_t size = 0;
  const bool ok = live_hand_over(from, &bytes, &size, error) && live_take_over(to, bytes, size, error);
  free(bytes);
  return ok;
}

// Pins a node of the falling box, and keeps a pull of another one.
static void pin_and_pull(Live *live) {
  const TetMesh *mesh = &live->session.mesh;
  const int *node = live->session.surface.triangle[live->session.surface.triangle_count - 1];
  Command grab = { .kind = COMMAND_GRAB, .radius = 0.1, .stiffness = 500, .barycentric = { 1 } };
  memcpy(grab.X, mesh->X[node[0]], sizeof grab.X);
  memcpy(grab.nodes, node, sizeof grab.nodes);
  do_it(live, &grab);
  do_it(live, &(Command){ .kind = COMMAND_DRAG, .offset = { 0.3, 0, 0.1 } });
  take_steps(live, 3);
  do_it(live, &(Command){ .kind = COMMAND_KEEP });
  do_it(live, &(Command){ .kind = COMMAND_PIN, .X = { 3, 0, 3 }, .radius = 0.05 });
  take_steps(live, 3);
}

static void an_equal_scene_continues_with_equal_bits(void **state) {
  (void)state;
  Error error = { 0 };
  Live *from = live_of("", ""), *to = live_of(", \"color\": [1, 0, 0], \"roughness\": 0.2", "");
  take_steps(from, 5);
  pin_and_pull(from);
  MUST(hand_over(from, to, &error));
  assert_int_equal(to->session.pull_count, 1);
  for (int round = 0; round < 2; round++) {
    double *a = state_of(from), *b = state_of(to);
    assert_memory_equal(a, b, 6 * sizeof *a * (size_t)from->session.mesh.node_count);
    free(a);
    free(b);
    take_steps(from, 8);
    take_steps(to, 8);
  }

  assert_true(simulation_time(from->session.simulation) == simulation_time(to->session.simulation));
  assert_memory_equal(from->session.pinned, to->session.pinned, (size_t)from->session.mesh.node_count);

  // after a reset, the body is in the initial state of the scene
  do_it(to, &(Command){ .kind = COMMAND_RESET });
  double *x = state_of(to);
  const size_t reals = 3 * (size_t)to->session.mesh.node_count;
  for (size_t k = 0; k < reals; k++) assert_true(x[k] == to->session.mesh.X[k / 3][k % 3]);
  free(x);
  live_delete(from);
  live_delete(to);
}

// Changed materials, forces, gravity and obstacles keep positions, velocities and time, and act from the next step on.
static void other_scenes_continue_from_the_same_state(void **state) {
  (void)state;
  static const char *const changes[][2] = {
    { ", \"density\": 3000", "" },
    { ", \"young\": 1e5, \"poisson\": 0.1, \"damping\": 2", "" },
    { "", ", \"forces\": [{\"region\": {\"body\": 1}, \"total\": [500, 0, 0]}]" },
    { "", ", \"materials\": [{\"region\": {\"z\": [0.5, null]}, \"stiffness\": 5}]" },
    { "", ", \"obstacles\": [{\"kind\": \"sphere\", \"at\": [3, 0, 1.3], \"radius\": 0.5}]" },
    { "", ", \"mass\": \"consistent\"" },
  };
  for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
    Error error = { 0 };
    Live *from = live_of("", ""), *to = live_of(changes[k][0], changes[k][1]);
    const size_t nodes = (size_t)from->session.mesh.node_count;
    double(*v)[2][3] = malloc(nodes * sizeof *v);
    take_steps(from, 10);
    MUST(hand_over(from, to, &error));
    double *a = state_of(from), *b = state_of(to);
    assert_memory_equal(a, b, 3 * sizeof *a * nodes);
    MUST(simulation_velocities(from->session.simulation, (double(*)[3])v, &error));
    MUST(simulation_velocities(to->session.simulation, (double(*)[3])v + nodes, &error));
    double largest = 0, differs = 0;
    const double *of_from = &v[0][0][0], *of_to = of_from + 3 * nodes;
    for (size_t i = 0; i < 3 * nodes; i++) {
      largest = fmax(largest, fabs(of_from[i]));
      differs = fmax(differs, fabs(of_from[i] - of_to[i]));
    }

    // velocities are momenta divided by masses; a consistent mass matrix is inverted iteratively
    if (!(largest > 0.5 && differs <= (k == 5 ? 1e-9 : 4 * DBL_EPSILON) * largest))
      fail_msg("change %zu: velocities of %g m/s differ by %g", k, largest, differs);
    free(a);
    free(b);
    free(v);

    take_steps(from, 12);
    take_steps(to, 12);
    a = state_of(from);
    b = state_of(to);
    double moved = 0;
    for (size_t i = 0; i < 3 * nodes; i++) moved = fmax(moved, fabs(a[i] - b[i]));
    if (!(moved > 1e-6)) fail_msg("change %zu has no effect", k);
    free(a);
    free(b);
    live_delete(from);
    live_delete(to);
  }
}

static void impossible_continuations_are_refused(void **state) {
  (void)state;
  Error error = { 0 };
  Live *from = live_of("", ", \"self_contact\": true"), *other = live_of(", \"scale\": 2", "");
  take_steps(from, 10);
  assert_false(hand_over(from, other, &error));
  assert_non_null(strstr(error.message, "it is the motion of another mesh"));

  // the box has fallen below z = 2, so it intersects this obstacle, above which it begins
  error = (Error){ 0 };
  Live *above = live_of("",
                        ", \"self_contact\": true, \"obstacles\": [{\"kind\": \"sphere\", \"at\": [3, 0, 1.48],"
                        " \"radius\": 0.5}]");
  assert_false(hand_over(from, above, &error));
  assert_non_null(strstr(error.message, "obstacle"));
  live_delete(from);
  live_delete(other);
  live_delete(above);

  error = (Error){ 0 };
  Live *cut = live_of("", ", \"cuts\": [{\"time\": 0, \"point\": [3, 0, 2.5], \"normal\": [0, 0, 1]}]");
  take_steps(cut, 2);
  assert_false(hand_over(cut, cut, &error));
  assert_non_null(strstr(error.message, "the body was cut"));
  live_delete(cut);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_equal_scene_continues_with_equal_bits),
    cmocka_unit_test(other_scenes_continue_from_the_same_state),
    cmocka_unit_test(impossible_continuations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
