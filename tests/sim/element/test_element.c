// Tests every element (a combination of cell shape and material). Forces are compared with differences of the energy,
// the matrix with differences of forces, and stresses with the derivative of the energy density. Also tests that
// rotations cause no force, and Lame's constants at small strains.
#include "../sim_testing.h"

#include "../closed_stresses.h"
#include "sim/element/element_row.h"
#include "sim/element/material/parameters.h"
#include "sim/element/symmetric.h"

enum { NODES_MAX = 20, DOF_MAX = 3 * NODES_MAX };

// A cell of an element, with its material and nodal data.
typedef struct Cell {
  const ElementRow *row;
  double X[NODES_MAX][3], stiffness, ratio;
  int node[NODES_MAX];
  Space space;
  double material[MATERIAL_PARAMETERS];
  double nodal[DOF_MAX];  // displacements, or positions if the element expects these
} Cell;

#define FOR_EACH_ELEMENT(row, wanted) \
  for (const ElementRow *row = NULL;  \
       (row = (const ElementRow *)stage_next((const Stage *)row, STAGE_ELEMENT, DEVICE_CPU, wanted, NULL));)

// Computes the rest positions of the nodes on edges and faces of a tet from its corners.
static void middles(Cell *c) {
  for (int a = 4; a < c->row->nodes; a++) {
    double part[4];
    cell_shape_part(c->row->nodes == 10 ? CELL_TET10 : CELL_TET20, a, part);
    for (int i = 0; i < 3; i++)
      c->X[a][i] = part[0] * c->X[0][i] + part[1] * c->X[1][i] + part[2] * c->X[2][i] + part[3] * c->X[3][i];
  }
}

// Makes a cell with these corners, mu = 5 Pa and lambda = 4 Pa. The parameter second_invariant is 0.3, or 0 if the
// material does not have it.
static void make_cell(Cell *c, const ElementRow *row, const double corner[4][3]) {
  Error ignored = { 0 };
  *c = (Cell){ .row = row, .material = { 5, 4, 0.3 }, .stiffness = 1.7, .ratio = 1.3 };
  if (!row->check(c->material, &ignored)) c->material[MATERIAL_SECOND_INVARIANT] = 0;
  memcpy(c->X, corner, 4 * sizeof *c->X);

  // A hex is the parallelepiped that is spanned by the edges from corner 3 to the other corners. So its map from the
  // reference cube is affine.
  for (int a = 0; row->nodes == 8 && a < 8; a++)
    for (int i = 0; i < 3; i++) {
      c->X[a][i] = corner[3][i];
      for (int k = 0; k < 3; k++) c->X[a][i] += a >> k & 1 ? corner[k][i] - corner[3][i] : 0;
    }
  if (row->nodes >= 10) middles(c);
  for (int a = 0; a < NODES_MAX; a++) c->node[a] = a;
  c->space = (Space){ .shape = row->nodes == 8    ? CELL_HEX8
                               : row->nodes == 10 ? CELL_TET10
                               : row->nodes == 20 ? CELL_TET20
                                                  : CELL_TET4,
                      .cell_nodes = row->nodes,
                      .node_count = row->nodes,
                      .cell_count = 1,
                      .X = c->X,
                      .cell = c->node,
                      .stiffness = &c->stiffness,
                      .ratio = &c->ratio };
}

// Returns the cell's stiffness factor if the element supports one, otherwise 1.
static double stiffness_of(const Cell *c) {
  const char *element = c->row->element;
  return strstr(element, "graded") || strstr(element, "mixed") || c->row->nodes > 4 ? c->stiffness : 1;
}

// Returns the lambda that the element uses, Pa.
static double lambda_of(const Cell *c) {
  return strstr(c->row->element, "mixed") ? c->ratio * c->material[MATERIAL_MU] : c->material[MATERIAL_LAMBDA];
}

