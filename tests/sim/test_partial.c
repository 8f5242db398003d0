// Operators without a matrix against the assembled one, for every shape and material: products, own blocks, diagonal
// and the sums x.y, at random deformed states with a random shift; the same bits again. argv[1]: the device.
#include "sim_testing.h"

#include "mesh/grid.h"
#include "mesh/quadratic.h"
#include "sim/assembly/assembly.h"
#include "sim/element/element_row.h"
#include "sim/operator/cell_batches.h"

static Device device;

// a box of deformed cells whose numbers are the same in float
typedef struct Deformed {
  TetMesh mesh;
  Space space;
  AssemblyParameters parameters;
  double *nodal, *x, *shift;  // [n], [n], [n + 3 nodes]
} Deformed;

static double rounded(double value) {
  return ldexp(nearbyint(ldexp(value, 20)), -20);
}

static Deformed deformed(const ElementRow *row, int cells) {
  Error error = { 0 };
  Deformed d = { .parameters = { { 4000, 6000, 0.25 }, 0.5, 0.25 } };
  uint64_t seed = 11;
  const Grid grid = {
    .shape = CELL_HEX8, .cells = { cells, cells, cells }, .size = { 0.5, 0.5, 0.5 }, .distort = 0.1, .seed = 2
  };
  CellMesh hexes = { 0 };
  if (row->nodes == 8)
    MUST(grid_make(&grid, &hexes, &error) && cell_mesh_to_body(&hexes, &d.mesh, &error));
  else
    MUST(mesh_make_box(cells, cells, cells, (const double[3]){ 0.5, 0.5, 0.5 }, &d.mesh, &error));
  if (row->nodes == 10) MUST(mesh_raise(&d.mesh, &error));
  if (strstr(row->element, "graded") || row->nodes > 4) {
    d.mesh.stiffness = malloc(sizeof *d.mesh.stiffness * (size_t)d.mesh.tet_count);
    for (int e = 0; e < d.mesh.tet_count; e++) d.mesh.stiffness[e] = 1 + e % 5;
  }
  if (strstr(row->element, "mixed")) {
    d.mesh.ratio = malloc(sizeof *d.mesh.ratio * (size_t)d.mesh.tet_count);
    for (int e = 0; e < d.mesh.tet_count; e++) d.mesh.ratio[e] = e % 3 ? 0.5 + e % 4 : NAN;
  }
  MUST(space_create(&d.space, &d.mesh, 3, &error));
  const int n = space_dof(&d.space), crosses = 3 * d.space.node_count;
  d.nodal = malloc(sizeof *d.nodal * (size_t)n), d.x = malloc(sizeof *d.x * (size_t)n);
  d.shift = malloc(sizeof *d.shift * (size_t)(n + crosses));
  const double h = 0.5 / cells / (row->nodes == 10 ? 2 : 1);
  for (int i = 0; i < n; i++) {
    d.nodal[i] = rounded(0.1 * h * random_unit(&seed)) + (row->positions ? d.space.X[i / 3][i % 3] : 0);
    d.x[i] = rounded(random_unit(&seed));
  }
  for (int i = 0; i < n + crosses; i++) d.shift[i] = rounded(100 * random_unit(&seed));
  return d;
}

static void deformed_destroy(Deformed *d) {
  space_destroy(&d->space);
  mesh_destroy(&d->mesh);
  free(d->nodal), free(d->x), free(d->shift);
}

static void *put(Device to, Precision precision, const double *values, int64_t count) {
  Error error = { 0 };
  float *single = malloc(sizeof *single * (size_t)(count + 1));
  for (int64_t k = 0; k < count; k++) single[k] = (float)values[k];
  void *memory = device_clone(to, precision == PRECISION_F64 ? (const void *)values : single,
                              (size_t)count * precision_size(precision), &error);
  if (!memory) fail_msg("%s", error.message);
  free(single);
  return memory;
}

