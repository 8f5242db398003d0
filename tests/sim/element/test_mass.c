// Tests consistent masses: the mass matrix equals its closed form, and rigid motions have the exact energy and momenta.
// Velocities that are set can be read back, and free bodies obey conservation laws. Solvers and matrices support
// consistent masses or refuse them. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "../soft_body.h"

#include "mesh/quadratic.h"
#include "sim/element/mass_matrix.h"

static Device device;

static TetMesh box_of(int degree, int cells, const double size[3]) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  MUST(mesh_make_box(cells, cells, cells, size, &mesh, &error));
  if (degree == 2) MUST(mesh_raise(&mesh, 2, &error));
  return mesh;
}

// Tests the entries of the mass matrix, divided by the cell's mass. Linear tets have 1/10 on the diagonal and 1/20
// elsewhere. Quadratic tets have multiples of 1/420 (Zienkiewicz and Taylor, The finite element method).
static void cells_have_their_closed_form(void **state) {
  (void)state;
  double M[CELL_NODES_MAX * CELL_NODES_MAX];
  cell_shape_mass(CELL_TET4, M);
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 4; b++) assert_true(fabs(M[4 * a + b] - (1 + (a == b)) / 20.0) < 1e-15);
  cell_shape_mass(CELL_TET10, M);
  for (int a = 0; a < 10; a++)
    for (int b = 0; b < 10; b++) {
      int shared = 0, expected;  // shared: number of corners that two edges have in common
      for (int p = 0; a >= 4 && b >= 4 && p < 4; p++)
        shared += tet_edge_corners[a - 4][p % 2] == tet_edge_corners[b - 4][p / 2];
      const int corner = a < 4 ? a : b, edge = (a < 4 ? b : a) - 4;
      if (a < 4 && b < 4)
        expected = a == b ? 6 : 1;
      else if (a < 4 || b < 4)
        expected = tet_edge_corners[edge][0] == corner || tet_edge_corners[edge][1] == corner ? -4 : -6;
      else
        expected = a == b ? 32 : shared ? 16 : 8;
      if (!(fabs(M[10 * a + b] - expected / 420.0) < 1e-15))
        fail_msg("420 times the mass matrix entry of nodes %d and %d is %g", a, b, 420 * M[10 * a + b]);
    }
}

// Gives a box the velocities of a rigid translation and rotation. Its energy and momenta must be those of a rigid box,
// up to rounding, and the velocities that are read back must equal those that were set.
static void rigid_motion_is_exact(void **state) {
  (void)state;
  Error error = { 0 };
  const double size[3] = { 0.3, 0.2, 0.4 }, centre[3] = { 0.15, 0.1, 0.2 }, spin[3] = { 3, 7, 2 };
  const double start[3] = { 0.5, -0.2, 2.5 };
  for (int degree = 1; degree <= 2; degree++)
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
      TetMesh mesh = box_of(degree, 3, size);
      SimulationSettings s = soft(device, (Precision)precision);
      const double bound = precision == PRECISION_F64 ? 1e-13 : 1e-6, whole = s.density * size[0] * size[1] * size[2];
      double(*v)[3] = malloc(sizeof *v * (size_t)mesh.node_count),
      (*back)[3] = malloc(sizeof *v * (size_t)mesh.node_count);
      double turning = 0, angular[3];
      for (int a = 0; a < mesh.node_count; a++)
        for (int i = 0; i < 3; i++) {
          const int j = (i + 1) % 3, k = (i + 2) % 3;
          v[a][i] = start[i] + spin[j] * (mesh.X[a][k] - centre[k]) - spin[k] * (mesh.X[a][j] - centre[j]);
        }
      for (int i = 0; i < 3; i++) {  // a box has the moments of inertia m (b^2 + c^2) / 12
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double inertia = whole * (size[j] * size[j] + size[k] * size[k]) / 12;
        turning += inertia * spin[i] * spin[i] / 2;
        angular[i] = inertia * spin[i] + whole * (centre[j] * start[k] - centre[k] * start[j]);
      }
      const double flight = whole * (0.25 + 0.04 + 6.25) / 2;
      s.mass = MASS_CONSISTENT;
      Simulation *w;
      Energy e;
      MUST(simulation_create(&w, &mesh, &s, NULL, &error));
      MUST(simulation_set_velocities(w, (const double(*)[3])v, &error));
      MUST(simulation_energy(w, &e, &error));
      MUST(simulation_velocities(w, back, &error));
      const double off = fabs(e.kinetic / (turning + flight) - 1);
      printf("  degree %d in %s: relative error of the kinetic energy %.1e\n", degree,
             precision_name((Precision)precision), off);
      assert_true(off < bound);
      for (int i = 0; i < 3; i++) {
        assert_true(fabs(e.linear[i] - whole * start[i]) < bound * whole * 3);
        assert_true(fabs(e.angular[i] - angular[i]) < bound * whole * 3);
      }
      assert_true(relative_l2(&back[0][0], &v[0][0], 3 * mesh.node_count) < 10 * bound);
      BodyMotion motion;
      MUST(simulation_bodies(w, &motion, &error));
      assert_true(fabs(motion.kinetic / (turning + flight) - 1) < bound && fabs(motion.mass / whole - 1) < 1e-12);

      // a change of density keeps the velocities
      s.density *= 3;
      MUST(simulation_adjust(w, &s, &error));
      MUST(simulation_energy(w, &e, &error));
      assert_true(fabs(e.kinetic / (3 * (turning + flight)) - 1) < bound);
      simulation_destroy(w);
      free(v);
      free(back);
      mesh_destroy(&mesh);
    }
}

