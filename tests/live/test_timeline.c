// Tests the timeline, which stores states of a session. A position is a number of steps. A move to any position must
// restore its state bit for bit, and the session must continue from there with equal bits. Also tests logs with moves
// on the timeline, the limit of memory, and the time for storing states. argv[1]: the device.
#include "live_testing.h"

#include "base/random.h"
#include "base/timer.h"
#include "scene/session_state.h"

enum { STEPS = 90 };

static char log_path[64], scene_path[64];
static const char *device = "cpu";
static const char *const BALL =
    "{\"mesh\": \"meshes/sphere_63.msh\", \"device\": \"%s\", \"mu\": 500, \"lambda\": 200, \"density\": 10,"
    " \"pins\": [{\"z\": [null, -0.9], \"path\": [[0.3, 0, 0, 0], [1.2, 0.1, 0, 0.05]]}],"
    " \"gravity\": [0, 0, -1], \"dt\": 0.02, \"first_guess\": \"extrapolated\","
    " \"drags\": [{\"grab\": {\"center\": \"-x\", \"radius\": 0.3}, \"path\": [[0.2, 0, 0, 0], [0.9, -0.2, 0, 0]]}],"
    " \"forces\": [{\"region\": {\"z\": [0.5, null]}, \"total\": [3, 0, 0], \"steps\": [5, 52]}]}";

// Opens a scene of the folder assets and starts a timeline. NULL: opens the small scene BALL.
static Live *live_of(const char *name) {
  char path[SCENE_PATH_LENGTH];
  Error error = { 0 };
  if (name) asset_path(name, path);
  Scene *scene = read_scene(name ? path : scene_path);
  Live *live = calloc(1, sizeof *live);
  MUST(live_create(live, scene, &error));
  live_keep_history(live);
  free(scene);
  return live;
}

static void go(Live *live, int64_t to) {
  do_it(live, &(Command){ .kind = COMMAND_GO, .to = to });
  assert_int_equal(live->timeline.now, to);
}

// Returns the session's state as bytes of a state file, which include the numbers of pulls. free() releases them.
static char *file_of(const Live *live, size_t *size) {
  char *bytes = NULL;
  FILE *file = open_memstream(&bytes, size);
  Error error = { 0 };
  MUST(session_state_write((Session *)&live->session, NULL, file, &error));
  fclose(file);
  return bytes;
}

// Returns the bytes of positions, momenta and step number. free() releases them.
static char *bits_of(const Live *live, size_t *size) {
  char *bytes = NULL;
  FILE *file = open_memstream(&bytes, size);
  const int64_t step = simulation_step_count(live->session.simulation);
  double *x = state_of(live);
  fwrite(x, sizeof *x, 6 * (size_t)live->session.mesh.node_count, file);
  fwrite(&step, sizeof step, 1, file);
  fclose(file);
  free(x);
  return bytes;
}

static void assert_state(const Live *live, const char *expected, int64_t position) {
  size_t size;
  char *now = bits_of(live, &size);
  if (memcmp(now, expected, size) != 0) fail_msg("the state at position %lld has changed", (long long)position);
  free(now);
}

static double chance_of(uint64_t *seed) {
  return 0.5 + 0.499 * random_unit(seed);
}

