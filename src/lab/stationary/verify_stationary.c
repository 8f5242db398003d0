// Test cases of the command `pliant-lab verify`: Poisson's equation, plates and a plane body. They also compare numbers
// of iterations and of matrix entries. Reference values are closed forms and independent computations.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/run_verify.h"
#include "base/array.h"
#include "lab/stationary/stationary.h"
#include "mesh/grid.h"
#include "sim/element/moduli.h"

// Returns a known solution: u = sin pi x sin pi y / (2 pi^2) or, in space, sin pi x sin pi y sin pi z / (3 pi^2). Its
// source -Laplace u is the product of the sines.
static double sines(const void *dimension, const double x[3], double gradient[3]) {
  const double pi = acos(-1);
  const int d = *(const int *)dimension;
  double product = 1 / (d * pi * pi);
  for (int i = 0; i < d; i++) product *= sin(pi * x[i]);
  for (int i = 0; gradient && i < d; i++) {
    gradient[i] = pi * cos(pi * x[i]) / (d * pi * pi);
    for (int k = 0; k < d; k++)
      if (k != i) gradient[i] *= sin(pi * x[k]);
  }
  return product;
}

static double sines_source(const void *dimension, const double x[3], double gradient[3]) {
  (void)gradient;
  const double pi = acos(-1);
  return *(const int *)dimension * pi * pi * sines(dimension, x, NULL);
}

// Solves a problem on the device and in the precision of `stages`, and writes the solution u [n]. `matrix` and `solver`
// are names; NULL means the default. `relative` is the tolerance of the named solver. The default solver gets a
// tolerance near the rounding errors instead.
static bool solve(const SimulationSettings *stages, const StationaryProblem *problem, const char *matrix,
                  const char *solver, double relative, double *u, StationaryReport *report, Error *error) {
  Stationary *stationary = NULL;
  StationarySettings settings = stationary_defaults();
  settings.device = stages->device;
  settings.precision = stages->precision;
  settings.relative = solver ? relative : stages->precision == PRECISION_F64 ? 1e-12 : 1e-6;
  if (matrix) snprintf(settings.matrix, sizeof settings.matrix, "%s", matrix);
  if (solver) snprintf(settings.solver, sizeof settings.solver, "%s", solver);
  bool ok = stationary_create(&stationary, problem, &settings, error);
  ok = ok && stationary_assemble(stationary, error);
  ok = ok && stationary_solve(stationary, error);
  ok = ok && stationary_result(stationary, u, error);
  if (ok && report) *report = *stationary_report(stationary);
  stationary_destroy(stationary);
  return ok;
}

// Describes one solve: a Poisson problem on a grid of a square or cube, and the methods. The problem is -Laplace u = f,
// where the source f is a product of sines, or 1.
typedef struct GridRun {
  const char *element, *matrix, *solver;  // NULL for matrix or solver: the default
  CellShape shape;
  int cells, seed;
  double distort, relative;
  bool constant;  // true: the source is 1; false: it is a product of sines
} GridRun;

// Results of the solve that a GridRun describes.
typedef struct GridFound {
  double L2, H1;  // L2 norm and H1 seminorm of the error, if the source is a product of sines
  StationaryReport report;
} GridFound;

