// The study of paper 002: Ramirez-Gil, Global finite element matrix construction based on a CPU-GPU implementation
// (2015). Repeats Tables 1 and 2 and Figures 2 to 5, for cubes of n^3 hexahedra in double precision. The paper's GPU
// had 2 GB. Its CPU code was written in MATLAB and ran on one core of a Xeon E5-2620. Pliant's CPU code is compiled C,
// so Pliant's ratios of CPU time to GPU time differ from the paper's.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/timer.h"
#include "lab/baseline/cholmod.h"
#include "lab/stationary/stationary.h"
#include "lab/study/hex_bench.h"
#include "lab/study/study.h"

// Table 1 of the paper, for cubes of n^3 cells. Numbers of triplets and of non-zeros, and MB of the triplets and of the
// compressed matrix. A triplet is one entry of an element matrix (row, column, value); a non-zero of the matrix is a
// sum of triplets. In the paper an index has 4 bytes in a triplet, but 8 in the matrix. compression: percentage by
// which the matrix has fewer entries than there are triplets; saving: percentage by which the matrix needs fewer MB
// than the triplets.
typedef struct PaperStorage {
  int n;
  double triplets, nonzeros, compression, triplet_MB, matrix_MB, saving;
} PaperStorage;
static const PaperStorage paper_storage[] = {
  { 10, 36000, 15561, 56.8, 0.58, 0.26, 54.9 },
  { 20, 288000, 118121, 59.0, 4.61, 1.96, 57.4 },
  { 40, 2304000, 920241, 60.1, 36.9, 15.3, 58.6 },
  { 80, 18432000, 7264481, 60.6, 294.9, 120.5, 59.1 },
  { 120, 62208000, 24408721, 60.8, 995.3, 404.7, 59.3 },
  { 140, 98784000, 38710841, 60.8, 1580.5, 641.8, 59.4 },
  { 160, 147456000, 57728961, 60.9, 2359.3, 957.0, 59.4 },
  { 180, 209952000, 82135081, 60.9, 3359.2, 1361.6, 59.5 },
  { 200, 288000000, 112601201, 60.9, 4608.0, 1866.6, 59.5 },
};
enum { STORAGES = sizeof paper_storage / sizeof *paper_storage };

// Table 2 of the paper, which Figure 5 plots, for cubes of n^3 cells: total time, s, and the percentages of this time
// for integration and assembly.
typedef struct PaperTime {
  int n;
  double total, integration, assembly;
} PaperTime;
static const PaperTime paper_times[] = {
  { 10, 0.02, 82.8, 17.2 },  { 20, 0.03, 80.9, 19.1 },  { 40, 0.15, 68.4, 31.6 },   { 80, 1.17, 62.9, 37.1 },
  { 120, 3.98, 62.1, 37.9 }, { 140, 5.92, 66.2, 33.8 }, { 160, 8.85, 66.2, 33.8 },  { 180, 15.3, 70.9, 29.1 },
  { 200, 23.8, 67.8, 32.2 }, { 250, 40.9, 70.5, 29.5 }, { 300, 115.0, 82.4, 17.6 },
};
enum { TIMES = sizeof paper_times / sizeof *paper_times };

// Sizes n of the cubes of n^3 cells for Figure 3, a plot without numbers. According to the paper's text, the largest
// size has "almost five million" elements, so it is 170^3.
static const int integrated[] = { 10, 20, 40, 80, 120, 140, 160, 170 };
enum { INTEGRATED = sizeof integrated / sizeof *integrated };
static const double PAPER_GPU = 7.56, PAPER_CPU = 875.1;  // the paper's times for the largest size of Figure 3, s

static const double DEFAULT_BUDGET = 2e9;  // bytes: the memory of the paper's GPU

// Data of one run of the study: request, results, and the mesh with the settings of the measurements.
typedef struct Work {
  const StudyRequest *request;
  StudyReport *report;
  HexBench bench;
  // Time after which no larger mesh is begun, on the program's clock (timer_seconds), s. Infinity if the user gave
  // sizes.
  double deadline;
} Work;

