// A solver method that writes the linear system to a file before it solves: see system_tap.h.
#include "lab/baseline/system_tap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/sort.h"
#include "base/timer.h"

// Numbers with which a matrix and a vector begin in a binary file of PETSc: MAT_FILE_CLASSID and VEC_FILE_CLASSID. All
// numbers of such a file are big-endian.
enum { MATRIX_CLASS = 1211216, VECTOR_CLASS = 1211214 };

static void put_int(FILE *file, int64_t value) {
  const uint32_t bits = (uint32_t)value;
  const unsigned char bytes[4] = { (unsigned char)(bits >> 24), (unsigned char)(bits >> 16), (unsigned char)(bits >> 8),
                                   (unsigned char)bits };
  fwrite(bytes, 1, sizeof bytes, file);
}

static void put_double(FILE *file, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  put_int(file, (int64_t)(bits >> 32));
  put_int(file, (int64_t)(bits & 0xffffffff));
}

// Returns element k of an array whose elements have the matrix's precision.
static double number(const Operator *A, const void *from, int64_t k) {
  return A->method->stage.precision == PRECISION_F32 ? (double)((const float *)from)[k] : ((const double *)from)[k];
}

// Returns entry (i, k) of one block of the matrix, as it is written to the file. The row of the block is `node`, and
// its column is the node graph.neighbour[pair]. If the row or the column is a fixed unknown, the entry is 1 on the
// diagonal and 0 elsewhere.
static double entry(const SolverSystem *s, int node, int64_t pair, int i, int k) {
  const Operator *A = s->A;
  const int dof = A->space->node_dof, row = dof * node + i, column = dof * A->space->graph.neighbour[pair] + k;
  if (s->fixed[row] || s->fixed[column]) return row == column;
  return number(A, A->values, operator_slot(A, node, pair, i, k));
}

static double right_side(const SolverSystem *s, int row) {
  return s->fixed[row] ? 0 : number(s->A, s->b, row);
}

static bool write_system(FILE *file, const SolverSystem *s, Error *error) {
  const Adjacency *graph = &s->A->space->graph;
  const int nodes = graph->node_count, dof = s->A->space->node_dof;
  const int64_t pairs = space_pairs(s->A->space), entries = pairs * dof * dof;
  if (entries > INT32_MAX)
    return error_set(error, "%lld non-zeros are too many for the 32-bit indices of this file format",
                     (long long)entries);

  // the matrix: numbers of rows, columns and non-zeros; non-zeros of each row; column indices; values
  put_int(file, MATRIX_CLASS);
  put_int(file, s->A->n);
  put_int(file, s->A->n);
  put_int(file, entries);
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < dof; i++) put_int(file, dof * (graph->start[a + 1] - graph->start[a]));
  for (int a = 0; a < nodes; a++)
    for (int i = 0; i < dof; i++)
      for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
        for (int k = 0; k < dof; k++) put_int(file, (int64_t)dof * graph->neighbour[pair] + k);
  for (int a = 0; a < nodes && !interrupt_requested(); a++)
    for (int i = 0; i < dof; i++)
      for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
        for (int k = 0; k < dof; k++) put_double(file, entry(s, a, pair, i, k));

  // the right-hand side
  put_int(file, VECTOR_CLASS);
  put_int(file, s->A->n);
  for (int row = 0; row < s->A->n; row++) put_double(file, right_side(s, row));
  return interrupt_check(error);  // failures of fwrite are reported later, when the file is closed
}

// Returns the relative residual ||b - A x|| / ||b|| of the solution x = s->x. A and b are the matrix and the right-hand
// side as the file stores them. Sums are computed in double.
static double residual(const SolverSystem *s) {
  const Adjacency *graph = &s->A->space->graph;
  const int dof = s->A->space->node_dof;
  double rr = 0, bb = 0;
  for (int a = 0; a < graph->node_count; a++)
    for (int i = 0; i < dof; i++) {
      const double b = right_side(s, dof * a + i);
      double r = b;
      for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
        for (int k = 0; k < dof; k++)
          r -= entry(s, a, pair, i, k) * number(s->A, s->x, (int64_t)dof * graph->neighbour[pair] + k);
      rr += r * r;
      bb += b * b;
    }
  return bb > 0 ? sqrt(rr / bb) : 0;
}

static bool solve_often(Solver *solver, const SystemTap *tap, Stream stream, Error *error) {
  SystemReport *r = tap->report;
  double *ms = array_new(tap->repeat, sizeof *ms, "times", error);
  bool ok = ms;
  for (int k = 0; ok && k < tap->repeat; k++) {
    const double begin = timer_seconds();
    ok = interrupt_check(error) && tap->own->solve(solver, stream, error);
    ms[k] = ok ? 1e3 * (timer_seconds() - begin) : 0;
  }
  if (ok) {
    r->median_ms = sort_median(ms, tap->repeat);
    r->fastest_ms = ms[0];  // sort_median has sorted the times
    r->iterations = solver->report->iterations;
    r->residual = residual(&solver->system);
  }
  free(ms);
  return ok;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  const SystemTap *tap = (const SystemTap *)solver->method;
  const SolverSystem *s = &solver->system;
  if (tap->report->unknowns > 0) return tap->own->solve(solver, stream, error);
  *tap->report = (SystemReport){ .unknowns = s->A->n,
                                 .nonzeros = space_pairs(s->A->space) * s->A->space->node_dof * s->A->space->node_dof,
                                 .relative = s->relative };
  return write_system(tap->file, s, error) && solve_often(solver, tap, stream, error);
}

bool system_tap_attach(SystemTap *tap, Solver *solver, FILE *file, int repeat, SystemReport *report, Error *error) {
  const Operator *A = solver->system.A;
  if (solver->method->stage.device != DEVICE_CPU || A->method->stage.device != DEVICE_CPU)
    return error_set(error, "the linear system can be written only if the CPU solves it; use --device cpu");
  if (!operator_stores(A) || !A->slots)
    return error_set(error, "matrix \"%s\" stores no values to write; choose another format (--matrix)",
                     A->method->stage.name);
  if (A->method->settle)
    return error_set(error,
                     "matrix \"%s\" multiplies by 16-bit copies of the values that it stores, so the system cannot be "
                     "written; choose another format (--matrix)",
                     A->method->stage.name);
  if (A->term.apply)
    return error_set(error,
                     "consistent masses and contact add terms outside the matrix, so the system cannot be written; use "
                     "a scene without them");
  *report = (SystemReport){ 0 };
  *tap = (SystemTap){ *solver->method, solver->method, file, repeat, report };
  tap->method.solve = solve;
  solver->method = &tap->method;
  return true;
}

void system_tap_detach(const SystemTap *tap, Solver *solver) {
  if (tap->own && solver->method == &tap->method) solver->method = tap->own;
}
