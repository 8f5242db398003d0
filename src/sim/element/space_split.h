// Changes a space (nodes, cells and neighbours, space.h) in place when its mesh is cut or torn. A cut adds copies of
// nodes at its faces. Old nodes keep their numbers, and copies get the numbers after them, so that only data near
// copies change. This is done in two steps: first all changes are computed and memory is reserved, which may fail; then
// the changes are applied. The stages of a simulation (assembly, operator, solver, body) update their data in these two
// steps too.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// All changes of a split. A "row" is a node that is new or whose neighbours change; it is named after the node's row in
// the matrix. A zeroed SpaceSplit is empty.
typedef struct SpaceSplit {
  int old_count, node_count;  // numbers of nodes before the cut and, with all copies, after it
  // Present and new capacities of arrays per node and of arrays per pair of neighbours. They are larger than necessary,
  // so that most cuts need not reallocate arrays.
  int node_before, node_capacity;
  int64_t pair_before, pair_capacity;
  int *from;  // [node_count], original of each node: a copy's old node, and for other nodes the node itself
  int changed_count;
  int *changed;  // [changed_count], cells that get copies among their nodes, ascending
  int *nodes;    // [changed_count][cell_nodes], nodes of these cells after the cut
  int row_count;
  int *row;         // [row_count], nodes that are rows, ascending
  uint8_t *is_row;  // [node_count]
  int64_t *start;   // [row_count + 1], offsets into neighbour
  int *neighbour;   // neighbours of each row after the cut, ascending, the row itself included
  int64_t pairs;    // number of all pairs of neighbours after the cut
  int64_t *at;      // [row_count + 1], offsets into around
  int *around;      // cells of each row, as indices into `cell`, ascending
  int near_count;   // number of cells with rows among their nodes, called near cells
  uint8_t *near;    // [cell_count], 1 for near cells
  int *cell;        // [near_count], the near cells, ascending
  int *cell_node;   // [near_count][cell_nodes], nodes of the near cells after the cut
  double *volume;   // [near_count] m^3, volumes of the near cells
  // Removal of cells, and of nodes that belong to no cell afterwards. `near` and the lists of near cells do not contain
  // removed cells. Remaining nodes and cells are renumbered without gaps. The arrays are NULL if no cell is removed.
  int removed_count;
  int *removed;                // [removed_count], removed cells, ascending
  int left_count, cells_left;  // numbers of remaining nodes and cells
  int *left;                   // [left_count], the remaining nodes, by their numbers before the removal
  int *renamed;                // [node_count], number of each node after the removal; -1: removed
  int *cell_left, *cell_now;   // [cells_left] and [cell_count]: as `left` and `renamed`, for cells
  int *room;  // work memory of space_split_apply: [cell_count] for lists of cells if cells are removed, then memory for
              // arrays of nodes, cells or pairs
} SpaceSplit;

/// Computes all changes. Before, the caller must set these members of `split`: old_count, node_count and `from`;
/// changed_count, `changed` and `nodes`; removed_count and `removed`. Nodes from old_count on are copies. The space is
/// not changed. Fails if memory runs out, or if there are too many unknowns.
bool space_split_find(SpaceSplit *split, const Space *space, Error *error);
void space_split_destroy(SpaceSplit *split);

/// Returns a new capacity for `needed` items: an eighth more, which suffices for some cuts through the whole body.
static inline int64_t space_split_more(int64_t needed) {
  return needed + needed / 8;
}

/// Sets split->node_capacity and pair_capacity: the present capacities (the arguments) if they suffice, else larger
/// ones.
void space_split_plan(SpaceSplit *split, int node_capacity, int64_t pair_capacity);

/// Reallocates the space's arrays for the new capacities; their contents stay. Fails if memory runs out.
bool space_split_reserve(Space *space, const SpaceSplit *split, Error *error);

/// Applies the changes to the space.
void space_split_apply(Space *space, const SpaceSplit *split);

/// Compute the lumped masses, mass [row_count] kg, and weights, weight [row_count] kg, of the rows, as
/// space_lumped_mass and space_weight do for all nodes. Sums are in the order of the cells. `density` applies to cells
/// without a density or, if `own` is false, to all cells.
void space_split_mass(const Space *space, const SpaceSplit *split, double density, bool own, double *mass);
void space_split_weight(const Space *space, const SpaceSplit *split, double density, double *weight);

#ifdef __cplusplus
}
#endif
