// Tests checkpoints that are written during a drag of the scene. A session that resumes such a checkpoint must draw the
// drag's spring at its position in the checkpoint. It must release grabs that belong to no drag of the scene.
#include "live_testing.h"

#include "scene/checkpoint.h"

enum { STEPS = 7, FPS = 30 };

static char scene_path[64], checkpoint_path[64];

static const char *const SCENE =
    "{\"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 1], \"cells\": 2}], \"pins\": [{\"z\": [null, 0.01]}],"
    " \"device\": \"cpu\", \"young\": 1000, \"poisson\": 0.3, \"density\": 10, \"gravity\": [0, 0, -9.8],"
    " \"drags\": [{\"grab\": {\"center\": \"+z\", \"radius\": 0.6}, \"path\": [[0.03, 0, 0, 0], [1, 0.5, 0, 0]]}]}";

static Live *live_of_the_scene(void) {
  Scene *scene = read_scene(scene_path);
  Live *live = live_new(scene);
  free(scene);
  return live;
}

static Live *live_in_a_drag(void) {
  Error error = { 0 };
  StepReport report;
  Live *live = live_of_the_scene();
  for (int k = 0; k < STEPS; k++) MUST(live_step(live, &report, &error));
  return live;
}

static void springs_are_restored_at_their_positions(void **state) {
  (void)state;
  Error error = { 0 };
  Spring before[LIVE_SPRINGS_MAX], after[LIVE_SPRINGS_MAX];
  int count, again;
  Live *live = live_in_a_drag(), *resumed = live_of_the_scene();
  live_springs(live, before, &count);
  assert_int_equal(count, 1);
  assert_true(before[0].target[0] - live->session.mesh.X[before[0].nodes[0]][0] > 0.02);  // the drag has moved
  MUST(checkpoint_write(&live->session, FPS, checkpoint_path, &error));
  MUST(checkpoint_read(&resumed->session, FPS, checkpoint_path, &error));
  live_springs(resumed, after, &again);
  assert_int_equal(again, count);
  assert_memory_equal(after[0].nodes, before[0].nodes, sizeof before[0].nodes);
  assert_memory_equal(after[0].target, before[0].target, sizeof before[0].target);
  live_delete(live);
  live_delete(resumed);
}

static void a_grab_without_a_drag_is_let_go(void **state) {
  (void)state;
  Error error = { 0 };
  double force[3];
  const double X[3] = { 1, 1, 1 }, offset[3] = { 0, 0, 1 };
  int id;
  Live *live = live_in_a_drag(), *resumed = live_of_the_scene();
  const int drag = live->session.drag_ids[0];
  MUST(simulation_grab(live->session.simulation, X, 0.3, 100, &id, &error));
  MUST(simulation_drag(live->session.simulation, id, offset, &error));
  MUST(simulation_grab_force(live->session.simulation, id, true, force, &error));
  assert_true(force[2] > 50);
  MUST(checkpoint_write(&live->session, FPS, checkpoint_path, &error));
  MUST(checkpoint_read(&resumed->session, FPS, checkpoint_path, &error));
  MUST(simulation_grab_force(resumed->session.simulation, id, true, force, &error));
  assert_true(force[0] == 0 && force[1] == 0 && force[2] == 0);
  assert_int_equal(resumed->session.drag_ids[0], drag);
  MUST(simulation_grab_force(resumed->session.simulation, drag, true, force, &error));
  assert_true(force[0] != 0);
  live_delete(live);
  live_delete(resumed);
}

static void a_drag_without_its_grab_grabs_again(void **state) {
  (void)state;
  Error error = { 0 };
  StepReport report;
  Live *live = live_in_a_drag(), *resumed = live_of_the_scene();
  MUST(simulation_release(live->session.simulation, 0, &error));
  MUST(checkpoint_write(&live->session, FPS, checkpoint_path, &error));
  MUST(checkpoint_read(&resumed->session, FPS, checkpoint_path, &error));
  assert_int_equal(resumed->session.drag_ids[0], 0);
  MUST(live_step(resumed, &report, &error));
  assert_int_not_equal(resumed->session.drag_ids[0], 0);
  live_delete(live);
  live_delete(resumed);
}

static void earlier_errors_are_still_reported(void **state) {
  (void)state;
  Error error = { 0 };
  Live *live = live_in_a_drag(), *resumed = live_of_the_scene();
  live->session.unconverged = 3;
  snprintf(live->session.trouble, sizeof live->session.trouble, "step 5: a reason");
  MUST(checkpoint_write(&live->session, FPS, checkpoint_path, &error));
  MUST(checkpoint_read(&resumed->session, FPS, checkpoint_path, &error));
  assert_int_equal(resumed->session.unconverged, 3);
  assert_string_equal(resumed->session.trouble, "step 5: a reason");
  live_delete(live);
  live_delete(resumed);
}

int main(void) {
  snprintf(scene_path, sizeof scene_path, "/tmp/pliant-resume-%d.json", (int)getpid());
  snprintf(checkpoint_path, sizeof checkpoint_path, "/tmp/pliant-resume-%d", (int)getpid());
  FILE *file = fopen(scene_path, "w");
  if (!file || fputs(SCENE, file) < 0 || fclose(file) != 0) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(springs_are_restored_at_their_positions),
    cmocka_unit_test(a_grab_without_a_drag_is_let_go),
    cmocka_unit_test(a_drag_without_its_grab_grabs_again),
    cmocka_unit_test(earlier_errors_are_still_reported),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(scene_path);
  unlink(checkpoint_path);
  return failed;
}
