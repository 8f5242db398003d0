// The division of a body's nodes among the processes of an MPI run (base/ranks.h). Each process has a Space with the
// nodes that it owns, all cells at these nodes, and ghosts: the other nodes of these cells, which other processes own.
// So the matrix rows and forces of owned nodes are complete, but the rows and forces of ghosts are not. In the numbers
// of a process's nodes, owned nodes come before ghosts.
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
  int owned_count;  // number of nodes that this process owns
  int own_cells;    // the first own_cells cells belong to this process; each cell of the body belongs to exactly one
                    // process
  int *own_cell;    // [own_cells], the number of each of these cells in the mesh of this process
  int64_t pairs;    // number of 3 x 3 blocks of the matrix of the whole body, which is divided among all processes
  int first;        // global number of the first owned node
  int *number;      // [node_count], global number of each node, ghosts included
  // piece [owned_count]: the connected piece of the body (pieces.h) to which each owned node belongs. piece_count:
  // number of pieces of the whole body.
  int *piece, piece_count;
} Halo;

void halo_destroy(Halo *halo);  // accepts NULL

/// Sends the values of owned nodes to the other processes that have these nodes as ghosts, and replaces the values of
/// this process's ghosts. values [node_count][width] has `width` numbers for each node.
bool halo_refresh(const Halo *halo, double *values, int width, Error *error);

/// Replaces each of the numbers values [n] by its sum over all processes.
bool halo_sum(const Halo *halo, double *values, int n, Error *error);

/// Replaces *value, which is one number on each process, by the smallest value on any process.
bool halo_smallest(const Halo *halo, double *value, Error *error);

/// Sends each nonzero entry of values [n] to all processes. An entry may be nonzero on one process at most. Afterwards
/// all processes have equal values.
bool halo_gather(const Halo *halo, double *values, int64_t n, Error *error);

/// Returns the number of nodes that this process counts in sums over all nodes of a body: its owned nodes, which come
/// first. `all` is the number of nodes in the Space; it is returned if `halo` is NULL.
static inline int halo_nodes(const Halo *halo, int all) {
  return halo ? halo->owned_count : all;
}

/// Returns the number of cells that this process counts in sums over all cells of a body: its first own_cells cells.
/// `all` is the number of cells in the Space; it is returned if `halo` is NULL.
static inline int halo_cells(const Halo *halo, int all) {
  return halo ? halo->own_cells : all;
}

#ifdef __cplusplus
}
#endif
