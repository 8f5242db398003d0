// Tests bodies of hexahedra. All assemblies, matrices and solvers agree, and each assembly agrees with a simple one in
// double. Linear displacements are exact on distorted meshes, and free bodies conserve momenta and energy. det F is
// tested at integration points and corners, faces take part in contact, and unsupported options are refused. argv[1]:
// the device; argv[2]: a pattern for the names of the tests to run.
#include "../soft_body.h"

#include "mesh/grid.h"
#include "sim/element/element_row.h"
#include "sim/element/material/parameters.h"
#include "sim/report/tet_stress.h"
#include "sim/validation.h"

static Device device;

static TetMesh hex_box(int cells, const double size[3], double distort) {
  Grid grid = { .shape = CELL_HEX8, .cells = { cells, cells, cells }, .distort = distort, .seed = 3 };
  CellMesh made = { 0 };
  TetMesh mesh = { 0 };
  Error error = { 0 };
  memcpy(grid.size, size, sizeof grid.size);
  MUST(grid_make(&grid, &made, &error) && cell_mesh_to_body(&made, &mesh, &error));
  return mesh;
}

// Compares the matrix entries and forces of every assembly with those of a simple assembly in double. The cells of the
// body are distorted, have several stiffness factors, and are at large strains.
static void every_assembly_agrees_with_a_plain_one(void **state) {
  (void)state;

  // 125 hexes: more than the 32 lanes of a warp, and no multiple of the number of cells per thread block
  TetMesh mesh = hex_box(5, (double[3]){ 1, 0.8, 1.3 }, 0.2);
  mesh.stiffness = malloc(sizeof *mesh.stiffness * (size_t)mesh.tet_count);
  for (int e = 0; e < mesh.tet_count; e++) mesh.stiffness[e] = 1 + e % 3;
  Validation *validation;
  Error error = { 0 };
  MUST(validation_create(&validation, &mesh, &error));
  const Stage *assembly, *matrix;
  int count = 0;
  for (int a = 0; (assembly = simulation_stage(STAGE_ASSEMBLY, "hex8", a)); a++)
    for (int m = 0; (matrix = simulation_stage(STAGE_OPERATOR, "hex8", m)); m++) {
      if (assembly->device != device || matrix->device != device || assembly->precision != matrix->precision) continue;
      if (!simulation_stores(matrix) || !stage_fits(assembly, matrix)) continue;
      ValidationErrors e;
      MUST(validation_run(validation, assembly, matrix, &e, &error));

      // An entry is a sum over eight points of up to eight hexes. Each term has a relative rounding error of 6e-8 in
      // float or 1e-16 in double.
      const double bound = assembly->precision == PRECISION_F32 ? 5e-7 : 1e-14;
      if (!(e.matrix <= bound && e.vector <= 4 * bound))
        fail_msg("assembly %s, matrix %s: relative errors %.1e of the matrix, %.1e of the vector", assembly->name,
                 matrix->name, e.matrix, e.vector);
      count++;
    }
  printf("  compared %d pairs of assembly and matrix format\n", count);
  assert_true(count > 10);
  validation_destroy(validation);
  mesh_destroy(&mesh);
}

static void all_stages_agree(void **state) {
  (void)state;
  TetMesh mesh = hex_box(3, (double[3]){ 0.5, 0.4, 0.5 }, 0.2);
  stages_agree(device, &mesh, "hex8", MASS_LUMPED);
  mesh_destroy(&mesh);
}

// Default stages exist on each device in both precisions, and their results agree with a reference on the CPU.
static void default_stages_agree_with_the_reference(void **state) {
  (void)state;
  TetMesh mesh = hex_box(6, (double[3]){ 0.5, 0.4, 0.5 }, 0.1);
  SimulationSettings s = soft(device, PRECISION_F64);
  s.gravity[2] = -9.81;
  s.device = DEVICE_CPU;
  double(*expected)[3] = run(&mesh, &s);
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    SimulationSettings taken = soft(device, (Precision)precision);
    taken.gravity[2] = -9.81;
    double(*u)[3] = run(&mesh, &taken);
    assert_true(relative_l2(&u[0][0], &expected[0][0], 3 * mesh.node_count) <
                (precision == PRECISION_F64 ? 1e-8 : 2e-4));
    free(u);
  }
  free(expected);
  mesh_destroy(&mesh);
}

