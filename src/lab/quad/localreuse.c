// Assemblies over quadrilaterals of degree 1 to 4, on CPU and GPU (lab/quad/quad_cells.h). An element matrix is
// computed by one of three methods, the enum QuadLoop (paper 001, Algorithm 2). An assembly fills any matrix format: a
// list of slots gives, for each entry of each element matrix, its index in the matrix's values. In two formats there is
// no such list: `lma` stores element matrices, and in `lazyell` cells append entries to rows. Cells are processed
// colour by colour, where cells of one colour share no node (cell_colours.h). So the sums have a fixed order. If the
// assembly's name ends in `_atomic`, entries are added by atomics in any order.
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "lab/quad/lazy_rows.h"
#include "lab/quad/localreuse.h"
#include "lab/quad/quad_devices.h"
#include "lab/quad/quad_rows.h"
#include "sim/assembly/assembly.h"

// NODE_DATA: number of nodal data, which are the position (x, y) and the source f. SOURCE: index of f among them.
// CHUNK: number of cells that one piece of a parallel loop processes.
enum { NODE_DATA = 3, SOURCE = 2, CHUNK = 512 };

// Data of one assembly. summation: method by which cells add their entries to the matrix: QUAD_ATOMIC, by atomic
// additions, or QUAD_COLOURED, colour by colour, where cells of one colour share no node.
typedef struct Data {
  QuadCells cells;
  QuadSum summation;
  // [cell_nodes][cell_nodes][cell_count]: for entry (i, j) of each cell's matrix, its index in the operator's values;
  // -1: the operator stores only the transposed entry, or node i or j is not in the operator's space. NULL if the
  // operator has no such indices (formats `lma` and `lazyell`).
  int *slot;
} Data;

static void destroy_data(Assembly *assembly) {
  Data *d = assembly->data;
  const Device device = assembly->method->stage.device;
  REAL_NAME(quad_cells_destroy)(&d->cells);
  device_free(device, d->slot);
  free(d);
}

// Arguments of the loop over the cells of `space` that computes `slot`: for each entry of each element matrix, its
// index in the values of the matrix `layout`. The matrix may have fewer nodes than the space: its nodes are then the
// first nodes of the space, and entries of other nodes are left out (method 1 of paper 001, section 3.2).
typedef struct SlotTask {
  const Space *space;
  const Operator *layout;
  int *slot;
} SlotTask;

static void find_slots(const void *task, int first, int last) {
  const SlotTask *t = task;
  const Space *space = t->space;
  const int nodes = space->cell_nodes, rows = t->layout->space->node_count;
  for (int e = first; e < last && !interrupt_requested(); e++)
    for (int i = 0; i < nodes; i++)
      for (int j = 0; j < nodes; j++) {
        const int a = space_cell(space, e)[i], b = space_cell(space, e)[j];
        const bool inside = a < rows && b < rows;
        const int64_t pair = inside ? adjacency_find(&t->layout->space->graph, a, b) : -1;
        t->slot[((int64_t)i * nodes + j) * space->cell_count + e] =
            !inside || operator_mirrors(t->layout, pair) ? -1 : operator_slot(t->layout, a, pair, 0, 0);
      }
}

static bool put_slots(Data *d, const Space *space, const Operator *layout, Device device, Error *error) {
  const int64_t count = (int64_t)space->cell_nodes * space->cell_nodes * space->cell_count;
  int *slot = array_new(count, sizeof *slot, "indices of matrix values", error);
  if (!slot) return false;
  parallel_for(space->cell_count, CHUNK, find_slots, &(SlotTask){ space, layout, slot });
  if (interrupt_check(error)) d->slot = device_clone(device, slot, sizeof *slot * (size_t)count, error);
  free(slot);
  return d->slot;
}

// Arguments of the parallel loop that finds the smallest det J in each chunk of CHUNK cells. J is the Jacobian matrix
// of the map from the square [0, 1]^2 to a cell.
typedef struct DetTask {
  const Space *space;
  int degree;
  double *smallest;  // [chunks], smallest det J in each chunk of CHUNK cells
} DetTask;

