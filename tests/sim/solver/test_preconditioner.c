// Tests the arithmetic of the block Jacobi preconditioner in one precision. Inverses of well-conditioned diagonal
// blocks must be correct. For every block, the preconditioner must be positive definite.
#include "../../testing.h"

#include "base/random.h"
#include "sim/solver/preconditioner.h"

enum { TRIALS = 20000 };
static const double EPSILON = sizeof(real) == 4 ? 6e-8 : 1.2e-16;

// Makes a random block G G^T + ridge I. Each entry of G has its own random size, up to 10. So condition numbers differ
// by decades if `ridge` is 0.
static void random_block(int width, double ridge, uint64_t *seed, real block[9]) {
  double G[3][3];
  for (int i = 0; i < width; i++)
    for (int k = 0; k < width; k++) G[i][k] = random_unit(seed) * pow(10, random_unit(seed));
  for (int i = 0; i < width; i++)
    for (int k = 0; k < width; k++) {
      double sum = i == k ? ridge : 0;
      for (int j = 0; j < width; j++) sum += G[i][j] * G[k][j];
      block[i * width + k] = (real)sum;
    }
}

static void inverses_of_definite_blocks_undo_them(void **state) {
  (void)state;
  uint64_t seed = 1;
  for (int width = 1; width <= 3; width++)
    for (int trial = 0; trial < TRIALS; trial++) {
      real block[9], inverse[INVERSE_VALUES_MAX], x[3], r[3], z[3];
      random_block(width, 10, &seed, block);  // the block is well conditioned, since the ridge is as large as G G^T
      double size = 0;
      for (int i = 0; i < width; i++) {
        x[i] = (real)random_unit(&seed);
        size = fmax(size, fabs((double)x[i]));
      }
      for (int i = 0; i < width; i++) {
        r[i] = 0;
        for (int k = 0; k < width; k++) r[i] += block[i * width + k] * x[k];
      }
      invert_unit(width, width, block, 0, inverse);
      precondition(width, inverse, r, z);

      // the bound follows from the condition numbers, up to 60
      for (int i = 0; i < width; i++) assert_true(fabs((double)z[i] - (double)x[i]) <= 500 * EPSILON * size);
    }
}

static void preconditioners_are_positive_definite_whatever_the_block(void **state) {
  (void)state;
  uint64_t seed = 2;
  int fallen_back = 0;
  for (int width = 1; width <= 3; width++)
    for (int trial = 0; trial < TRIALS; trial++) {
      real block[9], inverse[INVERSE_VALUES_MAX], r[3], z[3];

      // in turn: a block with two equal rows; one with a smaller diagonal, which is mostly indefinite; an unchanged one
      random_block(width, 0, &seed, block);
      if (trial % 3 == 0 && width > 1)
        for (int k = 0; k < width; k++)
          block[width + k] = block[k * width + 1] = block[k] * (k == 1 ? block[1] / block[0] : 1);
      if (trial % 3 == 1)
        for (int i = 0; i < width; i++) block[i * width + i] -= (real)(10 * fabs(random_unit(&seed)));
      if (trial == 2)
        for (int v = 0; v < 9; v++) block[v] = 0;
      invert_unit(width, width, block, 0, inverse);
      fallen_back += width > 1 && inverse[1] == 0;
      for (int k = 0; k < 20; k++) {
        double rz = 0;
        for (int i = 0; i < width; i++) r[i] = (real)random_unit(&seed);
        precondition(width, inverse, r, z);
        for (int i = 0; i < width; i++) rz += (double)r[i] * (double)z[i];
        assert_true(rz > 0 && isfinite(rz));
      }

      // if r is a column of a nearly singular block, z is inexact, as a small difference of large numbers; but r.z must
      // be positive
      for (int k = 0; k < width; k++) {
        double rz = 0, rr = 0;
        for (int i = 0; i < width; i++) {
          r[i] = block[i * width + k];
          rr += (double)r[i] * (double)r[i];
        }
        precondition(width, inverse, r, z);
        for (int i = 0; i < width; i++) rz += (double)r[i] * (double)z[i];
        assert_true(rr == 0 || rz > 0);
      }
    }

  // many blocks must be so close to singular, or indefinite, that the absolute values of their diagonal replace them
  assert_true(fallen_back > TRIALS / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(inverses_of_definite_blocks_undo_them),
    cmocka_unit_test(preconditioners_are_positive_definite_whatever_the_block),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
