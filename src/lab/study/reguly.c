// The study of paper 001: Reguly and Giles, Finite Element Algorithms and Data Structures on Graphical Processing Units
// (International Journal of Parallel Programming 43, 2015): Table 1, those of Figures 5 to 28 that a machine can
// measure, and the methods of section 3.2 for nodes on the boundary. The paper's figures are curves without numbers, so
// docs/papers/001.md compares statements.
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/timer.h"
#include "lab/baseline/cusparse.h"
#include "lab/quad/localreuse.h"
#include "lab/stationary/stationary.h"
#include "lab/study/quad_bench.h"
#include "lab/study/study.h"
#include "mesh/grid.h"

enum { DEGREES = 4, LINES = 320 };

// One row of a table of results, with one value for each polynomial degree, 1 to 4.
typedef struct Line {
  StudyTable *table;
  char label[STUDY_WORD];
  double value[DEGREES];
} Line;

// Data of one run of the study. degree: polynomial degree of the present measurement. lines [line_count]: the rows of
// all tables.
typedef struct Run {
  const StudyRequest *request;
  StudyReport *report;
  int degree, line_count;
  Line lines[LINES];
  // tables of results; NULL: not requested
  StudyTable *bytes, *assembly, *loops, *blocks, *lanes, *solve, *product, *floor, *numbering, *preconditioned, *errors,
      *counts, *counterpart, *boundary_rates, *boundary_assembly, *grids, *times;
  double *expected;  // section 5: [nodes], product of the first matrix format, with which the others are compared
} Run;

// Returns true if the user requested one of the figures from `first` to `last`, or nothing in particular.
static bool is_requested(const Run *r, int first, int last) {
  const int figure = r->request->figure;
  return (!r->request->table && !figure && !r->request->section) || (figure >= first && figure <= last);
}

static void report_progress(const Run *r, const char *sentence) {
  if (r->request->progress) r->request->progress(r->request->context, sentence);
}

// Sets the value for the present polynomial degree, r->degree, in the row `label` of a table. Adds the row if there is
// none.
static void put(Run *r, StudyTable *table, const char *label, double value) {
  int k = 0;
  while (k < r->line_count && (r->lines[k].table != table || strcmp(r->lines[k].label, label) != 0)) k++;
  if (!table) return;
  assert(k < LINES);
  if (k == r->line_count) {
    Line *line = &r->lines[r->line_count++];
    *line = (Line){ .table = table, .value = { NAN, NAN, NAN, NAN } };
    snprintf(line->label, sizeof line->label, "%s", label);
  }
  r->lines[k].value[r->degree - 1] = value;
}

static bool finish_tables(Run *r, Error *error) {
  for (int k = 0; k < r->line_count; k++)
    if (!study_row(r->lines[k].table, r->lines[k].label, r->lines[k].value, error)) return false;
  return true;
}

// ---- Table 1: bytes that a product transfers per cell

// Returns the mean number of matrix entries per cell of a large grid of degree p (paper 001, Eqs. 14 and 18).
static double entries_of(int p) {
  const double vertex = 1, edge = 2 * (p - 1), inner = (p - 1) * (p - 1);
  return vertex * pow(2 * p + 1, 2) + edge * (2 * p + 1) * (p + 1) + inner * pow(p + 1, 2);
}

// Return the amount of data that a product y = A x transfers per cell, in units of 4 bytes (paper 001, Eqs. 17 and 19).
// moved_local: for stored element matrices. moved_global: for a global matrix, with the starts of rows if row_starts is
// true. A real has `wide` units, 1 in float and 2 in double; an index has 1.
static double moved_local(int p, double wide) {
  return wide * pow(p + 1, 4) + (1 + 2 * wide) * pow(p + 1, 2);
}

static double moved_global(int p, double wide, bool row_starts) {
  return (1 + 2 * wide) * entries_of(p) + (wide + row_starts) * p * p;
}

static bool count_bytes(Run *r, Error *error) {
  static const double paper[4][DEGREES] = {
    { 1.0, 1.81, 2.25, 2.49 }, { 1.04, 1.85, 2.28, 2.51 }, { 0.9, 1.58, 1.93, 2.12 }, { 0.92, 1.6, 1.95, 2.13 }
  };
  static const char *const rows[] = { "ELL over LMA, float", "CSR over LMA, float", "ELL over LMA, double",
                                      "CSR over LMA, double" };
  for (int k = 0; r->bytes && k < 4; k++) {
    char label[STUDY_WORD];
    snprintf(label, sizeof label, "paper, %s", rows[k]);
    if (!study_row(r->bytes, label, paper[k], error)) return false;
    double ours[DEGREES];
    for (int p = 1; p <= DEGREES; p++) {
      ours[p - 1] = moved_global(p, k < 2 ? 1 : 2, k % 2) / moved_local(p, k < 2 ? 1 : 2);
      study_check(
          r->report,
          "Table 1: difference of the 16 computed ratios of bytes from those in the paper, which have two decimals",
          fabs(ours[p - 1] - paper[k][p - 1]), 0.00501);
    }
    snprintf(label, sizeof label, "ours, %s", rows[k]);
    if (!study_row(r->bytes, label, ours, error)) return false;
  }
  return true;
}

// ---- checks: errors, iterations, agreement

