// Every assembly, format and solver there is, on every device that is there, against plain double-precision code
// written here, on deformed bodies. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "sim_testing.h"

#include "mesh/adjacency.h"
#include "scene/session.h"
#include "sim/assembly/yardstick.h"
#include "sim/krylov/solver.h"

static Device device;

// reals on the device from doubles, with a sentinel behind them; and back
static void *put(Precision precision, const double *values, int64_t count) {
  Error error = { 0 };
  float *rounded = malloc(sizeof *rounded * (size_t)(count + 1));
  double *copy = malloc(sizeof *copy * (size_t)(count + 1));
  for (int64_t k = 0; k < count; k++) rounded[k] = (float)values[k], copy[k] = values[k];
  rounded[count] = 12345, copy[count] = 12345;
  void *memory = device_clone(device, precision == PRECISION_F32 ? (void *)rounded : (void *)copy,
                              (size_t)(count + 1) * (precision == PRECISION_F32 ? 4 : 8), &error);
  free(rounded);
  free(copy);
  if (!memory) fail_msg("%s", error.message);
  return memory;
}

static void get(Stream stream, Precision precision, const void *memory, double *values, int64_t count, bool sentinel) {
  Error error = { 0 };
  const int64_t all = count + sentinel;
  float *rounded = malloc(sizeof *rounded * (size_t)all);
  double *exact = malloc(sizeof *exact * (size_t)all);
  MUST(device_download(stream, precision == PRECISION_F32 ? (void *)rounded : (void *)exact, memory,
                       (size_t)all * (precision == PRECISION_F32 ? 4 : 8), &error));
  MUST(stream_sync(stream, &error));
  for (int64_t k = 0; k < all; k++) {
    const double value = precision == PRECISION_F32 ? (double)rounded[k] : exact[k];
    if (k < count)
      values[k] = value;
    else
      assert_true(value == 12345);  // nobody wrote behind the end
  }
  free(rounded);
  free(exact);
}

// a pattern of `n` rows: lengths from 1 to `longest`, row 7 dense, the diagonal always there unless `holes`
static Pattern random_pattern(int n, int longest, uint64_t *seed, bool empty_rows) {
  Pattern p = { .n = n,
                .row_start = calloc((size_t)n + 1, sizeof(int)),
                .col = malloc(sizeof(int) * (size_t)n * (size_t)n) };
  for (int i = 0; i < n; i++) {
    const double chance = i == 7 ? 2 : (longest / (double)n) * (1 + random_unit(seed)) - 1;
    int at = p.row_start[i];
    for (int c = 0; c < n && !(empty_rows && i % 11 == 5); c++)
      if (c == i || random_unit(seed) < chance) p.col[at++] = c;
    p.row_start[i + 1] = at;
  }
  return p;
}

static void spmv_agrees_with_plain_product_in_double(void **state) {
  (void)state;
  Error error = { 0 };
  Stream stream;
  MUST(stream_create(device, &stream, &error));
  for (int trial = 0; trial < 4; trial++) {
    // rows: beyond a block and no multiple of a warp; with a dense row, and with empty ones
    uint64_t seed = 10 + (uint64_t)trial;
    const int n = trial == 3 ? 31 : 1097;
    Pattern p = random_pattern(n, 41, &seed, trial == 1);
    const int nnz = p.row_start[n];
    double *K = malloc(sizeof *K * (size_t)nnz), *x = malloc(sizeof *x * (size_t)n), *y = calloc((size_t)n, sizeof *y),
           *got = malloc(sizeof *got * (size_t)n);
    for (int k = 0; k < nnz; k++) K[k] = (float)random_unit(&seed);
    for (int i = 0; i < n; i++) x[i] = (float)random_unit(&seed);
    for (int i = 0; i < n; i++)
      for (int s = p.row_start[i]; s < p.row_start[i + 1]; s++) y[i] += K[s] * x[p.col[s]];
    for (const MatrixFormat *const *f = matrix_formats; *f; f++) {
      if ((*f)->device != device) continue;
      const Precision precision = (*f)->precision;
      Matrix A;
      MUST(matrix_create(&A, *f, &p, &error));
      assert_true(A.slot_count >= nnz);
      // the map K is one-to-one and stays inside
      double *values = calloc((size_t)A.slot_count, sizeof *values);
      uint8_t *used = calloc((size_t)A.slot_count, 1);
      for (int k = 0; k < nnz; k++) {
        assert_true(A.slot[k] >= 0 && A.slot[k] < A.slot_count && !used[A.slot[k]]);
        used[A.slot[k]] = 1;
        values[A.slot[k]] = K[k];
      }
      void *values_dev = put(precision, values, A.slot_count), *x_dev = put(precision, x, n),
           *y_dev = put(precision, y, n);
      double *dots = calloc((size_t)A.dot_count, sizeof *dots), xy = 0, sum = 0;
      double *dots_dev = put(PRECISION_F64, dots, A.dot_count);
      MUST(device_zero(stream, y_dev, (size_t)n * precision_size(precision), &error));
      void *own = A.values;
      A.values = values_dev;
      MUST(matrix_spmv(&A, x_dev, y_dev, dots_dev, stream, &error));
      A.values = own;
      get(stream, precision, y_dev, got, n, true);
      const double difference = relative_l2(got, y, n), tolerance = precision == PRECISION_F64 ? 1e-14 : 1e-6;
      if (!(difference <= tolerance))
        fail_msg("%s, trial %d: %.1e", stage_label((*f)->name, device, precision), trial, difference);
      get(stream, PRECISION_F64, dots_dev, dots, A.dot_count, true);
      for (int i = 0; i < n; i++) xy += x[i] * got[i];
      for (int k = 0; k < A.dot_count; k++) sum += dots[k];
      assert_true(fabs(sum - xy) <= 1e-12 * n);
      device_free(device, values_dev), device_free(device, x_dev), device_free(device, y_dev),
          device_free(device, dots_dev);
      free(values), free(used), free(dots);
      matrix_destroy(&A);
    }
    free(K), free(x), free(y), free(got);
    pattern_destroy(&p);
  }
  stream_destroy(&stream);
}

