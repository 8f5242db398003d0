// Estimates memory and work of the solver "pmg", conjugate gradients with a multigrid preconditioner.
#include "sim/solver/multigrid/pmg_bytes.h"

#include "sim/solver/solver.h"

// Adds the memory of a level's vectors, and the work of `products` products with its matrix and as many vector loops.
static void add_level(const Stage *stage, const StageSize *size, const Stage *matrix, int products, StageBytes *bytes) {
  const double vector = size->node_dof * size->nodes * (double)precision_size(stage->precision);
  const StageTraffic product = matrix->bytes(matrix, size).work[WORK_PRODUCT];
  bytes->on[stage->device] += 5 * vector;
  for (int k = 0; k < products; k++) {
    stage_pass(stage, bytes, WORK_ITERATION, product.read, product.written);
    stage_light_pass(stage, bytes, WORK_ITERATION, 5 * vector, 3 * vector);
    bytes->work[WORK_ITERATION].flops += product.flops;
  }
}

// Estimates memory and work for a typical mesh of quadratic tets: with 1 corner per 7.8 nodes, and 6.5 edges per
// corner.
StageBytes pmg_bytes(const Stage *stage, const StageSize *size) {
  const Stage *usual = stage_find(STAGE_OPERATOR, NULL, stage->device, stage->precision, NULL);
  const Stage *matrix = stage_find(STAGE_OPERATOR, pmg_matrix(stage->device), stage->device, stage->precision, NULL);
  StageBytes taken = solver_bytes(stage, size);
  StageSize corners = *size;
  if (size->cell_nodes > 4) {
    corners.nodes = size->nodes / 7.8;
    corners.pairs = 6.5 * corners.nodes;
    corners.cell_nodes = 4;
    const StageBytes low = matrix->bytes(matrix, &corners);
    for (int device = 0; device < 2; device++) taken.on[device] += low.on[device];

    // The host stores the lists, the cells and the neighbours of a CornerSpace (corner_space.h).
    taken.on[DEVICE_CPU] +=
        7.5 * stage_blocks(size) + 20 * size->nodes + 16 * size->cells + 72 * stage_blocks(&corners);

    // A GPU also stores each matrix block's position in the array of values, and the neighbours of nodes and corners.
    if (stage->device == DEVICE_CUDA)
      taken.on[DEVICE_CUDA] += 23.5 * stage_blocks(size) + 32 * size->nodes + 84 * stage_blocks(&corners);
    add_level(stage, size, usual, 2 * PMG_DEGREE_ALL, &taken);
  }
  add_level(stage, &corners, size->cell_nodes > 4 ? matrix : usual, 2 * PMG_DEGREE_CORNERS, &taken);
  return taken;
}
