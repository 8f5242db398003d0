// Tests operators that store no matrix, for every shape and material. Their products y = A x and diagonal blocks are
// compared with those of the assembled matrix A, and the matrix P^T A P of corners with products. The diagonal must be
// that of the blocks, and x.y that of x and y. The assemblies that prepare the products are compared with a simple one.
// A second run must have the same bits. Also tests the lists of cell batches. argv[1]: the device; argv[2]: a pattern
// for the names of the tests to run.
#include "../sim_testing.h"

#include "mesh/grid.h"
#include "mesh/quadratic.h"
#include "sim/assembly/assembly.h"
#include "sim/element/element_row.h"
#include "sim/operator/corner_matrix.h"
#include "sim/element/cell_batches.h"
#include "sim/solver/multigrid/corner_space.h"

enum { SHAPES = 4 };
static const char *const shapes[SHAPES] = { "tet4", "tet10", "tet20", "hex8" };
static Device device;

// Input of the tests: a deformed box with n unknowns, 3 for each node. Displacements and x are exact in float.
typedef struct Deformed {
  TetMesh mesh;
  Space space;
  AssemblyParameters parameters;
  // nodal [n]: displacements, or positions if the element expects these, m. x [n]: the vector that A multiplies. shift:
  // numbers that operator_shift adds to the diagonal blocks of A. The first n are for the diagonal of A; then follow
  // three for each node, for the entries (x, y), (x, z) and (y, z) of its block, and the mirrored entries.
  double *nodal, *x, *shift;
} Deformed;

// Rounds to a multiple of 2^-20.
static double rounded(double value) {
  return ldexp(nearbyint(ldexp(value, 20)), -20);
}

// Returns the number of hexes, or of boxes of six tets, along an edge of the box. The box then has several batches of
// cells (cell_batches.h), except with a sanitizer, with which cells of many nodes are slow.
static int cells_along(const ElementRow *row) {
#ifdef __SANITIZE_ADDRESS__
  if (row->nodes > 4) return row->nodes == 8 ? 3 : 2;
#endif
  return row->nodes == 8 ? 5 : row->nodes > 4 ? 3 : 4;
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
  if (row->nodes >= 10) MUST(mesh_raise(&d.mesh, row->nodes == 10 ? 2 : 3, &error));
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
  d.nodal = malloc(sizeof *d.nodal * (size_t)n);
  d.x = malloc(sizeof *d.x * (size_t)n);
  d.shift = malloc(sizeof *d.shift * (size_t)(n + crosses));
  const double h = 0.5 / cells / (row->nodes == 10 ? 2 : row->nodes == 20 ? 8 : 1);
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
  free(d->nodal);
  free(d->x);
  free(d->shift);
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

// Results of an operator with the shift: y = A x [n], the diagonal blocks [nodes][3][3] and the diagonal [n] of A, and
// `dot`, the scalar product x.y.
typedef struct Result {
  double *y, *blocks, *diagonal, dot;
} Result;

// Computes the results of an operator. If the operator stores a matrix, `method_of_values` assembles the matrix;
// otherwise it is not used.
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
    MUST(assembly_create(&assembly, method_of_values, &d->space, &A, PARTITION_GREEDY, 0, &error));
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
  device_free(on, nodal);
  device_free(on, x);
  device_free(on, y);
  device_free(on, shift);
  device_free(on, diagonal);
  device_free(on, dots);
  operator_destroy(&A);
  stream_destroy(&stream);
  return r;
}

static void result_destroy(Result *r) {
  free(r->y);
  free(r->blocks);
  free(r->diagonal);
}

