// Private declarations of the files that build a PartLayout: part_layout.c, part_division.c, part_fill.c.
#pragma once
#include "sim/operator/parts/part_layout.h"

// A layout during construction: its arrays on the host, and temporary data.
typedef struct PartMaking {
  PartLayout host;
  const Space *space;
  const Adjacency *graph;
  NodeCells cells;
  int *part;  // [node_count], part of each node
  // [node_count], index of each node in the list of the owned nodes of all parts, part after part
  int *number;
  // [node_count], work memory for finding halos: 1 + the last part that has counted the node in its halo; 0: none.
  // Parts are processed in order, so a part counts each node only once.
  int *seen;
  // allocated length of the list of halo nodes
  int64_t halo_capacity;
  int64_t *first_step;  // [part_count + 1], first step of each part
} PartMaking;

/// Returns the number of off-diagonal blocks in a node's row.
int part_row_length(const Adjacency *graph, int node);

/// Returns the number of chunks into which a row is cut, each for one lane of a warp: at least one, at most PART_LANES.
int part_row_chunks(int length);

/// Assigns nodes to parts. Sorts them by part, then by piece (a region of a part that fits into a thread block of an
/// assembly), then by decreasing row length. Fills part, number, host.owned_start, and host.node without halos.
bool part_order_rows(PartMaking *m, const Operator *A, Error *error);

/// Builds the tiles (groups of chunks of rows that a warp processes), their columns, and A->slots. part_order_rows must
/// run first.
bool part_make_tiles(PartMaking *m, Operator *A, Error *error);
