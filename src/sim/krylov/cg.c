// Conjugate gradients, plain (cg) or with the diagonal as preconditioner (dcg), on the CPU. Sums are taken over chunks of fixed size, in
// double, and the chunks' sums in order: the same bits whatever the number of threads.
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/real.h"
#include "sim/krylov/solver.h"

enum { CHUNK = 2048 };

typedef struct Data {
  int chunk_count;
  real *r, *z, *p, *Ap;    // [n]
  real *inverse_diagonal;  // [n], or ones; zero for fixed unknowns, which keeps z, p and x there at zero
  double (*sums)[2];       // [chunk_count]
  double *dots;            // [A->dot_count]
} Data;

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  free(d->r), free(d->z), free(d->p), free(d->Ap), free(d->inverse_diagonal), free(d->sums), free(d->dots);
  free(d);
}

static bool create(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  const int n = solver->system.A->pattern->n;
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  if (!d) return false;
  d->chunk_count = (n + CHUNK - 1) / CHUNK;
  d->r = array_new(n, sizeof(real), "solver vectors", error);
  d->z = array_new(n, sizeof(real), "solver vectors", error);
  d->p = array_new(n, sizeof(real), "solver vectors", error);
  d->Ap = array_new(n, sizeof(real), "solver vectors", error);
  d->inverse_diagonal = array_new(n, sizeof(real), "solver vectors", error);
  d->sums = array_new(d->chunk_count, sizeof *d->sums, "solver sums", error);
  d->dots = array_new(solver->system.A->dot_count, sizeof *d->dots, "solver sums", error);
  return d->r && d->z && d->p && d->Ap && d->inverse_diagonal && d->sums && d->dots;
}

// What a loop over the unknowns works on; each takes what it needs.
typedef struct Task {
  const Data *d;
  const SolverSystem *system;
  bool by_diagonal;
  real alpha, beta;
} Task;

static void add_up(const Data *d, double total[2]) {
  total[0] = total[1] = 0;
  for (int c = 0; c < d->chunk_count; c++) total[0] += d->sums[c][0], total[1] += d->sums[c][1];
}

// of the diagonal's size: where compression makes an entry negative, the preconditioner must stay positive definite
static real inverse_of(real diagonal) {
  const real size = (real)fabs((double)diagonal);
  return size > 0 ? 1 / size : 1;
}

// r = b, z = D^-1 r, p = z, x = 0; sums = (r.z, r.r)
static void start(const void *task, int first, int last) {
  const Task *t = task;
  const Data *d = t->d;
  const SolverSystem *system = t->system;
  const real *b = system->b, *diagonal = system->diagonal;
  real *x = system->x;
  double rz = 0, rr = 0;
  for (int i = first; i < last; i++) {
    d->inverse_diagonal[i] = system->fixed[i] ? 0 : t->by_diagonal ? inverse_of(diagonal[i]) : 1;
    d->r[i] = system->fixed[i] ? 0 : b[i];
    d->p[i] = d->z[i] = d->inverse_diagonal[i] * d->r[i];
    x[i] = 0;
    rz += (double)d->r[i] * d->z[i];
    rr += (double)d->r[i] * d->r[i];
  }
  d->sums[first / CHUNK][0] = rz, d->sums[first / CHUNK][1] = rr;
}

// x += alpha p, r -= alpha Ap, z = D^-1 r; sums = (r.z, r.r)
static void advance(const void *task, int first, int last) {
  const Data *d = ((const Task *)task)->d;
  const real alpha = ((const Task *)task)->alpha;
  real *x = ((const Task *)task)->system->x;
  double rz = 0, rr = 0;
  for (int i = first; i < last; i++) {
    x[i] += alpha * d->p[i];
    d->r[i] = d->inverse_diagonal[i] == 0 ? 0 : d->r[i] - alpha * d->Ap[i];
    d->z[i] = d->inverse_diagonal[i] * d->r[i];
    rz += (double)d->r[i] * d->z[i];
    rr += (double)d->r[i] * d->r[i];
  }
  d->sums[first / CHUNK][0] = rz, d->sums[first / CHUNK][1] = rr;
}

// p = z + beta p
static void turn(const void *task, int first, int last) {
  const Data *d = ((const Task *)task)->d;
  const real beta = ((const Task *)task)->beta;
  for (int i = first; i < last; i++) d->p[i] = d->z[i] + beta * d->p[i];
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const Data *d = solver->data;
  const SolverSystem *system = &solver->system;
  const int n = system->A->pattern->n;
  real *x = system->x;
  double total[2];
  Task task = { .d = d, .system = system, .by_diagonal = solver->method->by_diagonal };
  parallel_for_light(n, CHUNK, start, &task);
  add_up(d, total);
  double rz = total[0];
  const double rr0 = total[1], bound = system->relative * system->relative * rr0;
  SolverReport report = { .end = SOLVER_OUT_OF_ITERATIONS };
  double rr = rr0;
  if (rr0 == 0) report.end = SOLVER_CONVERGED;
  if (!isfinite(rr0)) report.end = SOLVER_BROKEN;
  while (report.end == SOLVER_OUT_OF_ITERATIONS && report.iterations < system->iterations_max) {
    if (interrupt_wanted()) {
      report.end = SOLVER_STOPPED;
      break;
    }
    if (!matrix_spmv(system->A, d->p, d->Ap, d->dots, stream, error)) return false;
    double pAp = 0;
    for (int k = 0; k < system->A->dot_count; k++) pAp += d->dots[k];
    if (!(pAp > 0) || !isfinite(pAp)) {
      report.end = isfinite(pAp) ? SOLVER_INDEFINITE : SOLVER_BROKEN;
      if (report.iterations == 0 && report.end == SOLVER_INDEFINITE)
        for (int i = 0; i < n; i++) x[i] = d->p[i];
      break;
    }
    task.alpha = (real)(rz / pAp);
    parallel_for_light(n, CHUNK, advance, &task);
    add_up(d, total);
    report.iterations++;
    rr = total[1];
    if (rr <= bound) report.end = SOLVER_CONVERGED;
    task.beta = (real)(total[0] / rz);
    rz = total[0];
    parallel_for_light(n, CHUNK, turn, &task);
  }
  report.relative_residual = rr0 > 0 ? sqrt(rr / rr0) : 0;
  *solver->report = report;
  return true;
}

extern const SolverMethod REAL_NAME(cg_cpu), REAL_NAME(dcg_cpu);
const SolverMethod REAL_NAME(cg_cpu) = {
  .name = "cg",
  .summary = "conjugate gradients",
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
};
const SolverMethod REAL_NAME(dcg_cpu) = {
  .name = "dcg",
  .summary = "conjugate gradients, diagonal preconditioner",
  .device = DEVICE_CPU,
  .precision = REAL_PRECISION,
  .by_diagonal = true,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
};
