// Tests a session with extreme commands of the user. No tet may invert, all values must stay finite, and a replay of
// the input log must give equal bits. argv[1]: the device.
#include "live_testing.h"

#include "base/interrupt.h"
#include "base/random.h"

static Device device;
enum { STEPS = 150 };

static Live *live_of(const char *name) {
  char path[SCENE_PATH_LENGTH];
  asset_path(name, path);
  Scene *scene = read_scene(path);
  snprintf(scene->device, sizeof scene->device, "%s", device_name(device));
  Live *live = live_new(scene);
  free(scene);
  return live;
}

// Applies a command; the session may refuse it.
static void try_it(Live *live, const Command *command) {
  Error error = { 0 };
  MUST(live_apply(live, command, &error));
}

static void take_step(Live *live) {
  Error error = { 0 };
  StepReport report;
  MUST(live_step(live, &report, &error));
  assert_true(report.min_J > 0);
}

static bool wish(void *asked) {
  return ++*(int *)asked > 3;
}

// Begins a step and interrupts it. The interrupted step must not count as taken.
static void leave_step(Live *live) {
  Error error = { 0 };
  StepReport report;
  int asked = 0;
  interrupt_listen(wish, &asked);
  assert_false(live_step(live, &report, &error));
  interrupt_listen(NULL, NULL);
  assert_int_equal(report.cause, NEWTON_STOPPED);
}

// Returns positions and momenta, and sets their size in bytes. free() releases the array.
static double *state_bytes(const Live *live, size_t *bytes) {
  *bytes = 6 * (size_t)live->session.mesh.node_count * sizeof(double);
  return state_of(live);
}

static void random_command(Live *live, uint64_t *seed, int step) {
  const TetMesh *mesh = &live->session.mesh;
  const SimulationSettings *s = simulation_settings(live->session.simulation);
  const int node = (int)((0.5 + 0.499 * random_unit(seed)) * mesh->node_count);
  Command c = { .settings = *s, .speed = 1, .radius = 0.05, .frame = step };
  memcpy(c.X, mesh->X[node], sizeof c.X);
  memcpy(c.point, mesh->X[node], sizeof c.point);
  c.nodes[0] = c.nodes[1] = c.nodes[2] = node;
  c.barycentric[0] = 1;
  c.kind = COMMAND_DRAG;
  for (int i = 0; i < 3; i++) c.offset[i] = 4 * random_unit(seed);  // up to 4 m, four times the body's height
  try_it(live, &c);
  switch (step % 25) {
    case 0:
      c.kind = COMMAND_GRAB;
      break;
    case 8:
      c.kind = COMMAND_KEEP;
      break;
    case 9:
      c.kind = COMMAND_GRAB;
      c.stiffness = 100 * simulation_mouse_stiffness(live->session.simulation, -1);
      break;
    case 13:
      c.kind = COMMAND_PIN;
      break;
    case 16:
      c.kind = COMMAND_ADJUST;
      c.settings.mu = s->mu * exp(random_unit(seed));
      c.settings.gravity[0] = 3 * random_unit(seed);
      c.settings.density = s->density * exp(0.5 * random_unit(seed));
      break;
    case 18:
      c.kind = COMMAND_SWITCH;
      c.settings.precision = s->precision == PRECISION_F32 ? PRECISION_F64 : PRECISION_F32;
      c.settings.matrix[0] = c.settings.assembly[0] = c.settings.solver[0] = '\0';
      break;
    case 20:
      c.kind = COMMAND_VIEW;
      c.style.field = FIELD_J;
      c.style.section = true;
      c.style.section_at = 0.3;
      c.camera.distance = 2;
      c.camera.fov = 0.6;
      break;
    case 23:
      c.kind = COMMAND_RELEASE_ALL;
      break;
    case 24:
      c.kind = step > 50 && step < 75 ? COMMAND_RESET : COMMAND_RELEASE;
      break;
    default:
      return;
  }

  try_it(live, &c);
  assert_string_equal(live->refused, "");
}

