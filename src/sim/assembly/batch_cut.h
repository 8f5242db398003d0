// Cuts the parts of a matrix into batches for the assembly "parts" (part_batches.h). The words, from large to small:
//   part    a large group of matrix rows, one row of blocks for each of its nodes
//   batch   a run of consecutive tiles of a part; one thread block of the GPU assembles it
//   tile    a few rows of a part, which one warp multiplies in products (part_layout.h)
// The tets that contribute to the rows of a batch, and the nodes of these tets, must fit into the shared memory of one
// thread block.
//
// For a run of tiles [first, last), the functions below list its rows and count its tets. They also list the nodes
// outside: nodes that these tets have but that are not rows of the run.
#pragma once
#include "sim/assembly/batch_capacity.h"
#include "sim/operator/parts/part_layout.h"

// The batches into which the parts of a matrix are cut, and the tables from which they follow. A batch is a run of
// tiles, and a tile a few matrix rows. A zeroed BatchCut is empty.
typedef struct BatchCut {
  const Space *space;             // nodes and cells of the mesh; borrowed
  const Operator *A;              // the matrix, in format "parts"; borrowed
  const BatchCapacity *capacity;  // shared memory of a thread block, and the bytes that a batch needs of it; borrowed
  // Tables of the matrix, on the host: the tiles of each part, and the node of each row.
  PartTiles tiles;
  // for each node of the mesh, the list of tets that have this node
  NodeCells cells;
  int *tile_of;  // [node_count]: the number of the tile that contains each node's matrix row
  // Three arrays [tile_count]. If a batch begins at tile t, end[t] is the tile after its last one, and tets[t] and
  // nodes[t] are its numbers of tets and nodes. If no batch begins at tile t, all three are 0. Example: batches of the
  // tiles 0, 1, 2 and 3, 4 give end = 3, 0, 0, 5, 0.
  int *end, *tets, *nodes;
  // Upper bound, for any run of tiles, of the number of nodes outside the run that share a tet with one of its rows. A
  // node that is near k rows counts k times in this bound.
  int outside_max;
  size_t bytes_max;  // largest number of bytes of shared memory that a batch needs
} BatchCut;

/// Cuts all parts of the matrix A into batches. Fails if memory runs out or if the user interrupts. Also fails if the
/// tets of a single tile do not fit into the shared memory. The caller must call batch_cut_destroy even after a
/// failure.
bool batch_cut_create(BatchCut *cut, const Space *space, const Operator *A, const BatchCapacity *capacity,
                      Error *error);
void batch_cut_destroy(BatchCut *cut);

// Iterator over the rows of the tiles from `tile` to `last` - 1. A tile has PART_LANES lanes, one for each thread of a
// warp. A lane holds a row, or a piece of a long row that is divided among several lanes. So not every lane begins a
// row. `lane` is the next lane to test.
typedef struct BatchRows {
  const BatchCut *cut;
  int tile, last, lane;
} BatchRows;

/// Returns the node of the next matrix row and advances the iterator. Returns -1 at the end.
int batch_next_row(BatchRows *rows);

/// Returns true if the matrix row of a node is in the tiles `first` to `last` - 1.
static inline bool batch_has(const BatchCut *cut, int node, int first, int last) {
  return cut->tile_of[node] >= first && cut->tile_of[node] < last;
}

/// Returns true if `node` is the first corner of cell e whose row is in the tiles [first, last). A loop over rows, and
/// over the cells of each row, reaches a cell once for each of its corners. This test then counts the cell only once.
bool batch_counts_here(const BatchCut *cut, int e, int node, int first, int last);

/// Lists in outside [outside_max] the nodes outside a run of tiles: nodes that share a cell with a row of the tiles
/// [first, last) but whose rows are not in these tiles. Each node is listed once; they ascend. Returns their number.
int batch_list_outside(const BatchCut *cut, int first, int last, int *outside);
/// Returns the index of `node` in the ascending list outside [count], which must contain it.
int batch_find_outside(const int *outside, int count, int node);
