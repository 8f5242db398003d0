// Tests a ball with which the user pushes a body by the mouse. The ball's speed must be bounded, the body must deform,
// ball and body must never intersect (tested by exact predicates), and no step may fail. A replay of the log and moves
// on the timeline must give equal bits. argv[1]: the device.
#include "live_testing.h"

#include "../sim/contact_watch.h"
#include "sim/contact/round.h"

static const char *const LOG = "push.log";
static Device device;

// Returns the scene of a post, 0.2 x 0.2 x 0.6 m, pinned at its foot. free() releases it.
static Scene *post(bool self_contact) {
  FILE *file = fopen("post.json", "w");
  fprintf(file,
          "{\"shapes\": {\"kind\": \"box\", \"size\": [0.2, 0.2, 0.6], \"cells\": 2}, \"young\": 5e4, \"density\": "
          "1000, \"damping\": 5,"
          " \"self_contact\": %s, \"friction\": 0.3, \"device\": \"%s\", \"pins\": {\"z\": [null, 0.01]},"
          " \"newton_max\": 60, \"cg_relative\": \"auto\"}",
          self_contact ? "true" : "false", device_name(device));
  fclose(file);
  return read_scene("post.json");
}

// Data to test if body and ball intersect: both surfaces in one skin. x [skin.node_count]: positions of the body's
// nodes, then of the ball's. `ball`: positions of the ball's nodes relative to its centre.
typedef struct PushWatch {
  Space space;
  Skin skin;
  double (*x)[3], ball[PUSHER_NODES][3];
} PushWatch;

static void push_watch_start(PushWatch *l, const Live *live, double radius) {
  Error error = { 0 };
  static double friction[PUSHER_NODES];
  static int triangle[400][3];
  *l = (PushWatch){ 0 };
  const int triangles = round_triangles(PUSHER_ROUND);
  assert_true(triangles <= 400);
  round_make(PUSHER_ROUND, radius, 0, l->ball, triangle);
  const RigidSurface rigid = {
    .node_count = PUSHER_NODES, .triangle_count = triangles, .X = l->ball, .triangle = triangle, .friction = friction
  };
  const Surface *surface = &live->session.surface;
  MUST(space_create(&l->space, &live->session.mesh, 3, &error));
  MUST(skin_create(&l->skin, &l->space, (const int(*)[3])surface->triangle, surface->triangle_count, &rigid, &error));
  l->x = calloc((size_t)l->skin.node_count, sizeof *l->x);
}

static int64_t push_watch_now(PushWatch *l, const Live *live) {
  Error error = { 0 };
  Crossings crossings;
  double radius, middle[3];
  MUST(simulation_state(live->session.simulation, l->x, NULL, &error));
  assert_true(live_ball(live, &radius, middle));
  for (int v = 0; v < PUSHER_NODES; v++)
    for (int i = 0; i < 3; i++) l->x[l->skin.body_nodes + v][i] = l->ball[v][i] + middle[i];
  MUST(find_crossings(&l->skin, (const double(*)[3])l->x, &crossings, &error));
  return crossings.count;
}

static void push_watch_end(PushWatch *l) {
  skin_destroy(&l->skin);
  space_destroy(&l->space);
  free(l->x);
}

static const Command take = {
  .kind = COMMAND_GRAB, .radius = 0.08, .pushes = true, .barycentric = { 1, 0, 0 }, .point = { -0.2, -0.01, 0.5 }
};

static Command drag_to(double x, double y, double z) {
  return (Command){ .kind = COMMAND_DRAG, .offset = { x, y, z } };
}

static double bent(const Live *live) {
  double *x = state_of(live), sum = 0;
  const TetMesh *mesh = &live->session.mesh;
  for (int a = 0; a < mesh->node_count; a++) sum += x[3 * a] - mesh->X[a][0];
  free(x);
  return sum / mesh->node_count;
}

