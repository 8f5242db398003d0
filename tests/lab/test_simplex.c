// Tests matrices that are built from vertices, edges and faces of tets (paper 004), on one device. Row lengths by Eq. 6
// must equal a brute-force count. Each format's layout must equal the layout made from a graph of nodes. Arrays of the
// GPU must equal those of the CPU. All methods of summation must give one matrix, with equal bits when repeated.
// Products of all formats must agree.
// usage: test_simplex cpu|cuda [PATTERN]     PATTERN selects tests by their names
#include "sim_testing.h"

#include "lab/rows.h"
#include "lab/simplex/bernstein.h"
#include "lab/simplex/simplex_matrix.h"
#include "lab/simplex/simplex_row.h"
#include "lab/stationary/raise_tets.h"
#include "lab/stationary/stationary.h"
#include "mesh/grid.h"
#include "mesh/quadratic.h"

static Device device;

typedef struct Target {
  Stream stream;
  SimplexMemory memory;
} Target;

static Target open_target(Device on) {
  Error error = { 0 };
  Target target = { 0 };
  MUST(stream_create(on, &target.stream, &error));
  target.memory.stream = target.stream;
  return target;
}

static void *fetch(const SimplexTopology *t, const void *array, size_t bytes) {
  Error error = { 0 };
  void *host = malloc(bytes + 1);
  MUST(device_download(t->memory.stream, host, array, bytes, &error));
  MUST(stream_sync(t->memory.stream, &error));
  return host;
}

static void same_ints(const SimplexTopology *a, const int *x, const SimplexTopology *b, const int *y, int64_t count,
                      const char *what) {
  assert_true((x != NULL) == (y != NULL));
  if (!x) return;
  int *left = fetch(a, x, sizeof *left * (size_t)count), *right = fetch(b, y, sizeof *right * (size_t)count);
  for (int64_t k = 0; k < count; k++)
    if (left[k] != right[k]) fail_msg("%s [%lld]: %d, on the CPU %d", what, (long long)k, left[k], right[k]);
  free(left);
  free(right);
}

// Returns a ball whose nodes are numbered at random.
static TetMesh shuffled_ball(int cells) {
  Error error = { 0 };
  TetMesh mesh = { 0 };
  uint64_t seed = 7;
  MUST(mesh_make_shape("sphere", (double[3]){ 1, 1, 1 }, cells, &mesh, &error));
  int *to = malloc(sizeof *to * (size_t)mesh.node_count);
  double(*X)[3] = malloc(sizeof *X * (size_t)mesh.node_count);
  for (int a = 0; a < mesh.node_count; a++) to[a] = a;
  for (int a = mesh.node_count - 1; a > 0; a--) {
    const int b = (int)((random_unit(&seed) * 0.5 + 0.5) * a), old = to[a];
    to[a] = to[b];
    to[b] = old;
  }
  for (int a = 0; a < mesh.node_count; a++) memcpy(X[to[a]], mesh.X[a], sizeof *X);
  memcpy(mesh.X, X, sizeof *X * (size_t)mesh.node_count);
  for (int e = 0; e < mesh.tet_count; e++)
    for (int k = 0; k < 4; k++) mesh.tet[e][k] = to[mesh.tet[e][k]];
  free(to);
  free(X);
  return mesh;
}

static int *all_cells(const SimplexTopology *t) {
  const int nodes = simplex_cell_nodes(t->degree);
  int *cells = malloc(sizeof *cells * (size_t)nodes * (size_t)t->tet_count);
  for (int e = 0; e < t->tet_count; e++)
    for (int a = 0; a < nodes; a++) cells[(int64_t)e * nodes + a] = simplex_cell_node(t->degree, t, e, a);
  return cells;
}

