// Tests matrices of hexahedral meshes of which only the lower triangle is stored (paper 002), on one device. Three ways
// to build the sparsity pattern are compared with a count of all pairs of nodes. Element matrices are compared with
// quadrature in double. Matrices are assembled by groups of cells; groups of any size must give equal bits.
// usage: test_lower cpu|cuda [PATTERN]     PATTERN selects tests by their names
#include "sim_testing.h"

#include "lab/lower/chunked.h"
#include "lab/lower/lower_operator.h"
#include "lab/rows.h"

#define REAL double
#define REAL_SUFFIX f64
#include "lab/lower/brick.h"

static Device device;

static double *doubles(int64_t count) {
  return calloc((size_t)count + 1, sizeof(double));
}

// Divides the unit cube into n^3 cells and moves nodes by up to `distort` times a cell's edge in each direction. Nodes
// on a face of the cube stay on it. `shuffled`: numbers nodes and cells at random.
static Space make_bricks(int n, double distort, bool shuffled) {
  const int side = n + 1, nodes = side * side * side, cells = n * n * n;
  uint64_t seed = 5;
  Space space = {
    .shape = CELL_HEX8, .cell_nodes = 8, .node_dof = 1, .node_count = nodes, .owned_count = nodes, .cell_count = cells
  };
  int *to = malloc(sizeof *to * (size_t)nodes), *cell_to = malloc(sizeof *cell_to * (size_t)cells);
  for (int a = 0; a < nodes; a++) to[a] = a;
  for (int e = 0; e < cells; e++) cell_to[e] = e;
  for (int a = nodes - 1; shuffled && a > 0; a--) {
    const int b = (int)((random_unit(&seed) * 0.5 + 0.5) * a), old = to[a];
    to[a] = to[b], to[b] = old;
  }
  for (int e = cells - 1; shuffled && e > 0; e--) {
    const int b = (int)((random_unit(&seed) * 0.5 + 0.5) * e), old = cell_to[e];
    cell_to[e] = cell_to[b], cell_to[b] = old;
  }
  space.X = malloc(sizeof *space.X * (size_t)nodes);
  space.cell = malloc(sizeof *space.cell * 8 * (size_t)cells);
  space.stiffness = malloc(sizeof *space.stiffness * (size_t)cells);
  for (int a = 0; a < nodes; a++) {
    const int at[3] = { a % side, a / side % side, a / side / side };
    for (int k = 0; k < 3; k++) {
      const bool inner = at[k] > 0 && at[k] < n;
      space.X[to[a]][k] = (at[k] + (inner ? distort * random_unit(&seed) : 0)) / n;
    }
  }
  for (int e = 0; e < cells; e++) {
    const int x = e % n, y = e / n % n, z = e / n / n;
    space.stiffness[e] = exp(random_unit(&seed));
    for (int a = 0; a < 8; a++) {
      const int i = x + BRICK_BIT(a, 0), j = y + BRICK_BIT(a, 1), k = z + BRICK_BIT(a, 2);
      space.cell[8 * (int64_t)cell_to[e] + a] = to[(k * side + j) * side + i];
    }
  }
  free(to), free(cell_to);
  return space;
}

// Computes K [8][8] of a cell as one array [64], with the gradients of element/shape/hex8.h.
static void plain_matrix(const Space *space, int e, double conductivity, double K[64]) {
  double S[SHAPE_SUPPLEMENTAL];
  shape_supplemental(space, e, S);
  memset(K, 0, 64 * sizeof *K);
  for (int q = 0; q < SHAPE_POINTS; q++) {
    double B[SHAPE_NODES][3];
    shape_gradients(S, q, B);
    const double factor = conductivity * shape_stiffness(S) * shape_volume(S, q);
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++)
        for (int k = 0; k < 3; k++) K[8 * a + b] += factor * B[a][k] * B[b][k];
  }
}

// Gradients of hex8 must be exact for linear fields, and the volumes of all cells must sum to that of the cube.
static void the_shape_reproduces_linear_fields(void **state) {
  (void)state;
  Space space = make_bricks(4, 0.25, true);
  double volume = 0;
  for (int e = 0; e < space.cell_count; e++) {
    double S[SHAPE_SUPPLEMENTAL], u[24], G[3][3], B[SHAPE_NODES][3];
    const double H[3][3] = { { 0.3, -1.1, 0.7 }, { 0.2, 0.5, -0.4 }, { -0.9, 0.1, 0.6 } };
    shape_supplemental(&space, e, S);
    for (int a = 0; a < 8; a++)
      for (int i = 0; i < 3; i++) {
        const double *X = space.X[space_cell(&space, e)[a]];
        u[3 * a + i] = 2 + H[i][0] * X[0] + H[i][1] * X[1] + H[i][2] * X[2];
      }
    for (int q = 0; q < SHAPE_POINTS; q++) {
      shape_gradients(S, q, B);
      shape_displacement_gradient(u, S, B, G);
      volume += shape_volume(S, q);
      for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
          double sum = 0;
          for (int a = 0; a < 8; a++) sum += B[a][k];
          assert_true(fabs(G[i][k] - H[i][k]) < 1e-13 && fabs(sum) < 1e-12);
        }
    }
  }
  assert_true(fabs(volume - 1) < 1e-13);
  space_destroy(&space);
}

