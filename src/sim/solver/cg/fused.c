// Conjugate gradients on the CPU with the diagonal preconditioner M, in fewer passes over memory than in cg.c. The
// vector s = A p is updated by a recurrence, as p is (Chronopoulos and Gear, 1989). So an iteration has only two loops,
// a product with A and one loop that updates all vectors. Each loop also computes sums, from which scalars follow:
//   product:  w = A z
//   sum:      z.w;  then pAp = z.w - beta^2 (previous pAp),  alpha = r.z / pAp
//   updates:  p = z + beta p,  s = w + beta s,  x += alpha p,  r -= alpha s,  z = M^-1 r
//   sums:     r.z and r.r;  then beta = r.z / (previous r.z)
// Without rounding errors, x would be the same as in the solver dcg after each iteration. If pAp <= 0 may be due to
// rounding, the directions restart with p = z (recurrence.h).
//
// The inverse diagonal of a fixed unknown is 0, so its residual and x stay zero. Loops are divided into chunks of CHUNK
// unknowns. Sums are computed in double. The sum of a chunk is added up in the elements of two SIMD vectors, and the
// sums of the chunks are added in order. So the result has the same bits on every CPU, with any number of threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/real.h"
#include "base/timer.h"
#include "base/wide.h"
#include "sim/solver/cg/recurrence.h"
#include "sim/solver/preconditioner.h"
#include "sim/solver/solver.h"

enum { CHUNK = 2048, LANES = 4 };  // unknowns per chunk; elements of a SIMD vector

typedef real Reals __attribute__((vector_size(LANES * sizeof(real))));
typedef double Doubles __attribute__((vector_size(LANES * sizeof(double))));

typedef struct Data {
  real *inverse;            // [n], inverse of the diagonal of A; 0 for fixed unknowns
  real *r, *z, *w, *p, *s;  // [n]: residual, M^-1 r, A z, search direction, A p
  double (*sums)[2];        // [chunks_of(n)], r.z and r.r of each chunk of CHUNK unknowns
  // [dot_capacity], partial sums of z.w, which a product writes; the first A->dot_count are used
  double *dots;
  int dot_capacity;  // allocated length of `dots`
} Data;

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  free(d->inverse);
  free(d->r);
  free(d->z);
  free(d->w);
  free(d->p);
  free(d->s);
  free(d->sums);
  free(d->dots);
  free(d);
}

static int chunks_of(int n) {
  return n / CHUNK + (n % CHUNK > 0);
}

static bool create(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  const Operator *A = solver->system.A;
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  if (!d) return false;
  real **vectors[] = { &d->inverse, &d->r, &d->z, &d->w, &d->p, &d->s };
  for (int k = 0; k < 6; k++)
    if (!(*vectors[k] = array_new(A->n, sizeof(real), "solver vectors", error))) return false;
  d->sums = array_new(chunks_of(A->n), sizeof *d->sums, "solver sums", error);
  d->dots = array_new(A->dot_count, sizeof *d->dots, "solver sums", error);
  d->dot_capacity = A->dot_count;
  return d->sums && d->dots;
}

static bool reserve(Solver *solver, int before, int now, Error *error) {
  Data *d = solver->data;
  real **vectors[] = { &d->inverse, &d->r, &d->z, &d->w, &d->p, &d->s };
  for (int k = 0; k < 6; k++)
    if (!array_grow(vectors[k], before, now, sizeof(real), "solver vectors", error)) return false;
  // A product writes at most one partial sum per unknown.
  return array_grow(&d->sums, chunks_of(before), chunks_of(now), sizeof *d->sums, "solver sums", error) &&
         array_grow(&d->dots, d->dot_capacity, now, sizeof *d->dots, "solver sums", error) &&
         (d->dot_capacity = d->dot_capacity > now ? d->dot_capacity : now) > 0;
}

// Arguments of the parallel loops over chunks of unknowns; alpha and beta are the factors of conjugate gradients.
typedef struct Task {
  const Data *d;
  const SolverSystem *system;
  real alpha, beta;
} Task;

// Computes r.z and r.r of one chunk, the unknowns [first, last). Each is added up in two SIMD vectors of LANES partial
// sums.
static inline void sum_chunk(const Data *d, int first, int last) {
  const real *r = d->r, *z = d->z;
  Doubles rz[2] = { { 0 } }, rr[2] = { { 0 } };
  int i = first;
  for (; i + 2 * LANES <= last; i += 2 * LANES)
    for (int k = 0; k < 2; k++) {
      Reals narrow_r, narrow_z;
      memcpy(&narrow_r, r + i + k * LANES, sizeof narrow_r);
      memcpy(&narrow_z, z + i + k * LANES, sizeof narrow_z);
      const Doubles wide_r = __builtin_convertvector(narrow_r, Doubles);
      rz[k] += wide_r * __builtin_convertvector(narrow_z, Doubles);
      rr[k] += wide_r * wide_r;
    }
  double *sums = d->sums[first / CHUNK];
  sums[0] = sums[1] = 0;
  for (int l = 0; l < LANES; l++) {
    sums[0] += rz[0][l] + rz[1][l];
    sums[1] += rr[0][l] + rr[1][l];
  }
  for (; i < last; i++) {
    sums[0] += (double)r[i] * z[i];
    sums[1] += (double)r[i] * r[i];
  }
}

static void add_up(const Data *d, int n, double total[2]) {
  total[0] = total[1] = 0;
  for (int c = 0; c < chunks_of(n); c++) {
    total[0] += d->sums[c][0];
    total[1] += d->sums[c][1];
  }
}

