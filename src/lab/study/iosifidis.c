// The study of paper 003: Iosifidis, Weir, Mariappan, Flanagan, Spence, Kilpatrick and Fitzsimons, GPU Acceleration of
// Partial Differential Equation Solvers (ParEng 2015). The paper has no table, and of its figures only Figure 2 has
// numbers, so the study tests the statements of the text, section by section. Missing reference values were computed
// independently in double with numpy; docs/papers/003.md lists them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/timer.h"
#include "lab/stationary/stationary.h"
#include "lab/study/poisson_bench.h"
#include "lab/study/study.h"
#include "mesh/mesh_write.h"

// DOF_MAX: number of unknowns of the paper's largest system. Larger systems are solved only if the user requests them.
// DOF_LEAST: systems up to this size are solved even if the time limit is over, so that all checks run on any machine.
enum { DOF_MAX = 1100000, DOF_LEAST = 100000 };

// Data of one run of the study. bench solves Poisson's equation and stores the results.
typedef struct Work {
  const StudyRequest *request;
  StudyReport *report;
  // time of the last CG solve with its setup, s, divided by (number of nodes * nodes per side). A solve takes a number
  // of iterations proportional to the nodes per side, so this rate hardly depends on the mesh.
  double rate;
  PoissonBench bench;
} Work;

static void report_progress(const Work *w, const char *sentence) {
  if (w->request->progress) w->request->progress(w->request->context, sentence);
}

static double nodes_of(CellShape shape, int side) {
  return pow(side, cell_shape_info(shape)->dimension);
}

// Returns true if the study should solve a system with this number of nodes. The largest size is the one that the user
// requested or, without a request, DOF_MAX. On a CPU without a request, the time limit counts too for systems of more
// than DOF_LEAST nodes: at least twice the expected time, `seconds`, must be left.
static bool affords(const Work *w, double nodes, double seconds) {
  if (w->request->dof > 0) return nodes <= w->request->dof;
  if (w->request->device == DEVICE_CUDA) return nodes <= DOF_MAX;
  return nodes <= DOF_LEAST || (nodes <= DOF_MAX && 2 * seconds <= study_left(w->request));
}

// Returns true if the study should solve a square or cube with `side` nodes per side by CG. The number of iterations
// grows with `side`, so the expected time is Work.rate * nodes * side, times 1.3 for safety.
static bool affords_cg(const Work *w, CellShape shape, int side) {
  const double nodes = nodes_of(shape, side);
  return affords(w, nodes, 1.3 * w->rate * nodes * side);
}

// A linear system to solve, the solver, and the results.
typedef struct Trial {
  const char *element, *solver;  // element NULL: the default element; solver "": the system is not solved
  double relative;
  int iterations_max;
  // [n], load vector, added to the load of the source; NULL: none
  const double *load;
  bool no_source;       // true: the source is 0; false: it is 1
  const double *value;  // [n], prescribed values; NULL: 0
  StationaryReport report;
  double *u;         // [n], result: the solution; NULL: not needed
  double *products;  // [n], result: A x for a random x; NULL: not needed
} Trial;

