// Solver "pmg" on the CPU: conjugate gradients with a multigrid preconditioner, for stiff bodies and quadratic
// elements. The preconditioner is a cycle over three levels:
//   1. all nodes
//   2. the corners, which form linear tets with the matrix P^T A P (corner_space.h)
//   3. the rigid motions of aggregates, connected groups of corners (coarse.h)
// A body of linear tets has only levels 2 and 3. If the operator of level 1 stores no matrix, it computes P^T A P
// (corner_matrix.h).
//
//   cycle(r):  z = S r;  z += P cycle'(P^T (r - A z));  z += S (r - A z)
//
// cycle' is the cycle of the next level, and P interpolates from that level. On level 3, cycle' is a product with the
// inverse of the coarse matrix. S is the smoother, a Chebyshev polynomial in D^-1 A, where D has the absolute values of
// the diagonal of A. S damps the components of the error with eigenvalues from largest / range to `largest`, the
// largest eigenvalue of D^-1 A (Adams and others, 2003). The cycle is symmetric, because S is applied before and after
// the correction. If rounding or an indefinite matrix gives r.z <= 0, D^-1 replaces the cycle in the rest of the solve.
//
// Sums are computed in double over chunks, ranges of a fixed number of unknowns, and then added in the order of the
// chunks. So the result has the same bits for any number of threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/real.h"
#include "base/timer.h"
#include "sim/operator/corner_matrix.h"
#include "sim/solver/multigrid/coarse_cpu.h"
#include "sim/solver/multigrid/corner_space.h"
#include "sim/solver/multigrid/pmg.h"
#include "sim/solver/preconditioner.h"
#include "sim/solver/solver.h"

enum {
  CHUNK = 2048,  // unknowns per chunk, for which a partial sum is computed
  ROWS = 16      // corners for which a thread computes the rows of P^T A P at a time
};

// Matrix, smoother and vectors of level 1 (all nodes) or 2 (the corners) of multigrid.
typedef struct Level {
  const Operator *A;     // matrix of the level
  const uint8_t *fixed;  // [n], 1: the unknown is fixed
  // n: number of unknowns. degree: number of steps of the smoother S, a polynomial in D^-1 A (D: diagonal of A)
  int n, degree;
  // S damps the components of the error with eigenvalues of D^-1 A from largest / range to the largest.
  double range;
  // coefficients of each step of S: d = a d + b D^-1 r, z += d (pmg_steps)
  real a[PMG_DEGREE_CORNERS], b[PMG_DEGREE_CORNERS];
  real *inverse;      // [n], inverse of the diagonal of A; 0 for fixed unknowns
  real *z, *r, *d;    // [n]: result z of the cycle; residual; last step d of the smoother S
  real *Az;           // [n], A z, or A d in a step of the smoother S
  double (*sums)[2];  // [chunks], two sums of each chunk of unknowns: r.z or d.D d, and r.r
} Level;

typedef struct Data {
  Level all, corners;  // levels 1 and 2; for linear tets, `corners` has all nodes, and `all` is empty
  // quadratic: the body has ten-node tets. plain: true after the inverse diagonal has replaced the cycle in this solve.
  bool quadratic, plain;
  CornerSpace space;    // mesh of the corners
  CornerMatrix matrix;  // lists to compute P^T A P, if the operator of all nodes stores no matrix
  Operator A;           // matrix P^T A P of the corners
  uint8_t *fixed;       // [A.n], 1: the unknown of a corner is fixed
  real *u;              // [A.n], m, SolverSystem.u at the corners: the state of the tangent; the coarse space reads it
  // zero: [A.n], zeros, passed to operator_shift as the shift. diagonal: [A.n], diagonal of P^T A P, which
  // operator_shift returns; then work memory of `cycle`
  real *zero, *diagonal;
  double (*entries)[9];  // [pairs of neighbouring corners], blocks of P^T A P in double, 3 x 3
  Coarse coarse;         // level 3
  SolverSystem lowest;   // linear system of level 2, for which coarse.h builds level 3
  real *r, *p, *Ap;      // [n], vectors of CG: residual, search direction, A p
  double *dots;          // partial sums of p.Ap, [dot_count] of the operator of all nodes
} Data;

static int chunks(int n) {
  return n / CHUNK + (n % CHUNK > 0);
}

