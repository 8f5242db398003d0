// Times products with the matrix of a tet mesh in several formats, and updates after a cut: see simplex_bench.h.
#include "lab/study/simplex_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/random.h"
#include "base/sort.h"
#include "base/timer.h"

const char *const product_formats[] = { "bcsr", "binbcsr16", "binbcsr", "binbcsr_sorted", NULL };
// number of columns that each format stores for the 9 values of a block; binbcsr16 stores one for each row of a block
static const double columns_of_block[] = { 1, 3, 1, 1 };

static double value_at(Precision precision, const void *array, int64_t k) {
  return precision == PRECISION_F32 ? (double)((const float *)array)[k] : ((const double *)array)[k];
}

static void set_value(Precision precision, void *array, int64_t k, double value) {
  if (precision == PRECISION_F32)
    ((float *)array)[k] = (float)value;
  else
    ((double *)array)[k] = value;
}

// Creates the graph of nodes from the pattern of a matrix in format "bcsr": its columns are the neighbours.
static bool graph_of(const SimplexMatrix *A, Adjacency *graph, Error *error) {
  *graph = (Adjacency){ .node_count = A->pattern.rows, .neighbour = A->pattern.layout.column };
  graph->start = array_new((int64_t)A->pattern.rows + 1, sizeof *graph->start, "matrix rows", error);
  for (int a = 0; graph->start && a <= A->pattern.rows; a++) graph->start[a] = A->pattern.layout.start[a];
  return graph->start;
}

// Copies the blocks of A to the values of `op`, which may be on a GPU.
static bool copy_values(const SimplexMatrix *A, Operator *op, Stream stream, Error *error) {
  const Precision precision = A->build.precision;
  const Adjacency *graph = &op->space->graph;
  void *values = array_new(op->value_count, precision_size(precision), "matrix values", error);
  for (int a = 0; values && a < graph->node_count && !interrupt_requested(); a++)
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
      for (int k = 0; k < 9; k++)
        set_value(precision, values, operator_slot(op, a, pair, k / 3, k % 3),
                  value_at(precision, A->values, 9 * pair + k));
  bool ok = values;
  ok = ok && interrupt_check(error);
  ok = ok && device_upload(stream, op->values, values, precision_size(precision) * (size_t)op->value_count, error);
  ok = ok && operator_settle(op, stream, error);
  ok = ok && stream_sync(stream, error);
  free(values);
  return ok;
}

// Computes the relative L2 difference between y and the product of A with x.
static double product_difference(const SimplexMatrix *A, const void *x, const void *y) {
  const Precision precision = A->build.precision;
  const BlockLayout *l = &A->pattern.layout;
  double off = 0, norm = 0;
  for (int a = 0; a < A->pattern.rows; a++)
    for (int i = 0; i < 3; i++) {
      double sum = 0;
      for (int64_t pair = l->start[a]; pair < l->start[a] + l->length[a]; pair++)
        for (int k = 0; k < 3; k++)
          sum += value_at(precision, A->values, 9 * pair + 3 * i + k) *
                 value_at(precision, x, 3 * (int64_t)l->column[pair] + k);
      const double difference = value_at(precision, y, 3 * (int64_t)a + i) - sum;
      off += difference * difference;
      norm += sum * sum;
    }
  return sqrt(off / norm);
}

// Times products with `op`. *seconds gets the median time, and y [n], on the host, the result.
static bool time_products(const Operator *op, const void *x, void *y, int repeat, Stream stream, double *seconds,
                          Error *error) {
  const size_t bytes = precision_size(op->method->stage.precision) * (size_t)op->n;
  double *times = array_new(repeat, sizeof *times, "times", error);
  void *x_dev = device_clone(stream.device, x, bytes, error), *y_dev = device_alloc(stream.device, bytes, error);
  bool ok = times && x_dev && y_dev;
  for (int k = -1; ok && k < repeat; k++) {  // run -1 is a warm-up, not counted: a GPU loads its kernels
    const double begin = timer_seconds();
    ok = interrupt_check(error) && operator_apply(op, x_dev, y_dev, NULL, stream, error) && stream_sync(stream, error);
    if (k >= 0) times[k] = timer_seconds() - begin;
  }
  ok = ok && device_download(stream, y, y_dev, bytes, error) && stream_sync(stream, error);
  if (ok) *seconds = sort_median(times, repeat);
  free(times);
  device_free(stream.device, x_dev);
  device_free(stream.device, y_dev);
  return ok;
}

bool simplex_time_product(const SimplexMatrix *A, int format, Device device, int repeat, FormatTimes *times,
                          Error *error) {
  const Precision precision = A->build.precision;
  const int64_t n = 3 * (int64_t)A->pattern.rows;
  const double blocks = (double)simplex_slots(&A->pattern), size = (double)precision_size(precision);
  Space space = { .node_dof = 3, .node_count = A->pattern.rows, .owned_count = A->pattern.rows };
  Operator op = { 0 };
  Stream stream = { 0 };
  uint64_t seed = 1;
  void *x = array_new(n, precision_size(precision), "vectors", error);
  void *y = array_new(n, precision_size(precision), "vectors", error);
  for (int64_t i = 0; x && i < n; i++) set_value(precision, x, i, random_unit(&seed));
  const Stage *stage = stage_choose(STAGE_OPERATOR, product_formats[format], device, precision, NULL, error);
  bool ok = x;
  ok = ok && y;
  ok = ok && stage;
  ok = ok && graph_of(A, &space.graph, error);
  ok = ok && stream_create(device, &stream, error);
  ok = ok && operator_create(&op, (const OperatorMethod *)stage, &space, error);
  ok = ok && copy_values(A, &op, stream, error);
  ok = ok && time_products(&op, x, y, repeat, stream, &times->seconds, error);
  if (ok) {
    const double apart = op.diagonal_last ? (double)A->pattern.rows : 0;
    const double stored = (double)op.value_count / 9;  // blocks, with padding
    times->padding = stored / blocks - 1;
    times->bytes = stored * 9 * size + 4 * columns_of_block[format] * (stored - apart);
    times->off = product_difference(A, x, y);
  }

  if (op.method) operator_destroy(&op);
  stream_destroy(&stream);
  free(space.graph.start);
  free(x);
  free(y);
  return ok;
}