static double sine(const void *user, const double x[3], double gradient[3]) {
  (void)user;
  const double half = 0.5 / (M_PI * M_PI);
  if (gradient) {
    gradient[0] = half * M_PI * cos(M_PI * x[0]) * sin(M_PI * x[1]);
    gradient[1] = half * M_PI * sin(M_PI * x[0]) * cos(M_PI * x[1]);
    gradient[2] = 0;
  }
  return half * sin(M_PI * x[0]) * sin(M_PI * x[1]);
}

static double sine_source(const void *user, const double x[3], double gradient[3]) {
  return 2 * M_PI * M_PI * sine(user, x, gradient);
}

// A square whose grid has `lines` intervals between nodes per side. Its inner corners are moved at random by up to
// `distort` of a cell's side; another `seed` gives other moves.
typedef struct Square {
  int lines, seed;
  double distort;
} Square;

// Solves the Poisson problem on a square, in double, with the matrix format `matrix`, by each of `solvers`. iterations
// [solver_count] gets their numbers of iterations. *L2 and *H1 get the L2 norm and the H1 seminorm of the error of the
// last solution.
static bool solve_square(Run *r, Square square, const char *matrix, const char *const *solvers, int solver_count,
                         int *iterations, double relative, double *L2, double *H1, Error *error) {
  const double dof = pow(square.lines + 1, 2);
  CellMesh mesh;
  QuadBench bench;
  QuadSystem system;
  if (!quad_square(&mesh, r->degree, dof, square.distort, square.seed, QUAD_ORIGINAL, error)) return false;
  double *load = array_new(mesh.node_count, sizeof *load, "load", error);
  double *u = array_new(mesh.node_count, sizeof *u, "solution", error);
  bool ok = load && u && quad_bench_open(&bench, &mesh, r->request->device, PRECISION_F64, error);
  if (ok) {
    stationary_load(&mesh, sine_source, NULL, r->degree + 1, load);
    ok = quad_system_open(&system, &bench, matrix, "localreuse", error);
    for (int k = 0; ok && k < solver_count; k++)
      ok = quad_solve(&system, &bench, solvers[k], load, relative, u, &iterations[k], error);
    if (ok && L2) stationary_distance(&mesh, u, sine, NULL, 7, L2, H1);
    quad_system_close(&system);
    quad_bench_close(&bench);
  }
  cell_mesh_destroy(&mesh);
  free(load);
  free(u);
  return ok;
}

// Measures the L2 norm and the H1 seminorm of the error on a uniform grid with 96 intervals between nodes per side. An
// independent program (numpy, double) computed the expected values.
static bool measure_errors(Run *r, Error *error) {
  static const double expected[DEGREES][2] = { { 2.674693e-6, 1.063137e-3 },
                                               { 5.774777e-8, 1.796601e-5 },
                                               { 1.104610e-9, 3.353883e-7 },
                                               { 2.200654e-11, 6.555082e-9 } };
  static const char *const solvers[] = { "dcg" };
  double L2, H1;
  int iterations;
  if (!solve_square(r, (Square){ 96, 1, 0 }, "csr", solvers, 1, &iterations, 1e-13, &L2, &H1, error)) return false;
  const double *known = expected[r->degree - 1];
  put(r, r->errors, "L2", L2);
  put(r, r->errors, "L2, computed independently", known[0]);
  put(r, r->errors, "H1", H1);
  put(r, r->errors, "H1, computed independently", known[1]);
  study_check(r->report,
              "L2 norm and H1 seminorm of the error, 96 intervals per side: relative difference from an independent "
              "program",
              fmax(fabs(L2 / known[0] - 1), fabs(H1 / known[1] - 1)), 1e-4);
  return true;
}

enum { SOLVERS = 5 };

// Solvers whose iterations are counted. ssor_natural is CG with SSOR in the natural order of unknowns, as the paper's
// code on one core; it runs only on the CPU.
static const char *const counted[SOLVERS] = { "cg", "dcg", "ssor", "multigrid", "ssor_natural" };

// Expected numbers of iterations of each solver, until the relative residual is 1e-8, for each degree; 0: not counted.
// The mesh is distorted at random. An independent program computed the numbers on the same mesh.
typedef struct Counts {
  int lines;  // intervals between nodes per side of the square
  int seed;
  int expected[DEGREES][SOLVERS];
  // largest relative difference from the expected numbers. 0: results on a CPU must be equal, and on a GPU they may
  // differ by 1, because CG computes p . A p by a recurrence (recurrence.h)
  double relative;
  const char *what, *check;
} Counts;

