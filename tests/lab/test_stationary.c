// Tests stationary problems. The matrices and load vectors of each element, from all its assemblies and operators, are
// compared with quadrature of the shape functions. Solutions are compared with known ones. argv[1]: the device.
#include "sim_testing.h"

#include "base/random.h"
#include "lab/rows.h"
#include "lab/stationary/stationary.h"
#include "mesh/grid.h"
#include "sim/assembly/assembly.h"
#include "sim/element/device_reals.h"

static Device device;

static CellMesh grid(CellShape shape, int cells, double distort) {
  Error error = { 0 };
  CellMesh mesh;
  const Grid g = {
    .shape = shape, .cells = { cells, cells, cells }, .size = { 1, 1, 1 }, .distort = distort, .seed = 3
  };
  MUST(grid_make(&g, &mesh, &error));
  return mesh;
}

// Returns the source term at point X. It is a linear function, so it differs from node to node.
static double source_at(const double X[3]) {
  return 1 + X[0] - 2 * X[1] + 0.5 * X[2];
}

// Computes reference values of K [pairs] and F [node_count], with the shape functions of mesh/cell_shape.h and a
// quadrature rule of higher order than necessary.
static void plain_system(const Space *space, double k, double *K, double *F) {
  const int nodes = space->cell_nodes, rule = cell_shape_info(space->shape)->degree + 3;
  static double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX];
  const int points = cell_shape_rule(space->shape, rule, xi, weight);
  memset(K, 0, sizeof *K * (size_t)space_pairs(space));
  memset(F, 0, sizeof *F * (size_t)space->node_count);
  for (int e = 0; e < space->cell_count; e++) {
    const int *node = space_cell(space, e);
    double X[CELL_NODES_MAX][3];
    for (int a = 0; a < nodes; a++) memcpy(X[a], space->X[node[a]], sizeof X[a]);
    for (int q = 0; q < points; q++) {
      double x[3], J[3][3], I[3][3], N[CELL_NODES_MAX], dN[CELL_NODES_MAX][3], B[CELL_NODES_MAX][3], f = 0;
      const double det = cell_shape_map(space->shape, (const double(*)[3])X, xi[q], x, J);
      cell_shape_at(space->shape, xi[q], N, dN);
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          I[i][j] = (J[(i + 1) % 3][(j + 1) % 3] * J[(i + 2) % 3][(j + 2) % 3] -
                     J[(i + 1) % 3][(j + 2) % 3] * J[(i + 2) % 3][(j + 1) % 3]) /
                    det;
      for (int a = 0; a < nodes; a++) {
        for (int i = 0; i < 3; i++) B[a][i] = I[i][0] * dN[a][0] + I[i][1] * dN[a][1] + I[i][2] * dN[a][2];
        f += N[a] * source_at(X[a]);
      }
      for (int a = 0; a < nodes; a++) {
        F[node[a]] += weight[q] * det * f * N[a];
        for (int b = 0; b < nodes; b++)
          K[adjacency_find(&space->graph, node[a], node[b])] +=
              weight[q] * det * k * (space->stiffness ? space->stiffness[e] : 1) *
              (B[a][0] * B[b][0] + B[a][1] * B[b][1] + B[a][2] * B[b][2]);
      }
    }
  }
}

// Transforms squares into parallelograms, for which the elements' Gauss rule is exact.
static void shear(CellMesh *mesh) {
  for (int a = 0; a < mesh->node_count; a++) {
    mesh->X[a][0] += 0.4 * mesh->X[a][1];
    mesh->X[a][1] *= 0.7;
  }
}

static void *nodal_data(const Space *space, Precision precision) {
  Error error = { 0 };
  const int d = space_dimension(space);
  double *nodal = malloc(sizeof *nodal * (size_t)((d + 1) * space->node_count));
  for (int a = 0; a < space->node_count; a++) {
    for (int i = 0; i < d; i++) nodal[a * (d + 1) + i] = space->X[a][i];
    nodal[a * (d + 1) + d] = source_at(space->X[a]);
  }
  void *memory = device_reals(device, precision, nodal, (d + 1) * space->node_count, &error);
  free(nodal);
  if (!memory) fail_msg("%s", error.message);
  return memory;
}

static int checked;