static bool create_level(Level *l, const Operator *A, const uint8_t *fixed, int degree, double range, Error *error) {
  *l = (Level){ .A = A, .fixed = fixed, .n = A->n, .degree = degree, .range = range };
  real **vectors[] = { &l->inverse, &l->z, &l->r, &l->d, &l->Az };
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = array_new(A->n, sizeof(real), "solver vectors", error))) return false;
  l->sums = array_new(chunks(A->n), sizeof *l->sums, "solver sums", error);
  return l->sums;
}

static void destroy_level(Level *l) {
  free(l->inverse);
  free(l->z);
  free(l->r);
  free(l->d);
  free(l->Az);
  free(l->sums);
}

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  destroy_level(&d->all);
  destroy_level(&d->corners);
  REAL_NAME(coarse_destroy)(&d->coarse);
  operator_destroy(&d->A);
  corner_matrix_destroy(&d->matrix, DEVICE_CPU);
  corner_space_destroy(&d->space);
  free(d->fixed);
  free(d->u);
  free(d->zero);
  free(d->diagonal);
  free(d->entries);
  free(d->r);
  free(d->p);
  free(d->Ap);
  free(d->dots);
  free(d);
}

// Creates the space of the corners (nodes at corners of cells), and the operator that will store their matrix P^T A P.
static bool create_corners(Data *d, const Operator *A, Error *error) {
  const OperatorMethod *format = (const OperatorMethod *)stage_find(STAGE_OPERATOR, pmg_matrix(DEVICE_CPU), DEVICE_CPU,
                                                                    A->method->stage.precision, NULL);
  const bool stores = operator_stores(A);
  if (!corner_space_create(&d->space, A->space, stores, error) ||
      !operator_create(&d->A, format, &d->space.space, error) ||
      (!stores && !corner_matrix_create(&d->matrix, &d->space, A->space, &d->A, error)))
    return false;
  d->fixed = array_new(d->A.n, sizeof *d->fixed, "solver vectors", error);
  d->u = array_new(d->A.n, sizeof *d->u, "solver vectors", error);
  d->zero = array_new(d->A.n, sizeof *d->zero, "solver vectors", error);
  d->diagonal = array_new(d->A.n, sizeof *d->diagonal, "solver vectors", error);
  d->entries = array_new(stores ? space_pairs(&d->space.space) : 0, sizeof *d->entries, "matrix of the corners", error);
  return d->fixed && d->u && d->zero && d->diagonal && d->entries;
}

static bool create(Solver *solver, Stream stream, Error *error) {
  (void)stream;
  const SolverSystem *system = &solver->system;
  const Operator *A = system->A;
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  if (!d) return false;
  d->quadratic = A->space->shape == CELL_TET10;
  if (d->quadratic &&
      (!create_corners(d, A, error) || !create_level(&d->all, A, system->fixed, PMG_DEGREE_ALL, PMG_RANGE_ALL, error)))
    return false;
  const Operator *low = d->quadratic ? &d->A : A;
  Aggregates g;
  if (!create_level(&d->corners, low, d->quadratic ? d->fixed : system->fixed, PMG_DEGREE_CORNERS, PMG_RANGE_CORNERS,
                    error) ||
      !aggregates_create(&g, low, NULL, 0, error) || !REAL_NAME(coarse_create)(&d->coarse, &g, low, error))
    return false;
  d->lowest = (SolverSystem){ .A = low, .fixed = d->corners.fixed };
  d->r = array_new(A->n, sizeof(real), "solver vectors", error);
  d->p = array_new(A->n, sizeof(real), "solver vectors", error);
  d->Ap = array_new(A->n, sizeof(real), "solver vectors", error);
  d->dots = array_new(A->dot_count, sizeof *d->dots, "solver sums", error);
  return d->r && d->p && d->Ap && d->dots;
}

// Arguments of the parallel loops over nodes or unknowns of a level; each loop uses some of them.
typedef struct Task {
  const Data *d;
  const Level *l;
  const SolverSystem *system;
  const real *from;
  real *to;
  real a, b;
} Task;

static double total(const Level *l, int which) {
  double sum = 0;
  for (int c = 0; c < chunks(l->n); c++) sum += l->sums[c][which];
  return sum;
}