static bool run_grid(const SimulationSettings *stages, const GridRun *run, GridFound *found, Error *error) {
  const Grid grid = { .shape = run->shape,
                      .cells = { run->cells, run->cells, run->cells },
                      .size = { 1, 1, 1 },
                      .distort = run->distort,
                      .seed = (uint64_t)run->seed };
  CellMesh mesh = { 0 };
  const CellShapeInfo *kind = cell_shape_info(run->shape);
  const int dimension = kind->dimension;
  const StationaryElement *element = stationary_element(run->element, "poisson", run->shape, error);
  bool ok = element && grid_make(&grid, &mesh, error);
  uint8_t *fixed = ok ? array_new(mesh.node_count, 1, "boundary", error) : NULL;
  double *load = ok ? array_new(mesh.node_count, sizeof *load, "loads", error) : NULL;
  double *u = ok ? array_new(mesh.node_count, sizeof *u, "solution", error) : NULL;
  ok = fixed && load && u;
  if (ok) {
    grid_boundary(&grid, &mesh, fixed);
    for (int k = 0; run->constant && k < mesh.node_count; k++) u[k] = 1;
    if (!run->constant) stationary_load(&mesh, sines_source, &dimension, kind->degree + 1, load);
    const StationaryProblem problem = { .mesh = &mesh,
                                        .element = element,
                                        .material = { 1 },
                                        .source = run->constant ? u : NULL,
                                        .load = load,
                                        .fixed = fixed };
    ok = solve(stages, &problem, run->matrix, run->solver, run->relative, u, &found->report, error);
    if (ok && !run->constant)
      stationary_distance(&mesh, u, sines, &dimension, kind->degree + 3, &found->L2, &found->H1);
  }

  free(fixed);
  free(load);
  free(u);
  cell_mesh_destroy(&mesh);
  return ok;
}

// Solves Poisson's problem on a grid with a source of sines. Computes the L2 norm and the H1 seminorm of the error.
static bool sine_errors(const SimulationSettings *stages, const char *name, CellShape shape, int cells, double distort,
                        double *L2, double *H1, Error *error) {
  const GridRun run = { .element = name, .shape = shape, .cells = cells, .seed = 1, .distort = distort };
  GridFound found = { 0 };
  const bool ok = run_grid(stages, &run, &found, error);
  *L2 = found.L2;
  *H1 = found.H1;
  return ok;
}

// For quadrilaterals of degree 1 to 4, the errors and numbers of iterations on the grids of paper 001. An independent
// program (numpy, double) computed them.
static const struct {
  const char *element;
  CellShape shape;
  double L2, H1;  // L2 norm and H1 seminorm of the error, on a grid with 96 intervals between nodes per side
  // numbers of iterations of the solvers cg, dcg and ssor to the relative residual 1e-8, on a grid with 192 intervals
  // between nodes per side; the inner corners of cells are moved at random by up to 0.2 of a cell's side
  // (tests/lab/quad_iterations.py --lines 192)
  int cg, dcg, ssor;
} quads[] = { { "scalar_quad4", CELL_QUAD4, 2.674693e-6, 1.063137e-3, 362, 368, 190 },
              { "scalar_quad9", CELL_QUAD9, 5.774777e-8, 1.796601e-5, 551, 502, 245 },
              { "scalar_quad16", CELL_QUAD16, 1.104610e-9, 3.353883e-7, 815, 721, 291 },
              { "scalar_quad25", CELL_QUAD25, 2.200654e-11, 6.555082e-9, 1298, 1078, 358 } };