// Prescribes a linear displacement at the boundary. In equilibrium, the inner nodes must have the same linear
// displacement, so det F and the stress are equal in all cells.
static void linear_displacements_are_exact(void **state) {
  (void)state;
  const double F[3][3] = { { 1.2, 0.15, -0.1 }, { 0.05, 0.9, 0.2 }, { -0.1, 0.1, 1.1 } };
  const double det = 1.2 * (0.9 * 1.1 - 0.2 * 0.1) - 0.15 * (0.05 * 1.1 + 0.2 * 0.1) - 0.1 * (0.05 * 0.1 + 0.9 * 0.1);
  TetMesh mesh = hex_box(4, (double[3]){ 1, 1, 1 }, 0.25);
  SimulationSettings s = soft(device, PRECISION_F64);
  Error error = { 0 };
  uint64_t seed = 2;
  uint8_t *pinned = calloc((size_t)mesh.node_count, 1);
  double(*x)[3] = malloc(sizeof *x * (size_t)mesh.node_count);
  for (int a = 0; a < mesh.node_count; a++) {
    for (int i = 0; i < 3; i++) {
      if (mesh.X[a][i] < 1e-9 || mesh.X[a][i] > 1 - 1e-9) pinned[a] = PIN_ALL;
      x[a][i] = F[i][0] * mesh.X[a][0] + F[i][1] * mesh.X[a][1] + F[i][2] * mesh.X[a][2];
    }
    for (int i = 0; i < 3; i++) x[a][i] += pinned[a] ? 0 : 0.03 * random_unit(&seed);
  }

  Simulation *w;
  StepReport report;
  MUST(simulation_create(&w, &mesh, &s, pinned, &error));
  MUST(simulation_set_state(w, (const double(*)[3])x, NULL, &error));
  MUST(simulation_equilibrium(w, &report, &error));
  assert_true(report.converged && fabs(report.min_J - det) < 1e-8);
  double(*u)[3] = malloc(sizeof *u * (size_t)mesh.node_count);
  MUST(simulation_displacements(w, u, &error));
  for (int a = 0; a < mesh.node_count; a++)
    for (int i = 0; i < 3; i++) {
      const double expected = F[i][0] * mesh.X[a][0] + F[i][1] * mesh.X[a][1] + F[i][2] * mesh.X[a][2] - mesh.X[a][i];
      assert_true(fabs(u[a][i] - expected) < 1e-8);
    }
  double first[6], sigma[6];
  assert_true(fabs(tet_cauchy_stress(&mesh, (const double(*)[3])u, 0, &s, first) - det) < 1e-7);
  for (int e = 0; e < mesh.tet_count; e++)
    for (int c = 0; c < 8; c++) {
      const double at[4] = { c & 1, c >> 1 & 1, c >> 2 };
      assert_true(fabs(tet_cauchy_stress_at(&mesh, (const double(*)[3])u, e, at, &s, sigma) - det) < 1e-6);
      for (int v = 0; v < 6; v++) assert_true(fabs(sigma[v] - first[v]) < 1e-6 * s.mu);
    }
  simulation_destroy(w);
  free(pinned);
  free(x);
  free(u);
  mesh_destroy(&mesh);
}

// A free body moves, rotates and vibrates under gravity. Gravity alone changes its linear momentum, and its centre of
// mass moves along a parabola. Its angular momentum about this centre is conserved, and so is its energy up to the
// integrator's error.
static void free_bodies_conserve_momenta_and_energy(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = hex_box(2, (double[3]){ 0.3, 0.2, 0.4 }, 0.1);
  const size_t n = (size_t)mesh.node_count;
  SimulationSettings s = soft(device, PRECISION_F64);
  s.dt = 0.002;
  s.gravity[2] = -9.81;
  double *mass = malloc(sizeof *mass * n), (*p)[3] = malloc(sizeof *p * n);
  mesh_lumped_mass(&mesh, s.density, mass);
  for (int a = 0; a < mesh.node_count; a++) {
    const double *X = mesh.X[a], v[3] = { -3 * X[1], 3 * X[0], 1 + 0.5 * X[1] };
    for (int i = 0; i < 3; i++) p[a][i] = mass[a] * v[i];
  }
  Simulation *w;
  BodyMotion before, after;
  const int steps = 100;
  MUST(simulation_create(&w, &mesh, &s, NULL, &error));
  MUST(simulation_set_state(w, NULL, (const double(*)[3])p, &error));
  MUST(simulation_bodies(w, &before, &error));
  for (int k = 0; k < steps; k++) {
    StepReport report;
    MUST(simulation_step(w, &report, &error));
    assert_true(report.converged);
  }

  MUST(simulation_bodies(w, &after, &error));
  const double t = steps * s.dt, m = before.mass, fallen = before.linear[2] / m * t - 9.81 / 2 * t * t;
  assert_true(fabs(m - 24) < 1e-9 && before.tets == 8);
  for (int i = 0; i < 3; i++)
    assert_true(fabs(after.linear[i] - before.linear[i] + (i == 2 ? 9.81 * m * t : 0)) < 1e-7 * m);
  assert_true(fabs(after.centre[2] - before.centre[2] - fallen) < 1e-8);
  const double *centre[2] = { before.centre, after.centre }, *linear[2] = { before.linear, after.linear },
               *angular[2] = { before.angular, after.angular };
  double own[2][3];  // angular momentum about the centre of mass, before and after
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 3; i++) {
      const int j = (i + 1) % 3, l = (i + 2) % 3;
      own[k][i] = angular[k][i] - (centre[k][j] * linear[k][l] - centre[k][l] * linear[k][j]);
    }
  for (int i = 0; i < 3; i++) assert_true(fabs(own[1][i] - own[0][i]) < 1e-6 * (fabs(own[0][2]) + 1));
  const double energy[2] = { before.kinetic + before.elastic, after.kinetic + after.elastic + 9.81 * m * fallen };
  assert_true(after.elastic > 1e-3 && fabs(energy[1] - energy[0]) < 1e-2 * energy[0]);
  simulation_destroy(w);
  free(mass);
  free(p);
  mesh_destroy(&mesh);
}