static double cube(double n) {
  return n * n * n;
}

// Returns the number of entries of the lower triangle for a cube of n^3 cells. The matrix has (3 n + 1)^3 entries,
// (n + 1)^3 of them on the diagonal. The lower triangle has half of the sum of these numbers.
static double closed_form(double n) {
  return (cube(3 * n + 1) + cube(n + 1)) / 2;
}

static void report_progress(const Work *w, const char *sentence) {
  if (w->request->progress) w->request->progress(w->request->context, sentence);
}

// Returns true if the user requested this table or the figure that plots it, or nothing in particular.
static bool is_requested(const StudyRequest *r, int table, int figure) {
  return (!r->table && !r->figure) || (table && r->table == table) || (figure && r->figure == figure);
}

static bool open_mesh(Work *w, int n, Error *error) {
  char sentence[STUDY_SENTENCE];
  if (!hex_bench_open(&w->bench, n, error)) return false;
  snprintf(sentence, sizeof sentence, "%d elements", w->bench.mesh.cell_count);
  report_progress(w, sentence);
  return true;
}

// Returns true if a cube of n^3 cells is to be measured. It must need at most nine tenths of the free memory, at
// element_bytes bytes per cell. If the user requested a size, the cube must also not be larger; cubes up to n = 10
// always pass this test. Without a request, the cube must be finished before the deadline. The expected time comes from
// `before`, the time, s, for the previous cube of n_before^3 cells. The first cube (n_before = 0) always passes this
// test.
static bool reaches(const Work *w, int n, double element_bytes, double before, int n_before) {
  const double asked = w->request->dof, now = timer_seconds(), needed = cube(n) * element_bytes;
  const double available = (double)memory_bound(memory_of_host());
  char sentence[STUDY_SENTENCE];
  // The factor 1.3 allows for more cache misses on larger meshes, and for other programs that use the cores.
  const double expected = n_before ? 1.3 * before * cube((double)n / n_before) : 0;
  if (asked > 0 ? n > 10 && cube(n + 1) > asked : n_before && now + expected > w->deadline) return false;
  if (!(available > 0) || needed < 0.9 * available) return true;
  snprintf(sentence, sizeof sentence,
           "%.0f elements: left out, since they need more than nine tenths of the free memory: %.1f of %.1f GiB",
           cube(n), needed / 1073741824, available / 1073741824);
  report_progress(w, sentence);
  return false;
}

static bool row_of(StudyTable *table, const char *whose, double elements, const double *values, Error *error) {
  char label[STUDY_WORD];
  snprintf(label, sizeof label, "%s, %.0f", whose, elements);
  return study_row(table, label, values, error);
}

// ---- Table 1: sizes of the triplets and of the compressed matrix

// Returns the difference of `figure` from the number `printed` in the paper, in halves of the last printed digit.
// `digit` is the value of this digit: 0.1 for 54.9. If the paper only rounded `figure`, the result is at most 1.
static double from_print(double figure, double printed, double digit) {
  return fabs(figure - printed) / (digit / 2);
}

// Sizes of a matrix: numbers of triplets and non-zeros, and the MB that each of the two forms needs. compression:
// percentage by which there are fewer non-zeros than triplets; saving: percentage by which the matrix needs fewer MB
// than the triplets.
typedef struct Storage {
  double triplets, nonzeros, compression, triplet_MB, matrix_MB, saving;
} Storage;

// Returns the sizes for n^3 cells as the paper counts them: 16 bytes for a triplet, 16 bytes for an entry of the
// matrix, and 8 bytes for the index at which a column starts.
static Storage storage_of(double n, double nonzeros) {
  const double triplets = 36 * cube(n), triplet_MB = 16e-6 * triplets;
  const double matrix_MB = 1e-6 * (16 * nonzeros + 8 * (cube(n + 1) + 1));
  return (Storage){ triplets,   nonzeros,  100 * (1 - nonzeros / triplets),
                    triplet_MB, matrix_MB, 100 * (1 - matrix_MB / triplet_MB) };
}

