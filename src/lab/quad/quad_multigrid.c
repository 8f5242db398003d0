// The solver multigrid for quadrilaterals of degree 1 to 4: conjugate gradients, preconditioned by one cycle of
// multigrid (quad_multigrid.h). This file has the levels, the cycle for both devices, and the loops over nodes on the
// CPU.
#include "lab/quad/quad_multigrid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "base/random.h"
#include "lab/quad/quad_cells.h"
#include "lab/quad/quad_grid.h"
#include "lab/quad/quad_rule.h"
#include "lab/stationary/applied_cg.h"
#include "sim/element/device_reals.h"

// STEPS: number of smoothing steps before, and after, the correction from the coarser level. COARSEST_STEPS: number of
// smoothing steps that replace a solve on the coarsest level, which has at most 4 unknowns. POWER_STEPS: number of
// steps of the power method, which estimates an eigenvalue.
enum { STEPS = 2, COARSEST_STEPS = 8, POWER_STEPS = 10, LEVELS_MAX = 40, CHUNK = 2048 };

// The smoother damps the eigenvalues of D^-1 A between LOW lambda and HIGH lambda, where lambda is the estimate of the
// largest one. The estimate is too small, so HIGH is above 1. The weight of a node is 1 / (lambda a), with its diagonal
// entry a of A.
#define HIGH 1.1
#define LOW (0.2 * HIGH)
// half the square root of 2, which is the cosine of 45 degrees
#define HALF_ROOT 0.70710678118654752
// The steps are the inverses of the roots of the Chebyshev polynomial of degree 2 on the interval from LOW to HIGH.
static const real steps[STEPS] = { (real)(2 / (HIGH + LOW + HALF_ROOT * (HIGH - LOW))),
                                   (real)(2 / (HIGH + LOW - HALF_ROOT * (HIGH - LOW))) };

// A level. Arrays of `real` are [n] on the device.
typedef struct Level {
  QuadGrid grid;          // on the host
  Space space;            // empty on level 0
  Operator own;           // matrix of the level; empty on level 0
  const Operator *A;      // matrix of the level: that of the system on level 0, `own` on other levels
  QuadTransfer transfer;  // interpolation from the next coarser level; empty on the coarsest level
  real *weight, *y;       // weights of the smoother; product A x
  real *b, *x;            // right-hand side and solution; NULL on level 0, where these are r and z of a call
} Level;

typedef struct Multigrid {
  SolverSystem system;
  Device device;
  int level_count;
  Level level[LEVELS_MAX];
} Multigrid;

// ---- loops over nodes

// Arguments of the loops on the CPU; each loop uses some of them.
typedef struct Loop {
  const QuadTransfer *transfer;
  real step;
  const real *weight, *b, *y, *coarse;
  real *x, *coarse_b;
} Loop;

static void relax_some(const void *loop, int first, int last) {
  const Loop *l = loop;
  for (int a = first; a < last; a++) {
    const real factor = l->step * l->weight[a];
    l->x[a] = l->y ? l->x[a] + factor * (l->b[a] - l->y[a]) : factor * l->b[a];
  }
}

bool REAL_NAME(quad_relax_cpu)(int n, real step, const real *weight, const real *b, const real *y, real *x) {
  parallel_for_light(n, CHUNK, relax_some, &(Loop){ .step = step, .weight = weight, .b = b, .y = y, .x = x });
  return true;
}

static void restrict_some(const void *loop, int first, int last) {
  const Loop *l = loop;
  for (int k = first; k < last; k++) {
    l->coarse_b[k] = quad_restrict_at(l->transfer, k, l->b, l->y);
    l->x[k] = l->step * l->weight[k] * l->coarse_b[k];
  }
}

bool REAL_NAME(quad_restrict_cpu)(const QuadTransfer *transfer, const real *b, const real *y, real step,
                                  const real *weight, real *coarse_b, real *coarse_x) {
  const Loop loop = {
    .transfer = transfer, .step = step, .weight = weight, .b = b, .y = y, .x = coarse_x, .coarse_b = coarse_b
  };
  parallel_for(quad_coarse_count(transfer), CHUNK, restrict_some, &loop);
  return true;
}

static void prolong_some(const void *loop, int first, int last) {
  const Loop *l = loop;
  for (int place = first; place < last; place++)
    l->x[quad_fine_node(l->transfer, place)] += quad_prolong_at(l->transfer, place, l->coarse);
}

