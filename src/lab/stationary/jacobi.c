// Solvers for A x = b by relaxation on the CPU (paper 003, section 5). A sweep solves each equation i once, for the
// unknown x_i; sweeps are repeated until the residual is small. D is the diagonal of A.
//   jacobi    x += D^-1 (b - A x): all unknowns use the values of the last sweep; it needs only products A x, so it
//             works with any matrix format
//   gs        Gauss-Seidel: each unknown uses the newest values of the others; nodes are processed colour by colour;
//             nodes of one colour share no cell, so their order does not matter (node_colours.h)
//   gs_async  Gauss-Seidel in which each CPU thread has a range of nodes, and reads the values of other ranges as they
//             are at that moment; threads synchronise only after SWEEPS sweeps, so bits differ between runs
// Unknowns with prescribed values stay 0. The residual is tested every SWEEPS sweeps. These solvers are only for
// stationary problems. Jacobi's method converges only if 2 D - A is positive definite, which is rare for a body in
// motion.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/real.h"
#include "base/timer.h"
#include "sim/operator/formats/csr_layout.h"
#include "sim/element/node_colours.h"
#include "sim/solver/solver.h"

enum { CHUNK = 2048, NODE_CHUNK = 512, SWEEPS = 10 };

typedef enum Kind { JACOBI, COLOURED, ASYNCHRONOUS } Kind;

// Data of one solver for A x = b. colours: for the method gs only, lists of the nodes of each colour; nodes of one
// colour share no cell.
typedef struct Data {
  Kind kind;
  real *inverse;  // [n], 1 / D_ii; 0: the unknown has a prescribed value
  real *y;        // [n], A x
  double *sums;   // [chunks], sum of r_i^2 over each chunk of CHUNK unknowns
  NodeColours colours;
} Data;

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  node_colours_destroy(&d->colours);
  free(d->inverse);
  free(d->y);
  free(d->sums);
  free(d);
}

static bool create_kind(Solver *solver, Kind kind, Error *error) {
  const Operator *A = solver->system.A;
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  if (!d) return false;
  d->kind = kind;
  d->inverse = array_new(A->n, sizeof(real), "solver vectors", error);
  d->y = array_new(A->n, sizeof(real), "solver vectors", error);
  d->sums = array_new(A->n / CHUNK + 1, sizeof *d->sums, "solver sums", error);
  return d->inverse && d->y && d->sums && (kind != COLOURED || node_colours_create(&d->colours, A->space, error));
}

static bool create_jacobi(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  return create_kind(solver, JACOBI, error);
}

static bool create_gs(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  return create_kind(solver, COLOURED, error);
}

static bool create_gs_async(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  return create_kind(solver, ASYNCHRONOUS, error);
}

// Arguments of the parallel loops of a solve, over unknowns or over nodes.
typedef struct Task {
  const Data *d;
  const SolverSystem *system;
  const int *node;  // nodes of one colour
  int sweeps;       // number of sweeps over a range of nodes before threads synchronise
} Task;

// Begins a solve for the unknowns `first` to `last` - 1: sets x = 0 and inverse[i] = 1 / D_ii, where D is the diagonal
// of A. Stores the sum of b_i^2 over these unknowns in sums[first / CHUNK].
static void start(const void *task, int first, int last) {
  const Task *t = task;
  const Operator *A = t->system->A;
  const int dof = A->space->node_dof;
  const real *blocks = A->blocks, *b = t->system->b;
  real *x = t->system->x;
  double sum = 0;
  for (int i = first; i < last; i++) {
    const bool fixed = t->system->fixed[i];
    x[i] = 0;
    t->d->inverse[i] = fixed ? (real)0 : 1 / blocks[((int64_t)(i / dof) * dof + i % dof) * dof + i % dof];
    if (!fixed) sum += (double)b[i] * b[i];
  }
  t->d->sums[first / CHUNK] = sum;
}

// Stores the sum of r_i^2 over the unknowns `first` to `last` - 1 in sums[first / CHUNK]. r = b - y is the residual,
// where y holds A x. If `move` is true, also makes a sweep of Jacobi's method: x += D^-1 r, with the diagonal D of A.
static inline void test_rows(const Task *t, int first, int last, bool move) {
  const real *b = t->system->b, *inverse = t->d->inverse, *y = t->d->y;
  real *x = t->system->x;
  double sum = 0;
  for (int i = first; i < last; i++) {
    const real r = t->system->fixed[i] ? (real)0 : b[i] - y[i];
    sum += (double)r * r;
    if (move) x[i] += inverse[i] * r;
  }
  t->d->sums[first / CHUNK] = sum;
}

static void test_only(const void *task, int first, int last) {
  test_rows(task, first, last, false);
}

static void test_and_move(const void *task, int first, int last) {
  test_rows(task, first, last, true);
}

// Relaxes a node: solves the equation of each of its unknowns for this unknown, with the newest values of all other
// unknowns.
static inline void relax_node(const Task *t, int node) {
  const Operator *A = t->system->A;
  const CsrLayout *l = A->layout;
  const real *values = A->values, *b = t->system->b;
  real *x = t->system->x;
  for (int i = node * A->space->node_dof; i < (node + 1) * A->space->node_dof; i++) {
    if (t->d->inverse[i] == 0) continue;
    real sum = b[i];
    for (int s = l->row_start[i]; s < l->row_start[i + 1]; s++) {
      real other;
      __atomic_load(&x[l->col[s]], &other, __ATOMIC_RELAXED);
      sum -= values[s] * other;
    }
    real own = x[i] + t->d->inverse[i] * sum;
    __atomic_store(&x[i], &own, __ATOMIC_RELAXED);
  }
}