// Assembles one operator by one assembly method. Its product with a random x must be K x, and the load vector must be
// F.
static void check_system(const StationaryElement *element, const Space *space, const AssemblyMethod *method,
                         const OperatorMethod *kind, const double *K, const double *F) {
  Error error = { 0 };
  const int n = space->node_count;
  const Precision precision = method->stage.precision;
  const AssemblyParameters parameters = { { 1.5 }, 1, 1 };
  Operator A;
  Assembly assembly;
  Stream stream;
  double *zero = calloc((size_t)n, sizeof *zero), *x = malloc(sizeof *x * (size_t)n);
  double *y = malloc(sizeof *y * (size_t)n), *expected = calloc((size_t)n, sizeof *expected);
  uint64_t seed = 5;
  for (int a = 0; a < n; a++) x[a] = (float)random_unit(&seed);
  for (int a = 0; a < n; a++)
    for (int64_t p = space->graph.start[a]; p < space->graph.start[a + 1]; p++)
      expected[a] += K[p] * x[space->graph.neighbour[p]];
  MUST(stream_create(device, &stream, &error));
  MUST(operator_create(&A, kind, space, &error));
  MUST(assembly_create(&assembly, method, space, &A, PARTITION_GREEDY, 0, &error));
  void *nodal = nodal_data(space, precision), *F_dev = device_reals(device, precision, zero, n, &error),
       *shift = device_reals(device, precision, zero, n, &error),
       *x_dev = device_reals(device, precision, x, n, &error),
       *y_dev = device_reals(device, precision, zero, n, &error);
  const AssemblyShift none = { .shift = shift };
  MUST(assembly_run_shifted(&assembly, &parameters, nodal, F_dev, &A, &none, stream, &error));
  MUST(operator_apply(&A, x_dev, y_dev, NULL, stream, &error));
  MUST(device_get_reals(stream, precision, y_dev, y, n, &error));

  // "parts16" stores 16-bit floats, which have only 11 significant bits, so its tolerance is larger
  const bool halves = strcmp(kind->stage.name, "parts16") == 0;
  const double tolerance = halves ? 1e-3 : precision == PRECISION_F64 ? 1e-13 : 2e-6;
  const double matrix = relative_l2(y, expected, n);
  MUST(device_get_reals(stream, precision, F_dev, y, n, &error));
  const double vector = relative_l2(y, F, n), vector_tolerance = precision == PRECISION_F64 ? 1e-13 : 2e-6;
  if (!(matrix <= tolerance) || !(vector <= vector_tolerance))
    fail_msg("%s by %s into %s, %s: K %.1e, F %.1e", element->name, method->stage.name, kind->stage.name,
             precision_name(precision), matrix, vector);
  void *memory[] = { nodal, F_dev, shift, x_dev, y_dev };
  for (int k = 0; k < 5; k++) device_free(device, memory[k]);
  free(zero);
  free(x);
  free(y);
  free(expected);
  assembly_destroy(&assembly);
  operator_destroy(&A);
  stream_destroy(&stream);
  checked++;
}

// Checks all assemblies and operators of the element on this mesh.
static void check_mesh(const StationaryElement *e, const CellMesh *mesh) {
  Error error = { 0 };
  Space space;
  MUST(space_create_cells(&space, mesh, 1, &error));
  double *K = malloc(sizeof *K * (size_t)space_pairs(&space)), *F = malloc(sizeof *F * (size_t)space.node_count);
  plain_system(&space, 1.5, K, F);
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (const Stage *m = NULL; (m = stage_next(m, STAGE_ASSEMBLY, device, (Precision)precision, e->name));)
      for (const Stage *o = NULL; (o = stage_next(o, STAGE_OPERATOR, device, (Precision)precision, e->name));) {
#ifdef __SANITIZE_ADDRESS__
        if (strcmp(o->name, "csr") != 0 && o != stage_matrix_of(m)) continue;  // all pairs take 15 s with a sanitizer
#endif
        if (stage_fits(m, o)) check_system(e, &space, (const AssemblyMethod *)m, (const OperatorMethod *)o, K, F);
      }
  free(K);
  free(F);
  space_destroy(&space);
}

static void elements_are_their_shapes_by_every_assembly_and_operator(void **state) {
  (void)state;
  checked = 0;
  for (const StationaryElement *e = stationary_elements; e->name; e++) {
    if (strcmp(e->problem, "poisson") != 0) continue;
    CellMesh mesh =
        grid(e->shape, cell_shape_info(e->shape)->dimension == 2 ? 9 : 4, cell_shape_info(e->shape)->simplex ? 0.2 : 0);
    shear(&mesh);
    if (e->factors) {
      mesh.factor = malloc(sizeof *mesh.factor * (size_t)mesh.cell_count);
      for (int c = 0; c < mesh.cell_count; c++) mesh.factor[c] = 1 + c % 7;
    }
    check_mesh(e, &mesh);
    cell_mesh_destroy(&mesh);
  }
  assert_true(checked > 30);
}

// The mesh is a fan of triangles around a node, whose matrix row has more entries than an assembly sums at a time.
static void a_node_of_many_cells_has_its_whole_row(void **state) {
  (void)state;
  enum { SPOKES = 39 };
  Error error = { 0 };
  CellMesh mesh;
  MUST(cell_mesh_allocate(&mesh, CELL_TRI3, SPOKES + 1, SPOKES, &error));
  for (int k = 0; k < SPOKES; k++) {
    const double angle = 2 * M_PI * k / SPOKES, radius = 1 + 0.3 * (k % 3);
    mesh.X[k][0] = radius * cos(angle);
    mesh.X[k][1] = radius * sin(angle);
    mesh.X[k][2] = 0;
    memcpy(mesh.cell + 3 * k, (int[3]){ k, (k + 1) % SPOKES, SPOKES }, sizeof(int[3]));
    mesh.node_tag[k] = k + 1;
  }
  memset(mesh.X[SPOKES], 0, sizeof *mesh.X);
  mesh.node_tag[SPOKES] = SPOKES + 1;
  checked = 0;
  for (const StationaryElement *e = stationary_elements; e->name; e++)
    if (strcmp(e->problem, "poisson") == 0 && e->shape == CELL_TRI3) check_mesh(e, &mesh);
  assert_true(checked > 10);
  cell_mesh_destroy(&mesh);
}

