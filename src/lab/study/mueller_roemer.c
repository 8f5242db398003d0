// The study of paper 004: Mueller-Roemer and Stork, GPU-based Polynomial Finite Element Matrix Assembly for Simplex
// Meshes (Pacific Graphics 2018). Repeats Tables 1 to 3, and Figures 5 and 6, which plot Tables 2 and 3. Also compares
// products in the format Bin-BCSR* and in its predecessor Bin-BCSR, which Figure 4 of the paper explains. The paper's
// mesh, a bracket, is not public; meshes of balls with about as many tets replace it. More of a bracket's nodes are
// near the surface, so nodes of the balls have more neighbours on average.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/sort.h"
#include "base/timer.h"
#include "lab/simplex/simplex_matrix.h"
#include "lab/simplex/simplex_nodes.h"
#include "lab/study/simplex_bench.h"
#include "lab/study/study.h"
#include "mesh/adjacency.h"
#include "mesh/shapes.h"

enum { MESHES = 11, DEGREES = 3, REPEAT_MAX = 1000 };

// Number of tets of each of the paper's meshes. In the tables below, 0 means that the paper gives no number.
static const double paper_tets[MESHES] = { 7.7e3,   44.2e3,  90.6e3,  133.3e3, 213.4e3, 276.3e3,
                                           367.6e3, 505.8e3, 719.1e3, 1.1e6,   1.7e6 };

// Table 1 of the paper. Columns: numbers of vertices, edges, faces and tets of each mesh, then numbers of matrix blocks
// for degrees 1, 2 and 3. The paper prints the last number as 329.3 M, but its formula gives 379.5 M.
static const double paper_counts[MESHES][7] = {
  { 2.9e3, 13.5e3, 18.3e3, 7.7e3, 29.8e3, 363.9e3, 1.9e6 },
  { 11.7e3, 64.2e3, 96.7e3, 44.2e3, 140e3, 1.9e6, 10.3e6 },
  { 21.7e3, 125.5e3, 194.3e3, 90.6e3, 272.8e3, 3.8e6, 20.8e6 },
  { 30.8e3, 181.4e3, 283.9e3, 133.3e3, 393.7e3, 5.5e6, 30.4e6 },
  { 47.1e3, 284.2e3, 450.5e3, 213.4e3, 615.6e3, 8.7e6, 48.4e6 },
  { 59.7e3, 364.1e3, 580.7e3, 276.3e3, 787.9e3, 11.2e6, 62.5e6 },
  { 77.6e3, 479.4e3, 769.4e3, 367.6e3, 1e6, 14.9e6, 82.9e6 },
  { 104.3e3, 652.4e3, 1.1e6, 505.8e3, 1.4e6, 20.4e6, 113.7e6 },
  { 144.8e3, 917.5e3, 1.5e6, 719.1e3, 2e6, 28.8e6, 161.2e6 },
  { 210.5e3, 1.4e6, 2.2e6, 1.1e6, 2.9e6, 42.7e6, 239.4e6 },
  { 326.2e3, 2.1e6, 3.5e6, 1.7e6, 4.6e6, 67.4e6, 329.3e6 },
};

enum { PAPER_STEPS = 8 };

