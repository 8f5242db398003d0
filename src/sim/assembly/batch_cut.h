// Cuts the parts of a matrix into batches (part_batches.h): runs of a part's tiles whose tets and nodes fit the room
// that a block of threads has. And what such a run has: its rows, their tets, the nodes beside them.
#pragma once
#include "sim/assembly/batch_capacity.h"
#include "sim/operator/parts/part_layout.h"

// A zeroed BatchCut is empty.
typedef struct BatchCut {
  const Space *space;  // borrowed, as what follows
  const Operator *A;
  const BatchCapacity *room;
  PartTiles tiles;
  NodeCells cells;
  int *tile_of;             // [node_count]: the tile of a node's row
  int *end, *tets, *nodes;  // [tile_count], of the batch that begins at a tile; 0: none does
  int outside_most;         // no run has more nodes beside its rows, each counted once for each row
  size_t bytes_most;        // that any batch takes of its room
} BatchCut;

/// Fails for lack of memory, interrupted, or where the tets at the rows of a single tile do not fit; what was made by
/// then is freed by batch_cut_destroy.
bool batch_cut_create(BatchCut *cut, const Space *space, const Operator *A, const BatchCapacity *room, Error *error);
void batch_cut_destroy(BatchCut *cut);

// The rows of tiles [tile, last), one by one; `lane` is looked at next.
typedef struct BatchRows {
  const BatchCut *cut;
  int tile, last, lane;
} BatchRows;

/// The next row's node, or -1.
int batch_next_row(BatchRows *rows);

/// Whether tiles [first, last) have the row of a node.
static inline bool batch_has(const BatchCut *cut, int node, int first, int last) {
  return cut->tile_of[node] >= first && cut->tile_of[node] < last;
}

/// Whether the run's row of this node is the first corner of cell e that is a row of the run: each tet counts once.
bool batch_counts_here(const BatchCut *cut, int e, int node, int first, int last);

/// The nodes beside the run's rows, ascending, each once; returns how many. `outside` is [outside_most].
int batch_list_outside(const BatchCut *cut, int first, int last, int *outside);
/// The place of one of them among `count`.
int batch_find_outside(const int *outside, int count, int node);
