// The solver `lu`, as in paper 003: solves A x = b by an LU factorisation with UMFPACK of SuiteSparse (Davis, 2004). It
// runs on the CPU and in double, for systems in float too. UMFPACK is opened at run time, so the build does not need
// it. Only the equations of unknowns without prescribed values are factorised, anew in each solve. UMFPACK expects the
// columns of a matrix. This file passes the rows of A instead, which is correct because A is symmetric.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/real.h"
#include "lab/stationary/umfpack.h"
#include "sim/operator/formats/csr_layout.h"
#include "sim/solver/solver.h"

// The equations to factorise: those of the unknowns without prescribed values. An entry is one non-zero of the matrix.
typedef struct Data {
  int free_count;
  int *unknown;    // [free_count], number of the unknown of each factorised equation
  int *number;     // [n], index of each unknown among those without prescribed values; -1: the value is prescribed
  int64_t *start;  // [free_count + 1], index in `row` of the first entry of each equation
  int64_t *row;    // [entries], index, among the factorised equations, of the unknown that each entry multiplies
  double *values;  // [entries], value of each entry
  double *b, *x;   // [free_count], right-hand side and solution
  void *symbolic;
  double bytes;  // upper bound of the bytes that the factors need, estimated by UMFPACK
} Data;

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  const Umfpack *u = umfpack(NULL);
  if (u && d->symbolic) u->free_symbolic(&d->symbolic);
  free(d->unknown);
  free(d->number);
  free(d->start);
  free(d->row);
  free(d->values);
  free(d->b);
  free(d->x);
  free(d);
}

// Finds the equations to factorise, and the entries of each equation: sets d->unknown, d->number, d->start and d->row.
// Columns of prescribed unknowns are left out. The entries of a row have the order of the CSR format (compressed sparse
// rows).
static bool create_pattern(Data *d, const SolverSystem *system, Error *error) {
  const CsrLayout *l = system->A->layout;
  const int n = system->A->n;
  d->unknown = array_new(n, sizeof *d->unknown, "equations", error);
  d->number = array_new(n, sizeof *d->number, "equations", error);
  d->start = array_new((int64_t)n + 1, sizeof *d->start, "equations", error);
  if (!d->unknown || !d->number || !d->start) return false;
  for (int i = 0; i < n; i++) {
    d->number[i] = system->fixed[i] ? -1 : d->free_count;
    if (!system->fixed[i]) d->unknown[d->free_count++] = i;
  }
  for (int turn = 0; turn < 2; turn++) {  // turn 0 counts the entries, turn 1 stores them
    int64_t at = 0;
    for (int k = 0; k < d->free_count; k++) {
      for (int s = l->row_start[d->unknown[k]]; s < l->row_start[d->unknown[k] + 1]; s++) {
        if (d->number[l->col[s]] < 0) continue;
        if (turn) d->row[at] = d->number[l->col[s]];
        at++;
      }
      d->start[k + 1] = at;
    }
    if (turn) break;
    d->row = array_new(at, sizeof *d->row, "matrix columns", error);
    d->values = array_new(at, sizeof *d->values, "matrix values", error);
    if (!d->row || !d->values) return false;
  }
  return true;
}

static bool create(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  if (!d || !umfpack(error) || !create_pattern(d, &solver->system, error)) return false;
  d->b = array_new(d->free_count, sizeof *d->b, "solver vectors", error);
  d->x = array_new(d->free_count, sizeof *d->x, "solver vectors", error);
  return d->b && d->x;
}

static void take_values(Data *d, const SolverSystem *system) {
  const CsrLayout *l = system->A->layout;
  const real *values = system->A->values, *b = system->b;
  int64_t at = 0;
  for (int k = 0; k < d->free_count; k++) {
    for (int s = l->row_start[d->unknown[k]]; s < l->row_start[d->unknown[k] + 1]; s++)
      if (d->number[l->col[s]] >= 0) d->values[at++] = values[s];
    d->b[k] = b[d->unknown[k]];
  }
}

// Returns the relative residual ||b - A x|| / ||b|| over the factorised equations, those of unknowns without prescribed
// values.
static double relative_residual(const Data *d) {
  double rr = 0, bb = 0;
  for (int k = 0; k < d->free_count; k++) {
    double r = d->b[k];
    for (int64_t s = d->start[k]; s < d->start[k + 1]; s++) r -= d->values[s] * d->x[d->row[s]];
    rr += r * r;
    bb += d->b[k] * d->b[k];
  }
  return bb > 0 ? sqrt(rr / bb) : 0;
}

static bool factorise_and_solve(Data *d, SolverReport *report, Error *error) {
  const Umfpack *u = umfpack(error);
  const int64_t n = d->free_count;
  double control[UMFPACK_CONTROLS], info[UMFPACK_INFOS] = { 0 };
  void *numeric = NULL;
  u->defaults(control);
  if (!d->symbolic) {
    const int64_t status = u->symbolic(n, n, d->start, d->row, d->values, &d->symbolic, control, info);
    if (status != UMFPACK_GOOD && status != UMFPACK_SINGULAR) return umfpack_error(status, "analysis", error);
    d->bytes = info[UMFPACK_INFO_PEAK_ESTIMATE] * info[UMFPACK_INFO_UNIT];
  }
  if (!memory_holds(d->bytes, "the LU factorization (estimate of UMFPACK)", error)) return false;
  int64_t status = u->numeric(d->start, d->row, d->values, d->symbolic, &numeric, control, info);
  if (status == UMFPACK_GOOD)
    status = u->solve(UMFPACK_PLAIN, d->start, d->row, d->values, d->x, d->b, numeric, control, info);
  if (numeric) u->free_numeric(&numeric);

  // A singular matrix is a result (SOLVER_INDEFINITE). For any other failure the next line returns an error, and the
  // caller does not use report->end.
  report->end = status == UMFPACK_GOOD ? SOLVER_CONVERGED : SOLVER_INDEFINITE;
  return status == UMFPACK_GOOD || status == UMFPACK_SINGULAR || umfpack_error(status, "factorization", error);
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  Data *d = solver->data;
  const SolverSystem *system = &solver->system;
  real *x = system->x;
  SolverReport report = { .iterations = 1, .end = SOLVER_CONVERGED };
  take_values(d, system);
  if (d->free_count > 0 && !factorise_and_solve(d, &report, error)) return false;
  const bool good = report.end == SOLVER_CONVERGED;
  for (int i = 0; i < system->A->n; i++) x[i] = good && d->number[i] >= 0 ? (real)d->x[d->number[i]] : (real)0;
  report.relative_residual = good ? relative_residual(d) : 1;
  *solver->report = report;
  return true;
}

static bool suits(const Space *space, const Operator *A, Error *error) {
  (void)space, (void)A;
  return umfpack(error);
}

extern const SolverMethod REAL_NAME(lu_cpu);
const SolverMethod REAL_NAME(lu_cpu) = {
  .stage = { .kind = STAGE_STATIONARY_SOLVER,
             .name = "lu",
             .summary = "LU factorization by SuiteSparse's UMFPACK, if installed",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION },
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
  .matrix = "csr",
  .suits = suits,
};
