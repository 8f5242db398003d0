// Tests assemblies that work through the cells in chunks (sim/assembly/record_chunks.h). A record is the element vector
// and the element matrix of a cell. Such an assembly stores the records of only one chunk at a time, and adds them to
// the sums. The sums must have the same bits for any number of chunks. On the CPU, code of this test adds the records
// along the lists of each chunk, in the order of the GPU. It also adds them along lists of single entries
// (entry_lists.h). On the GPU, every assembly with chunks, such as globalnz, runs with several memory budgets. The
// program is built for each precision. argv[1]: the device, cpu or cuda; argv[2]: a pattern for the names of the tests
// to run.
#include "../sim_testing.h"

#include "base/real.h"
#include "mesh/grid.h"
#include "mesh/quadratic.h"
#include "sim/assembly/entry_lists.h"
#include "sim/assembly/record_chunks.h"
#include "sim/element/device_reals.h"
#include "sim/element/element_row.h"
#include "sim/element/symmetric.h"
#include "../soft_body.h"

static Device device;

enum { NODES_MAX = 10, DOF_MAX = 3 * NODES_MAX, MATRIX_MAX = DOF_MAX * (DOF_MAX + 1) / 2 };
static const AssemblyParameters parameters = { { 5, 4, 0.3 }, 1, 1 };

// A deformed body of one cell shape, and the layout of its matrix in the format csr.
typedef struct Body {
  const ElementRow *row;
  TetMesh mesh;
  Space space;
  Operator layout;
  real *nodal;  // [n] displacements, m
  int n;
} Body;

// Creates a body from a grid with `boxes` boxes along x and along y, and one more along z. Each box is one hexahedron
// or six tets. If `shuffled` is true, cells are numbered at random, so that the terms of a matrix row come from many
// chunks. Returns false if the element is not in this build.
static bool body_create(Body *body, const char *shape, int boxes, bool shuffled) {
  static const double size[3] = { 1, 1.2, 0.8 };
  Error error = { 0 };
  *body = (Body){ .row = element_row(shape, NULL, DEVICE_CPU, REAL_PRECISION) };
  if (!body->row) return false;
  if (body->row->nodes == 8) {
    const Grid grid = {
      .shape = CELL_HEX8, .cells = { boxes, boxes, boxes + 1 }, .size = { 1, 1.2, 0.8 }, .distort = 0.2, .seed = 6
    };
    CellMesh cells = { 0 };
    MUST(grid_make(&grid, &cells, &error) && cell_mesh_to_body(&cells, &body->mesh, &error));
  } else {
    MUST(mesh_make_box(boxes, boxes, boxes + 1, size, &body->mesh, &error));
    if (body->row->nodes == 10) MUST(mesh_raise(&body->mesh, 2, &error));
  }
  uint64_t seed = 11;
  for (int e = body->mesh.tet_count - 1; shuffled && e > 0; e--) {
    const int other = (int)((random_unit(&seed) + 1) / 2 * e);
    for (int a = 0; a < body->row->nodes; a++) {
      int *one = mesh_cell_entry(&body->mesh, e, a), *two = mesh_cell_entry(&body->mesh, other, a);
      const int kept = *one;
      *one = *two;
      *two = kept;
    }
  }

  MUST(space_create(&body->space, &body->mesh, 3, &error));
  body->n = space_dof(&body->space);
  body->nodal = malloc(sizeof *body->nodal * (size_t)body->n);
  for (int i = 0; i < body->n; i++) {
    const double *X = body->space.X[i / 3], bent[3] = { 0.2 * X[2] * X[2], 0.15 * X[0] * X[1], 0.1 * X[0] };
    body->nodal[i] = (real)(bent[i % 3] + 0.01 * random_unit(&seed));
  }
  const Stage *csr = stage_find(STAGE_OPERATOR, "csr", DEVICE_CPU, REAL_PRECISION, NULL);
  MUST(operator_create(&body->layout, (const OperatorMethod *)csr, &body->space, &error));
  return true;
}

