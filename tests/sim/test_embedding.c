// Tests that a program can embed the engine: the engine must not disturb the caller's threads, random numbers, signal
// handlers or floating-point mode. It must refuse invalid arrays, and stop when the caller's callback requests it.
#include <pthread.h>
#include <signal.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/interrupt.h"
#include "base/parallel.h"
#include "mesh/mesh_check.h"
#include "mesh/quadratic.h"
#include "base/index_check.h"
#include "sim_testing.h"

enum { STEPS = 3 };

static SimulationSettings settings(void) {
  SimulationSettings s = simulation_defaults();
  s.order = ORDER_METIS;
  s.gravity[2] = -10;
  return s;
}

// Returns the positions [node_count][3] of a box after STEPS steps; its nodes at z = 0 are pinned. The caller frees
// them.
static double (*run(const TetMesh *mesh))[3] {
  Error error = { 0 };
  Simulation *simulation;
  const SimulationSettings s = settings();
  uint8_t *pinned = calloc((size_t)mesh->node_count, 1);
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh->node_count);
  for (int a = 0; a < mesh->node_count; a++) pinned[a] = mesh->X[a][2] == 0 ? PIN_ALL : 0;
  MUST(simulation_create(&simulation, mesh, &s, pinned, &error));
  for (int k = 0; k < STEPS; k++) {
    StepReport report;
    MUST(simulation_step(simulation, &report, &error));
  }
  MUST(simulation_state(simulation, x, NULL, &error));
  simulation_destroy(simulation);
  free(pinned);
  return x;
}

static void *run_in_thread(void *mesh) {
  return run(mesh);
}

static void simulations_in_two_threads_do_not_affect_each_other(void **state) {
  (void)state;
  enum { THREADS = 2, ROUNDS = 3 };
  TetMesh mesh[THREADS] = { box(6, 6, 12, (double[3]){ 0.1, 0.1, 0.2 }), box(7, 7, 14, (double[3]){ 0.1, 0.1, 0.2 }) };
  double(*alone[THREADS])[3];
  for (int t = 0; t < THREADS; t++) alone[t] = run(&mesh[t]);
  for (int round = 0; round < ROUNDS; round++) {
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++) assert_int_equal(pthread_create(&thread[t], NULL, run_in_thread, &mesh[t]), 0);
    for (int t = 0; t < THREADS; t++) {
      void *x;
      pthread_join(thread[t], &x);
      assert_memory_equal(x, alone[t], sizeof *alone[t] * (size_t)mesh[t].node_count);
      free(x);
    }
  }
  for (int t = 0; t < THREADS; t++) {
    free(alone[t]);
    mesh_destroy(&mesh[t]);
  }
}

static void random_numbers_of_the_caller_go_on(void **state) {
  (void)state;
  int expected[4];
  srand(7);
  for (int k = 0; k < 4; k++) expected[k] = rand();
  srand(7);
  assert_int_equal(rand(), expected[0]);
  TetMesh mesh = box(6, 6, 12, (double[3]){ 0.1, 0.1, 0.2 });
  free(run(&mesh));
  for (int k = 1; k < 4; k++) assert_int_equal(rand(), expected[k]);
  mesh_destroy(&mesh);
}

static void end_handler(int number, siginfo_t *info, void *context) {
  (void)number, (void)info, (void)context;
}

static void signal_handlers_of_the_caller_stay(void **state) {
  (void)state;
  struct sigaction handler = { .sa_sigaction = end_handler, .sa_flags = SA_SIGINFO | SA_RESTART }, after;
  sigaction(SIGTERM, &handler, NULL);
  TetMesh mesh = box(6, 6, 12, (double[3]){ 0.1, 0.1, 0.2 });
  free(run(&mesh));
  sigaction(SIGTERM, NULL, &after);
  assert_true(after.sa_sigaction == end_handler);
  assert_int_equal(after.sa_flags & (SA_SIGINFO | SA_RESTART), SA_SIGINFO | SA_RESTART);
  signal(SIGTERM, SIG_DFL);
  mesh_destroy(&mesh);
}

static void the_floating_point_mode_of_the_caller_stays(void **state) {
  (void)state;
#ifdef __SSE2__
  const unsigned before = _mm_getcsr();
  TetMesh mesh = box(2, 2, 4, (double[3]){ 0.1, 0.1, 0.2 });
  free(run(&mesh));
  assert_int_equal(_mm_getcsr(), before);
  mesh_destroy(&mesh);
#endif
}

