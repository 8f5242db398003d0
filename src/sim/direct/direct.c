// A direct solver: solves A x = b by a sparse factorisation of A, in double even if the simulation computes in float.
// The pattern of A is analysed once, and each solve computes a new factor for the present values. Fixed unknowns stay
// in the pattern, with 1 on the diagonal and 0 elsewhere, so nodes can be fixed and released without a new analysis.
//
// The operator's terms (contact, consistent masses, pressures) are not part of its matrix. This solver adds them to the
// matrix entry by entry. It analyses the pattern again only if a term couples two nodes for which the pattern has no
// block.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/real.h"
#include "sim/direct/entries.h"
#include "sim/direct/unsymmetric.h"
#include "sim/solver/solver.h"

enum { REFINEMENTS_MAX = 3 };  // largest number of refinements of a solution

// The two solvers of this file. They differ only in the library that factorises the matrix.
extern const SolverMethod REAL_NAME(cholmod_cpu), REAL_NAME(cudss_cpu);

typedef struct Data {
  const FactorLibrary *library;
  Entries entries;  // the upper triangle of A by columns, in double
  Factor *factor;
  // pairs of nodes that are no neighbours in the mesh, but are coupled by a term that is added to the matrix, such as
  // contact
  NodePair *pair;
  int64_t pair_count, pair_capacity;
  bool out_of_memory;
  double *b, *x, *r;  // [n]. b: right-hand side of A x = b. x: solution. r: residual b - A x, or correction of x
} Data;

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  factor_destroy(d->factor);
  entries_destroy(&d->entries);
  free(d->pair);
  free(d->b);
  free(d->x);
  free(d->r);
  free(d);
}

// Analyses the pattern of the matrix, with blocks for the pairs of nodes in d->pair.
static bool analyse(Data *d, const Operator *A, Error *error) {
  factor_destroy(d->factor);
  entries_destroy(&d->entries);
  d->factor = NULL;
  if (!entries_create(&d->entries, A, d->pair, d->pair_count, error)) return false;
  d->factor = factor_create(d->library, &d->entries.columns, error);
  return d->factor;
}

static bool create(Solver *solver, Stream stream, Error *error) {
  const Operator *A = solver->system.A;
  (void)stream;
  const FactorLibrary *library = solver->method == &REAL_NAME(cudss_cpu) ? &factor_cudss : &factor_cholmod;
  const char *absence = library->absence();
  if (absence) return error_set(error, "the direct solver cannot be used: %s", absence);
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  if (!d) return false;
  d->library = library;
  if (A->term.apply && !A->term.entries)
    return error_set(error,
                     "a body on the GPU with self_contact or mass \"consistent\" needs a solver on the GPU; set "
                     "solver_device to \"same\", so that the solver runs on the GPU too");
  d->b = array_new(A->n, sizeof *d->b, "solver vectors", error);
  d->x = array_new(A->n, sizeof *d->x, "solver vectors", error);
  d->r = array_new(A->n, sizeof *d->r, "solver vectors", error);
  return d->b && d->x && d->r && analyse(d, A, error);
}

// Calls `take` for each 3x3 block of the operator's terms (contact, consistent masses, pressures), which this solver
// adds to the operator's matrix.
static void take_terms(const Operator *A, OperatorTake take, void *user) {
  const OperatorTerm *terms[] = { &A->term, &A->load_term };
  for (int k = 0; k < 2; k++)
    if (terms[k]->apply && terms[k]->entries) terms[k]->entries(terms[k], take, user);
}

// Appends the pair of nodes (a, b) to d->pair if the pattern of the factorisation has no block for it. take_terms calls
// this function for each block of the operator's terms, such as contact.
static void take_new_pair(void *data, int a, int b, const double block[9]) {
  Data *d = data;
  Error ignored = { 0 };
  (void)block;
  if (d->out_of_memory || entries_find(&d->entries, 3 * (int64_t)b, 3 * (int64_t)a) >= 0) return;
  d->out_of_memory = !array_reserve((void **)&d->pair, &d->pair_capacity, d->pair_count + 1, sizeof *d->pair,
                                    "pairs of nodes", &ignored);
  if (!d->out_of_memory) d->pair[d->pair_count++] = (NodePair){ a, b };
}

