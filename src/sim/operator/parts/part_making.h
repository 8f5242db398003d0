// What the files that make a layout in parts share, and nobody else sees.
#pragma once
#include "sim/operator/parts/part_layout.h"

// The arrays on the host while they are made, and what only their making needs.
typedef struct PartMaking {
  PartLayout host;
  const Space *space;
  const Adjacency *graph;
  NodeCells cells;
  int *part;    // [node_count]
  int *number;  // [node_count], a node's position among all own nodes
  int *seen;    // [node_count], part + 1
  int64_t halo_room;
  int64_t *first_step;  // [part_count + 1]
} PartMaking;

/// Blocks of a node's row off the diagonal.
int part_row_length(const Adjacency *graph, int node);

/// How many chunks a row is cut into: at least one, at most a tile's lanes.
int part_row_chunks(int length);

/// Own nodes of all parts, by part, piece and falling length of their rows: part, number, own_start, and node without
/// halos.
bool part_order_rows(PartMaking *m, const Operator *A, Error *error);

/// Tiles, their columns, and where A's blocks stand, once the nodes are listed.
bool part_make_tiles(PartMaking *m, Operator *A, Error *error);