static bool solve_on(const Work *w, const char *problem, const CellMesh *mesh, const double material[3],
                     const uint8_t *fixed, Trial *t, Error *error) {
  Stationary *stationary = NULL;
  bool ok = false;
  const StationaryElement *element = stationary_element(t->element, problem, mesh->shape, error);
  const int n = element ? mesh->node_count * element->node_dof : 0;
  double *source = array_new(mesh->node_count, sizeof *source, "sources", error);
  double *x = t->products ? array_new(n, sizeof *x, "vectors", error) : NULL;
  if (!element || !source || (t->products && !x)) goto done;
  for (int a = 0; a < mesh->node_count; a++) source[a] = 1;
  StationaryProblem p = { .mesh = mesh,
                          .element = element,
                          .source = t->no_source ? NULL : source,
                          .load = t->load,
                          .fixed = fixed,
                          .value = t->value };
  memcpy(p.material, material, sizeof p.material);
  StationarySettings settings = stationary_defaults();
  settings.device = w->request->device;
  settings.precision = w->request->precision;
  settings.relative = t->relative;
  settings.iterations_max = t->iterations_max;
  snprintf(settings.solver, sizeof settings.solver, "%s", t->solver);
  if (!stationary_create(&stationary, &p, &settings, error)) goto done;
  double seconds;
  if (!poisson_time_assembly(w->request->device, w->request->repeat, stationary, &seconds, error)) goto done;
  uint64_t seed = 11;
  for (int i = 0; x && i < n; i++) x[i] = random_unit(&seed);
  if (x && !stationary_product(stationary, x, t->products, error)) goto done;
  if (t->solver[0] && !stationary_solve(stationary, error)) goto done;
  t->report = *stationary_report(stationary);
  t->report.assemble_seconds = seconds;
  ok = !t->u || stationary_result(stationary, t->u, error);
done:
  stationary_destroy(stationary);
  free(source);
  free(x);
  return ok;
}

static const double unit_material[3] = { 1, 0, 0 };

static double relative_distance(const double *a, const double *b, int n) {
  double difference = 0, norm = 0;
  for (int i = 0; i < n; i++) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    norm += b[i] * b[i];
  }
  return sqrt(difference / norm);
}

// ---- section 4.1.2: element matrices by cotangents of angles, compared with quadrature

static bool study_assembly(Work *w, Error *error) {
  static const struct {
    const char *label, *cotangent, *plain;
    CellShape shape;

    // nodes per side of a small and of a large mesh; the large mesh is measured only if there is time
    int nodes[2];
    double paper_ms;
  } rows[] = { { "triangles", "poisson_tri", "scalar_tri3", CELL_TRI3, { 351, 1001 }, 1 },
               { "tets", "poisson_tet", "scalar_tet4", CELL_TET4, { 41, 80 }, NAN } };
  StudyTable *table = study_table(
      w->report,
      "Section 4.1.2: time of an assembly, ms, with element matrices from cotangents or from quadrature; paper: upper "
      "bound for its method, and time of the method that it replaces",
      (const char *const[]){ "cells", "nodes", "cotangents", "quadrature", "paper: under", "paper: before",
                             "difference of K", NULL });
  const bool precise = w->request->precision == PRECISION_F64;
  double took = 0;  // duration of the previous run of this loop, s
  for (int k = 0; k < 2; k++)
    for (int size = 0; size < 2; size++) {
      CellMesh mesh;
      uint8_t *fixed;
      const double nodes = nodes_of(rows[k].shape, rows[k].nodes[size]), begin = timer_seconds();
      if (size && !affords(w, nodes, 1.3 * took * nodes / nodes_of(rows[k].shape, rows[k].nodes[0]))) continue;
      if (!square_or_cube(rows[k].shape, rows[k].nodes[size], 0, 1, 0.2, &mesh, &fixed, error)) return false;
      double *y[2] = { array_new(mesh.node_count, sizeof **y, "products", error),
                       array_new(mesh.node_count, sizeof **y, "products", error) };
      Trial t[2] = { { .element = rows[k].cotangent, .solver = "", .relative = 1e-6, .iterations_max = 1 },
                     { .element = rows[k].plain, .solver = "", .relative = 1e-6, .iterations_max = 1 } };
      bool ok = y[0] && y[1];
      for (int v = 0; ok && v < 2; v++) {
        t[v].products = y[v];
        ok = solve_on(w, "poisson", &mesh, unit_material, fixed, &t[v], error);
      }
      if (ok) {
        const double off = relative_distance(y[0], y[1], mesh.node_count);
        char label[STUDY_WORD], what[STUDY_SENTENCE];
        snprintf(label, sizeof label, "%s, distorted", rows[k].label);
        const double values[] = { mesh.cell_count,
                                  mesh.node_count,
                                  1e3 * t[0].report.assemble_seconds,
                                  1e3 * t[1].report.assemble_seconds,
                                  rows[k].paper_ms,
                                  k == 0 ? 8000 : NAN,
                                  off };
        snprintf(what, sizeof what,
                 "%s: matrix K from cotangents and from quadrature, relative difference of the products K x",
                 rows[k].label);
        study_check(w->report, what, off, precise ? 1e-13 : 2e-5);
        ok = study_row(table, label, values, error);
      }
      free(y[0]);
      free(y[1]);
      free(fixed);
      cell_mesh_destroy(&mesh);
      if (!ok) return false;
      took = timer_seconds() - begin;
    }
  return true;
}