// Compares the columns of each row, in all formats, with a graph of nodes that is built cell by cell. expected: number
// of 3 x 3 blocks; 0: the number is not checked.
static void check_rows(const TetMesh *mesh, int degree, int64_t expected) {
  Error error = { 0 };
  SimplexTopology t;
  SimplexPattern m;
  Adjacency graph;
  MUST(simplex_topology_open(&t, mesh, degree, (SimplexMemory){ 0 }, &error));
  MUST(simplex_topology_find(&t, &error));
  int *cells = all_cells(&t);
  const int nodes = simplex_node_count(&t);
  MUST(adjacency_create_cells(&graph, nodes, t.tet_count, simplex_cell_nodes(degree), cells, &error));
  const int64_t brute = graph.start[nodes];
  int64_t counted = 0;
  for (int a = 0; a < nodes; a++) {
    const int length = simplex_row_length(degree, &t, a);
    counted += length;
    assert_int_equal(length, graph.start[a + 1] - graph.start[a]);
  }

  assert_int_equal(counted, brute);
  assert_int_equal(simplex_block_count(&t), brute);
  if (expected) assert_int_equal(brute, expected);
  const Stage *bins = stage_find(STAGE_OPERATOR, "binbcsr", DEVICE_CPU, PRECISION_F64, NULL);
  assert_non_null(bins);
  for (const char *const *format = simplex_formats; *format; format++) {
    const Space space = { .node_dof = 3, .node_count = nodes, .owned_count = nodes, .graph = graph };
    Operator A;
    const Stage *stage = stage_find(STAGE_OPERATOR, *format, DEVICE_CPU, PRECISION_F64, NULL);
    MUST(operator_create(&A, (const OperatorMethod *)stage, &space, &error));
    MUST(simplex_pattern_count(&m, &t, *format, &error));
    MUST(simplex_pattern_offsets(&m, &t, &error));
    MUST(simplex_pattern_reserve(&m, &t, &error));
    MUST(simplex_pattern_columns(&m, &t, &error));
    const BlockLayout *l = A.layout;
    const int bin_count = (nodes + m.bin - 1) / m.bin;
    same_ints(&t, m.layout.start, &t, l->start, bin_count + 1, "start");
    same_ints(&t, m.layout.length, &t, l->length, nodes, "length");
    same_ints(&t, m.layout.column, &t, l->column, simplex_slots(&m), "column");
    same_ints(&t, m.layout.node, &t, l->node, (int64_t)bin_count * m.bin, "node");
    simplex_pattern_destroy(&m, DEVICE_CPU);
    operator_destroy(&A);
  }

  free(cells);
  adjacency_destroy(&graph);
  simplex_topology_close(&t);
}

static void rows_are_those_of_brute_force(void **state) {
  (void)state;
  for (int degree = 1; degree <= 3; degree++) {
    for (int cells = 1; cells <= 5; cells += 2) {
      TetMesh ball = shuffled_ball(cells);
      check_rows(&ball, degree, 0);
      mesh_destroy(&ball);
    }

    // known number of 3 x 3 blocks of sphere_1700 for degrees 1, 2, 3
    static const int64_t known[] = { 21126, 293557, 1619425 };
#ifdef __SANITIZE_ADDRESS__
    if (degree == 3) continue;  // degree 3 is slow with the sanitizer; the balls above test the same code
#endif
    Error error = { 0 };
    const char *assets = getenv("PLIANT_ASSETS");
    char path[1024];
    TetMesh mesh = { 0 };
    snprintf(path, sizeof path, "%s/meshes/sphere_1700.msh", assets ? assets : "assets");
    MUST(mesh_read(path, 1, &mesh, &error));
    check_rows(&mesh, degree, known[degree - 1]);
    mesh_destroy(&mesh);
  }
}

// Tests meshes of other projects in a folder next to the checkout, if there are any.
static void rows_of_real_meshes(void **state) {
  (void)state;
  static const char *const names[] = { "two_cubes.msh", "archbridge.mesh", "boot.vtk", "comb.veg", "teapot.ele" };
  const char *assets = getenv("PLIANT_ASSETS");
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    char path[1024];
    snprintf(path, sizeof path, "%s/../../shared/meshes/%s", assets ? assets : "assets", names[k]);
    FILE *file = fopen(path, "rb");
    if (!file) continue;
    fclose(file);
    MUST(mesh_read(path, 1, &mesh, &error));
    for (int degree = 1; degree <= 3; degree++)
      if (degree < 3 || mesh.tet_count < 20000) check_rows(&mesh, degree, 0);
    mesh_destroy(&mesh);
  }
}

