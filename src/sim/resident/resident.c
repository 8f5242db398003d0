// The resident solver on the CPU: conjugate gradients in the form of resident.h, one part (group of nodes with their
// rows of the matrix) after the other. Tests compare it with the GPU version. The preconditioner is the diagonal
// (solver "resident"), or the diagonal and a coarse space (solver "resident_schwarz"). On a CPU, the solvers dcg and
// schwarz take less time.
//
// The halo of a part consists of the nodes of other parts that are neighbours of its nodes. The local nodes of a part
// are its nodes and its halo.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "sim/operator/parts/part_halves.h"
#include "sim/solver/multigrid/coarse_cpu.h"
#include "sim/solver/multigrid/part_aggregates.h"
#include "sim/solver/preconditioner.h"
#include "sim/resident/resident.h"

// Vectors are stored part by part, for the nodes of each part and then its halo (neighbours in other parts):
// [node_count + halo_count][node_dof], in the order of PartLayout.node. r is the residual, u = M^-1 r, w = A u, p the
// search direction, s = A p, and x the solution.
typedef struct Data {
  // `inverse` is the inverse of the diagonal of A, and 0 for fixed unknowns.
  real *u, *w, *r, *s, *p, *x, *inverse;
  // [halo_count][node_dof], w = A u of the halo nodes of all parts, written by the parts that own these nodes
  real *inbox;
  double (*sums)[3];  // [part_count], sums r.u, w.u and r.r over the nodes of each part
  // True if the preconditioner has a coarse space, rigid motions of groups of nodes. The members below are only for it.
  bool two_levels;
  Coarse coarse;
  PartAggregates near;
  // [near_start[parts]][modes], for each part the aggregates that it needs, in the order of PartAggregates.near. y:
  // amplitudes of their rigid motions. turn: search direction of y.
  real *y, *turn;
  real *omega, *psi;  // [coarse.n], omega = P^T A u and psi = B omega (resident.h); first, omega = P^T b
} Data;

typedef struct Task {
  const Data *d;
  const SolverSystem *system;
  real scale, alpha, beta;  // power of two that multiplies b and r; coefficients of the iteration
  bool downhill;            // true: the first iteration found A indefinite; the result is u, a descent direction, not x
} Task;

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  void *arrays[] = {
    d->u, d->w, d->r, d->s, d->p, d->x, d->inverse, d->inbox, d->sums, d->y, d->turn, d->omega, d->psi
  };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  REAL_NAME(coarse_destroy)(&d->coarse);
  part_aggregates_destroy(&d->near);
  free(d);
}

static bool create_coarse(Data *d, const Operator *A, Stream stream, Error *error) {
  Aggregates g;
  const bool listed = part_aggregates_create(&d->near, &g, A, stream, error);
  if (!REAL_NAME(coarse_create)(&d->coarse, &g, A, error) || !listed) return false;
  const int64_t n = d->coarse.n, near = (int64_t)d->near.near_start[A->parts->part_count] * d->coarse.modes;
  d->y = array_new(near, sizeof *d->y, "coarse space", error);
  d->turn = array_new(near, sizeof *d->turn, "coarse space", error);
  d->omega = array_new(n, sizeof *d->omega, "coarse space", error);
  d->psi = array_new(n, sizeof *d->psi, "coarse space", error);
  return d->y && d->turn && d->omega && d->psi;
}

static bool create(Solver *solver, Stream stream, Error *error) {
  const Operator *A = solver->system.A;
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  if (!d) return false;
  const int64_t dof = A->space->node_dof, count = dof * (A->space->node_count + (int64_t)A->parts->halo_count);
  real **vectors[] = { &d->u, &d->w, &d->r, &d->s, &d->p, &d->x, &d->inverse };
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = array_new(count, sizeof(real), "solver vectors", error))) return false;
  d->inbox = array_new(dof * A->parts->halo_count, sizeof(real), "solver vectors", error);
  d->sums = array_new(A->parts->part_count, sizeof *d->sums, "solver sums", error);
  d->two_levels = solver->method->precondition == PRECONDITION_COARSE;
  return d->inbox && d->sums && (!d->two_levels || create_coarse(d, A, stream, error));
}