bool REAL_NAME(quad_prolong_cpu)(const QuadTransfer *transfer, const real *coarse_x, real *x) {
  const Loop loop = { .transfer = transfer, .coarse = coarse_x, .x = x };
  parallel_for(quad_fine_count(transfer), CHUNK, prolong_some, &loop);
  return true;
}

static bool relax(const Level *l, real step, const real *b, const real *y, real *x, Stream stream, Error *error) {
#ifdef PLIANT_CUDA
  if (stream.device == DEVICE_CUDA) return REAL_NAME(quad_relax_cuda)(l->A->n, step, l->weight, b, y, x, stream, error);
#endif
  (void)stream, (void)error;
  return REAL_NAME(quad_relax_cpu)(l->A->n, step, l->weight, b, y, x);
}

static bool restrict_to(const Level *coarse, const Level *l, const real *b, Stream stream, Error *error) {
#ifdef PLIANT_CUDA
  if (stream.device == DEVICE_CUDA)
    return REAL_NAME(quad_restrict_cuda)(&l->transfer, b, l->y, steps[0], coarse->weight, coarse->b, coarse->x, stream,
                                         error);
#endif
  (void)stream, (void)error;
  return REAL_NAME(quad_restrict_cpu)(&l->transfer, b, l->y, steps[0], coarse->weight, coarse->b, coarse->x);
}

static bool prolong(const Level *coarse, const Level *l, real *x, Stream stream, Error *error) {
#ifdef PLIANT_CUDA
  if (stream.device == DEVICE_CUDA) return REAL_NAME(quad_prolong_cuda)(&l->transfer, coarse->x, x, stream, error);
#endif
  (void)stream, (void)error;
  return REAL_NAME(quad_prolong_cpu)(&l->transfer, coarse->x, x);
}

// ---- the cycle

// Makes the steps `first` to `last` - 1 of the smoother.
static bool smooth(const Level *l, int first, int last, const real *b, real *x, Stream stream, Error *error) {
  for (int k = first; k < last; k++)
    if (!operator_apply(l->A, x, l->y, NULL, stream, error) || !relax(l, steps[k % STEPS], b, l->y, x, stream, error))
      return false;
  return true;
}

// Computes z = M^-1 r by one cycle: from the finest level to the coarsest and back. The first step of the smoother,
// from x = 0, needs no product; on coarser levels restrict_to makes it.
static bool apply(const void *data, const void *r, void *z, Stream stream, Error *error) {
  const Multigrid *m = data;
  const int last = m->level_count - 1;
  bool ok = relax(&m->level[0], steps[0], r, NULL, z, stream, error);
  for (int k = 0; ok && k <= last; k++) {
    const Level *l = &m->level[k];
    const real *b = k ? l->b : r;
    real *x = k ? l->x : z;
    ok = smooth(l, 1, k < last ? STEPS : COARSEST_STEPS, b, x, stream, error);
    if (k < last)
      ok = ok && operator_apply(l->A, x, l->y, NULL, stream, error) && restrict_to(l + 1, l, b, stream, error);
  }
  for (int k = last - 1; ok && k >= 0; k--) {
    const Level *l = &m->level[k];
    real *x = k ? l->x : z;
    ok = prolong(l + 1, l, x, stream, error) && smooth(l, 0, STEPS, k ? l->b : r, x, stream, error);
  }
  return ok;
}

// ---- levels

static void lines_destroy(Device device, QuadLines *l) {
  device_free(device, (void *)l->first);
  device_free(device, (void *)l->weight);
  device_free(device, (void *)l->range);
}

static void destroy(void *data) {
  Multigrid *m = data;
  for (int k = 0; k < LEVELS_MAX; k++) {
    Level *l = &m->level[k];
    void *const arrays[] = { l->weight, l->y, l->b, l->x, (void *)l->transfer.node };
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) device_free(m->device, arrays[a]);
    for (int i = 0; i < 2; i++) lines_destroy(m->device, &l->transfer.lines[i]);
    operator_destroy(&l->own);
    space_destroy(&l->space);
    quad_grid_destroy(&l->grid);
  }
  free(m);
}

