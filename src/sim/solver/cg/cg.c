// Conjugate gradients on the CPU. The solvers differ in the preconditioner:
//   cg            none
//   dcg           the diagonal
//   bdcg          the diagonal blocks of the nodes (preconditioner.h)
//   schwarz       the diagonal and a coarse space of rigid motions (coarse.h)
//   ssor          symmetric Gauss-Seidel sweeps over nodes sorted by colours (ssor.h)
// Solvers of the lab have other preconditioners (AppliedPreconditioner), and call the functions of the row `cg`.
//
// The residual and x of fixed unknowns stay zero. Loops are divided into chunks, ranges of about CHUNK unknowns. The
// sum of each chunk is computed in double, and these sums are added in the order of the chunks. So results do not
// depend on the number of threads.
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/real.h"
#include "base/timer.h"
#include "sim/solver/multigrid/coarse_cpu.h"
#include "sim/solver/preconditioner.h"
#include "sim/solver/solver.h"
#include "sim/solver/ssor.h"

enum { CHUNK = 2048 };  // largest number of unknowns that a thread processes at a time

typedef struct Data {
  // chunk: number of unknowns that one thread processes at a time, CHUNK rounded down to whole diagonal blocks or
  // nodes. chunk_count: number of chunks of all unknowns.
  int chunk, chunk_count;
  Preconditioner M;  // M^-1: inverses of diagonal blocks of A
  // True if the preconditioner has a coarse space, `coarse`: rigid motions of groups of nodes. The part of M^-1 r that
  // comes from these motions is not stored in z, but is added when p is computed.
  bool two_levels;
  Coarse coarse;
  // Functions and data of a preconditioner that computes z = M^-1 r by itself, such as SSOR; NULL: none.
  const AppliedPreconditioner *applied;
  void *applied_data;
  real *r, *z, *p, *Ap;  // [n]: residual, M^-1 r, search direction, A p; without a preconditioner z is r
  double (*sums)[2];     // [chunk_count], r.z and r.r of each chunk, a range of unknowns
  double *dots;          // [A->dot_count], partial sums of p.Ap, which a product A p writes
} Data;

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  if (d->z != d->r) free(d->z);
  REAL_NAME(coarse_destroy)(&d->coarse);
  if (d->applied_data) d->applied->destroy(d->applied_data);
  free(d->r);
  free(d->p);
  free(d->Ap);
  free(d->M.inverse);
  free(d->sums);
  free(d->dots);
  free(d);
}

static bool create(Solver *solver, Stream stream, Error *error) {
  const Operator *A = solver->system.A;
  const int n = A->n, dof = A->space->node_dof, width = solver_width(solver->method, dof);
  const int unit = preconditioner_unit(width);
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  if (!d) return false;
  if (width > PRECONDITIONER_WIDTH_MAX)
    return error_set(error, "a node has %d unknowns, but this solver supports at most %d; choose another --solver",
                     width, PRECONDITIONER_WIDTH_MAX);

  // Create the coarse space (rigid motions of groups of nodes) or the data of an applied preconditioner, such as SSOR.
  d->two_levels = solver->method->precondition == PRECONDITION_COARSE;
  Aggregates g;
  if (d->two_levels &&
      (!aggregates_create(&g, A, NULL, 0, error) || !REAL_NAME(coarse_create)(&d->coarse, &g, A, error)))
    return false;
  d->applied = solver->method->applied;
  if (d->applied && !(d->applied_data = d->applied->create(&solver->system, stream, error))) return false;

  // A chunk must not divide the unknowns of a node if there is a coarse space, nor a diagonal block of the
  // preconditioner. So its length is a multiple of `together`.
  const int together = d->two_levels ? dof : unit;
  d->chunk = CHUNK / together * together;
  d->chunk_count = n / d->chunk + (n % d->chunk > 0);

  d->M = (Preconditioner){ .width = width, .block_count = n / unit };
  const int64_t triangle = (int64_t)width * (width + 1) / 2;
  d->M.inverse = array_new(triangle * d->M.block_count, sizeof(real), "preconditioner", error);
  d->r = array_new(n, sizeof(real), "solver vectors", error);
  d->z = width || d->applied ? array_new(n, sizeof(real), "solver vectors", error) : d->r;
  d->p = array_new(n, sizeof(real), "solver vectors", error);
  d->Ap = array_new(n, sizeof(real), "solver vectors", error);
  d->sums = array_new(d->chunk_count, sizeof *d->sums, "solver sums", error);
  d->dots = array_new(A->dot_count, sizeof *d->dots, "solver sums", error);
  return d->M.inverse && d->r && d->z && d->p && d->Ap && d->sums && d->dots;
}

// Arguments of the parallel loops over chunks of unknowns; alpha and beta are the factors of conjugate gradients.
typedef struct Task {
  const Data *d;
  const SolverSystem *system;
  real alpha, beta;
} Task;

static void add_up(const Data *d, double total[2]) {
  total[0] = total[1] = 0;
  for (int c = 0; c < d->chunk_count; c++) {
    total[0] += d->sums[c][0];
    total[1] += d->sums[c][1];
  }
}