static bool verify_poisson(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const bool precise = stages->precision == PRECISION_F64;
  double L2, H1;
  for (int p = 1; p <= (precise ? 4 : 1); p++) {
    char what[80];
    if (!sine_errors(stages, quads[p - 1].element, quads[p - 1].shape, 96 / p, 0, &L2, &H1, error)) return false;
    snprintf(what, sizeof what, "quads of degree %d, %d cells a side: L2 norm of the error", p, 96 / p);
    report_relative(report, what, "", quads[p - 1].L2, L2, 1e-4);

    // The expected L2 error is only 5e-5 of the largest value of u, 0.05. In float this check is marked as undecidable,
    // because rounding errors may hide so small an error.
    if (!precise) report_beyond(report, 1);
    snprintf(what, sizeof what, "quads of degree %d, %d cells a side: H1 seminorm of the error", p, 96 / p);
    report_relative(report, what, "", quads[p - 1].H1, H1, precise ? 1e-4 : 1e-2);
  }

  // For the solution sin pi x sin pi y sin pi z the error is known: 1.4367e-3. The solution here is this one divided by
  // 3 pi^2, and so is the error.
  if (!sine_errors(stages, "scalar_hex8", CELL_HEX8, 16, 0, &L2, &H1, error)) return false;
  report_relative(report, "hexes, 16 cells a side: L2 norm of the error", "", 1.4367e-3 / (3 * acos(-1) * acos(-1)), L2,
                  precise ? 1e-4 : 1e-2);
  static const struct {
    const char *element, *label;
    CellShape shape;
    int cells;
  } rows[] = { { "poisson_tri", "triangles by cotangents", CELL_TRI3, 8 },
               { "scalar_tri3", "triangles by quadrature", CELL_TRI3, 8 },
               { "scalar_quad4", "quads", CELL_QUAD4, 8 },
               { "scalar_hex8", "hexes", CELL_HEX8, 4 },
               { "poisson_tet", "tets by cotangents", CELL_TET4, 4 } };
  for (int k = 0; k < 5; k++) {
    double before[2] = { 0 };
    char what[80];
    for (int m = 0; m < 3; m++) {
      before[0] = m ? L2 : 0;
      before[1] = m ? H1 : 0;
      if (!sine_errors(stages, rows[k].element, rows[k].shape, rows[k].cells << m, 0.2, &L2, &H1, error)) return false;
      snprintf(what, sizeof what, "%s, L2", rows[k].label);
      report_point(report, what, rows[k].cells << m, L2);
    }
    snprintf(what, sizeof what, "%s, distorted: order of the error's L2 norm", rows[k].label);
    report_check(report, what, "", 2, log2(before[0] / L2), 1, 0.3);
    snprintf(what, sizeof what, "%s, distorted: order of the error's H1 seminorm", rows[k].label);
    report_check(report, what, "", 1, log2(before[1] / H1), 1, 0.3);
  }
  return true;
}

// Computes *centre, the deflection w at the centre of a square plate of side 1 under a uniform load. The load vector is
// integrated with the shape functions or lumped.
static bool plate_centre(const SimulationSettings *stages, const char *name, int cells, double distort, bool clamped,
                         bool lumped, double *centre, Error *error) {
  const StationaryElement *element = NULL;
  for (const StationaryElement *e = stationary_elements; e->name && !element; e++)
    if (strcmp(e->name, name) == 0) element = e;
  const Grid grid = {
    .shape = element->shape, .cells = { cells, cells }, .size = { 1, 1 }, .distort = distort, .seed = 1
  };
  CellMesh mesh = { 0 };
  bool ok = grid_make(&grid, &mesh, error);
  const int64_t n = 3 * (int64_t)mesh.node_count;
  uint8_t *fixed = ok ? array_new(n, 1, "supports", error) : NULL;
  double *load = ok ? array_new(n, sizeof *load, "loads", error) : NULL;
  double *one = ok ? array_new(n, sizeof *one, "loads", error) : NULL;
  double *share = ok ? array_new(n, sizeof *share, "loads", error) : NULL;
  double *u = ok ? array_new(n, sizeof *u, "deflections", error) : NULL;
  ok = fixed && load && one && share && u;
  const int middle = mesh.node_count / 2;
  if (ok) mesh.X[middle][0] = mesh.X[middle][1] = 0.5;
  for (int a = 0; ok && a < mesh.node_count; a++) {
    const bool left = mesh.X[a][0] == 0 || mesh.X[a][0] == 1, below = mesh.X[a][1] == 0 || mesh.X[a][1] == 1;
    one[a] = 1;
    fixed[3 * a] = left || below;
    fixed[3 * a + 1] = below || (left && clamped);
    fixed[3 * a + 2] = left || (below && clamped);
  }

  ok = ok && stationary_lumped_load(&mesh, one, share, error);
  for (int a = 0; ok && lumped && a < mesh.node_count; a++) load[3 * a] = share[a];
  const StationaryProblem problem = { .mesh = &mesh,
                                      .element = element,
                                      .material = { 1, 0.3 },
                                      .source = lumped ? NULL : one,
                                      .load = load,
                                      .fixed = fixed };
  ok = ok && solve(stages, &problem, NULL, NULL, 0, u, NULL, error);
  if (ok) *centre = u[3 * middle];
  free(fixed);
  free(load);
  free(one);
  free(share);
  free(u);
  cell_mesh_destroy(&mesh);
  return ok;
}

