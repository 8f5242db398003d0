// A space whose mesh is taken apart goes on in place: nodes keep their numbers and copies follow them, so that only
// what stands near a copy changes. First all that changes is found, and room made for it, which may fail; then it is
// put there. What stages keep of a space follows in the same two halves.
#pragma once
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed SpaceSplit is empty. A row is a node that has other neighbours now, or is new.
typedef struct SpaceSplit {
  int old_count, node_count;  // nodes, before and now
  // what arrays by nodes and by pairs have room for, and are to have: more than they need, so that few cuts take time
  // for that
  int node_before, node_room;
  int64_t pair_before, pair_room;
  int *from;  // [node_count], the old node that each was
  int changed_count;
  int *changed;  // [changed_count], cells some of whose nodes are copies now, ascending
  int *nodes;    // [changed_count][cell_nodes], all of their nodes now
  int row_count;
  int *row;         // [row_count], ascending
  uint8_t *is_row;  // [node_count]
  int64_t *start;   // [row_count + 1], into neighbour
  int *neighbour;   // of each row, ascending, itself included
  int64_t pairs;    // of all nodes, now
  int64_t *at;      // [row_count + 1], into around
  int *around;      // the cells at each row, as numbers of `cell`, ascending
  int near_count;   // cells some of whose nodes are rows
  uint8_t *near;    // [cell_count], whether it is one
  int *cell;        // [near_count], ascending
  int *cell_node;   // [near_count][cell_nodes], their nodes now
  double *volume;   // [near_count], m^3
  // Cells that are taken out, of which `near` and what follows from it have none; and what is left then, ascending, by
  // which nodes and cells are numbered anew. NULL where nothing is taken out
  int removed_count;
  int *removed;                // [removed_count], ascending
  int left_count, cells_left;  // nodes and cells in the end
  int *left;                   // [left_count], of the nodes of now
  int *renamed;                // [node_count], what each is in the end, -1: it is gone
  int *cell_left, *cell_now;   // [cells_left], [cell_count], the same of cells
  int *room;  // [cell_count], for whoever lists cells, if any is taken out; then for any array of nodes, cells or pairs
} SpaceSplit;

/// What changes where nodes from old_count on are copies of others, `from` [node_count], the cells `changed` have the
/// nodes `nodes`, and those `removed` are gone; `split` has these, and its counts; the space is as before. Fails for
/// lack of memory, or where there are more unknowns than fit.
bool space_split_find(SpaceSplit *split, const Space *space, Error *error);
void space_split_destroy(SpaceSplit *split);

/// For how many there is to be room where so many are needed: an eighth more, some cuts through all of a body.
static inline int64_t space_split_more(int64_t needed) {
  return needed + needed / 8;
}

/// Sets what there is to be room for, where arrays have it for so many nodes and pairs.
void space_split_plan(SpaceSplit *split, int node_room, int64_t pair_room);

/// Room for what is new; the space is as before.
bool space_split_reserve(Space *space, const SpaceSplit *split, Error *error);

/// Puts it there.
void space_split_apply(Space *space, const SpaceSplit *split);

/// Sums of the cells' shares of density times volume at the rows [row_count], in the order of the cells, as
/// space_lumped_mass and space_weight have them: of that density where `own` is false or a cell has none of its own.
void space_split_mass(const Space *space, const SpaceSplit *split, double density, bool own, double *mass);
void space_split_weight(const Space *space, const SpaceSplit *split, double density, double *weight);

#ifdef __cplusplus
}
#endif
