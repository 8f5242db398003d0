// Computes the lowest eigenvalues lambda of K x = lambda M x (eigen.h). A search by the Lanczos method may miss copies
// of a multiple eigenvalue, such as the six eigenvalues 0 of a free body's rigid motions. So searches are repeated
// among vectors that are orthogonal to all known eigenvectors, until no eigenvalue is missing.
#include "sim/direct/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "sim/direct/arpack.h"

// SEARCHES_MAX: largest number of searches. SPARE_MAX: capacity for eigenvalues that the searches find in addition to
// the requested ones.
enum { SEARCHES_MAX = 6, SPARE_MAX = 8 };

// Data of a search for the lowest eigenvalues of K x = lambda M x.
typedef struct Search {
  const EigenProblem *problem;
  const Arpack *arpack;
  Factor *factor;
  // n: number of unknowns; free: number of unknowns with mass, which is the number of eigenvalues
  int n, free;
  int found, capacity;  // number of known eigenvalues, and capacity of `value` and `vector`
  double sigma;         // the shift, which is negative: ARPACK finds the eigenvalues nearest to it
  // value [capacity]: the known eigenvalues; vector [capacity][n]: their eigenvectors x, with x.M x = 1
  double *value, *vector;
  double *product, *resid;  // [n] each. product: work memory for products with M; resid: ARPACK's residual vector
  double *workd;            // [3 n], work memory of ARPACK
} Search;

void columns_multiply(const SymmetricColumns *c, const double *values, const double *x, double *y) {
  memset(y, 0, sizeof *y * (size_t)c->n);
  for (int64_t j = 0; j < c->n; j++)
    for (int64_t at = c->start[j]; at < c->start[j + 1]; at++) {
      y[c->row[at]] += values[at] * x[j];
      if (c->row[at] != j) y[j] += values[at] * x[c->row[at]];
    }
}

static double dot(int n, const double *x, const double *y) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

// Factorises K - shift M. *below gets the number of eigenvalues smaller than the shift.
static bool factorise(Search *s, double shift, int64_t *below, Error *error) {
  const EigenProblem *p = s->problem;
  FactorReport report;
  for (int64_t at = 0; at < p->columns->start[s->n]; at++) p->columns->value[at] = p->K[at] - shift * p->M[at];
  if (!factor_compute(s->factor, &report, error)) return false;
  *below = report.negative;
  return true;
}

// Makes y orthogonal to the known eigenvectors x: x.M y = 0. work [n] gets M times the original y.
static void deflate(const Search *s, double *y, double *work) {
  if (s->found == 0) return;
  columns_multiply(s->problem->columns, s->problem->M, y, work);
  for (int k = 0; k < s->found; k++) {
    const double *x = s->vector + (size_t)k * (size_t)s->n, part = dot(s->n, x, work);
    for (int i = 0; i < s->n; i++) y[i] -= part * x[i];
  }
}

// Computes y = (K - sigma M)^-1 b and makes y orthogonal to the known eigenvectors. b and y must not overlap.
static bool apply(const Search *s, const double *b, double *y, Error *error) {
  if (!factor_solve(s->factor, b, y, error)) return false;
  deflate(s, y, s->product);
  return true;
}

// Runs ARPACK's iteration until it has converged or failed. ARPACK returns a code in `ido` whenever it needs a product
// with a matrix, and this function computes the product. Codes -1 and 1 request y = (K - sigma M)^-1 M x; with code 1,
// ARPACK also passes M x. Code 2 requests y = M x.
static bool iterate(Search *s, int wanted, int basis, double *v, double *workl, int *iparam, int *ipntr, int *info,
                    Error *error) {
  const EigenProblem *p = s->problem;
  for (int ido = 0;;) {
    s->arpack->iterate(&ido, "G", s->n, "LM", wanted, 1e-11, s->resid, basis, v, s->n, iparam, ipntr, s->workd, workl,
                       basis * (basis + 8), info);
    if (!interrupt_check(error)) return false;
    double *x = s->workd + ipntr[0] - 1, *y = s->workd + ipntr[1] - 1;
    if (ido == -1) {
      columns_multiply(p->columns, p->M, x, s->product);
      memcpy(x, s->product, sizeof *x * (size_t)s->n);
      if (!apply(s, x, y, error)) return false;
    } else if (ido == 1) {
      if (!apply(s, s->workd + ipntr[2] - 1, y, error)) return false;
    } else if (ido == 2) {
      columns_multiply(p->columns, p->M, x, y);
    } else {
      return true;
    }
  }
}

