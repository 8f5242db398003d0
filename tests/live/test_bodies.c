// Tests a session with two bodies. A grab of one body must not move the other one, and a replay of the log must give
// the same bits.
#include "live_testing.h"

static char log_path[] = "/tmp/pliant-bodies-XXXXXX";

static const char *const TEXT =
    "{\"bodies\": [{\"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2}, \"pins\": {\"z\": [null, "
    "0.01]}},"
    " {\"name\": \"ball\", \"shape\": {\"kind\": \"sphere\", \"size\": [1, 1, 1], \"cells\": 3}, \"place\": [0, 0, "
    "1.1],"
    " \"young\": 3e3, \"poisson\": 0.45, \"density\": 300, \"damping\": 1, \"velocity\": [0.5, 0, 0]}],"
    " \"young\": 1e4, \"device\": \"cpu\"}";

static Live *open_scene(const char *path) {
  FILE *file = fopen(path, "w");
  assert_true(file && fputs(TEXT, file) >= 0 && fclose(file) == 0);
  Scene *scene = read_scene(path);
  Live *live = live_new(scene);
  free(scene);
  return live;
}

// Returns the nodes [3] of the first triangle of a body's surface.
static const int *triangle_of(const Session *session, int body) {
  for (int t = 0; t < session->surface.triangle_count; t++)
    if (mesh_body(&session->mesh, session->surface.triangle[t][0]) == body) return session->surface.triangle[t];
  fail_msg("body %d has no surface", body);
  return NULL;
}

// Grabs a body at its first triangle, pulls it up, and lets the pull stay without the mouse (COMMAND_KEEP). Then pins a
// patch of the other body.
static void handle(Live *live, int body) {
  const Session *session = &live->session;
  const int *nodes = triangle_of(session, body);
  Command grab = { .kind = COMMAND_GRAB, .barycentric = { 1, 0, 0 }, .radius = 2 };
  memcpy(grab.nodes, nodes, sizeof grab.nodes);
  memcpy(grab.X, session->mesh.X[nodes[0]], sizeof grab.X);
  memcpy(grab.point, grab.X, sizeof grab.point);
  do_it(live, &grab);
  do_it(live, &(Command){ .kind = COMMAND_DRAG, .offset = { 0, 0, 0.3 } });
  take_steps(live, 30);
  Error error = { 0 };
  BodyMotion motion[2];
  MUST(simulation_bodies(session->simulation, motion, &error));

  // the pulled body is deformed or in motion, the other one is at rest
  if (!(motion[body].elastic + fabs(motion[body].linear[2]) > 0.01 && motion[1 - body].elastic < 1e-5 &&
        fabs(motion[1 - body].linear[2]) < 1e-3))
    fail_msg("body %d is pulled and has %.3g J, the other %.3g J", body, motion[body].elastic,
             motion[1 - body].elastic);
  do_it(live, &(Command){ .kind = COMMAND_KEEP });
  Command pin = { .kind = COMMAND_PIN, .radius = 0.4 };
  memcpy(pin.X, session->mesh.X[triangle_of(session, 1 - body)[0]], sizeof pin.X);
  do_it(live, &pin);
  take_steps(live, 5);
}

static Live *replay(const char *path) {
  Error error = { 0 };
  InputReader reader;
  Command command;
  Scene *scene = malloc(sizeof *scene);
  Live *live = calloc(1, sizeof *live);
  MUST(input_reader_open(&reader, path, scene, &error));
  MUST(live_create_logged(live, scene, &reader, &error));
  while (!input_reader_over(&reader, live->steps_taken)) {
    while (live_next_logged(live, &reader, &command, &error)) MUST(live_apply(live, &command, &error));
    assert_string_equal(error.message, "");
    if (!input_reader_over(&reader, live->steps_taken)) take_steps(live, 1);
  }
  input_reader_close(&reader);
  free(scene);
  return live;
}

static void assert_same_state(const Live *a, const Live *b) {
  double *x = state_of(a), *y = state_of(b);
  assert_memory_equal(x, y, 6 * (size_t)a->session.mesh.node_count * sizeof *x);
  free(x);
  free(y);
}

static void changes_of_one_body_are_replayed(void **state) {
  (void)state;
  Error error = { 0 };
  char scene_path[64];
  snprintf(scene_path, sizeof scene_path, "%s.json", log_path);
  for (int body = 0; body < 2; body++) {
    Live *live = open_scene(scene_path);
    MUST(live_log(live, log_path, &error));
    take_steps(live, 2);
    handle(live, body);
    MUST(live_log_end(live, &error));
    Live *again = replay(log_path);
    assert_same_state(live, again);
    assert_memory_equal(live->session.pinned, again->session.pinned, (size_t)live->session.mesh.node_count);
    live_delete(again);
    live_delete(live);
  }
  unlink(scene_path);
}

int main(void) {
  const int file = mkstemp(log_path);
  if (file < 0 || close(file) != 0) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(changes_of_one_body_are_replayed),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(log_path);
  return failed;
}