// ---- updates after a cut

const char *const simplex_cut_names[] = { "plane", "vertex" };

static int nearest_vertex(const TetMesh *mesh) {
  double least = HUGE_VAL;
  int nearest = 0;
  for (int a = 0; a < mesh->node_count; a++) {
    const double *X = mesh->X[a], square = X[0] * X[0] + X[1] * X[1] + X[2] * X[2];
    if (square < least) {
      least = square;
      nearest = a;
    }
  }
  return nearest;
}

// Lists the tets that a cut removes, in changed [tet_count]. Returns their number.
static int cut_tets(const TetMesh *mesh, SimplexCut cut, int *changed) {
  const double plane = 0.0123;  // m, its x coordinate; no vertex of the balls lies on the plane
  const int vertex = nearest_vertex(mesh);
  int count = 0;
  for (int e = 0; e < mesh->tet_count; e++) {
    int below = 0, here = 0;
    for (int v = 0; v < 4; v++) {
      below += mesh->X[mesh->tet[e][v]][0] < plane;
      here += mesh->tet[e][v] == vertex;
    }
    if (cut == CUT_PLANE ? below > 0 && below < 4 : here > 0) changed[count++] = e;
  }
  return count;
}

// Times the construction of the matrix of the tets e with absent[e] = 0, and stores it in *seconds.
static bool time_anew(const TetMesh *mesh, const uint8_t *absent, int degree, const SimplexBuild *build,
                      double *seconds, Error *error) {
  SimplexTopology t = { 0 };
  SimplexMatrix A = { 0 };
  TetMesh rest = { .node_count = mesh->node_count, .X = mesh->X };
  rest.tet = array_capacity(mesh->tet_count, sizeof *rest.tet, "tets", error);
  for (int e = 0; rest.tet && e < mesh->tet_count; e++)
    if (!absent[e]) memcpy(rest.tet[rest.tet_count++], mesh->tet[e], sizeof *rest.tet);
  bool ok = rest.tet && simplex_topology_open(&t, &rest, degree, (SimplexMemory){ 0 }, error);
  const double begin = timer_seconds();
  ok = ok && simplex_matrix_build(&A, &t, build, error);
  *seconds = timer_seconds() - begin;
  simplex_matrix_destroy(&A);
  simplex_topology_close(&t);
  free(rest.tet);
  return ok;
}

// Removes tets from the matrix and puts them back, several times, and builds the matrix without them. seconds
// [3][repeat] gets the times. absent [tets] is 0 for all tets, before and after.
static bool run_updates(SimplexMatrix *A, const TetMesh *mesh, uint8_t *absent, const int *changed, int count,
                        int repeat, double *seconds, Error *error) {
  bool ok = true;
  for (int r = 0; ok && r < repeat; r++)
    for (int back = 0; ok && back < 2; back++) {
      for (int k = 0; k < count; k++) absent[changed[k]] = !back;
      const double begin = timer_seconds();
      ok = interrupt_check(error) && simplex_matrix_update(A, absent, changed, count, error);
      seconds[back * repeat + r] = timer_seconds() - begin;
      ok = ok && (back || time_anew(mesh, absent, A->topology->degree, &A->build, &seconds[2 * repeat + r], error));
    }
  return ok;
}

bool simplex_time_update(const TetMesh *mesh, int degree, const SimplexBuild *build, SimplexCut cut, int repeat,
                         UpdateTimes *times, Error *error) {
  const size_t size = precision_size(build->precision);
  SimplexTopology t;
  SimplexMatrix A = { 0 };
  if (!simplex_topology_open(&t, mesh, degree, (SimplexMemory){ 0 }, error)) return false;
  uint8_t *absent = array_new(mesh->tet_count, sizeof *absent, "tets", error);
  int *changed = array_capacity(mesh->tet_count, sizeof *changed, "tets", error);
  double *seconds = array_new(3 * (int64_t)repeat, sizeof *seconds, "times", error);
  bool ok = absent && changed && seconds && simplex_matrix_build(&A, &t, build, error);
  void *before = ok ? array_copy(A.values, A.value_count, size, "values", error) : NULL;
  ok = ok && before;
  if (ok) times->tets = cut_tets(mesh, cut, changed);
  ok = ok && run_updates(&A, mesh, absent, changed, times->tets, repeat, seconds, error);
  if (ok) {
    times->remove = sort_median(seconds, repeat);
    times->restore = sort_median(seconds + repeat, repeat);
    times->anew = sort_median(seconds + 2 * repeat, repeat);
    times->off = 0;
    for (int64_t k = 0; k < A.value_count; k++)
      times->off += memcmp((char *)A.values + size * (size_t)k, (char *)before + size * (size_t)k, size) != 0;
  }

  free(before);
  free(absent);
  free(changed);
  free(seconds);
  simplex_matrix_destroy(&A);
  simplex_topology_close(&t);
  return ok;
}
