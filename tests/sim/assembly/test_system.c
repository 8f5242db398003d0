// Compares every assembly, matrix format and solver of a device with simple double-precision code in this file, on
// deformed bodies. argv[1]: the device; argv[2]: a pattern for the names of the tests to run.
#include "../sim_testing.h"

#include "base/interrupt.h"
#include "base/parallel.h"
#include "lab/rows.h"
#include "mesh/grid.h"
#include "mesh/quadratic.h"
#include "scene/session.h"
#include "sim/assembly/reference_assembly.h"
#include "sim/element/element_row.h"
#include "sim/element/symmetric.h"
#include "sim/solver/solver.h"

static Device device;

// Returns the mesh for tests that combine many stages, such as assemblies with matrix formats. On a CPU this is a ball
// of 1,700 nodes, which assemblies divide into several parts. With the ball, the tests take half the time that they
// take with the mesh hand_coarse.msh, which tests of single stages use.
static const char *mesh_of_pairs(void) {
  return device == DEVICE_CUDA ? "meshes/hand_coarse.msh" : "meshes/sphere_1700.msh";
}

// Loops over all stages of a kind, such as STAGE_SOLVER.
#define FOR_EACH_STAGE(s, wanted)                    \
  for (const Stage *s = NULL; (s = stage_after(s));) \
    if (s->kind == wanted)

// Loops over all operators that store a matrix.
#define FOR_EACH_FORMAT(f)          \
  FOR_EACH_STAGE(f, STAGE_OPERATOR) \
  if (simulation_stores(f))

// Copies doubles to reals on the device, followed by a sentinel (12345). `get` copies the reals back to values [count]
// and, if `sentinel` is true, checks the sentinel.
static void *put(Precision precision, const double *values, int64_t count) {
  Error error = { 0 };
  float *rounded = malloc(sizeof *rounded * (size_t)(count + 1));
  double *copy = malloc(sizeof *copy * (size_t)(count + 1));
  for (int64_t k = 0; k < count; k++) {
    rounded[k] = (float)values[k];
    copy[k] = values[k];
  }
  rounded[count] = 12345;
  copy[count] = 12345;
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
      assert_true(value == 12345);  // no write after the end
  }
  free(rounded);
  free(exact);
}

// Makes a space without cells, with a random graph. Nodes have up to about `longest` neighbours each, and node 7 has
// all nodes as neighbours. Each node is its own neighbour. If `empty_rows` is true, some nodes have no neighbours, not
// even themselves. If `symmetric` is true, the graph is symmetric.
static Space random_space(int nodes, int node_dof, int longest, bool symmetric, bool empty_rows, uint64_t *seed) {
  Space space = { .node_count = nodes, .owned_count = nodes, .node_dof = node_dof };
  bool *chosen = calloc((size_t)nodes * (size_t)nodes, 1);
  for (int a = 0; a < nodes; a++) {
    const double chance = a == 7 ? 2 : (longest / (double)nodes) * (1 + random_unit(seed)) - 1;
    for (int b = 0; b < nodes; b++) {
      if (b != a && !(random_unit(seed) < chance)) continue;
      chosen[a * nodes + b] = true;
      if (symmetric) chosen[b * nodes + a] = true;
    }
  }
  Adjacency *graph = &space.graph;
  graph->node_count = nodes;
  graph->start = calloc((size_t)nodes + 1, sizeof *graph->start);
  graph->neighbour = malloc(sizeof *graph->neighbour * (size_t)nodes * (size_t)nodes);
  int64_t at = 0;
  for (int a = 0; a < nodes; a++) {
    for (int b = 0; b < nodes && !(empty_rows && a % 11 == 5); b++)
      if (chosen[a * nodes + b] && !(empty_rows && symmetric && b % 11 == 5)) graph->neighbour[at++] = b;
    graph->start[a + 1] = at;
  }
  free(chosen);
  return space;
}

// Computes y = K x. K [pairs][node_dof][node_dof] has a block for each pair of neighbours in the graph.
static void plain_product(const Space *space, const double *K, const double *x, double *y) {
  const int dof = space->node_dof;
  memset(y, 0, sizeof *y * (size_t)space_dof(space));
  for (int a = 0; a < space->node_count; a++)
    for (int64_t pair = space->graph.start[a]; pair < space->graph.start[a + 1]; pair++)
      for (int i = 0; i < dof; i++)
        for (int k = 0; k < dof; k++)
          y[dof * a + i] += K[(pair * dof + i) * dof + k] * x[dof * space->graph.neighbour[pair] + k];
}

// Copies K [pairs][node_dof][node_dof] to the slots of the operator's format; `collect` copies it back.
static void spread(const Operator *A, const double *K, double *values) {
  const int dof = A->space->node_dof;
  for (int a = 0; a < A->space->node_count; a++)
    for (int64_t pair = A->space->graph.start[a]; pair < A->space->graph.start[a + 1]; pair++)
      for (int v = 0; v < dof * dof; v++) values[operator_slot(A, a, pair, v / dof, v % dof)] = K[pair * dof * dof + v];
}

static void collect(const Operator *A, const double *values, double *K) {
  const int dof = A->space->node_dof;
  for (int a = 0; a < A->space->node_count; a++)
    for (int64_t pair = A->space->graph.start[a]; pair < A->space->graph.start[a + 1]; pair++)
      for (int v = 0; v < dof * dof; v++) K[pair * dof * dof + v] = values[operator_slot(A, a, pair, v / dof, v % dof)];
}

// Returns true if the format stores only one triangle of blocks of a symmetric matrix.
static bool halves(const Stage *format) {
  return ((const OperatorMethod *)format)->half;
}

// Returns K with each block above the diagonal replaced by the transpose of its mirror block; the caller frees it.
static double *symmetric_of(const Space *space, const double *K) {
  const int dof = space->node_dof, size = dof * dof;
  double *made = malloc(sizeof *made * (size_t)(size * space_pairs(space)));
  memcpy(made, K, sizeof *made * (size_t)(size * space_pairs(space)));
  for (int a = 0; a < space->node_count; a++)
    for (int64_t pair = space->graph.start[a]; pair < space->graph.start[a + 1]; pair++) {
      const int b = space->graph.neighbour[pair];
      const int64_t back = adjacency_find(&space->graph, b, a);
      for (int v = 0; b > a && v < size; v++) made[pair * size + v] = K[back * size + v % dof * dof + v / dof];
    }
  return made;
}

// Returns true if products of the format round off-diagonal values to 11 bits.
static bool rounds(const Stage *format) {
  return strcmp(format->name, "parts16") == 0;
}

static double rounded_to_11_bits(double value) {
  int exponent;
  const double fraction = frexp(value, &exponent);
  return ldexp(nearbyint(ldexp(fraction, 11)), exponent - 11);
}

// Rounds an off-diagonal block to 11 bits, as the format parts16 does for matrix-vector products. The symmetric and the
// antisymmetric part of the block are rounded separately. The rounding error of the symmetric part is added to `own`,
// the diagonal block of the row. So the forces of a rigid translation stay nearly zero.
static void round_block(double *block, double *own, int dof, Precision precision) {
  for (int i = 0; i < dof; i++)
    for (int k = i; k < dof; k++) {
      const double upper = block[i * dof + k], lower = block[k * dof + i];
      double even = i == k ? upper : (upper + lower) / 2, odd = i == k ? 0 : (upper - lower) / 2;
      if (precision == PRECISION_F32) {
        const float a = (float)upper, b = (float)lower;
        even = i == k ? a : (a + b) / 2;
        odd = i == k ? 0 : (a - b) / 2;
      }
      const double kept = rounded_to_11_bits(even), turned = odd == 0 ? 0 : rounded_to_11_bits(odd);
      block[i * dof + k] = kept + turned;
      if (i != k) {
        block[k * dof + i] = kept - turned;
        own[k * dof + i] += even - kept;
      }
      own[i * dof + k] += even - kept;
    }
}

// Returns a copy of K, rounded as the matrix format rounds K in products: round_block rounds all blocks outside the
// diagonal. If the format does not round, the copy equals K. The caller frees the copy.
static double *seen_by(const Stage *format, const Space *space, const double *K) {
  const int size = space->node_dof * space->node_dof;
  double *seen = malloc(sizeof *seen * (size_t)(size * space_pairs(space)));
  memcpy(seen, K, sizeof *seen * (size_t)(size * space_pairs(space)));
  for (int a = 0; rounds(format) && a < space->node_count; a++) {
    const int64_t first = space->graph.start[a], last = space->graph.start[a + 1];
    int64_t own = first;
    while (own < last && space->graph.neighbour[own] != a) own++;
    for (int64_t pair = first; pair < last && own < last; pair++)
      if (pair != own) round_block(seen + pair * size, seen + own * size, space->node_dof, format->precision);
  }
  return seen;
}

// Checks that each entry of the matrix has a slot of its own in the operator's values.
static void slots_are_one_to_one(const Operator *A) {
  const int dof = A->space->node_dof;
  uint8_t *used = calloc((size_t)A->value_count, 1);
  for (int a = 0; a < A->space->node_count; a++)
    for (int64_t pair = A->space->graph.start[a]; pair < A->space->graph.start[a + 1]; pair++)
      for (int v = 0; v < dof * dof; v++) {
        const int slot = operator_slot(A, a, pair, v / dof, v % dof);
        assert_true(slot >= 0 && slot < A->value_count);
        if (operator_mirrors(A, pair)) continue;
        assert_true(!used[slot]);
        used[slot] = 1;
      }
  free(used);
}