static void check_storage(Work *w, const PaperStorage *p) {
  const Storage s = storage_of(p->n, closed_form(p->n));
  const double digit = p->triplet_MB < 10 ? 0.01 : 0.1, matrix_digit = p->matrix_MB < 10 ? 0.01 : 0.1;
  double off =
      fmax(from_print(s.triplet_MB, p->triplet_MB, digit), from_print(s.matrix_MB, p->matrix_MB, matrix_digit));
  off = fmax(off, fmax(from_print(s.compression, p->compression, 0.1), from_print(s.saving, p->saving, 0.1)));
  study_check(w->report, "Table 1: numbers of triplets and non-zeros by formulas, difference from the paper",
              fabs(s.triplets - p->triplets) + fabs(s.nonzeros - p->nonzeros), 0);
  study_check(
      w->report,
      "Table 1: percentages and MB by formulas, difference from the paper in half units of the last printed digit", off,
      1 + 1e-9);
}

static bool study_storage(Work *w, Error *error) {
  static const char *const columns[] = { "triplets",     "non-zeros",       "compression %",
                                         "triplets, MB", "CSC, MB",         "saving %",
                                         "lcsr, MB",     "saving, alike %", NULL };
  StudyTable *table = study_table(
      w->report,
      "Table 1: memory of triplets and of the lower triangle, and saving by the latter, for several numbers of "
      "elements; alike: all indices have 4 bytes",
      columns);
  double last = 0;
  int n_before = 0;
  for (int k = 0; k < STORAGES; k++) check_storage(w, &paper_storage[k]);
  for (int k = 0; k < STORAGES; k++) {
    const PaperStorage *p = &paper_storage[k];
    const double paper[STUDY_COLUMNS] = { p->triplets,   p->nonzeros,  p->compression,
                                          p->triplet_MB, p->matrix_MB, p->saving,
                                          NAN,           NAN };
    const double begin = timer_seconds();
    LowerCorners corners = { 0 };
    LowerPattern pattern = { 0 };
    if (!reaches(w, p->n, 500, last, n_before)) break;
    bool ok = row_of(table, "paper", cube(p->n), paper, error);
    ok = ok && open_mesh(w, p->n, error);
    ok = ok && lower_corners_create(&corners, &w->bench.space, error);
    ok = ok && lower_pattern_connect(&pattern, &w->bench.space, &corners, error);
    if (ok) {
      const double nonzeros = (double)pattern.start[pattern.rows];
      const Storage s = storage_of(p->n, nonzeros);

      // In Pliant, an entry of the matrix takes 12 bytes (value and index), and the index at which a row starts 4
      // bytes.
      const double pliant_MB = 1e-6 * (12 * nonzeros + 4 * (cube(p->n + 1) + 1));
      const double ours[STUDY_COLUMNS] = {
        s.triplets,  s.nonzeros, s.compression, s.triplet_MB,
        s.matrix_MB, s.saving,   pliant_MB,     100 * (1 - pliant_MB / s.triplet_MB)
      };
      study_check(w->report, "number of non-zeros, difference from ((3n+1)^3 + (n+1)^3)/2 for n^3 elements",
                  fabs(nonzeros - closed_form(p->n)), 0);
      ok = row_of(table, "ours", cube(p->n), ours, error);
    }
    lower_pattern_destroy(&pattern);
    lower_corners_destroy(&corners);
    if (!ok) return false;
    last = timer_seconds() - begin;
    n_before = p->n;
  }
  return true;
}

// ---- Figure 3: times of the element matrices