// Computes the rows of P^T A P for the corners [first, last) from the stored A, without off-diagonal blocks of contact.
static void project(const void *task, int first, int last) {
  const Data *d = ((const Task *)task)->d;
  const SolverSystem *system = ((const Task *)task)->system;
  const CornerSpace *c = &d->space;
  const Operator *A = system->A;
  const Adjacency *graph = &A->space->graph, *coarse = &c->space.graph;
  const real *values = A->values, *blocks = A->blocks;
  real *low = d->A.values;
  for (int p = first; p < last; p++) {
    const int64_t row = coarse->start[p], count = coarse->start[p + 1] - row;
    double(*sums)[9] = d->entries + row;
    const uint16_t *target = c->target + c->target_start[p];

    // Sum over each node a that moves with the corner, and over each neighbour b of a.
    memset(sums, 0, sizeof *sums * (size_t)count);
    for (int k = c->start[p]; k < c->start[p + 1]; k++) {
      const int a = c->child[k];
      const double weight = corner_weight(c, a);
      for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++, target += 2) {
        const int b = graph->neighbour[pair];
        const double other = corner_weight(c, b) * weight;
        double block[9];
        for (int v = 0; v < 9; v++) {
          const bool held = system->fixed[3 * a + v / 3] || system->fixed[3 * b + v % 3];
          block[v] = held     ? 0
                     : a == b ? other * (double)blocks[9 * (int64_t)a + v]
                              : other * (double)values[block_slot(A->slots[pair], v / 3, v % 3)];
        }
        for (int end = 0; end < (other < weight ? 2 : 1); end++)
          for (int v = 0; v < 9; v++) sums[target[end]][v] += block[v];
      }
    }

    for (int64_t k = 0; k < count; k++)
      for (int v = 0; v < 9; v++) low[operator_slot(&d->A, p, row + k, v / 3, v % 3)] = (real)sums[k][v];
  }
}

static void invert(const void *task, int first, int last) {
  const Level *l = ((const Task *)task)->l;
  const int dof = l->A->space->node_dof;
  const real *blocks = l->A->blocks;
  for (int i = first; i < last; i++)
    l->inverse[i] =
        l->fixed[i] ? (real)0 : inverse_of_entry(blocks[((int64_t)(i / dof) * dof + i % dof) * dof + i % dof]);
}

// Takes a step of the power iteration, d = a D^-1 A d, for the unknowns [first, last), one chunk. D is the diagonal of
// A, l->Az holds A d, and 1 / a is the norm of the previous d. Writes the chunk's sum of d.D d.
static void power(const void *task, int first, int last) {
  const Task *t = task;
  const Level *l = t->l;
  double sums[2] = { 0, 0 };
  for (int i = first; i < last; i++) {
    l->d[i] = t->a * l->inverse[i] * l->Az[i];
    sums[0] += l->inverse[i] > 0 ? (double)l->d[i] * l->d[i] / l->inverse[i] : 0;
  }
  memcpy(l->sums[first / CHUNK], sums, sizeof sums);
}

static void begin_power(const void *task, int first, int last) {
  const Level *l = ((const Task *)task)->l;
  double sums[2] = { 0, 0 };
  for (int i = first; i < last; i++) {
    l->d[i] = l->inverse[i] > 0 ? pmg_begin(i) : (real)0;
    sums[0] += l->inverse[i] > 0 ? (double)l->d[i] * l->d[i] / l->inverse[i] : 0;
  }
  memcpy(l->sums[first / CHUNK], sums, sizeof sums);
}

// Estimates the largest eigenvalue of D^-1 A by a power iteration, and computes the coefficients of the smoother from
// this eigenvalue. D is the diagonal of A. The estimate is computed from the factor by which a product with D^-1 A
// lengthens d, in the norm sqrt(d.D d). This factor is at most the largest eigenvalue; pmg_largest enlarges it.
static bool estimate(Level *l, Stream stream, Error *error) {
  Task task = { .l = l };
  double grown = 1;
  parallel_for_light(l->n, CHUNK, begin_power, &task);
  double size = sqrt(total(l, 0));
  for (int turn = 0; turn < PMG_POWER_TURNS; turn++) {
    if (!operator_apply(l->A, l->d, l->Az, NULL, stream, error)) return false;
    task.a = size > 0 ? (real)(1 / size) : (real)1;
    parallel_for_light(l->n, CHUNK, power, &task);
    grown = size = sqrt(total(l, 0));
  }
  pmg_steps(pmg_largest(grown), l->range, l->degree, l->a, l->b);
  return true;
}

