// Operators y = K x over quadrilaterals that do not store the global matrix K, on CPU and GPU (lab/quad/quad_cells.h).
// K_e is the element matrix of cell e, and x_e are the values of x at its nodes. Three methods compute K_e x_e:
//   lma        the local matrix approach (paper 001, section 3.3): all K_e are stored, as upper triangles; a product
//              reads each stored entry once and uses it for both of its positions
//   recompute  the matrix-free approach (section 3.4): each product computes K_e again
//   points     without K_e: the gradient of x at each Gauss point is multiplied by the tensor T of this point
//              (quad_rule.h), and the result is distributed to the nodes
// The vectors K_e x_e are summed into y by one of three methods. The end of the name gives the method:
//   no ending      each node sums the results of its cells; on a GPU, strips of cells do this (quad_strips.h)
//   _coloured      cells add to y colour by colour; cells of one colour share no node (cell_colours.h)
//   _atomic        recompute: cells add to y by atomics; lma and points: strips of cells add to y by atomics at their
//                  edges only
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "lab/quad/quad_devices.h"
#include "lab/quad/quad_rows.h"
#include "sim/element/symmetric.h"
#include "sim/operator/operator.h"

// Data of one operator y = K x. product: method that computes K_e x_e of a cell. summation: method that adds these
// vectors to y.
typedef struct Layout {
  QuadCells cells;
  QuadTarget target;  // arrays of the stored element matrices; not used if each product computes the matrices again
  QuadProduct product;
  QuadSum summation;
  real *shift;   // [n], the diagonal matrix that products add to K: y = K x + shift x
  int *shifted;  // on the device; while it is 0, no shift was added, and products do not read `shift`
} Layout;

static void destroy_layout(Operator *A) {
  Layout *l = A->layout;
  device_free(A->method->stage.device, l->shift);
  device_free(A->method->stage.device, l->shifted);
  REAL_NAME(quad_cells_destroy)(&l->cells);
  free(l);
}

static bool create_as(Operator *A, QuadProduct product, QuadSum summation, Error *error) {
  const Device device = A->method->stage.device;
  Layout *l = A->layout = array_new(1, sizeof *l, "layout of the matrix", error);
  if (!l) return false;
  l->product = product;
  l->summation = summation;
  if (!REAL_NAME(quad_cells_create)(&l->cells, A->space, device, summation, A->tuning, error)) return false;
  const int nodes = l->cells.cell_nodes;
  l->shift = device_alloc(device, sizeof(real) * (size_t)A->n, error);
  l->shifted = device_alloc(device, sizeof *l->shifted, error);
  if (!l->shift || !l->shifted) return false;
  if (product != QUAD_KEPT) return true;
  const QuadStrips *strips = &l->cells.strips;
  const int tiles = strips->tile_count ? strips->tile_count : (l->cells.cell_count + QUAD_TILE - 1) / QUAD_TILE;
  A->value_count = (int64_t)quad_value(nodes * (nodes + 1) / 2, 0, tiles * QUAD_TILE);
  A->values = device_alloc(device, sizeof(real) * (size_t)A->value_count, error);
  l->target = (QuadTarget){ .storage = QUAD_LOCAL,
                            .values = A->values,
                            .value_count = (size_t)A->value_count,
                            .cell_slot = strips->cell_slot,
                            .cell_slot_host = strips->cell_slot_host,
                            .shifted = l->shifted };
  A->target = &l->target;
  return A->values;
}

static int cell_entry(const Operator *A, int cell, int i, int j) {
  const int nodes = A->space->cell_nodes, *cell_slot = A->target->cell_slot_host;
  return (int)quad_value(nodes * (nodes + 1) / 2, symmetric_index(nodes, i, j), cell_slot ? cell_slot[cell] : cell);
}

static QuadFactors factors_of(const Operator *A, const void *x, void *y, double *dots) {
  const Layout *l = A->layout;
  return (QuadFactors){ .product = l->product,
                        .summation = l->summation,
                        .values = A->values,
                        .shift = l->shift,
                        .shifted = l->shifted,
                        .x = x,
                        .y = y,
                        .dots = dots };
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  const QuadFactors factors = factors_of(A, x, y, dots);
  return quad_product(&((const Layout *)A->layout)->cells, &factors, stream, error);
}

// Writes the diagonal of the matrix K, one number for each node, to A->blocks [n]. The diagonal matrix `shift`, which
// products add to K, is not included.
static bool take_blocks(Operator *A, Stream stream, Error *error) {
  QuadFactors diagonal_factors = factors_of(A, NULL, A->blocks, NULL);
  diagonal_factors.product = diagonal_factors.product == QUAD_KEPT ? QUAD_DIAGONAL_KEPT : QUAD_DIAGONAL_MADE;
  diagonal_factors.shifted = NULL;
  return quad_product(&((const Layout *)A->layout)->cells, &diagonal_factors, stream, error);
}

static bool linearise(Operator *A, const AssemblyParameters *p, const void *nodal, Stream stream, Error *error) {
  (void)nodal;  // unused, since the matrix does not depend on the solution
  const Layout *l = A->layout;
  if (!quad_set_scale(&l->cells, p->matrix_scale * p->material[0], stream, error)) return false;
  if (!device_zero(stream, l->shifted, sizeof *l->shifted, error)) return false;
  if (l->product == QUAD_KEPT && !quad_assemble(&l->cells, &l->target, QUAD_LOCAL_REUSE, stream, error)) return false;
  return take_blocks(A, stream, error);
}