// Compares the product y = K x of a format with plain_product, and the scalar product x.y, which the format also
// computes, with that of x and y. trial: number of the trial, for messages. tuning: tuning number, 0 for the default.
static void check_product(const OperatorMethod *method, const Space *space, const double *K, const double *x, int trial,
                          int tuning) {
  Error error = { 0 };
  Stream stream;
  Operator A;
  const Precision precision = method->stage.precision;
  const int n = space_dof(space);
  double *got = malloc(sizeof *got * (size_t)n), *y = malloc(sizeof *y * (size_t)n);
  double *seen = seen_by(&method->stage, space, K);
  plain_product(space, seen, x, y);
  free(seen);
  MUST(stream_create(device, &stream, &error));
  MUST(operator_create(&A, method, space, &error));
  if (tuning) MUST(operator_tune(&A, tuning, &error));
  if (!method->half) assert_true(A.value_count >= space->node_dof * space->node_dof * space_pairs(space));
  slots_are_one_to_one(&A);
  double *values = calloc((size_t)A.value_count, sizeof *values);
  spread(&A, K, values);
  void *values_dev = put(precision, values, A.value_count), *x_dev = put(precision, x, n),
       *y_dev = put(precision, y, n);
  double *dots = calloc((size_t)A.dot_count, sizeof *dots), xy = 0, sum = 0;
  double *dots_dev = put(PRECISION_F64, dots, A.dot_count);
  MUST(device_zero(stream, y_dev, (size_t)n * precision_size(precision), &error));
  void *own = A.values;
  A.values = values_dev;
  if (rounds(&method->stage)) {  // operator_shift writes the rounded values that products read
    double *none = calloc((size_t)n, sizeof *none);
    void *shift_dev = put(precision, none, n), *diagonal_dev = put(precision, none, n);
    MUST(operator_shift(&A, shift_dev, 0, diagonal_dev, NULL, stream, &error));
    MUST(stream_sync(stream, &error));
    device_free(device, shift_dev);
    device_free(device, diagonal_dev);
    free(none);
  }

  MUST(operator_apply(&A, x_dev, y_dev, dots_dev, stream, &error));
  A.values = own;
  get(stream, precision, y_dev, got, n, true);
  const double difference = relative_l2(got, y, n), tolerance = precision == PRECISION_F64 ? 1e-14 : 1e-6;
  if (!(difference <= tolerance))
    fail_msg("%s, trial %d, tuning number %d: relative error of the product %.1e",
             stage_label(method->stage.name, device, precision), trial, A.tuning, difference);
  get(stream, PRECISION_F64, dots_dev, dots, A.dot_count, true);
  for (int i = 0; i < n; i++) xy += x[i] * got[i];
  for (int k = 0; k < A.dot_count; k++) sum += dots[k];
  assert_true(fabs(sum - xy) <= 1e-12 * n);
  device_free(device, values_dev);
  device_free(device, x_dev);
  device_free(device, y_dev);
  device_free(device, dots_dev);
  free(values);
  free(dots);
  free(got);
  free(y);
  operator_destroy(&A);
  stream_destroy(&stream);
}

// Random matrices. node_dof: number of unknowns (matrix rows) per node. symmetric: the pattern is symmetric.
// empty_rows: some rows have no entries. The number of rows is never a multiple of 32, the size of a warp. In most
// trials it is larger than a thread block. The rows of node 7 have all columns; in one trial they are longer than a
// thread block handles.
static const struct {
  int nodes, node_dof;
  bool symmetric, empty_rows;
} trials[] = {
  { 31, 1, false, false },  { 2503, 1, false, false }, { 1097, 1, false, false }, { 1097, 1, false, true },
  { 1097, 1, true, false }, { 367, 3, false, false },  { 367, 3, false, true },   { 367, 3, true, true },
  { 11, 3, true, false },   { 547, 2, false, false },  { 547, 2, true, true },    { 13, 2, true, false },
};
// FEW_TRIALS: the first FEW_TRIALS trials already run each kernel
enum { TRIALS = sizeof trials / sizeof *trials, FEW_TRIALS = 2 };

// Checks the product of every format in one trial. If `tuned` is true, this is done with each tuning of the format,
// otherwise with the default tuning.
static void check_trial(int trial, bool tuned) {
  uint64_t seed = 10 + (uint64_t)trial;
  Space space = random_space(trials[trial].nodes, trials[trial].node_dof, trials[trial].node_dof == 1 ? 41 : 14,
                             trials[trial].symmetric, trials[trial].empty_rows, &seed);
  const int n = space_dof(&space), size = space.node_dof * space.node_dof;
  const int64_t entries = size * space_pairs(&space);
  double *K = malloc(sizeof *K * (size_t)entries), *x = malloc(sizeof *x * (size_t)n);
  for (int64_t k = 0; k < entries; k++) K[k] = (float)random_unit(&seed);
  for (int i = 0; i < n; i++) x[i] = (float)random_unit(&seed);
  FOR_EACH_FORMAT(f) {
    // Formats that round values round them in operator_shift, which adds numbers to the diagonal blocks, so each row
    // must have a diagonal block. Formats that store one triangle need a symmetric graph.
    const bool fits = !(trials[trial].empty_rows && rounds(f)) && (trials[trial].symmetric || !halves(f));
    if (f->device != device || !fits) continue;
    double *seen = halves(f) ? symmetric_of(&space, K) : NULL;
    const OperatorMethod *method = (const OperatorMethod *)f;
    if (!tuned) check_product(method, &space, seen ? seen : K, x, trial, 0);
    for (const int *t = method->tunings; tuned && t && *t; t++)
      check_product(method, &space, seen ? seen : K, x, trial, *t);
    free(seen);
  }

  free(K);
  free(x);
  space_destroy(&space);
}

static void products_agree_with_plain_product_in_double(void **state) {
  (void)state;
  for (int trial = 0; trial < TRIALS; trial++) check_trial(trial, false);
}

static void few_tuned_products_agree_with_plain_product_in_double(void **state) {
  (void)state;
  for (int trial = 0; trial < FEW_TRIALS; trial++) check_trial(trial, true);
}

static void tuned_products_agree_with_plain_product_in_double(void **state) {
  (void)state;
  for (int trial = FEW_TRIALS; trial < TRIALS; trial++) check_trial(trial, true);
}

// A shift adds numbers to the diagonal of the matrix, and cross terms to its diagonal blocks. The operator's copies of
// the diagonal and of the diagonal blocks must then be those of the shifted matrix.
static void shift_updates_the_copies_of_the_diagonal(void **state) {
  (void)state;
  Error error = { 0 };
  Stream stream;
  MUST(stream_create(device, &stream, &error));

  // first number: cross terms per node (0; 1: xy; 3: xy, xz, yz); second number: unknowns per node
  static const int trials_of[][2] = { { 0, 1 }, { 0, 2 }, { 1, 3 }, { 3, 3 } };

  for (int trial = 0; trial < 4; trial++) {
    const int crosses = trials_of[trial][0], dof = trials_of[trial][1];
    uint64_t seed = 3;
    Space space = random_space(389, dof, 9, true, false, &seed);
    const int n = space_dof(&space), size = dof * dof;
    const int64_t entries = size * space_pairs(&space);
    double *K = malloc(sizeof *K * (size_t)entries),
           *shift = malloc(sizeof *shift * (size_t)(n + 3 * space.node_count)),
           *diagonal = malloc(sizeof *diagonal * (size_t)n), *got = malloc(sizeof *got * (size_t)entries),
           *blocks = malloc(sizeof *blocks * (size_t)space.node_count * (size_t)size);

    // halves of small integers, whose sums are exact in both precisions
    for (int64_t k = 0; k < entries; k++) K[k] = floor(100 * random_unit(&seed)) / 2;
    for (int i = 0; i < n + 3 * space.node_count; i++) shift[i] = floor(100 * random_unit(&seed)) / 2;
    FOR_EACH_FORMAT(f) {
      if (f->device != device) continue;
      Operator A;
      const Precision precision = f->precision;
      MUST(operator_create(&A, (const OperatorMethod *)f, &space, &error));
      double *values = calloc((size_t)A.value_count, sizeof *values);
      double *whole = halves(f) ? symmetric_of(&space, K) : NULL;
      const double *of = whole ? whole : K;
      spread(&A, of, values);
      void *values_dev = put(precision, values, A.value_count), *diagonal_dev = put(precision, shift, n),
           *shift_dev = put(precision, shift, n + 3 * space.node_count);
      MUST(device_copy(stream, A.values, values_dev, (size_t)A.value_count * precision_size(precision), &error));
      MUST(operator_shift(&A, shift_dev, crosses, diagonal_dev, NULL, stream, &error));
      get(stream, precision, A.values, values, A.value_count, false);
      get(stream, precision, diagonal_dev, diagonal, n, true);
      get(stream, precision, A.blocks, blocks, (int64_t)space.node_count * size, false);
      collect(&A, values, got);
      for (int a = 0; a < space.node_count; a++)
        for (int64_t pair = space.graph.start[a]; pair < space.graph.start[a + 1]; pair++)
          for (int v = 0; v < size; v++) {
            const bool mine = space.graph.neighbour[pair] == a;
            const int i = v / dof, k = v % dof;
            double expected = of[pair * size + v];
            if (mine && i == k) expected += shift[dof * a + i];
            if (mine && i != k && i + k <= crosses) expected += shift[n + crosses * a + i + k - 1];
            assert_true(got[pair * size + v] == expected);
            if (mine) assert_true(blocks[a * size + v] == expected);
            if (mine && i == k) assert_true(diagonal[dof * a + i] == expected);
          }
      device_free(device, values_dev);
      device_free(device, shift_dev);
      device_free(device, diagonal_dev);
      free(values);
      free(whole);
      operator_destroy(&A);
    }
    free(K);
    free(shift);
    free(diagonal);
    free(got);
    free(blocks);
    space_destroy(&space);
  }

  stream_destroy(&stream);
}