// The nodes of one part. owned: number of nodes of the part. locals: number of nodes of the part and its halo
// (neighbours in other parts). node [locals]: numbers of all these nodes in the mesh.
typedef struct Part {
  int owned, locals;
  const int *node;
  int64_t first;  // index in the vectors of the part's first unknown
} Part;

static Part part_of(const PartLayout *l, int part, int dof) {
  const int owned = l->owned_start[part + 1] - l->owned_start[part];
  const int64_t first = (int64_t)l->owned_start[part] + l->halo_start[part];
  return (Part){ owned, owned + l->halo_start[part + 1] - l->halo_start[part], l->node + first, first * dof };
}

// Computes omega = P^T from, the product with the vector `from`, for the aggregates (groups of nodes) of a part. The
// columns of P are the rigid motions of the aggregates.
static void restrict_part(const Data *d, int part, const Part *q, const real *from) {
  const Coarse *c = &d->coarse;
  const int *slot = d->near.slot + q->first / c->dof;
  for (int k = d->near.owned_start[part]; k < d->near.owned_start[part + 1]; k++) {
    double sums[COARSE_MODES] = { 0 };
    for (int l = 0; l < q->owned; l++)
      if (slot[l] == k - d->near.owned_start[part])
        coarse_restrict(c->dof, c->arm[q->node[l]], from + q->first + (int64_t)l * c->dof, sums);
    for (int m = 0; m < c->modes; m++) d->omega[k * c->modes + m] = (real)sums[m];
  }
}

// Computes psi = B omega at the aggregates (groups of nodes) of a part, from omega = P^T A u of all aggregates. The
// columns of P are their rigid motions, and B is the inverse of P^T A P.
static void solve_coarse(const void *task, int part, int end) {
  (void)end;
  const Data *d = ((const Task *)task)->d;
  const Coarse *c = &d->coarse;
  for (int k = d->near.owned_start[part] * c->modes; k < d->near.owned_start[part + 1] * c->modes; k++) {
    double sum = 0;
    for (int j = 0; j < c->n; j++) sum += c->B[(int64_t)k * c->n + j] * d->omega[j];
    d->psi[k] = (real)sum;
  }
}

// Adds P y, rigid motions of groups of nodes, to u at the nodes of a part and its halo (neighbours in other parts).
static void add_coarse(const Data *d, int part, const Part *q) {
  const Coarse *c = &d->coarse;
  const int *slot = d->near.slot + q->first / c->dof;
  for (int l = 0; l < q->locals; l++)
    for (int i = 0; i < c->dof && slot[l] >= 0; i++) {
      const int64_t at = q->first + (int64_t)l * c->dof + i;
      double y[COARSE_MODES];
      for (int m = 0; m < c->modes; m++) y[m] = d->y[((int64_t)d->near.near_start[part] + slot[l]) * c->modes + m];
      if (d->inverse[at] != 0) d->u[at] += (real)coarse_prolong(c->dof, i, c->arm[q->node[l]], y);
    }
}

// Updates a part's copy of y, the amplitudes of the rigid motions of aggregates (groups of nodes): turn = psi + beta
// turn, y -= alpha turn. `turn` is the search direction of y; psi = B P^T w, w = A u. With `first`, sets y = psi.
static void turn_coarse(const Task *t, int part, bool first) {
  const Data *d = t->d;
  const int modes = d->coarse.modes;
  for (int k = d->near.near_start[part] * modes; k < d->near.near_start[part + 1] * modes; k++) {
    const real psi = d->psi[d->near.near[k / modes] * modes + k % modes];
    d->turn[k] = first ? 0 : psi + t->beta * d->turn[k];
    d->y[k] = first ? psi : d->y[k] - t->alpha * d->turn[k];
  }
}