// Computes z = M^-1 r on the free unknowns of the diagonal block that begins at `first`. Adds r.z and r.r to sums.
static inline void precondition_unit(const Data *d, const uint8_t *fixed, int first, int width, double sums[2]) {
  const int unit = preconditioner_unit(width);
  real inverse[INVERSE_VALUES_MAX] = { 0 };
  for (int v = 0; v < width * (width + 1) / 2; v++)
    inverse[v] = d->M.inverse[(int64_t)v * d->M.block_count + first / unit];
  precondition(width, inverse, d->r + first, d->z + first);
  for (int i = first; i < first + unit; i++) {
    if (fixed[i]) d->z[i] = 0;
    sums[0] += (double)d->r[i] * d->z[i];
    sums[1] += (double)d->r[i] * d->r[i];
  }
}

// Sets r = b, z = M^-1 r, p = z and x = 0, and computes r.z and r.r, for the unknowns [first, last).
static inline void start_by(const Task *t, int first, int last, int width) {
  const Data *d = t->d;
  const SolverSystem *system = t->system;
  const int unit = preconditioner_unit(width), dof = system->A->space->node_dof;
  const real *b = system->b;
  real *x = system->x, inverse[INVERSE_VALUES_MAX];
  double sums[2] = { 0, 0 };
  for (int i = first; i < last; i++) {
    x[i] = 0;
    d->r[i] = system->fixed[i] ? 0 : b[i];
  }
  for (int i = first; i < last; i += unit) {
    invert_unit(width, dof, system->A->blocks, i / unit, inverse);
    for (int v = 0; v < width * (width + 1) / 2; v++)
      d->M.inverse[(int64_t)v * d->M.block_count + i / unit] = inverse[v];
    precondition_unit(d, system->fixed, i, width, sums);
  }
  for (int i = first; i < last; i++) d->p[i] = d->z[i];
  d->sums[first / d->chunk][0] = sums[0];
  d->sums[first / d->chunk][1] = sums[1];
}

// Sets x += alpha p, r -= alpha Ap and z = M^-1 r, and computes r.z and r.r, for the unknowns [first, last).
static inline void advance_by(const Task *t, int first, int last, int width) {
  const Data *d = t->d;
  const uint8_t *fixed = t->system->fixed;
  const int unit = preconditioner_unit(width);
  real *x = t->system->x;
  double sums[2] = { 0, 0 };
  for (int i = first; i < last; i += unit) {
    for (int k = i; k < i + unit; k++) {
      x[k] += t->alpha * d->p[k];
      d->r[k] = fixed[k] ? 0 : d->r[k] - t->alpha * d->Ap[k];
    }
    precondition_unit(d, fixed, i, width, sums);
  }
  d->sums[first / d->chunk][0] = sums[0];
  d->sums[first / d->chunk][1] = sums[1];
}

// Calls start_by. A width (rows per diagonal block) of 0 or 1 is passed as a constant, which gives faster loops.
static void start(const void *task, int first, int last) {
  const int width = ((const Task *)task)->d->M.width;
  width == 0   ? start_by(task, first, last, 0)
  : width == 1 ? start_by(task, first, last, 1)
               : start_by(task, first, last, width);
}

static void advance(const void *task, int first, int last) {
  const int width = ((const Task *)task)->d->M.width;
  width == 0   ? advance_by(task, first, last, 0)
  : width == 1 ? advance_by(task, first, last, 1)
               : advance_by(task, first, last, width);
}

// Computes the new search direction p = z + beta p for the unknowns [first, last).
static void turn(const void *task, int first, int last) {
  const Data *d = ((const Task *)task)->d;
  const real beta = ((const Task *)task)->beta;
  for (int i = first; i < last; i++) d->p[i] = d->z[i] + beta * d->p[i];
}

// Computes p = z + P y + beta p for the unknowns [first, last). z is D^-1 r, where D is the diagonal of A. P y moves
// each aggregate (group of nodes) rigidly, with the amplitudes y (coarse.h).
static void turn_with_coarse(const void *task, int first, int last) {
  const Task *t = task;
  const Data *d = t->d;
  const Coarse *c = &d->coarse;
  for (int node = first / c->dof; node < last / c->dof; node++)
    for (int i = 0, k = node * c->dof; i < c->dof; i++, k++) {
      const bool moves = c->g.of[node] >= 0 && !t->system->fixed[k];
      const double moved = moves ? coarse_prolong(c->dof, i, c->arm[node], c->y + c->g.of[node] * c->modes) : 0;
      d->p[k] = d->z[k] + (real)moved + t->beta * d->p[k];
    }
}

// Computes r.z of the unknowns [first, last).
static void dot_chunk(const void *task, int first, int last) {
  const Data *d = ((const Task *)task)->d;
  double sum = 0;
  for (int i = first; i < last; i++) sum += (double)d->r[i] * d->z[i];
  d->sums[first / d->chunk][0] = sum;
}

