// Tests a direct solver: for which bodies it is the default in static problems, contact forces in its matrix,
// indefinite tangents, and bits that repeat. test_system.c compares its solutions with those of other solvers. argv[1]:
// name of the solver, "cholmod" or "cudss".
#include "../sim_testing.h"

#include "sim/contact_report.h"
#include "sim/direct/factor.h"

static const char *solver;
static const FactorLibrary *library;  // the library that the solver uses

// Creates a simulation of a box: of a static problem if `statics`, with self-contact if `contact`. Writes the name of
// its solver to `name`.
static void solver_of(const int cells[3], bool statics, bool contact, char name[SIMULATION_NAME]) {
  Error error = { 0 };
  Simulation *w;
  TetMesh mesh = box(cells[0], cells[1], cells[2], (double[3]){ cells[0], cells[1], cells[2] });
  SimulationSettings s = simulation_defaults();
  s.device = DEVICE_CPU;
  s.precision = PRECISION_F64;
  s.statics = statics;
  s.self_contact = contact;
  MUST(simulation_create(&w, &mesh, &s, NULL, &error));
  memcpy(name, simulation_settings(w)->solver, SIMULATION_NAME);
  simulation_destroy(w);
  mesh_destroy(&mesh);
}

static void slender_bodies_get_the_direct_solver_in_statics_only(void **state) {
  static const int beam[3] = { 60, 2, 2 }, cube[3] = { 12, 12, 12 };
  char name[SIMULATION_NAME];
  (void)state;
  solver_of(beam, true, false, name);
  assert_string_equal(name, "cholmod");
  solver_of(beam, false, false, name);
  assert_string_not_equal(name, "cholmod");
  solver_of(beam, true, true, name);
  assert_string_not_equal(name, "cholmod");
  solver_of(cube, true, false, name);
  assert_string_not_equal(name, "cholmod");
}

// Drops a box on another box, whose lower face is pinned. Returns the displacements [*nodes][3]; *pairs receives the
// number of pairs of bodies that touch at the end.
static double (*drop(const char *by, int *nodes, int *pairs))[3] {
  enum { CELLS = 3, STEPS = 12 };
  Error error = { 0 };
  Simulation *w;
  BodyContact *list;
  TetMesh low = box(CELLS, CELLS, CELLS, (double[3]){ 1, 1, 1 }), mesh = { 0 };
  const int one = low.node_count;
  MUST(mesh_allocate(&mesh, 2 * one, 2 * low.tet_count, &error));
  mesh.body = calloc(2 * (size_t)one, sizeof *mesh.body);
  uint8_t *pinned = calloc(2 * (size_t)one, 1);
  for (int a = 0; a < 2 * one; a++) {
    const double *X = low.X[a % one], above = a >= one;
    mesh.X[a][0] = X[0] + 0.13 * above;
    mesh.X[a][1] = X[1] + 0.07 * above;
    mesh.X[a][2] = X[2] + 1.02 * above;
    mesh.node_tag[a] = a + 1;
    mesh.body[a] = a >= one;
    pinned[a] = !above && X[2] == 0 ? PIN_ALL : 0;
  }

  for (int e = 0; e < 2 * low.tet_count; e++)
    for (int k = 0; k < 4; k++) mesh.tet[e][k] = low.tet[e % low.tet_count][k] + (e >= low.tet_count ? one : 0);
  SimulationSettings s = simulation_defaults();
  s.device = DEVICE_CPU;
  s.precision = PRECISION_F64;
  s.self_contact = true;
  s.gravity[2] = -9.81;
  s.newton_relative = 1e-9;
  s.cg_relative = 1e-10;
  snprintf(s.solver, sizeof s.solver, "%s", by);
  MUST(simulation_create(&w, &mesh, &s, pinned, &error));
  for (int step = 0; step < STEPS; step++) {
    StepReport report;
    MUST(simulation_step(w, &report, &error));
    assert_true(report.converged && report.newton_iterations < 40);
  }

  MUST(contact_of_bodies(w, &list, pairs, &error));
  free(list);
  *nodes = mesh.node_count;
  double(*u)[3] = malloc(sizeof *u * (size_t)mesh.node_count);
  MUST(simulation_displacements(w, u, &error));
  simulation_destroy(w);
  mesh_destroy(&low);
  mesh_destroy(&mesh);
  free(pinned);
  return u;
}