static void body_destroy(Body *body) {
  if (!body->row) return;
  operator_destroy(&body->layout);
  space_destroy(&body->space);
  mesh_destroy(&body->mesh);
  free(body->nodal);
}

// Data of a CPU version of the GPU's assembly globalnz. It stores the records of only one chunk.
typedef struct Counterpart {
  const Body *body;
  NodePairs pairs;
  int chunk_cells;
  // Records of the cells of a chunk: vectors [chunk_cells][dof], and matrices [chunk_cells][matrix], with `matrix` the
  // number of entries in the upper triangle of an element matrix.
  real *vectors, *matrices;
  real *F, *values;  // [n] and [layout.value_count], output: the sums of all chunks so far
} Counterpart;

static void evaluate_chunk(const Counterpart *t, int first, int count) {
  const Body *b = t->body;
  const int dof = 3 * b->row->nodes, matrix = dof * (dof + 1) / 2;
  for (int k = 0; k < count; k++) {
    real own[DOF_MAX];
    for (int d = 0; d < dof; d++) own[d] = b->nodal[3 * space_cell(&b->space, first + k)[d / 3] + d % 3];
    assert_true(b->row->evaluate(&b->space, own, first + k, parameters.material, t->vectors + (size_t)k * dof,
                                 t->matrices + (size_t)k * matrix) > 0);
  }
}

// Sums the off-diagonal blocks of one chunk along its lists, and writes the sums to t->values. An item of a list that
// is `carry` or larger stands for the sum of earlier chunks. add_nodes does this for diagonal blocks and F.
static void add_pairs(const Counterpart *t, const ChunkLists *lists, int chunk, int block_targets) {
  const int nodes = t->body->row->nodes, dof = 3 * nodes, matrix = dof * (dof + 1) / 2;
  const int carry = chunk_carry(nodes * nodes, t->chunk_cells);
  for (int list = lists->block_start[chunk] * block_targets; list < lists->block_start[chunk + 1] * block_targets;
       list++) {
    real sum[9] = { 0 };
    if (lists->target[list] < 0) continue;
    const BlockSlots *slots = t->pairs.slots[lists->target[list]];
    for (int64_t k = lists->item_start[list]; k < lists->item_start[list + 1]; k++) {
      const int source = lists->item[k], e = source / (nodes * nodes);
      if (source >= carry) assert_int_equal(source - carry, list % block_targets);
      for (int v = 0; v < 9; v++)
        sum[v] +=
            source >= carry
                ? t->values[block_slot(slots[0], v / 3, v % 3)]
                : t->matrices[(size_t)e * matrix + (size_t)symmetric_index(dof, 3 * (source / nodes % nodes) + v / 3,
                                                                           3 * (source % nodes) + v % 3)];
    }
    for (int v = 0; v < 9; v++) {
      t->values[block_slot(slots[0], v / 3, v % 3)] = sum[v];
      t->values[block_slot(slots[1], v % 3, v / 3)] = sum[v];
    }
  }
}

static void add_nodes(const Counterpart *t, const ChunkLists *lists, int chunk, int block_targets) {
  const int nodes = t->body->row->nodes, dof = 3 * nodes, matrix = dof * (dof + 1) / 2;
  const int carry = chunk_carry(nodes, t->chunk_cells);
  for (int list = lists->block_start[chunk] * block_targets; list < lists->block_start[chunk + 1] * block_targets;
       list++) {
    const int node = lists->target[list];
    real sum[12] = { 0 };
    if (node < 0) continue;
    for (int64_t k = lists->item_start[list]; k < lists->item_start[list + 1]; k++) {
      const int source = lists->item[k], e = source / nodes, a = source % nodes;
      for (int v = 0; v < 9; v++)
        sum[v] += source >= carry
                      ? t->values[block_slot(t->pairs.diagonal_slots[node], v / 3, v % 3)]
                      : t->matrices[(size_t)e * matrix + (size_t)symmetric_index(dof, 3 * a + v / 3, 3 * a + v % 3)];
      for (int i = 0; i < 3; i++)
        sum[9 + i] += source >= carry ? t->F[3 * node + i] : t->vectors[(size_t)e * dof + 3 * a + i];
    }
    for (int v = 0; v < 9; v++) t->values[block_slot(t->pairs.diagonal_slots[node], v / 3, v % 3)] = sum[v];
    for (int i = 0; i < 3; i++) t->F[3 * node + i] = sum[9 + i];
  }
}