static bool verify_plate(const SimulationSettings *stages, CaseReport *report, Error *error) {
  static const struct {
    const char *element, *label;
    int cells;
    double distort;
    bool clamped, lumped;

    // expected: the deflection. bound: largest relative error. For plate_dkt, `expected` is the exact deflection. For
    // the other elements an independent program computed it, and `bound` is half of its last digit.
    double expected, bound;
  } rows[] = {
    { "plate_acm", "deflection: 8 x 8 rectangles, supported edges", 8, 0, false, true, .004033, 1.3e-4 },
    { "plate_acm", "deflection: 32 x 32 rectangles, supported edges", 32, 0, false, true, .004061, 1.3e-4 },
    { "plate_acm", "deflection: 8 x 8 rectangles, clamped edges", 8, 0, true, true, .001304, 4e-4 },
    { "plate_acm", "deflection: 32 x 32 rectangles, clamped edges", 32, 0, true, true, .001268, 4e-4 },
    { "plate_acm", "deflection: 16 x 16 rectangles, supported, consistent load", 16, 0, false, false, .004079, 1.3e-4 },
    { "plate_tocher", "deflection: Tocher's triangles, 8 cells a side, supported edges", 8, 0, false, false, .004105,
      1.3e-4 },
    { "plate_tocher", "deflection: Tocher's triangles, 8 cells a side, clamped edges", 8, 0, true, false, .001301,
      4e-4 },
    { "plate_dkt", "deflection: distorted Kirchhoff triangles, 32 cells a side, supported", 32, 0.2, false, false,
      .00406235, 5e-3 },
    { "plate_dkt", "deflection: distorted Kirchhoff triangles, 32 cells a side, clamped", 32, 0.2, true, false,
      .00126532, 5e-3 },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double w;
    if (!plate_centre(stages, rows[k].element, rows[k].cells, rows[k].distort, rows[k].clamped, rows[k].lumped, &w,
                      error))
      return false;

    // In float the bound is larger, because the condition number of these matrices grows as h^-4 for a cell size h that
    // becomes smaller.
    const double float_bound = 1e-2;
    const bool precise = stages->precision == PRECISION_F64;
    report_relative(report, rows[k].label, "m", rows[k].expected, w, precise ? rows[k].bound : float_bound);
  }
  return true;
}

// A ring with inner radius 1 m and outer radius 2 m under a pressure inside. At radius r, the exact radial displacement
// is A r + B / r.
typedef struct Ring {
  double pressure, A, B;
  int axis;  // component of the displacement that ring_moved returns
} Ring;
enum { RING_INNER = 1, RING_OUTER = 2 };

static double ring_moved(const void *user, const double x[3], double gradient[3]) {
  const Ring *ring = user;
  const double r2 = x[0] * x[0] + x[1] * x[1], outward = ring->A + ring->B / r2;
  const int i = ring->axis;
  for (int k = 0; gradient && k < 3; k++)
    gradient[k] = k == 2 ? 0 : (i == k ? outward : 0) - 2 * ring->B * x[i] * x[k] / (r2 * r2);
  return outward * x[i];
}

static double ring_pressure(const void *user, const double x[3], double gradient[3]) {
  (void)gradient;
  return hypot(x[0], x[1]) < 0.5 * (RING_INNER + RING_OUTER) ? ((const Ring *)user)->pressure : 0;
}