static void displace(Cell *c, const double u[][3]) {
  for (int a = 0; a < c->row->nodes; a++)
    for (int i = 0; i < 3; i++) c->nodal[3 * a + i] = u[a][i] + (c->row->positions ? c->X[a][i] : 0);
}

// Sets the displacements u = (F - I) X + 0.5, which have the deformation gradient F everywhere.
static void deform(Cell *c, const double F[3][3]) {
  double u[NODES_MAX][3];
  for (int a = 0; a < c->row->nodes; a++)
    for (int i = 0; i < 3; i++) {
      u[a][i] = 0.5 - c->X[a][i];
      for (int k = 0; k < 3; k++) u[a][i] += F[i][k] * c->X[a][k];
    }
  displace(c, u);
}

static double evaluate(const Cell *c, double *F, double *A) {
  return c->row->evaluate(&c->space, c->nodal, 0, c->material, F, A);
}

static double energy(const Cell *c) {
  return c->row->cell_energy(&c->space, c->nodal, 0, c->material);
}

// Makes a random cell whose volume is not too small.
static void random_cell(Cell *c, const ElementRow *row, uint64_t *seed) {
  double corner[4][3];
  do {
    for (int a = 0; a < 4; a++)
      for (int i = 0; i < 3; i++) corner[a][i] = random_unit(seed);
    make_cell(c, row, corner);
  } while (space_cell_volume(&c->space, 0) < 0.05);
}

// Makes a random cell with random displacements that do not invert it.
static void random_element(Cell *c, const ElementRow *row, uint64_t *seed) {
  double u[NODES_MAX][3], F[DOF_MAX];
  do {
    random_cell(c, row, seed);
    for (int a = 0; a < row->nodes; a++)
      for (int i = 0; i < 3; i++) u[a][i] = (row->nodes == 20 ? 0.03 : row->nodes > 4 ? 0.1 : 0.4) * random_unit(seed);
    displace(c, u);
  } while (!(evaluate(c, F, NULL) > 0.2));
}

static double norm(const double *v, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += v[k] * v[k];
  return sqrt(sum);
}

static void force_is_the_gradient_of_the_energy(void **state) {
  (void)state;
  FOR_EACH_ELEMENT(row, PRECISION_F64) {
    uint64_t seed = 1;
    for (int trial = 0; trial < 40; trial++) {
      Cell c;
      double F[DOF_MAX], differences[DOF_MAX];
      const int dof = 3 * row->nodes;
      random_element(&c, row, &seed);
      evaluate(&c, F, NULL);
      const double h = 1e-5;
      for (int d = 0; d < dof; d++) {
        const double kept = c.nodal[d];
        c.nodal[d] = kept + h;
        const double above = energy(&c);
        c.nodal[d] = kept - h;
        const double below = energy(&c);
        c.nodal[d] = kept;
        differences[d] = (above - below) / (2 * h) - F[d];
      }
      assert_true(norm(F, dof) > 0.01);  // the force is large enough for a relative comparison
      const double error = norm(differences, dof) / norm(F, dof);  // error of order h^2 + epsilon / h
      if (!(error <= 1e-6))
        fail_msg("%s, trial %d: force and slope of the energy differ by %.2e, relative", row->element, trial, error);
    }
  }
}