// Fails the test unless simulation_create refuses the mesh with a message that contains `word`.
static void refuse(const TetMesh *mesh, const char *word) {
  Error error = { 0 };
  Simulation *simulation = NULL;
  const SimulationSettings s = settings();
  assert_false(simulation_create(&simulation, mesh, &s, NULL, &error));
  if (!strstr(error.message, word)) fail_msg("the message \"%s\" does not contain \"%s\"", error.message, word);
}

static void invalid_arrays_are_refused(void **state) {
  (void)state;
  TetMesh mesh = box(1, 1, 2, (double[3]){ 0.1, 0.1, 0.2 }), wrong = mesh;
  wrong.node_tag = NULL;
  refuse(&wrong, "node_tag is NULL");
  wrong = mesh;
  wrong.X = NULL;
  refuse(&wrong, "X is NULL");
  wrong = mesh;
  wrong.tet = NULL;
  refuse(&wrong, "tet and hex are NULL");
  wrong = mesh;
  wrong.node_count = 0;
  refuse(&wrong, "node_count is 0");
  wrong = mesh;
  wrong.tet_count = -1;
  refuse(&wrong, "tet_count is -1");
  const int right = mesh.tet[3][2];
  const int bad[] = { -1, mesh.node_count, INT32_MAX };
  for (int k = 0; k < 3; k++) {
    mesh.tet[3][2] = bad[k];
    refuse(&mesh, "node 2 of tet 3 has the index");
  }
  mesh.tet[3][2] = mesh.tet[3][1];
  refuse(&mesh, "same node at two corners");
  mesh.tet[3][2] = right;
  const double z = mesh.X[5][2];
  mesh.X[5][2] = NAN;
  refuse(&mesh, "coordinate z of node 5 is nan");
  mesh.X[5][2] = HUGE_VAL;
  refuse(&mesh, "coordinate z of node 5 is inf");
  mesh.X[5][2] = z;
  double X[3];
  memcpy(X, mesh.X[mesh.tet[0][0]], sizeof X);
  for (int i = 0; i < 3; i++) mesh.X[mesh.tet[0][0]][i] = (mesh.X[mesh.tet[0][1]][i] + mesh.X[mesh.tet[0][2]][i]) / 2;
  refuse(&mesh, "is flat");
  memcpy(mesh.X[mesh.tet[0][0]], X, sizeof X);
  wrong = mesh;
  wrong.tet_count = 1;
  refuse(&wrong, "belongs to no tet");
  double stiffness[6] = { 1, 1, 1, 1, NAN, 1 };
  wrong = mesh;
  wrong.stiffness = stiffness;
  refuse(&wrong, "stiffness of tet 4 is nan");
  int body[8] = { 0, 0, -4 };
  wrong = mesh;
  wrong.body = body;
  refuse(&wrong, "body of node 2 is -4");
  mesh_destroy(&mesh);
}

// Fails the test unless `done` is false and the message contains `words`. Clears *error for the next call.
static void refused(bool done, Error *error, const char *words) {
  assert_false(done);
  if (!strstr(error->message, words)) fail_msg("the message \"%s\" does not contain \"%s\"", error->message, words);
  *error = (Error){ 0 };
}

static void nodes_that_do_not_exist_are_refused(void **state) {
  (void)state;
  Error error = { 0 };
  Simulation *w;
  TetMesh mesh = box(1, 1, 2, (double[3]){ 0.1, 0.1, 0.2 });
  const SimulationSettings s = settings();
  const int last = mesh.node_count - 1, bad[] = { -1, mesh.node_count, INT32_MAX };
  double(*force)[3] = calloc((size_t)mesh.node_count, sizeof *force), x[3];
  int id;
  MUST(simulation_create(&w, &mesh, &s, NULL, &error));
  for (int k = 0; k < 3; k++) {
    const int nodes[] = { 0, last, bad[k] };
    refused(simulation_grab_part(w, bad[k], mesh.X[0], 0.01, 1, &id, &error), &error, "the node of a grab");
    refused(simulation_grab_start(w, 1, bad[k], x, &error), &error, "the node of a grab");
    refused(simulation_change_load(w, (const double(*)[3])force, nodes, 3, &error), &error, "entry 2 is");
  }
  MUST(simulation_grab_part(w, last, mesh.X[last], 0.01, 1, &id, &error));
  MUST(simulation_grab_start(w, id, last, x, &error));
  assert_memory_equal(x, mesh.X[last], sizeof x);
  simulation_destroy(w);
  mesh_destroy(&mesh);
  free(force);
}

