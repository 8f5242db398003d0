// Tests long runs with contact. The fingers of a hand are dragged through each other's positions, far and fast. Shipped
// scenes run, too. In one of them, a body is pulled through a ring. After every step, exact predicates must find no
// edge that intersects a triangle. A repeated run must give the same bits.
//   argv[1]  the device
//   argv[2]  the number of steps; the default is 3,000
//   argv[3]  the hand's mesh
//   argv[4]  a pattern for the names of the tests to run; by default, all tests run except those of fine meshes, which
//            are slow on a CPU
#include "../sim_testing.h"

#include "../scene_walk.h"

enum { TIPS = 4 };

static Device device;
static int steps = 3000;
static const char *hand = "meshes/hand_coarse.msh";

// Totals over the steps of a run. newton: sum of Newton iterations. max_newton: largest number of them in one step.
// unfinished: number of steps that did not converge. parts: number of steps with several substeps. crossed: sum of the
// intersections that are found after each step.
typedef struct Walk {
  int newton, max_newton, unfinished, parts;
  int64_t crossed;
} Walk;

// Adds a step to the totals; watch NULL: does not search for intersections.
static void record(Walk *w, Watch *watch, Simulation *simulation, const StepReport *report) {
  w->newton += report->newton_iterations;
  w->unfinished += !report->converged;
  w->parts += report->substeps > 1;
  if (report->newton_iterations > w->max_newton) w->max_newton = report->newton_iterations;
  if (watch) w->crossed += watch_crossings(watch, simulation);
}

static void print_walk(const char *what, int count, const Walk *w) {
  printf(
      "  %s on %s, %d steps: %.1f Newton iterations per step, at most %d; %d steps with substeps, %d did not converge, "
      "%lld intersections\n",
      what, device_name(device), count, (double)w->newton / count, w->max_newton, w->parts, w->unfinished,
      (long long)w->crossed);
}

static double distance(const double a[3], const double b[3]) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

// Finds a node at each fingertip: repeatedly takes the highest node that is more than 0.12 m from the tips found
// before.
static void find_tips(const TetMesh *mesh, int tip[TIPS]) {
  for (int k = 0; k < TIPS; k++) {
    tip[k] = -1;
    for (int a = 0; a < mesh->node_count; a++) {
      bool apart = true;
      for (int j = 0; j < k; j++) apart = apart && distance(mesh->X[a], mesh->X[tip[j]]) > 0.12;
      if (apart && (tip[k] < 0 || mesh->X[a][2] > mesh->X[tip[k]][2])) tip[k] = a;
    }
  }
}

// Drags all fingertips at once by grabs. Each second, the target of each grab moves to the position of the next
// fingertip, beyond it, and back; meanwhile it also moves sideways. `watched`: intersections are counted. *sum receives
// a hash of the final positions.
static Walk drag_fingers(int count, Precision precision, bool watched, uint64_t *sum) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Watch watch;
  Simulation *simulation;
  Walk walk = { 0 };
  char path[PATH_LENGTH];
  int tip[TIPS], id[TIPS];
  asset_path(hand, path);
  MUST(mesh_read(path, 1, &mesh, &error));
  uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
  for (int a = 0; a < mesh.node_count; a++) pinned[a] = mesh.X[a][2] < 0.02 ? PIN_ALL : 0;
  find_tips(&mesh, tip);
  SimulationSettings s = simulation_defaults();
  s.self_contact = true;
  s.device = device;
  s.precision = precision;
  s.newton_max = 60;
  s.mu = 5;
  s.lambda = 2;
  s.density = 1;
  s.damping = 0.5;
  s.friction = 0.3;
  MUST(simulation_create(&simulation, &mesh, &s, pinned, &error));
  if (watched) watch_start(&watch, &mesh, &s);
  for (int k = 0; k < TIPS; k++)
    MUST(simulation_grab(simulation, mesh.X[tip[k]], 0.05, 3 * simulation_mouse_stiffness(simulation, -1), &id[k],
                         &error));
  for (int step = 1; step <= count; step++) {
    const double phase = 2 * acos(-1.0) * step / 60;
    for (int k = 0; k < TIPS; k++) {
      const double *from = mesh.X[tip[k]], *next = mesh.X[tip[(k + 1) % TIPS]];
      const double over = 0.7 * (1 - cos(phase)), round = 0.12 * sin(1.7 * phase + k);
      const double to[3] = { over * (next[0] - from[0]), over * (next[1] - from[1]) + round,
                             over * (next[2] - from[2]) - 0.15 * fabs(sin(0.5 * phase + k)) };
      MUST(simulation_drag(simulation, id[k], to, &error));
    }
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
    record(&walk, watched ? &watch : NULL, simulation, &report);
    if (watched && step % 500 == 0 && step < count) {
      print_walk("fingers, so far", step, &walk);
      fflush(stdout);
    }
  }

  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  MUST(simulation_state(simulation, x, NULL, &error));
  *sum = UINT64_C(14695981039346656037);  // initial value of the FNV-1a hash
  for (size_t k = 0; k < sizeof *x * (size_t)mesh.node_count; k++)
    *sum = (*sum ^ ((const unsigned char *)x)[k]) * UINT64_C(1099511628211);
  free(x);
  free(pinned);
  if (watched) watch_end(&watch);
  simulation_destroy(simulation);
  mesh_destroy(&mesh);
  return walk;
}

