// The coarse space on the CPU, the rigid motions of aggregates, connected groups of nodes (coarse.h). These motions are
// the columns of P, and B is the inverse of the dense matrix P^T A P. One thread computes each sum, so the result has
// the same bits for any number of threads.
#include "sim/solver/multigrid/coarse_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/parallel.h"
#include "base/wide.h"

enum { LANES = 4 };

typedef double Doubles __attribute__((vector_size(LANES * sizeof(double))));

// Returns the number of loop passes that a thread does in about 20 microseconds, if a pass takes `nanoseconds`.
static int grain(double nanoseconds) {
  return 1 + (int)(20000 / (nanoseconds + 1));
}

bool REAL_NAME(coarse_create)(Coarse *c, Aggregates *g, const Operator *A, Error *error) {
  c->g = *g;
  *g = (Aggregates){ 0 };
  c->dof = A->space->node_dof;
  c->modes = coarse_modes(c->dof);
  c->n = coarse_unknowns(c->g.count, c->dof);
  const int64_t n = c->n;
  c->arm = array_new(c->g.node_count, sizeof *c->arm, "coarse space", error);
  c->rest = array_new(n, sizeof *c->rest, "coarse space", error);
  c->B = array_new(n * n, sizeof *c->B, "coarse space", error);
  c->panel = array_new(n * COARSE_SWEEP, sizeof *c->panel, "coarse space", error);
  c->residual = array_new(n, sizeof *c->residual, "coarse space", error);
  c->y = array_new(n, sizeof *c->y, "coarse space", error);
  c->dots = array_new(c->g.count, sizeof *c->dots, "coarse space", error);
  return c->arm && c->rest && c->B && c->panel && c->residual && c->y && c->dots;
}

void REAL_NAME(coarse_destroy)(Coarse *c) {
  aggregates_destroy(&c->g);
  free(c->arm);
  free(c->rest);
  free(c->B);
  free(c->panel);
  free(c->residual);
  free(c->y);
  free(c->dots);
  *c = (Coarse){ 0 };
}

// Arguments of the parallel loops over aggregates (groups of nodes), pairs of aggregates, or rows of P^T A P, the
// matrix of rigid motions.
typedef struct Task {
  Coarse *c;
  const SolverSystem *system;
  const real *r;  // [rows of A], residual, input of coarse_solve
  // first of the COARSE_SWEEP rows of P^T A P that the present sweep eliminates
  int first;
  // -1 times the inverse of the diagonal block of the rows that the present sweep eliminates
  double pivot[COARSE_SWEEP][COARSE_SWEEP];
} Task;

// Returns the displacement of a node along axis i, m; 0 if the caller has given no displacements.
static double moved_by(const Task *t, int node, int i) {
  const real *u = t->system->u;
  const int dof = t->c->dof;
  return u && i < dof ? (double)u[(int64_t)dof * node + i] : 0;
}

// Sets Coarse.arm for the nodes of the aggregates [first, last): deformed position minus centre of the aggregate, m.
static void measure(const void *task, int first, int last) {
  const Task *t = task;
  const Coarse *c = t->c;
  const double(*X)[3] = t->system->A->space->X;
  for (int k = first; c->dof > 1 && k < last; k++) {
    const int *member = c->g.member + c->g.start[k], count = c->g.start[k + 1] - c->g.start[k];
    double middle[3] = { 0, 0, 0 };
    for (int m = 0; m < count; m++)
      for (int i = 0; i < 3; i++) middle[i] += (X[member[m]][i] + moved_by(t, member[m], i)) / count;
    for (int m = 0; m < count; m++)
      for (int i = 0; i < 3; i++)
        c->arm[member[m]][i] = (real)(X[member[m]][i] + moved_by(t, member[m], i) - middle[i]);
  }
}