// Adds the row of the times to compute the element matrices of one form for the present mesh.
static bool integration_row(Work *w, StudyTable *table, BrickForm form, Error *error) {
  const bool gpu = w->bench.device == DEVICE_CUDA;
  const int cells = w->bench.mesh.cell_count;
  double total = NAN, kernel = NAN, one = 0, all = 0, unused;
  w->bench.form = form;

  // To time the kernel, all cells are in one group. With several groups, the data of one group would be transferred
  // while the kernel works on another.
  bool ok = !gpu || (hex_time_integration(&w->bench, DEVICE_CUDA, 0, &total, &unused, error) &&
                     hex_time_integration(&w->bench, DEVICE_CUDA, cells, &unused, &kernel, error));
  ok = ok && hex_time_integration(&w->bench, DEVICE_CPU, 0, &all, &unused, error);
  parallel_set_threads(1);
  ok = ok && hex_time_integration(&w->bench, DEVICE_CPU, 0, &one, &unused, error);
  parallel_set_threads(0);
  w->bench.form = BRICK_STIFFNESS;
  const double values[STUDY_COLUMNS] = { total, 1e3 * kernel, one, all, one / total, all / total };
  return ok && row_of(table, form == BRICK_MASS ? "mass" : "ours", cells, values, error);
}

static bool study_integration(Work *w, Error *error) {
  static const char *const columns[] = { "GPU, s",       "kernel, ms", "one core, s", "all cores, s",
                                         "one core/GPU", "all/GPU",    NULL };
  StudyTable *table = study_table(
      w->report,
      "Figure 3: time of numerical integration with data transfers (kernel: without), for several numbers of elements; "
      "ours: stiffness matrices, mass: mass matrices",
      columns);
  double last = 0;
  int n_before = 0;
  for (int k = 0; k < INTEGRATED; k++) {
    const int n = integrated[k];
    const double begin = timer_seconds();
    if (!reaches(w, n, 1100, last, n_before)) break;
    if (k == INTEGRATED - 1) {
      const double paper[STUDY_COLUMNS] = { PAPER_GPU, NAN, PAPER_CPU, NAN, PAPER_CPU / PAPER_GPU, NAN };
      if (!row_of(table, "paper, almost", 5e6, paper, error)) return false;
    }
    if (!open_mesh(w, n, error)) return false;
    for (BrickForm form = BRICK_STIFFNESS; form < BRICK_FORMS; form++)
      if (!integration_row(w, table, form, error)) return false;
    last = timer_seconds() - begin;
    n_before = n;
  }
  return true;
}

// ---- Figure 4: times of the methods that build the pattern of a matrix

// Builds the matrix once by each method k of HexBuilder, and checks that the results are equal. If a method takes less
// than least[k], s, stores its time in least[k].
static bool compare_builders(Work *w, double least[HEX_BUILDERS], Error *error) {
  double off, rival_off;
  if (!hex_run_builders(&w->bench, least, &off, &rival_off, error)) return false;
  study_check(w->report, "matrices built by three methods: number of entries that differ in column or value", off, 0);
  if (!cholmod_absence())
    study_check(w->report, "matrices built by CHOLMOD and by Pliant: number of entries that differ in column or value",
                rival_off, 0);
  return true;
}

static bool study_builders(Work *w, Error *error) {
  static const char *const columns[] = { "index arrays, s", "sort, s",
                                         "counting, s",     "connectivity, s",
                                         "sort/connected",  "counting/connected",
                                         "CHOLMOD, s",      NULL };
  static const int sizes[] = { 10, 20, 40, 80, 120, 140, 160, 180, 200 };
  StudyTable *table = study_table(
      w->report,
      "Figure 4: times of three methods (sort, counting, connectivity) that build the pattern of the matrix; index "
      "arrays: input of the first two",
      columns);
  double last = 0;
  int n_before = 0;
  char sentence[STUDY_SENTENCE];
  if (cholmod_absence()) {
    snprintf(sentence, sizeof sentence, "no times for CHOLMOD: %s", cholmod_absence());
    report_progress(w, sentence);
  }
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int n = sizes[k];
    const double start = timer_seconds();
    double took[HEX_BUILDERS];
    if (!reaches(w, n, 3600, last, n_before)) break;
    if (!open_mesh(w, n, error)) return false;
    for (int t = 0; t < HEX_BUILDERS; t++) took[t] = t == HEX_CHOLMOD && cholmod_absence() ? NAN : HUGE_VAL;
    for (int r = 0; r < w->bench.repeat; r++)
      if (!compare_builders(w, took, error)) return false;
    const double connected = took[HEX_CONNECTED];
    const double ours[STUDY_COLUMNS] = {
      took[HEX_INDEX_ARRAYS],        took[HEX_SORTED], took[HEX_COUNTED], connected, took[HEX_SORTED] / connected,
      took[HEX_COUNTED] / connected, took[HEX_CHOLMOD]
    };
    if (!row_of(table, "ours", cube(n), ours, error)) return false;
    last = timer_seconds() - start;
    n_before = n;
  }
  return true;
}