// Compares all entries of the matrix with differences of forces. The upper triangle would not suffice: a force that is
// no gradient of an energy has a derivative that is not symmetric.
static void matrix_is_the_derivative_of_the_force(void **state) {
  (void)state;
  FOR_EACH_ELEMENT(row, PRECISION_F64) {
    uint64_t seed = 2;
    for (int trial = 0; trial < 40; trial++) {
      Cell c;
      static double A[DOF_MAX * (DOF_MAX + 1) / 2], full[DOF_MAX * DOF_MAX], differences[DOF_MAX * DOF_MAX];
      double F[DOF_MAX], above[DOF_MAX], below[DOF_MAX];
      const int dof = 3 * row->nodes;
      random_element(&c, row, &seed);
      evaluate(&c, F, A);
      const double h = 1e-5;
      for (int k = 0; k < dof; k++) {
        const double kept = c.nodal[k];
        c.nodal[k] = kept + h;
        evaluate(&c, above, NULL);
        c.nodal[k] = kept - h;
        evaluate(&c, below, NULL);
        c.nodal[k] = kept;
        for (int r = 0; r < dof; r++) {
          full[dof * r + k] = A[symmetric_index(dof, r, k)];
          differences[dof * r + k] = (above[r] - below[r]) / (2 * h) - full[dof * r + k];
        }
      }
      const double error = norm(differences, dof * dof) / norm(full, dof * dof);
      assert_true(norm(full, dof * dof) > 0.1);
      if (!(error <= 1e-6))
        fail_msg("%s, trial %d: matrix and slopes of the forces differ by %.2e, relative", row->element, trial, error);
    }
  }
}

// Makes the matrix R of a rotation by a random angle about a random unit axis, by Rodrigues' formula.
static void rotation(uint64_t *seed, double R[3][3]) {
  double k[3], length = 0;
  const double angle = 3.14 * random_unit(seed);
  for (int i = 0; i < 3; i++) {
    k[i] = random_unit(seed);
    length += k[i] * k[i];
  }
  for (int i = 0; i < 3; i++) k[i] /= sqrt(length);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const double cross = i == j ? 0 : (j == (i + 1) % 3 ? -1 : 1) * k[3 - i - j];
      R[i][j] = (i == j ? cos(angle) : 0) + sin(angle) * cross + (1 - cos(angle)) * k[i] * k[j];
    }
}

static void rotated_element_feels_no_force(void **state) {
  (void)state;
  FOR_EACH_ELEMENT(row, PRECISION_F64) {
    uint64_t seed = 3;
    for (int trial = 0; trial < 100; trial++) {
      Cell c;
      double R[3][3], F[DOF_MAX];
      random_cell(&c, row, &seed);
      rotation(&seed, R);
      deform(&c, R);
      const double J = evaluate(&c, F, NULL), e = energy(&c);

      // The tolerance is mu times the rounding error of a number near 1, times gradients of shape functions, some 1/m.
      if (!(norm(F, 3 * row->nodes) < 1e-12) || !(fabs(J - 1) < 1e-13) || !(fabs(e) < 1e-13))
        fail_msg("%s, trial %d: force %.2e, J - 1 = %.2e and energy %.2e of a rotated cell, expected 0", row->element,
                 trial, norm(F, 3 * row->nodes), J - 1, e);
    }
  }
}

// For a cell at rest and a small linear displacement u, u^T A u = V (2 mu e:e + lambda (tr e)^2) for every material. A
// is the cell's matrix, V its volume, and e the strain of u.
static void small_strains_are_those_of_mu_and_lambda(void **state) {
  (void)state;
  FOR_EACH_ELEMENT(row, PRECISION_F64) {
    uint64_t seed = 4;
    for (int trial = 0; trial < 20; trial++) {
      Cell c;
      double H[3][3], F[DOF_MAX], rest[NODES_MAX][3] = { 0 }, u[DOF_MAX], A[DOF_MAX * (DOF_MAX + 1) / 2];
      const int dof = 3 * row->nodes;
      random_cell(&c, row, &seed);
      double ee = 0, trace = 0, form = 0;
      for (int i = 0; i < 9; i++) H[i / 3][i % 3] = random_unit(&seed);
      for (int i = 0; i < 3; i++) {
        trace += H[i][i];
        for (int k = 0; k < 3; k++) ee += (H[i][k] + H[k][i]) * (H[i][k] + H[k][i]) / 4;
        for (int a = 0; a < row->nodes; a++)
          u[3 * a + i] = H[i][0] * c.X[a][0] + H[i][1] * c.X[a][1] + H[i][2] * c.X[a][2];
      }
      displace(&c, rest);
      evaluate(&c, F, A);
      for (int r = 0; r < dof; r++)
        for (int k = 0; k < dof; k++) form += u[r] * A[symmetric_index(dof, r, k)] * u[k];
      const double expected = stiffness_of(&c) * space_cell_volume(&c.space, 0) *
                              (2 * c.material[MATERIAL_MU] * ee + lambda_of(&c) * trace * trace);
      if (!(fabs(form - expected) <= 1e-11 * expected))
        fail_msg("%s, trial %d: u^T A u is %.12g, expected %.12g", row->element, trial, form, expected);
    }
  }
}