static double *get(Stream stream, Precision precision, const void *memory, int64_t count) {
  Error error = { 0 };
  double *values = malloc(sizeof *values * (size_t)count);
  float *single = malloc(sizeof *single * (size_t)count);
  MUST(device_download(stream, precision == PRECISION_F64 ? (void *)values : single, memory,
                       (size_t)count * precision_size(precision), &error));
  MUST(stream_sync(stream, &error));
  for (int64_t k = 0; precision == PRECISION_F32 && k < count; k++) values[k] = single[k];
  free(single);
  return values;
}

// what an operator makes of a deformed body
typedef struct Result {
  double *y, *blocks, *diagonal, dot;
} Result;

static Result result_of(const Deformed *d, const OperatorMethod *method, const AssemblyMethod *method_of_values) {
  Error error = { 0 };
  Result r = { 0 };
  Operator A;
  Stream stream;
  const Device on = method->stage.device;
  const Precision precision = method->stage.precision;
  const int n = space_dof(&d->space), nodes = d->space.node_count;
  MUST(stream_create(on, &stream, &error));
  MUST(operator_create(&A, method, &d->space, &error));
  void *nodal = put(on, precision, d->nodal, n), *x = put(on, precision, d->x, n), *y = put(on, precision, d->x, n),
       *shift = put(on, precision, d->shift, n + 3 * nodes), *diagonal = put(on, precision, d->x, n),
       *dots = device_alloc(on, sizeof(double) * (size_t)A.dot_count, &error);
  if (operator_stores(&A)) {
    Assembly assembly;
    MUST(assembly_create(&assembly, method_of_values, &d->space, &A, PARTITION_GREEDY, &error));
    MUST(assembly_run(&assembly, &d->parameters, nodal, y, A.values, stream, &error));
    assembly_destroy(&assembly);
  } else {
    MUST(operator_linearise(&A, &d->parameters, nodal, stream, &error));
  }
  MUST(operator_shift(&A, shift, 3, diagonal, NULL, stream, &error));
  MUST(operator_apply(&A, x, y, dots, stream, &error));
  double *sums = get(stream, PRECISION_F64, dots, A.dot_count);
  for (int k = 0; k < A.dot_count; k++) r.dot += sums[k];
  r.y = get(stream, precision, y, n);
  r.blocks = get(stream, precision, A.blocks, 9 * (int64_t)nodes);
  r.diagonal = get(stream, precision, diagonal, n);
  free(sums);
  device_free(on, nodal), device_free(on, x), device_free(on, y), device_free(on, shift);
  device_free(on, diagonal), device_free(on, dots);
  operator_destroy(&A);
  stream_destroy(&stream);
  return r;
}

static void result_destroy(Result *r) {
  free(r->y), free(r->blocks), free(r->diagonal);
}

// more cells than one block of threads takes, and no multiple
static void products_are_those_of_the_assembled_matrix(void **state) {
  (void)state;
  int count = 0;
  for (const Stage *const *s = stage_list; *s; s++) {
    if ((*s)->kind != STAGE_OPERATOR || (*s)->device != device || !((const OperatorMethod *)*s)->linearise) continue;
    const ElementRow *row = element_named((*s)->element);
    if (!row) continue;  // of no solid
    const bool single = (*s)->precision == PRECISION_F32;
    Deformed d = deformed(row, row->nodes == 10 ? 3 : 4);
    const Stage *plain = stage_find(STAGE_ASSEMBLY, "cpu", DEVICE_CPU, PRECISION_F64, (*s)->element);
    const Stage *matrix = stage_find(STAGE_OPERATOR, "dcsr", DEVICE_CPU, PRECISION_F64, NULL);
    Result expected = result_of(&d, (const OperatorMethod *)matrix, (const AssemblyMethod *)plain);
    Result got = result_of(&d, (const OperatorMethod *)*s, NULL),
           again = result_of(&d, (const OperatorMethod *)*s, NULL);
    const int n = space_dof(&d.space);
    const double y = relative_l2(got.y, expected.y, n), blocks = relative_l2(got.blocks, expected.blocks, 3 * n);
    const double tolerance = single ? 3e-7 : 1e-13;  // of some tens of terms, and of S(e)
    if (!(y <= tolerance && blocks <= tolerance))
      fail_msg("%s of %s: product %.1e, own blocks %.1e", stage_label((*s)->name, device, (*s)->precision),
               (*s)->element, y, blocks);
    printf("  %s of %s: product %.1e, own blocks %.1e\n", stage_label((*s)->name, device, (*s)->precision),
           (*s)->element, y, blocks);
    double dot = 0, size = 0;
    for (int i = 0; i < n; i++) {
      assert_true(got.diagonal[i] == got.blocks[9 * (i / 3) + 4 * (i % 3)]);
      dot += d.x[i] * got.y[i], size += fabs(d.x[i] * got.y[i]);
    }
    assert_true(fabs(got.dot - dot) <= 1e-12 * size);
    assert_memory_equal(got.y, again.y, sizeof *got.y * (size_t)n);
    assert_memory_equal(got.blocks, again.blocks, sizeof *got.blocks * 3 * (size_t)n);
    result_destroy(&expected), result_destroy(&got), result_destroy(&again);
    deformed_destroy(&d);
    count++;
  }
  assert_true(count >= 4);
}