static void invalid_numberings_are_refused(void **state) {
  (void)state;
  Error error = { 0 };
  Simulation *w = NULL;
  TetMesh mesh = box(1, 1, 2, (double[3]){ 0.1, 0.1, 0.2 });
  const SimulationSettings s = settings();
  const int nodes = mesh.node_count, right = nodes - 3;
  int *order = malloc(sizeof *order * (size_t)nodes), *part = calloc((size_t)nodes, sizeof *part);
  int *batch = calloc((size_t)mesh.tet_count, sizeof *batch);
  for (int a = 0; a < nodes; a++) order[a] = nodes - 1 - a;
  NodeNumbering numbering = { .order = order };
  const int bad[] = { -1, nodes, right + 1 };  // wrong node numbers: below 0, too large, and one that occurs twice
  for (int k = 0; k < 3; k++) {
    order[2] = bad[k];
    refused(simulation_create_numbered(&w, &mesh, &numbering, &s, NULL, &error), &error, "order: entry 2 is");
  }
  order[2] = right;
  numbering.part = part;
  refused(simulation_create_numbered(&w, &mesh, &numbering, &s, NULL, &error), &error, "part_count is 0");
  numbering.part_count = 1;
  part[3] = 1;
  refused(simulation_create_numbered(&w, &mesh, &numbering, &s, NULL, &error), &error, "part: entry 3 is 1");
  numbering.part = NULL;
  numbering.batch = batch;
  refused(simulation_create_numbered(&w, &mesh, &numbering, &s, NULL, &error), &error, "batch: entry 1 is 0");
  numbering.batch = NULL;
  numbering.rank = part;
  part[3] = -1;
  refused(simulation_create_numbered(&w, &mesh, &numbering, &s, NULL, &error), &error, "rank: entry 3 is -1");
  numbering.rank = NULL;
  MUST(simulation_create_numbered(&w, &mesh, &numbering, &s, NULL, &error));
  simulation_destroy(w);
  mesh_destroy(&mesh);
  free(order);
  free(part);
  free(batch);
}

// Cuts a body: replaces node 0 of its first tet by a copy. `mesh` becomes the mesh after the cut.
static void separate_first_tet(Simulation *simulation, TetMesh *mesh) {
  Error error = { 0 };
  Phases phases = { 0 };
  const int nodes = mesh->node_count++, original = mesh->tet[0][0], changed[] = { 0 };
  int *from = malloc(sizeof *from * ((size_t)nodes + 1));
  for (int a = 0; a < nodes; a++) from[a] = a;
  from[nodes] = original;
  mesh->X = realloc(mesh->X, sizeof *mesh->X * ((size_t)nodes + 1));
  memcpy(mesh->X[nodes], mesh->X[original], sizeof *mesh->X);
  mesh->tet[0][0] = nodes;
  MUST(simulation_split(simulation, mesh, from, NULL, 1, changed, 1, &phases, &error));
  free(from);
}

// A body was under pressure, and the pressure was removed. Then the body is cut. It must move like a body that was
// never under pressure.
static void a_body_can_be_cut_after_its_pressure_was_removed(void **state) {
  (void)state;
  Error error = { 0 };
  double(*x[2])[3];
  for (int pressed = 0; pressed < 2; pressed++) {
    Simulation *w;
    StepReport report;
    TetMesh mesh = box(1, 1, 2, (double[3]){ 0.1, 0.1, 0.2 });
    SimulationSettings s = settings();
    snprintf(s.matrix, sizeof s.matrix, "dbcsr");
    snprintf(s.solver, sizeof s.solver, "fused");
    MUST(simulation_create(&w, &mesh, &s, NULL, &error));
    int face[3] = { 0, 1, 2 }, facet[1] = { 0 };
    BoundaryFaces faces = { CELL_TET4, 1, 3, face, facet, NULL };
    const double value[1] = { 100 };
    if (pressed) {
      MUST(simulation_set_pressure(w, &(PressureLoad){ &faces, value, NULL }, &error));
      MUST(simulation_set_pressure(w, NULL, &error));
    }

    separate_first_tet(w, &mesh);
    MUST(simulation_step(w, &report, &error));
    x[pressed] = malloc(sizeof *x[pressed] * (size_t)mesh.node_count);
    MUST(simulation_displacements(w, x[pressed], &error));
    if (pressed) assert_memory_equal(x[0], x[1], sizeof *x[0] * (size_t)mesh.node_count);
    simulation_destroy(w);
    mesh_destroy(&mesh);
  }

  free(x[0]);
  free(x[1]);
}