// A node must have the same position in all of its tets, and the nodes of a tet must have different numbers. For degree
// 2 the numbers must be those of mesh_raise.
static void nodes_have_distinct_positions(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh ball = shuffled_ball(4);
  for (int degree = 1; degree <= 3; degree++) {
    SimplexTopology t;
    MUST(simplex_topology_open(&t, &ball, degree, (SimplexMemory){ 0 }, &error));
    MUST(simplex_topology_find(&t, &error));
    const int nodes = simplex_node_count(&t), local = simplex_cell_nodes(degree);
    double(*position)[3] = malloc(sizeof *position * (size_t)nodes);
    uint8_t *seen = calloc((size_t)nodes, 1);
    for (int e = 0; e < t.tet_count; e++)
      for (int I = 0; I < local; I++) {
        const int a = simplex_cell_node(degree, &t, e, I);
        int index[4];
        double X[3] = { 0 };
        assert_true(a >= 0 && a < nodes);
        bernstein_index(degree, I, index);
        for (int v = 0; v < 4; v++)
          for (int i = 0; i < 3; i++) X[i] += index[v] * ball.X[ball.tet[e][v]][i] / degree;
        for (int i = 0; seen[a] && i < 3; i++) assert_true(fabs(X[i] - position[a][i]) < 1e-12);
        memcpy(position[a], X, sizeof X);
        seen[a] = 1;
        for (int b = 0; b < I; b++) assert_int_not_equal(simplex_cell_node(degree, &t, e, b), a);
      }
    for (int a = 0; a < nodes; a++) assert_true(seen[a]);
    if (degree == 2) {
      MUST(mesh_raise(&ball, 2, &error));
      assert_int_equal(ball.node_count, nodes);
      for (int e = 0; e < t.tet_count; e++)
        for (int k = 0; k < 6; k++) assert_int_equal(simplex_cell_node(2, &t, e, 4 + k), ball.middle[e][k]);
      mesh_destroy(&ball);
      ball = shuffled_ball(4);
    }
    free(position);
    free(seen);
    simplex_topology_close(&t);
  }
  mesh_destroy(&ball);
}

// Compares all arrays that the tested device computes with those of the CPU.
static void topology_and_pattern_are_the_cpu_s(void **state) {
  (void)state;
  Error error = { 0 };
  Target target = open_target(device);
  TetMesh ball = shuffled_ball(9);
  for (int degree = 1; degree <= 3; degree++)
    for (int pooled = 0; pooled < 2; pooled++) {
      SimplexTopology t, counterpart;
      target.memory.pooled = pooled;
      MUST(simplex_topology_open(&t, &ball, degree, target.memory, &error));
      MUST(simplex_topology_find(&t, &error));
      MUST(simplex_topology_open(&counterpart, &ball, degree, (SimplexMemory){ 0 }, &error));
      MUST(simplex_topology_find(&counterpart, &error));
      for (int kind = 0; kind < SIMPLEX_KINDS; kind++) {
        assert_int_equal(t.count[kind], counterpart.count[kind]);
        same_ints(&t, t.cells[kind].start, &counterpart, counterpart.cells[kind].start, t.count[kind] + 1,
                  "start of tets");
        same_ints(&t, t.cells[kind].item, &counterpart, counterpart.cells[kind].item,
                  simplices_of_tet(kind) * (int64_t)t.tet_count, "tets of simplices");
      }
      same_ints(&t, t.edge, &counterpart, counterpart.edge, 2 * t.count[EDGE], "edges");
      same_ints(&t, t.face, &counterpart, counterpart.face, 3 * t.count[FACE], "faces");
      same_ints(&t, t.tet_edge, &counterpart, counterpart.tet_edge, 6 * t.tet_count, "edges of tets");
      same_ints(&t, t.tet_face, &counterpart, counterpart.tet_face, 4 * t.tet_count, "faces of tets");
      same_ints(&t, t.vertex_edges, &counterpart, counterpart.vertex_edges, t.count[VERTEX], "edges of vertices");
      same_ints(&t, t.vertex_faces, &counterpart, counterpart.vertex_faces, t.count[VERTEX], "faces of vertices");
      same_ints(&t, t.edge_faces, &counterpart, counterpart.edge_faces, t.count[EDGE], "faces of edges");
      for (const char *const *format = simplex_formats; *format; format++) {
        SimplexPattern m[2];
        EntryMap map[2];
        for (int k = 0; k < 2; k++) {
          const SimplexTopology *of = k ? &counterpart : &t;
          MUST(simplex_pattern_count(&m[k], of, *format, &error));
          MUST(simplex_pattern_offsets(&m[k], of, &error));
          MUST(simplex_pattern_reserve(&m[k], of, &error));
          MUST(simplex_pattern_columns(&m[k], of, &error));
          MUST(simplex_entry_map(&map[k], &m[k], of, &error));
        }
        const int bins = (m->rows + m->bin - 1) / m->bin;
        assert_int_equal(m[0].group_count, m[1].group_count);
        same_ints(&t, m[0].layout.start, &counterpart, m[1].layout.start, bins + 1, "start");
        same_ints(&t, m[0].layout.length, &counterpart, m[1].layout.length, m->rows, "length");
        same_ints(&t, m[0].layout.node, &counterpart, m[1].layout.node, (int64_t)bins * m->bin, "node");
        same_ints(&t, m[0].layout.column, &counterpart, m[1].layout.column, simplex_slots(m), "column");
        same_ints(&t, map[0].end, &counterpart, map[1].end, simplex_slots(m), "end of sources");
        same_ints(&t, map[0].source, &counterpart, map[1].source, simplex_source_count(m, &t), "sources");
        simplex_entry_map_destroy(&map[0], device);
        simplex_entry_map_destroy(&map[1], DEVICE_CPU);
        simplex_pattern_destroy(&m[0], device);
        simplex_pattern_destroy(&m[1], DEVICE_CPU);
      }
      simplex_topology_close(&t);
      simplex_topology_close(&counterpart);
    }
  mesh_destroy(&ball);
  stream_destroy(&target.stream);
}