// Makes the mesh of a quarter of the ring. It is a square of cells whose nodes are moved: x becomes the radius, y the
// angle.
static bool ring_mesh(CellShape shape, int cells, CellMesh *mesh, Error *error) {
  const Grid grid = { .shape = shape, .cells = { cells, cells }, .size = { 1, 1 } };
  if (!grid_make(&grid, mesh, error)) return false;
  for (int a = 0; a < mesh->node_count; a++) {
    double *X = mesh->X[a];
    const double r = RING_INNER + (RING_OUTER - RING_INNER) * X[0], angle = acos(0) * X[1];
    X[0] = X[1] < 1 ? r * cos(angle) : 0;
    X[1] = r * sin(angle);
  }
  return true;
}

// Solves the problem of a ring under pressure (Ring). Computes *L2, the L2 norm of the displacement's error, and
// *inner, the radial displacement of the first node on the inner side.
static bool solve_ring(const SimulationSettings *stages, CellShape shape, int cells, const double material[3],
                       const Ring *known, double *L2, double *inner, Error *error) {
  CellMesh mesh = { 0 };
  const StationaryElement *element = stationary_element(NULL, "elasticity", shape, error);
  bool ok = element && ring_mesh(shape, cells, &mesh, error);
  const int64_t nodes = mesh.node_count, n = 2 * nodes;
  uint8_t *fixed = ok ? array_new(n, 1, "supports", error) : NULL, *held = ok ? array_new(nodes, 1, "", error) : NULL;
  double *load = ok ? array_new(n, sizeof *load, "loads", error) : NULL;
  double *part = ok ? array_new(nodes, sizeof *part, "loads", error) : NULL;
  double *u = ok ? array_new(n, sizeof *u, "displacements", error) : NULL;
  const StationaryBoundary pressure = { .at = ring_pressure, .user = known };
  ok = fixed && held && load && part && u;
  for (int i = 0; ok && i < 2; i++) {
    memset(part, 0, sizeof *part * (size_t)nodes);
    ok = stationary_boundary_load(&mesh, held, &pressure, i, 3, part, error);
    for (int a = 0; a < nodes; a++) {
      load[2 * a + i] = -part[a];
      fixed[2 * a + i] = mesh.X[a][i] == 0;
    }
  }

  const StationaryProblem problem = { .mesh = &mesh,
                                      .element = element,
                                      .material = { material[0], material[1], material[2] },
                                      .load = load,
                                      .fixed = fixed };
  ok = ok && solve(stages, &problem, NULL, NULL, 0, u, NULL, error);
  double sum = 0;
  for (int i = 0; ok && i < 2; i++) {
    Ring along = *known;
    double off;
    along.axis = i;
    for (int a = 0; a < nodes; a++) part[a] = u[2 * a + i];
    stationary_distance(&mesh, part, ring_moved, &along, 4, &off, NULL);
    sum += off * off;
  }

  *L2 = sqrt(sum);
  *inner = ok ? u[0] : NAN;
  free(fixed);
  free(held);
  free(load);
  free(part);
  free(u);
  cell_mesh_destroy(&mesh);
  return ok;
}