// Table 2 of the paper: times, ms, of these steps: allocate element matrices, compute row lengths, compute the starts
// of bins (groups of 32 rows of the matrix), allocate the matrix, list columns, compute element matrices, and sum them.
// The last column is the total time.
static const double paper_times[DEGREES][MESHES][PAPER_STEPS] = {
  { { .285, .644, .961, .0169, .172, .0649, .365, 2.51 },
    { .812, .475, .696, .466, .921, .105, .886, 4.36 },
    { 1.41, .0894, .515, 1.62, .977, .142, 1.61, 6.36 },
    { 1.99, .491, .458, 1.57, 1.28, .191, 2.38, 8.36 },
    { 3.01, .479, 1.63, 1.94, 1.53, .266, 3.65, 12.5 },
    { 3.8, .481, 1.64, 2.68, 1.82, .33, 4.64, 15.4 },
    { 4.93, .135, 1.69, 4.19, 2.08, .426, 6.06, 19.5 },
    { 6.66, .15, 1.7, 5.41, 2.33, .585, 8.19, 25 },
    { 9.28, .544, 1.08, 7.1, 2.95, .837, 11.5, 33.3 },
    { 11.5, .555, 1.06, 9.32, 3.53, 1.34, 16.2, 43.5 },
    { 18, 1.01, 1.43, 13.8, 5.13, 2.4, 25.5, 67.3 } },
  { { .772, .0731, .0933, 1.23, 1.51, .132, 1.98, 5.79 },
    { 3.36, .12, .678, 4.86, 2.51, .313, 6.78, 18.6 },
    { 6.49, .151, .743, 8.84, 4.81, .511, 14.1, 35.6 },
    { 8.04, .162, .47, 10.7, 6.01, .686, 20, 46.1 },
    { 12.6, .925, .713, 16.3, 9.39, 1.11, 32, 73 },
    { 16.1, 1.02, .691, 20.4, 11.9, 1.42, 41.4, 93 },
    { 21.3, 1.01, .957, 26.6, 16.2, 1.9, 55.1, 123 },
    { 29.3, 1.44, 1.04, 35.6, 21.7, 2.61, 75.7, 167 },
    { 42, 1.78, 1.12, 49.5, 30.6, 3.63, 107, 236 },
    { 62.2, 2.32, .886, 72.3, 45.2, 5.49, 160, 348 },
    { 98.8, 3.44, .158, 114, 71.3, 8.87, 254, 551 } },
  { { 2.45, .166, .574, 4.91, 8.82, .394, 9.92, 27.2 },
    { 10.2, .181, .557, 18.3, 17.9, 1.74, 43.1, 92 },
    { 20.2, .579, .949, 34.3, 37.8, 3.12, 85.5, 183 },
    { 29.6, .581, .604, 49, 55.3, 4.55, 124, 263 },
    { 47.3, 1.28, .738, 76.4, 88.5, 6.76, 194, 415 },
    { 60.9, 1.53, .813, 98.1, 114, 8.97, 256, 541 },
    { 81.1, 1.76, 1.68, 129, 152, 11.6, 339, 716 },
    { 129, 2.3, 1.13, 175, 208, 16.2, 463, 996 },
    { 232, 2.96, .93, 261, 297, 23, 658, 1480 } },
};

// Table 3 of the paper, for degrees 1 and 2: times, ms. The first three columns are the times to sum element matrices
// by the methods persimplex, perentry and inline (simplex_matrix.h). The fourth column is the time to allocate element
// matrices.
static const double paper_sums[2][MESHES][4] = {
  { { .43, .226, .387, .285 },
    { .991, .473, .761, .812 },
    { 1.75, .876, 1.61, 1.41 },
    { 2.57, 1.26, 2.37, 1.99 },
    { 3.91, 2.01, 3.73, 3.01 },
    { 4.97, 2.54, 4.7, 3.8 },
    { 6.48, 3.36, 6.33, 4.93 },
    { 8.77, 4.53, 8.66, 6.66 },
    { 12.3, 6.43, 12.3, 9.28 },
    { 17.6, 9.65, 18.3, 11.5 },
    { 27.9, 15.6, 28.9, 18 } },
  { { 2.11, .82, 0, .772 },
    { 7.1, 3, 0, 3.36 },
    { 14.6, 5.88, 0, 6.49 },
    { 20.7, 8.56, 0, 8.04 },
    { 33.1, 13.7, 0, 12.6 },
    { 42.8, 17.9, 0, 16.1 },
    { 57, 23.3, 0, 21.3 },
    { 78.3, 32, 0, 29.3 },
    { 111, 45.2, 0, 42 },
    { 165, 0, 0, 62.2 },
    { 263, 0, 0, 98.8 } },
};

static const double LAMBDA = 1e5, MU = 1e5;  // Pa; any values will do: times do not depend on them

// Returns true if the user requested this table or the figure that plots it, or nothing in particular.
static bool is_requested(const StudyRequest *r, int table, int figure) {
  return (!r->table && !r->figure && !r->section) || (table && r->table == table) || (figure && r->figure == figure);
}