static void relax_colour(const void *task, int first, int last) {
  const Task *t = task;
  for (int k = first; k < last; k++) relax_node(t, t->node[k]);
}

static void relax_range(const void *task, int first, int last) {
  const Task *t = task;
  for (int sweep = 0; sweep < t->sweeps; sweep++)
    for (int a = first; a < last; a++) relax_node(t, a);
}

// Computes y = A x and *rr = r . r, with the residual r = b - y. If `move` is true, also makes a sweep of Jacobi's
// method, x += D^-1 r, where D is the diagonal of A.
static bool residual(const Task *t, Stream stream, SolverReport *report, bool move, double *rr, Error *error) {
  const int n = t->system->A->n;
  const double begin = timer_seconds();
  if (!operator_apply(t->system->A, t->system->x, t->d->y, NULL, stream, error)) return false;
  report->product_ms += 1e3 * (timer_seconds() - begin);
  parallel_for_light(n, CHUNK, move ? test_and_move : test_only, t);
  *rr = 0;
  for (int c = 0; c * CHUNK < n; c++) *rr += t->d->sums[c];
  return true;
}

static bool sweep(Task *t, int sweeps, Stream stream, SolverReport *report, Error *error) {
  const Data *d = t->d;
  const int nodes = t->system->A->space->node_count;
  double rr;
  t->sweeps = sweeps;
  if (d->kind == ASYNCHRONOUS) parallel_for(nodes, nodes / parallel_threads() + 1, relax_range, t);
  for (int s = 0; s < sweeps; s++) {
    if (d->kind == JACOBI && !residual(t, stream, report, true, &rr, error)) return false;
    for (int c = 0; d->kind == COLOURED && c < d->colours.count; c++) {
      t->node = d->colours.node + d->colours.start[c];
      parallel_for_light(d->colours.start[c + 1] - d->colours.start[c], NODE_CHUNK, relax_colour, t);
    }
  }
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const SolverSystem *system = &solver->system;
  const int n = system->A->n;
  Task task = { .d = solver->data, .system = system };
  SolverReport report = { .end = SOLVER_OUT_OF_ITERATIONS };

  // `grown` is the result of a solve whose residual grows until it is infinite or NaN. Gauss-Seidel by colours
  // converges for every symmetric positive definite matrix, so the matrix is then indefinite. The other two methods may
  // diverge on a positive definite matrix.
  const SolverEnd grown = task.d->kind == COLOURED ? SOLVER_INDEFINITE : SOLVER_DIVERGED;
  double rr0 = 0;
  parallel_for_light(n, CHUNK, start, &task);
  for (int c = 0; c * CHUNK < n; c++) rr0 += task.d->sums[c];
  const double bound = system->relative * system->relative * rr0;
  double rr = rr0;
  if (rr0 == 0) report.end = SOLVER_CONVERGED;
  if (!isfinite(rr0)) report.end = SOLVER_BROKEN;
  while (report.end == SOLVER_OUT_OF_ITERATIONS && report.iterations < system->iterations_max) {
    const int left = system->iterations_max - report.iterations, sweeps = left < SWEEPS ? left : SWEEPS;
    if (interrupt_requested()) {
      report.end = SOLVER_STOPPED;
      break;
    }
    if (!sweep(&task, sweeps, stream, &report, error) || !residual(&task, stream, &report, false, &rr, error))
      return false;
    report.iterations += sweeps;
    if (rr <= bound) report.end = SOLVER_CONVERGED;
    if (!isfinite(rr)) report.end = grown;
  }

  report.relative_residual = rr0 > 0 ? sqrt(rr / rr0) : 0;
  *solver->report = report;
  return true;
}

extern const SolverMethod REAL_NAME(jacobi_cpu), REAL_NAME(gs_cpu), REAL_NAME(gs_async_cpu);
const SolverMethod REAL_NAME(jacobi_cpu) = {
  .stage = { .kind = STAGE_STATIONARY_SOLVER,
             .name = "jacobi",
             .summary = "Jacobi relaxation",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION },
  .create = create_jacobi,
  .destroy_data = destroy_data,
  .solve = solve,
};
const SolverMethod REAL_NAME(gs_cpu) = {
  .stage = { .kind = STAGE_STATIONARY_SOLVER,
             .name = "gs",
             .summary = "Gauss-Seidel, in groups (colours) of nodes that are not neighbours",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION },
  .create = create_gs,
  .destroy_data = destroy_data,
  .solve = solve,
  .matrix = "csr",
};
const SolverMethod REAL_NAME(gs_async_cpu) = {
  .stage = { .kind = STAGE_STATIONARY_SOLVER,
             .name = "gs_async",
             .summary = "asynchronous Gauss-Seidel: not repeatable bit for bit",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION },
  .create = create_gs_async,
  .destroy_data = destroy_data,
  .solve = solve,
  .matrix = "csr",
};