// The problem -Laplace u = sin pi x sin pi y has the solution u = sin pi x sin pi y / (2 pi^2).
static double sine_source(const void *user, const double x[3], double gradient[3]) {
  (void)user, (void)gradient;
  return sin(M_PI * x[0]) * sin(M_PI * x[1]);
}

static double sine(const void *user, const double x[3], double gradient[3]) {
  (void)user;
  const double part = 1 / (2 * M_PI * M_PI);
  if (gradient) {
    gradient[0] = part * M_PI * cos(M_PI * x[0]) * sin(M_PI * x[1]);
    gradient[1] = part * M_PI * sin(M_PI * x[0]) * cos(M_PI * x[1]);
    gradient[2] = 0;
  }
  return part * sin(M_PI * x[0]) * sin(M_PI * x[1]);
}

static double linear(const void *user, const double x[3], double gradient[3]) {
  (void)user;
  if (gradient) {
    gradient[0] = 2;
    gradient[1] = -3;
    gradient[2] = 0.5;
  }
  return 7 + 2 * x[0] - 3 * x[1] + 0.5 * x[2];
}

// Solves the element's problem with the source f, and with the values of `exact` on the boundary. u [node_count]
// receives the solution.
static void solve(const StationaryElement *e, const CellMesh *mesh, StationaryFunction f, StationaryFunction exact,
                  int precision, const char *solver, double relative, double *u, StationaryReport *report) {
  Error error = { 0 };
  const int n = mesh->node_count;
  Stationary *stationary;
  uint8_t *fixed = malloc((size_t)n);
  double *value = malloc(sizeof *value * (size_t)n), *load = malloc(sizeof *load * (size_t)n);
  MUST(cell_mesh_boundary(mesh, fixed, &error));
  for (int a = 0; a < n; a++) value[a] = exact(NULL, mesh->X[a], NULL);
  if (f) stationary_load(mesh, f, NULL, cell_shape_info(mesh->shape)->degree + 1, load);
  const StationaryProblem problem = {
    .mesh = mesh, .element = e, .material = { 1 }, .load = f ? load : NULL, .fixed = fixed, .value = value
  };
  StationarySettings settings = stationary_defaults();
  settings.device = device;
  settings.precision = (Precision)precision;
  settings.relative = relative;
  snprintf(settings.solver, sizeof settings.solver, "%s", solver);
  MUST(stationary_create(&stationary, &problem, &settings, &error));
  MUST(stationary_assemble(stationary, &error));
  MUST(stationary_solve(stationary, &error));
  MUST(stationary_result(stationary, u, &error));
  *report = *stationary_report(stationary);
  if (!report->converged) fail_msg("%s by %s: %s", e->name, solver, report->end);

  // the true residual may exceed the tolerance `relative`; the term 1e-11 allows for rounding errors
  assert_true(report->residual <= (precision == PRECISION_F64 ? 2 : 100) * relative + 1e-11);
  stationary_destroy(stationary);
  free(fixed);
  free(value);
  free(load);
}

static void linear_solutions_are_exact_on_distorted_meshes(void **state) {
  (void)state;
  for (const StationaryElement *e = stationary_elements; e->name; e++) {
    if (strcmp(e->problem, "poisson") != 0) continue;
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
      CellMesh mesh = grid(e->shape, 6, 0.2);
      double *u = malloc(sizeof *u * (size_t)mesh.node_count), L2, H1;
      StationaryReport report;
      solve(e, &mesh, NULL, linear, precision, "", precision == PRECISION_F64 ? 1e-13 : 1e-6, u, &report);
      stationary_distance(&mesh, u, linear, NULL, 4, &L2, &H1);
      const double bound = precision == PRECISION_F64 ? 1e-11 : 3e-5;
      if (!(L2 <= bound) || !(H1 <= 10 * bound)) fail_msg("%s: L2 %.1e, H1 %.1e", e->name, L2, H1);
      free(u);
      cell_mesh_destroy(&mesh);
    }
  }
}