// Copies the flags of fixed unknowns and the displacements of the corners [first, last) from all nodes' arrays.
static void inject(const void *task, int first, int last) {
  const Data *d = ((const Task *)task)->d;
  const SolverSystem *system = ((const Task *)task)->system;
  const real *u = system->u;
  for (int p = first; p < last; p++)
    for (int i = 0; i < 3; i++) {
      d->fixed[3 * p + i] = system->fixed[3 * d->space.node[p] + i];
      d->u[3 * p + i] = u ? u[3 * d->space.node[p] + i] : (real)0;
    }
}

// Prepares the multigrid cycle for the present matrix: computes the corners' matrix, the smoothers and the coarse
// space.
static bool make(Data *d, const SolverSystem *system, Stream stream, Error *error) {
  Task task = { .d = d, .system = system };
  if (d->quadratic) {
    parallel_for(d->A.space->node_count, CHUNK, inject, &task);
    if (operator_stores(system->A))
      parallel_for(d->A.space->node_count, ROWS, project, &task);
    else if (!system->A->method->project(system->A, &d->matrix, d->A.values, stream, error))
      return false;
    if (!operator_shift(&d->A, d->zero, 0, d->diagonal, NULL, stream, error)) return false;
    d->lowest.u = d->u;
    task.l = &d->all;
    parallel_for_light(d->all.n, CHUNK, invert, &task);
    if (!estimate(&d->all, stream, error)) return false;
  } else {
    d->lowest.u = system->u;
  }
  task.l = &d->corners;
  parallel_for_light(d->corners.n, CHUNK, invert, &task);
  REAL_NAME(coarse_make)(&d->coarse, &d->lowest);
  return estimate(&d->corners, stream, error);
}

// Computes the residual r = `from` - A z of a level at unknowns [first, last), with A z in l->Az; 0 at fixed unknowns.
static void leave(const void *task, int first, int last) {
  const Task *t = task;
  const Level *l = t->l;
  for (int i = first; i < last; i++) l->r[i] = l->inverse[i] > 0 ? t->from[i] - l->Az[i] : (real)0;
}

// Takes one step of the smoother S, which improves the solution z and its residual r: r -= A d, d = a d + b D^-1 r,
// z += d. D has the absolute values of the diagonal of A, and l->Az holds A d. In the first step a = 0, and l->Az is
// not read.
static void step(const void *task, int first, int last) {
  const Task *t = task;
  const Level *l = t->l;
  for (int i = first; i < last; i++) {
    if (t->a > 0) l->r[i] = l->inverse[i] > 0 ? l->r[i] - l->Az[i] : (real)0;
    l->d[i] = t->b * l->inverse[i] * l->r[i] + (t->a > 0 ? t->a * l->d[i] : (real)0);
    l->z[i] += l->d[i];
  }
}

// Computes z += S r on a level, where S is the smoother. Overwrites r.
static bool smooth(Level *l, Stream stream, Error *error) {
  Task task = { .l = l, .b = l->b[0] };
  parallel_for_light(l->n, CHUNK, step, &task);
  for (int k = 1; k < l->degree; k++) {
    if (!operator_apply(l->A, l->d, l->Az, NULL, stream, error)) return false;
    task.a = l->a[k];
    task.b = l->b[k];
    parallel_for_light(l->n, CHUNK, step, &task);
  }
  return true;
}

// Restricts `from`, a vector of all nodes, to the corners [first, last): multiplies it by P^T and writes the result to
// `to`. Each corner sums over the nodes that move with it (CornerSpace.child).
static void restrict_corners(const void *task, int first, int last) {
  const Task *t = task;
  const CornerSpace *c = &t->d->space;
  for (int p = first; p < last; p++) {
    double sum[3] = { 0, 0, 0 };
    for (int k = c->start[p]; k < c->start[p + 1]; k++)
      for (int i = 0; i < 3; i++) sum[i] += corner_weight(c, c->child[k]) * t->from[3 * c->child[k] + i];
    for (int i = 0; i < 3; i++) t->to[3 * p + i] = t->d->fixed[3 * p + i] ? (real)0 : (real)sum[i];
  }
}