// a mesh and the plain assembly of it, deformed
typedef struct Reference {
  TetMesh mesh;
  Yardstick yardstick;
} Reference;

static void reference_create(Reference *r, const char *mesh_name) {
  Error error = { 0 };
  char path[SCENE_PATH_LENGTH];
  asset_path(mesh_name, path);
  *r = (Reference){ 0 };
  MUST(mesh_read(path, &r->mesh, &error));
  MUST(yardstick_create(&r->yardstick, &r->mesh, 0.05, &error));
}

static void reference_destroy(Reference *r) {
  yardstick_destroy(&r->yardstick);
  mesh_destroy(&r->mesh);
}

// runs one assembly into one format, twice: right, and the same bits
static void check_assembly(const Reference *r, const AssemblyMethod *method, const MatrixFormat *format) {
  Error error = { 0 };
  Stream stream;
  Matrix A;
  Assembly assembly;
  const Yardstick *y = &r->yardstick;
  const Precision precision = format->precision;
  const int n = y->pattern.n, nnz = y->pattern.row_start[n];
  const bool positions = strcmp(method->element, "neo_hookean_tet_qr") == 0;
  MUST(stream_create(device, &stream, &error));
  MUST(matrix_create(&A, format, &y->pattern, &error));
  MUST(assembly_create(&assembly, method, &r->mesh, &A, PARTITION_GREEDY, &error));
  double *values = malloc(sizeof *values * (size_t)A.slot_count), *again = malloc(sizeof *again * (size_t)A.slot_count);
  double *got = malloc(sizeof *got * (size_t)nnz), *F = malloc(sizeof *F * (size_t)n),
         *F_alone = malloc(sizeof *F * (size_t)n), *nodal = malloc(sizeof *nodal * (size_t)n);
  for (int i = 0; i < n; i++) nodal[i] = y->u[i / 3][i % 3] + (positions ? r->mesh.X[i / 3][i % 3] : 0);
  void *nodal_dev = put(precision, nodal, n), *F_dev = put(precision, y->F, n);
  // poison what must be written: the pattern's slots; the others are zero from the start and must stay so
  memset(values, 0, sizeof *values * (size_t)A.slot_count);
  for (int k = 0; k < nnz; k++) values[A.slot[k]] = -777;
  void *values_dev = put(precision, values, A.slot_count);
  MUST(device_zero(stream, F_dev, (size_t)n * precision_size(precision), &error));
  MUST(assembly_run(&assembly, &y->parameters, nodal_dev, F_dev, values_dev, stream, &error));
  get(stream, precision, values_dev, values, A.slot_count, true);
  get(stream, precision, F_dev, F, n, true);
  for (int k = 0; k < nnz; k++) got[k] = values[A.slot[k]];
  // cancelling sums of 20 terms; double is limited by the yardstick's own way through F. The QR form takes positions,
  // whose rounding counts against the length of an edge, a hundredth of the body's
  const double tolerance = precision == PRECISION_F64 ? 1e-12 : positions ? 3e-6 : 3e-7;
  const double vector_tolerance = precision == PRECISION_F32 && positions ? 3e-5 : tolerance;
  const double matrix_error = relative_l2(got, y->K, nnz), vector_error = relative_l2(F, y->F, n);
  printf("  %s, %s into %s: matrix %.2e, vector %.2e\n", stage_label(method->name, device, precision), method->element,
         format->name, matrix_error, vector_error);
  assert_true(matrix_error <= tolerance);
  assert_true(vector_error <= vector_tolerance);
  // slots outside the pattern hold zero: products run over them
  double outside = 0, inside = 0;
  for (int64_t k = 0; k < A.slot_count; k++) outside += fabs(values[k]);
  for (int k = 0; k < nnz; k++) inside += fabs(got[k]);
  assert_true(fabs(outside - inside) <= 1e-12 * inside);
  // again: same bits; and the vector alone is the same vector
  MUST(assembly_run(&assembly, &y->parameters, nodal_dev, F_dev, values_dev, stream, &error));
  get(stream, precision, values_dev, again, A.slot_count, true);
  assert_memory_equal(values, again, sizeof *values * (size_t)A.slot_count);
  MUST(assembly_run(&assembly, &y->parameters, nodal_dev, F_dev, NULL, stream, &error));
  get(stream, precision, F_dev, F_alone, n, true);
  assert_memory_equal(F, F_alone, sizeof *F * (size_t)n);
  free(values), free(again), free(got), free(F), free(F_alone), free(nodal);
  device_free(device, nodal_dev), device_free(device, F_dev), device_free(device, values_dev);
  assembly_destroy(&assembly);
  matrix_destroy(&A);
  stream_destroy(&stream);
}