// If a linear displacement is prescribed on the boundary, the inner nodes must have the same linear field. Also,
// elasticity must refuse a source term, since it accepts only nodal loads.
static void a_body_follows_its_boundary(void **state) {
  (void)state;
  Error error = { 0 };
  CellMesh mesh = grid(CELL_TET4, 4, 0.15);
  const int n = mesh.node_count;
  static const double A[3][3] = { { 0.1, 0.2, -0.1 }, { 0, -0.3, 0.1 }, { 0.2, 0.1, 0.05 } };
  uint8_t *on = malloc((size_t)n), *fixed = malloc((size_t)(3 * n));
  double *exact = malloc(sizeof *exact * (size_t)(3 * n)), *u = malloc(sizeof *u * (size_t)(3 * n));
  MUST(cell_mesh_boundary(&mesh, on, &error));
  for (int a = 0; a < n; a++)
    for (int i = 0; i < 3; i++) {
      fixed[3 * a + i] = on[a];
      exact[3 * a + i] = A[i][0] * mesh.X[a][0] + A[i][1] * mesh.X[a][1] + A[i][2] * mesh.X[a][2] + 1;
    }
  StationaryProblem problem = { .mesh = &mesh,
                                .element = stationary_element(NULL, "elasticity", CELL_TET4, &error),
                                .material = { 3, 5 },
                                .fixed = fixed,
                                .value = exact };
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    Stationary *stationary;
    StationarySettings settings = stationary_defaults();
    settings.device = device;
    settings.precision = (Precision)precision;
    settings.relative = precision == PRECISION_F64 ? 1e-13 : 1e-6;
    MUST(stationary_create(&stationary, &problem, &settings, &error));
    MUST(stationary_assemble(stationary, &error));
    MUST(stationary_solve(stationary, &error));
    MUST(stationary_result(stationary, u, &error));
    assert_true(stationary_report(stationary)->converged);
    const double off = relative_l2(u, exact, 3 * n);
    if (!(off <= (precision == PRECISION_F64 ? 1e-12 : 1e-5)))
      fail_msg("%s: %.1e", precision_name((Precision)precision), off);
    stationary_destroy(stationary);
  }

  problem.source = exact;
  Stationary *stationary;
  StationarySettings settings = stationary_defaults();
  settings.device = device;
  assert_false(stationary_create(&stationary, &problem, &settings, &error));
  assert_non_null(strstr(error.message, "accepts only nodal loads"));
  free(on);
  free(fixed);
  free(exact);
  free(u);
  cell_mesh_destroy(&mesh);
}

// Tests the errors of computed solutions. The exact solution is u = sin pi x sin pi y / (2 pi^2). The grid is uniform,
// with cells of degree p, 96 / p per side. Expected errors are from an independent program (numpy, double).
static void errors_of_quads_are_those_computed_elsewhere(void **state) {
  (void)state;
  static const struct {
    CellShape shape;
    double L2, H1;
  } expected[] = { { CELL_QUAD4, 2.674693e-6, 1.063137e-3 },
                   { CELL_QUAD9, 5.774777e-8, 1.796601e-5 },
                   { CELL_QUAD16, 1.104610e-9, 3.353883e-7 },
                   { CELL_QUAD25, 2.200654e-11, 6.555082e-9 } };
  int found = 0;
  for (int k = 0; k < 4; k++)
    for (const StationaryElement *e = stationary_elements; e->name; e++) {
      if (e->shape != expected[k].shape || e->node_dof != 1) continue;
      CellMesh mesh = grid(e->shape, 96 / cell_shape_info(e->shape)->degree, 0);
      double *u = malloc(sizeof *u * (size_t)mesh.node_count), L2, H1;
      StationaryReport report;
      solve(e, &mesh, sine_source, sine, PRECISION_F64, "", 1e-13, u, &report);
      stationary_distance(&mesh, u, sine, NULL, 7, &L2, &H1);
      if (!(fabs(L2 / expected[k].L2 - 1) < 1e-4) || !(fabs(H1 / expected[k].H1 - 1) < 1e-4))
        fail_msg("%s: L2 %.6e, expected %.6e, H1 %.6e, expected %.6e", e->name, L2, expected[k].L2, H1, expected[k].H1);
      free(u);
      cell_mesh_destroy(&mesh);
      found++;
    }
  assert_true(found >= 1);
}

// Solves -Laplace u = 1 with one solver. Returns false if the solver does not exist on this device.
static bool solve_by(const char *solver, const CellMesh *mesh, double relative, double *u, StationaryReport *report) {
  Error error = { 0 };
  Stationary *stationary;
  uint8_t *fixed = malloc((size_t)mesh->node_count);
  double *source = malloc(sizeof *source * (size_t)mesh->node_count);
  MUST(cell_mesh_boundary(mesh, fixed, &error));
  for (int a = 0; a < mesh->node_count; a++) source[a] = 1;
  const StationaryProblem problem = { .mesh = mesh,
                                      .element = stationary_element(NULL, "poisson", mesh->shape, &error),
                                      .material = { 1 },
                                      .source = source,
                                      .fixed = fixed };
  StationarySettings settings = stationary_defaults();
  settings.device = device;
  settings.relative = relative;
  snprintf(settings.solver, sizeof settings.solver, "%s", solver);
  const bool made = stationary_create(&stationary, &problem, &settings, &error);
  if (made) {
    MUST(stationary_assemble(stationary, &error));
    MUST(stationary_solve(stationary, &error));
    MUST(stationary_result(stationary, u, &error));
    *report = *stationary_report(stationary);
    stationary_destroy(stationary);
  }

  // UMFPACK is optional, and some solvers exist on one device only
  if (!made && !strstr(error.message, "UMFPACK is not installed") && !strstr(error.message, "does not exist on device"))
    fail_msg("%s", error.message);
  free(fixed);
  free(source);
  return made;
}