static bool shift_diagonal(Operator *A, const void *shift, int crosses, void *diagonal, const int *wanted,
                           Stream stream, Error *error) {
  (void)crosses;  // unused, since a node has one unknown
  const Layout *l = A->layout;
  return take_blocks(A, stream, error) &&
         quad_shift(&l->cells, shift, l->shift, l->shifted, A->blocks, diagonal, wanted, stream, error);
}

static bool set_block(Operator *A, Error *error) {
  Layout *l = A->layout;
  return REAL_NAME(quad_cells_block)(&l->cells, A->space, l->summation, A->tuning, error);
}

static int count_dots(const Operator *A) {
  const Layout *l = A->layout;
  return quad_dots(&l->cells, l->summation);
}

static const int blocks_of_threads[] = { 64, 128, 256, 0 };

// Estimates the memory of an operator, and the bytes that a product reads and writes. Memory: the nodes and the map
// (QuadMap, 7 numbers) of each cell, the stored element matrices, and the lists by which results of cells are summed.
// On the CPU these are lists of cells at each node, and arrays for the results. On a GPU these are lists of cells by
// strips or by colours.
static StageBytes bytes_as(const Stage *stage, const StageSize *size, QuadProduct product, QuadSum summation) {
  const double real_size = (double)precision_size(stage->precision), nodes = size->cell_nodes;
  const double degree = sqrt(nodes) - 1, map = QUAD_MAP * real_size;
  const double lists = size->cells * (4 * nodes + map), vector = real_size * size->nodes;
  const double kept = product == QUAD_KEPT ? real_size * size->cells * nodes * (nodes + 1) / 2 : 0;
  const bool strips = stage->device != DEVICE_CPU && (summation == QUAD_GATHERED || summation == QUAD_STRIPS);
  const double strip = size->cells * (4 * degree * degree + (product == QUAD_KEPT ? 0 : 4 + map));
  const double left =
      summation == QUAD_GATHERED ? size->cells * nodes * (4 + real_size) + 4 * size->nodes : size->cells;
  const double shared = strips ? size->cells * (8 + 4 * degree * degree) : left;
  StageBytes bytes = stage_takes(stage, lists + kept + shared + 2 * vector);
  stage_pass(stage, &bytes, WORK_PRODUCT, (strips ? strip : lists) + kept + vector, vector);
  return bytes;
}

#define WORD(word, product, summation)                                        \
  static bool create_##word(Operator *A, Error *error) {                      \
    return create_as(A, product, summation, error);                           \
  }                                                                           \
  static StageBytes bytes_##word(const Stage *stage, const StageSize *size) { \
    return bytes_as(stage, size, product, summation);                         \
  }
#define ROW(row, cells, where, word, kept, text, words)    \
  static const OperatorMethod row = {                      \
    .stage = { .kind = STAGE_OPERATOR,                     \
               .name = text,                               \
               .summary = words,                           \
               .element = cells,                           \
               .device = where,                            \
               .precision = REAL_PRECISION,                \
               .bytes = bytes_##word },                    \
    .create = create_##word,                               \
    .destroy_layout = destroy_layout,                      \
    .apply = apply,                                        \
    .count_dots = count_dots,                              \
    .linearise = linearise,                                \
    .shift = shift_diagonal,                               \
    .tunings = blocks_of_threads,                          \
    .tuned = QUAD_BLOCK,                                   \
    .tune = set_block,                                     \
    .cell_entry = (kept) == QUAD_KEPT ? cell_entry : NULL, \
  };
#define WORDS(word, product, atomic, text)                                                     \
  WORD(word, product, QUAD_GATHERED)                                                           \
  WORD(word##_coloured, product, QUAD_COLOURED)                                                \
  QUAD_ON_CUDA(WORD(word##_atomic, product, atomic))                                           \
  QUAD_ROWS(ROW, word, word, product, #word, text "; each node sums the results of its cells") \
  QUAD_ROWS(ROW, word##_coloured, word##_coloured, product, #word "_coloured",                 \
            text "; results are added in groups (colours) of cells without common nodes")      \
  QUAD_CUDA_ROWS(ROW, word##_atomic, word##_atomic, product, #word "_atomic",                  \
                 text "; results of cells are added by atomic additions: not repeatable bit for bit")

WORDS(lma, QUAD_KEPT, QUAD_STRIPS, "products with stored element matrices")
WORDS(recompute, QUAD_RECOMPUTED, QUAD_ATOMIC, "matrix-free: element matrices recomputed in each product")
WORDS(points, QUAD_POINTS, QUAD_STRIPS, "matrix-free: gradients at integration points recomputed in each product")

extern const Stage *const REAL_NAME(lma_rows)[];
// clang-format off
const Stage *const REAL_NAME(lma_rows)[] = {
  QUAD_ROWS(QUAD_LISTED, lma, )
  QUAD_ROWS(QUAD_LISTED, lma_coloured, )
  QUAD_ROWS(QUAD_LISTED, recompute, )
  QUAD_ROWS(QUAD_LISTED, recompute_coloured, )
  QUAD_ROWS(QUAD_LISTED, points, )
  QUAD_ROWS(QUAD_LISTED, points_coloured, )
  QUAD_CUDA_ROWS(QUAD_LISTED, lma_atomic, )
  QUAD_CUDA_ROWS(QUAD_LISTED, recompute_atomic, )
  QUAD_CUDA_ROWS(QUAD_LISTED, points_atomic, )
  NULL
};
// clang-format on