static void the_matrix_of_a_brick_is_that_of_quadrature(void **state) {
  (void)state;
  Space space = make_bricks(5, 0.3, true);
  for (int e = 0; e < space.cell_count; e++) {
    double S[SHAPE_SUPPLEMENTAL], K[BRICK_ENTRIES], plain[64], lower[BRICK_ENTRIES];
    shape_supplemental(&space, e, S);
    assert_true(brick_matrix(S, 1.7, K) > 0);
    plain_matrix(&space, e, 1.7, plain);
    for (int a = 0; a < 8; a++)
      for (int b = 0; b <= a; b++) lower[a * (a + 1) / 2 + b] = plain[8 * a + b];
    const double difference = relative_l2(K, lower, BRICK_ENTRIES);
    if (!(difference < 3e-15)) fail_msg("cell %d: %.1e", e, difference);
  }
  space_destroy(&space);
}

// Entries of the unit cube's matrix: 4/12 on the diagonal, 0 for two nodes of an edge, -1/12 for other pairs.
static void the_matrix_of_a_cube_is_known(void **state) {
  (void)state;
  Space space = make_bricks(1, 0, false);
  double S[SHAPE_SUPPLEMENTAL], K[BRICK_ENTRIES];
  space.stiffness[0] = 1;
  shape_supplemental(&space, 0, S);
  assert_true(fabs(brick_matrix(S, 1, K) - 1) < 1e-15);
  for (int a = 0; a < 8; a++)
    for (int b = 0; b <= a; b++) {
      const int apart = (BRICK_BIT(a, 0) != BRICK_BIT(b, 0)) + (BRICK_BIT(a, 1) != BRICK_BIT(b, 1)) +
                        (BRICK_BIT(a, 2) != BRICK_BIT(b, 2));
      const double expected[4] = { 4, 0, -1, -1 };
      assert_true(fabs(12 * K[a * (a + 1) / 2 + b] - expected[apart]) < 1e-14);
    }
  space_destroy(&space);
}

typedef struct Built {
  LowerPattern pattern;
  LowerCorners corners;
} Built;

static Built build(const Space *space) {
  Error error = { 0 };
  Built built;
  MUST(lower_corners_create(&built.corners, space, &error));
  MUST(lower_pattern_connect(&built.pattern, space, &built.corners, &error));
  return built;
}

static void release(Built *built) {
  lower_pattern_destroy(&built->pattern);
  lower_corners_destroy(&built->corners);
}

static void same_pattern(const LowerPattern *a, const LowerPattern *b) {
  assert_int_equal(a->rows, b->rows);
  assert_memory_equal(a->start, b->start, sizeof *a->start * ((size_t)a->rows + 1));
  assert_memory_equal(a->col, b->col, sizeof *a->col * (size_t)a->start[a->rows]);
}