static void solvers_agree_and_relaxation_takes_what_theory_says(void **state) {
  (void)state;
  static const char *const names[] = { "jacobi", "gs", "gs_async", "lu", "cg", "dcg", "bdcg", "ssor", "ssor_natural" };
  const CellMesh uniform = grid(CELL_TRI3, 24, 0);
  CellMesh mesh = grid(CELL_TRI3, 24, 0.05);  // with more distortion Jacobi diverges
  const int n = mesh.node_count;
  double *expected = malloc(sizeof *expected * (size_t)n), *u = malloc(sizeof *u * (size_t)n),
         *again = malloc(sizeof *again * (size_t)n);
  StationaryReport report, other;
  int iterations[9] = { 0 }, swept[9] = { 0 };
  assert_true(solve_by("dcg", &mesh, 1e-13, expected, &report));
  for (int k = 0; k < 9; k++) {
    if (!solve_by(names[k], &mesh, 1e-10, u, &report)) continue;
    swept[k] = report.iterations;
    if (!report.converged || !(relative_l2(u, expected, n) <= 1e-8))
      fail_msg("%s: %s, %.1e", names[k], report.end, relative_l2(u, expected, n));
    assert_true(report.residual <= 2e-10);
    if (strcmp(names[k], "gs_async") == 0) continue;
    solve_by(names[k], &mesh, 1e-10, again, &other);
    assert_memory_equal(u, again, sizeof *u * (size_t)n);
  }

  // The solver `ssor`, which sweeps by colours, must need fewer iterations than dcg. `ssor_natural`, which sweeps in
  // the order of the nodes and exists only on CPUs, must need fewer than `ssor`.
  if (!(swept[7] < swept[5]) || !(swept[8] < swept[7]) || (device == DEVICE_CPU && !swept[8]))
    fail_msg("iterations: dcg %d, ssor %d, ssor_natural %d; each must need fewer than the one before", swept[5],
             swept[7], swept[8]);

  // On a uniform square with cells of size h, a sweep of Jacobi multiplies the slowest mode of the error by cos(pi h),
  // a sweep of Gauss-Seidel by cos(pi h)^2. Numbers of sweeps must agree with this theory.
  for (int k = 0; k < 3; k++) {
    assert_true(solve_by(names[k], &uniform, 1e-10, u, &report));
    iterations[k] = report.iterations;
  }
  cell_mesh_destroy(&mesh);
  mesh = grid(CELL_TRI3, 24, 0.2);
  assert_true(solve_by("jacobi", &mesh, 1e-10, u, &report));
  assert_false(report.converged);
  assert_non_null(strstr(report.end, "diverge"));
  const double theory = log(1e-10) / log(cos(M_PI / 24));
  if (!(fabs(iterations[0] / theory - 1) < 0.1) || !(fabs(2 * iterations[1] / theory - 1) < 0.1) ||
      !(iterations[2] < iterations[0] * 1.5))
    fail_msg("sweeps: jacobi %d, gs %d, gs_async %d; theory %g", iterations[0], iterations[1], iterations[2], theory);
  free(expected);
  free(u);
  free(again);
  cell_mesh_destroy(&mesh);
  CellMesh gone = uniform;
  cell_mesh_destroy(&gone);
}

static void a_singular_matrix_is_reported(void **state) {
  (void)state;
  Error error = { 0 };
  CellMesh mesh = grid(CELL_QUAD4, 3, 0);
  Stationary *stationary;
  double load[16] = { 1 };  // no node is held, so the matrix is singular
  StationarySettings settings = stationary_defaults();
  settings.device = device;
  settings.iterations_max = 1000;
  const StationaryProblem problem = {
    .mesh = &mesh, .element = stationary_element(NULL, "poisson", mesh.shape, &error), .material = { 1 }, .load = load
  };
  static const char *const names[] = { "dcg", "lu", "gs" };
  for (int k = 0; k < 3; k++) {
    snprintf(settings.solver, sizeof settings.solver, "%s", names[k]);
    settings.matrix[0] = settings.assembly[0] = '\0';
    if (!stationary_create(&stationary, &problem, &settings, &error)) continue;
    MUST(stationary_assemble(stationary, &error));
    MUST(stationary_solve(stationary, &error));
    if (stationary_report(stationary)->converged)
      fail_msg("%s: %s, %.1e", names[k], stationary_report(stationary)->end, stationary_report(stationary)->residual);
    stationary_destroy(stationary);
  }
  cell_mesh_destroy(&mesh);
}

// A tenth of the cells has a negative coefficient, so the matrix is not positive definite. Conjugate gradients and
// Gauss-Seidel must report this, and Jacobi that it diverges.
static void an_indefinite_matrix_is_reported(void **state) {
  (void)state;
  CellMesh mesh = grid(CELL_TRI3, 10, 0);
  mesh.factor = malloc(sizeof *mesh.factor * (size_t)mesh.cell_count);
  for (int c = 0; c < mesh.cell_count; c++) mesh.factor[c] = c % 10 ? 1 : -3;
  const char *const names[][2] = { { "dcg", "not positive definite" },
                                   { "gs", "not positive definite" },
                                   { "jacobi", "diverge" } };
  double *u = malloc(sizeof *u * (size_t)mesh.node_count);
  for (int k = 0; k < 3; k++) {
    StationaryReport report;
    assert_true(solve_by(names[k][0], &mesh, 1e-10, u, &report));
    assert_false(report.converged);
    if (!strstr(report.end, names[k][1])) fail_msg("%s: %s", names[k][0], report.end);
  }
  free(u);
  cell_mesh_destroy(&mesh);
}