// Computes the blocks of P^T A P, the matrix of rigid motions, for the pairs of aggregates (groups of nodes) [first,
// last). Writes them and their transposes to c->B, which the elimination inverts in place.
static void project(const void *task, int first, int last) {
  const Task *t = task;
  const Coarse *c = t->c;
  const Aggregates *g = &c->g;
  const Operator *A = t->system->A;
  const int dof = c->dof, modes = c->modes;
  for (int pair = first; pair < last; pair++) {
    double sums[COARSE_MODES * COARSE_MODES] = { 0 }, block[9];
    for (int64_t k = g->item_start[pair]; k < g->item_start[pair + 1]; k++) {
      const AggregateItem *item = g->item + k;
      for (int v = 0; v < dof * dof; v++)
        block[v] = coarse_entry(dof, item, v / dof, v % dof, t->system->fixed, A->values, A->blocks);
      coarse_add_block(dof, block, c->arm[item->row], c->arm[item->column], sums);
    }
    const int64_t row = (int64_t)g->pair[pair].row * modes, column = (int64_t)g->pair[pair].column * modes;
    for (int i = 0; i < modes; i++)
      for (int k = 0; k < modes; k++) {
        if (row == column && k < i) continue;
        c->B[(row + i) * c->n + column + k] = c->B[(column + k) * c->n + row + i] = sums[i * modes + k];
      }
  }
}

// First step of an elimination sweep, which eliminates the COARSE_SWEEP rows from row `first` on: inverts their
// diagonal block, and writes minus the inverse to `a`. A row is one rigid motion of an aggregate (group of nodes). Rows
// and columns of motions with too small a pivot (coarse_takes) become 0.
static void sweep_block(const Coarse *c, int first, double a[COARSE_SWEEP][COARSE_SWEEP]) {
  for (int q = 0; q < COARSE_SWEEP; q++) memcpy(a[q], c->B + (int64_t)(first + q) * c->n + first, sizeof a[q]);
  for (int q = 0; q < COARSE_SWEEP; q++) {
    const double pivot = a[q][q];
    const bool kept = coarse_takes(pivot, c->rest[first + q]);
    const double inverse = kept ? 1 / pivot : 0;
    double row[COARSE_SWEEP], column[COARSE_SWEEP];
    for (int k = 0; k < COARSE_SWEEP; k++) {
      row[k] = kept ? a[q][k] : 0;
      column[k] = kept ? a[k][q] : 0;
    }
    for (int i = 0; i < COARSE_SWEEP; i++)
      for (int k = 0; k < COARSE_SWEEP; k++) a[i][k] -= column[i] * inverse * row[k];
    for (int k = 0; k < COARSE_SWEEP; k++) {
      a[q][k] = row[k] * inverse;
      a[k][q] = column[k] * inverse;
    }
    a[q][q] = -inverse;
  }
}

// Second step of an elimination sweep: updates rows `first` to `last` - 1 of the coarse matrix, stored in c->B.
WIDE static void sweep_rows(const void *task, int first, int last) {
  const Task *t = task;
  const Coarse *c = t->c;
  const int n = c->n;
  for (int i = first; i < last; i++) {
    double *restrict row = c->B + (int64_t)i * n;
    const bool swept = i >= t->first && i < t->first + COARSE_SWEEP;

    // Compute the factors: the row's entries in the eliminated columns, times the inverse of the diagonal block.
    double factor[COARSE_SWEEP] = { 0 };
    bool any = swept;
    for (int p = 0; p < COARSE_SWEEP && !swept; p++) {
      const double entry = row[t->first + p];
      any = any || entry != 0;
      for (int q = 0; q < COARSE_SWEEP; q++) factor[q] -= entry * t->pivot[p][q];
    }
    if (!any) continue;
    if (swept) {
      memcpy(factor, t->pivot[i - t->first], sizeof factor);
      memset(row, 0, sizeof *row * (size_t)n);
    }

    for (int q = 0; q < COARSE_SWEEP; q += 4) {
      const double *p0 = c->panel + (int64_t)q * n, *p1 = p0 + n, *p2 = p1 + n, *p3 = p2 + n;
      const double f0 = factor[q], f1 = factor[q + 1], f2 = factor[q + 2], f3 = factor[q + 3];
#pragma GCC ivdep
      for (int k = 0; k < n; k++) row[k] -= f0 * p0[k] + f1 * p1[k] + (f2 * p2[k] + f3 * p3[k]);
    }
    for (int q = 0; q < COARSE_SWEEP; q++) row[t->first + q] = factor[q];
  }
}