// ---- Table 2, Figure 5: times to build a complete matrix

static bool study_times(Work *w, Error *error) {
  static const char *const columns[] = { "matrix size",    "total, s", "integration %", "assembly %", "integration, s",
                                         "pattern, s",     "sum, s",   "gather, s",     "waits, s",   "buffers, s",
                                         "total / larger", "groups",   "device MiB",    NULL };
  StudyTable *table = study_table(w->report,
                                  "Table 2, Figure 5: construction of the matrix (paper: Quadro 4000); total / larger: "
                                  "total time divided by the longer of the "
                                  "times of integration and of assembly (pattern + sum)",
                                  columns);
  const bool gpu = w->bench.device == DEVICE_CUDA;
  double last = 0;
  int n_before = 0;
  for (int k = 0; k < TIMES; k++) {
    const PaperTime *p = &paper_times[k];
    const double begin = timer_seconds();
    if (!reaches(w, p->n, 600, last, n_before)) break;
    double paper[STUDY_COLUMNS] = { cube(p->n + 1), p->total, p->integration, p->assembly };
    for (int c = 4; c < STUDY_COLUMNS; c++) paper[c] = NAN;
    if (!row_of(table, "paper", cube(p->n), paper, error) || !open_mesh(w, p->n, error)) return false;
    HexConstruction best = { .total = HUGE_VAL };
    double integration, kernel;
    bool ok = hex_time_integration(&w->bench, w->bench.device, 0, &integration, &kernel, error);
    const int count = p->n > 180 ? 1 : w->bench.repeat;
    for (int r = 0; ok && r < count; r++) {
      HexConstruction made = { 0 };
      HexMatrix built = { 0 };
      ok = hex_construct(&w->bench, &made, &built, error);
      if (ok && made.total < best.total) best = made;
      if (ok && r == 0)
        study_check(w->report,
                    "largest sum of a matrix row, divided by the row's diagonal entry; it is 0 without rounding",
                    hex_row_sums(&built, error), 1e-14);
      ok = ok && interrupt_check(error);
      hex_matrix_destroy(&built);
    }
    const double assembly = best.pattern + best.times.sum;
    const double larger = fmax(integration, assembly);
    const double ours[STUDY_COLUMNS] = { cube(p->n + 1),
                                         best.total,
                                         100 * integration / (integration + assembly),
                                         100 * assembly / (integration + assembly),
                                         integration,
                                         best.pattern,
                                         best.times.sum,
                                         best.times.gather,
                                         best.times.wait,
                                         best.buffers,
                                         best.total / larger,
                                         best.groups,
                                         gpu ? best.device_bytes / 1048576 : NAN };
    if (!ok || !row_of(table, "ours", cube(p->n), ours, error)) return false;
    if (gpu)
      study_check(w->report, "GPU memory that was used, divided by the given limit",
                  best.device_bytes / w->bench.budget, 1);
    last = timer_seconds() - begin;
    n_before = p->n;
  }
  return true;
}

// ---- Figure 2: groups of elements