// Fills the interpolation along direction i on the host. The lines of both grids are spread evenly. `range` must be 0.
static void fill_lines(const QuadGrid *fine, const QuadGrid *coarse, int i, int *first, real *weight, int *range) {
  const int last = fine->lines[i] - 1, q = coarse->degree;
  for (int line = 0; line <= last; line++) {
    const int64_t at = (int64_t)line * coarse->cells[i];
    const int cell = line == last ? coarse->cells[i] - 1 : (int)(at / last);
    first[line] = q * cell;
    for (int s = 0; s <= q; s++) {
      double value, derivative;
      quad_line(q, s, -1 + 2. * (double)(at - (int64_t)cell * last) / last, &value, &derivative);
      weight[QUAD_SPAN * line + s] = (real)value;
    }
    for (int s = 0; s <= q; s++) {
      int *own = range + 2 * (first[line] + s);
      if (weight[QUAD_SPAN * line + s] == 0) continue;
      if (own[1] == 0) own[0] = line;
      own[1] = line + 1;
    }
  }
}

static bool lines_create(QuadLines *l, const QuadGrid *fine, const QuadGrid *coarse, int i, Device device,
                         Error *error) {
  *l = (QuadLines){ .fine = fine->lines[i], .coarse = coarse->lines[i], .span = coarse->degree + 1 };
  int *first = array_new(l->fine, sizeof *first, "lines of nodes", error);
  real *weight = array_new((int64_t)QUAD_SPAN * l->fine, sizeof *weight, "lines of nodes", error);
  int *range = array_new(2 * (int64_t)l->coarse, sizeof *range, "lines of nodes", error);
  if (first && weight && range) {
    fill_lines(fine, coarse, i, first, weight, range);
    l->first = device_clone(device, first, sizeof *first * (size_t)l->fine, error);
    l->weight = device_clone(device, weight, sizeof *weight * QUAD_SPAN * (size_t)l->fine, error);
    l->range = device_clone(device, range, sizeof *range * 2 * (size_t)l->coarse, error);
  }
  free(first);
  free(weight);
  free(range);
  return l->first && l->weight && l->range;
}

// Creates the matrix of a level, without values, and the interpolation to the finer level, which is before it.
static bool add_level(Multigrid *m, Level *l, Error *error) {
  static const char *const elements[] = { "scalar_quad4", "scalar_quad9", "scalar_quad16" };
  const Stage *lma =
      stage_choose(STAGE_OPERATOR, "lma", m->device, REAL_PRECISION, elements[l->grid.degree - 1], error);
  l->A = &l->own;
  for (int i = 0; i < 2; i++)
    if (!lines_create(&l[-1].transfer.lines[i], &l[-1].grid, &l->grid, i, m->device, error)) return false;
  return lma && operator_create(&l->own, (const OperatorMethod *)lma, &l->space, error);
}

static bool allocate(Multigrid *m, Level *l, Error *error) {
  const size_t bytes = sizeof(real) * (size_t)l->A->n;
  real **vectors[] = { &l->weight, &l->y, &l->b, &l->x };
  for (int k = 0; k < (l == m->level ? 2 : 4); k++)
    if (!(*vectors[k] = device_alloc(m->device, bytes, error))) return false;
  return true;
}

static bool create_levels(Multigrid *m, Error *error) {
  Level *l = &m->level[0];
  const Space *space = m->system.A->space;
  l->A = m->system.A;
  m->level_count = 1;
  const int degree = REAL_NAME(quad_degree)(space, error);
  if (!degree || !quad_grid_find(&l->grid, space, degree, error) || !allocate(m, l, error)) return false;
  l->transfer.node = device_clone(m->device, l->grid.node, sizeof *l->grid.node * (size_t)l->A->n, error);
  if (!l->transfer.node) return false;
  for (;; l++) {
    Level *next = l + 1;
    if (!quad_coarsen(&l->grid, l->A->space, &next->grid, &next->space, error)) return false;
    if (!next->grid.degree) return true;
    m->level_count++;
    if (!add_level(m, next, error) || !allocate(m, next, error)) return false;
  }
}

static void *create(const SolverSystem *system, Stream stream, Error *error) {
  Multigrid *m = array_new(1, sizeof *m, "solver data", error);
  if (!m) return NULL;
  m->system = *system;
  m->device = stream.device;
  if (create_levels(m, error)) return m;
  destroy(m);
  return NULL;
}

// ---- values of the levels