// Products and diagonal blocks of each operator without a matrix must be those of the assembled matrix. The diagonal
// must be that of the operator's own blocks, and x.y that of its own y. The mesh needs several thread blocks of a GPU.
static void products_are_those_of_the_assembled_matrix(void **state) {
  (void)state;
  int count = 0;
  for (const Stage *s = NULL; (s = stage_after(s));) {
    if (s->kind != STAGE_OPERATOR || s->device != device || !((const OperatorMethod *)s)->linearise) continue;
    const ElementRow *row = element_named(s->element);
    if (!row) continue;  // skips operators for elements of another equation
    const bool single = s->precision == PRECISION_F32;
#ifdef __SANITIZE_ADDRESS__
    // Builds with a sanitizer compile the float code of all other elements without the sanitizer (src/meson.build), so
    // a test of this code would find nothing new.
    if (single && strcmp(s->element, "tet4_neo_hookean") != 0) continue;
#endif
    Deformed d = deformed(row, cells_along(row));
    const Stage *plain = stage_find(STAGE_ASSEMBLY, "cpu", DEVICE_CPU, PRECISION_F64, s->element);
    const Stage *matrix = stage_find(STAGE_OPERATOR, "dcsr", DEVICE_CPU, PRECISION_F64, NULL);
    Result expected = result_of(&d, (const OperatorMethod *)matrix, (const AssemblyMethod *)plain);
    Result got = result_of(&d, (const OperatorMethod *)s, NULL), again = result_of(&d, (const OperatorMethod *)s, NULL);
    const int n = space_dof(&d.space);
    const double y = relative_l2(got.y, expected.y, n), blocks = relative_l2(got.blocks, expected.blocks, 3 * n);

    // the tolerance allows for rounding of sums of some tens of terms, and of S(e), the shape constants of a cell
    const double tolerance = single ? 3e-7 : 1e-13;
    if (!(y <= tolerance && blocks <= tolerance))
      fail_msg("%s of %s: relative errors: product %.1e, diagonal blocks %.1e",
               stage_label(s->name, device, s->precision), s->element, y, blocks);
    printf("  %s of %s: relative errors: product %.1e, diagonal blocks %.1e\n",
           stage_label(s->name, device, s->precision), s->element, y, blocks);
    double dot = 0, size = 0;
    for (int i = 0; i < n; i++) {
      assert_true(got.diagonal[i] == got.blocks[9 * (i / 3) + 4 * (i % 3)]);
      dot += d.x[i] * got.y[i];
      size += fabs(d.x[i] * got.y[i]);
    }
    assert_true(fabs(got.dot - dot) <= 1e-12 * size);
    assert_memory_equal(got.y, again.y, sizeof *got.y * (size_t)n);
    assert_memory_equal(got.blocks, again.blocks, sizeof *got.blocks * 3 * (size_t)n);
    result_destroy(&expected);
    result_destroy(&got);
    result_destroy(&again);
    deformed_destroy(&d);
    count++;
  }
  assert_true(count >= 4);
}

// Results of an assembly. F [n]: force vector. y [n]: product A x of the operator that the assembly prepares. J:
// smallest determinant of the deformation gradient of all cells.
typedef struct Assembled {
  double *F, *y, J;
} Assembled;

// Assembles the force vector. If `shifted` is true, the same run also prepares the operator, with the shift: it
// computes the values of the matrix or, if the operator stores none, the data from which it computes products. If
// `shifted` is false, no product is computed, and y is a copy of x.
static Assembled assembled(const Deformed *d, const AssemblyMethod *method, const char *matrix, bool shifted) {
  Error error = { 0 };
  Assembled r = { .J = HUGE_VAL };
  Operator A;
  Assembly assembly;
  Stream stream;
  const Device on = method->stage.device;
  const Precision precision = method->stage.precision;
  const int n = space_dof(&d->space), nodes = d->space.node_count;
  const Stage *format = stage_find(STAGE_OPERATOR, matrix, on, precision, method->stage.element);
  MUST(stream_create(on, &stream, &error));
  MUST(operator_create(&A, (const OperatorMethod *)format, &d->space, &error));
  MUST(assembly_create(&assembly, method, &d->space, &A, PARTITION_GREEDY, 0, &error));
  void *nodal = put(on, precision, d->nodal, n), *x = put(on, precision, d->x, n), *y = put(on, precision, d->x, n),
       *shift = put(on, precision, d->shift, n + 3 * nodes), *F = put(on, precision, d->x, n);
  const AssemblyShift all = { .shift = shift, .crosses = 3 };
  if (shifted)
    MUST(assembly_run_shifted(&assembly, &d->parameters, nodal, F, &A, &all, stream, &error) &&
         operator_apply(&A, x, y, NULL, stream, &error));
  else
    MUST(assembly_run(&assembly, &d->parameters, nodal, F, NULL, stream, &error));
  double *smallest = get(stream, precision, assembly.min_J, assembly.min_J_count);
  for (int k = 0; k < assembly.min_J_count; k++) r.J = fmin(r.J, smallest[k]);
  r.F = get(stream, precision, F, n);
  r.y = get(stream, precision, y, n);
  free(smallest);
  void *arrays[] = { nodal, x, y, shift, F };
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(on, arrays[k]);
  assembly_destroy(&assembly);
  operator_destroy(&A);
  stream_destroy(&stream);
  return r;
}