// Start of a solve with a coarse space: sets y, the amplitudes of the rigid motions of aggregates (groups of nodes),
// and adds P y, the displacements of the nodes by these motions, to u = D^-1 r. D is the diagonal of A.
static void begin_coarse(const void *task, int part, int end) {
  (void)end;
  const Task *t = task;
  const Part q = part_of(t->system->A->parts, part, t->system->A->space->node_dof);
  turn_coarse(t, part, true);
  add_coarse(t->d, part, &q);
}

// Sets r = b and s = p = x = 0, and computes the inverse of the diagonal of A, at the nodes of a part and of its halo.
// Writes the part's largest absolute entry of b to sums[0].
static void start(const void *task, int part, int end) {
  (void)end;
  const Task *t = task;
  const Data *d = t->d;
  const int dof = t->system->A->space->node_dof;
  const Part q = part_of(t->system->A->parts, part, dof);
  const real *b = t->system->b, *blocks = t->system->A->blocks;
  double maximum = 0;
  for (int l = 0; l < q.locals; l++)
    for (int i = 0; i < dof; i++) {
      const int64_t at = q.first + (int64_t)l * dof + i, from = (int64_t)q.node[l] * dof + i;
      const bool fixed = t->system->fixed[from];
      real inverse[INVERSE_VALUES_MAX];
      invert_unit(1, dof, blocks, (int)from, inverse);
      d->inverse[at] = fixed ? 0 : inverse[0];
      d->r[at] = fixed ? 0 : b[from];
      d->s[at] = d->p[at] = d->x[at] = 0;
      const double size = fabs((double)d->r[at]);
      if (l < q.owned && !(size <= maximum)) maximum = size < INFINITY ? size : INFINITY;  // true for NaN too
    }
  d->sums[part][0] = maximum;
}

// Multiplies r by `scale`, a power of two. Computes the first u = D^-1 r and, with a coarse space, omega = P^T r, where
// the columns of P are rigid motions of groups of nodes. D: diagonal of A.
static void scale(const void *task, int part, int end) {
  (void)end;
  const Task *t = task;
  const Data *d = t->d;
  const int dof = t->system->A->space->node_dof;
  const Part q = part_of(t->system->A->parts, part, dof);
  for (int64_t k = q.first; k < q.first + (int64_t)q.locals * dof; k++) {
    d->r[k] *= t->scale;
    d->u[k] = d->inverse[k] * d->r[k];
  }
  if (d->two_levels) restrict_part(d, part, &q, d->r);
}

// Computes w = A u at the nodes of a part, tile by tile. A tile is 32 chunks (some blocks of a row each), one per lane.
static void product(const Operator *A, const Data *d, int part, const Part *q, int dof) {
  const PartLayout *l = A->parts;
  const int size = dof * dof;
  const real *values = A->values, *blocks = A->blocks, *u = d->u + q->first;
  for (int tile = l->tile_start[part]; tile < l->tile_start[part + 1]; tile++) {
    real sums[PART_LANES][3] = { { 0 } };
    const int64_t last = l->step_start[tile + 1];
    if (l->halves.unit) halves_product(l, tile, u, NULL, dof, sums);
    for (int64_t step = l->halves.unit ? last : l->step_start[tile]; step < last; step++)
      for (int lane = 0; lane < PART_LANES; lane++) {
        const real *other = u + l->local_column[step * PART_LANES + lane] * dof;
        for (int i = 0; i < dof; i++)
          for (int k = 0; k < dof; k++)
            sums[lane][i] += values[(step * size + i * dof + k) * PART_LANES + lane] * other[k];
      }

    // Add the product of each row's diagonal block with u, and the products of its chunks (some blocks of the row).
    for (int lane = 0; lane < PART_LANES; lane++) {
      const unsigned does = l->lane[(int64_t)tile * PART_LANES + lane];
      if (!lane_first(does)) continue;
      const int row = lane_row(does);
      const real *diagonal = blocks + (int64_t)q->node[row] * size;
      for (int i = 0; i < dof; i++) {
        real w = 0;
        for (int k = 0; k < dof; k++) w += diagonal[i * dof + k] * u[row * dof + k];
        for (int c = 0; c <= lane_after(does); c++) w += sums[lane + c][i];
        d->w[q->first + row * dof + i] = w;
      }
    }
  }
}

