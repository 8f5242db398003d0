// Tests elements of degree 3: nodes, masses and weights, the rule of 14 integration points, forces and tangent as
// derivatives of the energy, all assemblies, matrices and solvers, and conservation laws of a free body. Options that
// do not support degree 3 are refused. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#define REAL double
#define REAL_SUFFIX f64
#include "../soft_body.h"

#include "mesh/quadratic.h"
#include "sim/element/element_row.h"
#include "sim/element/material/parameters.h"
#include "sim/element/shape/tet_rule14.h"
#include "sim/element/space.h"

static Device device;

static TetMesh cubic_box(int cells, const double size[3]) {
  TetMesh mesh = { 0 };
  Error error = { 0 };
  MUST(mesh_make_box(cells, cells, cells, size, &mesh, &error));
  MUST(mesh_raise(&mesh, 3, &error));
  return mesh;
}

// Every node of a cell is at the position that the cell's shape prescribes. Tets with a common face or edge have the
// same nodes on it.
static void meshes_have_the_nodes_of_degree_3(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = cubic_box(2, (double[3]){ 0.5, 0.4, 0.3 });
  assert_int_equal(mesh_shape(&mesh), CELL_TET20);
  assert_int_equal(mesh.node_count, 7 * 7 * 7);  // the nodes of all cells form a regular grid
  assert_true(mesh_raise(&mesh, 3, &error) && mesh.node_count == 343);
  int *used = calloc((size_t)mesh.node_count, sizeof *used);
  for (int e = 0; e < mesh.tet_count; e++)
    for (int a = 0; a < 20; a++) {
      double part[4];
      cell_shape_part(CELL_TET20, a, part);
      used[mesh_cell_node(&mesh, e, a)]++;
      for (int i = 0; i < 3; i++) {
        double x = 0;
        for (int c = 0; c < 4; c++) x += part[c] * mesh.X[mesh.tet[e][c]][i];
        assert_true(fabs(x - mesh.X[mesh_cell_node(&mesh, e, a)][i]) < 1e-15);
      }
    }
  for (int a = 0; a < mesh.node_count; a++) assert_true(used[a] > 0);
  free(used);
  mesh_destroy(&mesh);
}

// Lumped masses are proportional to the diagonal of the consistent mass matrix. Weights, which distribute loads to
// nodes, are the row sums of this matrix. The lumped masses of all nodes add up to the total mass, and so do the
// weights.
static void masses_and_weights_are_those_of_the_shape(void **state) {
  (void)state;
  double M[400], trace = 0;
  cell_shape_mass(CELL_TET20, M);
  for (int a = 0; a < 20; a++) trace += M[21 * a];
  for (int a = 0; a < 20; a++) {
    const int kind = a < 4 ? 0 : a < 16 ? 1 : 2;
    double row = 0;
    for (int b = 0; b < 20; b++) row += M[20 * a + b];
    assert_true(fabs(M[21 * a] / trace - MESH_LUMPED_CUBIC[kind]) < 1e-14);
    assert_true(fabs(row - MESH_WEIGHT_CUBIC[kind]) < 1e-14);
  }

  Error error = { 0 };
  TetMesh mesh = cubic_box(2, (double[3]){ 0.5, 0.4, 0.3 });
  Space space;
  double mass[343], weight[343], of_space[343], sum[2] = { 0, 0 };
  MUST(space_create(&space, &mesh, 3, &error));
  mesh_lumped_mass(&mesh, 1000, mass);
  mesh_weight(&mesh, 1000, weight);
  for (int a = 0; a < 343; a++) {
    assert_true(mass[a] > 0);
    sum[0] += mass[a];
    sum[1] += weight[a];
  }

  assert_true(fabs(sum[0] - 60) < 1e-12 && fabs(sum[1] - 60) < 1e-12);  // kg, mass of the box: 0.5 * 0.4 * 0.3 * 1000
  space_lumped_mass(&space, 1000, of_space);
  assert_true(relative_l2(of_space, mass, 343) < 1e-14);
  space_weight(&space, 1000, of_space);
  assert_true(relative_l2(of_space, weight, 343) < 1e-14);
  space_destroy(&space);
  mesh_destroy(&mesh);
}

// VTK's Lagrange tetrahedra (vtkHigherOrderTetra) have the corners first. Then come the nodes of each edge, from the
// edge's first corner to its second, and then the nodes of the faces 013, 123, 203, 021.
static void files_have_nodes_in_the_order_of_vtk(void **state) {
  (void)state;
  static const int edge[6][2] = { { 0, 1 }, { 1, 2 }, { 2, 0 }, { 0, 3 }, { 1, 3 }, { 2, 3 } };
  static const int face[4][3] = { { 0, 1, 3 }, { 1, 2, 3 }, { 2, 0, 3 }, { 0, 2, 1 } };
  int order[CELL_NODES_MAX];
  cell_shape_file_order(CELL_TET20, CELL_FILE_VTK, order);
  for (int k = 0; k < 20; k++) {
    double part[4], expected[4] = { 0, 0, 0, 0 };  // barycentric coordinates with respect to the file's corners
    cell_shape_part(CELL_TET20, order[k], part);
    if (k < 4) expected[k] = 1;
    if (k >= 4 && k < 16)
      for (int end = 0; end < 2; end++) expected[edge[(k - 4) / 2][end]] = (end == k % 2 ? 2 : 1) / 3.0;
    for (int c = 0; k >= 16 && c < 3; c++) expected[face[k - 16][c]] = 1.0 / 3;
    for (int c = 0; c < 4; c++)
      if (!(fabs(part[order[c]] - expected[c]) < 1e-15))
        fail_msg("node %d of a VTK file, corner %d: wrong barycentric coordinate %g", k, c, part[order[c]]);
  }
}