// The default assembly of an operator is compared with a simple assembly: force vector, smallest det F, and products. A
// second run, and a run for the force vector only, must have the same bits.
static void assemblies_prepare_the_products(void **state) {
  (void)state;
  const char *name = device == DEVICE_CUDA ? "partial" : "cpu_opt";
  int count = 0;
  for (const Stage *s = NULL; (s = stage_after(s));) {
    const AssemblyMethod *method = (const AssemblyMethod *)s;
    if (s->kind != STAGE_ASSEMBLY || s->device != device || strcmp(s->name, name) != 0) continue;
    const bool single = s->precision == PRECISION_F32;
    const ElementRow *row = element_named(s->element);
    if (!row) continue;  // skips assemblies for elements of another equation
    Deformed d = deformed(row, cells_along(row));
    const Stage *plain = stage_find(STAGE_ASSEMBLY, "cpu", DEVICE_CPU, PRECISION_F64, s->element);
    Assembled expected = assembled(&d, (const AssemblyMethod *)plain, "dcsr", true);
    Assembled got = assembled(&d, method, "partial", true), again = assembled(&d, method, "partial", true);
    Assembled vector = assembled(&d, method, "partial", false);
    const int n = space_dof(&d.space);
    const double F = relative_l2(got.F, expected.F, n), y = relative_l2(got.y, expected.y, n);
    const double J = fabs(got.J / expected.J - 1), tolerance = single ? 3e-7 : 1e-13;
    printf("  %s of %s: relative errors: vector %.1e, product %.1e, smallest J %.1e\n",
           stage_label(s->name, device, s->precision), s->element, F, y, J);

    // the bound for forces is wider, since strains lose digits if they are computed from positions (tet4_qr)
    if (!(F <= 4 * tolerance && y <= tolerance && J <= 4 * tolerance))
      fail_msg("the errors of assembly %s of %s above are too large", s->name, s->element);
    assert_memory_equal(got.F, again.F, sizeof *got.F * (size_t)n);
    assert_memory_equal(got.y, again.y, sizeof *got.y * (size_t)n);
    assert_memory_equal(got.F, vector.F, sizeof *got.F * (size_t)n);
    assert_true(got.J == again.J && got.J == vector.J);
    Assembled *all[] = { &expected, &got, &again, &vector };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
      free(all[k]->F);
      free(all[k]->y);
    }
    deformed_destroy(&d);
    count++;
  }
  assert_true(count >= 4);
}

// Computes x = P c. P interpolates values at the corners of cells, c [3 * corners], to all nodes, x [3 * nodes]. The
// next function computes c = P^T y.
static void prolong(const CornerSpace *s, int nodes, const double *c, double *x) {
  for (int row = 0; row < 3 * nodes; row++) {
    const int *parent = s->parent[row / 3];
    x[row] = (c[3 * parent[0] + row % 3] + c[3 * parent[1] + row % 3]) / 2;
  }
}

static void restrict_to_corners(const CornerSpace *s, int nodes, const double *y, double *c) {
  memset(c, 0, sizeof *c * 3 * (size_t)s->space.node_count);
  for (int row = 0; row < 3 * nodes; row++)
    for (int end = 0; end < 2; end++) c[3 * s->parent[row / 3][end] + row % 3] += y[row] / 2;
}