static void violent_drags_invert_no_tet_and_replay_to_equal_bits(void **state) {
  (void)state;
  Error error = { 0 };
  char path[64];
  snprintf(path, sizeof path, "/tmp/pliant-live-%d.jsonl", (int)getpid());
  Live *live = live_of("scenes/twist_coarse.json");
  uint64_t seed = 11;
  double reach = 0;
  MUST(live_log(live, path, &error));
  for (int step = 0; step < STEPS; step++) {
    // interrupted steps are not in the log: they must leave the state unchanged, so the replay need not repeat them
    if (step % 4 == 0) leave_step(live);
    random_command(live, &seed, step);
    take_step(live);
    size_t bytes;
    double *x = state_bytes(live, &bytes);
    for (size_t k = 0; k < bytes / sizeof *x; k++) assert_true(isfinite(x[k]));
    for (size_t k = 0; k < bytes / sizeof *x / 2; k++) reach = fmax(reach, fabs(x[k]));
    free(x);
  }

  Energy energy;
  MUST(simulation_energy(live->session.simulation, &energy, &error));
  printf("  largest coordinate of a node %.2f m; kinetic and elastic energy at the end %g J\n", reach,
         energy.kinetic + energy.elastic);
  assert_true(reach < 4 && isfinite(energy.kinetic + energy.elastic + energy.potential));
  size_t bytes, again_bytes;
  double *x = state_bytes(live, &bytes);
  live_delete(live);

  // a replay of the log must give the same bits
  Scene *scene = malloc(sizeof *scene);
  Live *again = calloc(1, sizeof *again);
  InputReader reader;
  MUST(input_reader_open(&reader, path, scene, &error));
  MUST(live_create(again, scene, &error));
  MUST(input_reader_fits(&reader, &again->session, &error));
  Command command;
  while (again->steps_taken < STEPS) {
    while (input_reader_next(&reader, again->steps_taken, &again->session, &again->camera, &again->style, &command,
                             &error))
      try_it(again, &command);
    assert_string_equal(error.message, "");
    take_step(again);
  }

  double *y = state_bytes(again, &again_bytes);
  assert_int_equal(bytes, again_bytes);
  assert_memory_equal(x, y, bytes);
  assert_true(again->style.field == FIELD_J && again->style.section && again->style.section_at == 0.3);
  free(x);
  free(y);
  free(scene);
  input_reader_close(&reader);
  live_delete(again);
  unlink(path);
}

static void invalid_commands_are_refused_and_change_nothing(void **state) {
  (void)state;
  Live *live = live_of("scenes/demo_coarse.json");
  const SimulationSettings before = *simulation_settings(live->session.simulation);
  Command command = { .kind = COMMAND_ADJUST, .settings = before, .speed = 1 };
  command.settings.mu = -1;
  try_it(live, &command);
  assert_non_null(strstr(live->refused, "mu is -1 Pa"));
  command.kind = COMMAND_SWITCH;
  command.settings = before;
  snprintf(command.settings.matrix, sizeof command.settings.matrix, "cube");
  try_it(live, &command);
  assert_non_null(strstr(live->refused, "cube"));
  assert_true(simulation_settings(live->session.simulation)->mu == before.mu);
  assert_string_equal(simulation_settings(live->session.simulation)->matrix, before.matrix);
  take_step(live);
  try_it(live, &(Command){ .kind = COMMAND_RELEASE });
  assert_string_equal(live->refused, "");
  live_delete(live);
}

// If the user keeps a pulled patch (COMMAND_KEEP), it must stay pulled after the mouse button is released.
static void kept_patches_stay_pulled(void **state) {
  (void)state;
  Live *live = live_of("scenes/demo_coarse.json");
  const TetMesh *mesh = &live->session.mesh;
  int top = 0;
  for (int a = 0; a < mesh->node_count; a++)
    if (mesh->X[a][2] > mesh->X[top][2]) top = a;
  Command grab = { .kind = COMMAND_GRAB, .radius = 0.06, .nodes = { top, top, top }, .barycentric = { 1, 0, 0 } };
  memcpy(grab.X, mesh->X[top], sizeof grab.X);
  memcpy(grab.point, mesh->X[top], sizeof grab.point);
  try_it(live, &grab);
  try_it(live, &(Command){ .kind = COMMAND_DRAG, .offset = { 0, -0.2, 0 } });
  for (int k = 0; k < 40; k++) take_step(live);
  try_it(live, &(Command){ .kind = COMMAND_KEEP });
  try_it(live, &(Command){ .kind = COMMAND_RELEASE });
  for (int k = 0; k < 30; k++) take_step(live);
  Spring springs[LIVE_SPRINGS_MAX];
  int count;
  size_t bytes;
  live_springs(live, springs, &count);
  double *x = state_bytes(live, &bytes);
  assert_int_equal(count, 1);
  assert_true(fabs(springs[0].target[1] - (mesh->X[top][1] - 0.2)) < 1e-12);
  assert_true(x[3 * top + 1] < mesh->X[top][1] - 0.1);
  free(x);
  try_it(live, &(Command){ .kind = COMMAND_RELEASE_ALL });
  live_springs(live, springs, &count);
  assert_int_equal(count, 0);
  live_delete(live);
}