// Computes w = A u at the nodes of a part and the sums r.u, w.u and r.r with u = M^-1 r, and writes w of boundary nodes
// to `inbox` for the neighbouring parts.
static void multiply(const void *task, int part, int end) {
  (void)end;
  const Task *t = task;
  const Data *d = t->d;
  const Operator *A = t->system->A;
  const PartLayout *l = A->parts;
  const int dof = A->space->node_dof;
  const Part q = part_of(l, part, dof);
  product(A, d, part, &q, dof);
  double sums[3] = { 0, 0, 0 };
  for (int64_t k = q.first; k < q.first + (int64_t)q.owned * dof; k++) {
    if (d->inverse[k] == 0) d->w[k] = 0;
    sums[0] += (double)d->r[k] * d->u[k];
    sums[1] += (double)d->w[k] * d->u[k];
    sums[2] += (double)d->r[k] * d->r[k];
  }
  memcpy(d->sums[part], sums, sizeof sums);
  if (d->two_levels) restrict_part(d, part, &q, d->w);
  for (int k = l->send_start[part]; k < l->send_start[part + 1]; k++)
    memcpy(d->inbox + (int64_t)l->send[k].halo_index * dof, d->w + q.first + (int64_t)l->send[k].local * dof,
           sizeof(real) * (size_t)dof);
}

// Updates p, x, s = A p, r and u = M^-1 r at the nodes of a part and its halo (neighbours in other parts). Only r, s
// and u are needed in the halo; p and x of the halo are never read.
static void advance(const void *task, int part, int end) {
  (void)end;
  const Task *t = task;
  const Data *d = t->d;
  const PartLayout *l = t->system->A->parts;
  const int dof = t->system->A->space->node_dof;
  const Part q = part_of(l, part, dof);
  const int64_t owned = (int64_t)q.owned * dof;
  const real *inbox = d->inbox + (int64_t)l->halo_start[part] * dof - owned;
  for (int64_t k = 0; k < (int64_t)q.locals * dof; k++) {
    const int64_t at = q.first + k;
    const real w = k < owned ? d->w[at] : d->inverse[at] == 0 ? 0 : inbox[k];
    d->p[at] = d->u[at] + t->beta * d->p[at];
    d->x[at] += t->alpha * d->p[at];
    d->s[at] = w + t->beta * d->s[at];
    d->r[at] -= t->alpha * d->s[at];
    d->u[at] = d->inverse[at] * d->r[at];
  }
  if (!d->two_levels) return;
  turn_coarse(t, part, false);
  add_coarse(d, part, &q);
}