static void fingers_do_not_go_through_each_other(void **state) {
  (void)state;
  uint64_t sum;
  const Walk walk = drag_fingers(steps, PRECISION_F32, true, &sum);
  print_walk("fingers", steps, &walk);
  assert_int_equal(walk.crossed, 0);
  // The previous assertion includes steps that did not converge. At most one step in 50 may not converge.
  assert_true(walk.unfinished <= steps / 50);
}

static void a_repeated_run_gives_equal_bits(void **state) {
  (void)state;
  const int count = steps < 60 ? steps : 60;
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    uint64_t first, second;
    const Walk walk = drag_fingers(count, (Precision)precision, false, &first);
    drag_fingers(count, (Precision)precision, false, &second);
    printf("  %d steps in %s: hash of the final state %016llx, %.1f Newton iterations per step\n", count,
           precision_name((Precision)precision), (unsigned long long)first, (double)walk.newton / count);
    assert_true(first == second);
  }
}

// Simulates a shipped scene to its end, or for `steps` steps if it is longer.
static void walk_scene(const char *name) {
  Error error = { 0 };
  Walk walk = { 0 };
  SceneWalk w = scene_walk_start(name, device);
  const int count = steps < w.scene->steps ? steps : w.scene->steps;
  for (int k = 0; k < count; k++) {
    StepReport report;
    MUST(session_step(w.session, &report, &error));
    record(&walk, &w.watch, w.session->simulation, &report);
  }
  print_walk(name, count, &walk);
  assert_int_equal(walk.crossed, 0);
  scene_walk_end(&w);
}

static void a_body_is_pulled_through_a_ring(void **state) {
  (void)state;
  walk_scene("octopus");
}

static void bodies_are_shaken_in_a_bowl_of_triangles(void **state) {
  (void)state;
  walk_scene("basin");
}

static void bodies_tumble_in_a_drum(void **state) {
  (void)state;
  walk_scene("tumbler");
}

static void the_fine_hand_closes_to_a_fist(void **state) {
  (void)state;
  walk_scene("clench");
}

static void ten_fine_bodies_land_in_a_bowl(void **state) {
  (void)state;
  walk_scene("heap");
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fingers_do_not_go_through_each_other),
    cmocka_unit_test(a_repeated_run_gives_equal_bits),
    cmocka_unit_test(a_body_is_pulled_through_a_ring),
    cmocka_unit_test(bodies_are_shaken_in_a_bowl_of_triangles),
    cmocka_unit_test(bodies_tumble_in_a_drum),
    cmocka_unit_test(the_fine_hand_closes_to_a_fist),
    cmocka_unit_test(ten_fine_bodies_land_in_a_bowl),
  };
  if (count > 2) steps = atoi(words[2]);
  if (count > 3) hand = words[3];
  if (count > 4)
    cmocka_set_test_filter(words[4]);
  else
    cmocka_set_skip_filter("*fine*");
  if (steps < 1) {
    fprintf(stderr, "%s: expected a number of steps, 1 or more\n", words[2]);
    return 1;
  }
  if (!choose_device(count < 2 ? count : 2, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