// Makes a vector x orthogonal to the known eigenvectors, scales it so that x.M x = 1, and appends it to the list of
// eigenvectors.
static void keep(Search *s, double value, const double *x) {
  double *to = s->vector + (size_t)s->found * (size_t)s->n;
  memcpy(to, x, sizeof *to * (size_t)s->n);
  deflate(s, to, s->product);
  columns_multiply(s->problem->columns, s->problem->M, to, s->product);
  const double norm = sqrt(dot(s->n, to, s->product));
  for (int i = 0; i < s->n; i++) to[i] /= norm;
  s->value[s->found++] = value;
}

// Searches for `wanted` more eigenvalues by ARPACK, and appends them with their eigenvectors to the known ones.
static bool search(Search *s, int wanted, Error *error) {
  const int rest = s->free - s->found;
  const int basis = 2 * wanted + 20 < rest ? 2 * wanted + 20 : rest;

  // ARPACK's settings: exact shifts, at most 1000 restarts, mode 3 (shift and invert)
  int iparam[11] = { 1, 0, 1000, 1, 0, 0, 3 }, ipntr[14], info = 1;
  double *v = array_new((int64_t)basis * s->n, sizeof *v, "vectors of the modes", error);
  double *workl = array_new((int64_t)basis * (basis + 8), sizeof *workl, "vectors of the modes", error);
  double *d = array_new(wanted, sizeof *d, "eigenvalues", error);
  int *select = array_new(basis, sizeof *select, "eigenvalues", error);
  uint64_t seed = 17 + (uint64_t)s->found;
  bool ok = v && workl && d && select;
  for (int i = 0; i < s->n; i++) s->resid[i] = random_unit(&seed);
  ok = ok && iterate(s, wanted, basis, v, workl, iparam, ipntr, &info, error);
  if (ok && info < 0) ok = error_set(error, "the computation of modes failed: ARPACK's dsaupd returned code %d", info);
  if (ok) {
    s->arpack->extract(1, "A", select, d, v, s->n, s->sigma, "G", s->n, "LM", wanted, 1e-11, s->resid, basis, v, s->n,
                       iparam, ipntr, s->workd, workl, basis * (basis + 8), &info);
    if (info != 0) ok = error_set(error, "no modes were found: ARPACK's dseupd returned code %d", info);
  }

  for (int k = 0; ok && k < iparam[4] && k < wanted; k++) keep(s, d[k], v + (size_t)k * (size_t)s->n);
  free(v);
  free(workl);
  free(d);
  free(select);
  return ok;
}

// Returns the shift sigma, which is negative. |sigma| is far smaller than the largest eigenvalue, but larger than the
// rounding error of this eigenvalue. So K - sigma M can be factorised even for a free body, whose lowest eigenvalues
// are 0. *free_count gets the number of unknowns with mass.
static double choose_shift(const EigenProblem *p, int *free_count) {
  const double FRACTION = 1e-10;
  double largest = 0;
  *free_count = 0;
  for (int64_t j = 0; j < p->columns->n; j++) {
    const int64_t diagonal = p->columns->start[j + 1] - 1;
    if (!(p->M[diagonal] > 0)) continue;
    ++*free_count;
    largest = fmax(largest, fabs(p->K[diagonal]) / p->M[diagonal]);
  }
  return -FRACTION * largest;
}