// Data of one run of the study. The measured numbers go into the tables `counts`, `steps` and `sums`, which correspond
// to Tables 1, 2 and 3 of the paper. There is one table of steps and one of sums for each degree. `updates` is the
// table of local updates, and `products` is the table of products in several matrix formats.
typedef struct Work {
  const StudyRequest *request;
  StudyReport *report;
  Stream stream;
  StudyTable *counts, *products, *updates, *steps[DEGREES], *sums[DEGREES];
  // degree: polynomial degree of the present measurement. mesh: index of that mesh of the paper which has about as many
  // tets as the present mesh; -1: the user gave the mesh
  int degree, mesh;
  char label[STUDY_WORD];
} Work;

static void report_progress(const Work *w, const char *sentence) {
  if (w->request->progress) w->request->progress(w->request->context, sentence);
}

static int repeats(const Work *w) {
  if (w->request->repeat) return w->request->repeat < REPEAT_MAX ? w->request->repeat : REPEAT_MAX;
  return w->request->device == DEVICE_CUDA ? 20 : 3;
}

// Copies `count` numbers from a table of the paper. A 0 in the table means that the paper gives no number, and becomes
// NaN.
static void put_paper(double *to, const double *from, int count) {
  for (int k = 0; k < count; k++) to[k] = from[k] > 0 ? from[k] : NAN;
}

static bool paper_row(StudyTable *table, int mesh, const double *values, Error *error) {
  char label[STUDY_WORD];
  if (mesh < 0) return true;
  snprintf(label, sizeof label, "paper, %.1f k tets", 1e-3 * paper_tets[mesh]);
  return study_row(table, label, values, error);
}

// ---- Table 1: sizes of the meshes, and numbers of matrix blocks

// Counts the blocks of the matrix by visiting all pairs of nodes of all tets, as a check of the number that the paper's
// formula gives. *blocks becomes -1 if there are too many pairs to visit.
static bool count_by_force(const SimplexTopology *t, const TetMesh *mesh, int64_t *blocks, Error *error) {
  const int nodes = simplex_cell_nodes(t->degree);
  *blocks = -1;
  if ((double)t->tet_count * nodes * nodes > 2e7) return true;
  SimplexTopology counterpart;
  Adjacency graph = { 0 };
  if (!simplex_topology_open(&counterpart, mesh, t->degree, (SimplexMemory){ 0 }, error)) return false;
  int *cells = array_new((int64_t)nodes * mesh->tet_count, sizeof *cells, "nodes of tets", error);
  bool ok = cells && simplex_topology_find(&counterpart, error);
  for (int e = 0; ok && e < mesh->tet_count; e++)
    for (int a = 0; a < nodes; a++) cells[(int64_t)e * nodes + a] = simplex_cell_node(t->degree, &counterpart, e, a);
  ok = ok && adjacency_create_cells(&graph, simplex_node_count(&counterpart), mesh->tet_count, nodes, cells, error);
  if (ok) *blocks = graph.start[graph.node_count];
  adjacency_destroy(&graph);
  free(cells);
  simplex_topology_close(&counterpart);
  return ok;
}

// Sizes that describe the rows of a matrix in one format. blocks: number of 3 x 3 blocks.
typedef struct Rows {
  int64_t blocks;
  int long_rows;   // number of rows with more columns than the paper keeps in shared memory
  double padding;  // number of slots for blocks that stay empty, divided by the number of used slots
} Rows;

static bool read_rows(const SimplexTopology *t, const char *format, Rows *rows, Error *error) {
  enum { PAPER_CAPACITY = 63 };
  SimplexPattern m = { 0 };
  int *length = NULL;
  bool ok = simplex_pattern_count(&m, t, format, error);
  ok = ok && simplex_pattern_offsets(&m, t, error);
  ok = ok && (length = array_new(m.rows, sizeof *length, "rows", error));
  ok = ok && device_download(t->memory.stream, length, m.layout.length, sizeof *length * (size_t)m.rows, error);
  ok = ok && stream_sync(t->memory.stream, error);
  *rows = (Rows){ 0 };
  for (int a = 0; ok && a < m.rows; a++) {
    rows->blocks += length[a];
    rows->long_rows += length[a] - 1 > PAPER_CAPACITY;
  }
  rows->padding = (double)simplex_slots(&m) / (double)(rows->blocks - m.rows) - 1;
  free(length);
  simplex_pattern_destroy(&m, t->memory.stream.device);
  return ok;
}