// Assembles F [n] and the matrix values by chunks of `chunk_cells` cells; the caller frees both. block_targets: lists
// per thread block, as on a GPU. Returns the number of lists of terms that continue from one chunk to the next.
static int64_t assemble_in_chunks(const Body *body, int chunk_cells, int block_targets, real **F, real **values) {
  const int nodes = body->row->nodes, dof = 3 * nodes, cells = body->space.cell_count;
  const size_t entries = (size_t)body->layout.value_count, matrix = (size_t)dof * (size_t)(dof + 1) / 2;
  Error error = { 0 };
  ChunkLists pairs, own;
  Counterpart t = { .body = body, .chunk_cells = chunk_cells };
  MUST(node_pairs_create(&t.pairs, &body->space, &body->layout, &error));
  MUST(chunk_lists_create(&pairs, t.pairs.start[body->space.node_count], t.pairs.tet_start, t.pairs.source,
                          nodes * nodes, cells, chunk_cells, block_targets, &error));
  MUST(chunk_lists_create(&own, body->space.node_count, t.pairs.node_start, t.pairs.node_source, nodes, cells,
                          chunk_cells, block_targets, &error));
  t.vectors = malloc(sizeof(real) * (size_t)chunk_cells * (size_t)dof);
  t.matrices = malloc(sizeof(real) * (size_t)chunk_cells * matrix);

  // Fill all arrays with NaN, so that the use of a number that was not written changes the result.
  t.F = malloc(sizeof(real) * (size_t)body->n);
  t.values = malloc(sizeof(real) * entries);
  for (int i = 0; i < body->n; i++) t.F[i] = (real)NAN;
  for (size_t k = 0; k < entries; k++) t.values[k] = (real)NAN;
  for (int chunk = 0; chunk * chunk_cells < cells; chunk++) {
    const int first = chunk * chunk_cells, left = cells - first;
    for (size_t k = 0; k < (size_t)chunk_cells * matrix; k++) t.matrices[k] = (real)NAN;
    for (int k = 0; k < chunk_cells * dof; k++) t.vectors[k] = (real)NAN;
    evaluate_chunk(&t, first, left < chunk_cells ? left : chunk_cells);
    add_pairs(&t, &pairs, chunk, block_targets);
    add_nodes(&t, &own, chunk, block_targets);
  }

  const int64_t carried = pairs.carried + own.carried;
  chunk_lists_destroy(&pairs);
  chunk_lists_destroy(&own);
  node_pairs_destroy(&t.pairs);
  free(t.vectors);
  free(t.matrices);
  *F = t.F;
  *values = t.values;
  return carried;
}

// Adds element vectors and matrices cell after cell in double, without chunks or tables.
static void sum_plainly(const Body *body, double *F, double *values) {
  const int nodes = body->row->nodes, dof = 3 * nodes;
  const Adjacency *graph = &body->space.graph;
  for (int e = 0; e < body->space.cell_count; e++) {
    const int *node = space_cell(&body->space, e);
    real own[DOF_MAX], F_e[DOF_MAX], A_e[MATRIX_MAX];
    for (int d = 0; d < dof; d++) own[d] = body->nodal[3 * node[d / 3] + d % 3];
    body->row->evaluate(&body->space, own, e, parameters.material, F_e, A_e);
    for (int r = 0; r < dof; r++) {
      F[3 * node[r / 3] + r % 3] += (double)F_e[r];
      for (int c = 0; c < dof; c++) {
        const int64_t pair = adjacency_find(graph, node[r / 3], node[c / 3]);
        values[operator_slot(&body->layout, node[r / 3], pair, r % 3, c % 3)] +=
            (double)A_e[symmetric_index(dof, r, c)];
      }
    }
  }
}

