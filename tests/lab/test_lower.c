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
    to[a] = to[b];
    to[b] = old;
  }

  for (int e = cells - 1; shuffled && e > 0; e--) {
    const int b = (int)((random_unit(&seed) * 0.5 + 0.5) * e), old = cell_to[e];
    cell_to[e] = cell_to[b];
    cell_to[b] = old;
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

  free(to);
  free(cell_to);
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

// Computes M [8][8] of a cell as one array [64], with 4 x 4 x 4 Gauss points and the shape functions of
// element/shape/hex8.h.
static void plain_mass(const Space *space, int e, double density, double M[64]) {
  static const double x[4] = { 0.06943184420297371, 0.33000947820757187, 0.66999052179242813, 0.93056815579702629 };
  static const double w[4] = { 0.17392742256872693, 0.32607257743127307, 0.32607257743127307, 0.17392742256872693 };
  double S[SHAPE_SUPPLEMENTAL];
  shape_supplemental(space, e, S);
  memset(M, 0, 64 * sizeof *M);
  for (int q = 0; q < 64; q++) {
    const double xi[3] = { x[q % 4], x[q / 4 % 4], x[q / 16] };
    double N[SHAPE_NODES], dN[SHAPE_NODES][3], C[3][3];
    shape_values(xi, N);
    const double det = hex8_at(S, xi, dN, C);
    const double mass = density * shape_stiffness(S) * w[q % 4] * w[q / 4 % 4] * w[q / 16] * det;
    for (int v = 0; v < 64; v++) M[v] += mass * N[v / 8] * N[v % 8];
  }
}

// The integrals over the unit cube of 1, x^2 and x y follow from the mass matrices of its cells, because each cell
// represents x and y exactly. 216 M_ab of an undistorted unit cube is 8, 4, 2 or 1 if nodes a and b differ in 0, 1, 2
// or 3 coordinates.
static void the_mass_matrix_of_a_brick_is_exact(void **state) {
  (void)state;
  Space space = make_bricks(4, 0.3, true);
  double one = 0, square = 0, product = 0;
  for (int e = 0; e < space.cell_count; e++) {
    double S[SHAPE_SUPPLEMENTAL], M[BRICK_ENTRIES];
    space.stiffness[e] = 1;
    shape_supplemental(&space, e, S);
    assert_true(brick_mass(S, 1, M) > 0);
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++) {
        const double *X = space.X[space_cell(&space, e)[a]], *Y = space.X[space_cell(&space, e)[b]];
        const double entry = M[a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a];
        one += entry;
        square += X[0] * entry * Y[0];
        product += X[0] * entry * Y[1];
      }
  }

  assert_true(fabs(one - 1) < 1e-13 && fabs(square - 1.0 / 3) < 1e-13 && fabs(product - 0.25) < 1e-13);
  space_destroy(&space);
  space = make_bricks(1, 0, false);
  double S[SHAPE_SUPPLEMENTAL], M[BRICK_ENTRIES];
  space.stiffness[0] = 1;
  shape_supplemental(&space, 0, S);
  assert_true(brick_mass(S, 1, M) > 0);
  for (int a = 0; a < 8; a++)
    for (int b = 0; b <= a; b++) {
      const int apart = BRICK_BIT(a ^ b, 0) + BRICK_BIT(a ^ b, 1) + BRICK_BIT(a ^ b, 2);
      assert_true(fabs(216 * M[a * (a + 1) / 2 + b] - (8 >> apart)) < 1e-13);
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
      free(value);
      free(expected);
      free(count_sums);
      free(sort_sums);
      lower_pattern_destroy(&counted);
      lower_pattern_destroy(&sorted);
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

// Returns values [nonzeros] of a matrix that is assembled in groups of cells. free() releases them.
static void *run_chunked(const Space *space, const Built *built, const ChunkedSettings *settings) {
  Error error = { 0 };
  const Precision precision = settings->precision;
  Chunked chunked;
  ChunkedTimes times;
  void *values = malloc(precision_size(precision) * (size_t)built->pattern.start[built->pattern.rows]);
  memset(values, 0x7f, precision_size(precision) * (size_t)built->pattern.start[built->pattern.rows]);
  MUST(chunked_create(&chunked, space, &built->pattern, &built->corners, settings, &error));
  assert_true(chunked.groups == (space->cell_count - 1) / chunked.group_cells + 1);
  MUST(chunked_run(&chunked, 1.3, values, &times, &error));
  MUST(chunked_run(&chunked, 1.3, values, &times, &error));  // the second run must overwrite the values of the first
  assert_true(times.total > 0 && times.gather > 0 && times.sum > 0);
  chunked_destroy(&chunked);
  return values;
}

// Returns the matrix with the coefficient 1.3, summed cell by cell in double. free() releases it.
static double *plain_sums(const Space *space, const Built *built, BrickForm form) {
  double *sums = doubles(built->pattern.start[built->pattern.rows]), K[64];
  for (int e = 0; e < space->cell_count; e++) {
    form == BRICK_MASS ? plain_mass(space, e, 1.3, K) : plain_matrix(space, e, 1.3, K);
    for (int v = 0; v < 64; v++) {
      const int row = space_cell(space, e)[v / 8], col = space_cell(space, e)[v % 8];
      if (col <= row) sums[lower_find(&built->pattern, row, col)] += K[v];
    }
  }
  return sums;
}

static void any_number_of_groups_has_the_bits_of_one(void **state) {
  (void)state;
  for (int shuffled = 0; shuffled < 2; shuffled++) {
    // unshuffled: the stiffness matrix; shuffled: both forms
    Space space = make_bricks(21, 0.25, shuffled);
    Built built = build(&space);
    const int64_t entries = built.pattern.start[built.pattern.rows];
    for (BrickForm form = BRICK_STIFFNESS; form < (shuffled ? BRICK_FORMS : BRICK_MASS); form++) {
      double *expected = plain_sums(&space, &built, form);
      for (Precision precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
        ChunkedSettings settings = { device, precision, form, CHUNK_OVERLAP, 0, space.cell_count };
        void *one = run_chunked(&space, &built, &settings);
        double *got = as_doubles(precision, one, entries);
        const double difference = relative_l2(got, expected, entries);
        if (!(difference < (precision == PRECISION_F64 ? 1e-13 : 3e-7)))
          fail_msg("%s, %s: %.1e", stage_label("chunked", device, precision), brick_form_names[form], difference);
        for (int cells = 64; cells < space.cell_count; cells = 3 * cells + 64) {
          settings.group_cells = cells;
          settings.grouping = settings.grouping == CHUNK_OVERLAP ? CHUNK_FEWEST : CHUNK_OVERLAP;
          void *many = run_chunked(&space, &built, &settings);
          assert_memory_equal(many, one, precision_size(precision) * (size_t)entries);
          free(many);
        }
        free(got);
        free(one);
      }
      free(expected);
    }
    release(&built);
    space_destroy(&space);
  }
}

// A memory budget, bytes, that is too small for the matrices of all cells divides the cells into several groups. A
// budget that is too small for the smallest group is refused.
static void a_budget_is_kept(void **state) {
  (void)state;
  Error error = { 0 };
  Space space = make_bricks(16, 0.2, false);
  Built built = build(&space);
  Chunked chunked;
  for (ChunkGrouping grouping = CHUNK_OVERLAP; grouping < CHUNK_GROUPINGS; grouping++) {
    ChunkedSettings settings = { device, PRECISION_F64, BRICK_STIFFNESS, grouping, 400e3, 0 };
    const double cells = space.cell_count, cell = 8 * (BRICK_DATA + BRICK_ENTRIES);
    const size_t before = device_memory_taken(device);
    MUST(chunked_create(&chunked, &space, &built.pattern, &built.corners, &settings, &error));
    if (grouping == CHUNK_FEWEST)  // Eq. 10: bytes of all cells divided by the budget, rounded up
      assert_int_equal(chunked.groups, ceil(cells * cell / settings.budget));
    else
      assert_true(chunked.groups > 5);
    if (device == DEVICE_CUDA) {
      const double taken = (double)chunked.device_bytes;
      assert_true(device_memory_taken(device) - before == chunked.device_bytes);
      assert_true(taken <= settings.budget && taken > 0.8 * settings.budget);
    }
    chunked_destroy(&chunked);
    settings.budget = 1e4;
    assert_false(chunked_create(&chunked, &space, &built.pattern, &built.corners, &settings, &error));
    assert_non_null(strstr(error.message, "budget of 10000 bytes"));
    error = (Error){ 0 };
  }

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
    node[0] = node[6];
    node[6] = old;
    const ChunkedSettings settings = { .device = device, .precision = PRECISION_F64, .group_cells = 320 };
    MUST(chunked_create(&chunked, &space, &built.pattern, &built.corners, &settings, &error));
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
    const ChunkedSettings settings = { .device = DEVICE_CPU, .precision = precision, .group_cells = 1000 };
    void *values = run_chunked(&space, &built, &settings), *x_dev, *y_dev;
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
    device_free(device, x_dev);
    device_free(device, y_dev);
    operator_destroy(&A);
    stream_destroy(&stream);
    free(values);
    free(plain);
    free(x);
    free(y);
    free(x_host);
    free(got_host);
    free(again);
    free(got);
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
    cmocka_unit_test(the_mass_matrix_of_a_brick_is_exact),
    cmocka_unit_test(builders_give_the_pattern_of_all_pairs),
    cmocka_unit_test(any_number_of_groups_has_the_bits_of_one),
    cmocka_unit_test(a_budget_is_kept),
    cmocka_unit_test(an_inverted_cell_is_named),
    cmocka_unit_test(products_are_those_of_the_whole_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
