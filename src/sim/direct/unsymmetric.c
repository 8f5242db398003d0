// Solves linear systems of tangents that are not symmetric (unsymmetric.h).
#include "sim/direct/unsymmetric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

// A cycle has at most COLUMNS iterations. Its vectors take COLUMNS + 1 times the memory of a solution.
enum { COLUMNS = 30, CYCLES_MAX = 4 };

// Data of one cycle of GMRES, which minimises |r - (I + N A^-1) V y|.
typedef struct Cycle {
  double *basis;  // [COLUMNS + 1][n], orthonormal vectors V
  double *z;      // [n], work array: A^-1 times a vector
  // The product of I + N A^-1 with column k of V has the coordinates H[k] in V. Rotations by the angles with these
  // cosines and sines make H triangular.
  double H[COLUMNS][COLUMNS + 1], cosine[COLUMNS], sine[COLUMNS];
  double rest[COLUMNS + 1];  // the rotated right-hand side; the size of its last element is the norm of the residual
} Cycle;

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// Adds factor * a to b.
static void add(double factor, const double *a, double *b, int n) {
  for (int i = 0; i < n; i++) b[i] += factor * a[i];
}

// Adds N x to y, except for fixed unknowns. x must be zero there.
static void add_product(const UnsymmetricSystem *s, const double *x, double *y) {
  s->term->antisymmetric(s->term, x, y);
  for (int i = 0; i < s->n; i++)
    if (s->fixed[i]) y[i] = 0;
}

// Applies the rotation by (cosine, sine) to the elements k and k + 1 of a column.
static void rotate(double cosine, double sine, double *column, int k) {
  const double upper = column[k], lower = column[k + 1];
  column[k] = cosine * upper + sine * lower;
  column[k + 1] = cosine * lower - sine * upper;
}

// Computes column k of H and the next vector of V. Returns false with an error if a solution with the factor fails.
static bool extend(const UnsymmetricSystem *s, Cycle *c, int k, Error *error) {
  const size_t n = (size_t)s->n;
  const double *v = c->basis + (size_t)k * n;
  double *next = c->basis + (size_t)(k + 1) * n, *h = c->H[k];
  if (!factor_solve(s->factor, v, c->z, error)) return false;
  memcpy(next, v, sizeof *next * n);
  add_product(s, c->z, next);

  for (int j = 0; j <= k; j++) {
    h[j] = dot(next, c->basis + (size_t)j * n, s->n);
    add(-h[j], c->basis + (size_t)j * n, next, s->n);
  }
  h[k + 1] = sqrt(dot(next, next, s->n));
  for (int i = 0; i < s->n && h[k + 1] > 0; i++) next[i] /= h[k + 1];

  for (int j = 0; j < k; j++) rotate(c->cosine[j], c->sine[j], h, j);
  const double length = hypot(h[k], h[k + 1]);
  c->cosine[k] = length > 0 ? h[k] / length : 1;
  c->sine[k] = length > 0 ? h[k + 1] / length : 0;
  rotate(c->cosine[k], c->sine[k], h, k);
  c->rest[k + 1] = 0;
  rotate(c->cosine[k], c->sine[k], c->rest, k);
  return true;
}

// Adds A^-1 V y to x, where y minimises the residual over the first `columns` vectors of V, and updates the residual r.
static bool apply(const UnsymmetricSystem *s, Cycle *c, int columns, double *r, double *x, Error *error) {
  double y[COLUMNS], *sum = c->basis + (size_t)columns * (size_t)s->n;
  for (int j = columns - 1; j >= 0; j--) {
    y[j] = c->rest[j];
    for (int k = j + 1; k < columns; k++) y[j] -= c->H[k][j] * y[k];
    y[j] = c->H[j][j] != 0 ? y[j] / c->H[j][j] : 0;
  }
  memset(sum, 0, sizeof *sum * (size_t)s->n);
  for (int j = 0; j < columns; j++) add(y[j], c->basis + (size_t)j * (size_t)s->n, sum, s->n);
  if (!factor_solve(s->factor, sum, c->z, error)) return false;
  add(1, c->z, x, s->n);
  add_product(s, c->z, sum);
  add(-1, sum, r, s->n);
  return true;
}

// Runs cycles of GMRES until the norm of r is at most `bound`, or a cycle does not halve it.
static bool iterate(const UnsymmetricSystem *s, Cycle *c, double bound, double *r, double *x, double *norm,
                    int *iterations, Error *error) {
  double before = HUGE_VAL;
  for (int cycle = 0; cycle < CYCLES_MAX && bound < *norm && *norm < 0.5 * before; cycle++) {
    before = *norm;
    for (int i = 0; i < s->n; i++) c->basis[i] = r[i] / *norm;
    c->rest[0] = *norm;
    int columns = 0;
    while (columns < COLUMNS && fabs(c->rest[columns]) > 0.5 * bound) {
      if (!extend(s, c, columns, error)) return false;
      columns++;
    }
    *iterations += columns + 1;
    if (!apply(s, c, columns, r, x, error)) return false;
    *norm = sqrt(dot(r, r, s->n));
  }
  return true;
}

bool unsymmetric_correct(const UnsymmetricSystem *s, double bound, double *r, double *x, double *norm, int *iterations,
                         Error *error) {
  const bool has_part = s->term->apply && s->term->antisymmetric;
  *norm = sqrt(dot(r, r, s->n));
  if (!has_part) return true;
  Cycle *c = array_new(1, sizeof *c, "solver vectors", error);
  double *z = c ? array_new(s->n, sizeof *z, "solver vectors", error) : NULL;
  bool ok = z;
  if (ok) {
    c->z = z;
    add_product(s, x, z);
    add(-1, z, r, s->n);
    *norm = sqrt(dot(r, r, s->n));
  }
  if (ok && *norm > bound) {
    c->basis = array_new((int64_t)(COLUMNS + 1) * s->n, sizeof *c->basis, "solver vectors", error);
    ok = c->basis && iterate(s, c, bound, r, x, norm, iterations, error);
  }
  if (c) free(c->basis);
  free(z);
  free(c);
  return ok;
}

bool unsymmetric_solve(const UnsymmetricSystem *s, const double *b, double *x, Error *error) {
  const double TOLERANCE = 1e-10;
  double norm, *r = array_new(s->n, sizeof *r, "solver vectors", error);
  int iterations = 0;
  const bool ok = r && factor_solve(s->factor, b, x, error) &&
                  unsymmetric_correct(s, TOLERANCE * sqrt(dot(b, b, s->n)), r, x, &norm, &iterations, error);
  free(r);
  return ok;
}