static int compare_pairs(const void *first, const void *second) {
  const NodePair *p = first, *q = second;
  return p->a != q->a ? (p->a > q->a) - (p->a < q->a) : (p->b > q->b) - (p->b < q->b);
}

// Extends the pattern if a term that is added to the operator's matrix, such as contact, couples new pairs of nodes.
// Pairs that are no longer coupled stay in the pattern: they may come back, and cost little.
static bool match_terms(Data *d, const Operator *A, Error *error) {
  const int64_t before = d->pair_count;
  take_terms(A, take_new_pair, d);
  if (d->out_of_memory)
    return error_set(error,
                     "out of memory: the direct solver cannot store the pairs of nodes that contact or loads couple; "
                     "close other programs or choose another --solver");
  if (d->pair_count == before) return true;
  qsort(d->pair, (size_t)d->pair_count, sizeof *d->pair, compare_pairs);
  int64_t count = 0;
  for (int64_t k = 0; k < d->pair_count; k++)
    if (count == 0 || compare_pairs(&d->pair[k], &d->pair[count - 1]) != 0) d->pair[count++] = d->pair[k];
  d->pair_count = count;
  return analyse(d, A, error);
}

static bool fill_values(Data *d, const SolverSystem *system, Error *error) {
  const Operator *A = system->A;
  if (!entries_copy(&d->entries, A, d->entries.columns.value, error)) return false;
  take_terms(A, entries_add, &d->entries);
  columns_fix(&d->entries.columns, system->fixed, 1, d->entries.columns.value);
  return true;
}

// Computes d->r = b - A x and returns its norm. Sums run over the columns in order.
static double find_residual(const Data *d) {
  const SymmetricColumns *c = &d->entries.columns;
  double sum = 0;
  for (int64_t j = 0; j < c->n; j++) d->r[j] = d->b[j];
  for (int64_t j = 0; j < c->n; j++)
    for (int64_t at = c->start[j]; at < c->start[j + 1]; at++) {
      d->r[c->row[at]] -= c->value[at] * d->x[j];
      if (c->row[at] != j) d->r[j] -= c->value[at] * d->x[c->row[at]];
    }
  for (int64_t j = 0; j < c->n; j++) sum += d->r[j] * d->r[j];
  return sqrt(sum);
}

// Solves A x = b with the factor. Then refines x while the norm of the residual b - A x is above `bound` and each
// refinement at least halves it. *norm gets the norm of the last residual.
static bool solve_and_refine(const Data *d, double bound, SolverReport *report, double *norm, Error *error) {
  const int64_t n = d->entries.columns.n;
  if (!factor_solve(d->factor, d->b, d->x, error)) return false;
  *norm = find_residual(d);
  report->iterations = 1;
  for (double before = HUGE_VAL; *norm > bound && *norm < 0.5 * before && report->iterations <= REFINEMENTS_MAX;) {
    before = *norm;
    if (!factor_solve(d->factor, d->r, d->r, error)) return false;
    for (int64_t i = 0; i < n; i++) d->x[i] += d->r[i];
    *norm = find_residual(d);
    report->iterations++;
  }
  return true;
}

