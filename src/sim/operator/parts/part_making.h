// Private declarations of the files that build a PartLayout, the index arrays of a matrix in parts (part_layout.h):
// part_layout.c, part_division.c, part_fill.c. A part is a group of nodes with their rows of the matrix, which one
// multiprocessor of a GPU processes.
#pragma once
#include "sim/operator/parts/part_layout.h"

// The index arrays of a matrix in parts (PartLayout) during construction on the host, and temporary data.
typedef struct PartMaking {
  // The index arrays of the matrix, on the host.
  PartLayout host;
  const Space *space;  // the mesh
  // Neighbours of each node: one matrix block for each pair of neighbours.
  const Adjacency *graph;
  // The cells that contain each node.
  NodeCells cells;
  int *part;  // [node_count], part of each node
  // [node_count], index of each node in the list of the nodes of all parts, part after part, without halos
  int *number;
  // [node_count], work memory for finding halos (neighbours of a part's nodes in other parts). seen[a] is 1 + the last
  // part that has counted node a in its halo; 0: none. Parts are processed in order, so a part counts each node only
  // once.
  int *seen;
  // allocated length of the list of the halo nodes of all parts
  int64_t halo_capacity;
  // [part_count + 1], first step of each part. A warp multiplies a tile (32 chunks, each some blocks of a row) in
  // steps, in each of which every thread multiplies one block. The steps of all tiles are counted through: if tile 0
  // has 7 steps, tile 1 begins with step 7.
  int64_t *first_step;
} PartMaking;

/// Returns the number of off-diagonal blocks in a node's row.
int part_row_length(const Adjacency *graph, int node);

/// Returns the number of chunks into which a row of `length` off-diagonal blocks is cut, each for one lane (thread) of
/// a warp: at least one, at most PART_LANES. Example: 14 blocks need two chunks.
int part_row_chunks(int length);

/// Assigns nodes to parts. Sorts them by part, then by piece (a region of a part that fits into a thread block of an
/// assembly), then by decreasing row length. Fills m->part, m->number and m->host.owned_start. Also fills m->host.node
/// with the nodes in this order; the halos are inserted later.
bool part_order_rows(PartMaking *m, const Operator *A, Error *error);

/// Builds the tiles. A tile is 32 chunks, each some blocks of a row, one per lane of a warp. Also sets the columns of
/// their blocks, and A->slots, the position of each block in A->values. part_order_rows must run first.
bool part_make_tiles(PartMaking *m, Operator *A, Error *error);