// A graph that is too large for int indices is refused. Sizes are checked before any allocation, so the graph of this
// test has a number of pairs, but no list of them.
static void formats_refuse_graphs_too_large_for_int_indices(void **state) {
  (void)state;
  int64_t start[] = { 0, (int64_t)INT32_MAX / 9 + 1 };
  Space space = { .node_count = 1, .node_dof = 3, .graph = { .node_count = 1, .start = start } };
  Operator A;
  FOR_EACH_FORMAT(f) {
    Error error = { 0 };
    if (f->device != device) continue;
    A = (Operator){ .method = (const OperatorMethod *)f, .space = &space, .n = 3 };
    assert_false(operator_set_value_count(&A, 9 * space_pairs(&space), &error));
    assert_non_null(strstr(error.message, "2147483655 values"));
    assert_true(operator_set_value_count(&A, INT32_MAX, &error));
  }

  // slots near the limit still fit into an int
  const BlockSlots last = { INT32_MAX - 8, 3, 1 };
  assert_int_equal(block_slot(last, 2, 2), INT32_MAX);
  assert_int_equal(diagonal_block_slot(last, true, 3, INT32_MAX / 3 - 1, 2, 2), INT32_MAX - 2);
}

// A deformed mesh, with its tangent and forces from a simple assembly in double.
typedef struct DeformedMesh {
  Space space;
  ReferenceAssembly reference;
} DeformedMesh;

static void deformed_create(DeformedMesh *d, const char *mesh_name) {
  Error error = { 0 };
  char path[SCENE_PATH_LENGTH];
  asset_path(mesh_name, path);
  TetMesh mesh = { 0 };
  *d = (DeformedMesh){ 0 };
  MUST(mesh_read(path, 1, &mesh, &error));
  MUST(space_create(&d->space, &mesh, 3, &error));
  mesh_destroy(&mesh);
  MUST(reference_assembly_create(&d->reference, &d->space, 0.05, &error));
}

static void deformed_destroy(DeformedMesh *d) {
  reference_assembly_destroy(&d->reference);
  space_destroy(&d->space);
}

// Runs one assembly twice, with a matrix in one format. The results must be correct, and the second run must have the
// same bits.
static void check_assembly(const DeformedMesh *d, const AssemblyMethod *method, const OperatorMethod *format) {
  Error error = { 0 };
  Stream stream;
  Operator A;
  Assembly assembly;
  const ReferenceAssembly *reference = &d->reference;
  const Precision precision = format->stage.precision;
  const int n = space_dof(&d->space);
  const int64_t nnz = 9 * space_pairs(&d->space);
  const bool positions = element_named(method->stage.element)->positions;
  MUST(stream_create(device, &stream, &error));
  MUST(operator_create(&A, format, &d->space, &error));
  MUST(assembly_create(&assembly, method, &d->space, &A, PARTITION_GREEDY, 0, &error));
  double *values = malloc(sizeof *values * (size_t)A.value_count),
         *again = malloc(sizeof *again * (size_t)A.value_count);
  double *got = malloc(sizeof *got * (size_t)nnz), *F = malloc(sizeof *F * (size_t)n),
         *F_alone = malloc(sizeof *F * (size_t)n), *nodal = malloc(sizeof *nodal * (size_t)n);
  for (int i = 0; i < n; i++) nodal[i] = reference->u[i / 3][i % 3] + (positions ? d->space.X[i / 3][i % 3] : 0);
  void *nodal_dev = put(precision, nodal, n), *F_dev = put(precision, reference->F, n);

  // Fill the slots of all matrix entries with a wrong value. Slots without an entry, such as padding, are zero and must
  // stay zero.
  memset(values, 0, sizeof *values * (size_t)A.value_count);
  for (int64_t k = 0; k < nnz; k++) got[k] = -777;
  spread(&A, got, values);
  void *values_dev = put(precision, values, A.value_count);
  MUST(device_zero(stream, F_dev, (size_t)n * precision_size(precision), &error));
  MUST(assembly_run(&assembly, &reference->parameters, nodal_dev, F_dev, values_dev, stream, &error));
  get(stream, precision, values_dev, values, A.value_count, true);
  get(stream, precision, F_dev, F, n, true);
  collect(&A, values, got);

  // In double, the tolerance allows for errors of the reference vector F, whose sums of about 20 terms nearly cancel.
  // The input of the element tet4_qr is positions. Their rounding errors are relative to the size of the body, about
  // 100 edge lengths.
  const double tolerance = precision == PRECISION_F64 ? 1e-12 : positions ? 3e-6 : 3e-7;
  const double vector_tolerance = precision == PRECISION_F32 && positions ? 3e-5 : tolerance;
  const double matrix_error = relative_l2(got, reference->K, nnz), vector_error = relative_l2(F, reference->F, n);
  printf("  %s, element %s, format %s: relative errors %.2e of the matrix, %.2e of the vector\n",
         stage_label(method->stage.name, device, precision), method->stage.element, format->stage.name, matrix_error,
         vector_error);
  assert_true(matrix_error <= tolerance);
  assert_true(vector_error <= vector_tolerance);

  // Slots without a matrix entry must still be zero, since products use them.
  double outside = 0, inside = 0;
  for (int64_t k = 0; k < A.value_count; k++) outside += fabs(values[k]);
  for (int64_t k = 0; k < nnz; k++) inside += operator_mirrors(&A, k / 9) ? 0 : fabs(got[k]);
  assert_true(fabs(outside - inside) <= 1e-12 * inside);

  // a second run has the same bits, and so does a run that computes only the vector
  MUST(assembly_run(&assembly, &reference->parameters, nodal_dev, F_dev, values_dev, stream, &error));
  get(stream, precision, values_dev, again, A.value_count, true);
  assert_memory_equal(values, again, sizeof *values * (size_t)A.value_count);
  MUST(assembly_run(&assembly, &reference->parameters, nodal_dev, F_dev, NULL, stream, &error));
  get(stream, precision, F_dev, F_alone, n, true);
  assert_memory_equal(F, F_alone, sizeof *F * (size_t)n);

  free(values);
  free(again);
  free(got);
  free(F);
  free(F_alone);
  free(nodal);
  device_free(device, nodal_dev);
  device_free(device, F_dev);
  device_free(device, values_dev);
  assembly_destroy(&assembly);
  operator_destroy(&A);
  stream_destroy(&stream);
}

// Tests each assembly of the default element tet4_neo_hookean: with every format if all_pairs is true, else with its
// default format. Assemblies of the element tet4_qr_neo_hookean use formats as these assemblies do. So they are tested
// only with their default format and, if all_pairs is true, with csr. If `alternate` is true, other pairs than the
// default ones are tested in only one precision, alternately float and double.
static void check_all_assemblies(const char *mesh_name, bool all_pairs, bool alternate) {
  DeformedMesh d;
  deformed_create(&d, mesh_name);
  const Stage *of = NULL;  // the assembly whose pairs with formats are counted by `turn`
  int turn = 0;
  FOR_EACH_STAGE(m, STAGE_ASSEMBLY)
  FOR_EACH_FORMAT(f) {
    if (m->device != device || f->device != device || m->precision != f->precision) continue;
    if (!stage_fits(m, f)) continue;
    turn = m == of ? turn + 1 : 0;
    of = m;
    if (alternate && stage_matrix_of(m) != f && (turn + (int)m->precision) % 2) continue;

    // The two elements named below have the material of the reference assembly. Other tests cover the other elements.
    const bool one = (all_pairs && strcmp(f->name, "csr") == 0) || stage_matrix_of(m) == f;
    if ((strcmp(m->element, "tet4_qr_neo_hookean") == 0 && one) ||
        (strcmp(m->element, "tet4_neo_hookean") == 0 && (all_pairs || one)))
      check_assembly(&d, (const AssemblyMethod *)m, (const OperatorMethod *)f);
  }
  deformed_destroy(&d);
}

// A second body must not change the assembly of a first one. On a GPU, all bodies use the same kernels. In the mesh of
// the first body, 96 tets share a node, so the assemblies "sharednz..." may need more shared memory for the first body
// than for the second.
static void an_assembly_of_a_second_body_does_not_disturb_the_first(void **state) {
  (void)state;
  DeformedMesh d;
  TetMesh small = { 0 };
  Space space;
  Error error = { 0 };
  Stream stream;
  deformed_create(&d, "meshes/hand_coarse.msh");
  MUST(mesh_make_box(2, 2, 2, (double[3]){ 1, 1, 1 }, &small, &error));
  MUST(space_create(&space, &small, 3, &error));
  MUST(stream_create(device, &stream, &error));
  for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
    for (const Stage *m = NULL;
         (m = stage_next(m, STAGE_ASSEMBLY, device, (Precision)precision, "tet4_neo_hookean"));) {
      Operator A[2];
      Assembly first, second;
      const OperatorMethod *format = (const OperatorMethod *)stage_matrix_of(m);
      const int n = space_dof(&d.space);
      MUST(operator_create(&A[0], format, &d.space, &error) && operator_create(&A[1], format, &space, &error));
      MUST(assembly_create(&first, (const AssemblyMethod *)m, &d.space, &A[0], PARTITION_GREEDY, 0, &error));
      MUST(assembly_create(&second, (const AssemblyMethod *)m, &space, &A[1], PARTITION_GREEDY, 0, &error));
      double *F = malloc(sizeof *F * (size_t)n);
      void *nodal_dev = put(precision, &d.reference.u[0][0], n), *F_dev = put(precision, d.reference.F, n);
      MUST(device_zero(stream, F_dev, (size_t)n * precision_size(precision), &error));
      MUST(assembly_run(&first, &d.reference.parameters, nodal_dev, F_dev, A[0].values, stream, &error));
      get(stream, precision, F_dev, F, n, true);
      assert_true(relative_l2(F, d.reference.F, n) < (precision == PRECISION_F64 ? 1e-12 : 3e-7));
      device_free(device, nodal_dev);
      device_free(device, F_dev);
      free(F);
      for (int k = 0; k < 2; k++) {
        assembly_destroy(k ? &second : &first);
        operator_destroy(&A[k]);
      }
    }
  stream_destroy(&stream);
  space_destroy(&space);
  mesh_destroy(&small);
  deformed_destroy(&d);
}

