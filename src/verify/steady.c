// Problems without time: Poisson's equation on triangles, quads and tets, and plates, against figures that were
// computed independently and against closed forms.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "mesh/grid.h"
#include "sim/steady.h"
#include "verify/verify.h"

// u = sin pi x sin pi y / (2 pi^2), in space times sin pi z and over 3 pi^2, whose -Laplace u is the product of sines
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

// one system on the device and in the precision of `stages`; u [n]
static bool solve(const SimulationSettings *stages, const SteadyProblem *problem, double *u, Error *error) {
  Steady *steady = NULL;
  SteadySettings settings = steady_defaults();
  settings.device = stages->device;
  settings.precision = stages->precision;
  settings.relative = stages->precision == PRECISION_F64 ? 1e-12 : 1e-6;
  const bool ok = steady_create(&steady, problem, &settings, error) && steady_assemble(steady, error) &&
                  steady_solve(steady, error) && steady_result(steady, u, error);
  steady_destroy(steady);
  return ok;
}

// the errors of the sines on a grid of an element
static bool sine_errors(const SimulationSettings *stages, const char *name, CellShape shape, int cells, double distort,
                        double *L2, double *H1, Error *error) {
  const Grid grid = {
    .shape = shape, .cells = { cells, cells, cells }, .size = { 1, 1, 1 }, .distort = distort, .seed = 1
  };
  CellMesh mesh = { 0 };
  const int dimension = cell_shape_info(shape)->dimension, rule = cell_shape_info(shape)->degree + 3;
  const SteadyElement *element = steady_element(name, "poisson", shape, error);
  bool ok = element && grid_make(&grid, &mesh, error);
  uint8_t *fixed = ok ? array_new(mesh.node_count, 1, "boundary", error) : NULL;
  double *load = ok ? array_new(mesh.node_count, sizeof *load, "loads", error) : NULL;
  double *u = ok ? array_new(mesh.node_count, sizeof *u, "solution", error) : NULL;
  ok = fixed && load && u;
  if (ok) {
    grid_boundary(&grid, &mesh, fixed);
    steady_load(&mesh, sines_source, &dimension, cell_shape_info(shape)->degree + 1, load);
    const SteadyProblem problem = {
      .mesh = &mesh, .element = element, .material = { 1 }, .load = load, .fixed = fixed
    };
    ok = solve(stages, &problem, u, error);
    if (ok) steady_distance(&mesh, u, sines, &dimension, rule, L2, H1);
  }
  free(fixed), free(load), free(u);
  cell_mesh_destroy(&mesh);
  return ok;
}

bool verify_poisson(const SimulationSettings *stages, CaseReport *report, Error *error) {
  const bool precise = stages->precision == PRECISION_F64;
  double L2, H1;
  if (!sine_errors(stages, "scalar_quad4", CELL_QUAD4, 96, 0, &L2, &H1, error)) return false;
  report_relative(report, "quads of degree 1, 96 a side: L2 error", "", 2.674693e-6, L2, 1e-4);
  if (!precise) report_beyond(report, 1);  // of a solution of 0.05
  report_relative(report, "quads of degree 1, 96 a side: H1 error", "", 1.063137e-3, H1, precise ? 1e-4 : 1e-2);
  static const struct {
    const char *element, *label;
    CellShape shape;
    int cells;
  } rows[] = { { "poisson_tri", "triangles by cotangents", CELL_TRI3, 8 },
               { "scalar_tri3", "triangles by quadrature", CELL_TRI3, 8 },
               { "scalar_quad4", "quads", CELL_QUAD4, 8 },
               { "poisson_tet", "tets by cotangents", CELL_TET4, 4 } };
  for (int k = 0; k < 4; k++) {
    double before[2] = { 0 };
    char what[80];
    for (int m = 0; m < 3; m++) {
      before[0] = m ? L2 : 0, before[1] = m ? H1 : 0;
      if (!sine_errors(stages, rows[k].element, rows[k].shape, rows[k].cells << m, 0.2, &L2, &H1, error)) return false;
      snprintf(what, sizeof what, "%s, L2", rows[k].label);
      report_point(report, what, rows[k].cells << m, L2);
    }
    snprintf(what, sizeof what, "%s, distorted: order of the L2 error", rows[k].label);
    report_check(report, what, "", 2, log2(before[0] / L2), 1, 0.3);
    snprintf(what, sizeof what, "%s, distorted: order of the H1 error", rows[k].label);
    report_check(report, what, "", 1, log2(before[1] / H1), 1, 0.3);
  }
  return true;
}

// w at the centre of a plate of side 1 under a uniform load, as it is consistent, or lumped
static bool plate_centre(const SimulationSettings *stages, const char *name, int cells, double distort, bool clamped,
                         bool lumped, double *centre, Error *error) {
  const SteadyElement *element = NULL;
  for (const SteadyElement *e = steady_elements; e->name && !element; e++)
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
    fixed[3 * a + 1] = below || (left && clamped), fixed[3 * a + 2] = left || (below && clamped);
  }
  ok = ok && steady_lumped_load(&mesh, one, share, error);
  for (int a = 0; ok && lumped && a < mesh.node_count; a++) load[3 * a] = share[a];
  const SteadyProblem problem = { .mesh = &mesh,
                                  .element = element,
                                  .material = { 1, 0.3 },
                                  .source = lumped ? NULL : one,
                                  .load = load,
                                  .fixed = fixed };
  ok = ok && solve(stages, &problem, u, error);
  if (ok) *centre = u[3 * middle];
  free(fixed), free(load), free(one), free(share), free(u);
  cell_mesh_destroy(&mesh);
  return ok;
}

bool verify_plate(const SimulationSettings *stages, CaseReport *report, Error *error) {
  static const struct {
    const char *element, *label;
    int cells;
    double distort;
    bool clamped, lumped;
    double expected, bound;
  } rows[] = {
    { "plate_acm", "rectangles, supported, 8 a side", 8, 0, false, true, .004033, 1.3e-4 },
    { "plate_acm", "rectangles, supported, 32 a side", 32, 0, false, true, .004061, 1.3e-4 },
    { "plate_acm", "rectangles, clamped, 8 a side", 8, 0, true, true, .001304, 4e-4 },
    { "plate_acm", "rectangles, clamped, 32 a side", 32, 0, true, true, .001268, 4e-4 },
    { "plate_acm", "rectangles, supported, consistent load, 16", 16, 0, false, false, .004079, 1.3e-4 },
    { "plate_tocher", "Tocher's triangles, supported, 8 a side", 8, 0, false, false, .004105, 1.3e-4 },
    { "plate_tocher", "Tocher's triangles, clamped, 8 a side", 8, 0, true, false, .001301, 4e-4 },
    { "plate_dkt", "Kirchhoff triangles, distorted, supported, 32", 32, 0.2, false, false, .00406235, 5e-3 },
    { "plate_dkt", "Kirchhoff triangles, distorted, clamped, 32", 32, 0.2, true, false, .00126532, 5e-3 },
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double w;
    if (!plate_centre(stages, rows[k].element, rows[k].cells, rows[k].distort, rows[k].clamped, rows[k].lumped, &w,
                      error))
      return false;
    const double float_bound = 1e-2;  // the condition of these matrices grows as h^-4
    const bool precise = stages->precision == PRECISION_F64;
    report_relative(report, rows[k].label, "m", rows[k].expected, w, precise ? rows[k].bound : float_bound);
  }
  return true;
}