// every format with the element as it is used; the QR form, which knows no format, into one
static void check_all_assemblies(const char *mesh_name) {
  Reference r;
  reference_create(&r, mesh_name);
  for (const AssemblyMethod *const *m = assembly_methods; *m; m++)
    for (const MatrixFormat *const *f = matrix_formats; *f; f++) {
      if ((*m)->device != device || (*f)->device != device || (*m)->precision != (*f)->precision) continue;
      const bool qr = strcmp((*m)->element, "neo_hookean_tet_qr") == 0 && strcmp((*f)->name, "csr") == 0;
      if (qr || strcmp((*m)->element, "neo_hookean_tet") == 0) check_assembly(&r, *m, *f);
    }
  reference_destroy(&r);
}

// tets that differ in stiffness by two decades
static void assemblies_of_graded_bodies_agree_with_plain_double(void **state) {
  (void)state;
  Error error = { 0 };
  Reference r;
  uint64_t seed = 9;
  reference_create(&r, "meshes/hand_coarse.msh");
  r.mesh.stiffness = malloc(sizeof(double) * (size_t)r.mesh.tet_count);
  for (int e = 0; e < r.mesh.tet_count; e++) r.mesh.stiffness[e] = (float)exp(2.3 * random_unit(&seed));
  yardstick_destroy(&r.yardstick);
  MUST(yardstick_create(&r.yardstick, &r.mesh, 0.05, &error));
  for (const AssemblyMethod *const *m = assembly_methods; *m; m++)
    for (const MatrixFormat *const *f = matrix_formats; *f; f++)
      if ((*m)->device == device && (*f)->device == device && (*m)->precision == (*f)->precision &&
          strcmp((*m)->element, "neo_hookean_tet_graded") == 0 && strcmp((*f)->name, "dcsr") == 0)
        check_assembly(&r, *m, *f);
  reference_destroy(&r);
}

static void assemblies_agree_with_plain_double_on_the_coarse_hand(void **state) {
  (void)state;
  check_all_assemblies("meshes/hand_coarse.msh");
}

static void assemblies_agree_with_plain_double_on_the_hand(void **state) {
  (void)state;
  check_all_assemblies("meshes/hand.msh");
}