// An operator without a matrix can compute the matrix P^T A P, where P interpolates values at the corners of cells to
// all nodes. A includes the shift. The product of this matrix with c must equal P^T (A (P c)).
static void corners_have_the_projected_matrix(void **state) {
  (void)state;
  int count = 0;

  for (const Stage *s = NULL; (s = stage_after(s));) {
    const OperatorMethod *method = (const OperatorMethod *)s;
    if (s->kind != STAGE_OPERATOR || s->device != device || !method->project) continue;
    Error error = { 0 };
    Operator A, low;
    CornerSpace corners;
    CornerMatrix matrix;
    Stream stream;
    const Precision precision = s->precision;
    Deformed d = deformed(element_named(s->element), 3);
    const int n = space_dof(&d.space), nodes = d.space.node_count;
    const Stage *format = stage_find(STAGE_OPERATOR, device == DEVICE_CUDA ? "sell" : "dcsr", device, precision, NULL);
    MUST(stream_create(device, &stream, &error));
    MUST(operator_create(&A, method, &d.space, &error));
    MUST(corner_space_create(&corners, &d.space, false, &error));
    MUST(operator_create(&low, (const OperatorMethod *)format, &corners.space, &error));
    MUST(corner_matrix_create(&matrix, &corners, &d.space, &low, &error));
    const int m = low.n;
    double *c = calloc((size_t)m, sizeof *c), *x = calloc((size_t)n, sizeof *x),
           *expected = calloc((size_t)m, sizeof *c);
    for (int i = 0; i < m; i++) c[i] = d.x[i];
    prolong(&corners, nodes, c, x);
    void *nodal = put(device, precision, d.nodal, n), *shift = put(device, precision, d.shift, n + 3 * nodes);
    void *x_there = put(device, precision, x, n), *y_there = put(device, precision, x, n);
    void *c_there = put(device, precision, c, m), *result = put(device, precision, c, m);
    void *zero = put(device, precision, expected, m);
    MUST(operator_linearise(&A, &d.parameters, nodal, stream, &error));
    MUST(operator_shift(&A, shift, 3, NULL, NULL, stream, &error));
    MUST(operator_apply(&A, x_there, y_there, NULL, stream, &error));
    MUST(method->project(&A, &matrix, low.values, stream, &error));
    MUST(operator_shift(&low, zero, 0, NULL, NULL, stream, &error));
    MUST(operator_apply(&low, c_there, result, NULL, stream, &error));
    double *y = get(stream, precision, y_there, n), *got = get(stream, precision, result, m);
    restrict_to_corners(&corners, nodes, y, expected);
    const double apart = relative_l2(got, expected, m);
    printf("  %s of %s: relative difference %.1e\n", stage_label(s->name, device, precision), s->element, apart);
    assert_true(apart <= (precision == PRECISION_F32 ? 5e-7 : 1e-13));  // rounding of sums of some tens of terms
    void *arrays[] = { nodal, shift, x_there, y_there, c_there, result, zero };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) device_free(device, arrays[k]);
    free(c);
    free(x);
    free(expected);
    free(y);
    free(got);
    corner_matrix_destroy(&matrix, device);
    operator_destroy(&low);
    operator_destroy(&A);
    corner_space_destroy(&corners);
    stream_destroy(&stream);
    deformed_destroy(&d);
    count++;
  }
  assert_true(count >= 2);
}

// A product adds the results of cells at their corners in two steps: first within each batch of cells, then at each
// node of the body. The lists of both steps together must contain every corner of every cell once.
static void batches_have_every_corner_once(void **state) {
  (void)state;

  for (int k = 0; k < SHAPES; k++) {
    Error error = { 0 };
    CellBatches b;
    const ElementRow *row = element_row(shapes[k], NULL, DEVICE_CPU, PRECISION_F64);
    Deformed d = deformed(row, 5);
    const int nodes = d.space.cell_nodes;
    MUST(cell_batches_create(&b, &d.space, DEVICE_CPU, &error));
    int *visits = calloc((size_t)(d.space.cell_count * nodes), sizeof *visits), cells = 0, slots = 0;
    for (int a = 0; a < d.space.node_count; a++) {
      assert_int_equal(b.node[a].count, b.node_start[a + 1] - b.node_start[a]);
      for (int k = 0; k < SLOTS_AT_HAND && k < b.node[a].count; k++)
        assert_int_equal(b.node[a].slot[k], b.node_slot[b.node_start[a] + k]);
      for (int k = b.node_start[a]; k < b.node_start[a + 1]; k++) {
        const int slot = b.node_slot[k];
        int batch = 0;
        while (b.slot_start[batch + 1] <= slot) batch++;
        const int first = b.list_start[slot + batch], last = b.list_start[slot + batch + 1];
        assert_true(first < last);
        if (slot > b.slot_start[batch]) assert_true(last - first <= first - b.list_start[slot + batch - 1]);
        assert_true(k == b.node_start[a] || b.node_slot[k - 1] < slot);
        for (int c = first; c < last; c++) {
          const int corner = b.corner[batch * nodes * BATCH_CELLS + c], local = corner / BATCH_CELLS;
          const int e = b.cell[batch * BATCH_CELLS + corner % BATCH_CELLS];
          assert_int_equal(space_cell(&d.space, e)[local], a);
          assert_int_equal(b.batch_node[b.slot_start[batch] + b.local[batch * nodes * BATCH_CELLS + corner]], a);
          visits[e * nodes + local]++;
        }
        slots++;
      }
    }
    for (int k = 0; k < d.space.cell_count * nodes; k++) assert_int_equal(visits[k], 1);
    for (int at = 0; at < b.batch_count * BATCH_CELLS; at++) {
      const int first = at / BATCH_CELLS * nodes * BATCH_CELLS + at % BATCH_CELLS;
      cells += b.cell[at] >= 0;
      for (int a = 0; a < nodes; a++)
        assert_true((b.local[first + a * BATCH_CELLS] == BATCH_NO_CELL) == (b.cell[at] < 0));
    }
    assert_int_equal(cells, d.space.cell_count);
    assert_int_equal(slots, b.slot_count);
    printf("  %d cells of %d nodes: %.2f slots per cell\n", cells, nodes, slots / (double)cells);
    free(visits);
    cell_batches_destroy(&b, DEVICE_CPU);
    deformed_destroy(&d);
  }
}