static double difference_of(const real *a, const double *b, int64_t count) {
  double *wide = malloc(sizeof *wide * (size_t)count);
  for (int64_t k = 0; k < count; k++) wide[k] = (double)a[k];
  const double difference = relative_l2(wide, b, count);
  free(wide);
  return difference;
}

static void chunks_on_the_cpu_have_the_bits_of_the_whole(void **state) {
  (void)state;
  static const char *const shapes[] = { "tet4", "tet10", "hex8" };
  int bodies = 0;
  for (int shape = 0; shape < 3; shape++)
    for (int shuffled = 0; shuffled < 2; shuffled++) {
      Body body;
      if (!body_create(&body, shapes[shape], shape == 1 ? 3 : 4, shuffled)) continue;
      const int cells = body.space.cell_count;
      const int64_t entries = body.layout.value_count;
      const int sizes[] = { cells / 2 + 1, 64, 7, 1 };
      real *F, *values;
      double *F_plain = calloc((size_t)body.n, sizeof *F_plain), *plain = calloc((size_t)entries, sizeof *plain);
      assert_int_equal(assemble_in_chunks(&body, cells, 96, &F, &values), 0);
      sum_plainly(&body, F_plain, plain);

      // relative rounding error of sums of about 30 terms
      const double tolerance = sizeof(real) == sizeof(float) ? 3e-7 : 1e-14;
      assert_true(difference_of(F, F_plain, body.n) < 10 * tolerance);  // the terms of F nearly cancel
      assert_true(difference_of(values, plain, entries) < tolerance);
      for (int k = 0; k < 4; k++) {
        real *F_again, *again;
        assert_true(assemble_in_chunks(&body, sizes[k], k % 2 ? 32 : 5, &F_again, &again) > 0);
        assert_memory_equal(F, F_again, sizeof *F * (size_t)body.n);
        assert_memory_equal(values, again, sizeof *values * (size_t)entries);
        free(F_again);
        free(again);
      }
      free(F);
      free(values);
      free(F_plain);
      free(plain);
      body_destroy(&body);
      bodies++;
    }
  assert_true(bodies > 0);
}

// Computes each sum by adding its terms along its list, in the order of the list.
static void sum_entries(const EntryLists *lists, const real *terms, real *sums) {
  for (int t = 0; t < lists->count; t++) {
    sums[t] = 0;
    for (int64_t s = lists->start[t]; s < lists->start[t + 1]; s++) sums[t] += terms[lists->source[s]];
  }
}

