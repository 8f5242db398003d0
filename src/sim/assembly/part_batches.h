// Tables of the assembly "parts", for a matrix in parts (sim/operator/parts/part_layout.h). These terms are used:
//   part    a large group of matrix rows
//   tile    a few rows of a part, which one warp multiplies in steps
//   step    the blocks that the 32 lanes of a warp multiply at the same time, one per lane
//   slot    the place of one block of the matrix: a lane in a step of a tile
//   batch   a run of consecutive tiles of a part, which one thread block assembles
//   entry   a tet of the batch and two of its corners, the row and the column: names one block of the tet's matrix
//   unit    the work of a warp: 32 lists of entries, one for each lane
// The thread block evaluates all tets that touch the batch's rows, and keeps in shared memory the data from which their
// matrix blocks follow. Then it sums lists of entries: one list per slot gives an off-diagonal block, and one list per
// row gives the diagonal block and the force.
//
// There are two kinds of units. A step unit has the slots of one step of a tile, one per lane. A row unit has
// ROWS_OF_UNIT rows; each row's list is divided among ROW_LANES lanes. An entry has 16 bits, so a 32-bit word holds two
// entries. The words of a unit's lists are stored in turn: first word of each lane, then the second word of each lane.
// Shorter lists are padded with entries of zero tets, which follow the batch's last tet in shared memory. The order of
// entries avoids bank conflicts.
//   list     [word][PART_LANES], from unit.list on
//   entry    tet of the batch | a << 12 | b << 14: corner a is the row, b the column
#pragma once
#include "sim/assembly/batch_capacity.h"
#include "sim/operator/parts/part_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ROW_LANES = 4, ROWS_OF_UNIT = PART_LANES / ROW_LANES };

HOST_DEVICE int entry_tet(unsigned entry) {
  return (int)(entry & 4095);
}
HOST_DEVICE int entry_row(unsigned entry) {
  return (int)(entry >> 12 & 3);
}
HOST_DEVICE int entry_column(unsigned entry) {
  return (int)(entry >> 14 & 3);
}

// A batch: its ranges in the arrays of PartBatches. Its size is 32 bytes, which a GPU reads in two loads.
typedef struct Batch {
  // Tets: offset into PartBatches.tet, and number.
  int tet, tet_count;
  // Nodes: offset into PartBatches.node, and number. The batch's rows come first, then the other nodes of its tets.
  int node, node_count;
  int row_count;
  // Units (the work of a warp): offset into PartBatches.unit, number of row units, and number of all units. Row units
  // come first, then step units, each kind by decreasing depth (length of its longest list).
  int unit, row_units, unit_count;
} Batch;

// One unit: 32 lists of entries, one for each lane of a warp. Its size is 16 bytes, which a GPU reads in one load.
typedef struct BatchUnit {
  int list;   // offset of its lists in PartBatches.list, counted in words of one lane
  int depth;  // number of entries of the longest list
  // In a step unit, the number of the step in the matrix; in a row unit, the first row in the batch.
  int at;
  int unused;
} BatchUnit;

// Arrays are on the device given to part_batches_create. A zeroed PartBatches is empty.
typedef struct PartBatches {
  int batch_count;
  // largest numbers of tets and of nodes of a batch
  int tets_max, nodes_max;
  size_t bytes_max;     // largest shared memory of any batch, in bytes
  int64_t tets, nodes;  // sums over all batches
  Batch *batch;
  // Numbers of the nodes of all batches. Each batch has nodes_max entries, padded with 0.
  int *node;
  // Tets of all batches. A corner is given as an index into the nodes of its batch.
  uint16_t (*tet)[BATCH_CORNERS];
  // real, constant data of the tets, such as gradients and volume: for each batch [reals of a cell][tets of the batch]
  void *supplemental;
  BatchUnit *unit;
  uint32_t *list;
  // real, the part of the matrix that does not depend on the deformation: sums over tets of B_a . B_b times volume
  // times stiffness, where B_a is the gradient of corner a's shape function. One number for each slot of the matrix,
  // and one for each node's diagonal block [node_count].
  void *slot_constant, *diagonal_constant;
} PartBatches;

// A function of the element that computes the constant data of a cell, and the number of these data.
typedef struct BatchCell {
  // number of reals per cell
  int reals;
  /// Computes S [reals], real, the constant data of cell e, and returns volume times stiffness.
  double (*fill)(const Space *space, int e, void *S);
} BatchCell;

/// Builds the batches for a space of 4-node cells and the matrix A, which is in parts. Constants are in A's precision.
/// Fails if memory runs out or if the user interrupts. Also fails if the tets at the rows of a single tile do not fit
/// into shared memory.
bool part_batches_create(PartBatches *batches, const Space *space, const Operator *A, const BatchCapacity *capacity,
                         const BatchCell *cell, Device device, Error *error);
void part_batches_destroy(PartBatches *batches, Device device);

#ifdef __cplusplus
}
#endif
