// The formats "parts" and "parts16" on the CPU: y = A x for a matrix in parts (part_layout.h), tile by tile as on a
// GPU. A warp of a GPU processes a tile, a group of rows. Each lane (thread) multiplies some blocks of a row, one block
// per step. The sums of a row's lanes and its diagonal block are added in another order than on a GPU. "parts16" also
// stores a copy of the off-diagonal blocks in 16 bits (part_halves.h), which every call of operator_shift computes
// again. Products of "parts16" read this copy.
#include <string.h>

#include "base/parallel.h"
#include "base/real.h"
#include "sim/operator/parts/part_halves.h"

typedef struct Product {
  const Operator *A;
  const real *x;
  real *y;
  double *dots;  // output: partial sums of x.y, one per PART_GRAIN tiles (rows for one warp); NULL: not needed
} Product;

// Returns the address of the diagonal blocks [node_count][dof][dof], which are at the end of `values`.
static inline real *diagonal_blocks(const Operator *A) {
  const int dof = A->space->node_dof;
  return (real *)A->values + (int64_t)A->parts->step_start[A->parts->tile_count] * dof * dof * PART_LANES;
}

// Computes sums [lane][dof]: for each lane of a tile (rows for one warp), the product of its chunk with x. A chunk is
// some blocks of one row.
static inline void tile_product(const Product *product, int tile, int dof, real sums[PART_LANES][3]) {
  const PartLayout *l = product->A->parts;
  const int size = dof * dof;
  const real *values = product->A->values, *x = product->x;
  if (l->halves.unit) {
    halves_product(l, tile, x, l->node + l->tile_node[tile], dof, sums);
    return;
  }
  for (int lane = 0; lane < PART_LANES; lane++)
    for (int i = 0; i < dof; i++) sums[lane][i] = 0;
  for (int step = l->step_start[tile]; step < l->step_start[tile + 1]; step++) {
    const real *block = values + (int64_t)step * size * PART_LANES;
    const int *column = l->column + (int64_t)step * PART_LANES;
    for (int lane = 0; lane < PART_LANES; lane++) {
      const real *other = x + (int64_t)dof * column[lane];
      for (int i = 0; i < dof; i++)
        for (int k = 0; k < dof; k++) sums[lane][i] += block[(i * dof + k) * PART_LANES + lane] * other[k];
    }
  }
}

// Computes y for the rows of a tile (rows for one warp): the sum of the products of each row's chunks, which have some
// blocks each, plus the diagonal block times x. Returns the contribution of these rows to x.y.
static inline double tile_rows(const Product *product, int tile, int dof) {
  const Operator *A = product->A;
  const PartLayout *l = A->parts;
  const real *diagonal = diagonal_blocks(A);
  real sums[PART_LANES][3];
  double dot = 0;
  tile_product(product, tile, dof, sums);
  for (int lane = 0; lane < PART_LANES; lane++) {
    const int64_t at = (int64_t)tile * PART_LANES + lane;
    if (!lane_first(l->lane[at])) continue;
    const int node = l->lane_node[at];
    for (int i = 0; i < dof; i++) {
      const real *x = product->x + (int64_t)dof * node;
      real y = 0;
      for (int k = 0; k < dof; k++) y += diagonal[((int64_t)node * dof + i) * dof + k] * x[k];
      for (int c = 0; c <= lane_after(l->lane[at]); c++) y += sums[lane + c][i];
      product->y[(int64_t)dof * node + i] = y;
      dot += (double)x[i] * y;
    }
  }
  return dot;
}

static void tiles(const void *context, int first, int last) {
  const Product *product = context;
  const int dof = product->A->space->node_dof;
  double dot = 0;
  for (int tile = first; tile < last; tile++)
    dot += dof == 3   ? tile_rows(product, tile, 3)
           : dof == 2 ? tile_rows(product, tile, 2)
                      : tile_rows(product, tile, 1);
  if (product->dots) product->dots[first / PART_GRAIN] = dot;
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(A->parts->tile_count, PART_GRAIN, tiles, &(Product){ A, x, y, dots });
  return true;
}

static bool create_parts(Operator *A, bool with_halves, Error *error) {
  const int count = part_count_for(A->method->stage.device, A->space->node_count);
  return operator_check_dof(A, error) && part_layout_create(A, count, with_halves, error);
}

static int count_dots(const Operator *A) {
  return (A->parts->tile_count + PART_GRAIN - 1) / PART_GRAIN;
}

static bool create(Operator *A, Error *error) {
  return create_parts(A, false, error);
}

static bool create16(Operator *A, Error *error) {
  return create_parts(A, true, error);
}

// Arguments of round_tiles. The rounding errors times `factor` are added to diagonal [node_count][dof][dof].
typedef struct Rounding {
  const Operator *A;
  real *diagonal;
  real factor;
} Rounding;