// Counts iterations on grids whose inner corners are moved at random by up to 0.2 of a cell's side. Compares them with
// the numbers of tests/lab/quad_iterations.py, for the second case of its option --lines 192. With hundreds of
// iterations, rounding errors change the numbers by up to 0.4 %.
static bool count_iterations(Run *r, Error *error) {
  static const Counts cases[] = {
    { 24,
      2,
      { { 55, 55, 28, 6, 24 }, { 81, 72, 36, 7, 29 }, { 121, 108, 44, 6, 39 }, { 174, 160, 52, 7, 49 } },
      0,
      "24 intervals",
      "CG iterations with 24 intervals per side: difference from an independent program on the same mesh" },
    { 192,
      2,
      { { 362, 368, 190, 0, 153 }, { 551, 502, 245, 0, 208 }, { 815, 721, 291, 0, 243 }, { 1298, 1078, 358, 0, 321 } },
      0.004,
      "192 intervals",
      "CG iterations with 192 intervals per side: relative difference from an independent program on the same mesh" },
  };
  const int kinds = r->request->device == DEVICE_CPU ? SOLVERS : SOLVERS - 1;
  char label[STUDY_WORD];
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const int *expected = cases[c].expected[r->degree - 1];
    int found[SOLVERS];
    const Square square = { cases[c].lines, cases[c].seed, 0.2 };
    if (!solve_square(r, square, "csr", counted, kinds, found, 1e-8, NULL, NULL, error)) return false;
    for (int k = 0; k < kinds; k++) {
      if (!expected[k]) continue;
      snprintf(label, sizeof label, "%s, %s", counted[k], cases[c].what);
      put(r, r->counts, label, found[k]);
      snprintf(label, sizeof label, "%s, %s, reference", counted[k], cases[c].what);
      put(r, r->counts, label, expected[k]);
      const double difference = abs(found[k] - expected[k]);
      if (cases[c].relative == 0)
        study_check(r->report, cases[c].check, difference, r->request->device == DEVICE_CPU ? 0 : 1);
      else
        study_check(r->report, cases[c].check, difference / expected[k], cases[c].relative);
    }
  }
  return true;
}

static const char *const matrices[] = { "csr",
                                        "ell",
                                        "sell",
                                        "lazyell",
                                        "lazyell_merged",
                                        "lazyell_atomic",
                                        "lma",
                                        "lma_coloured",
                                        "lma_atomic",
                                        "recompute",
                                        "recompute_coloured",
                                        "recompute_atomic",
                                        "points",
                                        "points_coloured",
                                        "points_atomic" };
static const char *const loops[] = { "localreuse",        "redundant",        "globalreuse",
                                     "localreuse_atomic", "redundant_atomic", "globalreuse_atomic" };
enum { MATRICES = sizeof matrices / sizeof *matrices, LOOPS = sizeof loops / sizeof *loops };