// ---- section 5.1: a problem with a known solution; the paper solves it by LU, this study by CG

static double paper_phi(const void *user, const double x[3], double gradient[3]) {
  (void)user;
  const double px = (x[0] - 10) * (x[0] - 20), py = (x[1] - 10) * (x[1] - 20);
  if (gradient) {
    gradient[0] = (2 * x[0] - 30) * py;
    gradient[1] = px * (2 * x[1] - 30);
    gradient[2] = 0;
  }
  return px * py;
}

static double paper_source(const void *user, const double x[3], double gradient[3]) {
  (void)user, (void)gradient;
  return -2 * ((x[1] - 10) * (x[1] - 20) + (x[0] - 10) * (x[0] - 20));
}

// Solves the problem of section 5.1 of the paper. Computes the L2 norm and the H1 seminorm of the error. *at_nodes gets
// the largest error at a node, divided by the largest value of phi, 625.
static bool known_solution(Work *w, int cells, double distort, Trial *t, double *L2, double *H1, double *at_nodes,
                           Error *error) {
  CellMesh mesh;
  uint8_t *fixed;
  bool ok = square_or_cube(CELL_TRI3, cells + 1, 10, 10, distort, &mesh, &fixed, error);
  double *f = ok ? array_new(mesh.node_count, sizeof *f, "sources", error) : NULL;
  double *load = ok ? array_new(mesh.node_count, sizeof *load, "loads", error) : NULL;
  double *u = ok ? array_new(mesh.node_count, sizeof *u, "solution", error) : NULL;
  ok = f && load && u;
  if (ok) {
    for (int a = 0; a < mesh.node_count; a++) f[a] = paper_source(NULL, mesh.X[a], NULL);
    t->no_source = true;
    t->load = load;
    t->u = u;

    // The load is lumped, as in the paper: it is the source at each node times the area that belongs to the node.
    ok = stationary_lumped_load(&mesh, f, load, error) && solve_on(w, "poisson", &mesh, unit_material, fixed, t, error);
    t->load = t->u = NULL;
  }

  *at_nodes = 0;
  for (int a = 0; ok && a < mesh.node_count; a++)
    *at_nodes = fmax(*at_nodes, fabs(u[a] - paper_phi(NULL, mesh.X[a], NULL)) / 625);
  if (ok) stationary_distance(&mesh, u, paper_phi, NULL, 4, L2, H1);
  free(f);
  free(load);
  free(u);
  free(fixed);
  cell_mesh_destroy(&mesh);
  return ok;
}

