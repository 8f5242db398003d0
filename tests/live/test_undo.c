// Tests undo and redo of pins and pulls. Each undo and each redo restores the pins, the pulls and the springs of the
// pulls. A replay of a log that contains undo and redo ends in the same state, bit for bit. argv[1]: the device.
#include "live_testing.h"

#include "base/random.h"

static char scene_path[64], log_path[64];
static const char *device = "cpu";
static const char *const BALL =
    "{\"mesh\": \"meshes/sphere_63.msh\", \"device\": \"%s\", \"mu\": 500, \"lambda\": 200, \"density\": 10,"
    " \"pins\": [{\"z\": [null, -0.9]}], \"gravity\": [0, 0, -1], \"dt\": 0.02}";

// All pins and pulls of a session as bytes, for comparison. free() releases `bytes`.
typedef struct Held {
  char *bytes;
  size_t size;
} Held;

static Held held(const Live *live) {
  const Session *session = &live->session;
  Held h = { 0 };
  FILE *file = open_memstream(&h.bytes, &h.size);
  fwrite(session->pinned, 1, (size_t)session->mesh.node_count, file);
  fwrite(session->pulls, sizeof *session->pulls, (size_t)session->pull_count, file);
  for (int k = 0; k < session->pull_count; k++) simulation_grab_save(session->simulation, session->pulls[k].id, file);
  fclose(file);
  return h;
}

