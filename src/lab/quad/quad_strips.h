// Strips of cells determine the order in which the warps of a GPU process quadrilaterals in products y = K x
// (quad_cells.h). A strip is up to 32 columns of cells with equal numbers of rows. A warp processes a strip row by row
// from below, with one column for each lane (thread of the warp). The picture shows three columns of three rows; in row
// 0 the warp processes e0, e1 and e2.
//
//        |  e6  |  e7  |  e8  |      x and y at nodes between two columns pass from lane to lane.
//        +------+------+------+      x and y at nodes between two rows stay in registers.
//        |  e3  |  e4  |  e5  |      So x is read once at each inner node, and the complete
//        +------+------+------+      sum y is written once. Lists hold only those degree^2
//        |  e0  |  e1  |  e2  |      nodes of each cell that are not on its left or lower side.
//
// Columns of a strip that are adjacent in the mesh form a group. A node on the edge of a group may belong to other
// groups too. A warp stores its part of y at such a node in memory, at an index that is called a sum slot. A second
// kernel then adds the sum slots of each node in a fixed order. With the method QUAD_STRIPS, the warp instead adds its
// part to y by atomics. Strips are found from the sides that cells share, so the mesh may list its cells in any order.
#pragma once
#include "device/device.h"
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { QUAD_STRIP = 32, QUAD_STRIP_ROWS = 32 };  // number of columns of a strip, and maximum number of its rows

// One strip of cells: indices of its data in the arrays of QuadStrips. A group is a set of columns that are adjacent in
// the mesh. It has h = rows * degree + 1 nodes on its left edge, and as many on its right edge. QuadStrips.side lists
// the nodes on the left edge of each group, [groups][h], from index `side` on. A sum slot is the index at which the
// strip stores its part of y at one node of an edge. The strip's sum slots begin at `slot`, in this order:
//   [groups][h]     left edge of each group, from below
//   [groups][h]     right edge of each group
//   [degree][32]    lower edge of each column: its nodes 1 to degree; not used for a node that is on a right edge
//   [degree][32]    upper edge of each column: its nodes 1 to degree, as for the lower edge
typedef struct QuadStrip {
  // tile: number of the strip's first tile; a tile is one row of a strip, 32 cells. rows: number of tiles.
  // QuadStrips.cell[32 * (tile + r) + l] is the cell in row r and column l.
  int tile, rows;
  // Bit l of each number is set if column l is the first of a group (left), the last of a group (right), or has cells
  // (active).
  unsigned left, right, active;
  int side, slot;  // the strip's first index in QuadStrips.side, and its first sum slot
} QuadStrip;

// All strips of a space. Arrays are on the device, except cell_slot_host. A zeroed QuadStrips is empty.
typedef struct QuadStrips {
  Device device;
  int strip_count, tile_count, slot_count, edge_count;
  QuadStrip *strip;
  // [tile_count][32]: the cell in each row (tile) and column of the strips. Columns without cells contain any valid
  // cell number.
  int *cell;
  // [tile_count][degree^2][32]: for each cell of `cell`, its nodes that are not on its left or lower side, row by row
  int *node;
  int *bottom;  // [strip_count][degree][32]: nodes 1 to degree on the lower side of each column
  // Nodes on the left edge of each group, from below, strip by strip: [groups][h]. A group is a set of adjacent columns
  // of a strip, and its left edge has h = rows * degree + 1 nodes, where `rows` is the strip's number
  // of rows.
  int *side;
  // edge_node [edge_count]: nodes on edges of groups of columns. The sum y at node edge_node[k] has its parts in the
  // sum slots edge_slot[edge_start[k]] to edge_slot[edge_start[k + 1] - 1]. Nodes that belong to no cell are listed
  // too, without sum slots.
  int *edge_node, *edge_start, *edge_slot;
  int *cell_slot, *cell_slot_host;  // [cell_count]: index in `cell` of each cell, on device and host
} QuadStrips;

/// Creates the strips for `space`, whose cells are quadrilaterals of this degree. `rows` is the maximum number of rows
/// of a strip, a power of two up to QUAD_STRIP_ROWS; 0: chosen so that there are enough strips to keep a GPU busy.
/// Fails if memory runs out.
bool quad_strips_create(QuadStrips *strips, const Space *space, int degree, int rows, Device device, Error *error);
void quad_strips_destroy(QuadStrips *strips);

#ifdef __cplusplus
}
#endif