// Compares assemblies for a body with tets of different stiffness, with factors from 0.1 to 10. If `mixed` is true, two
// thirds of the tets also differ in Poisson's ratio.
static void check_graded(bool mixed, const char *element) {
  Error error = { 0 };
  DeformedMesh d;
  uint64_t seed = 9;
  deformed_create(&d, "meshes/hand_coarse.msh");
  d.space.stiffness = malloc(sizeof(double) * (size_t)d.space.cell_count);
  for (int e = 0; e < d.space.cell_count; e++) d.space.stiffness[e] = (float)exp(2.3 * random_unit(&seed));
  if (mixed) d.space.ratio = malloc(sizeof(double) * (size_t)d.space.cell_count);
  for (int e = 0; mixed && e < d.space.cell_count; e++)
    d.space.ratio[e] = e % 3 == 0 ? (double)NAN : (float)(2 + 2 * random_unit(&seed));
  int checked = 0;
  reference_assembly_destroy(&d.reference);
  MUST(reference_assembly_create(&d.reference, &d.space, 0.05, &error));
  FOR_EACH_STAGE(m, STAGE_ASSEMBLY)
  FOR_EACH_FORMAT(f)
  if (m->device == device && f->device == device && m->precision == f->precision && strcmp(m->element, element) == 0 &&
      f == stage_matrix_of(m)) {
    check_assembly(&d, (const AssemblyMethod *)m, (const OperatorMethod *)f);
    checked++;
  }
  assert_true(checked >= 4);
  deformed_destroy(&d);
}

static void assemblies_of_graded_bodies_agree_with_plain_double(void **state) {
  (void)state;
  check_graded(false, "tet4_graded_neo_hookean");
}

static void assemblies_of_mixed_bodies_agree_with_plain_double(void **state) {
  (void)state;
  check_graded(true, "tet4_mixed_neo_hookean");
}

static void assemblies_agree_with_plain_double(void **state) {
  (void)state;
  check_all_assemblies(mesh_of_pairs(), true, device == DEVICE_CPU);
}

#ifndef __SANITIZE_ADDRESS__
static void assemblies_agree_with_plain_double_on_the_hand(void **state) {
  (void)state;
  if (device == DEVICE_CPU) skip();  // takes ten seconds, and the tests all_pairs_* include it
  check_all_assemblies("meshes/hand.msh", true, false);
}

// Runs each assembly with each format on the fine mesh of the hand, also on a CPU. This test runs only if argv[2]
// requests it, because the tests above use a small body on a CPU.
static void all_pairs_agree_with_plain_double_on_the_hand(void **state) {
  (void)state;
  check_all_assemblies("meshes/hand.msh", true, false);
}
#endif

// Adds every cell's vector and matrix to F [n] and K [pairs][3][3]. nodal [n] is the element's input: the displacements
// of the nodes, m, or their positions, m, if row->positions is true.
static void sum_cells(const ElementRow *row, const Space *space, const double *nodal, const double *material, double *F,
                      double *K) {
  enum { NODES = 20, DOF = 3 * NODES };
  for (int e = 0; e < space->cell_count; e++) {
    const int *node = space_cell(space, e), dof = 3 * row->nodes;
    double own[DOF], F_e[DOF], A_e[DOF * (DOF + 1) / 2];
    for (int d = 0; d < dof; d++) own[d] = nodal[3 * node[d / 3] + d % 3];
    assert_true(row->evaluate(space, own, e, material, F_e, A_e) > 0);
    for (int r = 0; r < dof; r++) {
      F[3 * node[r / 3] + r % 3] += F_e[r];
      for (int c = 0; c < dof; c++)
        K[9 * adjacency_find(&space->graph, node[r / 3], node[c / 3]) + 3 * (r % 3) + c % 3] +=
            A_e[symmetric_index(dof, r, c)];
    }
  }
}

// Bodies for elements of every shape; body_of chooses one of them. The body that it returns has more than 256 nodes, so
// that an assembly on the CPU divides it into several parts.
typedef struct Bodies {
  // mesh: tets, linear at first; body_of gives them degree 2 or 3. fine: linear tets. hexes: hexahedra.
  TetMesh mesh, fine, hexes;
} Bodies;

static void give_stiffness_and_ratio(TetMesh *mesh, uint64_t *seed) {
  mesh->stiffness = malloc(sizeof(double) * (size_t)mesh->tet_count);
  mesh->ratio = malloc(sizeof(double) * (size_t)mesh->tet_count);
  for (int e = 0; e < mesh->tet_count; e++) mesh->stiffness[e] = (float)(2 + random_unit(seed));
  for (int e = 0; e < mesh->tet_count; e++) mesh->ratio[e] = e % 2 ? 1.25 : (double)NAN;
}

static void make_bodies(Bodies *b, uint64_t *seed) {
  const double size[3] = { 1, 1.2, 0.8 };
  Error error = { 0 };
  MUST(mesh_make_box(3, 4, 2, size, &b->mesh, &error) && mesh_make_box(7, 8, 6, size, &b->fine, &error));
  const Grid grid = { .shape = CELL_HEX8, .cells = { 7, 8, 6 }, .size = { 1, 1.2, 0.8 }, .distort = 0.2, .seed = 6 };
  CellMesh cells = { 0 };
  MUST(grid_make(&grid, &cells, &error) && cell_mesh_to_body(&cells, &b->hexes, &error));
  b->hexes.stiffness = malloc(sizeof(double) * (size_t)b->hexes.tet_count);
  for (int e = 0; e < b->hexes.tet_count; e++) b->hexes.stiffness[e] = 1 + 0.25 * (e % 5);
  give_stiffness_and_ratio(&b->mesh, seed);
  give_stiffness_and_ratio(&b->fine, seed);
}

// Returns the body for an element. For elements of degree 2 or 3, changes the degree of b->mesh to that of the element.
static const TetMesh *body_of(Bodies *b, const ElementRow *row) {
  Error error = { 0 };
  if (row->nodes >= 10) {
    mesh_linearise(&b->mesh);
    MUST(mesh_raise(&b->mesh, row->nodes == 10 ? 2 : 3, &error));
  }
  return row->nodes == 8 ? &b->hexes : row->nodes == 4 ? &b->fine : &b->mesh;
}

// Input and expected results of the assemblies of one element. The caller sets row, space and parameters, and
// fill_cell_sums the others.
typedef struct CellSums {
  const ElementRow *row;
  const Space *space;
  const AssemblyParameters *parameters;
  int64_t entries;  // length of K: 9 for each pair of neighbouring nodes
  // nodal [n], input: displacements or positions of the nodes, m. F [n] and K [pairs][3][3], expected results: the sums
  // of the vectors and matrices of all cells.
  double *nodal, *F, *K;
} CellSums;

static void fill_cell_sums(CellSums *s, uint64_t *seed) {
  const int n = space_dof(s->space);
  s->entries = 9 * space_pairs(s->space);
  s->nodal = malloc(sizeof *s->nodal * (size_t)n);
  s->F = calloc((size_t)n, sizeof *s->F);
  s->K = calloc((size_t)s->entries, sizeof *s->K);
  for (int i = 0; i < n; i++) {
    const double *X = s->space->X[i / 3], bent[3] = { 0.2 * X[2] * X[2], 0.15 * X[0] * X[1], 0.1 * X[0] };
    s->nodal[i] = (float)(bent[i % 3] + (s->row->nodes == 20 ? 0.003 : 0.004) * random_unit(seed) +
                          (s->row->positions ? X[i % 3] : 0));
  }
  sum_cells(s->row, s->space, s->nodal, s->parameters->material, s->F, s->K);
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(s->F[i]));
  assert_true(largest > 1e-3);  // the body is deformed, so forces are not 0
}

