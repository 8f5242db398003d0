// The element subroutine against what it is derived from: forces against the gradient of the energy, the matrix
// against differences of forces, symmetry under rotation. Built for double; the float twin is compared in test_system.
#include "sim_testing.h"

#include "sim/element/neo_hookean_tet.h"

static const ElementParameters material = { 5, 2, 1, 1 };

// a random tet of positive volume, and random displacements that keep it upright
static void random_element(uint64_t *seed, real S[9], real u[12]) {
  double X[4][3];
  int tet[1][4] = { { 0, 1, 2, 3 } };
  TetMesh mesh = { .node_count = 4, .tet_count = 1, .X = X, .tet = tet };
  real F[12];
  do {
    do
      for (int a = 0; a < 4; a++)
        for (int i = 0; i < 3; i++) X[a][i] = random_unit(seed);
    while (mesh_tet_volume(&mesh, 0) < 0.05);
    element_supplemental(&mesh, 0, S);
    for (int d = 0; d < 12; d++) u[d] = 0.4 * random_unit(seed);
  } while (element_evaluate(u, S, &material, F, NULL) < 0.2);
}

static double norm(const real *v, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += v[k] * v[k];
  return sqrt(sum);
}

static void force_is_the_gradient_of_the_energy(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int trial = 0; trial < 100; trial++) {
    real S[9], u[12], F[12], differences[12];
    random_element(&seed, S, u);
    element_evaluate(u, S, &material, F, NULL);
    const double h = 1e-5;
    for (int d = 0; d < 12; d++) {
      const real kept = u[d];
      u[d] = kept + h;
      const double above = element_energy(u, S, &material);
      u[d] = kept - h;
      const double below = element_energy(u, S, &material);
      u[d] = kept;
      differences[d] = (above - below) / (2 * h) - F[d];
    }
    assert_true(norm(F, 12) > 0.01);  // a force to speak of
    const double error = norm(differences, 12) / norm(F, 12);
    if (!(error <= 1e-6)) fail_msg("element %d: relative difference %.2e", trial, error);  // h^2 and epsilon / h
  }
}

static void matrix_is_the_derivative_of_the_force(void **state) {
  (void)state;
  uint64_t seed = 2;
  for (int trial = 0; trial < 100; trial++) {
    real S[9], u[12], F[12], A[ELEMENT_MATRIX], above[12], below[12], full[144], differences[144];
    random_element(&seed, S, u);
    element_evaluate(u, S, &material, F, A);
    const double h = 1e-5;
    for (int c = 0; c < 12; c++) {
      const real kept = u[c];
      u[c] = kept + h;
      element_evaluate(u, S, &material, above, NULL);
      u[c] = kept - h;
      element_evaluate(u, S, &material, below, NULL);
      u[c] = kept;
      for (int r = 0; r < 12; r++) {
        full[12 * r + c] = A[symmetric_index(12, r, c)];
        differences[12 * r + c] = (above[r] - below[r]) / (2 * h) - full[12 * r + c];
      }
    }
    const double error = norm(differences, 144) / norm(full, 144);
    assert_true(norm(full, 144) > 0.1);
    if (!(error <= 1e-6)) fail_msg("element %d: relative difference %.2e", trial, error);
  }
}

static void rotated_element_feels_no_force(void **state) {
  (void)state;
  uint64_t seed = 3;
  double X[4][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 } };
  int tet[1][4] = { { 0, 1, 2, 3 } };
  TetMesh mesh = { .node_count = 4, .tet_count = 1, .X = X, .tet = tet };
  real S[9], u[12], F[12];
  element_supplemental(&mesh, 0, S);
  for (int trial = 0; trial < 100; trial++) {
    // rotation by an angle about a unit axis (Rodrigues), and a translation
    double k[3], length = 0, angle = 3.14 * random_unit(&seed);
    for (int i = 0; i < 3; i++) k[i] = random_unit(&seed), length += k[i] * k[i];
    for (int i = 0; i < 3; i++) k[i] /= sqrt(length);
    for (int a = 0; a < 4; a++) {
      const double *x = X[a], dot = k[0] * x[0] + k[1] * x[1] + k[2] * x[2];
      const double cross[3] = { k[1] * x[2] - k[2] * x[1], k[2] * x[0] - k[0] * x[2], k[0] * x[1] - k[1] * x[0] };
      for (int i = 0; i < 3; i++)
        u[3 * a + i] = x[i] * cos(angle) + cross[i] * sin(angle) + k[i] * dot * (1 - cos(angle)) - x[i] + 0.5;
    }
    const real J = element_evaluate(u, S, &material, F, NULL);
    if (!(norm(F, 12) < 1e-14 * 5) || !(fabs(J - 1) < 1e-14))
      fail_msg("angle %g: force %.2e, J - 1 %.2e", angle, norm(F, 12), J - 1);
  }
}

// P = mu (F - F^-T) + lambda ln J F^-T for a stretch s along z: both closed forms
static void stretched_element_has_the_closed_form_stress_and_energy(void **state) {
  (void)state;
  for (double s = 0.3; s < 3; s += 0.1) {
    const real G[3][3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, s - 1 } };
    real P[3][3], F_inverse_T[3][3], log_J;
    const real J = neo_hookean_stress(G, 5, 2, P, F_inverse_T, &log_J);
    assert_true(fabs(J - s) < 1e-15 * 10);
    assert_true(fabs(P[2][2] - (5 * (s - 1 / s) + 2 * log(s) / s)) < 1e-13);
    assert_true(fabs(P[0][0] - 2 * log(s)) < 1e-13 && fabs(P[0][1]) < 1e-15);
    assert_true(fabs(neo_hookean_energy(G, 5, 2) - (2.5 * (s * s - 1) + log(s) * log(s) - 5 * log(s))) < 1e-13);
  }
}

static void inverted_element_is_told_by_J(void **state) {
  (void)state;
  const real S[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  real u[12] = { 0 }, F[12];
  u[0] = -1.5;  // node 1 from (1, 0, 0) through the opposite face
  assert_true(fabs(element_evaluate(u, S, &material, F, NULL) + 0.5) < 1e-15);
  assert_true(fabs(element_J(u, S) + 0.5) < 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(force_is_the_gradient_of_the_energy),
    cmocka_unit_test(matrix_is_the_derivative_of_the_force),
    cmocka_unit_test(rotated_element_feels_no_force),
    cmocka_unit_test(stretched_element_has_the_closed_form_stress_and_energy),
    cmocka_unit_test(inverted_element_is_told_by_J),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