static bool count_mesh(Work *w, const SimplexTopology *t, const TetMesh *mesh, Error *error) {
  int64_t brute;
  Rows bins, sorted;
  const int nodes = simplex_cell_nodes(t->degree);
  if (!read_rows(t, "binbcsr", &bins, error) || !read_rows(t, "binbcsr_sorted", &sorted, error) ||
      !count_by_force(t, mesh, &brute, error))
    return false;
  const int64_t blocks = bins.blocks;
  study_check(w->report,
              "number of matrix blocks by Eq. 6: difference from V + 2 E, V + 7 E + 12 F + 6 T or V + 14 E + 55 F + 92 "
              "T (degree 1, 2, 3)",
              fabs((double)(blocks - simplex_block_count(t))), 0);
  if (brute >= 0)
    study_check(w->report,
                "number of matrix blocks by Eq. 6: difference from a count of all pairs of nodes with a common tet",
                fabs((double)(blocks - brute)), 0);
  const double bound = (double)t->tet_count * nodes * nodes;
  if (w->mesh >= 0) {
    const double *p = paper_counts[w->mesh], whole = p[3] * nodes * nodes;
    double row[STUDY_COLUMNS] = { t->degree, p[0], p[1], p[2], p[3], p[3 + t->degree], whole, whole / p[3 + t->degree],
                                  NAN,       NAN,  NAN };
    if (!paper_row(w->counts, w->mesh, row, error)) return false;
  }

  const double ours[STUDY_COLUMNS] = { t->degree,
                                       t->count[VERTEX],
                                       t->count[EDGE],
                                       t->degree > 1 ? t->count[FACE] : NAN,
                                       t->tet_count,
                                       (double)blocks,
                                       bound,
                                       bound / (double)blocks,
                                       100 * bins.padding,
                                       100 * sorted.padding,
                                       100. * bins.long_rows / simplex_node_count(t) };
  return study_row(w->counts, w->label, ours, error);
}

// ---- Table 2: times of the steps of building a matrix

static bool time_build(const Work *w, SimplexTopology *t, const SimplexBuild *build, double step[BUILD_STEPS],
                       double *total, Error *error) {
  const int count = repeats(w);
  double *times = array_new((int64_t)count * (BUILD_STEPS + 1), sizeof *times, "times", error);
  bool ok = times;
  for (int k = -1; ok && k < count; k++) {  // run -1 is a warm-up, not counted: a GPU loads its kernels
    SimplexMatrix A;
    ok = interrupt_check(error) && simplex_matrix_build(&A, t, build, error);
    if (!ok) break;
    double sum = 0;
    for (int s = 0; s < BUILD_STEPS; s++) {
      if (k >= 0) times[s * count + k] = A.elapsed_ms[s];
      sum += A.elapsed_ms[s];
    }
    if (k >= 0) times[BUILD_STEPS * count + k] = sum;
    simplex_matrix_destroy(&A);
  }
  for (int s = 0; ok && s < BUILD_STEPS; s++) step[s] = sort_median(times + s * count, count);
  if (ok) *total = sort_median(times + BUILD_STEPS * count, count);
  free(times);
  return ok;
}

