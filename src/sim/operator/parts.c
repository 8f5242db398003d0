// y = A x for a matrix in parts on the CPU; part_layout.h says how it lies. Lane by lane, as a warp does it.
#include "base/parallel.h"
#include "base/real.h"
#include "sim/operator/part_layout.h"

enum { GRAIN = 8 };  // tiles; as many as a block of parts.cu has

typedef struct Product {
  const Operator *A;
  const real *x;
  real *y;
  double *dots;  // [tiles / GRAIN, rounded up], or NULL
} Product;

// what the chunks of a tile add up to, [lane][dof]
static inline void tile_product(const Product *product, int tile, int dof, real sums[PART_LANES][3]) {
  const PartLayout *l = product->A->parts;
  const int size = dof * dof;
  const real *values = product->A->values, *x = product->x;
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

// y of a tile's rows; returns their share of x.y
static inline double tile_rows(const Product *product, int tile, int dof) {
  const Operator *A = product->A;
  const PartLayout *l = A->parts;
  const int64_t nodes = A->space->node_count;
  const real *own = (const real *)A->values + (int64_t)l->step_start[l->tile_count] * dof * dof * PART_LANES;
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
      for (int k = 0; k < dof; k++) y += own[(i * dof + k) * nodes + node] * x[k];
      for (int c = 0; c <= lane_behind(l->lane[at]); c++) y += sums[lane + c][i];
      product->y[(int64_t)dof * node + i] = y;
      dot += (double)x[i] * y;
    }
  }
  return dot;
}

static void tiles(const void *context, int first, int last) {
  const Product *product = context;
  double dot = 0;
  for (int tile = first; tile < last; tile++)
    dot += product->A->space->node_dof == 3 ? tile_rows(product, tile, 3) : tile_rows(product, tile, 1);
  if (product->dots) product->dots[first / GRAIN] = dot;
}

static bool apply(const Operator *A, const void *x, void *y, double *dots, Stream stream, Error *error) {
  (void)stream, (void)error;
  parallel_for(A->parts->tile_count, GRAIN, tiles, &(Product){ A, x, y, dots });
  return true;
}

static bool create(Operator *A, Error *error) {
  const int dof = A->space->node_dof;
  if (dof != 1 && dof != 3) return error_set(error, "a node has %d unknowns, and its products take 1 or 3", dof);
  if (!part_layout_create(A, part_count_for(A->method->stage.device, A->space->node_count), error)) return false;
  A->dot_count = (A->parts->tile_count + GRAIN - 1) / GRAIN;
  return true;
}

// chunks are filled to some nine tenths
static StageBytes bytes(const Stage *stage, const StageSize *size) {
  const double blocks = stage_blocks(size), slots = 1.1 * (blocks - size->nodes);
  const double own = size->nodes * size->node_dof * size->node_dof;
  // columns twice over and lanes; nodes; halos, as many as a third of the nodes, twice
  const double index = 6 * slots + slots + 4 * size->nodes + 4 * size->nodes;
  return operator_format_bytes(stage, size, slots * size->node_dof * size->node_dof + own, index, index);
}

extern const OperatorMethod REAL_NAME(parts_cpu);
const OperatorMethod REAL_NAME(parts_cpu) = {
  .stage = { STAGE_OPERATOR, "parts", "blocks in parts, a part for each multiprocessor", NULL, DEVICE_CPU,
             REAL_PRECISION, false, bytes },
  .create = create,
  .destroy_layout = part_layout_destroy,
  .apply = apply,
};