// Constructs the matrix several times by groups of cells. *best gets times and sizes of the fastest construction.
static bool construct_by_groups(Work *w, HexConstruction *best, Error *error) {
  bool ok = true;
  *best = (HexConstruction){ .total = HUGE_VAL };
  for (int r = 0; ok && r < w->bench.repeat; r++) {
    HexConstruction made = { 0 };
    HexMatrix built = { 0 };
    ok = hex_construct(&w->bench, &made, &built, error) && interrupt_check(error);
    if (ok && made.total < best->total) *best = made;
    hex_matrix_destroy(&built);
  }
  return ok;
}

static bool groups_row(Work *w, StudyTable *table, const char *label, const HexConstruction *made, Error *error) {
  const bool gpu = w->bench.device == DEVICE_CUDA;
  const double values[] = { made->group_cells, made->groups, made->total, made->buffers,
                            gpu ? made->device_bytes / 1048576 : NAN };
  return study_row(table, label, values, error);
}

// Times the construction by each grouping, for several memory budgets from the budget of the study downward.
static bool study_budgets(Work *w, StudyTable *table, Error *error) {
  static const double budgets[] = { 2e9, 512e6, 128e6, 32e6, 8e6, 2e6 };
  const double study = w->bench.budget;
  const bool gpu = w->bench.device == DEVICE_CUDA;
  const double smallest = gpu ? 4e6 : 0;  // a GPU allocates memory in units of 2 MiB, so it cannot use less than 2 MB
  bool ok = true;
  for (size_t k = 0; ok && k < sizeof budgets / sizeof *budgets; k++) {
    if (budgets[k] > study || budgets[k] < smallest) continue;
    for (ChunkGrouping grouping = CHUNK_OVERLAP; ok && grouping < CHUNK_GROUPINGS; grouping++) {
      HexConstruction best;
      char label[STUDY_WORD];
      w->bench.budget = budgets[k];
      w->bench.grouping = grouping;
      snprintf(label, sizeof label, "%s, %.0f MB", chunk_grouping_names[grouping], 1e-6 * budgets[k]);
      ok = construct_by_groups(w, &best, error) && groups_row(w, table, label, &best, error);
      if (ok && gpu)
        study_check(w->report, "GPU memory that was used, divided by the given limit", best.device_bytes / budgets[k],
                    1);
    }
  }
  w->bench.budget = study;
  w->bench.grouping = CHUNK_OVERLAP;
  return ok;
}

// Times the construction of the matrix by groups of cells: for several sizes of a group, and for several memory budgets
// by both groupings. The paper's grouping (Eq. 10) is CHUNK_FEWEST.
static bool study_groups(Work *w, Error *error) {
  static const char *const columns[] = {
    "elements of a group", "groups", "total, s", "buffers, s", "device MiB", NULL
  };
  StudyTable *table = study_table(w->report,
                                  "Figure 2, Eq. 10: time to construct the matrix in groups of cells, for several "
                                  "sizes of a group, and for several "
                                  "memory budgets by each grouping",
                                  columns);
  static const int sides[] = { 20, 40, 80, 160 };
  int n = sides[0];
  for (size_t k = 1; k < sizeof sides / sizeof *sides && reaches(w, sides[k], 600, 0, 0); k++)
    if (w->request->dof > 0 || sides[k] <= 40) n = sides[k];
  bool ok = open_mesh(w, n, error);
  const int count = w->bench.mesh.cell_count;
  bool last = false;
  char label[STUDY_WORD];
  for (int cells = 1 << 11; ok && !last; cells *= 4) {
    last = cells >= count;
    w->bench.group_cells = last ? count : cells;
    HexConstruction best;
    snprintf(label, sizeof label, "ours, %s%d", last ? "largest group, " : "", last ? count : cells);
    ok = construct_by_groups(w, &best, error) && groups_row(w, table, label, &best, error);
  }

  w->bench.group_cells = 0;
  return ok && study_budgets(w, table, error);
}

// ---- checks on meshes of fixed sizes