// Times the steps of building a matrix by each method of summation (simplex_matrix.h). The paper's Table 2 is for the
// method persimplex. On a GPU, all steps are timed a second time with a memory pool, which keeps freed memory for later
// requests.
static bool time_steps(Work *w, SimplexTopology *t, Error *error) {
  static const BuildStep order[] = {
    BUILD_TOPOLOGY, BUILD_RESERVE_ELEMENTS, BUILD_COUNT, BUILD_OFFSETS, BUILD_RESERVE_MATRIX,
    BUILD_COLUMNS,  BUILD_ELEMENTS,         BUILD_SUM,   BUILD_MAP
  };
  enum { SHOWN = sizeof order / sizeof *order };
  StudyTable *table = w->steps[w->degree - 1];
  double row[STUDY_COLUMNS];
  for (int k = 0; k < STUDY_COLUMNS; k++) row[k] = NAN;
  if (w->mesh >= 0 && paper_times[w->degree - 1][w->mesh][0] > 0) {
    const double *paper = paper_times[w->degree - 1][w->mesh];
    for (int k = 0; k < PAPER_STEPS - 1; k++) row[1 + k] = paper[k];
    row[SHOWN] = paper[PAPER_STEPS - 1];
    if (!paper_row(table, w->mesh, row, error)) return false;
  }

  for (int s = 0; s < SUMMATIONS; s++)
    for (int pooled = 0; pooled < (w->request->device == DEVICE_CUDA ? 2 : 1); pooled++) {
      const SimplexBuild build = { w->request->precision, (Summation)s, "binbcsr", LAMBDA, MU };
      double step[BUILD_STEPS], total = 0;
      char label[2 * STUDY_WORD];
      t->memory.pooled = pooled;
      if (!time_build(w, t, &build, step, &total, error)) return false;
      for (int k = 0; k < SHOWN; k++) row[k] = step[order[k]];
      if (s == SUM_INLINE) row[1] = row[6] = NAN;
      if (s != SUM_PERENTRY) row[8] = NAN;
      row[SHOWN] = total;
      snprintf(label, sizeof label, "%s, %s%s", w->label, summation_names[s], pooled ? ", pool" : "");
      if (!study_row(table, label, row, error)) return false;
    }
  t->memory.pooled = false;
  return true;
}

// ---- Table 3: times of the methods of summation

// Compares the values of the matrix A with the values in `host`, an array in host memory. *difference gets the L2 norm
// of the difference, divided by the norm of `host`. *same becomes true if all bits are equal.
static bool compare_values(const SimplexMatrix *A, const void *host, double *difference, bool *same, Error *error) {
  const bool single = A->build.precision == PRECISION_F32;
  const size_t bytes = (size_t)A->value_count * (single ? sizeof(float) : sizeof(double));
  void *values = array_new(A->value_count, single ? sizeof(float) : sizeof(double), "values", error);
  const bool ok = values && device_download(A->topology->memory.stream, values, A->values, bytes, error) &&
                  stream_sync(A->topology->memory.stream, error);
  double off = 0, norm = 0;
  for (int64_t k = 0; ok && k < A->value_count; k++) {
    const double x = single ? ((const float *)values)[k] : ((const double *)values)[k];
    const double y = single ? ((const float *)host)[k] : ((const double *)host)[k];
    off += (x - y) * (x - y);
    norm += y * y;
  }
  if (ok) {
    *difference = sqrt(off / norm);
    *same = memcmp(values, host, bytes) == 0;
  }
  free(values);
  return ok;
}

// Computes the element matrices and their sum several times. *ms gets the median time of both steps together, ms.
static bool time_sum(const Work *w, SimplexMatrix *A, double *ms, Error *error) {
  const int count = repeats(w);
  double *times = array_new(count, sizeof *times, "times", error);
  bool ok = times;
  for (int k = 0; ok && k < count; k++) {
    ok = interrupt_check(error) && simplex_matrix_sum(A, error);
    times[k] = A->elapsed_ms[BUILD_ELEMENTS] + A->elapsed_ms[BUILD_SUM];
  }
  if (ok) *ms = sort_median(times, count);
  free(times);
  return ok;
}

