// Tests elements of degree 2: all assemblies, matrices and solvers agree. Only gravity changes the linear momentum of a
// free body, and its energy is conserved. Masses are lumped, gravity is consistent, and det F is tested at its minimum
// over the cell. Unsupported options are refused. argv[1]: the device; argv[2]: a pattern for the names of the tests to
// run.
#include "../soft_body.h"

#include "mesh/quadratic.h"
#include "sim/element/element_row.h"
#include "sim/element/material/parameters.h"

static Device device;

static TetMesh quadratic_box(int cells, const double size[3]) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  MUST(mesh_make_box(cells, cells, cells, size, &mesh, &error));
  MUST(mesh_raise(&mesh, 2, &error));
  return mesh;
}

static void all_stages_agree(void **state) {
  (void)state;
  const double size[3] = { 0.5, 0.4, 0.5 };
  TetMesh mesh = quadratic_box(2, size);
  mesh.stiffness = malloc(sizeof *mesh.stiffness * (size_t)mesh.tet_count);
  for (int e = 0; e < mesh.tet_count; e++) mesh.stiffness[e] = 1 + e % 3;
  stages_agree(device, &mesh, "tet10", MASS_LUMPED);
  mesh_destroy(&mesh);
}

// The stiffness factor of a cell multiplies its moduli. If all cells have the factor 3, the body must move like a body
// without factors and with three times the moduli.
static void graded_bodies_are_as_stiff_as_said(void **state) {
  (void)state;
  TetMesh mesh = quadratic_box(2, (double[3]){ 0.5, 0.5, 0.5 });
  SimulationSettings s = soft(device, PRECISION_F64);
  s.gravity[0] = 5;
  s.mu *= 3;
  s.lambda *= 3;
  double(*expected)[3] = run(&mesh, &s);
  mesh.stiffness = malloc(sizeof *mesh.stiffness * (size_t)mesh.tet_count);
  for (int e = 0; e < mesh.tet_count; e++) mesh.stiffness[e] = 3;
  s.mu /= 3;
  s.lambda /= 3;
  double(*u)[3] = run(&mesh, &s);
  assert_true(relative_l2(&u[0][0], &expected[0][0], 3 * mesh.node_count) < 1e-8);
  free(expected);
  free(u);
  mesh_destroy(&mesh);
}

// A free body moves, rotates and vibrates under gravity. Gravity alone changes its linear momentum, and its centre of
// mass moves along a parabola. Its energy is conserved up to the integrator's error.
static void gravity_alone_changes_linear_momentum_and_energy_is_conserved(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = quadratic_box(2, (double[3]){ 0.3, 0.2, 0.4 });
  const size_t n = (size_t)mesh.node_count;
  SimulationSettings s = soft(device, PRECISION_F64);
  s.dt = 0.002;
  s.gravity[2] = -9.81;
  double *mass = malloc(sizeof *mass * n), (*p)[3] = malloc(sizeof *p * n), (*x)[3] = malloc(sizeof *x * n);
  double total = 0, height = 0, fallen = 0;
  mesh_lumped_mass(&mesh, s.density, mass);
  for (int a = 0; a < mesh.node_count; a++) {
    const double *X = mesh.X[a], v[3] = { -3 * X[1], 3 * X[0], 1 + 0.5 * X[1] };
    for (int i = 0; i < 3; i++) p[a][i] = mass[a] * v[i];
    total += mass[a];
    height += mass[a] * X[2];
  }

  Simulation *w;
  Energy first, last;
  MUST(simulation_create(&w, &mesh, &s, NULL, &error));
  assert_int_equal(simulation_settings(w)->degree, 2);
  MUST(simulation_set_state(w, NULL, (const double(*)[3])p, &error));
  MUST(simulation_energy(w, &first, &error));
  enum { STEPS = 100 };
  for (int k = 0; k < STEPS; k++) {
    StepReport report;
    MUST(simulation_step(w, &report, &error));
    assert_true(report.converged && report.damped == 0);
  }

  MUST(simulation_energy(w, &last, &error));
  MUST(simulation_state(w, x, NULL, &error));
  for (int a = 0; a < mesh.node_count; a++) fallen += mass[a] * x[a][2];
  const double t = STEPS * s.dt, fallen_fraction = (fallen - height) / total;
  assert_true(fabs(fallen_fraction - (first.linear[2] / total * t - 9.81 * t * t / 2)) < 1e-9);
  assert_true(fabs(last.linear[2] - first.linear[2] + total * 9.81 * t) < 1e-8 * total);
  assert_true(fabs(last.linear[0] - first.linear[0]) < 1e-8 * total);
  const double before = first.kinetic + first.elastic + first.potential,
               after = last.kinetic + last.elastic + last.potential;
  printf("  energy %.6g J at the start, relative change %.2e\n", before, (after - before) / before);
  assert_true(fabs(after - before) < 2e-3 * first.kinetic);
  simulation_destroy(w);
  free(mass);
  free(p);
  free(x);
  mesh_destroy(&mesh);
}