// Compares vector and matrix of one assembly with the sums s->F and s->K. If its operator stores no matrix, only the
// vector is compared. Returns true if the vector has the same bits when it is assembled without the matrix.
static bool check_cell_sums(const CellSums *s, const AssemblyMethod *method, Stream stream) {
  const Precision precision = ((const Stage *)method)->precision;
  const int n = space_dof(s->space);
  Error error = { 0 };
  Operator A;
  Assembly assembly;
  MUST(operator_create(&A, (const OperatorMethod *)stage_matrix_of((const Stage *)method), s->space, &error));
  MUST(assembly_create(&assembly, method, s->space, &A, PARTITION_GREEDY, 0, &error));
  const bool stores = operator_stores(&A);
  double *values = calloc((size_t)A.value_count + 1, sizeof *values), *force = malloc(sizeof *force * (size_t)n);
  double *got = malloc(sizeof *got * (size_t)s->entries), *alone = malloc(sizeof *alone * (size_t)n);
  void *nodal_dev = put(precision, s->nodal, n), *F_dev = put(precision, s->F, n),
       *values_dev = put(precision, values, A.value_count);
  MUST(assembly_run(&assembly, s->parameters, nodal_dev, F_dev, stores ? values_dev : NULL, stream, &error));
  get(stream, precision, values_dev, values, A.value_count, true);
  get(stream, precision, F_dev, force, n, true);
  MUST(assembly_run(&assembly, s->parameters, nodal_dev, F_dev, NULL, stream, &error));
  get(stream, precision, F_dev, alone, n, true);
  if (stores) collect(&A, values, got);
  const double matrix = stores ? relative_l2(got, s->K, s->entries) : 0, vector = relative_l2(force, s->F, n);
  const double tolerance = precision == PRECISION_F64 ? 1e-13 : 3e-6;
  if (!(matrix < tolerance && vector < tolerance))
    fail_msg("%s, element %s: relative errors %.2e of the matrix, %.2e of the vector",
             stage_label(((const Stage *)method)->name, device, precision), s->row->element, matrix, vector);
  int others = 0;
  for (int i = 0; i < n; i++) others += force[i] != alone[i];
  if (others)
    printf("  %s, element %s: %d of %d entries of the vector have other bits if the matrix is not assembled\n",
           stage_label(((const Stage *)method)->name, device, precision), s->row->element, others, n);
  free(values);
  free(force);
  free(got);
  free(alone);
  device_free(device, nodal_dev);
  device_free(device, F_dev);
  device_free(device, values_dev);
  assembly_destroy(&assembly);
  operator_destroy(&A);
  return others == 0;
}

// Every assembly of every element adds each cell's numbers to the correct entries. Newton's method assembles some
// vectors alone or together with the matrix, depending on whether the host or a CUDA graph controls the iteration. So
// the vector must have the same bits with and without the matrix.
static void assemblies_of_every_element_sum_its_cells_up(void **state) {
  (void)state;
  bool equal = true;
  Error error = { 0 };
  uint64_t seed = 8;
  Bodies bodies = { 0 };
  make_bodies(&bodies, &seed);
  Stream stream;
  MUST(stream_create(device, &stream, &error));

  for (const Stage *e = NULL; (e = stage_next(e, STAGE_ELEMENT, DEVICE_CPU, PRECISION_F64, NULL));) {
    const ElementRow *row = (const ElementRow *)e;
    AssemblyParameters parameters = { { 5, 4, 0.3 }, 1, 1 };
    if (!row->check(parameters.material, &error)) parameters.material[MATERIAL_SECOND_INVARIANT] = 0;
    error = (Error){ 0 };
    Space space;
    MUST(space_create(&space, body_of(&bodies, row), 3, &error));
    CellSums sums = { .row = row, .space = &space, .parameters = &parameters };
    fill_cell_sums(&sums, &seed);
    for (int precision = PRECISION_F32; precision <= PRECISION_F64; precision++)
      for (const Stage *m = NULL; (m = stage_next(m, STAGE_ASSEMBLY, device, (Precision)precision, row->element));)
        equal = check_cell_sums(&sums, (const AssemblyMethod *)m, stream) && equal;
    free(sums.nodal);
    free(sums.F);
    free(sums.K);
    space_destroy(&space);
  }

  stream_destroy(&stream);
  mesh_destroy(&bodies.mesh);
  mesh_destroy(&bodies.fine);
  mesh_destroy(&bodies.hexes);
  assert_true(equal);
}

// Solves -div(grad phi) = f on the unit cube, with `boxes` boxes along each edge and six tets per box. f is chosen so
// that the solution is phi = sin(pi x) sin(pi y) sin(pi z). Returns the relative L2 error at the nodes.
static double poisson_error(const AssemblyMethod *method, const OperatorMethod *format, int boxes) {
  const double size[3] = { 1, 1, 1 }, pi = 3.14159265358979323846;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  Space space = { 0 };
  Operator A;
  Assembly assembly;
  Solver solver;
  Stream stream;
  const Precision precision = method->stage.precision;
  const AssemblyParameters parameters = { { 1 }, 1, 1 };
  MUST(stream_create(device, &stream, &error));
  MUST(mesh_make_box(boxes, boxes, boxes, size, &mesh, &error));
  MUST(space_create(&space, &mesh, 1, &error));
  MUST(operator_create(&A, format, &space, &error));
  MUST(assembly_create(&assembly, method, &space, &A, PARTITION_GREEDY, 0, &error));
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
  MUST(operator_shift(&A, shift_dev, 0, diagonal_dev, NULL, stream, &error));
  const SolverSystem system = { &A, fixed_dev, F_dev, x_dev, precision == PRECISION_F64 ? 1e-10 : 1e-6, 2000, 0, NULL };
  const SolverMethod *best = (const SolverMethod *)stage_find(STAGE_SOLVER, NULL, device, precision, NULL);
  MUST(solver_create(&solver, best, &system, stream, &error));
  MUST(solver_solve(&solver, stream, &error));
  get(stream, precision, x_dev, got, n, true);
  assert_int_equal(solver.report->end, SOLVER_CONVERGED);
  const double difference = relative_l2(got, phi, n);
  solver_destroy(&solver);
  assembly_destroy(&assembly);
  operator_destroy(&A);
  device_free(device, nodal_dev);
  device_free(device, F_dev);
  device_free(device, x_dev);
  device_free(device, shift_dev);
  device_free(device, diagonal_dev);
  device_free(device, fixed_dev);
  free(nodal);
  free(phi);
  free(got);
  free(zero);
  free(fixed);
  space_destroy(&space);
  mesh_destroy(&mesh);
  stream_destroy(&stream);
  return difference;
}

// The code of assemblies does not depend on the element. With the Poisson element, they solve Poisson's equation, and
// the error falls with the square of the cell size.
static void assemblies_of_the_poisson_element_converge_at_second_order(void **state) {
  (void)state;
  FOR_EACH_STAGE(m, STAGE_ASSEMBLY)
  FOR_EACH_FORMAT(f) {
    if (m->device != device || f->device != device || m->precision != f->precision ||
        strcmp(m->element, "poisson_tet") != 0)
      continue;
    const AssemblyMethod *method = (const AssemblyMethod *)m;
    const OperatorMethod *format = (const OperatorMethod *)f;

    // 8 and 12 cells per side
    const double coarse = poisson_error(method, format, 8), fine = poisson_error(method, format, 12),
                 order = log(coarse / fine) / log(1.5);
    printf("  %s, format %s: relative errors %.2e and %.2e, order of convergence %.2f\n",
           stage_label(m->name, device, m->precision), f->name, coarse, fine, order);
    assert_true(order > 1.9 && order < 2.2 && fine < 0.035);
  }
}

// Returns true if a stage can be used for the bodies of this test: the stage is compiled for their element, or works
// with every element.
static bool serves(const Stage *s) {
  return !s->element || strcmp(s->element, simulation_element("tet4")) == 0;
}

// Sets A to the tangent of the deformed mesh without a shift. An operator that stores a matrix gets the values of the
// reference matrix. A matrix-free operator is linearised at the displacements.
static bool set_tangent(Operator *A, const DeformedMesh *d, Stream stream, Error *error) {
  const Precision precision = A->method->stage.precision;
  const bool stores = operator_stores(A);
  double *values = calloc((size_t)A->value_count + 1, sizeof *values);
  if (stores) spread(A, d->reference.K, values);
  void *from = stores ? put(precision, values, A->value_count) : put(precision, &d->reference.u[0][0], A->n);
  const bool ok =
      (stores ? device_copy(stream, A->values, from, (size_t)A->value_count * precision_size(precision), error)
              : operator_linearise(A, &d->reference.parameters, from, stream, error)) &&
      stream_sync(stream, error);
  device_free(device, from);
  free(values);
  return ok;
}

// Computes the product y [3 nodes] of x with the sum of reference matrix and shift, and the sum's diagonal blocks, own
// [9 nodes]. shift [6 nodes]: for each node, three numbers for the diagonal of its block; then, for each node, its
// numbers at (0, 1), (0, 2) and (1, 2).
static void plain_shifted_product(const DeformedMesh *d, const double *shift, const double *x, double *y, double *own) {
  const double *K = d->reference.K;
  const int n = space_dof(&d->space);
  plain_product(&d->space, K, x, y);
  for (int a = 0; a < d->space.node_count; a++) {
    memcpy(own + 9 * a, K + 9 * adjacency_find(&d->space.graph, a, a), sizeof *own * 9);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) {
        const double more = k == i ? shift[3 * a + i] : shift[n + 3 * a + i + k - 1];
        own[9 * a + 3 * i + k] += more;
        y[3 * a + i] += more * x[3 * a + k];
      }
  }
}

// An assembly for an operator without a matrix computes only the vector, which must be the reference vector.
static void check_vector_alone(const DeformedMesh *d, Operator *A, double tolerance, Stream stream) {
  Error error = { 0 };
  const Precision precision = A->method->stage.precision;
  const int n = A->n;
  Assembly assembly;
  const AssemblyMethod *best =
      (const AssemblyMethod *)stage_find(STAGE_ASSEMBLY, NULL, device, precision, simulation_element("tet4"));
  void *u = put(precision, &d->reference.u[0][0], n), *vector = put(precision, &d->reference.u[0][0], n);
  double *got = malloc(sizeof *got * (size_t)n);
  MUST(assembly_create(&assembly, best, &d->space, A, PARTITION_GREEDY, 0, &error));
  MUST(assembly_run(&assembly, &d->reference.parameters, u, vector, NULL, stream, &error));
  get(stream, precision, vector, got, n, true);
  assert_true(relative_l2(got, d->reference.F, n) <= tolerance);
  assembly_destroy(&assembly);
  device_free(device, u);
  device_free(device, vector);
  free(got);
}