// The element must report the minimum of det F over its integration points and corners. For some of the random
// displacements, this minimum must be at a corner.
static void smallest_J_is_that_of_points_and_corners(void **state) {
  (void)state;
  const ElementRow *row = element_row("hex8", NULL, DEVICE_CPU, PRECISION_F64);
  const double near = (3 - sqrt(3)) / 6, material[MATERIAL_PARAMETERS] = { 5, 4, 0 };
  int node[8] = { 0, 1, 2, 3, 4, 5, 6, 7 }, at_corners = 0;
  uint64_t seed = 4;
  for (int trial = 0; trial < 20; trial++) {
    double X[8][3], x[8][3], u[8][3], F[24], ignored[3], least[2] = { HUGE_VAL, HUGE_VAL };
    const Space space = { .shape = CELL_HEX8, .cell_nodes = 8, .node_count = 8, .cell_count = 1, .X = X, .cell = node };
    for (int a = 0; a < 8; a++)
      for (int i = 0; i < 3; i++) {
        X[a][i] = (a >> i & 1) + 0.1 * random_unit(&seed);
        u[a][i] = 0.2 * random_unit(&seed);
        x[a][i] = X[a][i] + u[a][i];
      }

    // det F is the ratio of the determinants of dx/dxi and dX/dxi; k counts first the integration points, then the
    // corners
    for (int k = 0; k < 16; k++) {
      double xi[3];
      for (int i = 0; i < 3; i++) xi[i] = k < 8 ? (k >> i & 1 ? 1 - near : near) : k >> i & 1;
      const double J = cell_shape_map(CELL_HEX8, (const double(*)[3])x, xi, ignored, NULL) /
                       cell_shape_map(CELL_HEX8, (const double(*)[3])X, xi, ignored, NULL);
      least[k / 8] = fmin(least[k / 8], J);
    }
    const double J = row->evaluate(&space, u, 0, material, F, NULL);
    assert_true(fabs(J - fmin(least[0], least[1])) < 1e-12);
    at_corners += least[1] < least[0];
  }
  assert_true(at_corners > 5);
}

// A corner is pushed through its hex, so det F is negative at this corner. The report or the error names the hex.
static void an_inverted_corner_names_its_hex(void **state) {
  (void)state;
  TetMesh mesh = hex_box(1, (double[3]){ 1, 1, 1 }, 0);
  SimulationSettings s = soft(device, PRECISION_F64);
  Simulation *w;
  StepReport report;
  Error error = { 0 };
  double x[8][3];
  char text[ERROR_LENGTH];
  MUST(simulation_create(&w, &mesh, &s, NULL, &error));
  memcpy(x, mesh.X, sizeof x);
  for (int i = 0; i < 3; i++) x[7][i] = 0.45;
  MUST(simulation_set_state(w, (const double(*)[3])x, NULL, &error));
  if (simulation_step(w, &report, &error)) {
    assert_false(report.converged);
    newton_trouble_text(&report, text, sizeof text);
  } else {
    snprintf(text, sizeof text, "%s", error.message);
  }
  if (!strstr(text, "the hex with nodes 1, 2, 3, 4, 5, 6, 7, 8 has the volume ratio det F = -")) fail_msg("%s", text);
  simulation_destroy(w);
  mesh_destroy(&mesh);
}