// -div(grad phi) = f on the unit cube with phi = sin(pi x) sin(pi y) sin(pi z): the error at the nodes, relative L2
static double poisson_error(const AssemblyMethod *method, const MatrixFormat *format, int boxes) {
  const double size[3] = { 1, 1, 1 }, pi = 3.14159265358979323846;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Adjacency adjacency = { 0 };
  Pattern pattern = { 0 };
  Matrix A;
  Assembly assembly;
  Solver solver;
  Stream stream;
  const Precision precision = method->precision;
  const AssemblyParameters parameters = { { 1 }, 1, 1 };
  MUST(stream_create(device, &stream, &error));
  MUST(mesh_make_box(boxes, boxes, boxes, size, &mesh, &error));
  MUST(adjacency_create(&adjacency, &mesh, &error));
  MUST(pattern_create(&pattern, &adjacency, 1, &error));
  MUST(matrix_create(&A, format, &pattern, &error));
  MUST(assembly_create(&assembly, method, &mesh, &A, PARTITION_GREEDY, &error));
  const int n = mesh.node_count;
  double *nodal = malloc(sizeof *nodal * 4 * (size_t)n), *phi = malloc(sizeof *phi * (size_t)n),
         *got = malloc(sizeof *got * (size_t)n), *zero = calloc((size_t)n, sizeof *zero);
  uint8_t *fixed = calloc((size_t)n, 1);
  for (int a = 0; a < n; a++) {
    const double *X = mesh.X[a];
    phi[a] = sin(pi * X[0]) * sin(pi * X[1]) * sin(pi * X[2]);
    for (int i = 0; i < 3; i++) {
      nodal[4 * a + i] = X[i];
      if (X[i] < 1e-9 || X[i] > 1 - 1e-9) fixed[a] = 1;
    }
    nodal[4 * a + 3] = 3 * pi * pi * phi[a];
  }
  void *nodal_dev = put(precision, nodal, 4 * n), *F_dev = put(precision, zero, n), *x_dev = put(precision, zero, n),
       *shift_dev = put(precision, zero, n), *diagonal_dev = put(precision, zero, n);
  uint8_t *fixed_dev = device_clone(device, fixed, (size_t)n, &error);
  MUST(assembly_run(&assembly, &parameters, nodal_dev, F_dev, A.values, stream, &error));
  MUST(matrix_shift(&A, shift_dev, false, diagonal_dev, stream, &error));
  const SolverSystem system = { &A,  diagonal_dev, fixed_dev, F_dev, x_dev, precision == PRECISION_F64 ? 1e-10 : 1e-6,
                                2000 };
  const SolverMethod *const *m = solver_methods;
  while ((*m)->device != device || (*m)->precision != precision) m++;
  MUST(solver_create(&solver, *m, &system, stream, &error));
  MUST(solver_solve(&solver, stream, &error));
  get(stream, precision, x_dev, got, n, true);
  assert_int_equal(solver.report->end, SOLVER_CONVERGED);
  const double difference = relative_l2(got, phi, n);
  solver_destroy(&solver);
  assembly_destroy(&assembly);
  matrix_destroy(&A);
  device_free(device, nodal_dev), device_free(device, F_dev), device_free(device, x_dev);
  device_free(device, shift_dev), device_free(device, diagonal_dev), device_free(device, fixed_dev);
  free(nodal), free(phi), free(got), free(zero), free(fixed);
  pattern_destroy(&pattern);
  adjacency_destroy(&adjacency);
  mesh_destroy(&mesh);
  stream_destroy(&stream);
  return difference;
}

// the assemblies know no element: the same code, built for another one, solves another equation at second order
static void assemblies_of_the_poisson_element_converge_at_second_order(void **state) {
  (void)state;
  for (const AssemblyMethod *const *m = assembly_methods; *m; m++)
    for (const MatrixFormat *const *f = matrix_formats; *f; f++) {
      if ((*m)->device != device || (*f)->device != device || (*m)->precision != (*f)->precision ||
          strcmp((*m)->element, "poisson_tet") != 0)
        continue;
      const double coarse = poisson_error(*m, *f, 8), fine = poisson_error(*m, *f, 16), order = log2(coarse / fine);
      printf("  %s into %s: errors %.2e and %.2e, order %.2f\n", stage_label((*m)->name, device, (*m)->precision),
             (*f)->name, coarse, fine, order);
      assert_true(order > 1.9 && order < 2.2 && fine < 0.02);
    }
}

