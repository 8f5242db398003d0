// Changes a Space (space.h) in place when its mesh is cut or torn. A node on a cut gets copies, so that each side of
// the cut has a node of its own. Old nodes keep their numbers, and copies get the next free numbers, so only data near
// the cut change. Example: in a mesh of 100 nodes, node 7 is on the cut. Node 7 stays on one side, and its copy, node
// 100, is on the other side.
//
// There are two steps. First all changes are computed and memory is reserved, which may fail. Then the changes are
// applied, which cannot fail. The assembly, operator, solver and body of a simulation update their data in the same two
// steps.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// All changes of a cut. Three words are used. A row is a node that is new or gets other neighbours; its row of the
// matrix changes. A near cell is a cell with a row among its nodes. A copy is a new node. A zeroed SpaceSplit is empty.
typedef struct SpaceSplit {
  int old_count, node_count;  // numbers of nodes before the cut and, with all copies, after it
  // Allocated lengths of arrays. node_before and node_capacity: lengths of arrays with an entry for each node, before
  // and after the cut. pair_before and pair_capacity: lengths of arrays with an entry for each pair of neighbours,
  // before and after the cut. Lengths exceed the need, so that most cuts reallocate nothing.
  int node_before, node_capacity;
  int64_t pair_before, pair_capacity;
  int *from;          // [node_count]: for a copy the old node from which it was made, for other nodes the node itself
  int changed_count;  // number of cells that get copies among their nodes
  int *changed;       // [changed_count], cells that get copies among their nodes, ascending
  int *nodes;         // [changed_count][cell_nodes], nodes of the cells in `changed` after the cut
  int row_count;      // number of rows: nodes that are new or get other neighbours
  int *row;           // [row_count], the rows: the numbers of new and changed nodes, ascending
  uint8_t *is_row;    // [node_count], 1: the node is a row, a new node or one that gets other neighbours
  int64_t *start;     // [row_count + 1], index in `neighbour` of the first neighbour of each row (new or changed node)
  // Neighbours of each row after the cut, ascending, including the row. A row is a new or changed node; the neighbours
  // of row[r] are neighbour[start[r]] to neighbour[start[r + 1] - 1].
  int *neighbour;
  int64_t pairs;  // number of all pairs of neighbours after the cut
  int64_t *at;    // [row_count + 1], index in `around` of the first cell at each row (new or changed node)
  // The near cells at each row (new or changed node), ascending, as indices in the list `cell`. The node row[r] has the
  // cells around[at[r]] to around[at[r + 1] - 1].
  int *around;
  int near_count;  // number of near cells: cells with new or changed nodes (rows) among their nodes
  uint8_t *near;   // [cell_count], 1: the cell is near, which means that a row is among its nodes
  int *cell;       // [near_count], the near cells, ascending
  int *cell_node;  // [near_count][cell_nodes], nodes of the near cells after the cut
  double *volume;  // [near_count] m^3, volumes of the near cells
  // The members below describe the removal of cells. Nodes that then belong to no cell are removed too. The list of
  // near cells does not contain removed cells. Remaining nodes and cells are renumbered without gaps. The arrays are
  // NULL if no cell is removed. removed_count is the number of removed cells.
  int removed_count;
  int *removed;                // [removed_count], removed cells, ascending
  int left_count, cells_left;  // numbers of remaining nodes and cells
  int *left;                   // [left_count]: for each remaining node, its number before the removal
  int *renamed;                // [node_count]: for each node, its number after the removal; -1: removed
  // cell_left [cells_left]: for each remaining cell, its number before the removal. cell_now [cell_count]: for each
  // cell, its number after the removal; -1: removed.
  int *cell_left, *cell_now;
  // Work memory, allocated before the cut. If cells are removed, the memory begins with cell_count ints, in which other
  // modules store a number for each cell while they renumber cells. The rest is memory in which space_split_apply
  // builds new arrays.
  int *room;
} SpaceSplit;

/// Computes all changes, without changing the space. The caller must first set old_count, node_count and `from` (nodes
/// from old_count on are copies); changed_count, `changed` and `nodes`; removed_count and `removed`. Fails if memory
/// runs out, or if there would be too many unknowns.
bool space_split_find(SpaceSplit *split, const Space *space, Error *error);
void space_split_destroy(SpaceSplit *split);

/// Returns the length to allocate for an array of `needed` items: an eighth more than needed, so that the array is long
/// enough for some further cuts.
static inline int64_t space_split_more(int64_t needed) {
  return needed + needed / 8;
}

/// Chooses node_capacity and pair_capacity, the allocated lengths of the arrays of nodes and pairs after the cut. The
/// arguments are the present lengths, which are stored in node_before and pair_before. These lengths are kept if they
/// suffice.
void space_split_plan(SpaceSplit *split, int node_capacity, int64_t pair_capacity);

/// Reallocates the space's arrays to split->node_capacity nodes and split->pair_capacity pairs of neighbours. Their
/// contents do not change. Fails if memory runs out.
bool space_split_reserve(Space *space, const SpaceSplit *split, Error *error);

/// Applies the changes to the space: its nodes, cells and neighbours.
void space_split_apply(Space *space, const SpaceSplit *split);

/// For each new or changed node, space_split_mass computes its lumped mass, kg, and space_split_weight the integral of
/// density times its shape function, kg. mass and weight are [row_count]. Cells without an entry in Space.density have
/// `density`, kg/m^3. If `own` is false, space_split_mass takes `density` for all cells. Results equal those of
/// space_lumped_mass and space_weight.
void space_split_mass(const Space *space, const SpaceSplit *split, double density, bool own, double *mass);
void space_split_weight(const Space *space, const SpaceSplit *split, double density, double *weight);

#ifdef __cplusplus
}
#endif
