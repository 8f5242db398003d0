// Tests the neo-Hookean solid on hexahedra (shape/hex8.h). Forces are compared with differences of the energy, and the
// tangent with differences of forces, for distorted cells with strains of tens of per cent.
#include "../sim_testing.h"

#include "sim/element/element.h"

static const double material[MATERIAL_PARAMETERS] = { 3e4, 7e4 };  // mu, lambda, Pa
enum { ENTRIES = ELEMENT_DOF * (ELEMENT_DOF + 1) / 2 };

// Makes the shape constants S of a random distorted cell, and random displacements u.
static ElementParameters random_cell(uint64_t *seed, double S[ELEMENT_SUPPLEMENTAL], double u[ELEMENT_DOF]) {
  double X[8][3];
  int cell[8];
  double stiffness = 1.7;
  const Space space = { .shape = CELL_HEX8,
                        .cell_nodes = 8,
                        .node_dof = 3,
                        .node_count = 8,
                        .cell_count = 1,
                        .X = X,
                        .cell = cell,
                        .stiffness = &stiffness };
  for (int a = 0; a < 8; a++) {
    cell[a] = a;
    for (int i = 0; i < 3; i++) {
      X[a][i] = 0.1 * ((a >> i & 1) + 0.15 * random_unit(seed));
      u[3 * a + i] = 5 + 0.012 * random_unit(seed);
    }
  }
  element_supplemental(&space, 0, S);
  return element_parameters(material, 1, 1);
}

static void forces_are_the_slope_of_the_energy(void **state) {
  (void)state;
  uint64_t seed = 3;
  for (int trial = 0; trial < 20; trial++) {
    double S[ELEMENT_SUPPLEMENTAL], u[ELEMENT_DOF], F[ELEMENT_DOF], scale = 0;
    const ElementParameters p = random_cell(&seed, S, u);
    assert_true(element_evaluate(u, S, &p, F, NULL) > 0.1);
    for (int i = 0; i < ELEMENT_DOF; i++) scale = fmax(scale, fabs(F[i]));
    assert_true(scale > 1);
    for (int i = 0; i < ELEMENT_DOF; i++) {
      const double h = 1e-6, at = u[i];
      u[i] = at + h;
      const double high = element_energy(u, S, &p);
      u[i] = at - h;
      const double low = element_energy(u, S, &p);
      u[i] = at;
      assert_true(fabs((high - low) / (2 * h) - F[i]) < 1e-6 * scale);
    }
  }
}

static void the_matrix_is_the_slope_of_the_forces(void **state) {
  (void)state;
  uint64_t seed = 5;
  for (int trial = 0; trial < 10; trial++) {
    double S[ELEMENT_SUPPLEMENTAL], u[ELEMENT_DOF], F[ELEMENT_DOF], high[ELEMENT_DOF], low[ELEMENT_DOF], A[ENTRIES];
    const ElementParameters p = random_cell(&seed, S, u);
    double scale = 0;
    element_evaluate(u, S, &p, F, A);
    for (int v = 0; v < ENTRIES; v++) scale = fmax(scale, fabs(A[v]));
    for (int i = 0; i < ELEMENT_DOF; i++) {
      const double h = 1e-6, at = u[i];
      u[i] = at + h;
      element_evaluate(u, S, &p, high, NULL);
      u[i] = at - h;
      element_evaluate(u, S, &p, low, NULL);
      u[i] = at;
      for (int k = 0; k < ELEMENT_DOF; k++)
        assert_true(fabs((high[k] - low[k]) / (2 * h) - A[symmetric_index(ELEMENT_DOF, i, k)]) < 1e-6 * scale);
    }
  }
}

// A rigid motion x = R X + c causes no energy and no forces.
static void rigid_motions_cause_no_energy_and_no_force(void **state) {
  (void)state;
  uint64_t seed = 7;
  double S[ELEMENT_SUPPLEMENTAL], u[ELEMENT_DOF], F[ELEMENT_DOF];
  const ElementParameters p = random_cell(&seed, S, u);
  for (int a = 0; a < 8; a++) {
    const double *X = a ? S + 3 * (a - 1) : (double[3]){ 0, 0, 0 }, c = cos(2), s = sin(2);
    u[3 * a] = c * X[0] - s * X[1] - X[0] + 0.3;
    u[3 * a + 1] = s * X[0] + c * X[1] - X[1] - 0.2;
    u[3 * a + 2] = 0.1;
  }
  assert_true(fabs(element_evaluate(u, S, &p, F, NULL) - 1) < 1e-12);
  for (int i = 0; i < ELEMENT_DOF; i++) assert_true(fabs(F[i]) < 1e-9);
  assert_true(fabs(element_energy(u, S, &p)) < 1e-12);
}

// For a linear displacement with the gradient H, shape_corner_gradient must return H at each corner. If a corner is
// pushed through its cell, element_smallest_J must be negative.
static void inversions_at_corners_are_detected(void **state) {
  (void)state;
  uint64_t seed = 9;
  double S[ELEMENT_SUPPLEMENTAL], u[ELEMENT_DOF] = { 0 };
  random_cell(&seed, S, u);
  for (int c = 0; c < 8; c++) {
    const double H[3][3] = { { 0.2, -0.3, 0.1 }, { 0.4, 0.1, -0.2 }, { 0.3, 0.2, -0.1 } };
    double G[3][3];
    for (int a = 0; a < 8; a++)
      for (int i = 0; i < 3; i++) {
        u[3 * a + i] = 1;
        for (int k = 0; a && k < 3; k++) u[3 * a + i] += H[i][k] * S[3 * (a - 1) + k];
      }
    shape_corner_gradient(u, S, c, G);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) assert_true(fabs(G[i][k] - H[i][k]) < 1e-12);

    // Push corner c beyond the middle of the cell. det F is then negative at this corner, and larger at the integration
    // points.
    for (int i = 0; i < ELEMENT_DOF; i++) u[i] = 0;
    const int far = 7 - c;
    for (int i = 0; i < 3; i++) u[3 * c + i] = 0.55 * ((far ? S[3 * (far - 1) + i] : 0) - (c ? S[3 * (c - 1) + i] : 0));
    assert_true(element_smallest_J(u, S) < 0);
    double points = 1;
    for (int q = 0; q < SHAPE_POINTS; q++) points = fmin(points, element_J(u, S, q));
    assert_true(points > element_smallest_J(u, S));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(forces_are_the_slope_of_the_energy),
    cmocka_unit_test(the_matrix_is_the_slope_of_the_forces),
    cmocka_unit_test(rigid_motions_cause_no_energy_and_no_force),
    cmocka_unit_test(inversions_at_corners_are_detected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