// Applies a random command, as a user may send it.
static void a_hand(Live *live, uint64_t *seed) {
  const TetMesh *mesh = &live->session.mesh;
  const int node = (int)(chance_of(seed) * mesh->node_count);
  const double chance = chance_of(seed);
  Command c = { .kind = COMMAND_DRAG, .radius = 0.4, .speed = 1, .nodes = { node, node, node }, .barycentric = { 1 } };
  c.settings = *simulation_settings(live->session.simulation);
  for (int i = 0; i < 3; i++) c.offset[i] = 0.2 * random_unit(seed);
  memcpy(c.X, mesh->X[node], sizeof c.X);
  memcpy(c.point, mesh->X[node], sizeof c.point);
  if (chance < 0.2) {
    c.kind = COMMAND_GRAB;
  } else if (chance < 0.25) {
    c.kind = COMMAND_RELEASE;
  } else if (chance < 0.3) {
    c.kind = COMMAND_KEEP;
  } else if (chance < 0.35) {
    c.kind = COMMAND_PIN;
  } else if (chance < 0.38) {
    c.kind = COMMAND_RELEASE_ALL;
  } else if (chance < 0.41) {
    c.kind = chance < 0.40 ? COMMAND_UNDO : COMMAND_REDO;
  } else if (chance < 0.45) {
    c.kind = COMMAND_ADJUST;
    c.settings.mu *= 1 + 0.3 * random_unit(seed);
    c.settings.density *= 1 + 0.2 * random_unit(seed);
    c.settings.dt *= 1 + 0.2 * random_unit(seed);
  } else if (chance < 0.47) {
    c.kind = COMMAND_SWITCH;
    snprintf(c.settings.material, sizeof c.settings.material, "%s",
             strcmp(c.settings.material, "stvk") == 0 ? "neo_hookean" : "stvk");

    // an empty name lets the simulation choose an assembly for the material, as the panel does
    if (!simulation_assembles(&c.settings)) c.settings.assembly[0] = '\0';
  } else if (chance < 0.48) {
    c.kind = COMMAND_RESET;
  }
  do_it(live, &c);
}

static void moves_along_the_timeline_restore_equal_bits(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    uint64_t seed = 11 + (uint64_t)k;
    size_t size;
    char *then[STEPS + 1];
    Live *live = live_of(NULL);
    int kinds = 0;
    then[0] = bits_of(live, &size);
    for (int s = 1; s <= STEPS; s++) {
      if (chance_of(&seed) < 0.6) {
        a_hand(live, &seed);
        kinds++;
      }
      take_steps(live, 1);
      then[s] = bits_of(live, &size);
    }
    assert_true(kinds > STEPS / 3 && live->timeline.moment_count < STEPS);
    assert_int_equal(timeline_first(&live->timeline), 0);

    // move to random positions, then step by step backwards
    for (int n = 0; n < 12; n++) {
      const int to = (int)(chance_of(&seed) * (STEPS + 1));
      go(live, to);
      assert_state(live, then[to], to);
    }
    for (int to = STEPS; to >= STEPS - 25; to--) {
      go(live, to);
      assert_state(live, then[to], to);
    }
    for (int s = 0; s <= STEPS; s++) free(then[s]);
    live_delete(live);
  }
}

static void a_rewound_run_repeats_the_same_bits(void **state) {
  (void)state;
  enum { BACK = 100 };
  uint64_t seed = 5;
  size_t size[BACK + 1], end_size;
  char *then[BACK + 1];
  Live *live = live_of(NULL);
  for (int s = 0; s < 15; s++) {
    a_hand(live, &seed);
    take_steps(live, 1);
  }
  do_it(live, &(Command){ .kind = COMMAND_RELEASE });
  for (int s = 0; s <= BACK; s++) {
    if (s > 0) take_steps(live, 1);
    then[s] = file_of(live, &size[s]);
  }
  const int64_t end = live->timeline.newest;
  for (int back = BACK; back > 0; back /= 3) {
    go(live, end - back);
    for (int s = BACK - back + 1; s <= BACK; s++) {
      take_steps(live, 1);
      char *now = file_of(live, &end_size);
      if (end_size != size[s] || memcmp(now, then[s], end_size) != 0)
        fail_msg("the state file of step %d has changed", s);
      free(now);
    }
    assert_int_equal(live->timeline.newest, end);
  }

  // A pin that is set after the last step belongs to the newest position of the timeline. A move back must remove the
  // pin, a move forward must restore it.
  const int64_t pinned = live->pin_version;
  Command pin = { .kind = COMMAND_PIN, .X = { 0, 0, 0.9 }, .radius = 0.3 };
  do_it(live, &pin);
  uint8_t *pins = malloc((size_t)live->session.mesh.node_count);
  memcpy(pins, live->session.pinned, (size_t)live->session.mesh.node_count);
  go(live, end - 20);
  assert_true(memcmp(pins, live->session.pinned, (size_t)live->session.mesh.node_count) != 0);
  go(live, end);
  assert_memory_equal(pins, live->session.pinned, (size_t)live->session.mesh.node_count);
  assert_true(live->pin_version > pinned);

  // a command at an earlier position must remove all later positions
  go(live, end - 30);
  do_it(live, &pin);
  assert_int_equal(live->timeline.newest, end - 30);
  take_steps(live, 3);
  assert_int_equal(live->timeline.newest, end - 27);
  live_apply(live, &(Command){ .kind = COMMAND_GO, .to = end }, &(Error){ 0 });
  assert_non_null(strstr(live->refused, "is not in the timeline"));
  for (int s = 0; s <= BACK; s++) free(then[s]);
  free(pins);
  live_delete(live);
}

