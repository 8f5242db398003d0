// Assembly "parts" on the CPU, with which tests compare the GPU version (parts.cu). For simulations on a CPU, the
// assembly "cpu_simd" is faster than this one. This file uses the tables of part_batches.h and sums in the same order
// as the GPU. The words in short:
//   batch   matrix rows that one thread block of the GPU assembles, with all tets at the nodes of these rows
//   slot    index of a block of the matrix: 32 * step + lane
//   entry   16 bits: a tet of the batch and two of its corners, the row and the column of a block
//   unit    the work of a warp: 32 lists of entries, one for each lane (thread)
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "sim/assembly/assembly.h"
#include "sim/assembly/parts_cell.h"

// number of pieces into which the parallel loop over batches is divided; each piece has its work memory
enum { PIECES = 8 };

typedef struct Data {
  PartBatches batches;  // the tables of all batches (part_batches.h): rows, tets and lists of entries
  // number of batches in a piece of the parallel loop; a batch is a group of matrix rows
  int grain;
  // number of reals of work memory that a piece needs
  size_t capacity_reals;
  real *buffers;  // [PIECES][capacity_reals], work memory of each piece of the parallel loop over batches
} Data;

static void destroy_data(Assembly *assembly) {
  Data *d = assembly->data;
  part_batches_destroy(&d->batches, DEVICE_CPU);
  free(d->buffers);
  free(d);
}

static bool create(Assembly *assembly, const Space *space, Error *error) {
  Data *d = assembly->data = array_new(1, sizeof *d, "assembly data", error);
  if (!d) return false;
  const BatchCapacity capacity = { .node_bytes = NODE_REALS * sizeof(real),
                                   .tet_bytes = TET_REALS * sizeof(real),
                                   .bytes = SIZE_MAX };
  const BatchCell cell = { CELL_REALS, cell_fill };
  PartBatches *b = &d->batches;
  if (!part_batches_create(b, space, assembly->layout, &capacity, &cell, DEVICE_CPU, error)) return false;
  d->grain = b->batch_count / PIECES + 1;
  d->capacity_reals = (size_t)b->nodes_max * NODE_REALS + (size_t)batch_stride(b->tets_max) * TET_REALS;
  d->buffers = array_new(PIECES, sizeof(real) * d->capacity_reals, "batches", error);
  assembly->parts = (AssemblyParts){ b->batch_count, b->tets, b->nodes };
  assembly->min_J_count = b->batch_count;
  assembly->min_J = device_alloc(DEVICE_CPU, sizeof(real) * (size_t)b->batch_count, error);
  return d->buffers && assembly->min_J;
}

// Arguments of assemble_batches, the parallel loop over batches. nodal: input, the displacement of each node. F:
// output, the force vector. values: output, the values of the matrix; NULL: not computed.
typedef struct Task {
  const Assembly *assembly;
  ElementParameters parameters;
  Material scaled;  // material for the matrix blocks: mu and lambda times the matrix's scale factor
  const real *nodal;
  real *F, *values;
  // Becomes true when the user interrupts the run. The batches that have not begun are then skipped.
  atomic_bool *left;
} Task;

// Tables of one batch in work memory. Column x of a table belongs to tet x of the batch. At least BATCH_PHASE columns
// of zeros follow; entries that only pad a list name one of them. stride: number of columns. The blocks of a tet's
// matrix are computed from h and r (parts_cell.h).
typedef struct Room {
  real *node;               // [node_count][NODE_REALS], nodal data such as displacements
  real (*h)[CORNER_REALS];  // [corners][stride], for each corner of each tet: the three numbers of h, then r
  real *f;                  // [3][corners][stride], for each corner of each tet: components x, y, z of the force
  int stride;
} Room;

// Returns the tables of a batch, in the work memory of piece number `piece` of the parallel loop over batches.
static Room capacity_of(const Data *d, const Batch *batch, int piece) {
  real *memory = d->buffers + (size_t)piece * d->capacity_reals,
       *tets = memory + (size_t)batch->node_count * NODE_REALS;
  const int stride = batch_stride(batch->tet_count);
  real(*h)[CORNER_REALS] = (real(*)[CORNER_REALS])tets;
  return (Room){ memory, h, tets + (size_t)stride * BATCH_CORNERS * CORNER_REALS, stride };
}

// Stores the results of tet number x of the batch in column x of the tables.
static void put_cell(const Room *buffer, int x, const BatchCellData *cell) {
  for (int a = 0; a < BATCH_CORNERS; a++) {
    real *h = buffer->h[a * buffer->stride + x];
    for (int i = 0; i < 3; i++) {
      h[i] = cell->h[a][i];
      buffer->f[(i * BATCH_CORNERS + a) * buffer->stride + x] = cell->f[a][i];
    }
    h[3] = cell->r;
  }
}