// The stress is sigma = dW/dF F^T / J. The derivative of W, the energy per volume, is computed by central differences.
static void stress_is_the_derivative_of_the_energy_density(void **state) {
  (void)state;
  FOR_EACH_ELEMENT(row, PRECISION_F64) {
    uint64_t seed = 5;
    for (int trial = 0; trial < 10; trial++) {
      const int first[6] = { 0, 1, 2, 0, 1, 0 }, second[6] = { 0, 1, 2, 1, 2, 2 };
      Cell c;
      double F[3][3], P[3][3], sigma[6], u[NODES_MAX][3];
      random_cell(&c, row, &seed);
      for (int i = 0; i < 9; i++) F[i / 3][i % 3] = (i % 4 == 0) + 0.2 * random_unit(&seed);
      const double h = 1e-5, V = space_cell_volume(&c.space, 0);
      for (int i = 0; i < 9; i++) {
        const double kept = F[i / 3][i % 3];
        F[i / 3][i % 3] = kept + h;
        deform(&c, F);
        const double above = energy(&c);
        F[i / 3][i % 3] = kept - h;
        deform(&c, F);
        P[i / 3][i % 3] = (above - energy(&c)) / (2 * h * V);
        F[i / 3][i % 3] = kept;
      }
      deform(&c, F);
      for (int a = 0; a < row->nodes; a++)
        for (int i = 0; i < 3; i++) u[a][i] = c.nodal[3 * a + i] - (row->positions ? c.X[a][i] : 0);
      const double J = row->stress(&c.space, (const double(*)[3])u, 0, c.material, sigma);
      assert_true(fabs(sigma[0]) + fabs(sigma[3]) > 1e-2);
      for (int k = 0; k < 6; k++) {
        double expected = 0;
        for (int j = 0; j < 3; j++) expected += P[first[k]][j] * F[second[k]][j] / J;

        // `expected` also holds for the element tet4_qr, which uses F Q with a rotation Q instead of F, since P F^T is
        // the same.
        if (!(fabs(sigma[k] - expected) < 1e-7))
          fail_msg("%s, trial %d: component %d of the stress is %.9g Pa, expected %.9g Pa", row->element, trial, k,
                   sigma[k], expected);
      }
    }
  }
}