static bool study_known(Work *w, Error *error) {
  StudyTable *table = study_table(
      w->report, "Section 5.1, test 1: errors of phi = (x-10)(x-20)(y-10)(y-20) on [10,20]^2, triangles, lumped source",
      (const char *const[]){ "cells a side", "L2 error", "order", "H1 seminorm", "order", "largest at nodes", NULL });
  const bool precise = w->request->precision == PRECISION_F64;
  const double tolerance = precise ? 1e-12 : 1e-6;
  double before[2] = { 0 };
  for (int cells = 8; cells <= 64; cells *= 2) {
    double L2, H1, worst;
    Trial t = { .element = "poisson_tri", .solver = "dcg", .relative = tolerance, .iterations_max = 100000 };
    if (!known_solution(w, cells, 0.25, &t, &L2, &H1, &worst, error)) return false;
    const double order = cells > 8 ? log2(before[0] / L2) : NAN, slope = cells > 8 ? log2(before[1] / H1) : NAN;
    if (!study_row(table, "distorted by 0.25 h", (double[]){ cells, L2, order, H1, slope, worst }, error)) return false;
    if (cells > 16) {
      study_check(w->report, "test 1, distorted meshes: difference between the order of the error's L2 norm and 2",
                  fabs(order - 2), 0.3);
      study_check(w->report, "test 1, distorted meshes: difference between the order of the error's H1 seminorm and 1",
                  fabs(slope - 1), 0.3);
    }
    before[0] = L2;
    before[1] = H1;
  }

  double L2, H1, worst;
  Trial t = { .element = "poisson_tri", .solver = "dcg", .relative = tolerance, .iterations_max = 100000 };
  if (!known_solution(w, 32, 0, &t, &L2, &H1, &worst, error) ||
      !study_row(table, "uniform", (double[]){ 32, L2, NAN, H1, NAN, worst }, error))
    return false;

  // On a uniform mesh the equations are those of the five-point difference formula. The error of this formula depends
  // only on the fourth derivatives of phi by x and by y, which are 0 for this phi. So the result is exact at nodes.
  study_check(w->report, "test 1, uniform mesh: largest error of phi at the nodes, divided by the largest phi", worst,
              precise ? 1e-11 : 1e-4);
  return true;
}

// ---- sections 5.2 to 5.4: times and iterations of solvers

// Solves one system, adds a row to the table, and checks the residual. `nodes` is the number of nodes per side. Three
// numbers are for comparison, NaN if not known: `paper_seconds`, the time of the paper's own program, s; `paper_other`,
// the paper's time of FEniCS, s; and `expected`, the expected number of iterations.
static bool solve_size(Work *w, StudyTable *table, CellShape shape, int nodes, const char *solver, bool random,
                       double paper_seconds, double paper_other, double expected, StationaryReport *report,
                       Error *error) {
  const bool precise = w->request->precision == PRECISION_F64, relaxes = solver[0] == 'j' || solver[0] == 'g';
  const double relative = poisson_relative(w->request->precision);
  char label[STUDY_WORD], sentence[STUDY_SENTENCE];
  PoissonSize size = { .shape = shape, .side = nodes, .solver = solver, .random = random };
  snprintf(label, sizeof label, "%s%s, %s %d", solver, random ? ", random b" : "",
           shape == CELL_TRI3 ? "square" : "cube", nodes);
  if (!poisson_bench_find(&w->bench, &size)) {
    report_progress(w, label);
    const double begin = timer_seconds();
    if (!poisson_bench_solve(&w->bench, &size, error)) return false;
    if (!relaxes) w->rate = (timer_seconds() - begin) / (nodes_of(shape, nodes) * nodes);
  }
  const StationaryReport *r = &size.report;
  *report = *r;
  const double values[] = { size.nodes,          size.cells,    r->iterations, expected,   r->solve_seconds,
                            r->assemble_seconds, paper_seconds, paper_other,   r->residual };
  snprintf(sentence, sizeof sentence, "%s: computed residual ||b - A x|| / ||b||, divided by the requested tolerance",
           label);
  if (precise || relaxes) study_check(w->report, sentence, r->converged ? r->residual / relative : NAN, 1.1);
  return study_row(table, label, values, error);
}

// Calls solve_size, which solves one system and adds a row to the table. If the solver is not available or does not
// support the system, reports this as progress and succeeds without a row.
static bool try_size(Work *w, StudyTable *table, CellShape shape, int nodes, const char *solver, Error *error) {
  Error absent = { 0 };
  StationaryReport r;
  if (solve_size(w, table, shape, nodes, solver, false, NAN, NAN, NAN, &r, &absent)) return true;
  report_progress(w, absent.message);
  return interrupt_check(error);
}