static void builders_give_the_pattern_of_all_pairs(void **state) {
  (void)state;
  Error error = { 0 };
  for (int n = 1; n <= 19; n += 6)
    for (int shuffled = 0; shuffled < 2; shuffled++) {
      Space space = make_bricks(n, 0.2, shuffled);
      Built built = build(&space);
      const LowerPattern *p = &built.pattern;
      const int64_t side = n + 1, wide = 3 * n + 1;
      assert_int_equal(p->start[p->rows], (wide * wide * wide + side * side * side) / 2);
      Adjacency graph;
      MUST(adjacency_create_cells(&graph, space.node_count, space.cell_count, 8, space.cell, &error));
      for (int a = 0; a < p->rows; a++) {
        int64_t at = p->start[a];
        for (int64_t pair = graph.start[a]; pair < graph.start[a + 1]; pair++)
          if (graph.neighbour[pair] <= a) assert_true(at < p->start[a + 1] && p->col[at++] == graph.neighbour[pair]);
        assert_true(at == p->start[a + 1] && p->col[at - 1] == a);
      }
      adjacency_destroy(&graph);
      LowerTriplets t;
      LowerPattern counted, sorted;
      double *count_sums, *sort_sums;
      MUST(lower_triplets_create(&t, &space, &error));
      assert_int_equal(t.count, 36 * (int64_t)space.cell_count);
      double *value = doubles(t.count);
      uint64_t seed = 3;
      for (int64_t k = 0; k < t.count; k++) value[k] = random_unit(&seed);
      MUST(lower_pattern_count(&counted, &t, value, &count_sums, &error));
      MUST(lower_pattern_sort(&sorted, &t, value, &sort_sums, &error));
      same_pattern(&counted, p);
      same_pattern(&sorted, p);
      // expected: for each matrix entry, the sum of its triplets in their original order
      double *expected = doubles(p->start[p->rows]);
      for (int64_t k = 0; k < t.count; k++) expected[lower_find(p, t.row[k], t.col[k])] += value[k];
      assert_memory_equal(count_sums, expected, sizeof *expected * (size_t)p->start[p->rows]);
      assert_memory_equal(sort_sums, expected, sizeof *expected * (size_t)p->start[p->rows]);
      free(value), free(expected), free(count_sums), free(sort_sums);
      lower_pattern_destroy(&counted), lower_pattern_destroy(&sorted);
      lower_triplets_destroy(&t);
      release(&built);
      space_destroy(&space);
    }
}

static double *as_doubles(Precision precision, const void *values, int64_t count) {
  double *made = doubles(count);
  for (int64_t k = 0; k < count; k++)
    made[k] = precision == PRECISION_F64 ? ((const double *)values)[k] : (double)((const float *)values)[k];
  return made;
}

// Returns values [nonzeros] of a matrix that is assembled in groups of `group_cells` cells. free() releases them.
static void *run_chunked(const Space *space, const Built *built, Device on, Precision precision, int group_cells) {
  Error error = { 0 };
  Chunked chunked;
  ChunkedTimes times;
  void *values = malloc(precision_size(precision) * (size_t)built->pattern.start[built->pattern.rows]);
  memset(values, 0x7f, precision_size(precision) * (size_t)built->pattern.start[built->pattern.rows]);
  MUST(chunked_create(&chunked, space, &built->pattern, &built->corners, on, precision, 0, group_cells, &error));
  assert_true(chunked.groups == (space->cell_count - 1) / chunked.group_cells + 1);
  MUST(chunked_run(&chunked, 1.3, values, &times, &error));
  MUST(chunked_run(&chunked, 1.3, values, &times, &error));  // the second run must overwrite the values of the first
  assert_true(times.total > 0 && times.gather > 0 && times.sum > 0);
  chunked_destroy(&chunked);
  return values;
}

static void any_number_of_groups_has_the_bits_of_one(void **state) {
  (void)state;
  for (int shuffled = 0; shuffled < 2; shuffled++) {
    Space space = make_bricks(21, 0.25, shuffled);
    Built built = build(&space);
    const int64_t entries = built.pattern.start[built.pattern.rows];
    double *expected = doubles(entries), K[64];
    for (int e = 0; e < space.cell_count; e++) {
      plain_matrix(&space, e, 1.3, K);
      for (int v = 0; v < 64; v++) {
        const int row = space_cell(&space, e)[v / 8], col = space_cell(&space, e)[v % 8];
        if (col <= row) expected[lower_find(&built.pattern, row, col)] += K[v];
      }
    }
    for (Precision precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
      void *one = run_chunked(&space, &built, device, precision, space.cell_count);
      double *got = as_doubles(precision, one, entries);
      const double difference = relative_l2(got, expected, entries);
      if (!(difference < (precision == PRECISION_F64 ? 1e-13 : 3e-7)))
        fail_msg("%s: %.1e", stage_label("chunked", device, precision), difference);
      for (int cells = 64; cells < space.cell_count; cells = 3 * cells + 64) {
        void *many = run_chunked(&space, &built, device, precision, cells);
        assert_memory_equal(many, one, precision_size(precision) * (size_t)entries);
        free(many);
      }
      free(got), free(one);
    }
    free(expected);
    release(&built);
    space_destroy(&space);
  }
}