// Computes the new direction p. With a coarse space or an applied preconditioner, first completes z = M^-1 r and *rz =
// r.z. rz_last is r.z of the previous iteration; NULL: there is none, so p = z.
static bool turn_all(const Task *task, const double *rz_last, double *rz, Stream stream, Error *error) {
  const Data *d = task->d;
  Task t = *task;
  double total[2];
  if (d->two_levels) *rz += REAL_NAME(coarse_solve)(&d->coarse, d->r);
  if (d->applied) {
    if (!d->applied->apply(d->applied_data, d->r, d->z, stream, error)) return false;
    parallel_for_light(t.system->A->n, d->chunk, dot_chunk, task);
    add_up(d, total);
    *rz = total[0];
  }
  t.beta = rz_last ? (real)(*rz / *rz_last) : (real)0;
  parallel_for_light(t.system->A->n, d->chunk, d->two_levels ? turn_with_coarse : turn, &t);
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  Data *d = solver->data;
  const SolverSystem *system = &solver->system;
  const int n = system->A->n;
  real *x = system->x;
  double total[2];
  Task task = { .d = d, .system = system };

  // Set x = 0, r = b, z = M^-1 r and p = z.
  parallel_for_light(n, d->chunk, start, &task);
  add_up(d, total);
  double rz = total[0];
  if (d->two_levels && !solver->keeps) REAL_NAME(coarse_make)(&d->coarse, system);
  const bool makes = d->applied && d->applied->make && !solver->keeps;
  if (makes && !d->applied->make(d->applied_data, stream, error)) return false;
  if ((d->two_levels || d->applied) && !turn_all(&task, NULL, &rz, stream, error)) return false;

  // Compute the convergence bound on r.r. If b is zero or not finite, no iteration is needed.
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

    const double begin = timer_seconds();
    if (!operator_apply(system->A, d->p, d->Ap, d->dots, stream, error)) return false;
    report.product_ms += 1e3 * (timer_seconds() - begin);
    double pAp = 0;
    for (int k = 0; k < system->A->dot_count; k++) pAp += d->dots[k];

    // End the solve if p.Ap is not finite, or <= 0, as with an indefinite matrix. In the first iteration, x is then p.
    if (!(pAp > 0) || !isfinite(pAp)) {
      report.end = isfinite(pAp) ? SOLVER_INDEFINITE : SOLVER_BROKEN;
      if (report.iterations == 0 && report.end == SOLVER_INDEFINITE)
        for (int i = 0; i < n; i++) x[i] = d->p[i];
      break;
    }

    // Move x along the direction p, update the residual r, and compute r.z and r.r.
    task.alpha = (real)(rz / pAp);
    parallel_for_light(n, d->chunk, advance, &task);
    add_up(d, total);
    report.iterations++;
    rr = total[1];
    if (rr <= bound) {
      report.end = SOLVER_CONVERGED;
      break;
    }

    // Compute the new direction p.
    const double rz_last = rz;
    rz = total[0];
    if (!turn_all(&task, &rz_last, &rz, stream, error)) return false;
  }

  report.relative_residual = rr0 > 0 ? sqrt(rr / rr0) : 0;
  *solver->report = report;
  return true;
}

// The functions of every row.
#define CG_FUNCTIONS .create = create, .destroy_data = destroy_data, .solve = solve

extern const SolverMethod REAL_NAME(cg_cpu), REAL_NAME(dcg_cpu), REAL_NAME(bdcg_cpu), REAL_NAME(block_cpu),
    REAL_NAME(schwarz_cpu), REAL_NAME(ssor_cpu);
const SolverMethod REAL_NAME(cg_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "cg",
             .summary = "conjugate gradients without a preconditioner",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  CG_FUNCTIONS,
};
const SolverMethod REAL_NAME(dcg_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "dcg",
             .summary = "conjugate gradients, diagonal preconditioner",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_DIAGONAL,
  CG_FUNCTIONS,
};
const SolverMethod REAL_NAME(bdcg_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "bdcg",
             .summary = "conjugate gradients, block-diagonal preconditioner",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_NODES,
  CG_FUNCTIONS,
};
// On the GPU, the solver "block" computes a solve in one thread block. On the CPU, it has the functions of "bdcg".
const SolverMethod REAL_NAME(block_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "block",
             .summary = "conjugate gradients in one thread block of the GPU, for many small bodies",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_NODES,
  CG_FUNCTIONS,
  .matrix = "bcsr",
};
const SolverMethod REAL_NAME(schwarz_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "schwarz",
             .summary = "conjugate gradients, two-level preconditioner with rigid motions of groups of nodes (for "
                        "stiff bodies)",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_COARSE,
  CG_FUNCTIONS,
};
const SolverMethod REAL_NAME(ssor_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "ssor",
             .summary = "conjugate gradients, SSOR preconditioner that sweeps over groups (colours) of nodes that are "
                        "not neighbours",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = solver_bytes },
  .precondition = PRECONDITION_SSOR,
  .applied = &REAL_NAME(ssor_applied_cpu),
  CG_FUNCTIONS,
};