// Stretches a cell along z by the factor x, and then shears it by x in the plane of x and y. Stresses must be those of
// the table closed_forms (closed_stresses.h).
static void stresses_of_stretch_and_shear_have_their_closed_forms(void **state) {
  (void)state;
  static const double corner[4][3] = { { 1, 0.1, 0 }, { 0, 1, 0.2 }, { 0.3, 0, 1 }, { 0, 0, 0 } };
  FOR_EACH_ELEMENT(row, PRECISION_F64)
  for (size_t k = 0; k < sizeof closed_forms / sizeof *closed_forms; k++) {
    const ClosedForm *form = &closed_forms[k];
    if (strcmp(form->material, row->stage.name) != 0) continue;
    for (double x = 0.3; x < 3; x += 0.1) {
      Cell c;
      double sigma[6], u[NODES_MAX][3];
      make_cell(&c, row, corner);
      const double mu = c.material[0], lambda = lambda_of(&c), share = c.material[2], by = stiffness_of(&c);
      for (int a = 0; a < row->nodes; a++) {
        u[a][0] = u[a][1] = 0;
        u[a][2] = (x - 1) * c.X[a][2];
      }
      const double J = row->stress(&c.space, (const double(*)[3])u, 0, c.material, sigma);
      const double along = by * form->along(mu, lambda, share, x), across = by * form->across(mu, lambda, share, x);
      assert_true(fabs(J - x) < 1e-14);
      if (!(fabs(sigma[2] - along) < 1e-11 && fabs(sigma[0] - across) < 1e-11 && fabs(sigma[1] - across) < 1e-11 &&
            fabs(sigma[3]) + fabs(sigma[4]) + fabs(sigma[5]) < 1e-11))
        fail_msg("%s stretched by %g: stresses along and across are %.12g and %.12g Pa, expected %.12g and %.12g Pa",
                 row->element, x, sigma[2], sigma[0], along, across);
      for (int a = 0; a < row->nodes; a++) {
        u[a][0] = x * c.X[a][1];
        u[a][1] = u[a][2] = 0;
      }
      row->stress(&c.space, (const double(*)[3])u, 0, c.material, sigma);
      const double shear = by * form->shear(mu, lambda, share, x);
      if (!(fabs(sigma[3] - shear) < 1e-11))
        fail_msg("%s sheared by %g: the shear stress is %.12g Pa, expected %.12g Pa", row->element, x, sigma[3], shear);
    }
  }
}

// Elements compute forces from F - I, so that they never subtract numbers near 1. Therefore a force in float is
// accurate even at strains of 1e-5.
static void float_keeps_its_digits_near_rest(void **state) {
  (void)state;
  FOR_EACH_ELEMENT(row, PRECISION_F32) {
    const ElementRow *exact = element_row(row->stage.element, row->stage.name, DEVICE_CPU, PRECISION_F64);
    uint64_t seed = 6;

    // skips elements that use positions instead of displacements, since rounding of positions is too large here
    if (row->positions) continue;
    for (int trial = 0; trial < 20; trial++) {
      Cell c;
      float nodal[DOF_MAX], F[DOF_MAX];
      double expected[DOF_MAX], differences[DOF_MAX];
      const int dof = 3 * row->nodes;
      random_cell(&c, exact, &seed);
      for (int d = 0; d < dof; d++) c.nodal[d] = nodal[d] = (float)(1e-5 * random_unit(&seed));
      evaluate(&c, expected, NULL);
      row->evaluate(&c.space, nodal, 0, c.material, F, NULL);
      for (int d = 0; d < dof; d++) differences[d] = F[d] - expected[d];
      const double error = norm(differences, dof) / norm(expected, dof);
      if (!(error <= 1e-5))
        fail_msg("%s, trial %d: forces in float and double differ by %.2e, relative", row->element, trial, error);
    }
  }
}

// evaluate() returns J = det F, which is negative if the element is inverted; here it is -1/2.
static void an_inverted_element_is_reported_by_J(void **state) {
  (void)state;
  static const double corner[4][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 0, 0 } };
  static const double through[3][3] = { { -0.5, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  FOR_EACH_ELEMENT(row, PRECISION_F64) {
    Cell c;
    double F[DOF_MAX];
    make_cell(&c, row, corner);
    deform(&c, through);
    assert_true(fabs(evaluate(&c, F, NULL) + 0.5) < 1e-14);
  }
}

int main(void) {
  elements_open_all(NULL);
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(force_is_the_gradient_of_the_energy),
    cmocka_unit_test(matrix_is_the_derivative_of_the_force),
    cmocka_unit_test(rotated_element_feels_no_force),
    cmocka_unit_test(small_strains_are_those_of_mu_and_lambda),
    cmocka_unit_test(stress_is_the_derivative_of_the_energy_density),
    cmocka_unit_test(stresses_of_stretch_and_shear_have_their_closed_forms),
    cmocka_unit_test(float_keeps_its_digits_near_rest),
    cmocka_unit_test(an_inverted_element_is_reported_by_J),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