static double largest_found(const Search *s) {
  double largest = s->value[0];
  for (int k = 1; k < s->found; k++) largest = fmax(largest, s->value[k]);
  return largest;
}

// Repeats the search until no eigenvalue is missing. The number of negative pivots of K - bound M is the number of
// eigenvalues below `bound`. If fewer eigenvalues below `bound` are known, some are missing.
static bool find_all(Search *s, int count, Error *error) {
  int64_t below = 0;
  int missing = count;
  for (int k = 0; k < SEARCHES_MAX; k++) {
    if (!factorise(s, s->sigma, &below, error)) return false;
    if (!search(s, missing, error)) return false;
    const double largest = largest_found(s), bound = largest + 1e-4 * fmax(fabs(largest), 10 * fabs(s->sigma));
    if (!factorise(s, bound, &below, error)) return false;
    if (below <= s->found) return true;
    missing = (int)(below - s->found);
    if (s->found + missing > s->capacity) missing = s->capacity - s->found;
    if (missing <= 0) break;
  }
  return error_set(
      error, "only %d of the %lld modes with the lowest frequencies were found; compute a few more or fewer modes",
      s->found, (long long)below);
}

// Copies the `count` lowest eigenvalues, ascending, and their eigenvectors to *result.
static bool copy_lowest(const Search *s, int count, EigenResult *result, Error *error) {
  result->value = array_new(count, sizeof *result->value, "eigenvalues", error);
  result->vector = array_new((int64_t)count * s->n, sizeof *result->vector, "vectors of the modes", error);
  if (!result->value || !result->vector) return false;
  for (int k = 0; k < count; k++) {
    int least = -1;
    for (int j = 0; j < s->found; j++)
      if (!isnan(s->value[j]) && (least < 0 || s->value[j] < s->value[least])) least = j;
    result->value[k] = s->value[least];
    memcpy(result->vector + (size_t)k * (size_t)s->n, s->vector + (size_t)least * (size_t)s->n,
           sizeof *s->vector * (size_t)s->n);
    s->value[least] = NAN;
  }
  result->shift = s->sigma;
  return true;
}

bool eigen_lowest(const EigenProblem *problem, int count, EigenResult *result, Error *error) {
  Search s = { .problem = problem, .n = (int)problem->columns->n, .arpack = arpack(error) };
  *result = (EigenResult){ 0 };
  if (!s.arpack) return false;
  s.sigma = choose_shift(problem, &s.free);
  if (count < 1 || 2 * (count + SPARE_MAX) > s.free)
    return error_set(error, "%d modes are too many for a body with %d free unknowns; ask for fewer modes", count,
                     s.free);
  s.capacity = count + SPARE_MAX;
  s.factor = factor_create(&factor_cholmod, problem->columns, error);
  s.value = array_new(s.capacity, sizeof *s.value, "eigenvalues", error);
  s.vector = array_new((int64_t)s.capacity * s.n, sizeof *s.vector, "vectors of the modes", error);
  s.product = array_new(s.n, sizeof *s.product, "vectors of the modes", error);
  s.resid = array_new(s.n, sizeof *s.resid, "vectors of the modes", error);
  s.workd = array_new(3 * (int64_t)s.n, sizeof *s.workd, "vectors of the modes", error);
  const bool ok = s.factor && s.value && s.vector && s.product && s.resid && s.workd && find_all(&s, count, error) &&
                  copy_lowest(&s, count, result, error);
  factor_destroy(s.factor);
  free(s.value);
  free(s.vector);
  free(s.product);
  free(s.resid);
  free(s.workd);
  if (!ok) eigen_result_free(result);
  return ok;
}

void eigen_result_free(EigenResult *result) {
  free(result->value);
  free(result->vector);
  *result = (EigenResult){ 0 };
}
