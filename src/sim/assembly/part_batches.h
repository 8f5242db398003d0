// The tables that assembly `parts` walks: batches of rows of a matrix in parts (sim/operator/parts/part_layout.h). A
// batch is a run of a part's tiles. A block of threads takes it, evaluates all tets that touch its rows, and keeps of
// each what the blocks are made of; then every slot of its tiles gathers its own block, and every row its own block and
// force.
//
// What is gathered stands in lists. A tile's step is a unit, whose 32 lanes have a list each, and so are ROWS_OF_UNIT
// rows, each with ROW_LANES lanes that share its list. The lists of a unit lie side by side, word by word: a word is
// two entries. Shorter lists have entries of no tet besides, which are tets behind the last. Lists are put into an
// order in which lanes wait little for the banks of shared memory.
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

// Where all stands that a batch needs; 32 bytes.
typedef struct Batch {
  int tet, tet_count;    // into tets
  int node, node_count;  // into node: its rows, then what else its tets have
  int row_count;
  int unit, row_units, unit_count;  // into units: row_units of rows, then those of steps; each by falling length
} Batch;

// One step of the layout, or ROWS_OF_UNIT rows of a batch; 16 bytes.
typedef struct BatchUnit {
  int list;   // where its lists begin
  int depth;  // entries of the longest
  int at;     // the step, or the first row
  int unused;
} BatchUnit;

// Arrays lie on the device that they were made for. A zeroed PartBatches is empty.
typedef struct PartBatches {
  int batch_count;
  int tets_most, nodes_most;  // of any batch
  size_t bytes_most;          // that any batch takes of its room
  int64_t tets, nodes;        // of all batches
  Batch *batch;
  int *node;                       // by batches, nodes_most apart, 0 where a batch has fewer
  uint16_t (*tet)[BATCH_CORNERS];  // by batches: nodes by their numbers in the batch
  void *supplemental;              // real, by batches, [reals of a cell][tets of the batch]
  BatchUnit *unit;
  uint32_t *list;
  void *slot_constant, *own_constant;  // real, sums of B_a.B_b times volume times stiffness: [slots], [node_count]
} PartBatches;

// What is kept of a cell at rest, by the element that is assembled.
typedef struct BatchCell {
  int reals;
  /// Fills S [reals], real, and returns volume times stiffness.
  double (*fill)(const Space *space, int e, void *S);
} BatchCell;

/// Batches of a space of 4-node cells for the layout of A, which is in parts, with values of A's precision. Fails for
/// lack of memory, interrupted, or where the tets at the rows of a single tile do not fit.
bool part_batches_create(PartBatches *batches, const Space *space, const Operator *A, const BatchCapacity *room,
                         const BatchCell *cell, Device device, Error *error);
void part_batches_destroy(PartBatches *batches, Device device);

#ifdef __cplusplus
}
#endif