static bool study_solvers(Work *w, Error *error) {
  const bool fast = w->request->device == DEVICE_CUDA, precise = w->request->precision == PRECISION_F64;
  StudyTable *table =
      study_table(w->report,
                  "Sections 5.2 to 5.4: -Laplace phi = 1, residual 1e-6 (float: 1e-3), expected iterations; times in s "
                  "(paper: bound, GTX 680; FEniCS on a Core i7-3770K)",
                  (const char *const[]){ "nodes", "cells", "iterations", "expected", "solve", "assembly",
                                         "paper: under", "paper: FEniCS", "residual", NULL });
  static const char *const sweeping[] = { "jacobi", "gs", "gs_async" };
  StationaryReport r;

  // Solve by Jacobi and Gauss-Seidel, on sizes that the time limit allows. The expected number of sweeps comes from
  // theory. A sweep updates all unknowns once.
  const int squares[] = { 41, 61, 0 }, cubes[] = { 21, fast ? 80 : 31, 0 };
  for (int plane = 1; plane >= 0; plane--)
    for (const int *size = plane ? squares : cubes; *size; size++)
      for (int k = 0; k < 3; k++) {
        const CellShape shape = plane ? CELL_TRI3 : CELL_TET4;
        const double theory = poisson_sweeps(*size, poisson_relative(w->request->precision)) / (k ? 2 : 1);
        const bool whole = !plane && *size == 80;
        char what[STUDY_SENTENCE];
        if (!affords(w, nodes_of(shape, *size), 0)) continue;
        if (!solve_size(w, table, shape, *size, sweeping[k], false, whole && k ? 30 : NAN, whole && k == 1 ? 517 : NAN,
                        theory, &r, error))
          return false;
        snprintf(what, sizeof what, "%s: relative difference of the number of sweeps from the theoretical number",
                 sweeping[k]);
        if (k < 2) study_check(w->report, what, fabs(r.iterations / theory - 1), 0.1);
      }

  // Solve by the direct solver `lu`, if UMFPACK is installed.
  if (!fast && !try_size(w, table, CELL_TRI3, affords(w, nodes_of(CELL_TRI3, 181), 0) ? 181 : 91, "lu", error))
    return false;

  // Solve by conjugate gradients. `expected` is the number of iterations that an independent program needed, for some
  // of the paper's sizes.
  static const struct {
    CellShape shape;
    int nodes;
    const char *solver;
    bool random;
    double paper, other, expected;
  } rows[] = {
    { CELL_TET4, 40, "cg", false, NAN, NAN, NAN },   { CELL_TRI3, 350, "cg", false, NAN, NAN, NAN },
    { CELL_TET4, 80, "cg", false, 5, 27, 158 },      { CELL_TET4, 80, "cg", true, NAN, NAN, 224 },
    { CELL_TRI3, 700, "cg", false, NAN, NAN, 1134 }, { CELL_TRI3, 700, "cg", true, NAN, NAN, 1707 },
    { CELL_TRI3, 1001, "dcg", false, 18, 170, NAN },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char what[STUDY_SENTENCE];
    if (!affords_cg(w, rows[k].shape, rows[k].nodes)) continue;
    if (!solve_size(w, table, rows[k].shape, rows[k].nodes, rows[k].solver, rows[k].random, rows[k].paper,
                    rows[k].other, rows[k].expected, &r, error))
      return false;
    if (isnan(rows[k].expected) || !precise) continue;  // known numbers are for double and the tolerance 1e-6
    snprintf(what, sizeof what,
             "%s: relative difference of the number of iterations from that of an independent program",
             table->rows[table->row_count - 1].label);
    study_check(w->report, what, fabs(r.iterations / rows[k].expected - 1), rows[k].random ? 0.15 : 0.004);
  }

  // Solve by `resident`, which runs a complete CG solve in one GPU kernel.
  const int sides[2] = { fast ? 80 : 40, fast ? 1001 : 253 };
  for (int plane = 0; plane < 2; plane++) {
    const CellShape shape = plane ? CELL_TRI3 : CELL_TET4;
    if (affords_cg(w, shape, sides[plane]) && !try_size(w, table, shape, sides[plane], "resident", error)) return false;
  }
  return true;
}

