// Changes a space in place when its mesh is cut. Nodes keep their numbers and copies are appended, so that only data
// near a copy changes. First all changes are found and memory is reserved, which may fail. Then the changes are
// applied. The stages update their data of a space in the same two steps.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed SpaceSplit is empty. A row is a node that has new neighbours, or is new.
typedef struct SpaceSplit {
  int old_count, node_count;  // numbers of nodes before and after the cut
  // Present and new capacities of arrays by nodes and by pairs. They exceed the need, so that few cuts have to enlarge
  // arrays.
  int node_before, node_capacity;
  int64_t pair_before, pair_capacity;
  int *from;  // [node_count], original of each node
  int changed_count;
  int *changed;  // [changed_count], cells with copies among their nodes, ascending
  int *nodes;    // [changed_count][cell_nodes], all their new nodes
  int row_count;
  int *row;         // [row_count], ascending
  uint8_t *is_row;  // [node_count]
  int64_t *start;   // [row_count + 1], offsets into neighbour
  int *neighbour;   // neighbours of each row, ascending, the row included
  int64_t pairs;    // number of all pairs after the cut
  int64_t *at;      // [row_count + 1], offsets into around
  int *around;      // cells at each row, as indices of `cell`, ascending
  int near_count;   // number of cells with rows among their nodes
  uint8_t *near;    // [cell_count], flag of these cells
  int *cell;        // [near_count], ascending
  int *cell_node;   // [near_count][cell_nodes], their new nodes
  double *volume;   // [near_count], m^3
  // Cells that are removed, which `near` and all lists from it leave out, and the nodes and cells that remain,
  // ascending, by which both are renumbered. NULL if none is removed.
  int removed_count;
  int *removed;                // [removed_count], ascending
  int left_count, cells_left;  // numbers of nodes and cells at the end
  int *left;                   // [left_count], the remaining nodes by their numbers before
  int *renamed;                // [node_count], final number of each node, -1: removed
  int *cell_left, *cell_now;   // [cells_left], [cell_count]: `left` and `renamed` of cells
  int *room;  // [cell_count], for lists of cells if any is removed; then work memory for arrays of nodes, cells or
              // pairs
} SpaceSplit;

/// Finds all changes. The caller has set in `split`, with their counts: `from` [node_count], nodes from old_count on
/// being copies; the cells `changed` with the nodes `nodes`; and the cells `removed`. The space stays unchanged. Fails
/// if memory runs out, or if there are too many unknowns.
bool space_split_find(SpaceSplit *split, const Space *space, Error *error);
void space_split_destroy(SpaceSplit *split);

/// New capacity for `needed` items: an eighth more, enough for some cuts through the whole body.
static inline int64_t space_split_more(int64_t needed) {
  return needed + needed / 8;
}

/// Chooses new capacities from the present ones.
void space_split_plan(SpaceSplit *split, int node_capacity, int64_t pair_capacity);

/// Enlarges the space's arrays; their contents stay.
bool space_split_reserve(Space *space, const SpaceSplit *split, Error *error);

/// Applies the changes to the space.
void space_split_apply(Space *space, const SpaceSplit *split);

/// Sums the cells' contributions of density times volume at the rows [row_count], in the order of the cells, as
/// space_lumped_mass and space_weight do. `density` is used if `own` is false or a cell has no density.
void space_split_mass(const Space *space, const SpaceSplit *split, double density, bool own, double *mass);
void space_split_weight(const Space *space, const SpaceSplit *split, double density, double *weight);

#ifdef __cplusplus
}
#endif