// Moves to a position before or during a pull of the mouse, and then continues to the end. The state file must have the
// same bits as before. Therefore the pull must get its old number again, and later pulls other numbers.
static void a_pull_keeps_its_number(void **state) {
  (void)state;
  Live *live = live_of(NULL);
  Command grab = { .kind = COMMAND_GRAB, .radius = 0.3, .barycentric = { 1 } };
  memcpy(grab.X, live->session.mesh.X[40], sizeof grab.X);
  take_steps(live, 25);
  do_it(live, &grab);
  do_it(live, &(Command){ .kind = COMMAND_DRAG, .offset = { 0.1, 0, 0 } });
  take_steps(live, 3);
  do_it(live, &(Command){ .kind = COMMAND_KEEP });
  take_steps(live, 22);
  size_t size, again_size;
  char *then = file_of(live, &size);
  for (int to = 5; to < 50; to += 22) {
    go(live, to);
    go(live, 48);
    take_steps(live, 2);
    char *again = file_of(live, &again_size);
    assert_int_equal(size, again_size);
    if (memcmp(then, again, size) != 0) fail_msg("after moving back to step %d the state file has changed", to);
    free(again);
  }

  free(then);
  live_delete(live);
}

// After a move to a position at which the mouse pulled the body, the session must have this pull again. It must release
// the pull when it continues from there.
static void an_earlier_pull_is_released(void **state) {
  (void)state;
  Live *live = live_of(NULL);
  Command grab = { .kind = COMMAND_GRAB, .radius = 0.1, .barycentric = { 1 } };
  memcpy(grab.X, live->session.mesh.X[40], sizeof grab.X);
  take_steps(live, 5);
  do_it(live, &grab);
  do_it(live, &(Command){ .kind = COMMAND_DRAG, .offset = { 0.1, 0, 0 } });
  take_steps(live, 10);
  do_it(live, &(Command){ .kind = COMMAND_RELEASE });
  take_steps(live, 10);
  go(live, 12);
  assert_true(live->mouse.id != 0);
  take_steps(live, 1);
  assert_int_equal(live->mouse.id, 0);
  live_delete(live);
}

static void replays_of_logs_rewind_too(void **state) {
  (void)state;
  Error error = { 0 };
  uint64_t seed = 23;
  size_t size;
  InputReader reader;
  Command command;
  StepReport report;
  Live *live = live_of(NULL), *again = calloc(1, sizeof *again);
  Scene *scene = malloc(sizeof *scene);
  MUST(live_log(live, log_path, &error));
  for (int s = 0; s < 60; s++) {
    if (s % 3 == 0) a_hand(live, &seed);
    if (s % 11 == 10) go(live, live->timeline.newest / 2);
    take_steps(live, 1);
  }

  MUST(live_log_end(live, &error));
  MUST(input_reader_open(&reader, log_path, scene, &error));
  live_keep_history(again);
  MUST(live_create_logged(again, scene, &reader, &error));
  while (!input_reader_over(&reader, again->steps_taken)) {
    while (live_next_logged(again, &reader, &command, &error)) do_it(again, &command);
    assert_string_equal(error.message, "");
    if (!input_reader_over(&reader, again->steps_taken)) MUST(live_step(again, &report, &error));
  }

  input_reader_close(&reader);
  char *expected = bits_of(live, &size);
  assert_state(again, expected, again->timeline.now);
  free(expected);
  free(scene);
  live_delete(live);
  live_delete(again);
}