static void free_bodies_keep_momenta_and_energy(void **state) {
  (void)state;
  TetMesh mesh = box_of(2, 2, (double[3]){ 0.3, 0.2, 0.4 });
  SimulationSettings s = soft(device, PRECISION_F64);
  s.dt = 0.002;
  s.mass = MASS_CONSISTENT;
  s.first_guess = FIRST_GUESS_VELOCITY;
  check_conservation_of_a_free_box(&mesh, &s);
  mesh_destroy(&mesh);
}

// Separates a free box in the plane x = 0.15 m. Nodes in this plane get copies for the tets with larger x. Returns for
// each node of *apart the node of the box from which it was copied; the caller frees this array [apart->node_count].
static int *cut_box(const TetMesh *mesh, TetMesh *apart) {
  Error error = { 0 };
  int copies = 0, *copy = malloc(sizeof *copy * (size_t)mesh->node_count);
  for (int a = 0; a < mesh->node_count; a++)
    copy[a] = fabs(mesh->X[a][0] - 0.15) < 1e-9 ? mesh->node_count + copies++ : a;
  MUST(mesh_allocate(apart, mesh->node_count + copies, mesh->tet_count, &error));
  apart->node_count = mesh->node_count + copies;
  apart->tet_count = mesh->tet_count;
  int *from = malloc(sizeof *from * (size_t)apart->node_count);
  for (int a = 0; a < mesh->node_count; a++) from[a] = from[copy[a]] = a;
  for (int a = 0; a < apart->node_count; a++) {
    memcpy(apart->X[a], mesh->X[from[a]], sizeof *apart->X);
    apart->node_tag[a] = a + 1;
  }
  for (int e = 0; e < mesh->tet_count; e++) {
    double x = 0;
    for (int k = 0; k < 4; k++) x += mesh->X[mesh->tet[e][k]][0] / 4;
    for (int k = 0; k < 4; k++) apart->tet[e][k] = x > 0.15 ? copy[mesh->tet[e][k]] : mesh->tet[e][k];
  }
  free(copy);
  return from;
}

// In a free box, each node has its own velocity. The box is so soft that its forces are negligible, so the velocities
// must stay constant, also in the step after a cut, which BDF2 computes from two earlier states.
static void velocities_stay_after_a_cut(void **state) {
  (void)state;
  Error error = { 0 };
  StepReport report;
  TetMesh mesh = box(2, 1, 1, (double[3]){ 0.3, 0.1, 0.1 }), apart = { 0 };
  int *from = cut_box(&mesh, &apart);
  SimulationSettings s = soft(device, PRECISION_F64);
  s.mu = s.lambda = 1e-6;
  s.dt = 1e-4;
  s.mass = MASS_CONSISTENT;
  s.integrator = INTEGRATOR_BDF2;
  Simulation *w, *cut;
  double(*v)[3] = malloc(sizeof *v * (size_t)mesh.node_count), (*now)[3] = malloc(sizeof *v * (size_t)apart.node_count);
  for (int a = 0; a < mesh.node_count; a++)
    for (int i = 0; i < 3; i++) v[a][i] = sin(7 * a + 3 * i);
  MUST(simulation_create(&w, &mesh, &s, NULL, &error));
  MUST(simulation_create(&cut, &apart, &s, NULL, &error));
  MUST(simulation_set_velocities(w, (const double(*)[3])v, &error));
  MUST(simulation_step(w, &report, &error));
  MUST(simulation_carry(cut, w, from, &error));
  double off = 0;
  for (int step = 0; step < 2; step++) {
    MUST(simulation_velocities(cut, now, &error));
    for (int a = 0; a < apart.node_count; a++)
      for (int i = 0; i < 3; i++) off = fmax(off, fabs(now[a][i] - v[from[a]][i]));
    MUST(simulation_step(cut, &report, &error));
  }

  printf("  largest change of a velocity: %.1e m/s\n", off);
  assert_true(off < 1e-6);
  simulation_destroy(w);
  simulation_destroy(cut);
  mesh_destroy(&mesh);
  mesh_destroy(&apart);
  free(v);
  free(now);
  free(from);
}

static void all_stages_agree_with_consistent_masses(void **state) {
  (void)state;
  for (int degree = 1; degree <= 2; degree++) {
    TetMesh mesh = box_of(degree, 2, (double[3]){ 0.5, 0.4, 0.5 });
    stages_agree(device, &mesh, degree == 1 ? "tet4" : "tet10", MASS_CONSISTENT);
    mesh_destroy(&mesh);
  }
}

static void solvers_without_consistent_masses_are_refused(void **state) {
  (void)state;
  TetMesh mesh = box_of(1, 2, (double[3]){ 0.5, 0.4, 0.5 });
  SimulationSettings s = soft(device, PRECISION_F32);
  s.mass = MASS_CONSISTENT;
  SimulationSettings t = s;
  t.self_contact = true;
  refused(&mesh, &t, "self_contact requires mass \"lumped\"");
  t = s;
  snprintf(t.solver, sizeof t.solver, "resident");
  snprintf(t.matrix, sizeof t.matrix, "parts");
  refused(&mesh, &t, "does not support mass");
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cells_have_their_closed_form),
    cmocka_unit_test(rigid_motion_is_exact),
    cmocka_unit_test(free_bodies_keep_momenta_and_energy),
    cmocka_unit_test(velocities_stay_after_a_cut),
    cmocka_unit_test(all_stages_agree_with_consistent_masses),
    cmocka_unit_test(solvers_without_consistent_masses_are_refused),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