// ---- Section 5.3: one file is read by several threads

// Measures how long mesh_read takes to read a mesh file with 1, 2, 4 and so on threads.
static bool time_reading(const char *path, int tets, StudyTable *table, Error *error) {
  enum { REPEAT = 3 };
  const int most = parallel_threads();
  double one = NAN;
  bool ok = true;
  for (int threads = 1; ok && threads <= most; threads *= 2) {
    double least = HUGE_VAL;
    parallel_set_threads(threads);
    for (int k = 0; ok && k < REPEAT; k++) {
      TetMesh mesh;
      const double begin = timer_seconds();
      ok = mesh_read(path, 1, &mesh, error);
      if (!ok) break;
      least = fmin(least, timer_seconds() - begin);
      if (mesh.tet_count != tets) ok = error_set(error, "%s: %d tets read, expected %d", path, mesh.tet_count, tets);
      mesh_destroy(&mesh);
    }
    if (threads == 1) one = least;
    ok = ok && study_row(table, "ASCII, MSH 2.2", (double[]){ threads, tets, least, one / least }, error);
  }
  parallel_set_threads(0);
  return ok && interrupt_check(error);
}

static bool study_reading(Work *w, Error *error) {
  const int cells = affords(w, nodes_of(CELL_TET4, 80), 10) ? 79 : 20;
  const char *parent = getenv("TMPDIR");
  char path[1024];
  TetMesh mesh;
  StudyTable *table = study_table(w->report, "Section 5.3: time to read a .msh file with several threads, s",
                                  (const char *const[]){ "threads", "tets", "s", "speedup", NULL });
  snprintf(path, sizeof path, "%.900s/pliant_study_%ld.msh", parent && parent[0] ? parent : "/tmp", (long)getpid());
  report_progress(w, "reading of a file");
  if (!mesh_make_box(cells, cells, cells, (double[3]){ 1, 1, 1 }, &mesh, error)) return false;
  const int tets = mesh.tet_count;
  bool ok = mesh_write(path, &mesh, &(MeshWriting){ .encoding = MESH_TEXT, .msh_version = 22 }, error);
  mesh_destroy(&mesh);
  ok = ok && time_reading(path, tets, table, error);
  remove(path);
  return ok;
}

// ---- Figure 2: CG on a square and a cube with equal numbers of unknowns. The cube needs fewer iterations, because it
// has fewer nodes between its middle and its boundary.

static bool study_distance(Work *w, Error *error) {
  StudyTable *table = study_table(
      w->report,
      "Figure 2: cube and square with about equal numbers of nodes, CG to a residual of 1e-6 (float: 1e-3); times in s",
      (const char *const[]){ "nodes", "cells", "iterations", "expected", "solve", "assembly", "paper: under",
                             "paper: FEniCS", "residual", NULL });
  static const int sides[][2] = { { 20, 89 }, { 40, 253 }, { 80, 700 } };
  for (int k = 0; k < 3; k++) {
    StationaryReport cube, square;
    if (!affords_cg(w, CELL_TET4, sides[k][0]) || (k && !affords_cg(w, CELL_TRI3, sides[k][1]))) break;
    if (!solve_size(w, table, CELL_TET4, sides[k][0], "cg", false, NAN, NAN, NAN, &cube, error) ||
        !solve_size(w, table, CELL_TRI3, sides[k][1], "cg", false, NAN, NAN, NAN, &square, error))
      return false;

    // Each iteration of CG computes one product A x, which carries information only from a node to its neighbours. So
    // the number of iterations is at least the number of nodes from the boundary to the middle.
    study_check(w->report,
                "Figure 2: number of nodes from the boundary to the middle, divided by the number of CG iterations",
                fmax(sides[k][0] / 2.0 / cube.iterations, sides[k][1] / 2.0 / square.iterations), 1);
    study_check(w->report, "Figure 2: number of CG iterations for the cube, divided by that for the square",
                (double)cube.iterations / square.iterations, 0.6);
  }
  return true;
}