static double *numbers(const SimplexTopology *t, Precision precision, const void *array, int64_t count) {
  double *got = malloc(sizeof *got * (size_t)count);
  void *raw = fetch(t, array, precision_size(precision) * (size_t)count);
  for (int64_t k = 0; k < count; k++) got[k] = precision == PRECISION_F32 ? ((float *)raw)[k] : ((double *)raw)[k];
  free(raw);
  return got;
}

// Returns y = A x for a fixed random x. free() releases it.
static double *product(const SimplexMatrix *A) {
  Error error = { 0 };
  Operator op;
  Space space;
  const Stream stream = A->topology->memory.stream;
  const int n = 3 * A->pattern.rows;
  const size_t size = precision_size(A->build.precision);
  uint64_t seed = 3;
  char *x = malloc(size * (size_t)n);
  for (int i = 0; i < n; i++) {
    const double value = random_unit(&seed);
    if (A->build.precision == PRECISION_F32)
      ((float *)x)[i] = (float)value;
    else
      ((double *)x)[i] = value;
  }

  MUST(simplex_operator_open(&op, &space, A, &error));
  void *x_dev = device_clone(stream.device, x, size * (size_t)n, &error);
  void *y_dev = device_alloc(stream.device, size * (size_t)n, &error);
  double *dots_dev = device_alloc(stream.device, sizeof(double) * (size_t)op.dot_count, &error), *y = NULL;
  for (int turn = 0; turn < 2; turn++) {  // computes y twice, since the kernel must reset its counters
    MUST(operator_apply(&op, x_dev, y_dev, dots_dev, stream, &error));
    double *again = numbers(A->topology, A->build.precision, y_dev, n);
    if (y) assert_memory_equal(again, y, sizeof *y * (size_t)n);
    free(y);
    y = again;
  }

  double *dots = fetch(A->topology, dots_dev, sizeof *dots * (size_t)op.dot_count), sum = 0, expected = 0, scale = 0;
  for (int k = 0; k < op.dot_count; k++) sum += dots[k];
  for (int i = 0; i < n; i++) {
    const double term = (size == 4 ? ((float *)x)[i] : ((double *)x)[i]) * y[i];
    expected += term;
    scale += fabs(term);
  }

  assert_true(fabs(sum - expected) <= 1e-12 * scale);
  free(dots);
  free(x);
  device_free(stream.device, x_dev);
  device_free(stream.device, y_dev);
  device_free(stream.device, dots_dev);
  simplex_operator_close(&op);
  return y;
}