// Assembles F and the matrix in one format by lists of single entries. The sums must have the same bits as F and
// `values`, which were summed block by block in the format csr. Values that only fill up short rows must have no terms.
static void check_entries(const Body *body, const char *format, const real *F, const real *values) {
  const int nodes = body->row->nodes, dof = 3 * nodes, stride = dof * (dof + 1) / 2 + 5;
  const Adjacency *graph = &body->space.graph;
  Error error = { 0 };
  Operator A;
  EntryLists matrix, vector;
  const Stage *f = stage_find(STAGE_OPERATOR, format, DEVICE_CPU, REAL_PRECISION, NULL);
  MUST(operator_create(&A, (const OperatorMethod *)f, &body->space, &error));
  MUST(matrix_entry_lists_create(&matrix, &body->space, &A, stride, &error));
  MUST(vector_entry_lists_create(&vector, &body->space, &error));
  assert_int_equal(matrix.count, A.value_count);
  assert_int_equal(vector.count, body->n);

  // Numbers between two element matrices are NaN, so that the use of one changes the result.
  real *matrices = malloc(sizeof(real) * (size_t)stride * (size_t)body->space.cell_count);
  real *vectors = malloc(sizeof(real) * (size_t)dof * (size_t)body->space.cell_count);
  for (int64_t k = 0; k < (int64_t)stride * body->space.cell_count; k++) matrices[k] = (real)NAN;
  for (int e = 0; e < body->space.cell_count; e++) {
    real own[DOF_MAX];
    for (int d = 0; d < dof; d++) own[d] = body->nodal[3 * space_cell(&body->space, e)[d / 3] + d % 3];
    body->row->evaluate(&body->space, own, e, parameters.material, vectors + (size_t)e * (size_t)dof,
                        matrices + (size_t)e * (size_t)stride);
  }

  real *sums = malloc(sizeof(real) * (size_t)A.value_count), *F_sums = malloc(sizeof(real) * (size_t)body->n);
  sum_entries(&matrix, matrices, sums);
  sum_entries(&vector, vectors, F_sums);
  assert_memory_equal(F, F_sums, sizeof(real) * (size_t)body->n);
  for (int a = 0; a < body->space.node_count; a++)
    for (int64_t pair = graph->start[a]; pair < graph->start[a + 1]; pair++)
      for (int v = 0; v < 9; v++)
        assert_true(sums[operator_slot(&A, a, pair, v / 3, v % 3)] ==
                    values[operator_slot(&body->layout, a, pair, v / 3, v % 3)]);
  int64_t filled = 0;
  for (int t = 0; t < matrix.count; t++) filled += matrix.start[t + 1] > matrix.start[t];
  assert_int_equal(filled, 9 * space_pairs(&body->space));

  // the lists of one half of the entries give both halves
  int(*slots)[2];
  EntryLists half;
  MUST(symmetric_entry_lists_create(&half, &slots, &body->space, &A, stride, &error));
  assert_int_equal(2 * half.count, filled + body->n);
  real *half_sums = malloc(sizeof(real) * (size_t)half.count), *whole = calloc((size_t)A.value_count, sizeof *whole);
  sum_entries(&half, matrices, half_sums);
  for (int t = 0; t < half.count; t++) {
    assert_true(t == 0 || slots[t][0] > slots[t - 1][0]);
    whole[slots[t][0]] = whole[slots[t][1]] = half_sums[t];
  }
  assert_memory_equal(whole, sums, sizeof *whole * (size_t)A.value_count);
  free(slots);
  free(half_sums);
  free(whole);
  entry_lists_destroy(&half);
  free(matrices);
  free(vectors);
  free(sums);
  free(F_sums);
  entry_lists_destroy(&matrix);
  entry_lists_destroy(&vector);
  operator_destroy(&A);
}

// The three formats differ in the order of entries: csr stores all entries row by row. dhyb stores the diagonal first,
// and fills up short rows. ell fills up short rows of blocks.
static void lists_of_entries_have_the_bits_of_lists_of_blocks(void **state) {
  (void)state;
  static const char *const shapes[] = { "tet4", "tet10" }, *const formats[] = { "csr", "dhyb", "ell" };
  int bodies = 0;
  for (int shape = 0; shape < 2; shape++) {
    Body body;
    real *F, *values;
    if (!body_create(&body, shapes[shape], 3, shape == 1)) continue;
    assemble_in_chunks(&body, body.space.cell_count, 96, &F, &values);
    for (int k = 0; k < 3; k++) check_entries(&body, formats[k], F, values);
    free(F);
    free(values);
    body_destroy(&body);
    bodies++;
  }
  assert_true(bodies > 0);
}