// A matrix-free operator with a shift must have the same product and diagonal blocks as the reference matrix with this
// shift. Its diagonal must be that of its blocks. A second run must give a product with the same bits.
static void operators_without_a_matrix_are_the_assembled_one(void **state) {
  (void)state;
  Error error = { 0 };
  DeformedMesh d;
  Stream stream;
  uint64_t seed = 6;
  deformed_create(&d, "meshes/hand_coarse.msh");
  MUST(stream_create(device, &stream, &error));
  const int n = space_dof(&d.space), nodes = d.space.node_count;
  double *K = d.reference.K, *x = malloc(sizeof *x * (size_t)n), *y = malloc(sizeof *y * (size_t)n),
         *got = malloc(sizeof *got * (size_t)n), *again = malloc(sizeof *again * (size_t)n),
         *shift = malloc(sizeof *shift * (size_t)(n + 3 * nodes)), *diagonal = malloc(sizeof *diagonal * (size_t)n),
         *blocks = malloc(sizeof *blocks * (size_t)nodes * 9), *own = malloc(sizeof *own * (size_t)nodes * 9);
  double size = 0;
  for (int64_t k = 0; k < 9 * space_pairs(&d.space); k++) size = fmax(size, fabs(K[k]));
  for (int i = 0; i < n; i++) x[i] = (float)random_unit(&seed);
  for (int i = 0; i < n + 3 * nodes; i++) shift[i] = (float)(size * random_unit(&seed));
  plain_shifted_product(&d, shift, x, y, own);

  FOR_EACH_STAGE(f, STAGE_OPERATOR) {
    if (f->device != device || simulation_stores(f) || !serves(f)) continue;
    const Precision precision = f->precision;
    const double tolerance = precision == PRECISION_F64 ? 1e-12 : 5e-7;  // in double as in check_assembly
    Operator A;
    MUST(operator_create(&A, (const OperatorMethod *)f, &d.space, &error));
    double *dots = calloc((size_t)A.dot_count, sizeof *dots), xy = 0, sum = 0;
    void *x_dev = put(precision, x, n), *y_dev = put(precision, x, n),
         *shift_dev = put(precision, shift, n + 3 * nodes), *diagonal_dev = put(precision, x, n),
         *dots_dev = put(PRECISION_F64, dots, A.dot_count);
    for (int turn = 0; turn < 2; turn++) {  // in the second turn, a new linearisation must remove the previous shift
      MUST(set_tangent(&A, &d, stream, &error));
      MUST(operator_shift(&A, shift_dev, 3, diagonal_dev, NULL, stream, &error));
      MUST(operator_apply(&A, x_dev, y_dev, dots_dev, stream, &error));
      get(stream, precision, y_dev, turn ? again : got, n, true);
    }
    assert_memory_equal(got, again, sizeof *got * (size_t)n);
    get(stream, PRECISION_F64, dots_dev, dots, A.dot_count, true);
    get(stream, precision, diagonal_dev, diagonal, n, true);
    get(stream, precision, A.blocks, blocks, 9 * (int64_t)nodes, false);
    printf("  %s: relative errors %.1e of the product, %.1e of the diagonal blocks\n",
           stage_label(f->name, device, precision), relative_l2(got, y, n),
           relative_l2(blocks, own, 9 * (size_t)nodes));
    assert_true(relative_l2(got, y, n) <= tolerance);
    assert_true(relative_l2(blocks, own, 9 * (size_t)nodes) <= tolerance);
    for (int i = 0; i < n; i++) assert_true(diagonal[i] == blocks[9 * (i / 3) + 4 * (i % 3)]);
    for (int i = 0; i < n; i++) xy += x[i] * got[i];
    for (int k = 0; k < A.dot_count; k++) sum += dots[k];
    assert_true(fabs(sum - xy) <= 1e-12 * size * n);

    check_vector_alone(&d, &A, tolerance, stream);
    operator_destroy(&A);
    device_free(device, x_dev);
    device_free(device, y_dev);
    device_free(device, shift_dev);
    device_free(device, diagonal_dev);
    device_free(device, dots_dev);
    free(dots);
  }

  free(x);
  free(y);
  free(got);
  free(again);
  free(shift);
  free(diagonal);
  free(blocks);
  free(own);
  stream_destroy(&stream);
  deformed_destroy(&d);
}

// Solves for other right-hand sides than b: multiples of b, zero, and b with a NaN. Iterative solvers also solve for b
// with too few iterations. x [n], an input, is the solution for b.
static void check_other_right_hand_sides(const Solver *solver, Stream stream, const double *b, const double *x, int n) {
  const bool in_double = solver->method->stage.precision == PRECISION_F64;
  const double sizes[] = { in_double ? 0x1p-400 : 0x1p-70, in_double ? 0x1p400 : 0x1p100, 0, NAN };
  const SolverSystem *system = &solver->system;
  const Precision precision = solver->method->stage.precision;
  Error error = { 0 };
  double *other = malloc(sizeof *other * (size_t)n), *got = malloc(sizeof *got * (size_t)n);
  const bool iterates = solver->method->precondition != PRECONDITION_DIRECT;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes + iterates; k++) {
    const bool limited = k == sizeof sizes / sizeof *sizes;
    const double size = limited ? 1 : sizes[k];
    Solver one;
    SolverSystem its = *system;
    for (int i = 0; i < n; i++) other[i] = isnan(size) && i != n / 2 + 3 ? b[i] : b[i] * size;
    void *b_dev = put(precision, other, n);
    its.b = b_dev;
    if (limited) its.iterations_max = 3;
    MUST(solver_create(&one, solver->method, &its, stream, &error));
    MUST(solver_solve(&one, stream, &error));
    MUST(solver_wait(&one, stream, &error));
    get(stream, precision, its.x, got, n, true);
    const SolverReport *report = one.report;
    if (isnan(size)) {
      assert_int_equal(report->end, SOLVER_BROKEN);
      for (int i = 0; i < n; i++) assert_true(isfinite(got[i]));
    } else if (limited) {
      assert_int_equal(report->end, SOLVER_OUT_OF_ITERATIONS);
      assert_int_equal(report->iterations, 3);
      assert_true(report->relative_residual > system->relative);
    } else {  // the factor is a power of two, so the solution is multiplied by it without rounding
      assert_int_equal(report->end, SOLVER_CONVERGED);
      assert_int_equal(report->iterations, size > 0 ? solver->report->iterations : 0);
      for (int i = 0; i < n; i++) assert_true(got[i] == size * x[i]);
    }
    solver_destroy(&one);
    device_free(device, b_dev);
  }

  free(other);
  free(got);
}

// A deformed body, and the system (K + shift) x = b that each solver solves. K is the reference tangent, a quarter of
// the stiffness, and `shift` is 100 times the masses. Up to a factor, this is the matrix of the midpoint rule for a
// time step of 0.1 s, and it is positive definite. A tenth of the nodes and some single unknowns are fixed.
typedef struct Problem {
  DeformedMesh d;
  int n;  // number of unknowns
  // [n]. b: right-hand side; shift: numbers that are added to the diagonal of K; flip: a second shift, which changes
  // the sign of the diagonal of K + shift
  double *b, *shift, *flip;
  uint8_t *fixed;               // [n], 1 for a fixed unknown
  double *x, *again, *product;  // [n], outputs: the first and the second solution, and a matrix-vector product
} Problem;

static void problem_create(Problem *q, const char *mesh_name) {
  deformed_create(&q->d, mesh_name);
  const int n = q->n = space_dof(&q->d.space);
  double *mass = malloc(sizeof *mass * (size_t)q->d.space.node_count);
  double **arrays[] = { &q->b, &q->shift, &q->flip, &q->x, &q->again, &q->product };
  uint64_t seed = 5;
  space_lumped_mass(&q->d.space, 1, mass);
  for (int k = 0; k < 6; k++) *arrays[k] = malloc(sizeof **arrays[k] * (size_t)n);
  q->fixed = calloc((size_t)n, 1);
  for (int i = 0; i < n; i++) {
    const double diagonal = q->d.reference.K[9 * adjacency_find(&q->d.space.graph, i / 3, i / 3) + 4 * (i % 3)];
    q->shift[i] = mass[i / 3] * 100;
    q->flip[i] = -2 * (diagonal + q->shift[i]);
    q->fixed[i] = i / 3 % 10 == 0 || i % 100 == 7;
    q->b[i] = (float)(random_unit(&seed) * mass[i / 3]);
  }
  free(mass);
}

static void problem_destroy(Problem *q) {
  free(q->b);
  free(q->shift);
  free(q->flip);
  free(q->x);
  free(q->again);
  free(q->product);
  free(q->fixed);
  deformed_destroy(&q->d);
}

// Returns ||b - (K + shift) x|| / ||b|| over free unknowns, in double. *norm receives ||b||. K has the values that
// products of the format read. If `direct` is true, K has unrounded values, because direct solvers factorise the matrix
// before rounding.
static double true_residual(const Problem *q, const Stage *format, bool direct, double *norm) {
  double rr = 0, bb = 0, *seen = seen_by(format, &q->d.space, q->d.reference.K);
  plain_product(&q->d.space, direct ? q->d.reference.K : seen, q->x, q->product);
  free(seen);
  for (int i = 0; i < q->n; i++) {
    if (q->fixed[i]) {
      assert_true(q->x[i] == 0);
      continue;
    }
    const double residual = q->b[i] - (q->product[i] + q->shift[i] * q->x[i]);
    rr += residual * residual;
    bb += q->b[i] * q->b[i];
  }
  *norm = sqrt(bb);
  return sqrt(rr / bb);
}