// For each format, compares the matrices of all summation methods with each other, and products with these matrices
// with a product on the CPU in double.
static void summations_agree_and_repeat(void **state) {
  (void)state;
  Error error = { 0 };
  Target target = open_target(device);
#ifdef __SANITIZE_ADDRESS__
  enum { CELLS = 2 };
#else
  enum { CELLS = 5 };
#endif
  TetMesh ball = shuffled_ball(CELLS);
  for (int degree = 1; degree <= 3; degree++) {
    SimplexTopology t, counterpart;
    MUST(simplex_topology_open(&t, &ball, degree, target.memory, &error));
    MUST(simplex_topology_open(&counterpart, &ball, degree, (SimplexMemory){ 0 }, &error));
    SimplexMatrix reference;
    const SimplexBuild plain = { PRECISION_F64, SUM_PERSIMPLEX, "bcsr", 2e5, 1e5 };
    MUST(simplex_matrix_build(&reference, &counterpart, &plain, &error));
    double *expected = product(&reference);
    for (int precision = 0; precision < 2; precision++)
      for (const char *const *format = simplex_formats; *format; format++) {
        double *first = NULL;
        for (int summation = 0; summation < SUMMATIONS; summation++) {
          SimplexMatrix A;
          const SimplexBuild build = { (Precision)precision, (Summation)summation, *format, 2e5, 1e5 };
          const double bound = precision == PRECISION_F32 ? 3e-7 : 3e-14;
          MUST(simplex_matrix_build(&A, &t, &build, &error));
          double *values = numbers(&t, build.precision, A.values, A.value_count);
          MUST(simplex_matrix_sum(&A, &error));
          double *again = numbers(&t, build.precision, A.values, A.value_count);
          assert_memory_equal(values, again, sizeof *values * (size_t)A.value_count);
          if (!first) {
            first = again;
            again = NULL;
          }
          const double difference = relative_l2(values, first, A.value_count);
          if (!(difference <= bound))
            fail_msg("degree %d, %s, %s: %.1e > %.1e", degree, *format, summation_names[summation], difference, bound);
          double *y = product(&A);
          const double off = relative_l2(y, expected, 3 * A.pattern.rows);
          if (!(off <= 10 * bound))
            fail_msg("degree %d, %s, %s: product off by %.1e", degree, *format, summation_names[summation], off);
          free(y);
          free(values);
          free(again);
          simplex_matrix_destroy(&A);
        }
        free(first);
      }
    free(expected);
    simplex_matrix_destroy(&reference);
    simplex_topology_close(&t);
    simplex_topology_close(&counterpart);
  }

  mesh_destroy(&ball);
  stream_destroy(&target.stream);
}

// Returns the tets of a mesh without those with absent[e] = 1. The vertices keep their numbers.
static TetMesh mesh_without(const TetMesh *mesh, const uint8_t *absent) {
  TetMesh rest = { .node_count = mesh->node_count };
  rest.X = malloc(sizeof *rest.X * (size_t)mesh->node_count);
  rest.tet = malloc(sizeof *rest.tet * ((size_t)mesh->tet_count + 1));
  memcpy(rest.X, mesh->X, sizeof *rest.X * (size_t)mesh->node_count);
  for (int e = 0; e < mesh->tet_count; e++)
    if (!absent[e]) memcpy(rest.tet[rest.tet_count++], mesh->tet[e], sizeof *mesh->tet);
  return rest;
}

// Returns the block of two nodes of a matrix on the CPU, in double; all zeros if the matrix has no block there.
static void block_of(const SimplexMatrix *A, int row, int column, double block[9]) {
  const SimplexPattern *m = &A->pattern;
  const bool own = row == column && m->diagonal_apart;
  const int *list = m->layout.column + row_first_slot(m, row), count = m->layout.length[row] - m->diagonal_apart;
  const int at = own ? 0 : find_column(list, m->bin, count, column);
  const bool found = own || (at < count && list[(int64_t)at * m->bin] == column);
  const int64_t first = slot_values(m, row_first_slot(m, row)) + (int64_t)at * 9 * m->bin;
  for (int c = 0; c < 9; c++) {
    const int64_t k = own ? (A->value_count - 9 * (int64_t)m->rows) + 9 * (int64_t)row + c : first + c * m->bin;
    block[c] = !found                                ? 0
               : A->build.precision == PRECISION_F32 ? (double)((float *)A->values)[k]
                                                     : ((double *)A->values)[k];
  }
}

