// Tables of the assembly "parts", for a matrix in parts (sim/operator/parts/part_layout.h). The words, from large to
// small:
//   part    a large group of matrix rows; a row is a row of 3 x 3 blocks and belongs to one node
//   batch   a run of consecutive tiles of a part, which one thread block assembles
//   tile    a few rows of a part; one warp of 32 threads multiplies them in steps
//   step    32 blocks of a tile, one for each thread (lane) of the warp; the lanes multiply them at the same time
//   slot    the index of a block in the matrix: 32 * step + lane. Example: lane 5 of step 2 has slot 69
//   entry   a tet of the batch and two of its corners a and b: names the block (a, b) of the tet's matrix
//   unit    the work of a warp: 32 lists of entries, one for each lane
// A thread block evaluates all tets that touch the batch's rows. It keeps numbers in shared memory from which the
// matrices of these tets follow. Then it sums along lists of entries. The list of a slot gives an off-diagonal block of
// the matrix. The list of a row gives its diagonal block and the force on its node.
//
// There are two kinds of units. In a step unit, lane k sums the list of slot k of one step. In a row unit, the 32 lanes
// sum the lists of ROWS_OF_UNIT = 8 rows. The list of each row is divided among ROW_LANES = 4 lanes.
//
// An entry has 16 bits, so a 32-bit word holds two entries. The words of a unit are stored as [word][lane]: first word
// 0 of all 32 lanes, then word 1 of all lanes. Shorter lists are padded with entries of zero tets. These are columns of
// zeros that follow the batch's last tet in shared memory. The entries of a list are in an order that avoids bank
// conflicts.
//   entry    tet | a << 12 | b << 14; corner a is the row, corner b the column of the block
// Example: tet 5 with a = 1 and b = 2 gives 5 + 4096 + 32768 = 36869.
#pragma once
#include "sim/assembly/batch_capacity.h"
#include "sim/operator/parts/part_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

// A row unit is the work of a warp of 32 lanes (threads) for ROWS_OF_UNIT rows of the matrix. ROW_LANES lanes divide
// the list of one row.
enum { ROW_LANES = 4, ROWS_OF_UNIT = PART_LANES / ROW_LANES };

// Three parts of an entry, the code of a block of a tet's matrix: the tet's number in the batch, and the two corners.
HOST_DEVICE int entry_tet(unsigned entry) {
  return (int)(entry & 4095);
}
HOST_DEVICE int entry_row(unsigned entry) {
  return (int)(entry >> 12 & 3);
}
HOST_DEVICE int entry_column(unsigned entry) {
  return (int)(entry >> 14 & 3);
}

// A batch, the matrix rows that one thread block assembles: its ranges in the arrays of PartBatches. Its size is 32
// bytes, which a GPU reads in two loads.
typedef struct Batch {
  // The batch's tets: PartBatches.tet from index `tet` on, `tet_count` of them.
  int tet, tet_count;
  // The batch's nodes: PartBatches.node from index `node` on, `node_count` of them. The first row_count nodes are the
  // batch's rows. Then follow the other nodes of its tets.
  int node, node_count;
  int row_count;  // number of the batch's rows: matrix rows, one for each node, that the thread block assembles
  // The batch's units, each the work of a warp: PartBatches.unit from index `unit` on, unit_count of them. The first
  // row_units of them are row units, then step units follow. Each kind is sorted by decreasing depth, the length of a
  // unit's longest list.
  int unit, row_units, unit_count;
} Batch;

// One unit, the work of a warp: 32 lists of entries, one for each lane. Its size is 16 bytes, which a GPU reads in one
// load.
typedef struct BatchUnit {
  int list;   // index of the unit's lists in PartBatches.list: word w of a lane is list[(list + w) * PART_LANES + lane]
  int depth;  // number of entries of the unit's longest list
  // In a step unit: the number of its step in the whole matrix. In a row unit: the number of its first row in the
  // batch.
  int at;
  // without meaning: it makes the struct 16 bytes long
  int unused;
} BatchUnit;

// The tables of all batches. Arrays are on the device given to part_batches_create. A zeroed PartBatches is empty.
typedef struct PartBatches {
  int batch_count;  // number of batches
  // largest number of tets of a batch, and largest number of nodes of a batch
  int tets_max, nodes_max;
  size_t bytes_max;     // largest number of bytes of shared memory that a batch needs
  int64_t tets, nodes;  // numbers of tets and of nodes, summed over all batches
  // [batch_count], the batches: groups of matrix rows that one thread block assembles
  Batch *batch;
  // [batch_count][nodes_max]: the numbers of each batch's nodes in the mesh, padded with 0
  int *node;
  // [tets]: the four corners of each tet, one batch after the other. A corner is an index into the nodes of its batch.
  uint16_t (*tet)[BATCH_CORNERS];
  // real (float or double), the constants of the tets, such as gradients and volume. For each batch [reals of a
  // cell][tets of the batch]: number 0 of all its tets, then number 1 of all its tets.
  void *supplemental;
  // `unit`: the units of all batches. `list` [words][PART_LANES]: the lists of all units, two entries in each word.
  BatchUnit *unit;
  uint32_t *list;
  // real (float or double), the part of the matrix that does not depend on the deformation. It has one number for each
  // block. This number times mu is added to the three diagonal entries of the block. For the block of the nodes a and
  // b, the number is the sum of B_a . B_b times volume times stiffness, over the tets that have both nodes. B_a is the
  // gradient of node a's shape function in a tet, 1/m. slot_constant [slots of the matrix] is for off-diagonal blocks,
  // diagonal_constant [node_count] for diagonal blocks.
  void *slot_constant, *diagonal_constant;
} PartBatches;

// The callback `fill` of an element computes the constants of a cell; `reals` is the number of these constants.
typedef struct BatchCell {
  int reals;  // number of constants of a cell, float or double
  /// Computes S [reals], real, the constants of cell e. Returns its volume, m^3, times its stiffness factor.
  double (*fill)(const Space *space, int e, void *S);
} BatchCell;

/// Builds the batches for a space of tets with 4 nodes and the matrix A, which is in parts. Constants have A's
/// precision. Fails if memory runs out or if the user interrupts. Also fails if the tets at the rows of a single tile
/// do not fit into shared memory.
bool part_batches_create(PartBatches *batches, const Space *space, const Operator *A, const BatchCapacity *capacity,
                         const BatchCell *cell, Device device, Error *error);
void part_batches_destroy(PartBatches *batches, Device device);

#ifdef __cplusplus
}
#endif
