// Tables of the assembly "parts", which computes a matrix in the format "parts" (sim/operator/parts/part_layout.h). The
// words, from large to small:
//   part    a large group of matrix rows; a row is a row of 3 x 3 blocks and belongs to one node
//   batch   consecutive tiles of a part, which one thread block assembles
//   tile    a few rows of a part; in products with the matrix, one warp of 32 threads multiplies them in steps
//   step    32 blocks of a tile, one for each thread (lane) of the warp; the lanes multiply them at the same time
//   slot    index of a block in the matrix: 32 * step + lane. Example: lane 5 of step 2 has slot 69
//   entry   16 bits that name a tet of the batch and two of its corners, a and b: the block (a, b) of the tet's matrix
//   unit    the work of a warp: 32 lists of entries, one for each lane
// A thread block evaluates all tets at the nodes of the batch's rows. For each corner of a tet it stores a vector h, a
// number r and a force in shared memory (parts_cell.h), not the tet's matrix. Then each warp takes units, one after the
// other, and sums along their lists. It computes a block from h and r when it adds the block. The CPU version (parts.c)
// uses the same tables. There are two kinds of units:
//   step unit   lane k sums the off-diagonal block with slot 32 * step + k
//   row unit    4 lanes sum the diagonal block of a row and the force on its node; so 32 lanes sum 8 rows
//
// An entry is tet | a << 12 | b << 14; corner a is the row of the block, corner b the column. Example: tet 5 with a = 1
// and b = 2 gives 5 + 4096 + 32768 = 36869. A 32-bit word holds two entries. The words of a unit are stored as
// [word][lane]. Short lists are padded with entries of zero tets: columns of zeros after the results of the batch's
// last tet. The entries of a list are in an order that avoids bank conflicts.
#pragma once
#include "sim/assembly/batch_capacity.h"
#include "sim/operator/parts/part_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

// A row unit is the work of a warp for ROWS_OF_UNIT matrix rows. Each row has a list of terms. ROW_LANES lanes (threads
// of the warp) divide this list.
enum { ROW_LANES = 4, ROWS_OF_UNIT = PART_LANES / ROW_LANES };

// These three functions unpack an entry, 16 bits that name a block of a tet's matrix. entry_tet: number of the tet in
// its batch. entry_row, entry_column: corners of the tet, 0 to 3, to which the block's row and column belong.
HOST_DEVICE int entry_tet(unsigned entry) {
  return (int)(entry & 4095);
}
HOST_DEVICE int entry_row(unsigned entry) {
  return (int)(entry >> 12 & 3);
}
HOST_DEVICE int entry_column(unsigned entry) {
  return (int)(entry >> 14 & 3);
}

// A batch: the matrix rows that one thread block assembles. The members are ranges in the arrays of PartBatches. The
// struct has 32 bytes, which a GPU reads in two loads.
typedef struct Batch {
  // The batch's tets: PartBatches.tet from index `tet` on, `tet_count` of them.
  int tet, tet_count;
  // The batch's nodes: PartBatches.node from index `node` on, `node_count` of them. The first row_count nodes are those
  // of the batch's matrix rows. After these follow the other corners of the batch's tets.
  int node, node_count;
  int row_count;  // number of the batch's rows: matrix rows, one for each node, that the thread block assembles
  // The batch's units, each the work of a warp: PartBatches.unit from index `unit` on, unit_count of them. The first
  // row_units units sum diagonal blocks and forces (row units). The others sum off-diagonal blocks (step units). Within
  // each kind, units with longer lists come first.
  int unit, row_units, unit_count;
} Batch;

// A unit, the work of a warp: 32 lists of entries, one for each lane (thread). An entry names a block of a tet's matrix
// that is added to a sum. The struct has 16 bytes, which a GPU reads in one load.
typedef struct BatchUnit {
  int list;   // index of the unit's lists in PartBatches.list: word w of a lane is list[(list + w) * PART_LANES + lane]
  int depth;  // number of entries of the unit's longest list
  // In a unit for off-diagonal blocks: number, in the whole matrix, of the step whose blocks the unit sums; a step is
  // 32 blocks. In a unit for diagonal blocks: number of the unit's first row in the batch.
  int at;
  // not used; it makes the struct 16 bytes long, so that one load reads it
  int unused;
} BatchUnit;

// The tables of all batches; a batch is the matrix rows that one thread block assembles. The arrays are in the memory
// of one device, CPU or GPU. A zeroed PartBatches is empty.
typedef struct PartBatches {
  int batch_count;  // number of batches
  // tets_max: largest number of tets of a batch. nodes_max: largest number of nodes of a batch.
  int tets_max, nodes_max;
  size_t bytes_max;     // largest number of bytes of shared memory that a batch needs
  int64_t tets, nodes;  // sums over all batches of their numbers of tets and of nodes
  // [batch_count], the batches: groups of matrix rows that one thread block assembles
  Batch *batch;
  // [batch_count][nodes_max]: the index in the mesh of each node of each batch, padded with 0
  int *node;
  // [tets]: the four corners of each tet, one batch after the other. A corner is an index into the nodes of its batch.
  uint16_t (*tet)[BATCH_CORNERS];
  // Constants of the tets, such as gradients and volume, in the matrix's precision. Each batch stores [constant][tet]:
  // the first constant of all its tets, then the second constant of all its tets, and so on.
  void *supplemental;
  // unit: the units of all batches, each the work of a warp. list [words][PART_LANES]: the lists of entries of all
  // units; lane l of a unit reads the words list[w][l]. A word of 32 bits has two entries.
  BatchUnit *unit;
  uint32_t *list;
  // The terms of the matrix that do not depend on the deformation, in the matrix's precision. For each 3 x 3 block (a,
  // b), one number is stored, which is multiplied by mu and added to the block's three diagonal entries. This number is
  // the sum of B_a . B_b * volume * stiffness factor over the tets that have both nodes a and b. B_a is the gradient of
  // node a's shape function, 1/m. slot_constant [slots of the matrix]: numbers of off-diagonal blocks.
  // diagonal_constant [node_count]: numbers of diagonal blocks.
  void *slot_constant, *diagonal_constant;
} PartBatches;

// Constants that are stored for each cell: those of the element, such as gradients, and those that the assembly adds
// (CELL_REALS in parts_cell.h).
typedef struct BatchCell {
  int reals;  // number of constants of a cell, float or double
  /// Computes S [reals], real, the constants of cell e. Returns the cell's volume, m^3, times its stiffness factor.
  double (*fill)(const Space *space, int e, void *S);
} BatchCell;

/// Builds the batches for a space of tets with 4 nodes and a matrix A in the format "parts". capacity: limits of a
/// thread block's shared memory. cell: computes the constants of a tet, which are stored in A's precision. device: the
/// device in whose memory the arrays are stored. Fails if memory runs out or if the user interrupts. Also fails if a
/// single tile, a few matrix rows, has more tets at its nodes than fit into shared memory.
bool part_batches_create(PartBatches *batches, const Space *space, const Operator *A, const BatchCapacity *capacity,
                         const BatchCell *cell, Device device, Error *error);
void part_batches_destroy(PartBatches *batches, Device device);

#ifdef __cplusplus
}
#endif