// ---- section 6: deflections of plates

typedef enum PlateLoad { LUMPED, CONSISTENT, POINT } PlateLoad;

static bool plate_centre(Work *w, const char *element, int cells, double distort, bool clamped, PlateLoad kind,
                         double *centre, double *assemble_seconds, Error *error) {
  CellMesh mesh;
  uint8_t *on = NULL;
  bool ok = square_or_cube(strcmp(element, "plate_acm") ? CELL_TRI3 : CELL_QUAD4, cells + 1, 0, 1, distort, &mesh, &on,
                           error);
  const int n = ok ? mesh.node_count : 0, middle = n / 2;
  uint8_t *fixed = ok ? array_new(3 * (int64_t)n, 1, "supports", error) : NULL;
  double *one = ok ? array_new(n, sizeof *one, "loads", error) : NULL;
  double *share = ok ? array_new(n, sizeof *share, "loads", error) : NULL;
  double *load = ok ? array_new(3 * (int64_t)n, sizeof *load, "loads", error) : NULL;
  double *u = ok ? array_new(3 * (int64_t)n, sizeof *u, "deflections", error) : NULL;
  ok = fixed && one && share && load && u;
  if (ok) mesh.X[middle][0] = mesh.X[middle][1] = 0.5;
  for (int a = 0; ok && a < n; a++) {
    const bool left = mesh.X[a][0] == 0 || mesh.X[a][0] == 1, below = mesh.X[a][1] == 0 || mesh.X[a][1] == 1;
    one[a] = 1;
    fixed[3 * a] = on[a];
    fixed[3 * a + 1] = below || (left && clamped);
    fixed[3 * a + 2] = left || (below && clamped);
  }

  ok = ok && (kind != LUMPED || stationary_lumped_load(&mesh, one, share, error));
  for (int a = 0; ok && kind == LUMPED && a < n; a++) load[3 * a] = share[a];
  if (ok && kind == POINT) load[3 * middle] = 1;
  Trial t = { .element = element,
              .solver = "dcg",
              .relative = w->request->precision == PRECISION_F64 ? 1e-11 : 1e-6,
              .iterations_max = 100000,
              .load = load,
              .no_source = kind != CONSISTENT,
              .u = u };
  ok = ok && solve_on(w, "plate", &mesh, (const double[3]){ 1, 0.3, 0 }, fixed, &t, error);
  if (ok) *centre = u[3 * middle];
  *assemble_seconds = t.report.assemble_seconds;
  free(on);
  free(fixed);
  free(one);
  free(share);
  free(load);
  free(u);
  cell_mesh_destroy(&mesh);
  return ok;
}