// Factorises the present matrix, solves, and refines the solution until the norm of its residual is below a bound: the
// solver's tolerance, system->relative, times norm_b, the norm of the right-hand side. For an indefinite matrix the
// bound is at most REFINED * norm_b, because its factor is computed without pivoting and may be inaccurate. The bound
// is also at most REFINED * norm_b if loads have an antisymmetric tangent, so that Newton's method converges
// quadratically. Corrections for this tangent are cheap compared with the factorisation.
static bool factorise_and_solve(Data *d, const SolverSystem *system, double norm_b, SolverReport *report,
                                Error *error) {
  const double REFINED = 1e-10;
  FactorReport factor;
  double norm;
  if (!match_terms(d, system->A, error) || !fill_values(d, system, error)) return false;
  if (!factor_compute(d->factor, &factor, error)) return false;
  const bool definite = factor.negative == 0 && !factor.shifted;
  const double bound = (definite ? system->relative : fmin(REFINED, system->relative)) * norm_b;
  if (!solve_and_refine(d, bound, report, &norm, error)) return false;
  const UnsymmetricSystem whole = { d->factor, &system->A->load_term, system->fixed, system->A->n };
  if (!unsymmetric_correct(&whole, REFINED * norm_b, d->r, d->x, &norm, &report->iterations, error)) return false;
  report->relative_residual = norm / norm_b;
  report->end = definite ? SOLVER_CONVERGED : SOLVER_INDEFINITE;
  return true;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  Data *d = solver->data;
  const SolverSystem *system = &solver->system;
  const int n = system->A->n;
  const real *b = system->b;
  real *x = system->x;
  SolverReport report = { .end = SOLVER_CONVERGED };
  double bb = 0;
  (void)stream;

  // x is 0 at first. If the right-hand side is 0 or not finite, x stays 0 and the matrix is not factorised.
  for (int i = 0; i < n; i++) {
    d->b[i] = system->fixed[i] ? 0 : (double)b[i];
    bb += d->b[i] * d->b[i];
    x[i] = 0;
  }

  if (interrupt_requested()) report.end = SOLVER_STOPPED;
  if (!isfinite(bb)) report.end = SOLVER_BROKEN;
  if (bb > 0 && report.end == SOLVER_CONVERGED) {
    if (!factorise_and_solve(d, system, sqrt(bb), &report, error)) return false;
    for (int i = 0; i < n; i++) x[i] = (real)d->x[i];
    for (int i = 0; i < n; i++)
      if (!isfinite(x[i])) report.end = SOLVER_BROKEN;
    for (int i = 0; i < n && report.end == SOLVER_BROKEN; i++) x[i] = 0;
  }

  *solver->report = report;
  return true;
}

static void describe(const Solver *solver, char *text, size_t size) {
  const Data *d = solver->data;
  snprintf(text, size, "the factor of the matrix has %.3g entries", factor_entries(d->factor));
}

// Implements Stage.bytes: estimates the memory of the matrix and its factor, for a body that is about as long as wide
// and high. With nested dissection, its factor then has FILL * nodes^(4/3) blocks of 3 x 3. Factors of slender bodies
// are smaller.
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double FILL = 9.5;
  const double n = size->node_dof * size->nodes, entries = (stage_entries(size) + n) / 2;
  const double factor = FILL * size->node_dof * size->node_dof * size->nodes * cbrt(size->nodes);
  return stage_takes(stage, 8 * (3 * entries + 4 * n + factor));
}

// Implements SolverMethod.traffic. An iteration is one solution with the factor. It reads the factor twice, for forward
// and back substitution, and then the matrix once, for the residual. The computation of the factor is not included: its
// time depends on its arithmetic, not on its memory traffic.
static void traffic_of(const Solver *solver, StageTraffic on[2]) {
  const Data *d = solver->data;
  const SymmetricColumns *c = &d->entries.columns;
  on[d->library == &factor_cudss ? DEVICE_CUDA : DEVICE_CPU].read += 2 * sizeof(double) * factor_entries(d->factor);
  on[DEVICE_CPU].read += (double)(sizeof *c->value + sizeof *c->row) * (double)c->start[c->n];
  on[DEVICE_CPU].written += sizeof *d->x * (double)c->n;
}

static const char *cholmod_absence(void) {
  return factor_cholmod.absence();
}

static const char *cudss_absence(void) {
  return factor_cudss.absence();
}

// Both solvers get the matrix from the CPU, so their device is the CPU.
#define DIRECT_SOLVER(solver_name, solver_summary, why_absent)                                           \
  {                                                                                                      \
    .stage = { .kind = STAGE_SOLVER,                                                                     \
               .name = solver_name,                                                                      \
               .summary = solver_summary,                                                                \
               .device = DEVICE_CPU,                                                                     \
               .precision = REAL_PRECISION,                                                              \
               .absence = why_absent,                                                                    \
               .bytes = bytes_of },                                                                      \
    .precondition = PRECONDITION_DIRECT, .create = create, .destroy_data = destroy_data, .solve = solve, \
    .describe = describe, .traffic = traffic_of,                                                         \
  }

const SolverMethod REAL_NAME(cholmod_cpu) = DIRECT_SOLVER(
    "cholmod", "direct solver by SuiteSparse's CHOLMOD (for slender bodies and statics)", cholmod_absence);
const SolverMethod REAL_NAME(cudss_cpu) = DIRECT_SOLVER(
    "cudss", "direct solver by NVIDIA's cuDSS on the GPU (for slender bodies and statics)", cudss_absence);