// Fails unless the nodes on the boundary of the grid, and no others, are fixed.
static bool check_fixed(const Multigrid *m, Stream stream, Error *error) {
  const QuadGrid *g = &m->level[0].grid;
  const int n = m->system.A->n;
  uint8_t *fixed = array_new(n, sizeof *fixed, "nodes", error);
  bool ok = fixed && device_download(stream, fixed, m->system.fixed, (size_t)n, error) && stream_sync(stream, error);
  for (int k = 0; ok && k < n; k++)
    if (fixed[g->node[k]] != quad_grid_boundary(g, k))
      ok = error_set(error,
                     "solver multigrid needs prescribed values on the whole boundary of the grid, and on no other "
                     "node; choose another --solver");
  free(fixed);
  return ok;
}

// Returns the diagonal entry of the matrix with conductivity 1 at the corner (1, 1) of the grid of cells, the sum of
// its four cells' integrals of |grad phi|^2, where phi is the shape function of the node.
static double corner_entry(const Space *space, const QuadGrid *g) {
  const int p = g->degree, local[] = { p * (p + 2), p * (p + 1), p, 0 };
  double xi[CELL_NODES_MAX][3], weight[CELL_NODES_MAX], sum = 0;
  const int points = cell_shape_rule(space->shape, p + 1, xi, weight);
  for (int k = 0; k < 4; k++) {
    const int e = g->cell[(int64_t)(k / 2) * g->cells[0] + k % 2];
    double X[CELL_NODES_MAX][3], x[3], J[3][3], dN[CELL_NODES_MAX][3];
    for (int a = 0; a < space->cell_nodes; a++) memcpy(X[a], space->X[space_cell(space, e)[a]], sizeof X[a]);
    for (int q = 0; q < points; q++) {
      const double det = cell_shape_map(space->shape, (const double(*)[3])X, xi[q], x, J);
      cell_shape_at(space->shape, xi[q], NULL, dN);
      const double *d = dN[local[k]];
      const double B[2] = { J[1][1] * d[0] - J[1][0] * d[1], J[0][0] * d[1] - J[0][1] * d[0] };
      sum += (space->stiffness ? space->stiffness[e] : 1) * weight[q] * (B[0] * B[0] + B[1] * B[1]) / det;
    }
  }
  return sum;
}

// Computes the scale of the system's matrix: the number by which it differs from a matrix with conductivity 1. It is
// read from one diagonal entry. The matrices of all levels need the same scale.
static bool find_scale(const Multigrid *m, double *scale, Stream stream, Error *error) {
  const QuadGrid *g = &m->level[0].grid;
  const int corner = g->node[(int64_t)g->degree * g->lines[0] + g->degree];
  double entry;
  if (!device_get_reals(stream, REAL_PRECISION, (const real *)m->system.A->blocks + corner, &entry, 1, error))
    return false;
  *scale = entry / corner_entry(m->system.A->space, g);
  return *scale > 0 || error_set(error, "solver multigrid needs a positive definite matrix; choose another --solver");
}

static double norm_of(const double *v, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += v[k] * v[k];
  return sqrt(sum);
}

// Estimates the largest eigenvalue of D^-1 A by the power method, from random numbers in the order of the grid. On
// entry the level's weights are D^-1. numbers [n] is memory on the host, v [n] on the device.
static bool find_eigenvalue(const Level *l, double *numbers, real *v, double *lambda, Stream stream, Error *error) {
  const int n = l->A->n;
  uint64_t seed = 1;
  double norm[2] = { 0, 0 };
  for (int k = 0; k < n; k++) numbers[l->grid.node[k]] = quad_grid_boundary(&l->grid, k) ? 0 : random_unit(&seed);
  bool ok = device_put_reals(stream, REAL_PRECISION, v, numbers, n, error);
  for (int step = 1; ok && step <= POWER_STEPS; step++) {
    ok = operator_apply(l->A, v, l->y, NULL, stream, error) && relax(l, 1, l->y, NULL, v, stream, error);
    if (ok && step >= POWER_STEPS - 1) {
      ok = device_get_reals(stream, REAL_PRECISION, v, numbers, n, error);
      norm[step - POWER_STEPS + 1] = norm_of(numbers, n);
    }
  }
  *lambda = norm[1] / norm[0];
  return ok;
}