static double factorial(int n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}

// The integration rule is exact for all monomials of barycentric coordinates up to degree 5. The integral divided by
// the tet's volume is 3! a! b! c! d! / (3 + a + b + c + d)!.
static void the_rule_is_exact_to_degree_5(void **state) {
  (void)state;
  int count = 0;
  for (int a = 0; a <= 5; a++)
    for (int b = 0; a + b <= 5; b++)
      for (int c = 0; a + b + c <= 5; c++, count++) {
        double sum = 0;
        for (int q = 0; q < TET_RULE14_POINTS; q++) {
          double l[4];
          const double w = tet_rule14(q, l);
          sum += w * pow(l[0], a) * pow(l[1], b) * pow(l[2], c);
        }
        assert_true(fabs(sum - 6 * factorial(a) * factorial(b) * factorial(c) / factorial(3 + a + b + c)) < 1e-16);
      }
  assert_int_equal(count, 56);
}

// At large strains, forces equal central differences of the energy, and the tangent equals central differences of the
// forces.
static void forces_and_tangent_are_derivatives(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = cubic_box(1, (double[3]){ 0.5, 0.4, 0.3 });
  const double material[MATERIAL_PARAMETERS] = { 5, 2 };
  const ElementRow *row = element_row("tet20", NULL, DEVICE_CPU, PRECISION_F64);
  Space space;
  uint64_t seed = 7;
  double u[20][3], F[60], K[60 * 61 / 2], high[60], low[60], largest = 0, off = 0, stiff = 0, away = 0;
  assert_non_null(row);
  MUST(space_create(&space, &mesh, 3, &error));
  for (int a = 0; a < 20; a++) {
    const double *X = mesh.X[space_cell(&space, 0)[a]];
    for (int i = 0; i < 3; i++) u[a][i] = 0.3 * X[(i + 1) % 3] - 0.4 * X[i] * X[i] + 0.004 * random_unit(&seed);
  }
  assert_true(row->evaluate(&space, u, 0, material, F, K) > 0.2);
  for (int k = 0; k < 60; k++) {
    const double at = u[k / 3][k % 3], step = 1e-6;
    u[k / 3][k % 3] = at + step;
    const double above = row->cell_energy(&space, u, 0, material);
    row->evaluate(&space, u, 0, material, high, NULL);
    u[k / 3][k % 3] = at - step;
    const double below = row->cell_energy(&space, u, 0, material);
    row->evaluate(&space, u, 0, material, low, NULL);
    u[k / 3][k % 3] = at;
    largest = fmax(largest, fabs(F[k]));
    off = fmax(off, fabs((above - below) / (2 * step) - F[k]));
    for (int j = 0; j < 60; j++) {
      const int i = j < k ? j : k, m = j < k ? k : j;
      const double entry = K[i * 60 - i * (i - 1) / 2 + m - i];
      stiff = fmax(stiff, fabs(entry));
      away = fmax(away, fabs((high[j] - low[j]) / (2 * step) - entry));
    }
  }

  printf("  largest errors: %.1e N in forces up to %.2g N, %.1e N/m in tangent entries up to %.2g N/m\n", off, largest,
         away, stiff);
  assert_true(largest > 1e-3 && off < 1e-7 * largest && away < 1e-7 * stiff);
  space_destroy(&space);
  mesh_destroy(&mesh);
}

static void all_stages_agree(void **state) {
  (void)state;
  TetMesh mesh = cubic_box(1, (double[3]){ 0.5, 0.4, 0.5 });
  mesh.stiffness = malloc(sizeof *mesh.stiffness * (size_t)mesh.tet_count);
  for (int e = 0; e < mesh.tet_count; e++) mesh.stiffness[e] = 1 + e % 3;
  stages_agree(device, &mesh, "tet20", MASS_LUMPED);
  mesh_destroy(&mesh);
}

static void free_bodies_conserve_momenta_and_energy(void **state) {
  (void)state;
  for (int mass = MASS_LUMPED; mass <= MASS_CONSISTENT; mass++) {
    TetMesh mesh = cubic_box(1, (double[3]){ 0.3, 0.2, 0.4 });
    SimulationSettings s = soft(device, PRECISION_F64);
    s.dt = 0.002;
    s.mass = (MassKind)mass;
    check_conservation_of_a_free_box(&mesh, &s);
    mesh_destroy(&mesh);
  }
}

static void settings_without_degree_3_are_refused(void **state) {
  (void)state;
  TetMesh mesh = cubic_box(1, (double[3]){ 0.5, 0.4, 0.5 });
  SimulationSettings s = soft(device, PRECISION_F64), t = s;
  t.self_contact = true;
  refused(&mesh, &t, "self_contact supports elements of degree 1 or 2");
  t = s;
  t.supplemental = SUPPLEMENTAL_QR;
  refused(&mesh, &t, "use supplemental \"full\" with degree 3");
  t = s;
  snprintf(t.assembly, sizeof t.assembly, "parts");
  refused(&mesh, &t, "parts");
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(meshes_have_the_nodes_of_degree_3),
    cmocka_unit_test(masses_and_weights_are_those_of_the_shape),
    cmocka_unit_test(files_have_nodes_in_the_order_of_vtk),
    cmocka_unit_test(the_rule_is_exact_to_degree_5),
    cmocka_unit_test(forces_and_tangent_are_derivatives),
    cmocka_unit_test(all_stages_agree),
    cmocka_unit_test(free_bodies_conserve_momenta_and_energy),
    cmocka_unit_test(settings_without_degree_3_are_refused),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  if (!simulation_element("tet20")) {
    printf("skipped: this build has no element of degree 3\n");
    return EXIT_SKIPPED;
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