static void contact_is_part_of_its_matrix(void **state) {
  int nodes, pairs[2];
  (void)state;
  double(*direct)[3] = drop(solver, &nodes, &pairs[0]);
  double(*other)[3] = drop("bdcg", &nodes, &pairs[1]);
  const double difference = relative_l2(&direct[0][0], &other[0][0], 3 * nodes);
  assert_true(pairs[0] == 1 && pairs[1] == 1);
  if (!(difference < 1e-6)) fail_msg("the displacements with %s and with bdcg differ by %.1e", solver, difference);
  free(other);
  other = drop(solver, &nodes, &pairs[1]);
  assert_memory_equal(direct, other, sizeof *direct * (size_t)nodes);
  free(direct);
  free(other);
}

// The matrix is that of a chain of springs between two walls, minus `shift` times the identity. So its eigenvalues are
// known: 2 - 2 cos(pi k / (n + 1)) - shift.
static void negative_eigenvalues_are_counted(void **state) {
  enum { N = 200 };
  int64_t start[N + 1] = { 0 }, row[2 * N];
  double value[2 * N], b[N], x[N];
  (void)state;
  for (int j = 0; j < N; j++) {
    start[j + 1] = start[j];
    if (j > 0) row[start[j + 1]++] = j - 1;
    row[start[j + 1]++] = j;
    b[j] = sin(j);
  }

  const SymmetricColumns A = { N, start, row, value };
  Error error = { 0 };
  Factor *factor = factor_create(library, &A, &error);
  assert_non_null(factor);
  for (int negative = 0; negative < N; negative += 37) {
    const double shift = 2 - 2 * cos(acos(-1) * (negative + 0.5) / (N + 1));
    for (int j = 0; j < N; j++)
      for (int64_t k = start[j]; k < start[j + 1]; k++) value[k] = row[k] == j ? 2 - shift : -1;
    FactorReport report;
    double largest = HUGE_VAL;
    MUST(factor_compute(factor, &report, &error));
    assert_int_equal(report.negative, negative);

    // the factorisation has no pivoting, which causes errors for an indefinite matrix; iterative refinement removes
    // them
    memset(x, 0, sizeof x);
    for (int k = 0; k < 4; k++) {
      double rest[N], more[N];
      largest = 0;
      for (int j = 0; j < N; j++) {
        rest[j] = b[j] - (2 - shift) * x[j] + (j > 0 ? x[j - 1] : 0) + (j < N - 1 ? x[j + 1] : 0);
        largest = fmax(largest, fabs(rest[j]));
      }
      MUST(factor_solve(factor, rest, more, &error));
      for (int j = 0; j < N; j++) x[j] += more[j];
    }
    assert_true(largest < 1e-9);
  }

  // The matrix is diagonal, and every second pivot is zero. The factorisation then adds a multiple of the identity, so
  // the solution is finite.
  FactorReport report;
  memset(value, 0, sizeof value);
  for (int j = 0; j < N; j++) value[start[j + 1] - 1] = j % 2;
  MUST(factor_compute(factor, &report, &error));
  MUST(factor_solve(factor, b, x, &error));
  assert_true(report.shifted);
  for (int j = 0; j < N; j++) assert_true(isfinite(x[j]));
  factor_destroy(factor);
}

int main(int count, char **words) {
  solver = count > 1 ? words[1] : "cholmod";
  library = strcmp(solver, "cudss") == 0 ? &factor_cudss : &factor_cholmod;
  if (library->absence()) {
    printf("skipped: %s\n", library->absence());
    return EXIT_SKIPPED;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(slender_bodies_get_the_direct_solver_in_statics_only),
    cmocka_unit_test(contact_is_part_of_its_matrix),
    cmocka_unit_test(negative_eigenvalues_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