// Computes the smallest det J of the cells `first` to `last` - 1. J is the Jacobian matrix of the map from the square
// [0, 1]^2 to a cell. det J is a linear function of the coordinates of the square, so it is smallest at a corner.
static void find_smallest_det(const void *task, int first, int last) {
  const DetTask *t = task;
  const Space *space = t->space;
  const int degree = t->degree;
  const int corner[4] = { 0, degree, (degree + 1) * (degree + 1) - 1, degree * (degree + 1) };
  double smallest = HUGE_VAL;
  for (int e = first; e < last; e++)
    for (int k = 0; k < 4; k++) {
      const double *x = space->X[space_cell(space, e)[corner[k]]];
      const double *next = space->X[space_cell(space, e)[corner[(k + 1) % 4]]];
      const double *before = space->X[space_cell(space, e)[corner[(k + 3) % 4]]];
      const double det = (next[0] - x[0]) * (before[1] - x[1]) - (next[1] - x[1]) * (before[0] - x[0]);
      if (!(det >= smallest)) smallest = det;
    }
  t->smallest[first / CHUNK] = smallest;
}

static bool put_smallest_det(Assembly *assembly, const Space *space, int degree, Error *error) {
  const int chunks = space->cell_count / CHUNK + 1;
  double *each = array_new(chunks, sizeof *each, "cells", error), smallest = HUGE_VAL;
  if (!each) return false;
  parallel_for(space->cell_count, CHUNK, find_smallest_det, &(DetTask){ space, degree, each });
  for (int k = 0; k * CHUNK < space->cell_count; k++)
    if (!(each[k] >= smallest)) smallest = each[k];
  free(each);
  const real rounded = (real)smallest;
  assembly->min_J_count = 1;
  assembly->min_J = device_clone(assembly->method->stage.device, &rounded, sizeof rounded, error);
  return assembly->min_J;
}

static bool create_as(Assembly *assembly, const Space *space, bool atomic, Error *error) {
  const Device device = assembly->method->stage.device;
  const int degree = REAL_NAME(quad_degree)(space, error);
  if (!degree) return false;
  Data *d = assembly->data = array_new(1, sizeof *d, "assembly data", error);
  if (!d) return false;
  d->summation = atomic ? QUAD_ATOMIC : QUAD_COLOURED;
  return put_smallest_det(assembly, space, degree, error) &&
         REAL_NAME(quad_cells_create)(&d->cells, space, device, d->summation, QUAD_BLOCK, error) &&
         (!operator_stores(assembly->layout) || put_slots(d, space, assembly->layout, device, error));
}

bool REAL_NAME(localreuse_has_block)(const Assembly *assembly) {
  return assembly->method->destroy_data == destroy_data;
}

bool REAL_NAME(localreuse_set_block)(Assembly *assembly, int block, Error *error) {
  Data *d = assembly->data;
  return REAL_NAME(quad_cells_block)(&d->cells, assembly->layout->space, d->summation, block, error);
}

// Computes the load vector F [nodes]: F_a is the integral of the source f times the shape function of node a. f is
// interpolated from its values at nodes.
static bool make_load(const Data *d, const AssemblyParameters *p, const void *nodal, void *F, Stream stream,
                      Error *error) {
  const QuadFactors load = { .product = QUAD_MASS,
                             .summation = d->summation,
                             .x = (const real *)nodal + SOURCE,
                             .x_step = NODE_DATA,
                             .factor = (real)p->vector_scale,
                             .y = F };
  return quad_product(&d->cells, &load, stream, error);
}

static bool assemble_as(Assembly *assembly, QuadLoop loop, const AssemblyParameters *p, const void *nodal, void *F,
                        void *values, Stream stream, Error *error) {
  const Data *d = assembly->data;
  const Operator *layout = assembly->layout;
  if (!make_load(d, p, nodal, F, stream, error)) return false;
  if (!values) return true;
  QuadTarget target = {
    .storage = QUAD_SLOTS, .slot = d->slot, .values = values, .value_count = (size_t)layout->value_count
  };
  if (layout->target) target = *layout->target;
  target.atomic = d->summation == QUAD_ATOMIC;
  return quad_set_scale(&d->cells, p->matrix_scale * p->material[0], stream, error) &&
         quad_assemble(&d->cells, &target, loop, stream, error);
}

// Assembles the load vector and the matrix, then adds `shift`, a diagonal matrix, to the matrix
// (AssemblyMethod.assemble_shifted). If the operator stores element matrices or appends entries to rows, A->target says
// where the entries are stored. Otherwise they are added to A->values.
static bool assemble_shifted_as(Assembly *assembly, QuadLoop loop, const AssemblyParameters *p, const void *nodal,
                                void *F, Operator *A, const AssemblyShift *shift, Stream stream, Error *error) {
  const bool fills = operator_stores(A) || A->target, lazy = A->target && A->target->storage == QUAD_LAZY;
  if (!assemble_as(assembly, loop, p, nodal, F, fills ? A->values : NULL, stream, error)) return false;
  if (!fills && !operator_linearise(A, p, nodal, stream, error)) return false;
  if (lazy && !REAL_NAME(lazyell_finish)(A, stream, error)) return false;
  return operator_shift(A, shift->shift, shift->crosses, shift->diagonal, shift->wanted, stream, error);
}