// Assembles hexahedra without a memory budget and with two budgets, which divide the cells into different groups. With
// a budget the assembly `chunked` integrates on a GPU if there is one, so its solution then differs by rounding. If
// `alike` is true, the three solutions must be equal bit for bit.
static void check_budgets(const CellMesh *mesh, const char *assembly, bool alike) {
  static const double budgets[] = { 0, 1, 0.2 };  // MB; 0: none. Two groups that have all cells each would need 7.4
  Error error = { 0 };
  const int n = mesh->node_count;
  double *u[3], *source = malloc(sizeof *source * (size_t)n);
  uint8_t *fixed = calloc((size_t)n, 1);
  MUST(cell_mesh_boundary(mesh, fixed, &error));
  for (int a = 0; a < n; a++) source[a] = source_at(mesh->X[a]);
  for (int k = 0; k < 3; k++) {
    Stationary *stationary;
    StationarySettings settings = stationary_defaults();
    StationaryProblem problem = { .mesh = mesh, .material = { 1.3 }, .source = source, .fixed = fixed };
    problem.element = stationary_element(NULL, "poisson", CELL_HEX8, &error);
    settings.device = alike ? device : DEVICE_CPU;
    snprintf(settings.assembly, sizeof settings.assembly, "%s", assembly);
    settings.memory_budget = budgets[k];
    MUST(stationary_create(&stationary, &problem, &settings, &error));
    if (!alike) assert_string_equal(settings.matrix, "lcsr");
    MUST(stationary_assemble(stationary, &error) && stationary_solve(stationary, &error));
    u[k] = malloc(sizeof *u[k] * (size_t)n);
    MUST(stationary_result(stationary, u[k], &error));
    stationary_destroy(stationary);
  }

  assert_memory_equal(u[1], u[2], sizeof *u[1] * (size_t)n);
  if (alike) assert_memory_equal(u[0], u[1], sizeof *u[1] * (size_t)n);
  assert_true(relative_l2(u[1], u[0], n) < 1e-9);
  for (int k = 0; k < 3; k++) free(u[k]);
  free(source);
  free(fixed);
}

static void a_memory_budget_changes_no_bit(void **state) {
  (void)state;
  Error error = { 0 };
  CellMesh mesh = grid(CELL_HEX8, 20, 0.2);
  check_budgets(&mesh, "chunked", false);
  if (device == DEVICE_CUDA) check_budgets(&mesh, "globalnz", true);

  // An assembly without memory budgets must refuse a budget, and "chunked" must refuse one that is too small.
  Stationary *stationary;
  StationarySettings settings = stationary_defaults();
  const StationaryProblem problem = { .mesh = &mesh,
                                      .element = stationary_element("scalar_hex8", "poisson", CELL_HEX8, &error),
                                      .material = { 1 } };
  settings.memory_budget = 0.01;
  assert_false(stationary_create(&stationary, &problem, &settings, &error));
  assert_non_null(strstr(error.message, "choose --assembly chunked"));
  error = (Error){ 0 };
  settings = stationary_defaults();
  settings.memory_budget = 0.01;
  snprintf(settings.assembly, sizeof settings.assembly, "chunked");
  assert_false(stationary_create(&stationary, &problem, &settings, &error));
  assert_non_null(strstr(error.message, "budget of 10000 bytes"));
  cell_mesh_destroy(&mesh);
}

static void invalid_input_is_refused(void **state) {
  (void)state;
  Error error = { 0 };
  CellMesh mesh = grid(CELL_QUAD4, 2, 0);
  Stationary *stationary;
  StationarySettings settings = stationary_defaults();
  settings.device = device;
  assert_null(stationary_element("scalar_tri3", "poisson", CELL_QUAD4, &error));
  assert_non_null(strstr(error.message, "scalar_quad4 (quad4)"));
  const StationaryElement *e = stationary_element(NULL, "poisson", CELL_QUAD4, &error);
  StationaryProblem problem = { .mesh = &mesh, .element = e, .material = { 1 } };
  snprintf(settings.solver, sizeof settings.solver, "gmres");
  error = (Error){ 0 };
  assert_false(stationary_create(&stationary, &problem, &settings, &error));
  assert_non_null(strstr(error.message, "solver \"gmres\" does not exist"));
  settings.solver[0] = '\0';
  error = (Error){ 0 };
  const double load[9] = { 0, 0, 0, 0, NAN };
  problem.load = load;
  assert_false(stationary_create(&stationary, &problem, &settings, &error));
  assert_non_null(strstr(error.message, "node 5: the load is not a finite number"));
  problem.load = NULL;
  error = (Error){ 0 };
  mesh.X[4][0] = 1.5;  // inverts a cell
  MUST(stationary_create(&stationary, &problem, &settings, &error));
  assert_false(stationary_assemble(stationary, &error));
  assert_non_null(strstr(error.message, "inverted"));
  stationary_destroy(stationary);
  cell_mesh_destroy(&mesh);
}