static bool study_plates(Work *w, Error *error) {
  static const struct {
    const char *label, *element;
    double distort;
    bool clamped;
    PlateLoad load;
    // expected: central deflections with 2, 4, 8, 16, 32 cells per side; 0: not known. exact: exact deflection.
    double expected[5], exact;
  } rows[] = {
    { "acm, supported, lumped q",
      "plate_acm",
      0,
      false,
      LUMPED,
      { .003446, .003939, .004033, .004055, .004061 },
      .0040624 },
    { "acm, clamped, lumped q",
      "plate_acm",
      0,
      true,
      LUMPED,
      { .001480, .001403, .001304, .001275, .001268 },
      .0012653 },
    { "acm, supported, point load", "plate_acm", 0, false, POINT, { .013784, .012327, .011829, .011669 }, .011601 },
    { "acm, clamped, point load", "plate_acm", 0, true, POINT, { .005919, .006134, .005803, .005672 }, .005612 },
    { "acm, supported, consistent q",
      "plate_acm",
      0,
      false,
      CONSISTENT,
      { .005063, .004328, .004129, .004079, .004067 },
      .0040624 },
    { "tocher, supported, consistent q",
      "plate_tocher",
      0,
      false,
      CONSISTENT,
      { .004454, .004220, .004105, .004074 },
      .0040624 },
    { "tocher, clamped, consistent q",
      "plate_tocher",
      0,
      true,
      CONSISTENT,
      { .001302, .001381, .001301, .001275 },
      .0012653 },
    { "tocher, clamped, distorted", "plate_tocher", 0.2, true, CONSISTENT, { 0 }, .0012653 },
    { "dkt, supported, distorted", "plate_dkt", 0.2, false, CONSISTENT, { 0 }, .0040624 },
    { "dkt, clamped, distorted", "plate_dkt", 0.2, true, CONSISTENT, { 0 }, .0012653 },
  };
  StudyTable *table = study_table(
      w->report, "Section 6: deflection of a square plate's centre (off: error); side 1, rigidity 1, nu 0.3",
      (const char *const[]){ "2 cells a side", "4", "8", "16", "32", "exact", "off, %", "assembly, ms", "paper: under",
                             NULL });
  const bool precise = w->request->precision == PRECISION_F64;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double values[9] = { NAN, NAN, NAN, NAN, NAN, rows[k].exact, NAN, NAN, 1 }, seconds = 0;
    int last = 0;
    for (int c = 0; c < 5; c++) {
      // In float, CG does not converge on grids finer than 8 cells per side, because condition numbers are too large.
      if (!precise && c > 2) break;
      if (!interrupt_check(error) || !plate_centre(w, rows[k].element, 2 << c, rows[k].distort, rows[k].clamped,
                                                   rows[k].load, &values[c], &seconds, error))
        return false;
      last = c;
      if (rows[k].expected[c] > 0)
        study_check(w->report, "plates: deflection, difference from an independent program, in units of its last digit",
                    fabs(values[c] - rows[k].expected[c]) / 1e-6, precise ? 0.51 : 20);
    }
    values[6] = 100 * (values[last] / rows[k].exact - 1);
    values[7] = 1e3 * seconds;
    if (!study_row(table, rows[k].label, values, error)) return false;
    if (strcmp(rows[k].element, "plate_dkt") == 0 && precise)
      study_check(w->report, "plates: deflection error, 32 distorted Kirchhoff cells a side, %", fabs(values[6]), 1);
    if (rows[k].distort > 0 && strcmp(rows[k].element, "plate_tocher") == 0 && precise)
      study_check(w->report, "plates: deflection, Tocher's triangles, distorted, difference from its limit 1.303e-3, %",
                  fabs(100 * (values[last] / 1.303e-3 - 1)), 1.5);
  }
  return true;
}

// Runs the parts of one section of the paper; 0: of all sections.
static bool study_section(Work *w, int section, Error *error) {
  const bool all = section == 0;
  return (!(all || section == 4) || study_assembly(w, error)) &&
         (!(all || section == 5) ||
          (study_known(w, error) && study_solvers(w, error) && study_reading(w, error) && study_distance(w, error))) &&
         (!(all || section == 6) || study_plates(w, error));
}

bool study_iosifidis(const StudyRequest *request, StudyReport *report, Error *error) {
  Work w = { .request = request,
             .report = report,
             .bench = { .device = request->device, .precision = request->precision, .repeat = request->repeat } };
  const bool ok = request->figure == 2 ? study_distance(&w, error) : study_section(&w, request->section, error);
  poisson_bench_close(&w.bench);
  return ok;
}
