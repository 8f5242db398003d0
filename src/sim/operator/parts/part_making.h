// Declarations for the files that build a layout in parts, private to them.
#pragma once
#include "sim/operator/parts/part_layout.h"

// The host arrays during construction, and temporary data.
typedef struct PartMaking {
  PartLayout host;
  const Space *space;
  const Adjacency *graph;
  NodeCells cells;
  int *part;    // [node_count]
  int *number;  // [node_count], index of a node among the owned nodes of all parts
  int *seen;    // [node_count], part + 1 that counted the node last
  int64_t halo_capacity;
  int64_t *first_step;  // [part_count + 1]
} PartMaking;

/// Number of off-diagonal blocks in a node's row.
int part_row_length(const Adjacency *graph, int node);

/// Number of chunks that a row is cut into: at least one, at most a tile's lanes.
int part_row_chunks(int length);

/// Sorts the owned nodes of all parts by part, piece and decreasing row length. Fills part, number, owned_start, and
/// node without halos.
bool part_order_rows(PartMaking *m, const Operator *A, Error *error);

/// Builds the tiles, their columns, and the positions of A's blocks, once the nodes are listed.
bool part_make_tiles(PartMaking *m, Operator *A, Error *error);