static void chunks_keep_to_the_budget(void **state) {
  (void)state;
  const double record = 432;
  Error error = { 0 };
  assert_int_equal(record_chunk_cells(1000, 64, 1, record, 0, &error), 1000);
  assert_int_equal(record_chunk_cells(1000, 64, 1, record, 1000 * record, &error), 1000);
  assert_int_equal(record_chunk_cells(50, 64, 1, record, 49 * record, &error), 0);
  assert_non_null(strstr(error.message, "the smallest group of 50 cells needs 0.0216 MB"));
  error = (Error){ 0 };
  assert_int_equal(record_chunk_cells(1000, 64, 1, record, 64 * record - 1, &error), 0);
  assert_non_null(strstr(error.message, "the smallest group of 64 cells needs 0.0277 MB"));

  // The budget that the message names is large enough.
  assert_int_equal(record_chunk_cells(1000, 64, 1, record, 0.0277e6, &error), 64);
  for (int cells = 65; cells < 3000; cells += 37)
    for (double budget = 64 * record; budget < cells * record; budget *= 1.3) {
      const int chunk = record_chunk_cells(cells, 64, 1, record, budget, &error), chunks = (cells - 1) / chunk + 1;
      assert_true(chunk > 0 && chunk % 64 == 0 && chunk * record <= budget);

      // `chunks` must be the smallest number for which the records of a single chunk fit into the budget
      const int fit = (int)(budget / (64 * record)) * 64;
      assert_int_equal(chunks, (cells - 1) / fit + 1);
    }

  // A device runs 6 thread blocks of 64 cells at a time (a wave), so 40 thread blocks need at least 7 waves. If the
  // budget suffices for the records of 11 or 39 thread blocks, a chunk has one wave of 6. If it suffices for 5, a chunk
  // has 5.
  assert_int_equal(record_chunk_cells(40 * 64, 64, 6, record, 11 * 64 * record, &error), 6 * 64);
  assert_int_equal(record_chunk_cells(40 * 64, 64, 6, record, 39 * 64 * record, &error), 6 * 64);
  assert_int_equal(record_chunk_cells(40 * 64, 64, 6, record, 5 * 64 * record, &error), 5 * 64);

  // 36 thread blocks need 6 waves, also if they are divided into two chunks of 18
  assert_int_equal(record_chunk_cells(36 * 64, 64, 6, record, 18 * 64 * record, &error), 18 * 64);
}

// Results of an assembly on the GPU: the vector F, the matrix values, and min_J, the smallest det F. `alone` is the
// vector F of a run that computes no matrix.
typedef struct Result {
  real *F, *alone, *values, *min_J;
  int64_t value_count;
  int min_J_count;
  size_t taken;  // bytes of GPU memory
} Result;

static Result assemble_on_device(const Body *body, const AssemblyMethod *method, const Operator *A, double budget) {
  Error error = { 0 };
  Assembly assembly;
  Stream stream;
  const size_t F_bytes = sizeof(real) * (size_t)body->n, bytes = sizeof(real) * (size_t)A->value_count;
  const size_t before = device_memory_taken(DEVICE_CUDA);
  MUST(assembly_create(&assembly, method, &body->space, A, PARTITION_GREEDY, budget, &error));
  Result r = { .value_count = A->value_count, .min_J_count = assembly.min_J_count };
  r.taken = device_memory_taken(DEVICE_CUDA) - before;
  MUST(stream_create(DEVICE_CUDA, &stream, &error));
  void *nodal_dev = device_clone(DEVICE_CUDA, body->nodal, F_bytes, &error);
  void *F_dev = device_alloc(DEVICE_CUDA, F_bytes, &error), *values_dev = device_alloc(DEVICE_CUDA, bytes, &error);
  const size_t J_bytes = sizeof(real) * (size_t)r.min_J_count;
  r.F = malloc(F_bytes);
  r.alone = malloc(F_bytes);
  r.values = malloc(bytes);
  r.min_J = malloc(J_bytes);

  // The first run computes only the vector. It must not change the results of later runs.
  MUST(assembly_run(&assembly, &parameters, nodal_dev, F_dev, NULL, stream, &error));
  MUST(device_download(stream, r.alone, F_dev, F_bytes, &error) && stream_sync(stream, &error));
  for (int k = 0; k < 2; k++) MUST(assembly_run(&assembly, &parameters, nodal_dev, F_dev, values_dev, stream, &error));
  MUST(device_download(stream, r.F, F_dev, F_bytes, &error) &&
       device_download(stream, r.values, values_dev, bytes, &error) &&
       device_download(stream, r.min_J, assembly.min_J, J_bytes, &error) && stream_sync(stream, &error));
  device_free(DEVICE_CUDA, nodal_dev);
  device_free(DEVICE_CUDA, F_dev);
  device_free(DEVICE_CUDA, values_dev);
  stream_destroy(&stream);
  assembly_destroy(&assembly);
  return r;
}

