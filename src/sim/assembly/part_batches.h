// Tables of assembly `parts`: batches of rows of a matrix in parts (sim/operator/parts/part_layout.h). A batch is a run
// of a part's tiles, processed by one thread block. The block evaluates all tets that touch the batch's rows and keeps
// the data of their blocks in shared memory. Then each slot of its tiles gathers its off-diagonal block, and each row
// its diagonal block and force.
//
// Lists hold the entries to gather. A unit is either one step of a tile, with a list for each of 32 lanes, or
// ROWS_OF_UNIT rows, each with ROW_LANES lanes that share its list. The lists of a unit are interleaved word by word; a
// word holds two entries. Padding entries of shorter lists point to the zero tets after the last tet. Entries are
// ordered to avoid bank conflicts in shared memory.
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

// Ranges of a batch in the arrays of PartBatches; 32 bytes.
typedef struct Batch {
  int tet, tet_count;    // into tet
  int node, node_count;  // into node: the batch's rows, then the other nodes of its tets
  int row_count;
  int unit, row_units, unit_count;  // into unit: row_units units of rows, then units of steps; each group sorted by
                                    // falling depth
} Batch;

// One step of the layout, or ROWS_OF_UNIT rows of a batch; 16 bytes.
typedef struct BatchUnit {
  int list;   // first word of its lists
  int depth;  // entries of the longest list
  int at;     // the step, or the first row
  int unused;
} BatchUnit;

// Arrays are on the device given to part_batches_create. A zeroed PartBatches is empty.
typedef struct PartBatches {
  int batch_count;
  int tets_max, nodes_max;  // largest of any batch
  size_t bytes_max;         // largest shared memory of any batch, in bytes
  int64_t tets, nodes;      // sums over all batches
  Batch *batch;
  int *node;                       // by batches, nodes_max apart, padded with 0
  uint16_t (*tet)[BATCH_CORNERS];  // by batches: node numbers within the batch
  void *supplemental;              // real, by batches, [reals of a cell][tets of the batch]
  BatchUnit *unit;
  uint32_t *list;
  void *slot_constant, *diagonal_constant;  // real, sums of B_a.B_b times volume times stiffness: [slots], [node_count]
} PartBatches;

// Constant data of a cell, which depend on the element.
typedef struct BatchCell {
  int reals;
  /// Fills S [reals], real, and returns volume times stiffness.
  double (*fill)(const Space *space, int e, void *S);
} BatchCell;

/// Builds the batches of a space of 4-node cells for the layout of A, which is in parts, with values in A's precision.
/// Fails if memory runs out, if interrupted, or if the tets at the rows of a single tile do not fit.
bool part_batches_create(PartBatches *batches, const Space *space, const Operator *A, const BatchCapacity *capacity,
                         const BatchCell *cell, Device device, Error *error);
void part_batches_destroy(PartBatches *batches, Device device);

#ifdef __cplusplus
}
#endif