// Solves a second time. The bits of the solution and the number of iterations must be those of the first solve.
static void check_repeats(const Problem *q, Solver *solver, Stream stream, Precision precision, int iterations) {
  Error error = { 0 };
  MUST(solver_solve(solver, stream, &error));
  get(stream, precision, solver->system.x, q->again, q->n, true);
  assert_int_equal(solver->report->iterations, iterations);
  assert_memory_equal(q->x, q->again, sizeof *q->x * (size_t)q->n);
}

// A change of the tolerance between two solves takes effect in the second one.
static void check_tolerances(const Problem *q, Solver *solver, Stream stream, Precision precision, int iterations) {
  Error error = { 0 };
  const double relative = solver->system.relative;
  solver->system.relative = 0.1;
  MUST(solver_solve(solver, stream, &error));
  MUST(solver_wait(solver, stream, &error));
  assert_int_equal(solver->report->end, SOLVER_CONVERGED);
  assert_in_range(solver->report->iterations, 1, iterations - 1);
  assert_true(solver->report->relative_residual <= 0.1 && solver->report->relative_residual > 10 * relative);
  solver->system.relative = relative;
  check_repeats(q, solver, stream, precision, iterations);
}

// Checks that the solver converges to its tolerance, and that a second solve has the same bits. q->x receives the
// solution. `own` is true if the matrix is the solver's default; other right-hand sides and tolerances are then tested,
// too. `form`: limit of shared memory in KiB, for messages; NULL: none.
static void check_solve(const Problem *q, const Stage *m, const Stage *f, const char *form, bool own, Solver *solver,
                        Stream stream) {
  Error error = { 0 };
  const Precision precision = f->precision;
  double norm;
  MUST(solver_solve(solver, stream, &error));
  get(stream, precision, solver->system.x, q->x, q->n, true);
  assert_int_equal(solver->report->end, SOLVER_CONVERGED);
  const bool direct = solver->method->precondition == PRECONDITION_DIRECT;
  const double residual = true_residual(q, f, direct, &norm);
  const int iterations = solver->report->iterations;
  printf("  %s%s%s, matrix %s: %d iterations, true relative residual %.2e\n", stage_label(m->name, device, precision),
         form ? ", limit of shared memory in KiB: " : "", form ? form : "", f->name, iterations, residual);
  assert_true(direct ? iterations == 1 : iterations > 3);

  // In float, the residual that the solver updates differs from the true residual by rounding errors.
  assert_true(residual <= (precision == PRECISION_F64 ? 1.1e-10 : 2e-5));

  solver->system.norm = norm;  // a known norm of b changes no result
  check_repeats(q, solver, stream, precision, iterations);
  solver->system.norm = 0;
  if (!own) return;
  check_other_right_hand_sides(solver, stream, q->b, q->x, q->n);
  if (!direct) check_tolerances(q, solver, stream, precision, iterations);
}

// Tests the solver m with the matrix f, as check_solve says, and with a matrix that is indefinite.
static void check_solver(const Problem *q, const Stage *m, const Stage *f, const char *form, bool own) {
  Error error = { 0 };
  const Precision precision = f->precision;
  const int n = q->n;
  Stream stream;
  Operator A;
  Solver solver;
  MUST(stream_create(device, &stream, &error));
  MUST(operator_create(&A, (const OperatorMethod *)f, &q->d.space, &error));
  void *mass_dev = put(precision, q->shift, n), *flip_dev = put(precision, q->flip, n),
       *diagonal_dev = put(precision, q->shift, n);
  MUST(set_tangent(&A, &q->d, stream, &error));
  void *b_dev = put(precision, q->b, n), *x_dev = put(precision, q->b, n);
  uint8_t *fixed_dev = device_clone(device, q->fixed, (size_t)n, &error);
  const double relative = precision == PRECISION_F64 ? 1e-10 : 1e-5;
  const SolverSystem system = { &A, fixed_dev, b_dev, x_dev, relative, 2000, 0, NULL };
  MUST(operator_shift(&A, mass_dev, 0, diagonal_dev, NULL, stream, &error));
  MUST(solver_create(&solver, (const SolverMethod *)m, &system, stream, &error));
  check_solve(q, m, f, form, own, &solver, stream);

  // an indefinite matrix is reported, and the result has no NaN
  MUST(operator_shift(&A, flip_dev, 0, diagonal_dev, NULL, stream, &error));
  MUST(solver_solve(&solver, stream, &error));
  get(stream, precision, x_dev, q->x, n, true);
  assert_int_equal(solver.report->end, SOLVER_INDEFINITE);
  for (int i = 0; i < n; i++) assert_true(isfinite(q->x[i]));

  solver_destroy(&solver);
  operator_destroy(&A);
  device_free(device, b_dev);
  device_free(device, x_dev);
  device_free(device, fixed_dev);
  device_free(device, diagonal_dev);
  device_free(device, mass_dev);
  device_free(device, flip_dev);
  stream_destroy(&stream);
}

// Tests every solver with every matrix if all_pairs is true. Otherwise tests every solver with its default matrix, and
// every matrix with the default solver and with direct solvers.
static void check_solvers(const char *mesh_name, bool all_pairs) {
  Problem q, small;        // small: for direct solvers, and on a CPU for pairs other than the default ones
  const Stage *of = NULL;  // the solver whose pairs with matrices are counted by `turn`
  int turn = 0;
  problem_create(&q, mesh_name);
  problem_create(&small, "meshes/sphere_305.msh");
  FOR_EACH_STAGE(m, STAGE_SOLVER)
  FOR_EACH_STAGE(f, STAGE_OPERATOR) {
    if (m->device != device || f->device != device || m->precision != f->precision || !serves(f)) continue;
    if (!stage_fits(m, f)) continue;
    const bool own = f == stage_matrix_of(m);
    if (!simulation_stores(f) && !m->preferred) continue;  // products without a matrix are slow and test nothing new
    const bool direct = ((const SolverMethod *)m)->precondition == PRECONDITION_DIRECT;
    if (!all_pairs && !own && !m->preferred && !direct) continue;

    // The small body is for direct solvers, which are slow, and for the solver `block`, which on the GPU refuses large
    // bodies.
    const bool only_small = direct || (device == DEVICE_CUDA && stage_is_named(m, "block"));
    turn = m == of ? turn + 1 : 0;
    of = m;

    // Test each matrix other than the default one in one precision, alternately float and double. The loop visits the
    // matrices of both precisions in the same order.
    if (!all_pairs && !own && (turn + (int)m->precision) % 2) continue;
#ifdef __SANITIZE_ADDRESS__
    // With the sanitizer, solvers are not tested with other matrices, which saves a minute. Tests of products cover
    // these matrices.
    if (!own) continue;
#endif
    // On the GPU, the solver `resident` has several variants for bodies of different sizes. A limit of shared memory,
    // in KiB, selects each variant.
    const char *const forms[] = { NULL, "200", "4" };
    const int form_count = device == DEVICE_CUDA && strncmp(m->name, "resident", 8) == 0 ? 3 : 1;
    for (int form = 0; form < form_count; form++) {
      if (forms[form]) setenv("PLIANT_RESIDENT_KIB", forms[form], 1);
      check_solver(only_small || (!own && !all_pairs) ? &small : &q, m, f, forms[form], own);
      unsetenv("PLIANT_RESIDENT_KIB");
    }
  }

  problem_destroy(&q);
  problem_destroy(&small);
}

// On a GPU, this test combines every solver with every matrix. On a CPU, the next test does so if argv[2] requests it.
static void solvers_solve_a_deformed_body(void **state) {
  (void)state;
  check_solvers(mesh_of_pairs(), device == DEVICE_CUDA);
}

static void all_pairs_solve_the_deformed_hand(void **state) {
  (void)state;
  check_solvers("meshes/hand_coarse.msh", true);
}

// Makes a chain of springs. The last spring is attached to a wall. The stiffness of the springs falls by `decades`
// powers of ten along the chain. K [pairs] receives integers up to about twice `maximum`. Returns the displacement of
// the first node under a unit force.
static double chain_of_springs(const Adjacency *graph, double decades, double maximum, uint64_t *seed, double *K) {
  double before = 0, gives = 0;  // before: stiffness of the previous spring, 0 before the first node
  for (int a = 0; a < graph->node_count; a++) {
    const double spring = floor(maximum * pow(10, -decades * (a + random_unit(seed)) / graph->node_count));
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++) {
      const int b = graph->neighbour[pair];
      K[pair] = b < a ? -before : b > a ? -spring : before + spring;
    }
    before = spring;
    gives += 1 / spring;
  }
  return gives;
}