// adding up by slots, then by nodes, is adding up by corners: each of them once
static void batches_have_every_corner_once(void **state) {
  (void)state;
  for (int quadratic = 0; quadratic < 2; quadratic++) {
    Error error = { 0 };
    CellBatches b;
    const ElementRow *row = element_row(quadratic ? "tet10" : "tet4", NULL, DEVICE_CPU, PRECISION_F64);
    Deformed d = deformed(row, 4);
    const int nodes = d.space.cell_nodes;
    MUST(cell_batches_create(&b, &d.space, DEVICE_CPU, &error));
    int *met = calloc((size_t)(d.space.cell_count * nodes), sizeof *met), cells = 0, slots = 0;
    for (int a = 0; a < d.space.node_count; a++) {
      assert_int_equal(b.node[a].count, b.node_start[a + 1] - b.node_start[a]);
      for (int k = 0; k < SLOTS_AT_HAND && k < b.node[a].count; k++)
        assert_int_equal(b.node[a].slot[k], b.node_slot[b.node_start[a] + k]);
      for (int k = b.node_start[a]; k < b.node_start[a + 1]; k++) {
        const int slot = b.node_slot[k];
        int batch = 0;
        while (b.slot_start[batch + 1] <= slot) batch++;
        assert_int_equal(b.slot_node[slot], a);
        assert_true(k == b.node_start[a] || b.node_slot[k - 1] < slot);
        for (int c = b.list_start[slot + batch]; c < b.list_start[slot + batch + 1]; c++) {
          const int corner = b.corner[batch * nodes * BATCH_CELLS + c], local = corner / BATCH_CELLS;
          const int e = b.cell[batch * BATCH_CELLS + corner % BATCH_CELLS];
          assert_int_equal(space_cell(&d.space, e)[local], a);
          assert_int_equal(b.slot_start[batch] + b.local[batch * nodes * BATCH_CELLS + corner], slot);
          met[e * nodes + local]++;
        }
        slots++;
      }
    }
    for (int k = 0; k < d.space.cell_count * nodes; k++) assert_int_equal(met[k], 1);
    for (int at = 0; at < b.batch_count * BATCH_CELLS; at++) {
      const int first = at / BATCH_CELLS * nodes * BATCH_CELLS + at % BATCH_CELLS;
      cells += b.cell[at] >= 0;
      for (int a = 0; a < nodes; a++)
        assert_true((b.local[first + a * BATCH_CELLS] == BATCH_NO_CELL) == (b.cell[at] < 0));
    }
    assert_int_equal(cells, d.space.cell_count);
    assert_int_equal(slots, b.slot_count);
    printf("  %d cells of %d nodes: %.2f slots each\n", cells, nodes, slots / (double)cells);
    free(met);
    cell_batches_destroy(&b, DEVICE_CPU);
    deformed_destroy(&d);
  }
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(batches_have_every_corner_once),
    cmocka_unit_test(products_are_those_of_the_assembled_matrix),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  return cmocka_run_group_tests_name("partial", tests, NULL, NULL);
}