static bool verify_plane(const SimulationSettings *stages, CaseReport *report, Error *error) {
  static const struct {
    const char *label;
    CellShape shape;
    double bound;
  } rows[] = { { "triangles", CELL_TRI3, 5e-3 }, { "quads", CELL_QUAD4, 5e-4 } };
  const double E = 1e5, nu = 0.3, pressure = 1e3, a2 = RING_INNER * RING_INNER, b2 = RING_OUTER * RING_OUTER;
  const double share = pressure * a2 / (b2 - a2) / E;
  const bool precise = stages->precision == PRECISION_F64;
  for (int k = 0; k < 4; k++) {
    const bool stress = k % 2;
    const Ring known = { .pressure = pressure,
                         .A = share * (stress ? 1 - nu : (1 + nu) * (1 - 2 * nu)),
                         .B = share * (1 + nu) * b2 };
    const double material[3] = { lame_mu(E, nu), lame_lambda(E, nu), stress };
    double L2[2], inner = 0;
    char what[80];
    for (int m = 0; m < 2; m++) {
      const int cells = 16 << m;
      if (!solve_ring(stages, rows[k / 2].shape, cells, material, &known, &L2[m], &inner, error)) return false;
      snprintf(what, sizeof what, "%s, plane %s", rows[k / 2].label, stress ? "stress" : "strain");
      report_point(report, what, cells, L2[m]);
    }
    snprintf(what, sizeof what, "%s, plane %s: displacement of the inner side", rows[k / 2].label,
             stress ? "stress" : "strain");
    report_relative(report, what, "m", known.A + known.B, inner, rows[k / 2].bound);
    snprintf(what, sizeof what, "%s, plane %s: order of the error's L2 norm", rows[k / 2].label,
             stress ? "stress" : "strain");
    report_check(report, what, "", 2, log2(L2[0] / L2[1]), 1, precise ? 0.1 : 0.3);
  }
  return true;
}

// Compares the number of iterations of `solver` on quadrilaterals of degree p with `known`. An independent program
// counted `known` on the same mesh. The order of its sums differs, and rounding errors change large numbers by up to
// 0.4 %.
static bool quad_iterations(const SimulationSettings *stages, CaseReport *report, int p, const char *solver, int known,
                            Error *error) {
  char what[80];
  GridFound found = { 0 };
  const int cells = 192 / p;
  const GridRun run = { .element = quads[p - 1].element,
                        .solver = solver,
                        .shape = quads[p - 1].shape,
                        .cells = cells,
                        .seed = 2,
                        .distort = 0.2,
                        .relative = 1e-8 };
  if (!run_grid(stages, &run, &found, error)) return false;
  const double count = found.report.converged ? found.report.iterations : NAN;
  snprintf(what, sizeof what, "degree %d, 192 intervals a side: iterations of %s to residual 1e-8", p, solver);
  report_relative(report, what, "iterations", known, count, 0.004);
  if (strcmp(solver, "cg") != 0) return true;

  // On one grid line, count the ordered pairs of nodes that share a cell. The square of this number is the number of
  // matrix entries.
  const double line = cells * (p + 1) * (p + 1) - cells + 1;
  snprintf(what, sizeof what, "quads of degree %d: entries of the matrix", p);
  report_relative(report, what, "", line * line, (double)found.report.nonzeros, 0);
  return true;
}

// Compares the numbers of CG iterations with those of an independent program, for two systems of paper 003 with a
// constant source, solved to the relative residual 1e-6. Also compares the numbers of sweeps of Jacobi and Gauss-Seidel
// with theory. In one sweep on a square with 40 cells per side, Jacobi multiplies the slowest mode of the error by
// cos(pi/40), and Gauss-Seidel by the square of this number.
static bool paper_iterations(const SimulationSettings *stages, CaseReport *report, Error *error) {
  static const struct {
    const char *what, *element;
    CellShape shape;
    int cells;
    double known;
  } rows[] = { { "cube of 80 nodes a side, tets: CG iterations to a residual of 1e-6", "poisson_tet", CELL_TET4, 79,
                 158 },
               { "square of 700 nodes a side, triangles: CG iterations to a residual of 1e-6", "poisson_tri", CELL_TRI3,
                 699, 1134 } };
  for (int k = 0; k < 2; k++) {
    GridFound found = { 0 };
    const GridRun run = { .element = rows[k].element,
                          .solver = "cg",
                          .shape = rows[k].shape,
                          .cells = rows[k].cells,
                          .relative = 1e-6,
                          .constant = true };

    // skip these systems on a CPU, where they take too long, and in float, for which the known numbers are not valid
    if (stages->device == DEVICE_CPU || stages->precision != PRECISION_F64) continue;
    if (!run_grid(stages, &run, &found, error)) return false;
    report_relative(report, rows[k].what, "iterations", rows[k].known, found.report.iterations, 0.004);
  }

  const double relative = stages->precision == PRECISION_F64 ? 1e-6 : 1e-3;
  static const char *const solvers[] = { "jacobi", "gs" };
  for (int k = 0; k < 2; k++) {
    char what[80];
    GridFound found = { 0 };
    const GridRun run = { .element = "poisson_tri",
                          .solver = solvers[k],
                          .shape = CELL_TRI3,
                          .cells = 40,
                          .relative = relative,
                          .constant = true };
    if (!run_grid(stages, &run, &found, error)) return false;
    snprintf(what, sizeof what, "triangles, 41 nodes a side: sweeps of %s to residual %g", solvers[k], relative);
    report_relative(report, what, "sweeps", log(relative) / log(cos(acos(-1) / 40)) / (k + 1), found.report.iterations,
                    0.1);
  }
  return true;
}