// Estimates memory and traffic. Memory, for each cell: its nodes; its map (QuadMap, 7 numbers); one byte for the number
// of its turn, since cells of a thread block that share a node add their entries in turns; and for each entry of its
// matrix, the index in the values of the global matrix. Traffic: each matrix value is written once. The loop
// `globalreuse` reads and writes each value again at each Gauss point. A cell has as many points as nodes.
static StageBytes bytes_as(const Stage *stage, const StageSize *size, QuadLoop loop) {
  const double real_size = (double)precision_size(stage->precision), nodes = size->cell_nodes;
  const double lists = size->cells * (4 * nodes + QUAD_MAP * real_size + 1);
  const double slot_bytes = 4 * size->cells * nodes * nodes, A = real_size * stage_entries(size);
  const double again = loop == QUAD_GLOBAL_REUSE ? nodes : 1;
  StageBytes bytes = stage_takes(stage, lists + slot_bytes);
  stage_pass(stage, &bytes, WORK_VECTOR, lists + real_size * NODE_DATA * size->nodes, real_size * size->nodes);
  stage_pass(stage, &bytes, WORK_ASSEMBLY, lists + slot_bytes + (again - 1) * A, real_size * size->nodes + again * A);
  return bytes;
}

#define LOOP(word, loop, atomic)                                                                                   \
  static bool create_##word(Assembly *assembly, const Space *space, Error *error) {                                \
    return create_as(assembly, space, atomic, error);                                                              \
  }                                                                                                                \
  static bool assemble_##word(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F,         \
                              void *values, Stream stream, Error *error) {                                         \
    return assemble_as(assembly, loop, p, nodal, F, values, stream, error);                                        \
  }                                                                                                                \
  static bool assemble_shifted_##word(Assembly *assembly, const AssemblyParameters *p, const void *nodal, void *F, \
                                      Operator *A, const AssemblyShift *shift, Stream stream, Error *error) {      \
    return assemble_shifted_as(assembly, loop, p, nodal, F, A, shift, stream, error);                              \
  }                                                                                                                \
  static StageBytes bytes_##word(const Stage *stage, const StageSize *size) {                                      \
    return bytes_as(stage, size, loop);                                                                            \
  }
#define ROW(row, cells, where, word, text, words) \
  static const AssemblyMethod row = {             \
    .stage = { .kind = STAGE_ASSEMBLY,            \
               .name = text,                      \
               .summary = words,                  \
               .element = cells,                  \
               .device = where,                   \
               .precision = REAL_PRECISION,       \
               .bytes = bytes_##word },           \
    .create = create_##word,                      \
    .destroy_data = destroy_data,                 \
    .assemble = assemble_##word,                  \
    .assemble_shifted = assemble_shifted_##word,  \
  };
#define LOOPS(word, loop, text)                                                                     \
  LOOP(word, loop, false)                                                                           \
  QUAD_ON_CUDA(LOOP(word##_atomic, loop, true))                                                     \
  QUAD_ROWS(ROW, word, word, #word,                                                                 \
            text "; matrices of cells are added in groups (colours) of cells without common nodes") \
  QUAD_CUDA_ROWS(ROW, word##_atomic, word##_atomic, #word "_atomic",                                \
                 text "; matrices of cells are added by atomic additions: not repeatable bit for bit")

LOOPS(localreuse, QUAD_LOCAL_REUSE,
      "quads; a thread per cell keeps the coefficients of all integration points in registers")
LOOPS(redundant, QUAD_REDUNDANT,
      "quads; a thread per cell recomputes the coefficients of integration points for each matrix entry")
LOOPS(globalreuse, QUAD_GLOBAL_REUSE,
      "quads; a thread per cell adds one integration point after another to matrix entries in memory")

extern const Stage *const REAL_NAME(localreuse_rows)[];
// clang-format off
const Stage *const REAL_NAME(localreuse_rows)[] = {
  QUAD_ROWS(QUAD_LISTED, localreuse, )
  QUAD_ROWS(QUAD_LISTED, redundant, )
  QUAD_ROWS(QUAD_LISTED, globalreuse, )
  QUAD_CUDA_ROWS(QUAD_LISTED, localreuse_atomic, )
  QUAD_CUDA_ROWS(QUAD_LISTED, redundant_atomic, )
  QUAD_CUDA_ROWS(QUAD_LISTED, globalreuse_atomic, )
  NULL
};
// clang-format on
