// Cuts the parts of a matrix into batches for the assembly "parts" (part_batches.h). A part is a large group of matrix
// rows. A tile is a few rows of a part, which one warp multiplies in products (part_layout.h). A batch is a run of
// consecutive tiles of a part that one thread block assembles. The tets that contribute to its rows, and their nodes,
// must fit into the block's shared memory.
//
// The functions below list the rows of a run of tiles, count their tets, and list the nodes of these tets that are not
// rows of the run, called the nodes outside.
#pragma once
#include "sim/assembly/batch_capacity.h"
#include "sim/operator/parts/part_layout.h"

// A zeroed BatchCut is empty.
typedef struct BatchCut {
  const Space *space;  // borrowed, like A and `capacity`
  const Operator *A;
  const BatchCapacity *capacity;
  PartTiles tiles;
  NodeCells cells;
  int *tile_of;  // [node_count]: the tile that contains each node's row
  // [tile_count]. A tile is a few matrix rows, and a batch a run of tiles. If a batch begins at tile t, end[t] is the
  // tile after its last one, and tets[t] and nodes[t] are its numbers of tets and nodes. If no batch begins at tile t,
  // all three are 0.
  int *end, *tets, *nodes;
  // Upper bound, for any run of tiles, of the number of nodes outside the run that share a tet with one of its rows. In
  // this bound, a node counts once for each such row.
  int outside_max;
  size_t bytes_max;  // largest number of bytes that a batch needs
} BatchCut;

/// Cuts all parts into batches. Fails if memory runs out, if the user interrupts, or if a single tile (a few rows) has
/// too many tets for the shared memory. The caller must call batch_cut_destroy even after a failure.
bool batch_cut_create(BatchCut *cut, const Space *space, const Operator *A, const BatchCapacity *capacity,
                      Error *error);
void batch_cut_destroy(BatchCut *cut);

// Iterator over the rows of the tiles from `tile` to `last` - 1. A tile has PART_LANES lanes. A lane holds a row or, if
// a row is long, one of its chunks, so not every lane begins a row. `lane` is the next lane to test.
typedef struct BatchRows {
  const BatchCut *cut;
  int tile, last, lane;
} BatchRows;

/// Returns the next row's node, or -1 at the end.
int batch_next_row(BatchRows *rows);

/// Returns true if the row of a node is in the tiles [first, last).
static inline bool batch_has(const BatchCut *cut, int node, int first, int last) {
  return cut->tile_of[node] >= first && cut->tile_of[node] < last;
}

/// Returns true if `node` is the first among the corners of cell e whose rows are in the tiles [first, last). A loop
/// over rows, and over the cells of each row, can use this to count each cell once.
bool batch_counts_here(const BatchCut *cut, int e, int node, int first, int last);

/// Lists, in outside [outside_max], the nodes outside the tiles [first, last) that share a cell with one of their rows:
/// each once, ascending. Returns their number.
int batch_list_outside(const BatchCut *cut, int first, int last, int *outside);
/// Returns the index of `node` in `outside` [count], which must contain it.
int batch_find_outside(const int *outside, int count, int node);
