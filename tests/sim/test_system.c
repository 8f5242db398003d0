// Every assembly, format and solver there is, on every device that is there, against plain double-precision code
// written here, on deformed bodies. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "sim_testing.h"

#include "app/session.h"
#include "mesh/adjacency.h"
#include "sim/assembly/assembly.h"
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

// F and the tangent by pattern position, from the plainest assembly in double: the reference
typedef struct Reference {
  TetMesh mesh;
  Pattern pattern;
  double (*u)[3], *F, *K, *mass;
} Reference;

static const AssemblyParameters parameters = { { 5, 2 }, 0.5, 0.25 };

static Reference reference_system(const char *mesh_name, double noise) {
  Error error = { 0 };
  Reference r = { 0 };
  Adjacency adjacency;
  char path[SCENE_PATH_LENGTH];
  asset_path(mesh_name, path);
  MUST(mesh_read(path, &r.mesh, &error));
  MUST(adjacency_create(&adjacency, &r.mesh, &error));
  MUST(pattern_create(&r.pattern, &adjacency, 3, &error));
  adjacency_destroy(&adjacency);
  const int n = r.pattern.n;
  r.u = malloc(sizeof *r.u * (size_t)r.mesh.node_count);
  r.F = calloc((size_t)n, sizeof *r.F);
  r.K = calloc((size_t)r.pattern.row_start[n], sizeof *r.K);
  r.mass = malloc(sizeof *r.mass * (size_t)r.mesh.node_count);
  mesh_lumped_mass(&r.mesh, 1, r.mass);
  deform(&r.mesh, noise, 4, r.u);
  for (int e = 0; e < r.mesh.tet_count; e++) {
    // from x, by the formulas of paper 000 as they stand, not by the program's
    const int *t = r.mesh.tet[e];
    double Dm[3][3], Ds[3][3], inverse[3][3], F[3][3], F_inverse[3][3], B[4][3];
    for (int a = 0; a < 3; a++)
      for (int i = 0; i < 3; i++) {
        Dm[i][a] = r.mesh.X[t[a]][i] - r.mesh.X[t[3]][i];
        Ds[i][a] = Dm[i][a] + r.u[t[a]][i] - r.u[t[3]][i];
      }
    double det = 0, J = 0;
    for (int i = 0; i < 3; i++)
      det += Dm[0][i] * (Dm[1][(i + 1) % 3] * Dm[2][(i + 2) % 3] - Dm[1][(i + 2) % 3] * Dm[2][(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        inverse[j][i] = (Dm[(i + 1) % 3][(j + 1) % 3] * Dm[(i + 2) % 3][(j + 2) % 3] -
                         Dm[(i + 1) % 3][(j + 2) % 3] * Dm[(i + 2) % 3][(j + 1) % 3]) /
                        det;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        F[i][j] = 0;
        for (int k = 0; k < 3; k++) F[i][j] += Ds[i][k] * inverse[k][j];
      }
    for (int i = 0; i < 3; i++)
      J += F[0][i] * (F[1][(i + 1) % 3] * F[2][(i + 2) % 3] - F[1][(i + 2) % 3] * F[2][(i + 1) % 3]);
    assert_true(J > 0);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        F_inverse[j][i] = (F[(i + 1) % 3][(j + 1) % 3] * F[(i + 2) % 3][(j + 2) % 3] -
                           F[(i + 1) % 3][(j + 2) % 3] * F[(i + 2) % 3][(j + 1) % 3]) /
                          J;
    for (int k = 0; k < 3; k++) {
      for (int a = 0; a < 3; a++) B[a][k] = inverse[a][k];
      B[3][k] = -B[0][k] - B[1][k] - B[2][k];
    }
    const double V = det / 6, mu = parameters.material[0], lambda = parameters.material[1], log_J = log(J);
    for (int a = 0; a < 4; a++)
      for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
          r.F[3 * t[a] + i] +=
              parameters.vector_scale * V * (mu * F[i][j] + (lambda * log_J - mu) * F_inverse[j][i]) * B[a][j];
        for (int b = 0; b < 4; b++)
          for (int k = 0; k < 3; k++) {
            double sum = 0;
            for (int j = 0; j < 3; j++)
              for (int l = 0; l < 3; l++)
                sum += B[a][j] * B[b][l] *
                       (mu * (i == k) * (j == l) + lambda * F_inverse[j][i] * F_inverse[l][k] -
                        (lambda * log_J - mu) * F_inverse[l][i] * F_inverse[j][k]);
            r.K[pattern_find(&r.pattern, 3 * t[a] + i, 3 * t[b] + k)] += parameters.matrix_scale * V * sum;
          }
      }
  }
  return r;
}

static void reference_destroy(Reference *r) {
  mesh_destroy(&r->mesh);
  pattern_destroy(&r->pattern);
  free(r->u), free(r->F), free(r->K), free(r->mass);
}

// runs one assembly into one format, twice: right, and the same bits
static void check_assembly(const Reference *r, const AssemblyMethod *method, const MatrixFormat *format) {
  Error error = { 0 };
  Stream stream;
  Matrix A;
  Assembly assembly;
  const Precision precision = format->precision;
  const int n = r->pattern.n, nnz = r->pattern.row_start[n];
  MUST(stream_create(device, &stream, &error));
  MUST(matrix_create(&A, format, &r->pattern, &error));
  MUST(assembly_create(&assembly, method, &r->mesh, &A, PARTITION_GREEDY, &error));
  double *values = malloc(sizeof *values * (size_t)A.slot_count), *again = malloc(sizeof *again * (size_t)A.slot_count);
  double *got = malloc(sizeof *got * (size_t)nnz), *F = malloc(sizeof *F * (size_t)n),
         *F_alone = malloc(sizeof *F * (size_t)n);
  void *u_dev = put(precision, &r->u[0][0], n), *F_dev = put(precision, r->F, n);
  // poison what must be written: the pattern's slots; the others are zero from the start and must stay so
  memset(values, 0, sizeof *values * (size_t)A.slot_count);
  for (int k = 0; k < nnz; k++) values[A.slot[k]] = -777;
  device_free(device, A.values);
  A.values = put(precision, values, A.slot_count);
  MUST(device_zero(stream, F_dev, (size_t)n * precision_size(precision), &error));
  MUST(assembly_run(&assembly, &parameters, u_dev, F_dev, A.values, stream, &error));
  get(stream, precision, A.values, values, A.slot_count, true);
  get(stream, precision, F_dev, F, n, true);
  for (int k = 0; k < nnz; k++) got[k] = values[A.slot[k]];
  // cancelling sums of 20 terms; double is limited by the reference's own way through F
  const double tolerance = precision == PRECISION_F64 ? 1e-12 : 1e-6;
  const double matrix_error = relative_l2(got, r->K, nnz), vector_error = relative_l2(F, r->F, n);
  printf("  %s into %s: matrix %.2e, vector %.2e\n", stage_label(method->name, device, precision), format->name,
         matrix_error, vector_error);
  assert_true(matrix_error <= tolerance);
  assert_true(vector_error <= tolerance);
  // slots outside the pattern hold zero: products run over them
  double outside = 0, inside = 0;
  for (int64_t k = 0; k < A.slot_count; k++) outside += fabs(values[k]);
  for (int k = 0; k < nnz; k++) inside += fabs(got[k]);
  assert_true(fabs(outside - inside) <= 1e-12 * inside);
  // again: same bits; and the vector alone is the same vector
  MUST(assembly_run(&assembly, &parameters, u_dev, F_dev, A.values, stream, &error));
  get(stream, precision, A.values, again, A.slot_count, true);
  assert_memory_equal(values, again, sizeof *values * (size_t)A.slot_count);
  MUST(assembly_run(&assembly, &parameters, u_dev, F_dev, NULL, stream, &error));
  get(stream, precision, F_dev, F_alone, n, true);
  assert_memory_equal(F, F_alone, sizeof *F * (size_t)n);
  free(values), free(again), free(got), free(F), free(F_alone);
  device_free(device, u_dev), device_free(device, F_dev);
  assembly_destroy(&assembly);
  matrix_destroy(&A);
  stream_destroy(&stream);
}

static void check_all_assemblies(const char *mesh_name) {
  Reference r = reference_system(mesh_name, 0.05);
  for (const AssemblyMethod *const *m = assembly_methods; *m; m++)
    for (const MatrixFormat *const *f = matrix_formats; *f; f++)
      if ((*m)->device == device && (*f)->device == device && (*m)->precision == (*f)->precision &&
          strcmp((*m)->element, "neo_hookean_tet") == 0)
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

static void solvers_solve_the_deformed_hand(void **state) {
  (void)state;
  Error error = { 0 };
  Reference r = reference_system("meshes/hand_coarse.msh", 0.05);
  const int n = r.pattern.n, nnz = r.pattern.row_start[n];
  uint64_t seed = 5;
  double *b = malloc(sizeof *b * (size_t)n), *x = malloc(sizeof *x * (size_t)n), *again = malloc(sizeof *x * (size_t)n);
  uint8_t *fixed = calloc((size_t)n, 1);
  // the tangent of a step of 0.01 s, so that it is positive definite, and a tenth of the unknowns held
  for (int i = 0; i < n; i++) {
    r.K[pattern_find(&r.pattern, i, i)] += r.mass[i / 3] * 100;
    fixed[i] = i / 3 % 10 == 0;
    b[i] = (float)(random_unit(&seed) * r.mass[i / 3]);
  }
  for (const SolverMethod *const *m = solver_methods; *m; m++)
    for (const MatrixFormat *const *f = matrix_formats; *f; f++) {
      if ((*m)->device != device || (*f)->device != device || (*m)->precision != (*f)->precision) continue;
      const Precision precision = (*f)->precision;
      Stream stream;
      Matrix A;
      Solver solver;
      MUST(stream_create(device, &stream, &error));
      MUST(matrix_create(&A, *f, &r.pattern, &error));
      double *diagonal = malloc(sizeof *diagonal * (size_t)n);
      for (int i = 0; i < n; i++) diagonal[i] = r.K[pattern_find(&r.pattern, i, i)];
      void *diagonal_dev = put(precision, diagonal, n);
      double *values = calloc((size_t)A.slot_count, sizeof *values);
      for (int k = 0; k < nnz; k++) values[A.slot[k]] = r.K[k];
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
        for (int s = r.pattern.row_start[i]; s < r.pattern.row_start[i + 1]; s++)
          residual -= r.K[s] * x[r.pattern.col[s]];
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
      for (int i = 0; i < n; i++) values[A.slot[pattern_find(&r.pattern, i, i)]] *= -1;
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
  free(b), free(x), free(again), free(fixed);
  reference_destroy(&r);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(spmv_agrees_with_plain_product_in_double),
    cmocka_unit_test(assemblies_agree_with_plain_double_on_the_coarse_hand),
    cmocka_unit_test(assemblies_agree_with_plain_double_on_the_hand),
    cmocka_unit_test(solvers_solve_the_deformed_hand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