// Replaces c->B, the result of the elimination, by the inverse of P^T A P: minus the mean of c->B and its transpose.
// The mean makes B exactly symmetric. Processes the rows [first, last) of the upper triangle.
static void mirror(const void *task, int first, int last) {
  const Coarse *c = ((const Task *)task)->c;
  for (int i = first; i < last; i++)
    for (int k = i; k < c->n; k++) {
      double *upper = c->B + (int64_t)i * c->n + k, *lower = c->B + (int64_t)k * c->n + i;
      *upper = *lower = -(*upper + *lower) / 2;
    }
}

void REAL_NAME(coarse_make)(Coarse *c, const SolverSystem *system) {
  Task task = { .c = c, .system = system };
  const int n = c->n, rows = grain(0.3 * COARSE_SWEEP * n);
  memset(c->B, 0, sizeof *c->B * (size_t)n * (size_t)n);
  parallel_for(c->g.count, 1, measure, &task);
  parallel_for(c->g.pair_count, 1, project, &task);
  for (int i = 0; i < n; i++) c->rest[i] = c->B[(int64_t)i * n + i];
  for (task.first = 0; task.first < n; task.first += COARSE_SWEEP) {
    memcpy(c->panel, c->B + (int64_t)task.first * n, sizeof *c->panel * COARSE_SWEEP * (size_t)n);
    sweep_block(c, task.first, task.pivot);
    parallel_for(n, rows, sweep_rows, &task);
  }
  parallel_for(n, rows, mirror, &task);
}

static void restrict_aggregates(const void *task, int first, int last) {
  const Task *t = task;
  const Coarse *c = t->c;
  for (int k = first; k < last; k++) {
    double sums[COARSE_MODES] = { 0 };
    for (int m = c->g.start[k]; m < c->g.start[k + 1]; m++)
      coarse_restrict(c->dof, c->arm[c->g.member[m]], t->r + (int64_t)c->g.member[m] * c->dof, sums);
    memcpy(c->residual + (int64_t)k * c->modes, sums, sizeof *sums * (size_t)c->modes);
  }
}

WIDE static void multiply_rows(const void *task, int first, int last) {
  const Coarse *c = ((const Task *)task)->c;
  for (int k = first; k < last; k++) {
    c->dots[k] = 0;
    for (int i = k * c->modes; i < (k + 1) * c->modes; i++) {
      const double *row = c->B + (int64_t)i * c->n;
      Doubles sums[2] = { { 0 } };
      for (int j = 0; j < c->n; j += 2 * LANES)  // n is a multiple of COARSE_SWEEP = 24, and so of 2 LANES
        for (int half = 0; half < 2; half++) {
          Doubles entry, other;
          memcpy(&entry, row + j + half * LANES, sizeof entry);
          memcpy(&other, c->residual + j + half * LANES, sizeof other);
          sums[half] += entry * other;
        }
      sums[0] += sums[1];
      c->y[i] = sums[0][0] + sums[0][1] + (sums[0][2] + sums[0][3]);
      c->dots[k] += c->y[i] * c->residual[i];
    }
  }
}

double REAL_NAME(coarse_solve)(const Coarse *c, const real *r) {
  const Task task = { .c = (Coarse *)c, .r = r };
  const double members = c->g.count ? (double)c->g.start[c->g.count] / c->g.count : 0;
  parallel_for(c->g.count, grain(8 * members), restrict_aggregates, &task);
  parallel_for(c->g.count, grain(0.3 * c->modes * c->n), multiply_rows, &task);
  double dot = 0;
  for (int k = 0; k < c->g.count; k++) dot += c->dots[k];
  if (dot >= 0) return dot;
  memset(c->y, 0, sizeof *c->y * (size_t)c->n);
  return 0;
}