// Compares the updated matrix A with the matrix that is built from the tets that are left. Each node of these tets has
// one number in each of the two meshes; `node_there` maps numbers of the second mesh to those of the first.
static void check_update(const SimplexMatrix *A, const TetMesh *mesh, const uint8_t *absent) {
  Error error = { 0 };
  const int degree = A->topology->degree, nodes = simplex_cell_nodes(degree);
  TetMesh rest = mesh_without(mesh, absent);
  SimplexTopology t;
  SimplexMatrix B;
  MUST(simplex_topology_open(&t, &rest, degree, (SimplexMemory){ 0 }, &error));
  MUST(simplex_matrix_build(&B, &t, &A->build, &error));
  int *node_there = malloc(sizeof *node_there * (size_t)B.pattern.rows), kept = 0, rows = 0;
  for (int a = 0; a < B.pattern.rows; a++) node_there[a] = -1;
  for (int e = 0; e < mesh->tet_count; e++) {
    for (int I = 0; I < nodes && !absent[e]; I++)
      node_there[simplex_cell_node(degree, &t, kept, I)] = simplex_cell_node(degree, A->topology, e, I);
    kept += !absent[e];
  }

  for (int a = 0; a < B.pattern.rows; a++) {
    if (node_there[a] < 0) continue;
    const int there = node_there[a], apart = B.pattern.diagonal_apart, length = B.pattern.layout.length[a];
    const int *list = B.pattern.layout.column + row_first_slot(&B.pattern, a);
    assert_int_equal(length, A->pattern.layout.length[there]);
    for (int j = -apart; j < length - apart; j++) {
      const int column = j < 0 ? a : list[(int64_t)j * B.pattern.bin];
      double expected[9], got[9];
      block_of(&B, a, column, expected);
      block_of(A, there, node_there[column], got);
      assert_memory_equal(got, expected, sizeof got);
    }
    rows++;
  }

  int filled = 0;  // rows of A with a tet: no others may have blocks
  for (int a = 0; a < A->pattern.rows; a++) filled += A->pattern.layout.length[a] > A->pattern.diagonal_apart;
  assert_int_equal(filled, rows);
  free(node_there);
  simplex_matrix_destroy(&B);
  simplex_topology_close(&t);
  mesh_destroy(&rest);
}

// Removes tets of a ball in two steps and puts them back. After each step the matrix must have the bits of a matrix
// that is built anew.
static void update_after_a_cut(const TetMesh *ball, const SimplexTopology *t, const SimplexBuild *build) {
  Error error = { 0 };
  SimplexMatrix A;
  uint8_t *absent = calloc((size_t)ball->tet_count, 1);
  int *changed = malloc(sizeof *changed * (size_t)ball->tet_count);
  MUST(simplex_matrix_build(&A, (SimplexTopology *)t, build, &error));
  double *values = numbers(t, build->precision, A.values, A.value_count);
  int *columns = fetch(t, A.pattern.layout.column, sizeof *columns * (size_t)simplex_slots(&A.pattern));
  for (int step = 0; step < 3; step++) {
    int count = 0;
    for (int e = 0; e < ball->tet_count; e++) {
      bool below = false, above = false;
      for (int v = 0; v < 4; v++) *(ball->X[ball->tet[e][v]][0] < 0.05 ? &below : &above) = true;

      // step 0 removes the tets that the plane x = 0.05 cuts; step 1 puts half of them back and removes others
      const uint8_t wanted = step == 0 ? below && above : step == 1 ? (below && above && e % 2) || e % 50 == 0 : 0;
      if (wanted != absent[e]) changed[count++] = e;
      absent[e] = wanted;
    }
    assert_true(count > 0 && count < ball->tet_count);
    MUST(simplex_matrix_update(&A, absent, changed, count, &error));
    if (step < 2) check_update(&A, ball, absent);
  }

  double *again = numbers(t, build->precision, A.values, A.value_count);
  assert_memory_equal(again, values, sizeof *values * (size_t)A.value_count);
  assert_memory_equal(A.pattern.layout.column, columns, sizeof *columns * (size_t)simplex_slots(&A.pattern));
  free(again);
  free(values);
  free(columns);
  free(changed);
  free(absent);
  simplex_matrix_destroy(&A);
}