// Adds P times `from` to z of the nodes [first, last). `from` is the correction of the nodes at corners of cells. P
// gives each node the mean of its two parent corners.
static void prolong_corners(const void *task, int first, int last) {
  const Task *t = task;
  const Level *l = t->l;
  for (int a = first; a < last; a++) {
    const int *parent = t->d->space.parent[a];
    for (int i = 0; i < 3; i++)
      if (l->inverse[3 * a + i] > 0)
        l->z[3 * a + i] += (real)0.5 * (t->from[3 * parent[0] + i] + t->from[3 * parent[1] + i]);
  }
}

static void prolong_aggregates(const void *task, int first, int last) {
  const Task *t = task;
  const Coarse *c = &t->d->coarse;
  const Level *l = t->l;
  for (int a = first; a < last; a++)
    for (int i = 0; i < c->dof && c->g.of[a] >= 0; i++)
      if (l->inverse[a * c->dof + i] > 0)
        l->z[a * c->dof + i] += (real)coarse_prolong(c->dof, i, c->arm[a], c->y + c->g.of[a] * c->modes);
}

// Computes the residual l->r = `from` - A z of a level.
static bool leave_residual(Level *l, const real *from, Stream stream, Error *error) {
  if (!operator_apply(l->A, l->z, l->Az, NULL, stream, error)) return false;
  parallel_for_light(l->n, CHUNK, leave, &(Task){ .l = l, .from = from });
  return true;
}

// Computes l->z, an approximation of A^-1 r, by the multigrid cycle of level l. r must be zero at fixed unknowns.
static bool cycle(Data *d, Level *l, const real *r, Stream stream, Error *error) {
  const int nodes = l->A->space->node_count;

  // First smoothing: z = S r with the smoother S. Then set l->r to the new residual, r - A z.
  memset(l->z, 0, sizeof(real) * (size_t)l->n);
  memcpy(l->r, r, sizeof(real) * (size_t)l->n);
  if (!smooth(l, stream, error) || !leave_residual(l, r, stream, error)) return false;

  // Add the correction that the next level computes from the residual.
  if (l == &d->all) {
    real *below = d->diagonal;  // work memory; d->diagonal is not used after operator_shift
    parallel_for_light(d->A.space->node_count, CHUNK, restrict_corners, &(Task){ .d = d, .from = l->r, .to = below });
    if (!cycle(d, &d->corners, below, stream, error)) return false;
    parallel_for_light(nodes, CHUNK, prolong_corners, &(Task){ .d = d, .l = l, .from = d->corners.z });
  } else {
    REAL_NAME(coarse_solve)(&d->coarse, l->r);
    parallel_for_light(nodes, CHUNK, prolong_aggregates, &(Task){ .d = d, .l = l });
  }

  // Second smoothing: z += S (r - A z), with the corrected z.
  return leave_residual(l, r, stream, error) && smooth(l, stream, error);
}

// Computes z = D^-1 r, where D is the diagonal of A. D^-1 replaces the cycle after a cycle has given r.z <= 0.
static void divide(const void *task, int first, int last) {
  const Task *t = task;
  for (int i = first; i < last; i++) t->l->z[i] = t->l->inverse[i] * t->d->r[i];
}

// Sets r = b and x = 0 at the unknowns [first, last), one chunk, and writes their sum of r.r.
static void start(const void *task, int first, int last) {
  const Task *t = task;
  const real *b = t->system->b;
  real *x = t->system->x, *r = t->d->r;
  double sums[2] = { 0, 0 };
  for (int i = first; i < last; i++) {
    x[i] = 0;
    r[i] = t->system->fixed[i] ? (real)0 : b[i];
    sums[1] += (double)r[i] * r[i];
  }
  memcpy(t->l->sums[first / CHUNK], sums, sizeof sums);
}