// Compares the number of matrix entries in the lower triangle of a cube of n^3 hexahedra with its closed form: half of
// the sum of all (3 n + 1)^3 entries and the (n + 1)^3 diagonal entries.
static bool lower_entries(const SimulationSettings *stages, CaseReport *report, int cells, Error *error) {
  char what[80];
  const GridRun run = { .element = "scalar_hex8", .matrix = "lcsr", .shape = CELL_HEX8, .cells = cells };
  GridFound found = { 0 };
  if (!run_grid(stages, &run, &found, error)) return false;
  snprintf(what, sizeof what, "hexes, %d cells a side: entries of the matrix's lower triangle", cells);
  report_relative(report, what, "", (pow(3 * cells + 1, 3) + pow(cells + 1, 3)) / 2, (double)found.report.stored, 0);
  return true;
}

static bool verify_counts(const SimulationSettings *stages, CaseReport *report, Error *error) {
  // The expected numbers of iterations are valid for double precision only. On a CPU only degree 1 is solved, because
  // degrees 2 to 4 would take seconds.
  const int degrees = stages->precision != PRECISION_F64 ? 0 : stages->device == DEVICE_CPU ? 1 : 4;
  for (int p = 1; p <= degrees; p++)
    if (!quad_iterations(stages, report, p, "cg", quads[p - 1].cg, error) ||
        !quad_iterations(stages, report, p, "dcg", quads[p - 1].dcg, error) ||
        !quad_iterations(stages, report, p, "ssor", quads[p - 1].ssor, error))
      return false;
  // Check the number of matrix entries on cubes with 10 and 20 cells per side, the meshes of 1,000 and 8,000 elements
  // in Table 1 of paper 002.
  return paper_iterations(stages, report, error) && lower_entries(stages, report, 10, error) &&
         lower_entries(stages, report, 20, error);
}

static const VerifyCase stationary_cases[] = {
  { "poisson", "Poisson's equation on triangles, quads, hexes and tets", "cells a side", "L2 error",
    .run = verify_poisson },
  { "plate", "deflection of the centre of a square plate under a uniform load", "", "", .run = verify_plate },
  { "counts", "numbers of solver iterations, and numbers of matrix entries", "", "", .run = verify_counts },
  { "ring", "a ring under inner pressure (Lame), in plane strain and in plane stress", "cells a side", "L2 error, m",
    .run = verify_plane },
  { .name = NULL },
};

static bool run(const CommandInput *input, Error *error) {
  return run_verify(input->scene, input->options, stationary_cases, error);
}

extern const CommandRow stationary_verify_command;
const CommandRow stationary_verify_command = {
  .name = "verify",
  .usage = "[OPTION]...",
  .summary = "Runs four stationary problems with known answers, and prints reference, result, error and bound.",
  .options = verify_options,
  .options_size = sizeof(VerifyOptions),
  .takes = TAKES_STAGES,
  .prepare = verify_prepare,
  .run = run,
};