// CG detects an indefinite matrix by p.Ap <= 0, where p is the search direction. For some positive definite matrices,
// p.Ap is a small difference of large numbers, and its rounding error is larger than its value. A tenth or more of the
// chains of springs in this test, pulled at their stiff ends, have such a matrix. Nearly all solves must converge
// nevertheless, and an indefinite matrix must be detected within few iterations.
static void solvers_distinguish_rounding_from_an_indefinite_matrix(void **state) {
  (void)state;
  enum { NODES = 100, CHAINS = 100 };
  Error error = { 0 };
  int64_t start[NODES + 1] = { 0 };
  int neighbour[3 * NODES];
  for (int a = 0; a < NODES; a++) {
    start[a + 1] = start[a];
    for (int b = a - 1; b <= a + 1; b++)
      if (b >= 0 && b < NODES) neighbour[start[a + 1]++] = b;
  }

  const Space space = { .node_count = NODES,
                        .owned_count = NODES,
                        .node_dof = 1,
                        .graph = { .node_count = NODES, .start = start, .neighbour = neighbour } };
  double K[3 * NODES], b[NODES] = { 1 }, zero[NODES] = { 0 }, x[NODES];
  const uint8_t fixed[NODES] = { 0 };
  double gives = 0;

  FOR_EACH_STAGE(m, STAGE_SOLVER) {
    const SolverMethod *method = (const SolverMethod *)m;
    if (m->device != device || method->precondition == PRECONDITION_NONE) continue;

    // The solver resident_schwarz is left out. Its bound on the rounding error of p.Ap can be too small (resident.h),
    // and on the GPU it does not support nodes with one unknown.
    if (method->precondition == PRECONDITION_COARSE && method->matrix) continue;
    if (device == DEVICE_CUDA && stage_is_named(m, "block")) continue;  // refuses nodes with one unknown
    const bool in_double = m->precision == PRECISION_F64;
    Stream stream;
    Operator A;
    Solver solver;
    MUST(stream_create(device, &stream, &error));
    MUST(operator_create(&A, (const OperatorMethod *)stage_matrix_of(m), &space, &error));
    void *b_dev = put(m->precision, b, NODES), *x_dev = put(m->precision, zero, NODES),
         *shift_dev = put(m->precision, zero, NODES), *diagonal_dev = put(m->precision, zero, NODES);
    uint8_t *fixed_dev = device_clone(device, fixed, NODES, &error);
    const SolverSystem system = { &A, fixed_dev, b_dev, x_dev, in_double ? 1e-10 : 1e-4, 20 * NODES, 0, NULL };
    MUST(solver_create(&solver, method, &system, stream, &error));
    double *values = calloc((size_t)A.value_count, sizeof *values), iterations[2] = { 0 };
    int others = 0, mistaken = 0, wrong = 0;
    uint64_t seed = 7;
    for (int chain = 0; chain < 2 * CHAINS; chain++) {
      const bool indefinite = chain % 2;
      if (!indefinite)
        gives = chain_of_springs(&space.graph, in_double ? 12 : 4, in_double ? 0x1p51 : 0x1p22, &seed, K);
      for (int a = 0; a < NODES && indefinite; a++) K[adjacency_find(&space.graph, a, a)] *= 0.99;
      spread(&A, K, values);
      void *values_dev = put(m->precision, values, A.value_count);
      MUST(device_copy(stream, A.values, values_dev, (size_t)A.value_count * precision_size(m->precision), &error));
      MUST(operator_shift(&A, shift_dev, 0, diagonal_dev, NULL, stream, &error));
      MUST(solver_solve(&solver, stream, &error));
      MUST(solver_wait(&solver, stream, &error));
      get(stream, m->precision, x_dev, x, NODES, true);
      device_free(device, values_dev);
      iterations[indefinite] += solver.report->iterations / (double)CHAINS;
      others += solver.report->end != (indefinite ? SOLVER_INDEFINITE : SOLVER_CONVERGED);
      mistaken += !indefinite && solver.report->end == SOLVER_INDEFINITE;
      for (int a = 0; a < NODES; a++) assert_true(isfinite(x[a]));
      wrong += solver.report->end == SOLVER_CONVERGED && fabs(x[0] / gives - 1) > 0.1;
    }
    printf(
        "  %s: on average %.0f iterations, %.0f with an indefinite matrix; %d unexpected ends, of which %d report an "
        "indefinite matrix; %d solutions with an error of more than 10 %%\n",
        stage_label(m->name, device, m->precision), iterations[0], iterations[1], others, mistaken, wrong);

    // In float, the matrix of a chain has only few correct digits, so some solutions are wrong.
    assert_true(others <= CHAINS / 20 && wrong <= CHAINS / 5);
    assert_true(iterations[1] < 30);
    free(values);
    solver_destroy(&solver);
    operator_destroy(&A);
    device_free(device, b_dev);
    device_free(device, x_dev);
    device_free(device, shift_dev);
    device_free(device, diagonal_dev);
    device_free(device, fixed_dev);
    stream_destroy(&stream);
  }
}

// An assembly on the CPU divides a large body into parts for the threads. It evaluates cells on the border of two parts
// twice. So a small body is one part, which the calling thread computes.
static void small_bodies_are_one_part_with_any_number_of_threads(void **state) {
  (void)state;
  const double size[3] = { 2, 0.5, 0.5 };
  static const char *const names[] = { "cpu", "cpu_simd" };
  if (device != DEVICE_CPU) skip();
  for (int large = 0; large < 2; large++) {
    Error error = { 0 };
    TetMesh mesh = { 0 };
    Space space;
    MUST(mesh_make_box(large ? 32 : 8, large ? 8 : 2, large ? 8 : 2, size, &mesh, &error));
    MUST(space_create(&space, &mesh, 3, &error));
    parallel_set_threads(8);
    for (int k = 0; k < 2; k++) {
      const Stage *s = NULL;
      while ((s = stage_next(s, STAGE_ASSEMBLY, device, PRECISION_F32, "tet4_neo_hookean")))
        if (strcmp(s->name, names[k]) == 0) break;
      assert_non_null(s);
      Operator A;
      Assembly assembly;
      MUST(operator_create(&A, (const OperatorMethod *)stage_matrix_of(s), &space, &error));
      MUST(assembly_create(&assembly, (const AssemblyMethod *)s, &space, &A, PARTITION_GREEDY, 0, &error));
      if (large) assert_true(assembly.min_J_count >= 8);
      if (!large) assert_int_equal(assembly.min_J_count, 1);
      assembly_destroy(&assembly);
      operator_destroy(&A);
    }
    parallel_set_threads(0);
    space_destroy(&space);
    mesh_destroy(&mesh);
  }
}

static bool always(void *polls) {
  ++*(int *)polls;
  return true;
}

static void assemblies_end_when_the_user_interrupts(void **state) {
  (void)state;
  static const char *const names[] = { "cpu", "cpu_opt", "cpu_simd", "parts" };
  if (device != DEVICE_CPU) skip();
  TetMesh mesh = box(2, 2, 4, (double[3]){ 0.1, 0.1, 0.2 });
  Space space;
  Error error = { 0 };
  MUST(space_create(&space, &mesh, 3, &error));
  for (int k = 0; k < 4; k++) {
    const Stage *s = NULL;
    while ((s = stage_next(s, STAGE_ASSEMBLY, device, PRECISION_F64, "tet4_neo_hookean")))
      if (strcmp(s->name, names[k]) == 0) break;
    assert_non_null(s);
    Operator A;
    Assembly assembly;
    const AssemblyParameters p = { .material = { 1, 1 }, .vector_scale = 1, .matrix_scale = 1 };
    int polls = 0;
    MUST(operator_create(&A, (const OperatorMethod *)stage_matrix_of(s), &space, &error));
    MUST(assembly_create(&assembly, (const AssemblyMethod *)s, &space, &A, PARTITION_GREEDY, 0, &error));
    double *nodal = calloc((size_t)A.n, sizeof *nodal), *F = calloc((size_t)A.n, sizeof *F);
    interrupt_listen(always, &polls);
    const bool done = assembly_run(&assembly, &p, nodal, F, A.values, (Stream){ .device = device }, &error);
    interrupt_listen(NULL, NULL);
    if (done || polls == 0 || strcmp(error.message, "interrupted") != 0)
      fail_msg("assembly %s polled %d times: %s", names[k], polls, error.message);
    error = (Error){ 0 };
    free(nodal);
    free(F);
    assembly_destroy(&assembly);
    operator_destroy(&A);
  }

  space_destroy(&space);
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  lab_add_stages();
  elements_open_all(NULL);
  if (count < 3) cmocka_set_skip_filter("all_pairs*");
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(products_agree_with_plain_product_in_double),
    cmocka_unit_test(few_tuned_products_agree_with_plain_product_in_double),
    cmocka_unit_test(tuned_products_agree_with_plain_product_in_double),
    cmocka_unit_test(shift_updates_the_copies_of_the_diagonal),
    cmocka_unit_test(formats_refuse_graphs_too_large_for_int_indices),
    cmocka_unit_test(assemblies_agree_with_plain_double),
#ifndef __SANITIZE_ADDRESS__  // takes half a minute and runs the code that a small body already tests
    cmocka_unit_test(assemblies_agree_with_plain_double_on_the_hand),
    cmocka_unit_test(all_pairs_agree_with_plain_double_on_the_hand),
#endif
    cmocka_unit_test(an_assembly_of_a_second_body_does_not_disturb_the_first),
    cmocka_unit_test(assemblies_of_graded_bodies_agree_with_plain_double),
    cmocka_unit_test(assemblies_of_mixed_bodies_agree_with_plain_double),
    cmocka_unit_test(small_bodies_are_one_part_with_any_number_of_threads),
    cmocka_unit_test(assemblies_end_when_the_user_interrupts),
    cmocka_unit_test(assemblies_of_every_element_sum_its_cells_up),
    cmocka_unit_test(assemblies_of_the_poisson_element_converge_at_second_order),
    cmocka_unit_test(operators_without_a_matrix_are_the_assembled_one),
    cmocka_unit_test(solvers_solve_a_deformed_body),
    cmocka_unit_test(all_pairs_solve_the_deformed_hand),
    cmocka_unit_test(solvers_distinguish_rounding_from_an_indefinite_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