// Rounds the blocks of the tiles (rows for one warp) [first, last) to 16 bits, and adds the rounding errors to the
// diagonal blocks of their rows.
static void round_tiles(const void *context, int first, int last) {
  const Rounding *rounding = context;
  const PartLayout *l = rounding->A->parts;
  const int dof = rounding->A->space->node_dof;
  for (int tile = first; tile < last; tile++) {
    real lost[PART_LANES][6];
    for (int lane = 0; lane < PART_LANES; lane++) {
      round_lane(l, rounding->A->values, tile, lane, dof, lost[lane]);
      for (int k = 0; k < 6; k++) lost[lane][k] *= rounding->factor;
    }
    for (int lane = 0; lane < PART_LANES; lane++) {
      const int64_t at = (int64_t)tile * PART_LANES + lane;
      if (!lane_first(l->lane[at])) continue;
      real *diagonal = rounding->diagonal + (int64_t)l->lane_node[at] * dof * dof;
      for (int c = 0; c <= lane_after(l->lane[at]); c++) add_to_diagonal(diagonal, lost[lane + c], dof);
    }
  }
}

static bool settle16(Operator *A, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(A->parts->tile_count, PART_GRAIN, round_tiles, &(Rounding){ A, diagonal_blocks(A), 1 });
  return true;
}

// Writes to `blocks` the diagonal blocks without the rounding errors of off-diagonal blocks that settle16 has added to
// them: copies A->blocks, computes these errors again, and subtracts them.
static void unrounded_blocks(const Operator *A, void *blocks) {
  const int dof = A->space->node_dof;
  memcpy(blocks, A->blocks, sizeof(real) * (size_t)A->space->node_count * (size_t)(dof * dof));
  parallel_for(A->parts->tile_count, PART_GRAIN, round_tiles, &(Rounding){ A, blocks, -1 });
}

// Returns an estimate of the number of stored off-diagonal blocks. About one in ten is padding.
static double slots_of(const StageSize *size) {
  return 1.1 * (stage_blocks(size) - size->nodes);
}

static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double slots = slots_of(size), diagonal = size->nodes * size->node_dof * size->node_dof;
  // Bytes of the index arrays of PartLayout: 6 per block for column and local_column; 8 per chunk of 8 blocks for lane
  // and lane_node; 4 per node for `node`; and 4 per node for the lists of halos (neighbours in other parts) and sends,
  // which contain about a third of the nodes.
  const double index = 6 * slots + slots + 4 * size->nodes + 4 * size->nodes;
  return operator_format_bytes(stage, size, slots * size->node_dof * size->node_dof + diagonal, index, index);
}

// Estimates memory and work of the format "parts16". Its products read rounded blocks, and columns as indices of nodes
// within a part, with 16 bits per number. After each assembly, a pass over the matrix rounds its blocks.
static StageBytes bytes16(const Stage *stage, const StageSize *size) {
  const double real_size = (double)precision_size(stage->precision), slots = slots_of(size);
  const double blocks = stage_blocks(size) - size->nodes, entries = size->node_dof * size->node_dof;
  const double n = size->node_dof * size->nodes,
               // about 4 % of these bytes are padding, because blocks are stored in units of 16 bytes
      halves = 2.0 * (entries + 1) * slots * 1.04;
  StageBytes taken = bytes(stage, size);
  taken.on[stage->device] += halves - 6 * slots;
  if (stage->device == DEVICE_CUDA) taken.on[DEVICE_CPU] += halves;
  StageTraffic *product = &taken.work[WORK_PRODUCT];
  *product = (StageTraffic){ .flops = product->flops };
  stage_pass(stage, &taken, WORK_PRODUCT, blocks * (2 * entries + 4) + (entries * size->nodes + n) * real_size,
             n * real_size);
  stage_pass(stage, &taken, WORK_SHIFT, blocks * entries * real_size, blocks * 2 * entries);
  return taken;
}

extern const OperatorMethod REAL_NAME(parts_cpu), REAL_NAME(parts16_cpu);
const OperatorMethod REAL_NAME(parts_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "parts",
             .summary = "rows of blocks, divided into one part for each multiprocessor of a GPU",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes },
  .create = create,
  .destroy_layout = part_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
};
const OperatorMethod REAL_NAME(parts16_cpu) = {
  .stage = { .kind = STAGE_OPERATOR,
             .name = "parts16",
             .summary = "as matrix \"parts\", but products read off-diagonal values in 16 bits",
             .device = DEVICE_CPU,
             .precision = REAL_PRECISION,
             .bytes = bytes16 },
  .create = create16,
  .destroy_layout = part_layout_destroy,
  .apply = apply,
  .count_dots = count_dots,
  .settle = settle16,
  .unrounded_blocks = unrounded_blocks,
};