static void local_updates_give_the_matrix_that_is_built_anew(void **state) {
  (void)state;
  Error error = { 0 };
#ifdef __SANITIZE_ADDRESS__
  enum { CELLS = 2 };
#else
  enum { CELLS = 4 };
#endif
  TetMesh ball = shuffled_ball(CELLS);
  for (int degree = 1; degree <= 3; degree++) {
    SimplexTopology t;
    MUST(simplex_topology_open(&t, &ball, degree, (SimplexMemory){ 0 }, &error));
    update_after_a_cut(&ball, &t, &(SimplexBuild){ PRECISION_F64, SUM_PERSIMPLEX, "binbcsr", 2e5, 1e5 });
    update_after_a_cut(&ball, &t, &(SimplexBuild){ PRECISION_F32, SUM_INLINE, "bcsr", 2e5, 1e5 });
    SimplexMatrix A;
    const SimplexBuild lists = { PRECISION_F64, SUM_PERENTRY, "binbcsr", 2e5, 1e5 };
    MUST(simplex_matrix_build(&A, &t, &lists, &error));
    assert_false(simplex_matrix_update(&A, NULL, NULL, 0, &error));
    assert_non_null(strstr(error.message, "has no local updates"));
    error = (Error){ 0 };
    simplex_matrix_destroy(&A);
    simplex_topology_close(&t);
  }
  mesh_destroy(&ball);
}

// Returns a cube of tets of this degree, with inner nodes moved at random and a factor on the moduli of each cell.
// Nodes are numbered at random, so corners are not the first nodes.
static CellMesh tets_of_degree(int degree) {
  Error error = { 0 };
  CellMesh mesh;
  uint64_t seed = 11;
  const Grid g = { .shape = CELL_TET4, .cells = { 2, 2, 2 }, .size = { 1, 1, 1 }, .distort = 0.1, .seed = 3 };
  MUST(grid_make(&g, &mesh, &error));
  MUST(raise_tets(&mesh, degree, &error));
  int *to = malloc(sizeof *to * (size_t)mesh.node_count);
  double(*X)[3] = malloc(sizeof *X * (size_t)mesh.node_count);
  for (int a = 0; a < mesh.node_count; a++) to[a] = a;
  for (int a = mesh.node_count - 1; a > 0; a--) {
    const int b = (int)((random_unit(&seed) * 0.5 + 0.5) * a), old = to[a];
    to[a] = to[b];
    to[b] = old;
  }
  for (int a = 0; a < mesh.node_count; a++) memcpy(X[to[a]], mesh.X[a], sizeof *X);
  for (int k = 0; k < mesh.cell_count * cell_shape_info(mesh.shape)->nodes; k++) mesh.cell[k] = to[mesh.cell[k]];
  free(mesh.X);
  free(to);
  mesh.X = X;
  mesh.factor = malloc(sizeof *mesh.factor * (size_t)mesh.cell_count);
  for (int e = 0; e < mesh.cell_count; e++) mesh.factor[e] = 1 + e % 3;
  return mesh;
}

// Computes y = K x cell by cell, by quadrature of lambda B_a B_b^T + mu B_b B_a^T + mu B_a . B_b I. B_a is the gradient
// of node a's shape function.
static void plain_elasticity(const CellMesh *mesh, double mu, double lambda, const double *x, double *y) {
  const CellShapeInfo *shape = cell_shape_info(mesh->shape);
  double xi[CELL_POINTS_MAX][3], weight[CELL_POINTS_MAX];
  const int points = cell_shape_rule(mesh->shape, 4, xi, weight);
  memset(y, 0, sizeof *y * 3 * (size_t)mesh->node_count);
  for (int e = 0; e < mesh->cell_count; e++) {
    const int *node = mesh->cell + e * shape->nodes;
    double X[CELL_NODES_MAX][3];
    for (int a = 0; a < shape->nodes; a++) memcpy(X[a], mesh->X[node[a]], sizeof X[a]);
    for (int q = 0; q < points; q++) {
      double at[3], J[3][3], dN[CELL_NODES_MAX][3], B[CELL_NODES_MAX][3], G[3][3] = { { 0 } };
      const double det = cell_shape_map(mesh->shape, (const double(*)[3])X, xi[q], at, J);
      cell_shape_at(mesh->shape, xi[q], NULL, dN);
      for (int a = 0; a < shape->nodes; a++)
        for (int i = 0; i < 3; i++) {
          // row i of J^-T, by cofactors
          const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
          B[a][i] = 0;
          for (int j = 0; j < 3; j++) {
            const int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            B[a][i] += (J[i1][j1] * J[i2][j2] - J[i1][j2] * J[i2][j1]) / det * dN[a][j];
          }
        }
      for (int a = 0; a < shape->nodes; a++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) G[i][j] += x[3 * node[a] + i] * B[a][j];
      const double w = weight[q] * det * mesh->factor[e], trace = G[0][0] + G[1][1] + G[2][2];
      for (int a = 0; a < shape->nodes; a++)
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++)
            y[3 * node[a] + i] += w * B[a][j] * (mu * (G[i][j] + G[j][i]) + (i == j ? lambda * trace : 0));
    }
  }
}

