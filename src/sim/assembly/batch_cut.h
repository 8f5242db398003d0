// Cuts the parts of a matrix into batches for assembly `parts` (part_batches.h). A part is a group of matrix rows, and
// a tile a few rows of it that one warp multiplies in products (part_layout.h). A batch is a run of consecutive tiles
// of a part, which one thread block assembles. The tets that contribute to its rows, and their nodes, must fit into the
// block's shared memory. This file also lists the rows of a run of tiles, their tets, and the other nodes of these
// tets, the nodes outside the run.
#pragma once
#include "sim/assembly/batch_capacity.h"
#include "sim/operator/parts/part_layout.h"

// A zeroed BatchCut is empty.
typedef struct BatchCut {
  const Space *space;  // borrowed, like the next two
  const Operator *A;
  const BatchCapacity *capacity;
  PartTiles tiles;
  NodeCells cells;
  int *tile_of;  // [node_count]: the tile that contains each node's row
  // [tile_count]: for each tile at which a batch begins, the tile after the batch's last, and its numbers of tets and
  // nodes. 0 if no batch begins there.
  int *end, *tets, *nodes;
  // upper bound of the number of nodes outside a run of tiles that share a tet with its rows; a node counts once for
  // each of these rows
  int outside_max;
  size_t bytes_max;  // largest number of bytes that a batch needs
} BatchCut;

/// Cuts all parts into batches. Fails if memory runs out, if the user interrupts, or if the tets at the rows of a
/// single tile do not fit. batch_cut_destroy must follow in any case.
bool batch_cut_create(BatchCut *cut, const Space *space, const Operator *A, const BatchCapacity *capacity,
                      Error *error);
void batch_cut_destroy(BatchCut *cut);

// Iterator over the rows of tiles [tile, last). A tile has PART_LANES lanes, each with a row or a chunk of one; `lane`
// is the next lane to test.
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

/// Returns true if `node` is the first corner of cell e whose row is in the tiles [first, last). A loop over rows and
/// their cells thus counts each tet once.
bool batch_counts_here(const BatchCut *cut, int e, int node, int first, int last);

/// Lists the nodes outside the tiles [first, last) that share a cell with their rows, ascending, each once, in outside
/// [outside_max]. Returns their number.
int batch_list_outside(const BatchCut *cut, int first, int last, int *outside);
/// Returns the index of `node` in `outside` [count], which must contain it.
int batch_find_outside(const int *outside, int count, int node);