static void a_pushed_body_yields_and_is_not_penetrated(void **state) {
  (void)state;
  Scene *scene = post(true);
  Live *live = live_new(scene);
  Error error = { 0 };
  PushWatch push_watch;
  double maximum = 0, radius, before[3], after[3];
  int crossed = 0;
  live_keep_history(live);
  MUST(live_log(live, LOG, &error));
  do_it(live, &take);
  push_watch_start(&push_watch, live, take.radius);

  // m, the longest path of the ball in a step, since its speed is limited
  const double reach = simulation_mouse_speed(live->session.simulation, 0) * scene->simulation.dt;

  // Positions to which the mouse moves, m, relative to its start: into the post, sideways across it, down to its foot,
  // in front of the foot, from there far through the foot, and back to the start
  const double goals[][3] = { { 0.5, 0, 0 },      { 0.3, 0.3, 0 },   { 0.3, -0.4, -0.2 },
                              { -0.4, 0, -0.45 }, { 0.8, 0, -0.45 }, { 0, 0, 0 } };
  for (int k = 0; k < 6; k++) {
    const Command drag = drag_to(goals[k][0], goals[k][1], goals[k][2]);
    do_it(live, &drag);
    for (int step = 0; step < 25; step++) {
      live_ball(live, &radius, before);
      take_steps(live, 1);
      live_ball(live, &radius, after);
      crossed += push_watch_now(&push_watch, live) > 0;
      assert_true(hypot(hypot(after[0] - before[0], after[1] - before[1]), after[2] - before[2]) < 1.0001 * reach);
    }
    if (k == 0) maximum = bent(live);
  }

  printf("  mean displacement %.3f m; ball and body intersect after %d of 150 steps\n", maximum, crossed);
  assert_int_equal(crossed, 0);
  assert_true(maximum > 0.01);

  // after the release the post must spring back
  do_it(live, &(Command){ .kind = COMMAND_RELEASE });
  assert_false(live_ball(live, &radius, after));
  take_steps(live, 60);
  assert_true(fabs(bent(live)) < 0.3 * maximum);

  // moves back on the timeline to a step with the ball, then forward to the last step, which must have equal bits
  double *last = state_of(live);
  const size_t bytes = 6 * (size_t)live->session.mesh.node_count * sizeof(double);
  do_it(live, &(Command){ .kind = COMMAND_GO, .to = 40 });
  assert_true(live_ball(live, &radius, after));
  do_it(live, &(Command){ .kind = COMMAND_GO, .to = 210 });
  double *again = state_of(live);
  assert_memory_equal(last, again, bytes);
  free(again);
  MUST(live_log_end(live, &error));
  live_delete(live);

  // a replay of the log must give equal bits
  InputReader reader;
  Command command;
  Live *replay = calloc(1, sizeof *replay);
  MUST(input_reader_open(&reader, LOG, scene, &error));
  MUST(live_create_logged(replay, scene, &reader, &error));
  live_keep_history(replay);
  while (!input_reader_over(&reader, replay->steps_taken)) {
    while (live_next_logged(replay, &reader, &command, &error)) MUST(live_apply(replay, &command, &error));
    if (error.message[0]) fail_msg("%s", error.message);
    if (!input_reader_over(&reader, replay->steps_taken)) take_steps(replay, 1);
  }

  again = state_of(replay);
  assert_memory_equal(last, again, bytes);
  input_reader_close(&reader);
  free(last);
  free(again);
  push_watch_end(&push_watch);
  live_delete(replay);
  free(scene);
}

static void invalid_input_is_refused(void **state) {
  (void)state;
  Error error = { 0 };
  Scene *scene = post(false);
  Live *live = live_new(scene);
  MUST(live_apply(live, &take, &error));
  assert_non_null(strstr(live->refused, "needs self_contact"));
  take_steps(live, 1);
  live_delete(live);
  free(scene);

  scene = post(true);
  live = live_new(scene);
  Command inside = take;
  inside.point[0] = -0.1;
  MUST(live_apply(live, &inside, &error));
  assert_non_null(strstr(live->refused, "the pushing ball does not fit here"));
  double radius, middle[3];
  assert_false(live_ball(live, &radius, middle));
  take_steps(live, 1);

  // the ball must still push after a change of stages, which builds the simulation again
  do_it(live, &take);
  const Command drag = drag_to(0.4, 0, 0);
  do_it(live, &drag);
  take_steps(live, 6);
  Command other = { .kind = COMMAND_SWITCH, .settings = *simulation_settings(live->session.simulation) };
  snprintf(other.settings.matrix, sizeof other.settings.matrix, "csr");
  other.settings.solver[0] = other.settings.assembly[0] = 0;
  do_it(live, &other);
  take_steps(live, 15);
  assert_true(live_ball(live, &radius, middle) && middle[0] > 0);
  assert_true(bent(live) > 0.01);

  // a reset must remove the ball
  do_it(live, &(Command){ .kind = COMMAND_RESET });
  assert_false(live_ball(live, &radius, middle));
  take_steps(live, 1);
  assert_true(fabs(bent(live)) < 1e-6);
  live_delete(live);
  free(scene);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_pushed_body_yields_and_is_not_penetrated),
    cmocka_unit_test(invalid_input_is_refused),
  };
  char folder[] = "/tmp/pliant-push-XXXXXX";
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  if (!mkdtemp(folder) || chdir(folder) != 0) {
    perror(folder);
    return 1;
  }
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink("post.json");
  unlink(LOG);
  rmdir(folder);
  return failed;
}