// At small strains, the displacement of a column under its weight is a polynomial of degree 2 in z. So even a mesh of
// six quadratic tets must give the displacement of the closed form.
static void gravity_is_consistent(void **state) {
  (void)state;
  Error error = { 0 };
  const double size[3] = { 0.2, 0.2, 1 };
  TetMesh mesh = quadratic_box(1, size);
  const size_t n = (size_t)mesh.node_count;
  SimulationSettings s = soft(device, PRECISION_F64);
  s.mu = 1e9;
  s.lambda = 0;
  s.gravity[2] = -10;  // lambda = 0: then Poisson's ratio is 0, and Young's modulus is 2 mu
  s.newton_relative = 1e-9;
  uint8_t *pinned = held_below(&mesh);
  double(*u)[3] = malloc(sizeof *u * n);
  Simulation *w;
  StepReport report;
  MUST(simulation_create(&w, &mesh, &s, pinned, &error));
  MUST(simulation_equilibrium(w, &report, &error));
  assert_true(report.converged);
  MUST(simulation_displacements(w, u, &error));
  for (int a = 0; a < mesh.node_count; a++) {
    const double z = mesh.X[a][2], expected = -s.density * 10 * (z - z * z / 2) / (2 * s.mu);

    // the bound is a few times the relative error of the closed form: it is for small strains, and the strain is 5e-6
    if (!(fabs(u[a][2] - expected) < 2e-5 * s.density * 10 / (2 * s.mu)))
      fail_msg("displacement at z = %g m: %g m, expected %g m", z, u[a][2], expected);
  }

  simulation_destroy(w);
  free(pinned);
  free(u);
  mesh_destroy(&mesh);
}

// Returns det F of x = X + u in the first cell at the barycentric coordinates l, directly from the shape functions.
static double det_F(const Space *space, const double u[10][3], const double l[4]) {
  const int *node = space_cell(space, 0);
  double D[3][3], b[4][3], F[3][3];
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) D[a][i] = space->X[node[a]][i] - space->X[node[3]][i];
  const double det = 6 * space_cell_volume(space, 0);
  for (int a = 0; a < 3; a++)
    for (int i = 0; i < 3; i++) {
      const int a1 = (a + 1) % 3, a2 = (a + 2) % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3;
      b[a][i] = (D[a1][i1] * D[a2][i2] - D[a1][i2] * D[a2][i1]) / det;
    }
  for (int i = 0; i < 3; i++) b[3][i] = -(b[0][i] + b[1][i] + b[2][i]);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      F[i][k] = i == k;
      for (int c = 0; c < 4; c++) F[i][k] += u[c][i] * (4 * l[c] - 1) * b[c][k];
      for (int m = 0; m < 6; m++) {
        const int p = tet_edge_corners[m][0], q = tet_edge_corners[m][1];
        F[i][k] += u[4 + m][i] * 4 * (l[p] * b[q][k] + l[q] * b[p][k]);
      }
    }
  return F[0][0] * (F[1][1] * F[2][2] - F[1][2] * F[2][1]) + F[0][1] * (F[1][2] * F[2][0] - F[1][0] * F[2][2]) +
         F[0][2] * (F[1][0] * F[2][1] - F[1][1] * F[2][0]);
}

// The element must report the minimum of det F over its integration points and corners. For some of the random
// displacements, this minimum must be at a corner. `near` and `far` are the barycentric coordinates of an integration
// point: `near` for the closest corner, `far` for the others.
static void smallest_J_is_that_of_points_and_corners(void **state) {
  (void)state;
  static const double corner[4][3] = { { 1, 0.1, 0 }, { 0.2, 1.1, 0 }, { 0.1, 0, 0.9 }, { 0, 0, 0 } };
  const ElementRow *row = element_row("tet10", NULL, DEVICE_CPU, PRECISION_F64);
  const double near = (5 + 3 * sqrt(5)) / 20, far = (5 - sqrt(5)) / 20, material[MATERIAL_PARAMETERS] = { 5, 4, 0 };
  int node[10], at_corners = 0;
  double X[10][3];
  uint64_t seed = 4;
  memcpy(X, corner, sizeof corner);
  for (int a = 0; a < 10; a++) node[a] = a;
  for (int m = 0; m < 6; m++)
    for (int i = 0; i < 3; i++) X[4 + m][i] = (X[tet_edge_corners[m][0]][i] + X[tet_edge_corners[m][1]][i]) / 2;
  const Space space = {
    .shape = CELL_TET10, .cell_nodes = 10, .node_count = 10, .cell_count = 1, .X = X, .cell = node
  };
  for (int trial = 0; trial < 20; trial++) {
    double u[10][3], F[30], least[2] = { HUGE_VAL, HUGE_VAL };
    for (int a = 0; a < 10; a++)
      for (int i = 0; i < 3; i++) u[a][i] = 0.05 * random_unit(&seed);
    for (int k = 0; k < 8; k++) {
      double l[4];
      for (int c = 0; c < 4; c++) l[c] = k < 4 ? (c == k ? near : far) : c == k - 4;
      least[k / 4] = fmin(least[k / 4], det_F(&space, (const double(*)[3])u, l));
    }
    const double J = row->evaluate(&space, u, 0, material, F, NULL);
    assert_true(fabs(J - fmin(least[0], least[1])) < 1e-12);
    at_corners += least[1] < least[0];
  }
  assert_true(at_corners > 5);
}

