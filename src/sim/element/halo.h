// The division of a body's nodes among the processes of an MPI run (base/ranks.h). Each process has a Space with the
// nodes that it owns, all cells at these nodes, and ghosts: the other nodes of these cells, which other processes own.
// So rows of the matrix, and forces on owned nodes, are complete; those of ghosts are not. Owned nodes come first.
//
// Functions of this header accept a NULL halo, which stands for one process. They then do nothing and succeed.
#pragma once
#include "base/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Halo {
  const Ranks *ranks;
  HaloExchange *exchange;
  int owned_count;  // number of nodes of this process
  int own_cells;    // the first own_cells cells belong to this process; each cell of the body belongs to one process
  int64_t pairs;    // number of blocks of the matrix, of all processes
  int first;        // global number of the first owned node
  int *number;      // [node_count], global number of each node, ghosts included
  // [owned_count], the connected piece of the body (pieces.h) to which each owned node belongs, and number of pieces of
  // the whole body
  int *piece, piece_count;
} Halo;

void halo_destroy(Halo *halo);  // accepts NULL

/// Copies values [node_count][width] of owned nodes to their ghosts on other processes.
bool halo_refresh(const Halo *halo, double *values, int width, Error *error);

/// Replaces values [n] by their sums over all processes.
bool halo_sum(const Halo *halo, double *values, int n, Error *error);

/// Replaces *value by the smallest value of all processes.
bool halo_smallest(const Halo *halo, double *value, Error *error);

/// Completes values [n], of which each entry is zero on all processes but one.
bool halo_gather(const Halo *halo, double *values, int64_t n, Error *error);

/// Returns the number of nodes, of `all` nodes in the Space, that count for this process in sums over nodes.
static inline int halo_nodes(const Halo *halo, int all) {
  return halo ? halo->owned_count : all;
}

/// Returns the number of cells, of `all` cells in the Space, that count for this process in sums over cells.
static inline int halo_cells(const Halo *halo, int all) {
  return halo ? halo->own_cells : all;
}

#ifdef __cplusplus
}
#endif