static void memory_and_steps_are_bounded(void **state) {
  (void)state;
  Live *live = live_of(NULL);
  live->timeline.steps_max = 40;
  take_steps(live, 100);
  const int64_t first = timeline_first(&live->timeline);
  assert_true(first <= 60 && first > 60 - 2 * TIMELINE_GAP);
  live->timeline.bytes_max = 3 * live->timeline.moment[0].size;
  take_steps(live, 20);
  assert_true(live->timeline.moment_count == 3 && live->timeline.bytes <= live->timeline.bytes_max);
  size_t bytes = 0;
  for (int64_t k = 0; k < live->timeline.moment_count; k++) bytes += live->timeline.moment[k].size;
  assert_int_equal(bytes, live->timeline.bytes);
  go(live, timeline_first(&live->timeline));
  live_delete(live);
}

// Sums over steps, such as energy_change, would otherwise include steps that were undone.
static void sums_begin_again_after_a_move(void **state) {
  (void)state;
  Live *live = live_of(NULL);
  EnergyBudget *budget = &live->session.budget;
  Error error = { 0 };
  for (int k = 0; k < 4; k++) {
    MUST(energy_budget_update(budget, live->session.simulation, NULL, &error) &&
         energy_budget_update_spin(budget, live->session.simulation, &error));
    take_steps(live, 1);
  }
  assert_true(budget->steps > 0 && budget->spin_steps > 0 && budget->change != 0);
  budget->open_pressure = true;
  go(live, 2);
  assert_true(budget->steps == 0 && budget->spin_steps == 0 && budget->change == 0 && budget->largest == 0);
  assert_true(budget->open_pressure);
  live_delete(live);
}

#ifndef __SANITIZE_ADDRESS__  // times with a sanitizer have no meaning
// Measures the time to store a state every TIMELINE_GAP steps, as a fraction of the simulated time of these steps.
static void the_timeline_costs_little_time(void **state) {
  (void)state;
  enum { STEPS_TIMED = 10, TIMES = 20 };
  Live *live = live_of(strcmp(device, "cuda") == 0 ? "scenes/hand.json" : "scenes/hand_coarse.json");
  Error error = { 0 };
  take_steps(live, 20);
  const double begin = timer_seconds();
  take_steps(live, STEPS_TIMED);
  const double steps = timer_seconds() - begin;
  double once = HUGE_VAL;  // the minimum of several runs, as other programs may use the machine
  for (int k = 0; k < TIMES; k++) {
    const double then = timer_seconds();
    live->timeline.due = true;
    MUST(timeline_step_begins(&live->timeline, &live->session, &live->mouse, &error));
    once = fmin(once, timer_seconds() - then);
  }
  const double share = once / TIMELINE_GAP / simulation_settings(live->session.simulation)->dt;
  printf("  storing a state: %.3f ms, %.2f MiB; a step: %.3f ms; %.2f %% of real time for one state per %d steps\n",
         1e3 * once, (double)live->timeline.moment[0].size / 1048576, 1e3 / STEPS_TIMED * steps, 100 * share,
         TIMELINE_GAP);
  assert_true(share < 0.05);  // measured on an idle machine: 0.005; on a GPU 0.02 for hand.json, whose dt is 10 ms
  live_delete(live);
}
#endif

int main(int count, char **words) {
  if (count > 1) device = words[1];
  if (strcmp(device, "cuda") == 0 && !device_present(DEVICE_CUDA)) return 77;
  snprintf(log_path, sizeof log_path, "/tmp/pliant-timeline-%d.jsonl", (int)getpid());
  snprintf(scene_path, sizeof scene_path, "/tmp/pliant-timeline-%d.json", (int)getpid());
  FILE *file = fopen(scene_path, "w");
  if (!file || fprintf(file, BALL, device) < 0 || fclose(file) != 0) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(moves_along_the_timeline_restore_equal_bits),
    cmocka_unit_test(a_rewound_run_repeats_the_same_bits),
    cmocka_unit_test(a_pull_keeps_its_number),
    cmocka_unit_test(an_earlier_pull_is_released),
    cmocka_unit_test(replays_of_logs_rewind_too),
    cmocka_unit_test(memory_and_steps_are_bounded),
    cmocka_unit_test(sums_begin_again_after_a_move),
#ifndef __SANITIZE_ADDRESS__
    cmocka_unit_test(the_timeline_costs_little_time),
#endif
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(log_path);
  unlink(scene_path);
  return failed;
}