// Changes sources, loads, prescribed values and material of a Stationary, and then restores them. Each solution must
// equal that of a new Stationary with these data.
static void changes_give_the_solution_of_a_new_problem(void **state) {
  (void)state;
  enum { CELLS = 6, NODES = (CELLS + 1) * (CELLS + 1) };
  Error error = { 0 };
  CellMesh mesh;
  const Grid g = { .shape = CELL_QUAD4, .cells = { CELLS, CELLS }, .size = { 1, 1 }, .distort = 0.2, .seed = 5 };
  MUST(grid_make(&g, &mesh, &error));
  uint8_t fixed[NODES];
  double source[2][NODES], load[2][NODES], value[2][NODES], u[3][NODES], expected[NODES];
  MUST(cell_mesh_boundary(&mesh, fixed, &error));
  for (int k = 0; k < 2; k++)
    for (int a = 0; a < NODES; a++) {
      source[k][a] = 1 + k * a;
      load[k][a] = 0.01 * k * (a % 3);
      value[k][a] = fixed[a] ? mesh.X[a][0] - k : 0;
    }
  StationarySettings settings = stationary_defaults();
  settings.device = device;
  Stationary *stationary = NULL, *fresh = NULL;
  for (int k = 0; k < 3; k++) {
    const StationaryProblem problem = { .mesh = &mesh,
                                        .element = stationary_element("scalar_quad4", "poisson", CELL_QUAD4, &error),
                                        .material = { 1 + k % 2 },
                                        .source = source[k % 2],
                                        .load = load[k % 2],
                                        .fixed = fixed,
                                        .value = value[k % 2] };
    if (k == 0) MUST(stationary_create(&stationary, &problem, &settings, &error));
    if (k > 0) MUST(stationary_change(stationary, &problem, &error));
    MUST(stationary_create(&fresh, &problem, &settings, &error));
    Stationary *const both[] = { stationary, fresh };
    for (int s = 0; s < 2; s++) {
      MUST(stationary_assemble(both[s], &error));
      MUST(stationary_solve(both[s], &error));
      MUST(stationary_result(both[s], s == 0 ? u[k] : expected, &error));
    }
    assert_memory_equal(u[k], expected, sizeof expected);
    stationary_destroy(fresh);
  }

  assert_memory_equal(u[0], u[2], sizeof u[0]);
  assert_memory_not_equal(u[0], u[1], sizeof u[0]);
  load[1][NODES / 2] = NAN;
  const StationaryProblem wrong = { .mesh = &mesh,
                                    .load = load[1],
                                    .fixed = fixed,
                                    .element = stationary_element("scalar_quad4", "poisson", CELL_QUAD4, &error) };
  assert_false(stationary_change(stationary, &wrong, &error));
  assert_non_null(strstr(error.message, "the load is not a finite number"));
  stationary_destroy(stationary);
  cell_mesh_destroy(&mesh);
}

static void another_solver_finds_the_same_from_the_same_matrix(void **state) {
  (void)state;
  enum { CELLS = 9, NODES = (CELLS + 1) * (CELLS + 1) };
  Error error = { 0 };
  CellMesh mesh = grid(CELL_TRI3, CELLS, 0.2);
  uint8_t fixed[NODES];
  double source[NODES], u[NODES], expected[NODES];
  MUST(cell_mesh_boundary(&mesh, fixed, &error));
  for (int a = 0; a < NODES; a++) source[a] = source_at(mesh.X[a]);
  const StationaryProblem problem = { .mesh = &mesh,
                                      .element = stationary_element("poisson_tri", "poisson", CELL_TRI3, &error),
                                      .material = { 1 },
                                      .source = source,
                                      .fixed = fixed };
  static const char *const names[] = { "cg", "dcg", "ssor", "gs" };
  Stationary *stationary = NULL;
  for (int k = 0; k < 4; k++) {
    Stationary *fresh = NULL;
    StationarySettings settings = stationary_defaults();
    settings.device = device;

    // gs does not support the matrix "sell"
    snprintf(settings.matrix, sizeof settings.matrix, "%s", k < 3 ? "sell" : "");
    snprintf(settings.solver, sizeof settings.solver, "%s", names[k]);
    if (k == 0) {
      MUST(stationary_create(&stationary, &problem, &settings, &error));
      MUST(stationary_assemble(stationary, &error));
    } else if (k == 3) {
      assert_false(stationary_change_solver(stationary, &settings, &error));
      assert_non_null(strstr(
          error.message, "solver \"gs\" works with matrix format \"csr\", but the present matrix format is \"sell\""));
      error = (Error){ 0 };
      snprintf(settings.solver, sizeof settings.solver, "gmres");
      assert_false(stationary_change_solver(stationary, &settings, &error));
      assert_non_null(strstr(error.message, "\"gmres\" does not exist"));

      // the previous solver still works
      MUST(stationary_solve(stationary, &error));
      MUST(stationary_result(stationary, u, &error));
      assert_memory_equal(u, expected, sizeof u);
      break;
    } else {
      MUST(stationary_change_solver(stationary, &settings, &error));
    }
    MUST(stationary_create(&fresh, &problem, &settings, &error));
    MUST(stationary_assemble(fresh, &error));
    MUST(stationary_solve(fresh, &error));
    MUST(stationary_result(fresh, expected, &error));
    MUST(stationary_solve(stationary, &error));
    MUST(stationary_result(stationary, u, &error));
    assert_memory_equal(u, expected, sizeof u);
    assert_int_equal(stationary_report(stationary)->iterations, stationary_report(fresh)->iterations);
    stationary_destroy(fresh);
  }

  stationary_destroy(stationary);
  cell_mesh_destroy(&mesh);
}