static bool sum_mesh(Work *w, SimplexTopology *t, Error *error) {
  enum { VALUES_MAX = 100000000 };  // to compare more matrix values on the host would take minutes
  StudyTable *table = w->sums[w->degree - 1];
  double row[STUDY_COLUMNS];
  for (int k = 0; k < STUDY_COLUMNS; k++) row[k] = NAN;
  if (w->mesh >= 0 && w->degree < 3) {
    put_paper(row, paper_sums[w->degree - 1][w->mesh], 4);
    row[4] = row[0] / row[1];
    if (!paper_row(table, w->mesh, row, error)) return false;
    row[4] = NAN;
  }

  const double bound = w->request->precision == PRECISION_F32 ? 3e-7 : 3e-14;
  void *first = NULL;
  bool ok = true;
  for (int s = 0; ok && s < SUMMATIONS; s++) {
    const SimplexBuild build = { w->request->precision, (Summation)s, "binbcsr", LAMBDA, MU };
    SimplexMatrix A;
    double difference = 0;
    bool same = true;
    ok = simplex_matrix_build(&A, t, &build, error);
    if (!ok) break;
    const size_t size = build.precision == PRECISION_F32 ? sizeof(float) : sizeof(double);
    const bool compares = A.value_count <= VALUES_MAX;
    void *before = compares ? array_new(A.value_count, size, "values", error) : NULL;
    ok = !compares || (before && device_download(w->stream, before, A.values, size * (size_t)A.value_count, error) &&
                       stream_sync(w->stream, error));
    if (s == SUM_PERSIMPLEX) row[3] = A.elapsed_ms[BUILD_RESERVE_ELEMENTS];
    if (s == SUM_PERENTRY) row[5] = A.elapsed_ms[BUILD_MAP];
    ok = ok && time_sum(w, &A, &row[s], error) && (!compares || compare_values(&A, before, &difference, &same, error));
    if (ok && compares)
      study_check(w->report, "1 if a repeated summation gives a matrix with other bits than the first, else 0", !same,
                  0);
    if (ok && first) {
      ok = compare_values(&A, first, &difference, &same, error);
      if (ok)
        study_check(w->report,
                    "matrix by the summations perentry and inline: relative L2 difference from that by persimplex",
                    difference, bound);
    } else if (ok && compares) {
      first = before;
      before = NULL;
    }
    free(before);
    if (ok && s == SUM_PERSIMPLEX) row[6] = simplex_matrix_bytes(&A) / 1048576;
    if (ok && s < SUM_INLINE) row[7 + s] = simplex_summation_bytes(&A) / 1048576;
    simplex_matrix_destroy(&A);
  }

  free(first);
  row[4] = row[0] / row[1];
  return ok && study_row(table, w->label, row, error);
}

// ---- Figure 4: products in several matrix formats

enum { PRODUCT_FORMATS = 4 };

// Times products with the matrix in each format of product_formats.
static bool compare_formats(Work *w, const TetMesh *mesh, Error *error) {
  const SimplexBuild build = { w->request->precision, SUM_PERSIMPLEX, product_formats[0], LAMBDA, MU };
  const double bound = w->request->precision == PRECISION_F32 ? 1e-6 : 1e-14;
  double row[STUDY_COLUMNS] = { w->degree };
  char label[2 * STUDY_WORD];
  SimplexTopology t;
  SimplexMatrix A = { 0 };
  if (!simplex_topology_open(&t, mesh, w->degree, (SimplexMemory){ 0 }, error)) return false;
  bool ok = simplex_matrix_build(&A, &t, &build, error);
  for (int k = 0; ok && k < PRODUCT_FORMATS; k++) {
    FormatTimes times;
    ok = simplex_time_product(&A, k, w->request->device, 5 * repeats(w), &times, error);
    if (!ok) break;
    row[1 + k] = 1e6 * times.seconds;
    row[1 + PRODUCT_FORMATS + k] = times.bytes / 1048576;
    if (k > 0) row[2 * PRODUCT_FORMATS + k] = 100 * times.padding;
    study_check(w->report, "products in several formats: relative L2 difference from the product in format bcsr",
                times.off, bound);
  }
  simplex_matrix_destroy(&A);
  simplex_topology_close(&t);
  snprintf(label, sizeof label, "%s, degree %d", w->label, w->degree);
  return ok && study_row(w->products, label, row, error);
}

// ---- Section 6: local updates after a cut

