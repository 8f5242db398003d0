// Builds, checks and times lower triangles of matrices over hexahedra, for the study of paper 002 (Ramirez-Gil): see
// hex_bench.h.
#include "lab/study/hex_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/timer.h"
#include "lab/baseline/cholmod.h"
#include "lab/lower/lower_operator.h"
#include "mesh/grid.h"

static const double COEFFICIENT = 1;

Grid hex_cube(int n) {
  return (Grid){ CELL_HEX8, { n, n, n }, { 0, 0, 0 }, { 1, 1, 1 }, 0, 0 };
}

bool hex_bench_open(HexBench *b, int n, Error *error) {
  const Grid grid = hex_cube(n);
  hex_bench_close(b);
  if (!interrupt_check(error) || !grid_make(&grid, &b->mesh, error)) return false;
  b->space = (Space){ .shape = b->mesh.shape,
                      .cell_nodes = 8,
                      .node_dof = 1,
                      .node_count = b->mesh.node_count,
                      .owned_count = b->mesh.node_count,
                      .cell_count = b->mesh.cell_count,
                      .X = b->mesh.X,
                      .cell = b->mesh.cell };
  return true;
}

void hex_bench_close(HexBench *b) {
  cell_mesh_destroy(&b->mesh);
  b->space = (Space){ 0 };
}

void hex_matrix_destroy(HexMatrix *matrix) {
  lower_pattern_destroy(&matrix->pattern);
  free(matrix->values);
  *matrix = (HexMatrix){ 0 };
}

double hex_matrix_difference(const HexMatrix *a, const HexMatrix *b) {
  if (a->pattern.rows != b->pattern.rows) return HUGE_VAL;
  const int64_t entries = a->pattern.start[a->pattern.rows];
  double count = 0;
  for (int row = 0; row <= a->pattern.rows; row++) count += a->pattern.start[row] != b->pattern.start[row];
  if (count > 0) return count;
  for (int64_t k = 0; k < entries && !interrupt_requested(); k++)
    count += a->pattern.col[k] != b->pattern.col[k] || a->values[k] != b->values[k];
  return count;
}

static ChunkedSettings settings_of(const HexBench *b, Device device, double budget, int group_cells) {
  return (ChunkedSettings){ device, PRECISION_F64, b->form, b->grouping, budget, group_cells };
}

bool hex_time_integration(const HexBench *b, Device device, int group_cells, double *total, double *kernel,
                          Error *error) {
  double totals[HEX_REPEAT_MAX], kernels[HEX_REPEAT_MAX];
  Chunked chunked;
  ChunkedTimes times;
  const int count = b->repeat;
  const ChunkedSettings settings = settings_of(b, device, group_cells ? 0 : b->budget, group_cells);
  bool ok = chunked_create(&chunked, &b->space, NULL, NULL, &settings, error);
  for (int k = -1; ok && k < count; k++) {  // run -1 is a warm-up, not counted: a GPU loads its kernels
    ok = chunked_run(&chunked, COEFFICIENT, NULL, &times, error);
    if (k >= 0) {
      totals[k] = times.total;
      kernels[k] = times.integrate;
    }
  }
  chunked_destroy(&chunked);
  if (ok) {
    *total = sort_median(totals, count);
    *kernel = sort_median(kernels, count);
  }
  return ok;
}

// Computes all element matrices on the CPU without summing them. Returns an allocated array [cell_count][36] with the
// lower triangle of each element matrix; NULL after an error.
static double *all_records(const HexBench *b, Error *error) {
  Chunked chunked;
  ChunkedTimes times;
  double *made = NULL;
  const ChunkedSettings settings = settings_of(b, DEVICE_CPU, 0, b->mesh.cell_count);
  if (chunked_create(&chunked, &b->space, NULL, NULL, &settings, error) &&
      chunked_run(&chunked, COEFFICIENT, NULL, &times, error)) {
    made = array_new(36 * (int64_t)b->mesh.cell_count, sizeof *made, "element matrices", error);
    if (made) memcpy(made, chunked.slot[0].records, sizeof *made * 36 * (size_t)b->mesh.cell_count);
  }
  chunked_destroy(&chunked);
  return made;
}