static void a_budget_is_kept(void **state) {
  (void)state;
  Error error = { 0 };
  Space space = make_bricks(16, 0.2, false);
  Built built = build(&space);
  Chunked chunked;
  const double budget = 400e3;
  const size_t before = device_memory_taken(device);
  MUST(chunked_create(&chunked, &space, &built.pattern, &built.corners, device, PRECISION_F64, budget, 0, &error));
  assert_true(chunked.groups > 5);
  if (device == DEVICE_CUDA) {
    assert_true(device_memory_taken(device) - before == chunked.device_bytes);
    assert_true((double)chunked.device_bytes <= budget && (double)chunked.device_bytes > 0.8 * budget);
  }
  chunked_destroy(&chunked);
  assert_false(chunked_create(&chunked, &space, &built.pattern, &built.corners, device, PRECISION_F64, 1e4, 0, &error));
  assert_non_null(strstr(error.message, "budget of 10000 bytes"));
  release(&built);
  space_destroy(&space);
}

static void an_inverted_cell_is_named(void **state) {
  (void)state;
  for (int turned = 77; turned <= 1700; turned += 541) {
    Error error = { 0 };
    Space space = make_bricks(12, 0, false);
    Built built = build(&space);
    Chunked chunked;
    ChunkedTimes times;
    char expected[60];
    double *values = doubles(built.pattern.start[built.pattern.rows]);
    int *node = space.cell + 8 * (int64_t)turned, old = node[0];
    node[0] = node[6], node[6] = old;
    MUST(chunked_create(&chunked, &space, &built.pattern, &built.corners, device, PRECISION_F64, 0, 320, &error));
    assert_false(chunked_run(&chunked, 1, values, &times, &error));
    snprintf(expected, sizeof expected, "cell %d, counted from 0, is inverted", turned);
    assert_non_null(strstr(error.message, expected));
    chunked_destroy(&chunked);
    free(values);
    release(&built);
    space_destroy(&space);
  }
}

static void products_are_those_of_the_whole_matrix(void **state) {
  (void)state;
  for (Precision precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
    Error error = { 0 };
    Stream stream;
    Operator A;
    Space space = make_bricks(17, 0.2, true);
    Built built = build(&space);
    const LowerPattern *p = &built.pattern;
    const int n = space.node_count;
    const size_t size = precision_size(precision);
    void *values = run_chunked(&space, &built, DEVICE_CPU, precision, 1000), *x_dev, *y_dev;
    double *plain = as_doubles(precision, values, p->start[n]), *x = doubles(n), *y = doubles(n);
    uint64_t seed = 11;
    for (int a = 0; a < n; a++) x[a] = (float)random_unit(&seed);
    for (int a = 0; a < n; a++)
      for (int64_t s = p->start[a]; s < p->start[a + 1]; s++) {
        y[a] += plain[s] * x[p->col[s]];
        if (p->col[s] != a) y[p->col[s]] += plain[s] * x[a];
      }
    void *x_host = malloc(size * (size_t)n), *got_host = malloc(size * (size_t)n), *again = malloc(size * (size_t)n);
    for (int a = 0; a < n; a++)
      precision == PRECISION_F64 ? (((double *)x_host)[a] = x[a]) : (((float *)x_host)[a] = (float)x[a]);
    MUST(stream_create(device, &stream, &error));
    MUST(lower_operator_create(&A, &space, p, values, device, precision, &error));
    x_dev = device_clone(device, x_host, size * (size_t)n, &error);
    y_dev = device_alloc(device, size * (size_t)n, &error);
    for (int trial = 0; trial < 2; trial++) {
      MUST(operator_apply(&A, x_dev, y_dev, NULL, stream, &error));
      MUST(device_download(stream, trial ? again : got_host, y_dev, size * (size_t)n, &error));
      MUST(stream_sync(stream, &error));
    }
    assert_memory_equal(got_host, again, size * (size_t)n);
    double *got = as_doubles(precision, got_host, n);
    const double difference = relative_l2(got, y, n);
    if (!(difference < (precision == PRECISION_F64 ? 1e-14 : 1e-6)))
      fail_msg("%s: %.1e", stage_label("lcsr", device, precision), difference);
    device_free(device, x_dev), device_free(device, y_dev);
    operator_destroy(&A);
    stream_destroy(&stream);
    free(values), free(plain), free(x), free(y), free(x_host), free(got_host), free(again), free(got);
    release(&built);
    space_destroy(&space);
  }
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  lab_add_stages();
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_shape_reproduces_linear_fields),
    cmocka_unit_test(the_matrix_of_a_brick_is_that_of_quadrature),
    cmocka_unit_test(the_matrix_of_a_cube_is_known),
    cmocka_unit_test(builders_give_the_pattern_of_all_pairs),
    cmocka_unit_test(any_number_of_groups_has_the_bits_of_one),
    cmocka_unit_test(a_budget_is_kept),
    cmocka_unit_test(an_inverted_cell_is_named),
    cmocka_unit_test(products_are_those_of_the_whole_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
