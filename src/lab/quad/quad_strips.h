// Strips: the order in which a GPU's warps process quadrilaterals for gathered products (quad_cells.h). A lane
// processes a column of cells from below upwards, and a warp processes up to 32 columns of equal height, a strip, row
// by row:
//
//        |  e6  |  e7  |  e8  |      Data of nodes between columns pass from lane to lane, and data of nodes between
//        +------+------+------+      rows stay in registers. So an inner node is read once and written once,
//        |  e3  |  e4  |  e5  |      completely. Lists hold only the degree^2 nodes of each cell that are not on its
//        +------+------+------+      left or lower side. Adjacent columns form a group. A node on the edge of a group
//        |  e0  |  e1  |  e2  |      may belong to other groups too. A warp stores its sum for such a node in a slot,
//                                    and then the node sums its slots in order; or the warp adds the sum by atomics.
//
// The columns are found through the sides that cells share, so cells may have any order and number.
#pragma once
#include "device/device.h"
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { QUAD_STRIP = 32, QUAD_STRIP_ROWS = 32 };  // columns of a strip, and maximum of rows

// One strip of cells, with the positions of its data in the arrays of QuadStrips. A group is a set of adjacent columns.
// An edge of a group has h = rows * degree + 1 nodes from its lower to its upper end. From index `side` on,
// QuadStrips.side has [groups][h] nodes: those of the left edge of each group. A slot stores the sum of y at a node of
// an edge. The strip's slots begin at `slot`, in this order:
//   [groups][h]     left edges of the groups, from below
//   [groups][h]     right edges
//   [degree][32]    lower edge of each column: its nodes 1 to degree; unused for a node that is on a right edge
//   [degree][32]    upper edge of each column, in the same way
typedef struct QuadStrip {
  // The cell of row r and column l is in slot 32 (tile + r) + l of QuadStrips.cell.
  int tile, rows;
  // bits of the columns that begin a group, that end a group, and that have cells
  unsigned left, right, active;
  int side, slot;  // the strip's first index in `side`, and its first slot
} QuadStrip;

// A zeroed QuadStrips is empty. All arrays but cell_slot_host are on the device.
typedef struct QuadStrips {
  Device device;
  int strip_count, tile_count, slot_count, edge_count;
  QuadStrip *strip;
  // [tile_count][32], the cell of each slot; any cell if the slot is empty
  int *cell;
  // [tile_count][degree^2][32], the nodes of each cell that are not on its left or lower side, by rows
  int *node;
  int *bottom;  // [strip_count][degree][32], nodes on the lower sides of the lowest row, without the first of each
  // nodes up the left edges, see QuadStrip
  int *side;
  // Nodes on edges of groups: node edge_node[k] sums the slots edge_slot[edge_start[k]] to edge_slot[edge_start[k + 1]
  // - 1]. Nodes that belong to no cell are listed too; they have no slots.
  int *edge_node, *edge_start, *edge_slot;
  int *cell_slot, *cell_slot_host;  // [cell_count], the slot of each cell in `cell`, on device and host
} QuadStrips;

/// Creates the strips of a space of quadrilaterals of this degree. `rows` is the maximum height, a power of two, at
/// most QUAD_STRIP_ROWS; 0: it is chosen so that a GPU has enough strips. Fails if memory runs out.
bool quad_strips_create(QuadStrips *strips, const Space *space, int degree, int rows, Device device, Error *error);
void quad_strips_destroy(QuadStrips *strips);

#ifdef __cplusplus
}
#endif