static bool same(Held a, Held b) {
  return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

// Returns a random number between 0.001 and 0.999.
static double chance_of(uint64_t *seed) {
  return 0.5 + 0.499 * random_unit(seed);
}

// Gives a command without arguments. A Command has kilobytes, so it is not in the stack frames of the tests.
static void give(Live *live, CommandKind kind) {
  do_it(live, &(Command){ .kind = kind });
}

static void a_hand(Live *live, uint64_t *seed) {
  const TetMesh *mesh = &live->session.mesh;
  const int node = (int)(chance_of(seed) * mesh->node_count);
  Command c = { .kind = COMMAND_PIN, .radius = 0.4 };
  memcpy(c.X, mesh->X[node], sizeof c.X);
  const double chance = chance_of(seed);
  if (chance < 0.5) {
    do_it(live, &c);
  } else if (chance < 0.85) {
    c.kind = COMMAND_GRAB;
    c.nodes[0] = c.nodes[1] = c.nodes[2] = node;
    c.barycentric[0] = 1;
    memcpy(c.point, mesh->X[node], sizeof c.point);
    do_it(live, &c);
    do_it(live, &(Command){ .kind = COMMAND_DRAG, .offset = { 0.1, 0.05, 0 } });
    take_steps(live, 2);
    give(live, COMMAND_KEEP);
  } else {
    do_it(live, &(Command){ .kind = chance < 0.95 ? COMMAND_RELEASE_ALL : COMMAND_RESET });
  }
}

static Live *ball(void) {
  Scene *scene = read_scene(scene_path);
  Live *live = live_new(scene);
  free(scene);
  return live;
}

static void all_changes_are_undone_and_redone(void **state) {
  (void)state;
  enum { CHANGES = 30 };
  uint64_t seed = 7;
  Live *live = ball();
  Held then[CHANGES + 1];
  int different = 0, pulls = 0;
  for (int k = 0; k <= CHANGES; k++) {
    then[k] = held(live);
    different += k > 0 && !same(then[k], then[k - 1]);
    if (live->session.pull_count > pulls) pulls = live->session.pull_count;
    if (k < CHANGES) a_hand(live, &seed);
    take_steps(live, 1);
  }

  assert_true(different > CHANGES / 2 && pulls > 1);
  for (int round = 0; round < 2; round++) {
    for (int k = CHANGES; k-- > 0; take_steps(live, 1)) {
      give(live, COMMAND_UNDO);
      Held now = held(live);
      if (!same(now, then[k])) fail_msg("change %d was not undone", k + 1);
      free(now.bytes);
    }
    give(live, COMMAND_UNDO);  // all changes are undone, so this has no effect
    for (int k = 1; k <= CHANGES; k++) {
      give(live, COMMAND_REDO);
      Held now = held(live);
      if (!same(now, then[k])) fail_msg("change %d was not redone", k);
      free(now.bytes);
    }
    give(live, COMMAND_REDO);
  }

  for (int k = 0; k < 3; k++) give(live, COMMAND_UNDO);

  // without a pull of the mouse, COMMAND_KEEP changes nothing, so redo still works
  give(live, COMMAND_KEEP);
  give(live, COMMAND_REDO);
  Held redone = held(live);
  assert_true(same(redone, then[CHANGES - 2]));
  free(redone.bytes);
  give(live, COMMAND_UNDO);

  // after an undo, a new change deletes the undone changes, so a redo has no effect
  do_it(live, &(Command){ .kind = COMMAND_PIN, .X = { 0, 0, 1 }, .radius = 0.1 });
  Held now = held(live);
  give(live, COMMAND_REDO);
  Held after = held(live);
  assert_true(same(now, after));
  give(live, COMMAND_UNDO);
  free(after.bytes);
  after = held(live);
  assert_true(same(after, then[CHANGES - 3]));
  free(now.bytes);
  free(after.bytes);
  for (int k = 0; k <= CHANGES; k++) free(then[k].bytes);
  live_delete(live);
}

static void the_oldest_changes_are_forgotten(void **state) {
  (void)state;
  Live *live = ball();
  Held tenth = { 0 };
  for (int k = 0; k < HOLD_CHANGES_MAX + 10; k++) {
    if (k == 10) tenth = held(live);
    Command pin = { .kind = COMMAND_PIN, .radius = 0.01 };
    memcpy(pin.X, live->session.mesh.X[k % live->session.mesh.node_count], sizeof pin.X);
    do_it(live, &pin);
  }
  for (int k = 0; k < HOLD_CHANGES_MAX + 20; k++) give(live, COMMAND_UNDO);
  Held now = held(live);
  assert_true(same(now, tenth));
  free(now.bytes);
  free(tenth.bytes);
  live_delete(live);
}

static void logs_replay_undo(void **state) {
  (void)state;
  Error error = { 0 };
  uint64_t seed = 3;
  InputReader reader;
  Command command;
  StepReport report;
  Live *live = ball(), *again = calloc(1, sizeof *again);
  Scene *scene = malloc(sizeof *scene);
  MUST(live_log(live, log_path, &error));
  for (int k = 0; k < 40; k++) {
    if (k % 4 < 2)
      a_hand(live, &seed);
    else
      do_it(live, &(Command){ .kind = k % 4 == 2 || k % 8 == 3 ? COMMAND_UNDO : COMMAND_REDO });
    take_steps(live, 2);
  }

  MUST(live_log_end(live, &error));
  MUST(input_reader_open(&reader, log_path, scene, &error));
  MUST(live_create_logged(again, scene, &reader, &error));
  while (!input_reader_over(&reader, again->steps_taken)) {
    while (live_next_logged(again, &reader, &command, &error)) do_it(again, &command);
    assert_string_equal(error.message, "");
    if (!input_reader_over(&reader, again->steps_taken)) MUST(live_step(again, &report, &error));
  }

  input_reader_close(&reader);
  const size_t nodes = (size_t)live->session.mesh.node_count;
  double *x = malloc(12 * nodes * sizeof *x), *y = x + 6 * nodes;
  MUST(simulation_state(live->session.simulation, (double(*)[3])x, (double(*)[3])(x + 3 * nodes), &error));
  MUST(simulation_state(again->session.simulation, (double(*)[3])y, (double(*)[3])(y + 3 * nodes), &error));
  assert_memory_equal(x, y, 6 * nodes * sizeof *x);
  Held a = held(live), b = held(again);
  assert_true(same(a, b));
  free(a.bytes);
  free(b.bytes);
  free(x);
  free(scene);
  live_delete(live);
  live_delete(again);
}

int main(int count, char **words) {
  if (count > 1) device = words[1];
  if (strcmp(device, "cuda") == 0 && !device_present(DEVICE_CUDA)) return 77;
  snprintf(scene_path, sizeof scene_path, "/tmp/pliant-undo-%d.json", (int)getpid());
  snprintf(log_path, sizeof log_path, "/tmp/pliant-undo-%d.jsonl", (int)getpid());
  FILE *file = fopen(scene_path, "w");
  if (!file || fprintf(file, BALL, device) < 0 || fclose(file) != 0) return 1;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_changes_are_undone_and_redone),
    cmocka_unit_test(the_oldest_changes_are_forgotten),
    cmocka_unit_test(logs_replay_undo),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  unlink(scene_path);
  unlink(log_path);
  return failed;
}
