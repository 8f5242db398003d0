// Cuts the parts of a matrix into batches for the assembly "parts" (part_batches.h). The words, from large to small:
//   part    a large group of nodes with their matrix rows; each node has one row of 3 x 3 blocks
//   batch   consecutive tiles of a part; one thread block of the GPU assembles them
//   tile    a few rows of a part, which one warp multiplies in products (part_layout.h)
// The tets that contribute to a batch's rows, and the nodes of these tets, must fit into the shared memory of a thread
// block. Some of these nodes are outside the batch: their rows belong to other batches.
#pragma once
#include "sim/assembly/batch_capacity.h"
#include "sim/operator/parts/part_layout.h"

// The batches of a matrix, and the tables from which they are computed. A batch is a range of tiles; a tile is a few
// matrix rows. A zeroed BatchCut is empty.
typedef struct BatchCut {
  const Space *space;  // nodes and cells of the mesh; borrowed
  const Operator *A;   // the matrix, in format "parts"; borrowed
  // The shared memory of a thread block, and the memory that each node and each tet of a batch needs, in bytes;
  // borrowed.
  const BatchCapacity *capacity;
  // Tables of the matrix, on the host: the tiles of each part, and the node of each row. A tile is a few rows of a
  // part.
  PartTiles tiles;
  // for each node of the mesh, the list of tets that have this node
  NodeCells cells;
  int *tile_of;  // [node_count]: the number of the tile that contains each node's matrix row
  // Three arrays [tile_count]; a tile is a few matrix rows. If a batch begins at tile t, end[t] is the tile after its
  // last one, and tets[t] and nodes[t] are its numbers of tets and nodes. If no batch begins at tile t, all three are
  // 0. Example: batches of the tiles 0, 1, 2 and 3, 4 give end = 3, 0, 0, 5, 0.
  int *end, *tets, *nodes;
  // Length of the array that batch_list_outside needs: for any range of tiles, an upper bound of the number of nodes
  // that the function lists before it removes duplicates.
  int outside_max;
  size_t bytes_max;  // largest number of bytes of shared memory that a batch needs
} BatchCut;

/// Cuts the parts of the matrix A, large groups of rows, into batches: the rows that one thread block assembles. Fails
/// if memory runs out, if the user interrupts, or if the tets of a single tile (a few rows) do not fit into shared
/// memory. The caller must call batch_cut_destroy even after a failure.
bool batch_cut_create(BatchCut *cut, const Space *space, const Operator *A, const BatchCapacity *capacity,
                      Error *error);
void batch_cut_destroy(BatchCut *cut);

// Iterator over the matrix rows in the tiles `tile` to `last` - 1. A tile has PART_LANES = 32 lanes, one for each
// thread of a warp. Each lane holds one matrix row, but several lanes may divide one long row. So not every lane begins
// a row. `lane` is the next lane to test.
typedef struct BatchRows {
  const BatchCut *cut;
  int tile, last, lane;
} BatchRows;

/// Returns the node of the next matrix row and advances the iterator. Returns -1 at the end.
int batch_next_row(BatchRows *rows);

/// Returns true if the matrix row of a node is in the tiles `first` to `last` - 1. A tile is a few rows.
static inline bool batch_has(const BatchCut *cut, int node, int first, int last) {
  return cut->tile_of[node] >= first && cut->tile_of[node] < last;
}

/// Returns true if `node` is the first of the corners of cell e whose row is in the tiles [first, last). A loop over
/// these rows, and over the cells at each row's node, visits a cell once for each of these corners. This test is true
/// for one of the visits, so each cell is counted once.
bool batch_counts_here(const BatchCut *cut, int e, int node, int first, int last);

/// Writes to `outside` [outside_max] the nodes that share a cell with a node of the tiles [first, last) but whose
/// matrix rows are in other tiles. A tile is a few rows. Each node is listed once, in ascending order. Returns the
/// number of nodes.
int batch_list_outside(const BatchCut *cut, int first, int last, int *outside);

/// Returns the index of `node` in `outside` [count], an ascending list that must contain it.
int batch_find_outside(const int *outside, int count, int node);
