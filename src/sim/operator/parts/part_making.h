// Declarations shared by part_layout.c, part_division.c and part_fill.c, which build the index arrays of a matrix in
// parts (part_layout.h). A part is a group of nodes with their rows, which one multiprocessor of a GPU processes.
#pragma once
#include "sim/operator/parts/part_layout.h"

// The index arrays of a matrix in parts (PartLayout) while they are built on the host, and temporary data.
typedef struct PartMaking {
  // The arrays under construction, on the host.
  PartLayout host;
  const Space *space;  // mesh and neighbours of each node
  // Neighbours of each node; the matrix has one block for each pair of neighbours.
  const Adjacency *graph;
  // Cells at each node.
  NodeCells cells;
  int *part;  // [node_count], part to which each node belongs
  // [node_count], index of each node in the list of all nodes, part after part
  int *number;
  // [node_count], work memory for finding halos, the neighbours of a part's nodes in other parts: seen[a] is 1 + the
  // last part that has counted node a in its halo; 0: none.
  int *seen;
  // number of elements for which the list of the halo nodes of all parts has memory
  int64_t halo_capacity;
  // [part_count + 1], index of the first step of each part, then the number of all steps. In one step of a product of
  // matrix and vector, each thread of a warp multiplies one block of its row. Steps are numbered part after part.
  int64_t *first_step;
} PartMaking;

/// Returns the number of off-diagonal blocks in a node's row.
int part_row_length(const Adjacency *graph, int node);

/// Returns the number of chunks into which a row of `length` off-diagonal blocks is cut, one per lane (thread of a
/// warp): 1 to PART_LANES. Example: 14 blocks need two chunks.
int part_row_chunks(int length);

/// Assigns nodes to parts. Sorts them by part, then by piece (region of a part that fits into a thread block of an
/// assembly), then by decreasing row length. Sets m->part, m->number and m->host.owned_start, and lists the sorted
/// nodes in m->host.node. The halos, neighbours of a part's nodes in other parts, are added to this list later.
bool part_order_rows(PartMaking *m, const Operator *A, Error *error);

/// Builds the tiles, groups of rows that one warp multiplies by x. Also sets the columns of their blocks, and A->slots,
/// the position of each block in A->values. part_order_rows must run first.
bool part_make_tiles(PartMaking *m, Operator *A, Error *error);