// Times updates of the matrix after cuts, and constructions anew, on the CPU. Two methods of summation allow updates.
static bool time_updates(Work *w, const TetMesh *mesh, Error *error) {
  static const Summation summations[] = { SUM_PERSIMPLEX, SUM_INLINE };
  for (int s = 0; s < 2; s++)
    for (SimplexCut cut = 0; cut < SIMPLEX_CUTS; cut++) {
      const SimplexBuild build = { w->request->precision, summations[s], "binbcsr", LAMBDA, MU };
      UpdateTimes times;
      char label[3 * STUDY_WORD];
      if (!simplex_time_update(mesh, w->degree, &build, cut, repeats(w), &times, error)) return false;
      const double row[STUDY_COLUMNS] = {
        w->degree,        mesh->tet_count,          times.tets, 1e3 * times.remove, 1e3 * times.restore,
        1e3 * times.anew, times.anew / times.remove
      };
      study_check(w->report, "number of matrix values whose bits change if tets are removed and put back", times.off,
                  0);
      snprintf(label, sizeof label, "%.1f k tets, p %d, %s, %s", 1e-3 * mesh->tet_count, w->degree,
               summation_names[summations[s]], simplex_cut_names[cut]);
      if (!study_row(w->updates, label, row, error)) return false;
    }
  return true;
}

// ---- all meshes of the study

// Estimates the bytes of memory that building the matrix of a mesh needs by any method of summation. The estimate is
// rather too high than too low: it has 60 % more blocks than the matrix, for padding.
static double bytes_needed(const SimplexTopology *t, Precision precision) {
  const double real = precision == PRECISION_F32 ? 4 : 8, nodes = simplex_cell_nodes(t->degree);
  const double blocks = (double)simplex_block_count(t), pairs = nodes * (nodes + 1) / 2;
  return 1.6 * blocks * (9 * real + 8) + t->tet_count * (9 * pairs * real + 4 * nodes * nodes + 400);
}

static bool study_mesh(Work *w, const TetMesh *mesh, bool *done, Error *error) {
  // Largest number of blocks for which formats are compared and updates are timed. The CPU does this work, so in a run
  // of the whole study only small meshes are measured.
  const int64_t blocks_compared = w->request->figure == 4 || w->request->section == 6 ? 30000000 : 500000;
  SimplexTopology t;
  const SimplexMemory memory = { w->stream, false };
  char sentence[STUDY_SENTENCE];
  *done = false;
  if (!simplex_topology_open(&t, mesh, w->degree, memory, error)) return false;
  bool ok = simplex_topology_find(&t, error);
  const double needed = ok ? bytes_needed(&t, w->request->precision) : 0;
  const size_t available = device_memory_free(w->request->device);
  const bool reaches = ok && simplex_block_count(&t) < INT32_MAX / 2;
  if (ok && (!reaches || (available && needed > 0.9 * (double)available))) {
    snprintf(
        sentence, sizeof sentence,
        "degree %d, %d tets: left out, too large for the memory or for 32-bit indices: needs %.1f GiB, free %.1f GiB",
        w->degree, mesh->tet_count, needed / 1073741824, (double)available / 1073741824);
    report_progress(w, sentence);
  } else if (ok) {
    snprintf(sentence, sizeof sentence, "degree %d, %d tets", w->degree, mesh->tet_count);
    report_progress(w, sentence);
    snprintf(w->label, sizeof w->label, "ours, %.1f k tets", 1e-3 * mesh->tet_count);
    ok = (!w->counts || count_mesh(w, &t, mesh, error));
    ok = ok && (!w->steps[0] || time_steps(w, &t, error));
    ok = ok && (!w->sums[0] || sum_mesh(w, &t, error));
    ok = ok && (simplex_block_count(&t) > blocks_compared ||
                ((!w->products || compare_formats(w, mesh, error)) && (!w->updates || time_updates(w, mesh, error))));
    *done = ok;
  }

  simplex_topology_close(&t);
  return ok;
}

// Returns the number of cells along the diameter of a ball whose mesh then has about `tets` tets.
static int cells_for(double tets) {
  int best = 1;
  double least = HUGE_VAL;
  for (int cells = 1; cells < 200; cells++) {
    double nodes, made;
    mesh_shape_counts("sphere", (double[3]){ 1, 1, 1 }, cells, &nodes, &made);
    if (made > 0 && fabs(made - tets) < least) {
      least = fabs(made - tets);
      best = cells;
    }
  }
  return best;
}