// The matrix of `pliant-lab solve elasticity` by vertices, edges and faces, in all kinds of formats: blocks, entries,
// the diagonal first, the lower triangle only, and padded bins.
static void elasticity_by_simplices_is_that_of_quadrature(void **state) {
  (void)state;
  static const char *const formats[] = {
    "csr", "dcsr", "bcsr", "ell", "lcsr", "binbcsr", "binbcsr_sorted", "binbcsr16"
  };
  static const char *const elements[] = { "simplex_tet4", "simplex_tet10", "simplex_tet20" };
  for (int degree = 1; degree <= 3; degree++) {
    Error error = { 0 };
    CellMesh mesh = tets_of_degree(degree);
    const int n = 3 * mesh.node_count;
    uint64_t seed = 5;
    double *x = malloc(sizeof *x * (size_t)n), *y = malloc(sizeof *x * (size_t)n), *got = malloc(sizeof *x * (size_t)n);
    for (int i = 0; i < n; i++) x[i] = (float)random_unit(&seed);
    plain_elasticity(&mesh, 3, 5, x, y);
    StationaryProblem problem = { .mesh = &mesh, .material = { 3, 5 } };
    problem.element = stationary_element(elements[degree - 1], "elasticity", mesh.shape, &error);
    assert_non_null(problem.element);
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
      for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++) {
        Stationary *stationary;
        StationarySettings settings = stationary_defaults();
        settings.precision = (Precision)precision;
        snprintf(settings.matrix, sizeof settings.matrix, "%s", formats[k]);
        MUST(stationary_create(&stationary, &problem, &settings, &error));
        assert_string_equal(settings.assembly, "simplices");
        for (int turn = 0; turn < 2; turn++) MUST(stationary_assemble(stationary, &error));  // must not add up
        MUST(stationary_product(stationary, x, got, &error));
        const double off = relative_l2(got, y, n);
        if (!(off < (precision == PRECISION_F64 ? 3e-14 : 3e-6)))
          fail_msg("degree %d, %s: off by %.1e", degree, formats[k], off);
        stationary_destroy(stationary);
      }
    Stationary *stationary;
    StationarySettings settings = stationary_defaults();
    if (degree == 1) {
      const int old = mesh.cell[20];
      mesh.cell[20] = mesh.cell[21];
      mesh.cell[21] = old;
      MUST(stationary_create(&stationary, &problem, &settings, &error));
      assert_false(stationary_assemble(stationary, &error));
      assert_non_null(strstr(error.message, "inverted"));
      stationary_destroy(stationary);
    } else {  // a node that is not at its place
      mesh.X[mesh.cell[5]][1] += 1e-3;
      assert_false(stationary_create(&stationary, &problem, &settings, &error));
      assert_non_null(strstr(error.message, "curved"));
    }
    free(x);
    free(y);
    free(got);
    cell_mesh_destroy(&mesh);
  }
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  lab_add_stages();
  const struct CMUnitTest on_cpu[] = {
    cmocka_unit_test(rows_are_those_of_brute_force),
    cmocka_unit_test(rows_of_real_meshes),
    cmocka_unit_test(nodes_have_distinct_positions),
    cmocka_unit_test(summations_agree_and_repeat),
    cmocka_unit_test(local_updates_give_the_matrix_that_is_built_anew),
    cmocka_unit_test(elasticity_by_simplices_is_that_of_quadrature),
  };
  const struct CMUnitTest on_gpu[] = {
    cmocka_unit_test(topology_and_pattern_are_the_cpu_s),
    cmocka_unit_test(summations_agree_and_repeat),
  };
  return device == DEVICE_CPU ? cmocka_run_group_tests(on_cpu, NULL, NULL) : cmocka_run_group_tests(on_gpu, NULL, NULL);
}