// Sets x += a p and r -= a A p at unknowns [first, last), one chunk; `a` is CG's alpha. Writes the sum of r.r.
static void advance(const void *task, int first, int last) {
  const Task *t = task;
  real *x = t->system->x, *r = t->d->r;
  double sums[2] = { 0, 0 };
  for (int i = first; i < last; i++) {
    x[i] += t->a * t->d->p[i];
    r[i] = t->system->fixed[i] ? (real)0 : r[i] - t->a * t->d->Ap[i];
    sums[1] += (double)r[i] * r[i];
  }
  memcpy(t->l->sums[first / CHUNK], sums, sizeof sums);
}

// Writes the sum of r.z over the unknowns [first, last), one chunk, to `sums` of the level.
static void multiply(const void *task, int first, int last) {
  const Task *t = task;
  double sums[2] = { 0, 0 };
  for (int i = first; i < last; i++) sums[0] += (double)t->d->r[i] * t->l->z[i];
  memcpy(t->l->sums[first / CHUNK], sums, sizeof sums);
}

// Computes the search direction p = z + a p; a is the beta of conjugate gradients, 0 for a restart.
static void turn(const void *task, int first, int last) {
  const Task *t = task;
  for (int i = first; i < last; i++) t->d->p[i] = t->l->z[i] + (t->a != 0 ? t->a * t->d->p[i] : (real)0);
}

// Computes z = M^-1 r by the cycle, and *rz = r.z. If r.z <= 0, the diagonal of A replaces M in the rest of the solve.
static bool precondition_all(Data *d, Level *l, const SolverSystem *system, double *rz, Stream stream, Error *error) {
  const Task task = { .d = d, .l = l, .system = system };
  if (!d->plain) {
    if (!cycle(d, l, d->r, stream, error)) return false;
    parallel_for_light(l->n, CHUNK, multiply, &task);
    *rz = total(l, 0);
    if (*rz > 0 && isfinite(*rz)) return true;
    d->plain = true;
  }
  parallel_for_light(l->n, CHUNK, divide, &task);
  parallel_for_light(l->n, CHUNK, multiply, &task);
  *rz = total(l, 0);
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  Data *d = solver->data;
  const SolverSystem *system = &solver->system;
  const int n = system->A->n;
  Level *l = d->quadratic ? &d->all : &d->corners;
  Task task = { .d = d, .l = l, .system = system };
  SolverReport report = { .end = SOLVER_OUT_OF_ITERATIONS };
  real *x = system->x;
  double rz = 0;

  // Prepare the multigrid cycle for the present matrix, and set r = b and x = 0.
  if (!solver->keeps && !make(d, system, stream, error)) return false;
  d->plain = false;
  parallel_for_light(n, CHUNK, start, &task);

  // Compute the convergence bound on r.r. If b is zero or not finite, no iteration is needed.
  const double rr0 = total(l, 1), bound = system->relative * system->relative * rr0;
  double rr = rr0;
  if (rr0 == 0) report.end = SOLVER_CONVERGED;
  if (!isfinite(rr0)) report.end = SOLVER_BROKEN;

  while (report.end == SOLVER_OUT_OF_ITERATIONS && report.iterations < system->iterations_max) {
    if (interrupt_requested()) {
      report.end = SOLVER_STOPPED;
      break;
    }

    // Apply the preconditioner, and compute the new direction p.
    const double rz_last = rz;
    const bool was_plain = d->plain;
    if (!precondition_all(d, l, system, &rz, stream, error)) return false;

    // If the inverse diagonal has replaced the cycle just now, restart the search directions with beta = 0.
    task.a = report.iterations > 0 && was_plain == d->plain ? (real)(rz / rz_last) : (real)0;
    parallel_for_light(n, CHUNK, turn, &task);

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

    // Move x along the direction p, and update the residual r.
    task.a = (real)(rz / pAp);
    parallel_for_light(n, CHUNK, advance, &task);
    rr = total(l, 1);
    report.iterations++;
    if (rr <= bound) report.end = SOLVER_CONVERGED;
  }

  report.relative_residual = rr0 > 0 ? sqrt(rr / rr0) : 0;
  *solver->report = report;
  return true;
}

extern const SolverMethod REAL_NAME(pmg_cpu);
const SolverMethod REAL_NAME(pmg_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "pmg",
             .summary =
                 "conjugate gradients, p-multigrid preconditioner whose coarsest level has rigid motions of groups of "
                 "nodes (for stiff bodies)",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = pmg_bytes },
  .precondition = PRECONDITION_LEVELS,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
};