// A node in the middle of an edge is moved close to a corner or beyond it. This inverts the element at the corner,
// although no corner moves. If the stresses at the integration points are finite, the report has the cause
// NEWTON_INVERTED. Otherwise the time step fails with an error.
static void an_inverted_corner_is_reported(void **state) {
  (void)state;
  TetMesh mesh = quadratic_box(1, (double[3]){ 1, 1, 1 });
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  Simulation *w;
  StepReport report;
  Error error = { 0 };
  SimulationSettings s = soft(device, PRECISION_F64);
  MUST(simulation_create(&w, &mesh, &s, NULL, &error));
  memcpy(x, mesh.X, sizeof *x * (size_t)mesh.node_count);
  const int *end = mesh.tet[0];
  for (int k = 0; k < 2; k++) {
    // position of the middle node on its edge: 0 at one end, 1 at the other, outside if negative
    const double at = k == 0 ? 0.2 : -0.5;
    for (int i = 0; i < 3; i++)
      x[mesh.middle[0][0]][i] = mesh.X[end[0]][i] + at * (mesh.X[end[1]][i] - mesh.X[end[0]][i]);
    MUST(simulation_set_state(w, (const double(*)[3])x, NULL, &error));
    if (k == 0) {
      MUST(simulation_step(w, &report, &error));
      assert_true(!report.converged && report.cause == NEWTON_INVERTED && report.worst_J < 0);
      continue;
    }
    assert_false(simulation_step(w, &report, &error));
    printf("  %s\n", error.message);
    assert_non_null(
        strstr(error.message, "has the volume ratio det F = -3, the smallest"));  // det F at this corner is 4 * at - 1
  }

  simulation_destroy(w);
  free(x);
  mesh_destroy(&mesh);
}

// By default a GPU uses an operator that stores no matrix. If the user names a solver that needs a stored matrix, the
// program chooses matrix format and assembly for this solver.
static void stages_are_those_of_their_element(void **state) {
  (void)state;
  const bool cuda = device == DEVICE_CUDA;
  const char *const solvers[] = { "", "dcg", "schwarz" };
  TetMesh mesh = quadratic_box(1, (double[3]){ 1, 1, 1 });
  for (int k = 0; k < 3; k++) {
    Error error = { 0 };
    Simulation *w;
    SimulationSettings s = soft(device, PRECISION_F32);
    snprintf(s.solver, sizeof s.solver, "%s", solvers[k]);
    MUST(simulation_create(&w, &mesh, &s, NULL, &error));
    const SimulationSettings *taken = simulation_settings(w);
    printf("  with solver \"%s\": assembly %s, matrix %s, solver %s\n", solvers[k], taken->assembly, taken->matrix,
           taken->solver);
    assert_string_equal(taken->matrix, !cuda ? "dbcsr" : k < 2 ? "partial" : "dhyb");
    assert_string_equal(taken->assembly, !cuda ? "cpu_simd" : k < 2 ? "partial" : "globalnz");
    assert_string_equal(taken->solver, k > 0 ? solvers[k] : cuda ? "dcg" : "fused");
    simulation_destroy(w);
  }
  mesh_destroy(&mesh);
}

static void settings_without_degree_2_are_refused(void **state) {
  (void)state;
  TetMesh mesh = quadratic_box(1, (double[3]){ 1, 1, 1 });
  Simulation *w = NULL;
  SimulationSettings s = soft(device, PRECISION_F64);
  Error qr = { 0 }, unknown = { 0 };
  s.supplemental = SUPPLEMENTAL_QR;
  assert_false(simulation_create(&w, &mesh, &s, NULL, &qr));
  assert_non_null(strstr(qr.message, "use supplemental \"full\" with degree 2"));
  s.supplemental = SUPPLEMENTAL_FULL;
  snprintf(s.assembly, sizeof s.assembly, "parts");
  assert_false(simulation_create(&w, &mesh, &s, NULL, &unknown));
  assert_non_null(strstr(unknown.message, "parts"));
  printf("  %s\n", unknown.message);
  assert_null(w);
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_stages_agree),
    cmocka_unit_test(graded_bodies_are_as_stiff_as_said),
    cmocka_unit_test(gravity_alone_changes_linear_momentum_and_energy_is_conserved),
    cmocka_unit_test(gravity_is_consistent),
    cmocka_unit_test(smallest_J_is_that_of_points_and_corners),
    cmocka_unit_test(an_inverted_corner_is_reported),
    cmocka_unit_test(stages_are_those_of_their_element),
    cmocka_unit_test(settings_without_degree_2_are_refused),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests_name("degree 2", tests, NULL, NULL);
}