static void invalid_separations_are_refused(void **state) {
  (void)state;
  Error error = { 0 };
  Simulation *w, *other;
  TetMesh mesh = box(1, 1, 2, (double[3]){ 0.1, 0.1, 0.2 });
  SimulationSettings s = settings();
  Phases phases = { 0 };
  const int nodes = mesh.node_count;
  int *from = malloc(sizeof *from * (size_t)nodes), changed[] = { 1, 3, 3 };
  for (int a = 0; a < nodes; a++) from[a] = a;
  snprintf(s.matrix, sizeof s.matrix, "dbcsr");
  snprintf(s.solver, sizeof s.solver, "fused");
  MUST(simulation_create(&w, &mesh, &s, NULL, &error));
  MUST(simulation_create(&other, &mesh, &s, NULL, &error));
  assert_true(simulation_splits(w));
  from[5] = nodes;
  refused(simulation_carry(other, w, from, &error), &error, "from: entry 5 is");
  refused(simulation_split(w, &mesh, from, NULL, 0, changed, 0, &phases, &error), &error,
          "from (former nodes): entry 5 is");
  from[5] = 4;
  refused(simulation_split(w, &mesh, from, NULL, 0, changed, 0, &phases, &error), &error, "entry 5 is 4, expected 5");
  from[5] = 5;
  refused(simulation_split(w, &mesh, from, NULL, 1, changed, 0, &phases, &error), &error, "1 copies of nodes and");
  refused(simulation_split(w, &mesh, from, from, 0, changed, 0, &phases, &error), &error,
          "do not support a cut in place");
  refused(simulation_split(w, &mesh, from, NULL, 0, changed, 3, &phases, &error), &error,
          "changed (tets with new nodes): entry 2 is 3");
  mesh.tet[3][2] = nodes;
  refused(simulation_split(w, &mesh, from, NULL, 0, changed, 2, &phases, &error), &error,
          "node 2 of tet 3 has the index");
  MUST(simulation_carry(other, w, from, &error));
  simulation_destroy(w);
  simulation_destroy(other);
  mesh_destroy(&mesh);
  free(from);
}

static void both_orientations_give_one_state(void **state) {
  (void)state;
  Error error = { 0 };
  for (int degree = 1; degree <= 3; degree++) {
    TetMesh mesh = box(2, 2, 4, (double[3]){ 0.1, 0.1, 0.2 });
    MUST(mesh_raise(&mesh, degree, &error));
    double(*upright)[3] = run(&mesh);

    // Inverts the orientation of all cells without a change of positions: mirrors the mesh, lets mesh_turn_inverted
    // exchange nodes of its cells, and mirrors it back.
    for (int a = 0; a < mesh.node_count; a++) mesh.X[a][0] = -mesh.X[a][0];
    assert_int_equal(mesh_turn_inverted(&mesh), mesh.tet_count);
    for (int a = 0; a < mesh.node_count; a++) mesh.X[a][0] = -mesh.X[a][0];
    for (int e = 0; e < mesh.tet_count; e++) assert_true(mesh_tet_volume(&mesh, e) < 0);
    double(*inverted)[3] = run(&mesh);
    assert_memory_equal(upright, inverted, sizeof *upright * (size_t)mesh.node_count);
    free(upright);
    free(inverted);
    mesh_destroy(&mesh);
  }
}

static bool always(void *count) {
  ++*(int *)count;
  return true;
}

// Processes a piece of a parallel loop. Counts the processed elements in *done, and stops when an interrupt is
// requested.
static void count_elements(const void *done, int first, int last) {
  for (int k = first; k < last && !interrupt_requested(); k++)
    __atomic_fetch_add(*(int *const *)done, 1, __ATOMIC_RELAXED);
}

static void loops_ask_the_caller(void **state) {
  (void)state;
  enum { ELEMENTS = 1 << 24 };
  int asked = 0, done = 0;
  interrupt_listen(always, &asked);
  parallel_for(ELEMENTS, 1 << 12, count_elements, &(int *){ &done });
  interrupt_listen(NULL, NULL);
  assert_true(asked > 0);
  assert_true(done < ELEMENTS / 2);
}

static bool after_some(void *left) {
  return --*(int *)left < 0;
}