// Copies an array from the device to the host; free() releases the copy.
static void *fetch(Stream stream, const void *memory, size_t bytes) {
  Error error = { 0 };
  void *copy = malloc(bytes);
  MUST(device_download(stream, copy, memory, bytes, &error));
  MUST(stream_sync(stream, &error));
  return copy;
}

// A GPU makes the lists of batches by itself. They must equal those that the host makes, also if batches are not full
// and if nodes belong to many batches.
static void a_gpu_makes_the_same_batches(void **state) {
  (void)state;
  if (device != DEVICE_CUDA) return;
  static const int sides[] = { 1, 5, 13 };
  for (int shape = 0; shape < SHAPES; shape++)
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
      Error error = { 0 };
      CellBatches h, g;
      Stream stream;
      const ElementRow *row = element_row(shapes[shape], NULL, DEVICE_CPU, PRECISION_F64);
      Deformed d = deformed(row, sides[k]);
      MUST(stream_create(DEVICE_CUDA, &stream, &error));
      MUST(cell_batches_create(&h, &d.space, DEVICE_CPU, &error));
      MUST(cell_batches_create(&g, &d.space, DEVICE_CUDA, &error));
      assert_int_equal(g.batch_count, h.batch_count);
      assert_int_equal(g.slot_count, h.slot_count);
      const size_t batches = (size_t)h.batch_count, slots = (size_t)h.slot_count, nodes = (size_t)h.node_count;
      const size_t corners = batches * (size_t)d.space.cell_nodes * BATCH_CELLS;
      assert_memory_equal(g.cell, h.cell, sizeof *h.cell * batches * BATCH_CELLS);
      const struct {
        const char *name;
        const void *got, *expected;
        size_t bytes;
      } lists[] = {
        { "at", g.at, h.at, sizeof *h.at * (size_t)h.cell_count },
        { "slot_start", g.slot_start, h.slot_start, sizeof *h.slot_start * (batches + 1) },
        { "batch_node", g.batch_node, h.batch_node, sizeof *h.batch_node * slots },
        { "local", g.local, h.local, sizeof *h.local * corners },
        { "list_start", g.list_start, h.list_start, sizeof *h.list_start * (slots + batches) },
        { "corner", g.corner, h.corner, sizeof *h.corner * corners },
        { "node", g.node, h.node, sizeof *h.node * nodes },
        { "node_start", g.node_start, h.node_start, sizeof *h.node_start * (nodes + 1) },
        { "node_slot", g.node_slot, h.node_slot, sizeof *h.node_slot * slots },
      };
      for (size_t j = 0; j < sizeof lists / sizeof *lists; j++) {
        void *got = fetch(stream, lists[j].got, lists[j].bytes);
        if (memcmp(got, lists[j].expected, lists[j].bytes) != 0)
          fail_msg("the GPU's array %s of %zu batches of cells of %d nodes differs from the host's", lists[j].name,
                   batches, d.space.cell_nodes);
        free(got);
      }
      printf("  %zu batches of cells of %d nodes, %zu slots: equal lists\n", batches, d.space.cell_nodes, slots);
      cell_batches_destroy(&h, DEVICE_CPU);
      cell_batches_destroy(&g, DEVICE_CUDA);
      stream_destroy(&stream);
      deformed_destroy(&d);
    }
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(batches_have_every_corner_once),
    cmocka_unit_test(a_gpu_makes_the_same_batches),
    cmocka_unit_test(products_are_those_of_the_assembled_matrix),
    cmocka_unit_test(assemblies_prepare_the_products),
    cmocka_unit_test(corners_have_the_projected_matrix),
  };
  if (!choose_device(count, words, &device)) return EXIT_SKIPPED;
  elements_open_all(NULL);
  for (int k = 0; k < SHAPES; k++)
    if (!element_row(shapes[k], NULL, DEVICE_CPU, PRECISION_F64)) {
      printf("skipped: this build has no element of the shape %s\n", shapes[k]);
      return EXIT_SKIPPED;
    }
  if (count > 2) cmocka_set_test_filter(words[2]);
  return cmocka_run_group_tests_name("partial", tests, NULL, NULL);
}