// Computes the weights of the smoother on a level.
static bool weigh(const Multigrid *m, const Level *l, Stream stream, Error *error) {
  const int n = l->A->n;
  double *weight = array_new(n, sizeof *weight, "smoother", error);
  double *numbers = array_new(n, sizeof *numbers, "smoother", error), lambda = 0;
  real *v = device_alloc(m->device, sizeof(real) * (size_t)n, error);
  bool ok = weight && numbers && v && device_get_reals(stream, REAL_PRECISION, l->A->blocks, weight, n, error);
  for (int k = 0; ok && k < n; k++) {
    double *own = &weight[l->grid.node[k]];
    *own = quad_grid_boundary(&l->grid, k) ? 0 : 1 / *own;
  }
  ok = ok && device_put_reals(stream, REAL_PRECISION, l->weight, weight, n, error) &&
       find_eigenvalue(l, numbers, v, &lambda, stream, error);
  for (int k = 0; ok && k < n; k++) weight[k] /= lambda;
  ok = ok && device_put_reals(stream, REAL_PRECISION, l->weight, weight, n, error);
  device_free(m->device, v);
  free(weight);
  free(numbers);
  return ok;
}

// Computes the matrices of the levels after level 0, and the weights of all levels.
static bool make(void *data, Stream stream, Error *error) {
  Multigrid *m = data;
  double scale;
  bool ok = check_fixed(m, stream, error) && find_scale(m, &scale, stream, error);
  for (int k = 0; ok && k < m->level_count; k++) {
    const AssemblyParameters parameters = { .material = { 1 }, .matrix_scale = scale };
    ok = (k == 0 || operator_linearise(&m->level[k].own, &parameters, NULL, stream, error)) &&
         weigh(m, &m->level[k], stream, error);
  }
  return ok;
}

// ---- rows of the table of methods

// Estimates the memory of the levels, and the traffic of a cycle. On each level a cycle has two products and three
// loops over nodes. The products of level 0 are counted with the entries of a matrix without indices.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double real_size = (double)precision_size(stage->precision), degree = sqrt(size->cell_nodes) - 1;
  StageBytes bytes = solver_bytes(stage, size);
  for (double q = degree; q >= 1; q--) {
    // The levels of degree 1 have together 4/3 of the cells.
    const double cells = size->cells * (q > 1 ? 1 : 4. / 3), nodes = (q + 1) * (q + 1), own = nodes * (nodes + 1) / 2;
    const double lma = cells * (own * real_size + nodes * (8 + real_size) + QUAD_MAP * real_size);
    const bool finest = q == degree;
    const double vector = real_size * (finest ? size->nodes : cells * q * q);
    const double matrix = finest ? real_size * stage_entries(size) : cells * own * real_size;
    bytes.on[stage->device] += finest ? 2 * vector + 4 * size->nodes : lma + 5 * vector;
    bytes.on[DEVICE_CPU] += finest ? 4 * (size->nodes + size->cells) : cells * (4 + 4 * nodes + 28 * q * q);
    for (int product = 0; product < 2 * STEPS; product++)
      stage_pass(stage, &bytes, WORK_ITERATION, matrix + vector, vector);
    stage_light_pass(stage, &bytes, WORK_ITERATION, 17 * vector, 6 * vector);
  }
  return bytes;
}

static const AppliedPreconditioner multigrid = { create, destroy, make, apply };

static bool suits(const Space *space, const Operator *A, Error *error) {
  (void)A;
  return REAL_NAME(quad_degree)(space, error) > 0;
}

#define ROW(row, where)                                                                                             \
  extern const SolverMethod REAL_NAME(row);                                                                         \
  const SolverMethod REAL_NAME(row) = {                                                                             \
    .stage = { .kind = STAGE_STATIONARY_SOLVER,                                                                     \
               .name = "multigrid",                                                                                 \
               .summary = "conjugate gradients, multigrid preconditioner for quads in a grid with a held boundary", \
               .device = where,                                                                                     \
               .precision = REAL_PRECISION,                                                                         \
               .bytes = bytes },                                                                                    \
    .precondition = PRECONDITION_APPLIED,                                                                           \
    .applied = &multigrid,                                                                                          \
    .create = applied_cg_create,                                                                                    \
    .destroy_data = applied_cg_destroy,                                                                             \
    .solve = applied_cg_solve,                                                                                      \
    .suits = suits,                                                                                                 \
  };
ROW(multigrid_cpu, DEVICE_CPU)
#ifdef PLIANT_CUDA
ROW(multigrid_cuda, DEVICE_CUDA)
#endif