static void result_destroy(Result *r) {
  free(r->F);
  free(r->alone);
  free(r->values);
  free(r->min_J);
}

// Tests every assembly with chunks, with three matrix formats: csr stores all entries, dcsr stores the diagonal first,
// and parts stores half of the blocks.
static void budgets_on_the_gpu_change_no_bit(void **state) {
  (void)state;
  static const char *const shapes[] = { "tet4", "tet10", "hex8" }, *const formats[] = { "csr", "dcsr", "parts" };
  Error error = { 0 };
  int compared = 0;
  for (int shape = 0; shape < 3; shape++)
    for (int format = 0; format < 3; format++) {
      Body body;
      if (!body_create(&body, shapes[shape], shape == 0 ? 10 : shape == 1 ? 6 : 12, format == 1)) continue;
      const char *element = body.row->element;
      const Stage *m = NULL, *f = stage_find(STAGE_OPERATOR, formats[format], DEVICE_CUDA, REAL_PRECISION, element);
      const StageSize size = { .nodes = body.space.node_count,
                               .cells = body.space.cell_count,
                               .node_dof = 3,
                               .cell_nodes = body.row->nodes,
                               .pairs = (double)(space_pairs(&body.space) - body.space.node_count) / 2,
                               .supplemental = body.row->supplemental };
      Operator A;
      MUST(operator_create(&A, (const OperatorMethod *)f, &body.space, &error));
      while ((m = stage_next(m, STAGE_ASSEMBLY, DEVICE_CUDA, REAL_PRECISION, element))) {
        const AssemblyMethod *method = (const AssemblyMethod *)m;
        if (!method->chunks) continue;
        Result whole = assemble_on_device(&body, method, &A, 0);
        const double all = m->bytes(m, &size).on[DEVICE_CUDA];

        // parts: memory budgets, as fractions of the bytes that all records need. growth: bounds on the memory besides
        // records, relative to its amount without a budget, since a budget also needs lists of chunks.
        const double parts[] = { 0.6, 0.25, 0.05 }, growth[] = { 1.2, 1.4, 2 };
        for (int k = 0; k < 3; k++) {
          StageSize bounded = size;
          bounded.budget = 1;  // too small for any record, so the estimate contains all memory except records
          const double records = all - m->bytes(m, &bounded).on[DEVICE_CUDA];
          bounded.budget = parts[k] * records;
          Result r = assemble_on_device(&body, method, &A, bounded.budget);
          const double estimate = m->bytes(m, &bounded).on[DEVICE_CUDA];
          printf(
              "  assembly %s of element %s, format %s, %d cells: uses %.2f MB with a budget of %.2f MB "
              "for %.2f MB of records; estimate %.2f MB\n",
              m->name, element, f->name, body.space.cell_count, 1e-6 * (double)r.taken, 1e-6 * bounded.budget,
              1e-6 * records, 1e-6 * estimate);
          assert_memory_equal(whole.values, r.values, sizeof(real) * (size_t)r.value_count);
          assert_memory_equal(whole.F, r.F, sizeof(real) * (size_t)body.n);
          assert_memory_equal(whole.F, r.alone, sizeof(real) * (size_t)body.n);
          assert_memory_equal(whole.min_J, r.min_J, sizeof(real) * (size_t)r.min_J_count);

          // Other memory includes lists that continue from chunk to chunk. With cells in random order (format 1),
          // nearly all lists continue, so memory is not tested.
          const double rest = (double)whole.taken - records;
          if (format != 1) assert_true((double)r.taken <= bounded.budget + growth[k] * rest);
          result_destroy(&r);
          compared++;
        }
        result_destroy(&whole);
        Assembly assembly;
        assert_false(assembly_create(&assembly, method, &body.space, &A, PARTITION_GREEDY, 1000, &error));
        printf("  %s\n", error.message);
        assert_non_null(strstr(error.message, "memory_budget is 0.001 MB, but the smallest group of 64 cells needs"));
        error = (Error){ 0 };
      }
      operator_destroy(&A);
      body_destroy(&body);
    }
  assert_true(compared > 0);
}