static bool at_once(void *context) {
  (void)context;
  return true;
}

// Grabs a patch of the surface and takes three steps. Then keeps the pull of this patch (COMMAND_KEEP) and takes three
// more steps. Returns the final state. left: before each of the two commands, also begins a step and interrupts it.
static double *kept_state(bool left, size_t *bytes) {
  Live *live = live_of("scenes/drag_coarse.json");
  const TetMesh *mesh = &live->session.mesh;
  const int node = mesh->node_count / 2;
  Command grab = { .kind = COMMAND_GRAB, .radius = 0.2, .nodes = { node, node, node }, .barycentric = { 1, 0, 0 } };
  memcpy(grab.X, mesh->X[node], sizeof grab.X);
  for (int k = 0; k < 2; k++) {
    // interrupt a step: at k = 0 before the drag of the scene begins, at k = 1 while the mouse pulls a patch
    if (left) {
      StepReport report;
      Error stopped = { 0 };
      interrupt_listen(at_once, NULL);
      assert_false(live_step(live, &report, &stopped));
      interrupt_listen(NULL, NULL);
    }
    try_it(live, k == 0 ? &grab : &(Command){ .kind = COMMAND_KEEP });
    if (k == 0) try_it(live, &(Command){ .kind = COMMAND_DRAG, .offset = { 0.3, 0, 0 } });
    for (int step = 0; step < 3; step++) take_step(live);
  }
  double *x = state_bytes(live, bytes);
  live_delete(live);
  return x;
}

static void an_interrupted_step_changes_nothing(void **state) {
  (void)state;
  size_t bytes;
  double *whole = kept_state(false, &bytes), *left = kept_state(true, &bytes);
  assert_memory_equal(whole, left, bytes);
  free(whole);
  free(left);
}

static int pinned_nodes(const Live *live) {
  int count = 0;
  for (int a = 0; a < live->session.mesh.node_count; a++) count += live->session.pinned[a] != 0;
  return count;
}

// COMMAND_RELEASE_ALL (key L) must remove the pins that the user has set. COMMAND_RESET (key R) must restore exactly
// the pins of the scene.
static void release_and_reset_restore_the_right_pins(void **state) {
  (void)state;
  Live *live = live_of("scenes/hang_coarse.json");
  const TetMesh *mesh = &live->session.mesh;
  const int first = pinned_nodes(live);
  Command pin = { .kind = COMMAND_PIN, .radius = 0.05 };
  int free_node = 0, held_node = 0;
  while (live->session.pinned[free_node]) free_node++;
  while (!live->session.pinned[held_node]) held_node++;
  assert_true(first > 0);
  for (int reset = 0; reset < 2; reset++) {
    memcpy(pin.X, mesh->X[free_node], sizeof pin.X);
    try_it(live, &pin);
    take_step(live);
    assert_true(pinned_nodes(live) > first);
    memcpy(pin.X, mesh->X[held_node], sizeof pin.X);
    try_it(live, &pin);
    assert_false(live->session.pinned[held_node]);
    try_it(live, &(Command){ .kind = reset ? COMMAND_RESET : COMMAND_RELEASE_ALL });
    assert_false(live->session.pinned[free_node]);

    // only a reset must restore a pin of the scene that the user has released
    assert_true((live->session.pinned[held_node] != 0) == reset);
    if (reset) assert_int_equal(pinned_nodes(live), first);
    if (!reset) try_it(live, &pin);
    take_step(live);
  }

  // the simulation must use the restored pins: the pinned node must not fall, the free one must
  size_t bytes;
  for (int k = 0; k < 5; k++) take_step(live);
  double *x = state_bytes(live, &bytes);
  for (int i = 0; i < 3; i++) assert_true(fabs(x[3 * held_node + i] - mesh->X[held_node][i]) < 1e-6);
  assert_true(x[3 * free_node + 2] != mesh->X[free_node][2]);
  free(x);
  live_delete(live);
}

int main(int count, char **words) {
  device = count > 1 && strcmp(words[1], "cuda") == 0 ? DEVICE_CUDA : DEVICE_CPU;
  if (!device_present(device)) {
    printf("skipped: %s\n", device_absence());
    return 77;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(violent_drags_invert_no_tet_and_replay_to_equal_bits),
    cmocka_unit_test(invalid_commands_are_refused_and_change_nothing),
    cmocka_unit_test(kept_patches_stay_pulled),
    cmocka_unit_test(an_interrupted_step_changes_nothing),
    cmocka_unit_test(release_and_reset_restore_the_right_pins),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