static double *new_values(const LowerPattern *p, Error *error) {
  double *values = array_new(p->start[p->rows], sizeof *values, "matrix values", error);
  memory_large_pages(values, sizeof *values * (size_t)p->start[p->rows]);
  return values;
}

static bool build_connected(const HexBench *b, HexMatrix *built, double *elapsed, Error *error) {
  Chunked chunked = { 0 };
  ChunkedTimes times;
  LowerCorners corners = { 0 };
  const ChunkedSettings settings = settings_of(b, DEVICE_CPU, 0, 0);
  const double begin = timer_seconds();
  bool ok = lower_corners_create(&corners, &b->space, error) &&
            lower_pattern_connect(&built->pattern, &b->space, &corners, error);
  *elapsed = timer_seconds() - begin;
  ok = ok && (built->values = new_values(&built->pattern, error)) &&
       chunked_create(&chunked, &b->space, &built->pattern, &corners, &settings, error) &&
       chunked_run(&chunked, COEFFICIENT, built->values, &times, error);
  if (ok) *elapsed += times.sum;
  chunked_destroy(&chunked);
  lower_corners_destroy(&corners);
  return ok;
}

// Sets *least to the time since `begin`, s, if this time is less than *least.
static void keep_least(double *least, double begin) {
  *least = fmin(*least, timer_seconds() - begin);
}

bool hex_run_builders(const HexBench *b, double least[HEX_BUILDERS], double *off, double *rival_off, Error *error) {
  HexMatrix sorted = { 0 }, counted = { 0 }, connected = { 0 }, rival = { 0 };
  LowerTriplets triplets = { 0 };
  double *records = all_records(b, error), begin = timer_seconds(), took;
  bool ok = records && lower_triplets_create(&triplets, &b->space, error);
  keep_least(&least[HEX_INDEX_ARRAYS], begin);
  begin = timer_seconds();
  ok = ok && lower_pattern_sort(&sorted.pattern, &triplets, records, &sorted.values, error);
  keep_least(&least[HEX_SORTED], begin);
  begin = timer_seconds();
  ok = ok && lower_pattern_count(&counted.pattern, &triplets, records, &counted.values, error);
  keep_least(&least[HEX_COUNTED], begin);
  ok = ok && build_connected(b, &connected, &took, error);
  if (ok) least[HEX_CONNECTED] = fmin(least[HEX_CONNECTED], took);
  *off = ok ? hex_matrix_difference(&sorted, &connected) + hex_matrix_difference(&counted, &connected) : NAN;
  *rival_off = NAN;
  if (ok && !cholmod_absence()) {
    ok = cholmod_pattern(&rival.pattern, &triplets, records, &rival.values, &took, error);
    if (ok) least[HEX_CHOLMOD] = fmin(least[HEX_CHOLMOD], took);
    if (ok) *rival_off = hex_matrix_difference(&rival, &connected);
  }

  ok = ok && interrupt_check(error);
  free(records);
  lower_triplets_destroy(&triplets);
  hex_matrix_destroy(&sorted);
  hex_matrix_destroy(&counted);
  hex_matrix_destroy(&connected);
  hex_matrix_destroy(&rival);
  return ok;
}