// Checks the matrix K of one cell, the unit cube. 12 K_ab is 4 for a = b, 0 for two nodes joined by an edge, and -1 for
// two nodes joined by a diagonal of a face or of the cube.
static bool check_cube(Work *w, Error *error) {
  static const double expected[4] = { 4, 0, -1, -1 };
  HexConstruction made;
  HexMatrix built = { 0 };
  double off = 0;
  bool ok = open_mesh(w, 1, error) && hex_construct(&w->bench, &made, &built, error);
  for (int a = 0; ok && a < 8; a++)
    for (int64_t s = built.pattern.start[a]; s < built.pattern.start[a + 1]; s++) {
      const int b = built.pattern.col[s], apart = ((a ^ b) & 1) + ((a ^ b) >> 1 & 1) + ((a ^ b) >> 2);
      off = fmax(off, fabs(12 * built.values[s] - expected[apart]));
    }
  if (ok)
    study_check(w->report,
                "matrix K of the unit cube: largest difference of 12 K from its exact entries 4, 0, -1 and -1", off,
                1e-13);
  hex_matrix_destroy(&built);
  return ok;
}

// Checks the mass matrix of a distorted mesh of the unit cube: the integrals of 1, x^2 and x y, which follow from it,
// are 1, 1/3 and 1/4, because each cell represents x and y exactly.
static bool check_mass(Work *w, Error *error) {
  static const double expected[3] = { 1, 1. / 3, 1. / 4 };
  HexConstruction made;
  HexMatrix built = { 0 };
  double integral[3] = { 0 }, off = 0;
  bool ok = open_mesh(w, 8, error);
  const int side = 9;
  for (int a = 0; ok && a < w->bench.mesh.node_count; a++) {
    const int at[3] = { a % side, a / side % side, a / side / side };
    double *X = w->bench.mesh.X[a];

    // sin(9 a) stands for a random number; 3 directions of one node use different arguments
    for (int i = 0; i < 3; i++)
      if (at[i] > 0 && at[i] < side - 1) X[i] += 0.02 * sin(9 * a + 2 * i);
  }

  w->bench.form = BRICK_MASS;
  ok = ok && hex_construct(&w->bench, &made, &built, error);
  w->bench.form = BRICK_STIFFNESS;
  for (int a = 0; ok && a < built.pattern.rows; a++)
    for (int64_t s = built.pattern.start[a]; s < built.pattern.start[a + 1]; s++) {
      const int b = built.pattern.col[s];
      const double entry = built.values[s], *X = w->bench.mesh.X[a], *Y = w->bench.mesh.X[b];
      integral[0] += (a == b ? 1 : 2) * entry;
      integral[1] += (a == b ? 1 : 2) * X[0] * entry * Y[0];
      integral[2] += a == b ? X[0] * entry * X[1] : entry * (X[0] * Y[1] + Y[0] * X[1]);
    }
  for (int k = 0; k < 3; k++) off = fmax(off, fabs(integral[k] - expected[k]));
  if (ok)
    study_check(w->report, "integrals of 1, x^2 and x y by the mass matrix of a distorted cube: largest error", off,
                1e-13);
  hex_matrix_destroy(&built);
  return ok;
}

// Checks that the division of the cells into groups changes no bit of the matrix, for several sizes of a group and for
// both groupings.
static bool check_groups(Work *w, Error *error) {
  HexMatrix one = { 0 };
  HexConstruction made;
  double *values = NULL, off = 0;
  bool ok = open_mesh(w, 24, error) && hex_construct(&w->bench, &made, &one, error) &&
            (values = array_new(one.pattern.start[one.pattern.rows], sizeof *values, "values", error));
  for (int cells = 64; ok && cells < w->bench.mesh.cell_count; cells *= 3) {
    w->bench.grouping = w->bench.grouping == CHUNK_OVERLAP ? CHUNK_FEWEST : CHUNK_OVERLAP;
    ok = hex_fill_by_groups(&w->bench, &one, cells, values, error);
    for (int64_t k = 0; ok && k < one.pattern.start[one.pattern.rows]; k++) off += values[k] != one.values[k];
  }
  w->bench.grouping = CHUNK_OVERLAP;
  if (ok)
    study_check(w->report, "number of matrix values whose bits change if the cells are divided into groups", off, 0);
  free(values);
  hex_matrix_destroy(&one);
  return ok;
}