static void solvers_solve_the_deformed_hand(void **state) {
  (void)state;
  Error error = { 0 };
  Reference r;
  reference_create(&r, "meshes/hand_coarse.msh");
  const Pattern *p = &r.yardstick.pattern;
  const int n = p->n, nnz = p->row_start[n];
  double *K = r.yardstick.K, *mass = malloc(sizeof *mass * (size_t)r.mesh.node_count);
  mesh_lumped_mass(&r.mesh, 1, mass);
  uint64_t seed = 5;
  double *b = malloc(sizeof *b * (size_t)n), *x = malloc(sizeof *x * (size_t)n), *again = malloc(sizeof *x * (size_t)n);
  uint8_t *fixed = calloc((size_t)n, 1);
  // the tangent of a step of 0.01 s, so that it is positive definite, and a tenth of the unknowns held
  for (int i = 0; i < n; i++) {
    K[pattern_find(p, i, i)] += mass[i / 3] * 100;
    fixed[i] = i / 3 % 10 == 0;
    b[i] = (float)(random_unit(&seed) * mass[i / 3]);
  }
  for (const SolverMethod *const *m = solver_methods; *m; m++)
    for (const MatrixFormat *const *f = matrix_formats; *f; f++) {
      if ((*m)->device != device || (*f)->device != device || (*m)->precision != (*f)->precision) continue;
      const Precision precision = (*f)->precision;
      Stream stream;
      Matrix A;
      Solver solver;
      MUST(stream_create(device, &stream, &error));
      MUST(matrix_create(&A, *f, p, &error));
      double *diagonal = malloc(sizeof *diagonal * (size_t)n);
      for (int i = 0; i < n; i++) diagonal[i] = K[pattern_find(p, i, i)];
      void *diagonal_dev = put(precision, diagonal, n);
      double *values = calloc((size_t)A.slot_count, sizeof *values);
      for (int k = 0; k < nnz; k++) values[A.slot[k]] = K[k];
      device_free(device, A.values);
      A.values = put(precision, values, A.slot_count);
      void *b_dev = put(precision, b, n), *x_dev = put(precision, b, n);
      uint8_t *fixed_dev = device_clone(device, fixed, (size_t)n, &error);
      const SolverSystem system = { &A,    diagonal_dev, fixed_dev,
                                    b_dev, x_dev,        precision == PRECISION_F64 ? 1e-10 : 1e-5,
                                    2000 };
      MUST(solver_create(&solver, *m, &system, stream, &error));
      MUST(solver_solve(&solver, stream, &error));
      get(stream, precision, x_dev, x, n, true);
      assert_int_equal(solver.report->end, SOLVER_CONVERGED);
      // the true residual, in double
      double rr = 0, bb = 0;
      for (int i = 0; i < n; i++) {
        if (fixed[i]) {
          assert_true(x[i] == 0);
          continue;
        }
        double residual = b[i];
        for (int s = p->row_start[i]; s < p->row_start[i + 1]; s++) residual -= K[s] * x[p->col[s]];
        rr += residual * residual, bb += b[i] * b[i];
      }
      printf("  %s with %s: %d iterations, true residual %.2e\n", stage_label((*m)->name, device, precision),
             (*f)->name, solver.report->iterations, sqrt(rr / bb));
      assert_true(solver.report->iterations > 5);
      // float: the recurrence drifts from the true residual by rounding
      assert_true(sqrt(rr / bb) <= (precision == PRECISION_F64 ? 1.1e-10 : 2e-5));
      const int iterations = solver.report->iterations;
      MUST(solver_solve(&solver, stream, &error));
      get(stream, precision, x_dev, again, n, true);
      assert_int_equal(solver.report->iterations, iterations);
      assert_memory_equal(x, again, sizeof *x * (size_t)n);

      // an indefinite matrix is told, and what comes back is finite
      for (int i = 0; i < n; i++) values[A.slot[pattern_find(p, i, i)]] *= -1;
      void *positive = A.values;
      A.values = put(precision, values, A.slot_count);
      MUST(device_copy(stream, positive, A.values, (size_t)A.slot_count * precision_size(precision), &error));
      device_free(device, A.values);
      A.values = positive;
      MUST(solver_solve(&solver, stream, &error));
      get(stream, precision, x_dev, x, n, true);
      assert_int_equal(solver.report->end, SOLVER_INDEFINITE);
      for (int i = 0; i < n; i++) assert_true(isfinite(x[i]));

      solver_destroy(&solver);
      matrix_destroy(&A);
      device_free(device, b_dev), device_free(device, x_dev), device_free(device, fixed_dev);
      device_free(device, diagonal_dev);
      free(diagonal);
      free(values);
      stream_destroy(&stream);
    }
  free(b), free(x), free(again), free(fixed), free(mass);
  reference_destroy(&r);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(spmv_agrees_with_plain_product_in_double),
    cmocka_unit_test(assemblies_agree_with_plain_double_on_the_coarse_hand),
    cmocka_unit_test(assemblies_agree_with_plain_double_on_the_hand),
    cmocka_unit_test(assemblies_of_graded_bodies_agree_with_plain_double),
    cmocka_unit_test(assemblies_of_the_poisson_element_converge_at_second_order),
    cmocka_unit_test(solvers_solve_the_deformed_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