// Evaluates all tets of a batch and stores their results in the tables. Returns the smallest J = det F of these tets,
// or -inf if J of a tet is NaN.
static real evaluate(const Task *t, const Batch *batch, const Room *buffer) {
  const PartBatches *b = &((const Data *)t->assembly->data)->batches;
  const int *node = b->node + batch->node, tets = batch->tet_count;
  const real *all = (const real *)b->supplemental + (size_t)batch->tet * CELL_REALS;
  real min_J = INFINITY;
  for (int l = 0; l < batch->node_count; l++)
    for (int i = 0; i < 3; i++) buffer->node[l * NODE_REALS + i] = t->nodal[3 * (int64_t)node[l] + i];
  for (int x = 0; x < tets; x++) {
    real nodal[ELEMENT_DOF], S[CELL_REALS];
    BatchCellData cell = { 0 };
    for (int a = 0; a < BATCH_CORNERS; a++)
      for (int i = 0; i < 3; i++) nodal[3 * a + i] = buffer->node[b->tet[batch->tet + x][a] * NODE_REALS + i];
    for (int k = 0; k < CELL_REALS; k++) S[k] = all[(size_t)k * (size_t)tets + (size_t)x];
    const real J = cell_evaluate(nodal, S, &t->parameters, &t->scaled, t->values, &cell);
    if (!(J >= min_J)) min_J = J == J ? J : -(real)INFINITY;
    put_cell(buffer, x, &cell);
  }
  for (int k = 0; k < BATCH_PHASE; k++) put_cell(buffer, tets + k, &(BatchCellData){ 0 });
  return min_J;
}

// Computes 32 off-diagonal blocks of the matrix, 3 x 3 each, and stores their values as [row][column][lane]. `unit` is
// the work of a warp on the GPU, with one list for each of its 32 lanes. Lane k sums the terms of block k.
static void gather_step(const Task *t, const Room *buffer, const BatchUnit *unit) {
  const PartBatches *b = &((const Data *)t->assembly->data)->batches;
  const real *constant = (const real *)b->slot_constant + (int64_t)unit->at * PART_LANES;
  real *out = t->values + (int64_t)unit->at * 9 * PART_LANES;
  for (int lane = 0; lane < PART_LANES; lane++) {
    real K[9] = { 0 };
    for (int w = 0; w < unit->depth; w++) {
      const unsigned entry = b->list[((int64_t)unit->list + w / 2) * PART_LANES + lane] >> 16 * (w % 2) & 0xffff;
      const real *h = buffer->h[entry_row(entry) * buffer->stride + entry_tet(entry)];
      compact_add(&t->scaled, h[3], h, buffer->h[entry_column(entry) * buffer->stride + entry_tet(entry)], K);
    }
    for (int i = 0; i < 3; i++) K[4 * i] += compact_constant(&t->scaled) * constant[lane];
    for (int v = 0; v < 9; v++) out[v * PART_LANES + lane] = K[v];
  }
}

// Numbers that are summed for a row: the upper triangle xx, xy, xz, yy, yz, zz of its diagonal block, and the three
// components of the force.
enum { DIAGONAL_VALUES = 6, ROW_VALUES = DIAGONAL_VALUES + 3 };

// Computes `sum`, one lane's terms of the diagonal block and force of a row. Four lanes belong to a row; each has a
// list with a quarter of the row's entries.
static void gather_lane(const Task *t, const Room *buffer, const BatchUnit *unit, int lane, real sum[ROW_VALUES]) {
  const PartBatches *b = &((const Data *)t->assembly->data)->batches;
  for (int v = 0; v < ROW_VALUES; v++) sum[v] = 0;
  for (int w = 0; w < unit->depth; w++) {
    const unsigned entry = b->list[((int64_t)unit->list + w / 2) * PART_LANES + lane] >> 16 * (w % 2) & 0xffff;
    const int at = entry_row(entry) * buffer->stride + entry_tet(entry);
    if (t->values) compact_add_diagonal(&t->scaled, buffer->h[at][3], buffer->h[at], sum);
    for (int i = 0; i < 3; i++) sum[DIAGONAL_VALUES + i] += buffer->f[i * BATCH_CORNERS * buffer->stride + at];
  }
}