// Sets r = b, z = M^-1 r and x = p = s = 0, and computes r.z and r.r, for the unknowns [first, last).
static void start(const void *task, int first, int last) {
  const Task *t = task;
  const Data *d = t->d;
  const SolverSystem *system = t->system;
  const int dof = system->A->space->node_dof;
  const real *b = system->b, *blocks = system->A->blocks;
  real *x = system->x;
  for (int i = first; i < last; i++) {
    const real entry = blocks[((int64_t)(i / dof) * dof + i % dof) * dof + i % dof];
    x[i] = d->p[i] = d->s[i] = 0;
    d->inverse[i] = system->fixed[i] ? (real)0 : inverse_of_entry(entry);
    d->r[i] = system->fixed[i] ? (real)0 : b[i];
    d->z[i] = d->inverse[i] * d->r[i];
  }
  sum_chunk(d, first, last);
}

// After w = A z, updates x, r, z = M^-1 r, p and s = A p, and computes r.z and r.r, for the unknowns [first, last).
WIDE static void advance(const void *task, int first, int last) {
  const Task *t = task;
  const real alpha = t->alpha, beta = t->beta, *inverse = t->d->inverse, *w = t->d->w;
  real *restrict x = t->system->x, *restrict r = t->d->r, *restrict z = t->d->z, *restrict p = t->d->p,
                 *restrict s = t->d->s;
#pragma GCC ivdep
  for (int i = first; i < last; i++) {
    p[i] = z[i] + beta * p[i];
    s[i] = w[i] + beta * s[i];
    x[i] += alpha * p[i];
    const real free = inverse[i] != 0;  // 1 or 0: a factor, not a branch, lets the loop vectorise
    r[i] = free * (r[i] - alpha * s[i]);
    z[i] = inverse[i] * r[i];
  }
  sum_chunk(t->d, first, last);
}

// Computes w = A z and *zw = z.w. Adds the time of the product to report->product_ms.
static bool multiply(const Solver *solver, double *zw, SolverReport *report, Stream stream, Error *error) {
  const Operator *A = solver->system.A;
  const Data *d = solver->data;
  const double begin = timer_seconds();
  if (!operator_apply(A, d->z, d->w, d->dots, stream, error)) return false;
  report->product_ms += 1e3 * (timer_seconds() - begin);
  *zw = 0;
  for (int k = 0; k < A->dot_count; k++) *zw += d->dots[k];
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const Data *d = solver->data;
  const SolverSystem *system = &solver->system;
  const int n = system->A->n;
  real *x = system->x;
  double total[2], zw, pAp = 0, doubt = 0;
  Task task = { .d = d, .system = system };

  parallel_for_light(n, CHUNK, start, &task);
  add_up(d, n, total);

  // Compute the convergence bound on r.r. If b is zero or not finite, no iteration is needed.
  double rz = total[0], beta = 0;
  const double rr0 = total[1], bound = system->relative * system->relative * rr0;
  SolverReport report = { .end = SOLVER_OUT_OF_ITERATIONS };
  double rr = rr0;
  if (rr0 == 0) report.end = SOLVER_CONVERGED;
  if (!isfinite(rr0)) report.end = SOLVER_BROKEN;

  while (report.end == SOLVER_OUT_OF_ITERATIONS && report.iterations < system->iterations_max) {
    if (interrupt_requested()) {
      report.end = SOLVER_STOPPED;
      break;
    }

    // Compute w = A z, and p.Ap by recurrence. If rounding cancels all digits of p.Ap, restart the search directions.
    if (!multiply(solver, &zw, &report, stream, error)) return false;
    pAp = zw - beta * beta * pAp;
    doubt = curvature_doubt(rz, beta, doubt);
    if (curvature_doubtful(pAp, zw, doubt)) {
      beta = 0;
      pAp = zw;
      doubt = curvature_doubt(rz, 0, 0);
    }

    // End the solve if p.Ap <= 0, because the matrix is indefinite, or if a value is not finite.
    if (!(pAp > 0) || !isfinite(pAp)) {
      report.end = isfinite(pAp) ? SOLVER_INDEFINITE : SOLVER_BROKEN;
      if (report.iterations == 0 && report.end == SOLVER_INDEFINITE)
        for (int i = 0; i < n; i++) x[i] = d->z[i];
      break;
    }

    task.alpha = (real)(rz / pAp);
    task.beta = (real)beta;
    parallel_for_light(n, CHUNK, advance, &task);
    add_up(d, n, total);
    report.iterations++;
    rr = total[1];
    if (rr <= bound) report.end = SOLVER_CONVERGED;
    beta = total[0] / rz;
    rz = total[0];
  }

  report.relative_residual = rr0 > 0 ? sqrt(rr / rr0) : 0;
  *solver->report = report;
  return true;
}

static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double n = size->node_dof * size->nodes, vector = n * (double)precision_size(stage->precision);
  StageBytes bytes = stage_takes(stage, 6 * vector);
  // `advance` reads p, s = A p, x, r, z = M^-1 r, w = A z and M^-1, and writes p, s, x, r and z.
  stage_light_pass(stage, &bytes, WORK_ITERATION, 7 * vector, 5 * vector);
  bytes.work[WORK_ITERATION].flops = 13 * n;
  return bytes;
}

extern const SolverMethod REAL_NAME(fused_cpu);
const SolverMethod REAL_NAME(fused_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "fused",
             .summary = "conjugate gradients, diagonal preconditioner, vector updates merged into fewer loops",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .preferred = true,
             .bytes = bytes_of },
  .precondition = PRECONDITION_DIAGONAL,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
  .reserve = reserve,
};