static const double PI = 3.14159265358979323846;

static double sines(const void *user, const double x[3], double gradient[3]) {
  (void)user;
  for (int i = 0; gradient && i < 3; i++)
    gradient[i] = PI * cos(PI * x[i]) * sin(PI * x[(i + 1) % 3]) * sin(PI * x[(i + 2) % 3]);
  return sin(PI * x[0]) * sin(PI * x[1]) * sin(PI * x[2]);
}

static double source(const void *user, const double x[3], double gradient[3]) {
  (void)gradient;
  return 3 * PI * PI * sines(user, x, NULL);
}

static bool check_solution(Work *w, int n, double expected, Error *error) {
  HexConstruction made;
  HexMatrix built = { 0 };
  const Grid grid = hex_cube(n);
  bool ok = open_mesh(w, n, error) && hex_construct(&w->bench, &made, &built, error);
  const CellMesh *mesh = &w->bench.mesh;
  uint8_t *held = array_new(mesh->node_count, 1, "nodes", error);
  double *load = array_new(mesh->node_count, sizeof *load, "nodes", error), L2 = NAN;
  double *u = array_new(mesh->node_count, sizeof *u, "nodes", error);
  ok = ok && held && load && u;
  if (ok) {
    grid_boundary(&grid, mesh, held);
    stationary_load(mesh, source, NULL, 2, load);
    ok = hex_solve(&w->bench, &built, held, load, u, error);
  }
  if (ok) {
    stationary_distance(mesh, u, sines, NULL, 3, &L2, NULL);
    study_check(w->report,
                "L2 norm of the error of sin pi x sin pi y sin pi z, 4, 8, 16 cells a side: difference from its known "
                "value, in units of the fifth digit",
                fabs(L2 - expected) / expected * 1e4, 1);
  }

  free(held);
  free(load);
  free(u);
  hex_matrix_destroy(&built);
  return ok;
}

bool study_ramirez(const StudyRequest *request, StudyReport *report, Error *error) {
  static const struct {
    int table, figure;
    bool (*run)(Work *w, Error *error);
  } parts[] = { { 1, 0, study_storage },
                { 0, 2, study_groups },
                { 0, 3, study_integration },
                { 0, 4, study_builders },
                { 2, 5, study_times } };
  enum { PARTS = sizeof parts / sizeof *parts };
  const int repeat = request->repeat ? request->repeat : 3;
  Work w = { .request = request,
             .report = report,
             .bench = { .device = request->device,
                        .budget = request->budget > 0 ? request->budget : DEFAULT_BUDGET,
                        .repeat = repeat < HEX_REPEAT_MAX ? repeat : HEX_REPEAT_MAX } };
  int wanted = 0;
  if (request->precision != PRECISION_F64)
    return error_set(error, "study ramirez needs double precision: leave out --precision float");
  bool ok = check_cube(&w, error);
  ok = ok && check_mass(&w, error);
  ok = ok && check_groups(&w, error);
  ok = ok && check_solution(&w, 4, 2.2992e-2, error);
  ok = ok && check_solution(&w, 8, 5.7462e-3, error);
  ok = ok && check_solution(&w, 16, 1.4367e-3, error);
  for (int k = 0; k < PARTS; k++) wanted += is_requested(request, parts[k].table, parts[k].figure);
  for (int k = 0; ok && k < PARTS; k++) {
    if (!is_requested(request, parts[k].table, parts[k].figure)) continue;
    w.deadline = timer_seconds() + study_left(request) / wanted--;
    ok = parts[k].run(&w, error);
  }

  hex_bench_close(&w.bench);
  return ok;
}