// One box falls onto another and comes to rest on it. Their surfaces must not intersect.
static void surfaces_of_hexes_touch(void **state) {
  (void)state;
  TetMesh mesh = hex_box(2, (double[3]){ 1, 1, 0.5 }, 0), more = hex_box(2, (double[3]){ 0.6, 0.6, 0.6 }, 0.1);
  Error error = { 0 };
  for (int a = 0; a < more.node_count; a++)
    for (int i = 0; i < 3; i++) more.X[a][i] += (double[3]){ 0.2, 0.15, 0.52 }[i];
  const int below = mesh.node_count, all = below + more.node_count;
  const int64_t count = mesh.tet_count + more.tet_count;
  TetMesh both = { .node_count = all, .tet_count = (int)count };
  both.X = malloc(sizeof *both.X * (size_t)all);
  both.hex = malloc(sizeof *both.hex * (size_t)count);
  both.node_tag = malloc(sizeof *both.node_tag * (size_t)all);
  both.body = calloc((size_t)all, sizeof *both.body);
  for (int a = 0; a < all; a++) {
    memcpy(both.X[a], a < below ? mesh.X[a] : more.X[a - below], sizeof *both.X);
    both.node_tag[a] = a + 1;
    both.body[a] = a >= below;
  }

  for (int e = 0; e < both.tet_count; e++)
    for (int a = 0; a < 8; a++)
      both.hex[e][a] = e < mesh.tet_count ? mesh.hex[e][a] : more.hex[e - mesh.tet_count][a] + below;
  SimulationSettings s = soft(device, PRECISION_F64);
  s.gravity[2] = -9.81;
  s.self_contact = true;
  s.dt = 1.0 / 60;
  s.damping = 5;
  s.mu = 4e5;
  s.lambda = 6e5;
  s.newton_relative = s.cg_relative = 1e-5;
  uint8_t *pinned = held_below(&both);
  Simulation *w;
  BodyMotion motion[2];
  MUST(simulation_create(&w, &both, &s, pinned, &error));
  for (int k = 0; k < 60; k++) {
    StepReport report;
    MUST(simulation_step(w, &report, &error));
    assert_true(report.converged && report.min_J > 0);
  }

  MUST(simulation_bodies(w, motion, &error));

  // height of the upper box's centre, m: half its edge above 0.5 m, less the compression of both boxes
  const double height = motion[1].centre[2];
  if (!(fabs(height - 0.8) < 0.01)) fail_msg("the centre of the upper box is at z = %g m, expected 0.8 m", height);
  simulation_destroy(w);
  free(pinned);
  mesh_destroy(&mesh);
  mesh_destroy(&more);
  mesh_destroy(&both);
}

static void settings_without_hexes_are_refused(void **state) {
  (void)state;
  TetMesh mesh = hex_box(2, (double[3]){ 1, 1, 1 }, 0);
  Simulation *w = NULL;
  Error error = { 0 };
  SimulationSettings s = soft(device, PRECISION_F64);
  s.supplemental = SUPPLEMENTAL_QR;
  assert_false(simulation_create(&w, &mesh, &s, NULL, &error));
  assert_non_null(
      strstr(error.message, "supplemental \"qr\" supports only linear tets; use supplemental \"full\" with hexahedra"));
  s = soft(device, PRECISION_F64);
  error = (Error){ 0 };
  snprintf(s.assembly, sizeof s.assembly, "%s", device == DEVICE_CUDA ? "sharednz" : "parts");
  assert_false(simulation_create(&w, &mesh, &s, NULL, &error));
  assert_non_null(strstr(error.message, "does not exist on device"));
  s = soft(device, PRECISION_F64);
  error = (Error){ 0 };
  mesh.ratio = malloc(sizeof *mesh.ratio * (size_t)mesh.tet_count);
  for (int e = 0; e < mesh.tet_count; e++) mesh.ratio[e] = e % 2 ? 1 : NAN;
  assert_false(simulation_create(&w, &mesh, &s, NULL, &error));
  assert_non_null(strstr(error.message, "bodies of hexahedra must have the same Poisson's ratio; use tetrahedra"));
  if (element_row("tet4", "stvk", DEVICE_CPU, PRECISION_F64)) {
    free(mesh.ratio);
    mesh.ratio = NULL;
    error = (Error){ 0 };
    snprintf(s.material, sizeof s.material, "stvk");
    assert_false(simulation_create(&w, &mesh, &s, NULL, &error));
    assert_non_null(strstr(error.message, "material is \"stvk\", but a body of hexahedra needs \"neo_hookean\""));
  }
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_assembly_agrees_with_a_plain_one),
    cmocka_unit_test(all_stages_agree),
    cmocka_unit_test(default_stages_agree_with_the_reference),
    cmocka_unit_test(linear_displacements_are_exact),
    cmocka_unit_test(free_bodies_conserve_momenta_and_energy),
    cmocka_unit_test(smallest_J_is_that_of_points_and_corners),
    cmocka_unit_test(an_inverted_corner_names_its_hex),
    cmocka_unit_test(surfaces_of_hexes_touch),
    cmocka_unit_test(settings_without_hexes_are_refused),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  if (!simulation_element("hex8")) {
    printf("skipped: this build has no element of hexahedra\n");
    return EXIT_SKIPPED;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