// Measures meshes with elements of one degree, from the smallest mesh to the largest. Stops before a mesh that is
// larger than the user requested or, without a request, would probably end more than `seconds` after the start.
static bool study_degree(Work *w, double seconds, Error *error) {
  const double start = timer_seconds();
  double last = 0;
  for (int m = 0; m < MESHES; m++) {
    TetMesh made = { 0 };
    const double tets = paper_tets[m], before = m ? paper_tets[m - 1] : tets, begin = timer_seconds();
    if (w->request->tets > 0 ? m && tets > 1.05 * w->request->tets
                             : m && begin - start + 1.3 * last * tets / before > seconds)
      break;
    const bool own = w->request->mesh;
    bool done;
    w->mesh = own ? -1 : m;
    if (!own && !mesh_make_shape("sphere", (double[3]){ 1, 1, 1 }, cells_for(tets), &made, error)) return false;
    const bool ok = interrupt_check(error) && study_mesh(w, own ? w->request->mesh : &made, &done, error);
    mesh_destroy(&made);
    if (!ok) return false;
    if (own || !done) break;
    last = timer_seconds() - begin;
  }
  return true;
}

bool study_mueller_roemer(const StudyRequest *request, StudyReport *report, Error *error) {
  static const char *const counted[] = { "degree",   "vertices",         "edges",           "faces",
                                         "tets",     "blocks",           "tets x n^2",      "ratio",
                                         "padded %", "sorted: padded %", "rows over 63, %", NULL };
  static const char *const timed[] = { "topology", "alloc elements",   "count",     "bin offsets", "alloc matrix",
                                       "columns",  "element matrices", "summation", "entry map",   "total",
                                       NULL };
  static const char *const summed[] = { "persimplex", "perentry",   "inline",         "alloc elements", "simplex/entry",
                                        "entry map",  "matrix MiB", "persimplex MiB", "perentry MiB",   NULL };
  static const char *const multiplied[] = { "degree",
                                            "bcsr, us",
                                            "binbcsr16, us",
                                            "binbcsr, us",
                                            "binbcsr_sorted, us",
                                            "bcsr, MiB",
                                            "binbcsr16, MiB",
                                            "binbcsr, MiB",
                                            "binbcsr_sorted, MiB",
                                            "binbcsr16: padded %",
                                            "binbcsr: padded %",
                                            "binbcsr_sorted: padded %",
                                            NULL };
  static const char *const updated[] = { "degree",      "tets",     "removed tets",  "remove, ms",
                                         "restore, ms", "anew, ms", "anew / remove", NULL };
  Work w = { .request = request, .report = report };
  char title[STUDY_SENTENCE];
  if (is_requested(request, 1, 0))
    w.counts = study_table(
        report,
        "Table 1: sizes of meshes; matrix blocks, upper bound tets x n^2 (n nodes per tet), ratio bound / blocks; "
        "padding in bins of 32 rows, and if rows are sorted",
        counted);
  for (int d = 0; d < DEGREES; d++) {
    snprintf(title, sizeof title,
             "Table 2, Figure 5, degree %d: time of each step that builds the matrix, ms (paper: Quadro GP100, total "
             "without topology); pool: with GPU memory from a pool",
             d + 1);
    if (is_requested(request, 2, 5)) w.steps[d] = study_table(report, title, timed);
  }

  for (int d = 0; d < DEGREES; d++) {
    snprintf(title, sizeof title,
             "Table 3, Figure 6, degree %d: time to compute element matrices and sum them by three methods, ms; "
             "simplex/entry: persimplex / perentry",
             d + 1);
    if (is_requested(request, 3, 6)) w.sums[d] = study_table(report, title, summed);
  }

  if (is_requested(request, 0, 4))
    w.products = study_table(
        report, "Figure 4: time of a product y = A x and bytes of the matrix in several formats; binbcsr16: Bin-BCSR",
        multiplied);
  if (is_requested(request, 0, 0) || request->section == 6)
    w.updates =
        study_table(report,
                    "Section 6: times on the CPU, ms, to update the matrix after tets are removed and put back, "
                    "and to build it anew without these tets",
                    updated);
  bool ok = stream_create(request->device, &w.stream, error);
  for (w.degree = 1; ok && w.degree <= DEGREES; w.degree++)
    ok = study_degree(&w, study_left(request) / (DEGREES + 1 - w.degree), error);
  stream_destroy(&w.stream);
  return ok;
}