static double difference_of(const double *a, const double *b, int n) {
  double off = 0, norm = 0;
  for (int i = 0; i < n; i++) {
    off += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return sqrt(off / norm);
}

// Computes y = A x for each matrix format and each assembly method that fills it. Puts the largest relative L2
// difference from `expected`, the product in double on the CPU, into a table and checks it. `expected` and `found` have
// one number per node; `found` gets each y in turn.
static bool compare_all(Run *r, const CellMesh *mesh, const double *expected, double *found, Error *error) {
  QuadBench bench;
  if (!quad_bench_open(&bench, mesh, r->request->device, r->request->precision, error)) return false;
  double worst = 0;
  bool ok = true;
  for (int m = 0; ok && m < MATRICES; m++)
    for (int l = 0; ok && l < LOOPS; l++) {
      QuadSystem system;
      if (!quad_system_exists(&bench, matrices[m], loops[l])) continue;
      ok = quad_system_open(&system, &bench, matrices[m], loops[l], error);
      if (!ok) break;
      ok = quad_take_product(&system, &bench, found, error);
      const double off = ok ? difference_of(found, expected, mesh->node_count) : 0;
      if (!(off <= worst)) worst = off;
      quad_system_close(&system);
    }
  quad_bench_close(&bench);
  if (!ok) return false;
  put(r, r->counterpart, "largest of all differences", worst);
  study_check(r->report,
              "products in all matrix formats after each assembly: largest relative L2 difference from CSR on the CPU "
              "in double",
              worst, r->request->precision == PRECISION_F64 ? 1e-13 : 3e-7);
  return true;
}

static bool compare_with_counterpart(Run *r, Error *error) {
  enum { UNKNOWNS = 10000 };
  CellMesh mesh;
  QuadBench bench;
  QuadSystem system;
  if (!quad_square(&mesh, r->degree, UNKNOWNS, 0.2, 1, QUAD_ORIGINAL, error)) return false;
  double *expected = array_new(mesh.node_count, sizeof *expected, "products", error);
  double *found = array_new(mesh.node_count, sizeof *found, "products", error);
  bool ok = expected && found && quad_bench_open(&bench, &mesh, DEVICE_CPU, PRECISION_F64, error);
  if (ok) {
    ok = quad_system_open(&system, &bench, "csr", "localreuse", error) &&
         quad_take_product(&system, &bench, expected, error);
    quad_system_close(&system);
    quad_bench_close(&bench);
    ok = ok && compare_all(r, &mesh, expected, found, error);
  }
  cell_mesh_destroy(&mesh);
  free(expected);
  free(found);
  return ok;
}

// ---- Figures: times of assemblies, products and solvers

static int repeats(const Run *r) {
  return r->request->repeat ? r->request->repeat : r->request->device == DEVICE_CUDA ? 10 : 3;
}

static int cg_iterations(const Run *r) {
  return r->request->device == DEVICE_CUDA ? 100 : 10;
}

static void put_assembly(Run *r, StudyTable *table, const QuadBench *b, const char *label, double seconds) {
  put(r, table, label, 1e-6 * b->space.cell_count / seconds);
}

// Returns the least number of bytes that a product y = A x in the format `matrix` can transfer on this mesh. Each array
// is read or written once.
static double product_bytes(const QuadBench *b, const char *matrix) {
  const double real = (double)precision_size(b->precision), n = b->space.node_count, cells = b->space.cell_count;
  const double nodes = b->space.cell_nodes, entries = (double)space_pairs(&b->space), vectors = 2 * real * n;

  // Bytes of indices per cell. A product by strips (lab/quad/quad_strips.h) reads the indices of only degree^2 nodes
  // per cell. Without stored element matrices, it also reads the index of the cell.
  const bool strips =
      b->stream.device == DEVICE_CUDA && !strstr(matrix, "_coloured") && strcmp(matrix, "recompute_atomic") != 0;
  const double lists = 4 * (strips ? b->degree * b->degree : nodes);
  if (strncmp(matrix, "lma", 3) == 0) return cells * (real * nodes * (nodes + 1) / 2 + lists) + vectors;
  if (strncmp(matrix, "recompute", 9) == 0 || strncmp(matrix, "points", 6) == 0)
    return cells * (7 * real + lists + (strips ? 4 : 0)) + vectors;
  if (strcmp(matrix, "lazyell") == 0 || strcmp(matrix, "lazyell_atomic") == 0)
    return cells * nodes * nodes * (real + 4) + vectors;
  return entries * (real + 4) + vectors + (strcmp(matrix, "csr") == 0 ? 4 * n : 0);
}

static void put_product(Run *r, const QuadBench *b, const char *label, const char *matrix, double seconds) {
  const double bytes = product_bytes(b, matrix);
  put(r, r->product, label, 1e6 * seconds);
  put(r, r->floor, label, 1e-9 * bytes / seconds);
}

// Figures 6 and 7: measures CG iterations per second with a matrix in CSR, for each number of threads per row (lanes).
static bool measure_lanes(Run *r, QuadSystem *s, QuadBench *b, Error *error) {
  char label[STUDY_WORD];
  double seconds;
  for (const int *t = s->A.method->tunings; t && *t; t++) {
    snprintf(label, sizeof label, "csr, %d lanes a row", *t);
    if (!operator_tune(&s->A, *t, error) || !quad_time_iteration(s, b, "cg", cg_iterations(r), &seconds, error))
      return false;
    put(r, r->lanes, label, 1 / seconds);
  }
  return true;
}

static bool measure_cusparse(Run *r, QuadSystem *s, QuadBench *b, double best, Error *error) {
  double seconds, difference;
  if (b->stream.device != DEVICE_CUDA || baseline_absence()) return true;
  if (!baseline_product(&s->A, b->stream, &seconds, &difference, error)) return false;
  put_product(r, b, "cuSPARSE's CSR", "csr", seconds);
  put(r, r->lanes, "time of cuSPARSE / fastest time of csr", seconds / best);
  study_check(r->report, "a product by cuSPARSE and one in format csr: relative L2 difference", difference,
              b->precision == PRECISION_F64 ? 1e-13 : 3e-6);
  return true;
}

// Replaces the assembly of the system by the method `assembly` and times it. Adds the rate, millions of cells per
// second, to the row `label` of the table.
static bool measure_assembly(Run *r, StudyTable *table, QuadSystem *s, QuadBench *b, const char *assembly,
                             const char *label, Error *error) {
  double seconds;
  if (strcmp(s->assembly.method->stage.name, assembly) != 0 && !quad_system_assemble_by(s, b, assembly, error))
    return false;
  if (!quad_time_assembly(s, b, repeats(r), &seconds, error)) return false;
  put_assembly(r, table, b, label, seconds);
  return true;
}

// Times assemblies into one matrix format. For Figures 5, 8, 10, 14 and 27, cells are added to the matrix colour by
// colour (cells of one colour share no node) or by atomics. For Figures 20 and 21, thread blocks have 64, 128 or 256
// cells. For Figures 13 and 15, element matrices are stored, and each of the three methods of QuadLoop computes them.
static bool measure_assemblies(Run *r, QuadSystem *s, QuadBench *b, const char *matrix, Error *error) {
  static const int sizes[] = { 64, 128, 256 };
  const bool lma = strcmp(matrix, "lma") == 0, ell = strcmp(matrix, "ell") == 0, csr = strcmp(matrix, "csr") == 0;

  // The formats lma_coloured and lma_atomic store element matrices in the same way as lma, so only lma is measured.
  if (!lma && strncmp(matrix, "lma", 3) == 0) return true;
  const char *usual = s->assembly.method->stage.name;
  char label[2 * STUDY_WORD];
  snprintf(label, sizeof label, lma ? "%s" : "%s, %s", matrix, strstr(usual, "_atomic") ? "atomic" : "coloured");
  if (r->assembly && !measure_assembly(r, r->assembly, s, b, usual, label, error)) return false;
  for (int k = 0; r->blocks && (lma || ell) && k < 3; k++) {
    snprintf(label, sizeof label, "%s, blocks of %d", lma ? "lma" : "ell, coloured", sizes[k]);
    if (!assembly_set_block(&s->assembly, sizes[k], error) ||
        !measure_assembly(r, r->blocks, s, b, usual, label, error))
      return false;
  }
  for (int l = 0; r->loops && lma && l < 3; l++)
    if (!quad_system_assemble_by(s, b, loops[l], error) ||
        !measure_assembly(r, r->loops, s, b, loops[l], loops[l], error))
      return false;
  if (!r->assembly || !(csr || ell) || !quad_system_exists(b, matrix, "localreuse_atomic")) return true;
  snprintf(label, sizeof label, "%s, atomic", matrix);
  return measure_assembly(r, r->assembly, s, b, "localreuse_atomic", label, error);
}

static bool is_one_of(const char *word, const char *const *words) {
  for (; *words; words++)
    if (strcmp(word, *words) == 0) return true;
  return false;
}

static const char *const preconditioned[] = { "csr", "ell", "lma", NULL };

// CG without a preconditioner, and with each preconditioner of Figures 24 to 26
enum { COMPARED = 4, MULTIGRID = 3 };
static const char *const compared[COMPARED] = { "cg", "dcg", "ssor", "multigrid" };

// Figures 24 and 25: measures iterations per second of CG with each preconditioner.
static bool measure_preconditioners(Run *r, QuadSystem *s, QuadBench *b, const char *matrix, Error *error) {
  // A block-diagonal preconditioner would equal `dcg`, the diagonal one, because a node has one unknown.
  double seconds;
  char label[2 * STUDY_WORD];
  for (int k = 0; k < COMPARED; k++) {
    if (!quad_time_iteration(s, b, compared[k], cg_iterations(r), &seconds, error)) return false;
    snprintf(label, sizeof label, "%s, %s", matrix, compared[k]);
    put(r, r->preconditioned, label, 1 / seconds);
  }
  return true;
}

// Section 5: compares the product of a matrix format with that of the first format. With millions of unknowns, this
// also shows that all numbers of entries and bytes fit into their types.
static bool compare_product(Run *r, QuadSystem *s, QuadBench *b, Error *error) {
  const int n = b->space.node_count;
  double *y = array_new(n, sizeof *y, "product", error);
  const bool ok = y && quad_take_product(s, b, y, error);
  if (ok && r->expected)
    study_check(r->report, "Section 5: products in the formats csr, ell and lma: relative L2 difference",
                difference_of(y, r->expected, n), b->precision == PRECISION_F64 ? 1e-13 : 3e-7);
  if (!ok || r->expected)
    free(y);
  else
    r->expected = y;
  return ok;
}

// Measures one matrix format: rates of assemblies, the time of a product, and CG iterations per second. The product is
// timed with the fastest tuning number, such as a number of threads per row.
static bool measure_matrix(Run *r, QuadBench *b, const char *matrix, Error *error) {
  QuadSystem s;
  double seconds = 0;
  const char *assembly = strcmp(matrix, "lazyell_atomic") == 0 ? "localreuse_atomic" : "localreuse";
  if (!quad_system_exists(b, matrix, assembly)) return true;
  if (!quad_system_open(&s, b, matrix, assembly, error)) return false;
  const bool csr = strcmp(matrix, "csr") == 0, preconditions = r->preconditioned && is_one_of(matrix, preconditioned);
  bool ok = !s.A.values || measure_assemblies(r, &s, b, matrix, error);
  if (ok && r->request->section == 5) ok = compare_product(r, &s, b, error);
  if (ok && csr && r->lanes) ok = measure_lanes(r, &s, b, error);
  if (ok && (r->product || preconditions)) ok = quad_tune(&s, b, repeats(r), &seconds, error);
  if (ok && r->product) put_product(r, b, matrix, matrix, seconds);
  if (ok && csr && r->lanes && s.A.tuning) put(r, r->lanes, "threads per row, fastest product of csr", s.A.tuning);
  if (ok && csr && r->product) ok = measure_cusparse(r, &s, b, seconds, error);
  if (ok && r->solve) {
    ok = quad_time_iteration(&s, b, "cg", cg_iterations(r), &seconds, error);
    if (ok) put(r, r->solve, matrix, 1 / seconds);
  }
  if (ok && preconditions) ok = measure_preconditioners(r, &s, b, matrix, error);
  quad_system_close(&s);
  return ok && interrupt_check(error);
}

// Tests if a requested measurement uses this matrix format.
static bool is_wanted(const Run *r, const char *matrix) {
  const bool stores = strncmp(matrix, "recompute", 9) != 0 && strncmp(matrix, "points", 6) != 0;
  // Formats that are not timed, because the paper does not have them.
  static const char *const left_out[] = { "sell", "recompute_coloured", "points_coloured", NULL };
  if (is_one_of(matrix, left_out)) return false;
  if (r->request->section == 5) return is_one_of(matrix, preconditioned);
  return r->solve || (r->assembly && stores) || (r->lanes && strcmp(matrix, "csr") == 0) ||
         (r->loops && strcmp(matrix, "lma") == 0) ||
         (r->blocks && (strcmp(matrix, "lma") == 0 || strcmp(matrix, "ell") == 0)) ||
         (r->preconditioned && is_one_of(matrix, preconditioned));
}

// Figure 23: measures CG iterations per second for each numbering of nodes, on a mesh with dof / 4 unknowns. By default
// these are 1 million, as in the paper.
static bool measure_numberings(Run *r, double dof, Error *error) {
  static const char *const on[] = { "csr", "ell", "lma" };
  for (int k = 0; r->numbering && k < QUAD_NUMBERINGS; k++) {
    CellMesh mesh;
    QuadBench b;
    if (!quad_square(&mesh, r->degree, dof / 4, 0.2, 1, (QuadNumbering)k, error)) return false;
    bool ok = quad_bench_open(&b, &mesh, r->request->device, r->request->precision, error);
    for (int m = 0; ok && m < 3; m++) {
      QuadSystem s;
      double seconds;
      char label[STUDY_WORD];
      if (!quad_system_exists(&b, on[m], "localreuse")) continue;
      ok = quad_system_open(&s, &b, on[m], "localreuse", error) && quad_tune(&s, &b, repeats(r), &seconds, error) &&
           quad_time_iteration(&s, &b, "cg", cg_iterations(r), &seconds, error);
      snprintf(label, sizeof label, "%s, %s", on[m], quad_numbering_names[k]);
      if (ok) put(r, r->numbering, label, 1 / seconds);
      quad_system_close(&s);
    }
    quad_bench_close(&b);
    cell_mesh_destroy(&mesh);
    if (!ok) return false;
  }
  return true;
}

// Times products on a mesh with the numbering QUAD_BY_LOCAL_INDEX: local node 0 of all cells first, then local node 1
// of all cells, and so on.
static bool measure_by_local_index(Run *r, double dof, Error *error) {
  static const char *const on[] = { "ell", "lma", "lma_atomic" };
  CellMesh mesh;
  QuadBench b;
  if (!r->product || r->request->section == 5) return true;
  if (!quad_square(&mesh, r->degree, dof, 0.2, 1, QUAD_BY_LOCAL_INDEX, error)) return false;
  bool ok = quad_bench_open(&b, &mesh, r->request->device, r->request->precision, error);
  for (int m = 0; ok && m < 3; m++) {
    QuadSystem s;
    double seconds;
    char label[STUDY_WORD];
    if (!quad_system_exists(&b, on[m], "localreuse")) continue;
    ok = quad_system_open(&s, &b, on[m], "localreuse", error) && quad_tune(&s, &b, repeats(r), &seconds, error);
    snprintf(label, sizeof label, "%s, by local index", on[m]);
    if (ok) put_product(r, &b, label, on[m], seconds);
    quad_system_close(&s);
  }
  quad_bench_close(&b);
  cell_mesh_destroy(&mesh);
  return ok;
}

// Section 3.2: for each treatment of nodes on the boundary, measures CG iterations per second and the rate of assembly,
// and compares the solutions.
static bool compare_boundaries(Run *r, QuadBench *b, const char *matrix, double *load, double *masked, double *u,
                               Error *error) {
  const int n = b->space.node_count;
  bool ok = quad_system_exists(b, matrix, "localreuse");
  if (!ok) return true;
  for (QuadBoundary k = QUAD_MASKED; ok && k < QUAD_BOUNDARIES; k++) {
    QuadSystem s = { 0 };
    double seconds;
    char label[STUDY_WORD];
    snprintf(label, sizeof label, "%s, %s", matrix, quad_boundary_names[k]);
    b->boundary = k;
    double least = HUGE_VAL;
    ok = quad_system_open(&s, b, matrix, "localreuse", error) && quad_tune(&s, b, repeats(r), &seconds, error);
    for (int run = 0; ok && run < repeats(r); run++) {
      ok = quad_time_iteration(&s, b, "cg", cg_iterations(r), &seconds, error);
      least = fmin(least, seconds);
    }
    if (ok) put(r, r->boundary_rates, label, 1 / least);
    if (ok && (k != QUAD_IDENTITY || b->stream.device == DEVICE_CPU)) {
      ok = quad_time_assembly(&s, b, repeats(r), &seconds, error);
      if (ok) put_assembly(r, r->boundary_assembly, b, label, seconds);
    }

    // In float, CG on a large mesh does not reach a small residual, so only 10 iterations are compared.
    double *to = k == QUAD_MASKED ? masked : u;
    ok = ok && quad_iterate(&s, b, "cg", load, 10, to, error);
    if (ok && k != QUAD_MASKED)
      study_check(
          r->report,
          "10 CG iterations with boundary nodes eliminated, or set to identity rows: relative L2 difference from "
          "masked ones",
          difference_of(u, masked, n), b->precision == PRECISION_F64 ? 1e-12 : 3e-5);
    quad_system_close(&s);
  }

  b->boundary = QUAD_MASKED;
  return ok;
}

static bool measure_boundaries(Run *r, double dof, Error *error) {
  CellMesh mesh;
  QuadBench b = { 0 };
  if (!r->boundary_rates) return true;
  if (!quad_square(&mesh, r->degree, dof, 0.2, 1, QUAD_ORIGINAL, error)) return false;
  double *load = NULL, *masked = NULL, *u = NULL;
  bool ok = quad_boundary_last(&mesh, error);
  ok = ok && (load = array_new(mesh.node_count, sizeof *load, "load", error));
  ok = ok && (masked = array_new(mesh.node_count, sizeof *masked, "solution", error));
  ok = ok && (u = array_new(mesh.node_count, sizeof *u, "solution", error));
  ok = ok && quad_bench_open(&b, &mesh, r->request->device, r->request->precision, error);
  if (ok) stationary_load(&mesh, sine_source, NULL, r->degree + 1, load);
  static const char *const on[] = { "csr", "ell" };
  for (int m = 0; ok && m < 2; m++) ok = compare_boundaries(r, &b, on[m], load, masked, u, error);
  if (b.mesh) quad_bench_close(&b);
  cell_mesh_destroy(&mesh);
  free(load);
  free(masked);
  free(u);
  return ok;
}

// Figure 26: counts the iterations of CG with each preconditioner, to 1e-8 in double, on finer and finer grids with at
// most `dof` unknowns; the first one is always measured. With multigrid the numbers must hardly grow.
static bool count_on_grids(Run *r, double dof, Error *error) {
  int found[COMPARED], first = 0;
  char label[STUDY_SENTENCE];
  for (int lines = 24; r->grids && (lines == 24 || pow(lines + 1, 2) <= dof); lines *= 2) {
    snprintf(label, sizeof label, "degree %d: iterations, %d intervals", r->degree, lines);
    report_progress(r, label);
    const Square square = { lines, 2, 0.2 };
    if (!solve_square(r, square, "lma", compared, COMPARED, found, 1e-8, NULL, NULL, error)) return false;
    for (int k = 0; k < COMPARED; k++) {
      snprintf(label, sizeof label, "%s, %d intervals", compared[k], lines);
      put(r, r->grids, label, found[k]);
    }
    if (!first) first = found[MULTIGRID];
    study_check(r->report,
                "Figure 26: CG iterations with multigrid minus those on the coarsest grid, with 24 intervals per side",
                found[MULTIGRID] - first, 2);
  }
  return true;
}

// Figure 26: times solves with each preconditioner and element matrices, to the residual 1e-6 in float, 1e-8 in double.
static bool time_solves(Run *r, double dof, Error *error) {
  enum { MAX = 50000 };
  CellMesh mesh;
  QuadBench b = { 0 };
  QuadSystem s = { 0 };
  double seconds;
  if (!r->times) return true;
  if (!quad_square(&mesh, r->degree, dof, 0.2, 1, QUAD_ORIGINAL, error)) return false;
  double *load = array_new(mesh.node_count, sizeof *load, "load", error);
  bool ok = load && quad_bench_open(&b, &mesh, r->request->device, r->request->precision, error);
  if (ok) stationary_load(&mesh, sine_source, NULL, r->degree + 1, load);
  ok = ok && quad_system_open(&s, &b, "lma", "localreuse", error) && quad_tune(&s, &b, repeats(r), &seconds, error);
  for (int k = 0; ok && k < COMPARED; k++) {
    QuadSolveTime time;
    char label[STUDY_WORD];
    ok = quad_time_solve(&s, &b, compared[k], load, b.precision == PRECISION_F64 ? 1e-8 : 1e-6, MAX, &time, error);
    if (!ok) break;
    snprintf(label, sizeof label, "%s, solve", compared[k]);
    put(r, r->times, label, time.converged ? 1e3 * time.seconds : NAN);
    snprintf(label, sizeof label, "%s, set-up", compared[k]);
    put(r, r->times, label, 1e3 * time.setup);
    snprintf(label, sizeof label, "%s, iterations", compared[k]);
    put(r, r->times, label, time.converged ? time.iterations : NAN);
  }

  quad_system_close(&s);
  if (b.mesh) quad_bench_close(&b);
  cell_mesh_destroy(&mesh);
  free(load);
  return ok;
}

static bool measure_all(Run *r, double dof, Error *error) {
  CellMesh mesh;
  QuadBench b;
  char sentence[STUDY_SENTENCE];
  if (!r->assembly && !r->lanes && !r->solve && !r->loops && !r->blocks && !r->preconditioned) return true;
  if (!quad_square(&mesh, r->degree, dof, 0.2, 1, QUAD_ORIGINAL, error)) return false;
  snprintf(sentence, sizeof sentence, "degree %d: %d unknowns, %d cells", r->degree, mesh.node_count, mesh.cell_count);
  report_progress(r, sentence);
  bool ok = quad_bench_open(&b, &mesh, r->request->device, r->request->precision, error);
  for (int m = 0; ok && m < MATRICES; m++)
    if (is_wanted(r, matrices[m])) ok = measure_matrix(r, &b, matrices[m], error);
  free(r->expected);
  r->expected = NULL;
  quad_bench_close(&b);
  cell_mesh_destroy(&mesh);
  return ok;
}

static bool measure_degree(Run *r, double dof, Error *error) {
  // On a CPU, solves to a small residual on the mesh of the other figures would take most of the time of the study.
  const double solved = r->request->figure == 26 || r->request->device == DEVICE_CUDA ? dof : dof / 16;
  if (!measure_all(r, dof, error)) return false;
  if (!measure_by_local_index(r, dof, error)) return false;
  if (!measure_numberings(r, dof, error)) return false;
  if (!measure_boundaries(r, r->request->section == 3 ? dof : dof / 16, error)) return false;
  if (!count_on_grids(r, solved, error)) return false;
  return time_solves(r, solved, error);
}

// Measures one polynomial degree. The number of unknowns is the requested one or, without a request, MAX on a GPU.
// Without a request on a CPU, a small system is measured first. Its time gives the size that fits the time limit, and
// the results of that size replace those of the small system.
static bool measure_as_time_lets(Run *r, int degrees_left, Error *error) {
  enum { FEW = 2500, MAX = 4000000 };
  const double begin = timer_seconds(), share = study_left(r->request) / degrees_left;
  if (r->request->dof > 0) return measure_degree(r, r->request->dof, error);
  if (r->request->device == DEVICE_CUDA) return measure_degree(r, MAX, error);
  if (!measure_degree(r, FEW, error)) return false;
  // The factor 1.3 allows for more cache misses on larger systems. In Figure 26 the number of iterations grows with the
  // square root of the number of unknowns.
  const double took = timer_seconds() - begin, fold = fmax((share - took) / (1.3 * took), 0);
  const double times = r->request->figure == 26 ? pow(fold, 2. / 3) : fold;
  return times < 1.5 || measure_degree(r, fmin(times * FEW, MAX), error);
}

static StudyTable *table_of(Run *r, bool wanted, const char *title) {
  static const char *const columns[] = { "degree 1", "degree 2", "degree 3", "degree 4", NULL };
  return wanted ? study_table(r->report, title, columns) : NULL;
}

bool study_reguly(const StudyRequest *request, StudyReport *report, Error *error) {
  Run *r = array_new(1, sizeof *r, "study", error);
  if (!r) return false;
  r->request = request;
  r->report = report;
  const bool all = !request->table && !request->figure && !request->section;
  r->bytes = table_of(
      r, all || request->table == 1,
      "Table 1: bytes of a product with a global matrix, divided by those of a product with element matrices (LMA)");
  r->errors = table_of(
      r, all, "L2 norm and H1 seminorm of the error of sin pi x sin pi y on a uniform grid with 96 intervals a side");
  r->counts = table_of(
      r, all, "CG iterations to 1e-8 of the first residual, on grids whose inner corners are moved by 0.2 of a cell");
  r->counterpart = table_of(
      r, all, "Relative L2 difference of products in all formats from CSR on the CPU in double, 10,000 unknowns");
  r->assembly = table_of(r,
                         is_requested(r, 5, 5) || is_requested(r, 8, 8) || is_requested(r, 10, 10) ||
                             is_requested(r, 14, 14) || is_requested(r, 27, 27),
                         "Figures 5, 8, 10, 14, 27: cells assembled, millions a second");
  r->loops = table_of(r, is_requested(r, 13, 13) || is_requested(r, 15, 15),
                      "Figures 13, 15: three methods that compute element matrices, millions of cells a second");
  r->blocks =
      table_of(r, is_requested(r, 20, 21),
               "Figures 20, 21: assembly with 64, 128 or 256 cells per thread block, millions of cells a second");
  r->lanes = table_of(r, is_requested(r, 6, 7),
                      "Figures 6, 7: CG iterations a second with CSR; lanes: GPU threads per matrix row");

  // Section 5.1 names grids of up to 16 million nodes; --section 5 measures products and CG in a few formats.
  const bool solves = request->section == 5 || is_requested(r, 9, 9) || is_requested(r, 11, 12) ||
                      is_requested(r, 16, 19) || is_requested(r, 28, 28);
  r->solve = table_of(r, solves, "Figures 9, 11, 12, 17, 19, 28: CG iterations a second with each matrix format");
  r->product =
      table_of(r, solves || r->lanes,
               "Products as tuned (fastest number of threads per row): time of one product, us; by local index: "
               "local node 0 of all cells is numbered first, then local node 1, and so on");
  r->floor =
      table_of(r, solves || r->lanes,
               "Figures 16, 18: least data that a product reads and writes, divided by its time, GB/s; by local index: "
               "as in the table of the times of products");
  r->numbering = table_of(
      r, is_requested(r, 23, 23),
      "Figure 23: CG iterations a second for several numberings of the nodes, on a mesh with 1/4 of the unknowns");
  r->preconditioned = table_of(r, is_requested(r, 24, 25), "Figures 24, 25: CG iterations a second, by preconditioner");

  // Iterations are counted in double, and on a GPU this takes half of the time of a study. So a study of all figures
  // counts them only in double.
  const bool solvers = is_requested(r, 26, 26) && (request->figure || request->precision == PRECISION_F64);
  if (all && !solvers) report_progress(r, "Figure 26 needs --precision double or --figure 26");
  r->grids = table_of(r, solvers,
                      "Figure 26: CG iterations to 1e-8 of the first residual, in double, by preconditioner and "
                      "intervals between nodes per side");
  r->times =
      table_of(r, solvers,
               "Figure 26: solves to the residual 1e-6 in float, 1e-8 in double, with element matrices: times of "
               "solve and set-up, ms, and iterations");
  const bool boundaries = all || request->section == 3;
  r->boundary_rates = table_of(r, boundaries,
                               "Section 3.2: CG iterations a second, by treatment of the nodes on the boundary; "
                               "without --section, on a mesh with 1/16 of the unknowns");
  r->boundary_assembly = table_of(r, boundaries,
                                  "Section 3.2: cells assembled, millions a second, by treatment of the nodes on the "
                                  "boundary; without --section, on a mesh with 1/16 of the unknowns");
  const int first = request->degree ? request->degree : 1, last = request->degree ? request->degree : DEGREES;
  bool ok = count_bytes(r, error);
  for (r->degree = first; ok && all && r->degree <= last; r->degree++)
    ok = compare_with_counterpart(r, error) && measure_errors(r, error) && count_iterations(r, error);
  for (r->degree = first; ok && !request->table && r->degree <= last; r->degree++)
    ok = measure_as_time_lets(r, last + 1 - r->degree, error);
  ok = ok && finish_tables(r, error);
  free(r);
  return ok;
}
