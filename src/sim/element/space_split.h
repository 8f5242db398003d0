// Changes a space (nodes, cells and neighbours, space.h) in place when its mesh is cut or torn. At the faces of a cut,
// nodes get copies, one for each side. Old nodes keep their numbers, and copies get the numbers after them, so only
// data near the copies change.
//
// There are two steps. First all changes are computed and memory is reserved, which may fail. Then the changes are
// applied, which cannot fail. The stages of a simulation (assembly, operator, solver, body) update their data in the
// same two steps.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// All changes of a split. A "row" is a node that is new or whose neighbours change, since its row of the matrix
// changes. A zeroed SpaceSplit is empty.
typedef struct SpaceSplit {
  int old_count, node_count;  // numbers of nodes before the cut and, with all copies, after it
  // Present and new capacities of arrays per node, and of arrays per pair of neighbours. Capacities are larger than
  // necessary, so that most cuts need not reallocate arrays.
  int node_before, node_capacity;
  int64_t pair_before, pair_capacity;
  int *from;  // [node_count], original of each node: a copy's old node, and for other nodes the node itself
  int changed_count;
  int *changed;  // [changed_count], cells that get copies among their nodes, ascending
  int *nodes;    // [changed_count][cell_nodes], nodes of these cells after the cut
  int row_count;
  int *row;         // [row_count], nodes that are rows, ascending
  uint8_t *is_row;  // [node_count]
  int64_t *start;   // [row_count + 1], offsets into `neighbour`
  // Neighbours of each row after the cut, ascending, the row itself included. Those of row r begin at
  // neighbour[start[r]].
  int *neighbour;
  int64_t pairs;  // number of all pairs of neighbours after the cut
  int64_t *at;    // [row_count + 1], offsets into `around`
  // Cells of each row, ascending, as indices into the list `cell` below. Those of row r begin at around[at[r]].
  int *around;
  int near_count;  // number of cells with rows among their nodes, called near cells
  uint8_t *near;   // [cell_count], 1 for near cells
  int *cell;       // [near_count], the near cells, ascending
  int *cell_node;  // [near_count][cell_nodes], nodes of the near cells after the cut
  double *volume;  // [near_count] m^3, volumes of the near cells
  // The members below describe the removal of cells, and of nodes that then belong to no cell. `near` and the lists of
  // near cells do not contain removed cells. Remaining nodes and cells are renumbered without gaps. The arrays are NULL
  // if no cell is removed.
  int removed_count;
  int *removed;                // [removed_count], removed cells, ascending
  int left_count, cells_left;  // numbers of remaining nodes and cells
  int *left;                   // [left_count], number before the removal of each remaining node
  int *renamed;                // [node_count], number of each node after the removal; -1: removed
  // cell_left [cells_left]: number before the removal of each remaining cell. cell_now [cell_count]: number of each
  // cell after the removal; -1: removed.
  int *cell_left, *cell_now;
  // Work memory of space_split_apply. If cells are removed, it begins with [cell_count] for lists of cells. The rest is
  // for arrays of nodes, cells or pairs.
  int *room;
} SpaceSplit;

/// Computes all changes, without changing the space. The caller must first set these members of `split`: old_count,
/// node_count and `from` (nodes from old_count on are copies); changed_count, `changed` and `nodes`; removed_count and
/// `removed`. Fails if memory runs out, or if there are too many unknowns.
bool space_split_find(SpaceSplit *split, const Space *space, Error *error);
void space_split_destroy(SpaceSplit *split);

/// Returns the capacity that an array of `needed` items gets: an eighth more, enough for some further cuts.
static inline int64_t space_split_more(int64_t needed) {
  return needed + needed / 8;
}

/// Chooses split->node_capacity and split->pair_capacity. The arguments are the present capacities, which stay if they
/// suffice.
void space_split_plan(SpaceSplit *split, int node_capacity, int64_t pair_capacity);

/// Reallocates the space's arrays for the new capacities; their contents stay. Fails if memory runs out.
bool space_split_reserve(Space *space, const SpaceSplit *split, Error *error);

/// Applies the changes to the space.
void space_split_apply(Space *space, const SpaceSplit *split);

/// Compute arrays [row_count] in kg for the rows only, as space_lumped_mass and space_weight do for all nodes: the
/// lumped masses `mass`, and `weight`, the integrals of density times shape function. Sums are in the order of the
/// cells. `density`, kg/m^3, applies to cells without a density. If `own` is false, it applies to all cells.
void space_split_mass(const Space *space, const SpaceSplit *split, double density, bool own, double *mass);
void space_split_weight(const Space *space, const SpaceSplit *split, double density, double *weight);

#ifdef __cplusplus
}
#endif
