// Cuts the parts of a matrix into batches (part_batches.h): runs of a part's tiles whose tets and nodes fit the shared
// memory of a thread block. Also lists the rows of a run, their tets, and the other nodes of these tets.
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
  int *tile_of;             // [node_count]: the tile of a node's row
  int *end, *tets, *nodes;  // [tile_count], of the batch that begins at a tile; 0: no batch begins there
  int outside_max;          // upper bound of the nodes outside a run; a node counts once for each adjacent row
  size_t bytes_max;         // largest number of bytes that a batch needs
} BatchCut;

/// Cuts all parts. Fails if memory runs out, if interrupted, or if the tets at the rows of a single tile do not fit;
/// batch_cut_destroy must follow in any case.
bool batch_cut_create(BatchCut *cut, const Space *space, const Operator *A, const BatchCapacity *capacity,
                      Error *error);
void batch_cut_destroy(BatchCut *cut);

// Iterator over the rows of tiles [tile, last); `lane` is the next lane to test.
typedef struct BatchRows {
  const BatchCut *cut;
  int tile, last, lane;
} BatchRows;

/// Returns the next row's node, or -1 at the end.
int batch_next_row(BatchRows *rows);

/// Tests if tiles [first, last) contain the row of a node.
static inline bool batch_has(const BatchCut *cut, int node, int first, int last) {
  return cut->tile_of[node] >= first && cut->tile_of[node] < last;
}

/// Tests if `node` is the first corner of cell e whose row is in the run. Each tet thus counts once.
bool batch_counts_here(const BatchCut *cut, int e, int node, int first, int last);

/// Lists the nodes outside the run that its rows touch, ascending, each once; returns their count. `outside` is
/// [outside_max].
int batch_list_outside(const BatchCut *cut, int first, int last, int *outside);
/// Returns the index of `node` in `outside` [count], which must contain it.
int batch_find_outside(const int *outside, int count, int node);