// Simulations compute displacements with the same bits for each memory budget.
static void a_body_moves_alike_under_any_budget(void **state) {
  (void)state;
  Error error = { 0 };
  TetMesh mesh = { 0 };
  MUST(mesh_make_box(6, 6, 6, (double[3]){ 1, 1, 1 }, &mesh, &error));
  const size_t bytes = 3 * (size_t)mesh.node_count * sizeof(double);
  SimulationSettings s = soft(DEVICE_CUDA, REAL_PRECISION);
  snprintf(s.assembly, sizeof s.assembly, "globalnz");
  double(*whole)[3] = run(&mesh, &s);
  for (int k = 0; k < 2; k++) {
    s.memory_budget = k ? 0.06 : 0.3;
    double(*u)[3] = run(&mesh, &s);
    assert_memory_equal(whole, u, bytes);
    free(u);
  }

  free(whole);

  // With a memory budget, an assembly without chunks is refused if the user names it. If the user names no assembly, an
  // assembly with chunks is chosen.
  Simulation *w;
  snprintf(s.assembly, sizeof s.assembly, "sharednz");
  assert_false(simulation_create(&w, &mesh, &s, NULL, &error));
  printf("  %s\n", error.message);
  assert_non_null(strstr(error.message, "choose --assembly globalnz"));
  error = (Error){ 0 };
  s.assembly[0] = '\0';
  MUST(simulation_create(&w, &mesh, &s, NULL, &error));
  assert_string_equal(simulation_settings(w)->assembly, "globalnz");
  simulation_destroy(w);

  // If the operator stores no matrix values, an assembly that can only sum such values is refused.
  s.memory_budget = 0;
  snprintf(s.assembly, sizeof s.assembly, "globalnz_entries");
  snprintf(s.matrix, sizeof s.matrix, "matrixfree");
  assert_false(simulation_create(&w, &mesh, &s, NULL, &error));
  printf("  %s\n", error.message);
  assert_non_null(strstr(error.message, "matrix format \"matrixfree\" stores none"));
  mesh_destroy(&mesh);
}

int main(int count, char **words) {
  const struct CMUnitTest on_cpu[] = {
    cmocka_unit_test(chunks_keep_to_the_budget),
    cmocka_unit_test(chunks_on_the_cpu_have_the_bits_of_the_whole),
    cmocka_unit_test(lists_of_entries_have_the_bits_of_lists_of_blocks),
  };
  const struct CMUnitTest on_gpu[] = {
    cmocka_unit_test(budgets_on_the_gpu_change_no_bit),
    cmocka_unit_test(a_body_moves_alike_under_any_budget),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return device == DEVICE_CPU ? cmocka_run_group_tests(on_cpu, NULL, NULL) : cmocka_run_group_tests(on_gpu, NULL, NULL);
}