static void creation_ends_where_the_caller_asks(void **state) {
  (void)state;
  TetMesh mesh = box(6, 6, 12, (double[3]){ 0.1, 0.1, 0.2 });
  const SimulationSettings s = settings();
  for (int after = 0; after < 4000; after += 800) {
    Error error = { 0 };
    Simulation *simulation = NULL;
    int left = after;
    interrupt_listen(after_some, &left);
    const bool made = simulation_create(&simulation, &mesh, &s, NULL, &error);
    interrupt_listen(NULL, NULL);
    assert_false(made);
    assert_string_equal(error.message, "interrupted");
  }
  mesh_destroy(&mesh);
}

// Callback for interrupts that counts its calls and never requests an interrupt.
static bool never(void *count) {
  ++*(int *)count;
  return false;
}

static void checks_of_arrays_stop_on_interrupt(void **state) {
  (void)state;
  enum { INDICES = 1 << 16, BLOCKS = INDICES / 4096 };
  TetMesh mesh = box(4, 4, 8, (double[3]){ 0.1, 0.1, 0.2 });
  int asked = 0, *index = malloc(sizeof *index * INDICES);
  mesh.stiffness = malloc(sizeof *mesh.stiffness * (size_t)mesh.tet_count);
  for (int e = 0; e < mesh.tet_count; e++) mesh.stiffness[e] = 1;
  for (int k = 0; k < INDICES; k++) index[k] = k;
  const struct {
    const char *name;
    int least;  // minimum number of calls of the callback: each loop polls once per element, or once per 4096 indices
  } rows[] = { { "mesh_check", 2 * mesh.tet_count + 2 * mesh.node_count },
               { "mesh_tidy", 2 * mesh.tet_count },
               { "index_check", BLOCKS },
               { "index_check_ascending", 2 * BLOCKS - 1 },
               { "index_check_once", 3 * BLOCKS } };
  for (int k = 0; k < 5; k++) {
    for (int round = 0, end = INT32_MAX; round < 8; end = asked * round / 8, round++) {
      Error error = { 0 };
      int left = end;
      if (round == 0) asked = 0;
      interrupt_listen(round == 0 ? never : after_some, round == 0 ? &asked : &left);
      const bool ok = k == 0   ? mesh_check(&mesh, &error)
                      : k == 1 ? mesh_tidy(&mesh, "the box", &error)
                      : k == 2 ? index_check(index, INDICES, INDICES, "index", &error)
                      : k == 3 ? index_check_ascending(index, INDICES, INDICES, "index", &error)
                               : index_check_once(index, INDICES, INDICES, "index", &error);
      interrupt_listen(NULL, NULL);
      if (round == 0 && asked < rows[k].least)
        fail_msg("%s polled %d times, expected at least %d", rows[k].name, asked, rows[k].least);
      assert_int_equal(ok, round == 0);
      assert_string_equal(error.message, round == 0 ? "" : "interrupted");
    }
  }

  free(index);
  mesh_destroy(&mesh);
}

static void a_process_simulates_again_after_a_signal(void **state) {
  (void)state;
  Error error = { 0 };
  Simulation *simulation;
  const SimulationSettings s = settings();
  TetMesh mesh = box(2, 2, 4, (double[3]){ 0.1, 0.1, 0.2 });
  interrupt_begin();
  raise(SIGINT);
  assert_false(simulation_create(&simulation, &mesh, &s, NULL, &error));
  assert_string_equal(error.message, "interrupted by Ctrl-C (signal 2)");
  interrupt_reset();
  free(run(&mesh));
  mesh_destroy(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(simulations_in_two_threads_do_not_affect_each_other),
    cmocka_unit_test(random_numbers_of_the_caller_go_on),
    cmocka_unit_test(signal_handlers_of_the_caller_stay),
    cmocka_unit_test(the_floating_point_mode_of_the_caller_stays),
    cmocka_unit_test(invalid_arrays_are_refused),
    cmocka_unit_test(nodes_that_do_not_exist_are_refused),
    cmocka_unit_test(invalid_numberings_are_refused),
    cmocka_unit_test(a_body_can_be_cut_after_its_pressure_was_removed),
    cmocka_unit_test(invalid_separations_are_refused),
    cmocka_unit_test(both_orientations_give_one_state),
    cmocka_unit_test(loops_ask_the_caller),
    cmocka_unit_test(creation_ends_where_the_caller_asks),
    cmocka_unit_test(checks_of_arrays_stop_on_interrupt),
    cmocka_unit_test(a_process_simulates_again_after_a_signal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