// Computes y = A x and the result u of some CG iterations on device `on`, for a system larger than its caches.
static void take_large(CellShape shape, int cells, Device on, Precision precision, const double *x, double *y,
                       double *u) {
  enum { ITERATIONS = 20 };
  Error error = { 0 };
  Stationary *stationary;
  CellMesh mesh = grid(shape, cells, 0.1);
  uint8_t *fixed = malloc((size_t)mesh.node_count);
  double *source = malloc(sizeof *source * (size_t)mesh.node_count);
  MUST(cell_mesh_boundary(&mesh, fixed, &error));
  for (int a = 0; a < mesh.node_count; a++) source[a] = source_at(mesh.X[a]);
  const StationaryProblem problem = { .mesh = &mesh,
                                      .element = stationary_element(NULL, "poisson", shape, &error),
                                      .material = { 1 },
                                      .source = source,
                                      .fixed = fixed };
  StationarySettings settings = stationary_defaults();
  settings.device = on;
  settings.precision = precision;
  settings.iterations_max = ITERATIONS;
  MUST(stationary_create(&stationary, &problem, &settings, &error));
  MUST(stationary_assemble(stationary, &error));
  MUST(stationary_product(stationary, x, y, &error));
  MUST(stationary_solve(stationary, &error));
  MUST(stationary_result(stationary, u, &error));
  stationary_destroy(stationary);
  free(fixed);
  free(source);
  cell_mesh_destroy(&mesh);
}

// Some GPU products use other kernels if the matrix exceeds the L2 cache, or has enough rows for a thread per row.
// Their results must agree with those of the CPU.
static void large_systems_are_those_of_the_cpu(void **state) {
  (void)state;
  static const CellShape shapes[] = { CELL_QUAD4, CELL_HEX8 };
  static const int sides[] = { 900, 68 };
  if (device != DEVICE_CUDA) skip();
  for (int k = 0; k < 2; k++) {
    const int n = k ? 69 * 69 * 69 : 901 * 901;
    double *x = malloc(sizeof *x * (size_t)n), *vectors = malloc(sizeof *vectors * 4 * (size_t)n);
    double *y = vectors, *u = y + n, *expected_y = u + n, *expected_u = expected_y + n;
    uint64_t seed = 7;
    for (int i = 0; i < n; i++) x[i] = random_unit(&seed);
    take_large(shapes[k], sides[k], DEVICE_CPU, PRECISION_F64, x, expected_y, expected_u);
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
      const bool precise = precision == PRECISION_F64;
      take_large(shapes[k], sides[k], device, (Precision)precision, x, y, u);
      const double off = relative_l2(y, expected_y, n), solved = relative_l2(u, expected_u, n);

      // In cells of size 1/1000, differences of positions lose three digits, hence the large bound in float.
      const double bound = precise ? 1e-12 : 1e-4;
      if (!(off <= bound) || !(solved <= bound))
        fail_msg("%s, %s: product %.1e, iterations %.1e", cell_shape_info(shapes[k])->name,
                 precision_name((Precision)precision), off, solved);
    }
    free(x);
    free(vectors);
  }
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  lab_add_stages();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(elements_are_their_shapes_by_every_assembly_and_operator),
    cmocka_unit_test(a_node_of_many_cells_has_its_whole_row),
    cmocka_unit_test(linear_solutions_are_exact_on_distorted_meshes),
    cmocka_unit_test(a_body_follows_its_boundary),
    cmocka_unit_test(errors_of_quads_are_those_computed_elsewhere),
    cmocka_unit_test(solvers_agree_and_relaxation_takes_what_theory_says),
    cmocka_unit_test(a_singular_matrix_is_reported),
    cmocka_unit_test(an_indefinite_matrix_is_reported),
    cmocka_unit_test(a_memory_budget_changes_no_bit),
    cmocka_unit_test(changes_give_the_solution_of_a_new_problem),
    cmocka_unit_test(another_solver_finds_the_same_from_the_same_matrix),
    cmocka_unit_test(invalid_input_is_refused),
    cmocka_unit_test(large_systems_are_those_of_the_cpu),
  };
  return cmocka_run_group_tests_name("steady", tests, NULL, NULL);
}