// Writes x of a part's nodes, divided by `scale`, by which b was multiplied, to the system's x. `downhill` is true if
// the first iteration has found A indefinite; then u, a descent direction, is written in place of x.
static void finish(const void *task, int part, int end) {
  (void)end;
  const Task *t = task;
  const int dof = t->system->A->space->node_dof;
  const Part q = part_of(t->system->A->parts, part, dof);
  const real *from = t->downhill ? t->d->u : t->d->x;
  real *x = t->system->x;
  for (int l = 0; l < q.owned; l++)
    for (int i = 0; i < dof; i++) x[(int64_t)q.node[l] * dof + i] = from[q.first + (int64_t)l * dof + i] / t->scale;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  (void)stream, (void)error;
  Data *d = solver->data;
  const SolverSystem *system = &solver->system;
  const int parts = system->A->parts->part_count;
  Task task = { .d = d, .system = system, .scale = 1 };

  // Set r = b and s = p = x = 0 in all parts, and find the largest entry of b.
  parallel_for(parts, 1, start, &task);
  double maximum = 0;
  for (int p = 0; p < parts; p++)
    if (d->sums[p][0] > maximum) maximum = d->sums[p][0];

  // Multiply r by a power of two, so that its largest entry is near 1, and compute the first u = M^-1 r.
  ResidentScalars z = { 0 };
  SolverReport report = { .end = resident_begin((real)maximum) };
  if (report.end == SOLVER_RUNNING) {
    task.scale = resident_scale((real)maximum);
    if (d->two_levels && !solver->keeps) REAL_NAME(coarse_make)(&d->coarse, system);
    parallel_for(parts, 1, scale, &task);
    if (d->two_levels) parallel_for(parts, 1, solve_coarse, &task);
    if (d->two_levels) parallel_for(parts, 1, begin_coarse, &task);
  }

  while (report.end == SOLVER_RUNNING) {
    // Compute w = A u, with u = M^-1 r. Add the sums r.u, w.u and r.r of all parts.
    const double begin = timer_seconds();
    parallel_for(parts, 1, multiply, &task);
    report.product_ms += 1e3 * (timer_seconds() - begin);
    double total[3] = { 0, 0, 0 };
    for (int p = 0; p < parts; p++)
      for (int k = 0; k < 3; k++) total[k] += d->sums[p][k];
    const real sums[3] = { (real)total[0], (real)total[1], (real)total[2] };

    // Decide if the solve continues, and compute alpha and beta.
    report.end =
        resident_decide(&z, sums, report.iterations, system->iterations_max, system->relative, &task.alpha, &task.beta);
    if (report.end == SOLVER_RUNNING && interrupt_requested()) report.end = SOLVER_STOPPED;
    if (report.end != SOLVER_RUNNING) break;

    resident_keep(&z, sums, task.beta);
    if (d->two_levels) parallel_for(parts, 1, solve_coarse, &task);
    parallel_for(parts, 1, advance, &task);
    report.iterations++;
  }

  task.downhill = report.end == SOLVER_INDEFINITE && report.iterations == 0;
  parallel_for(parts, 1, finish, &task);
  if (z.rr0 > 0) report.relative_residual = sqrt((double)z.rr / z.rr0);
  if (report.end == SOLVER_BROKEN && report.iterations == 0) report.relative_residual = 1;
  *solver->report = report;
  return true;
}

static void describe(const Solver *solver, char *text, size_t size) {
  const PartLayout *l = solver->system.A->parts;
  snprintf(text, size, "number of parts: %d, with at most %d nodes each, computed one after the other", l->part_count,
           l->owned_max);
}

// Estimates memory and work. Assumes one halo node (neighbour in another part) per three nodes of a part.
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double vector = (double)precision_size(stage->precision) * size->node_dof * size->nodes * 4 / 3;
  StageBytes bytes = stage_takes(stage, 7.25 * vector);
  // An iteration has two loops. The first reads r, u = M^-1 r and w = A u, and copies w of nodes at the boundary of a
  // part. The second reads p, x, s = A p, r, u, w and M^-1, and writes p, x, s, r and u.
  stage_pass(stage, &bytes, WORK_ITERATION, 3.25 * vector, 0.25 * vector);
  stage_pass(stage, &bytes, WORK_ITERATION, 7 * vector, 5 * vector);
  if (((const SolverMethod *)stage)->precondition == PRECONDITION_COARSE) solver_add_coarse(stage, size, &bytes);
  return bytes;
}

extern const SolverMethod REAL_NAME(resident_cpu), REAL_NAME(resident_schwarz_cpu);
const SolverMethod REAL_NAME(resident_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "resident",
             .summary = "conjugate gradients, one part of the mesh per multiprocessor; diagonal preconditioner",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .precondition = PRECONDITION_DIAGONAL,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
  .matrix = "parts",
  .other_matrix = "parts16",
  .describe = describe,
};
const SolverMethod REAL_NAME(resident_schwarz_cpu) = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "resident_schwarz",
             .summary = "conjugate gradients, one part of the mesh per multiprocessor; two-level preconditioner (for "
                        "stiff bodies)",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .precondition = PRECONDITION_COARSE,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
  .matrix = "parts",
  .other_matrix = "parts16",
  .describe = describe,
};