// Computes the diagonal blocks and forces of a row unit, the work of a warp on the GPU for up to ROWS_OF_UNIT rows.
// ROW_LANES = 4 lanes belong to a row; their sums are added. upper[3 * i + k] is the index of entry (i, k) of a block
// in its upper triangle xx, xy, xz, yy, yz, zz.
static void gather_rows(const Task *t, const Batch *batch, const Room *buffer, const BatchUnit *unit) {
  static const int upper[9] = { 0, 1, 2, 1, 3, 4, 2, 4, 5 };
  const PartBatches *b = &((const Data *)t->assembly->data)->batches;
  const Operator *A = t->assembly->layout;
  const int64_t nodes = A->space->node_count;
  for (int k = 0; k < ROWS_OF_UNIT && unit->at + k < batch->row_count; k++) {
    const int node = b->node[batch->node + unit->at + k];
    real part[ROW_LANES][ROW_VALUES], sum[ROW_VALUES];
    for (int lane = 0; lane < ROW_LANES; lane++) gather_lane(t, buffer, unit, k * ROW_LANES + lane, part[lane]);
    for (int v = 0; v < ROW_VALUES; v++) sum[v] = (part[0][v] + part[1][v]) + (part[2][v] + part[3][v]);
    for (int i = 0; i < 3; i++) t->F[3 * (int64_t)node + i] = sum[DIAGONAL_VALUES + i];
    if (!t->values) continue;
    const real constant = compact_constant(&t->scaled) * ((const real *)b->diagonal_constant)[node];
    real *diagonal_block = t->values + A->value_count - 9 * (nodes - node);
    for (int v = 0; v < 9; v++) diagonal_block[v] = sum[upper[v]] + (v % 4 == 0 ? constant : (real)0);
  }
}

// Returns true if the user has interrupted the run.
static bool leave(const Task *t) {
  if (!atomic_load_explicit(t->left, memory_order_relaxed) && interrupt_requested())
    atomic_store_explicit(t->left, true, memory_order_relaxed);
  return atomic_load_explicit(t->left, memory_order_relaxed);
}

// Assembles the batches [first, last), groups of matrix rows. For each batch, it first evaluates all tets. Then it sums
// their results, unit by unit; a unit is 32 lists of terms, which one warp sums on the GPU. Row units give diagonal
// blocks and forces, step units off-diagonal blocks.
static void assemble_batches(const void *task, int first, int last) {
  const Task *t = task;
  const Data *d = t->assembly->data;
  for (int q = first; q < last && !leave(t); q++) {
    const Batch *batch = &d->batches.batch[q];
    const Room buffer = capacity_of(d, batch, first / d->grain);
    ((real *)t->assembly->min_J)[q] = evaluate(t, batch, &buffer);
    for (int u = 0; u < batch->row_units; u++) gather_rows(t, batch, &buffer, &d->batches.unit[batch->unit + u]);
    for (int u = batch->row_units; t->values && u < batch->unit_count; u++)
      gather_step(t, &buffer, &d->batches.unit[batch->unit + u]);
  }
}

static bool assemble(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, void *values,
                     Stream stream, Error *error) {
  (void)stream;
  atomic_bool left = false;
  const Data *d = assembly->data;
  const ElementParameters parameters = element_parameters(p->material, p->vector_scale, p->matrix_scale);
  const Task task = { assembly, parameters, batch_material(&parameters), nodal, F, values, &left };
  parallel_for(d->batches.batch_count, d->grain, assemble_batches, &task);
  return !left || interrupt_check(error);
}

// Estimates the bytes of this assembly's arrays, and the bytes that it reads and writes each time it runs. This is the
// function Stage.bytes. A tet is evaluated by 1.4 batches (groups of matrix rows) on average. Each tet has 12 entries
// in the lists of off-diagonal blocks, which also contain padding; 60 % of their length are entries. Each tet has 4
// entries in the lists of rows; 75 % of their length are entries. While the host builds the tables, it also holds the
// tets at each node and some numbers per node.
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double T = size->cells, V = size->nodes, P = size->pairs, often = 1.4;
  const double tets = often * T * (CELL_REALS * sizeof(real) + 8), nodes = 4 * 1.6 * V, rows = 4 * 2 * T / 0.75;
  const double pairs = 12 * 2 * T / 0.6 + 1.15 * 2 * P * (sizeof(real) + 16.0 / PART_LANES);
  const double tables = tets + nodes + rows + pairs + V * (sizeof(real) + 2);
  const double rooms = PIECES * fmin(BATCH_TETS_MAX, 0.04 * T) * TET_REALS * sizeof(real);
  StageBytes bytes = stage_takes(stage, tables);
  bytes.on[DEVICE_CPU] += stage->device == DEVICE_CPU ? rooms : tables + 16 * T + 16 * V;
  const double read = tets + nodes + rows + V * ELEMENT_NODE_DATA * sizeof(real);
  const double F = V * ELEMENT_NODE_DOF * sizeof(real), A = stage_entries(size) * sizeof(real);
  stage_pass(stage, &bytes, WORK_VECTOR, read, F);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, read + pairs + V * sizeof(real), F + A);
  return bytes;
}

extern const AssemblyMethod ELEMENT_ROW(parts_cpu);
const AssemblyMethod ELEMENT_ROW(parts_cpu) = {
  .stage = { .kind = STAGE_ASSEMBLY,
             .name = "parts",
             .summary = "adds the entries of element matrices directly to matrix \"parts\"",
             .element = ELEMENT_LABEL,
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes_of },
  .create = create,
  .destroy_data = destroy_data,
  .assemble = assemble,
  .matrix = "parts",
  .other_matrix = "parts16",
  .compact = true,
};