bool hex_construct(const HexBench *b, HexConstruction *made, HexMatrix *built, Error *error) {
  Chunked chunked = { 0 };
  LowerCorners corners = { 0 };
  const Device device = b->device;
  const size_t before = device_memory_free(device);
  const ChunkedSettings settings = settings_of(b, device, b->budget, b->group_cells);
  double begin = timer_seconds();
  bool ok = chunked_create(&chunked, &b->space, &built->pattern, &corners, &settings, error);
  made->buffers = timer_seconds() - begin;
  begin = timer_seconds();
  ok = ok && lower_corners_create(&corners, &b->space, error) &&
       lower_pattern_connect(&built->pattern, &b->space, &corners, error);
  made->pattern = timer_seconds() - begin;
  ok = ok && (built->values = new_values(&built->pattern, error)) &&
       chunked_run(&chunked, COEFFICIENT, built->values, &made->times, error);
  made->total = timer_seconds() - begin;
  made->groups = chunked.groups;
  made->group_cells = chunked.group_cells;
  const size_t after = device_memory_free(device);
  made->device_bytes = device == DEVICE_CUDA && before > after ? (double)(before - after) : 0;
  chunked_destroy(&chunked);
  lower_corners_destroy(&corners);
  return ok;
}

bool hex_fill_by_groups(const HexBench *b, const HexMatrix *matrix, int group_cells, double *values, Error *error) {
  Chunked chunked = { 0 };
  ChunkedTimes times;
  LowerCorners corners = { 0 };
  const ChunkedSettings settings = settings_of(b, b->device, 0, group_cells);
  const bool ok = lower_corners_create(&corners, &b->space, error) &&
                  chunked_create(&chunked, &b->space, &matrix->pattern, &corners, &settings, error) &&
                  chunked_run(&chunked, COEFFICIENT, values, &times, error);
  chunked_destroy(&chunked);
  lower_corners_destroy(&corners);
  return ok;
}

double hex_row_sums(const HexMatrix *built, Error *error) {
  const LowerPattern *p = &built->pattern;
  double worst = 0, *sum = array_new(p->rows, sizeof *sum, "rows", error);
  for (int row = 0; sum && row < p->rows && !interrupt_requested(); row++)
    for (int64_t s = p->start[row]; s < p->start[row + 1]; s++) {
      sum[row] += built->values[s];
      if (p->col[s] != row) sum[p->col[s]] += built->values[s];
    }
  for (int row = 0; sum && row < p->rows; row++)
    worst = fmax(worst, fabs(sum[row]) / built->values[p->start[row + 1] - 1]);
  free(sum);
  return sum && interrupt_check(error) ? worst : NAN;
}

// Solves A u = b by conjugate gradients, with u = 0 at the nodes marked in `held`. A must be a symmetric matrix in
// double on the CPU.
static bool conjugate_gradients(const Operator *A, const uint8_t *held, const double *b, double *u, Error *error) {
  const int n = A->n;
  double *r = array_new(n, sizeof *r, "vectors", error), *p = array_new(n, sizeof *p, "vectors", error),
         *q = array_new(n, sizeof *q, "vectors", error), rr = 0, first = 0;
  bool ok = r && p && q;
  for (int a = 0; ok && a < n; a++) {
    r[a] = p[a] = held[a] ? 0 : b[a];
    u[a] = 0;
    rr += r[a] * r[a];
  }

  first = rr;
  for (int k = 0; ok && k < 10 * n && rr > 1e-24 * first; k++) {
    double pq = 0, before = rr;
    ok = operator_apply(A, p, q, NULL, (Stream){ DEVICE_CPU, NULL }, error);
    for (int a = 0; ok && a < n; a++) {
      q[a] = held[a] ? 0 : q[a];
      pq += p[a] * q[a];
    }
    rr = 0;
    for (int a = 0; ok && a < n; a++) {
      u[a] += before / pq * p[a];
      r[a] -= before / pq * q[a];
      rr += r[a] * r[a];
    }
    for (int a = 0; ok && a < n; a++) p[a] = r[a] + rr / before * p[a];
  }

  free(r);
  free(p);
  free(q);
  return ok;
}

bool hex_solve(const HexBench *b, const HexMatrix *matrix, const uint8_t *held, const double *load, double *u,
               Error *error) {
  Operator A = { 0 };
  const bool ok =
      lower_operator_create(&A, &b->space, &matrix->pattern, matrix->values, DEVICE_CPU, PRECISION_F64, error) &&
      conjugate_gradients(&A, held, load, u, error);
  if (A.method) operator_destroy(&A);
  return ok;
}
