// Tables of assembly `parts`, for a matrix in parts (sim/operator/parts/part_layout.h). A part is a group of rows, and
// a tile a few rows of it, whose blocks a warp multiplies in steps: in each step, each of its 32 lanes has one block. A
// batch is a run of consecutive tiles of a part, which one thread block assembles. The block evaluates all tets that
// touch the batch's rows, and keeps in shared memory the data from which their matrix blocks follow. A slot is the
// place for one block of the matrix: a lane in a step of a tile. Each slot of the batch sums its off-diagonal block
// over a list of entries, and each row its diagonal block and force. An entry names a tet of the batch and two of its
// corners.
//
// A unit is the work of a warp, 32 lists for its 32 lanes. There are two kinds. A step unit is one step of a tile, with
// one slot per lane. A row unit has ROWS_OF_UNIT rows; each row's list is divided among ROW_LANES lanes. The lists of a
// unit are interleaved word by word, and a word holds two entries. Shorter lists are padded with entries of zero tets,
// which follow the batch's last tet. The order of entries avoids bank conflicts in shared memory.
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

// A batch: its ranges in the arrays of PartBatches. 32 bytes.
typedef struct Batch {
  // tets: offset into PartBatches.tet, and number
  int tet, tet_count;
  // Nodes: offset into PartBatches.node, and number. The batch's rows come first, then the other nodes of its tets.
  int node, node_count;
  int row_count;
  // Units: offset into PartBatches.unit, number of row units, and total number. Row units come first, then step units,
  // each kind sorted by decreasing depth (length of its longest list).
  int unit, row_units, unit_count;
} Batch;

// One unit. 16 bytes.
typedef struct BatchUnit {
  int list;   // offset of its lists in PartBatches.list, counted in words of one lane
  int depth;  // number of entries of the longest list
  int at;     // step unit: the step of the matrix; row unit: its first row in the batch
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
  // nodes of all batches; each batch has nodes_max entries, padded with 0
  int *node;
  // tets of all batches: the numbers of their corners among the batch's nodes
  uint16_t (*tet)[BATCH_CORNERS];
  // real, constant data of the tets, by batches: [reals of a cell][tets of the batch]
  void *supplemental;
  BatchUnit *unit;
  uint32_t *list;
  // real, constant sums over tets of B_a . B_b times volume times stiffness, where B_a is the gradient of corner a's
  // shape function: for each slot of the matrix, and for each node's diagonal block [node_count].
  void *slot_constant, *diagonal_constant;
} PartBatches;

// A function of the element that computes the constant data of a cell.
typedef struct BatchCell {
  // number of reals per cell
  int reals;
  /// Fills S [reals], real, and returns volume times stiffness.
  double (*fill)(const Space *space, int e, void *S);
} BatchCell;

/// Builds the batches for a space of 4-node cells and the matrix A, which is in parts. Constants are in A's precision.
/// Fails if memory runs out, if the user interrupts, or if the tets at the rows of a single tile do not fit.
bool part_batches_create(PartBatches *batches, const Space *space, const Operator *A, const BatchCapacity *capacity,
                         const BatchCell *cell, Device device, Error *error);
void part_batches_destroy(PartBatches *batches, Device device);

#ifdef __cplusplus
}
#endif
