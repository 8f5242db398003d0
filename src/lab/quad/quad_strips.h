// Strips: how a GPU's warps go through quadrilaterals where products are gathered (quad_cells.h). A lane has a column
// of cells, a warp up to 32 columns of the same height, and goes up row by row:
//
//        |  e6  |  e7  |  e8  |      what neighbouring columns share passes from lane to lane, what a cell shares with
//        +------+------+------+      that above it stays in registers. So a node within is read once and written once,
//        |  e3  |  e4  |  e5  |      whole, and of each cell only the degree^2 nodes off its left and lower side are
//        +------+------+------+      listed. Nodes around a group of columns that joins, its edge, may be shared with
//        |  e0  |  e1  |  e2  |      others: what a warp has of them it leaves in slots of its own, and each such node
//                                    then adds up its slots, in their order; or it adds them by atomic additions.
//
// Columns are found by the sides that cells share, whatever their order, and however few there are.
#pragma once
#include "device/device.h"
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { QUAD_STRIP = 32, QUAD_STRIP_ROWS = 32 };  // columns of a strip, and most rows

// A strip's part of the lists; bits of its columns. Where h = rows degree + 1, and a group is a run of columns that
// join:
//   sides  [groups][h]         nodes up the left edge of each group
//   slots  [groups][h]         left edges, from below
//          [groups][h]         right edges
//          [degree][32]        below: local nodes 1 to degree of all columns, but those of a right edge
//          [degree][32]        above
typedef struct QuadStrip {
  int tile, rows;                // cells of row r and column l: slot 32 (tile + r) + l
  unsigned left, right, active;  // columns that begin a group, that end one, and all
  int side, slot;                // where its sides and slots begin
} QuadStrip;

// A zeroed QuadStrips is empty. All arrays but the last lie on the device.
typedef struct QuadStrips {
  Device device;
  int strip_count, tile_count, slot_count, edge_count;
  QuadStrip *strip;
  int *cell;    // [tile_count][32], a cell of each slot; any where there is none
  int *node;    // [tile_count][degree^2][32], off the left and lower sides, by rows
  int *bottom;  // [strip_count][degree][32], of the lowest row's lower sides without their first
  int *side;
  // nodes whose sums are added up from slots: edge_slot [edge_start[k]] to [edge_start[k + 1]] of edge_node[k]. Nodes
  // of no cell are among them, with none
  int *edge_node, *edge_start, *edge_slot;
  int *place, *place_host;  // [cell_count], the slot of each cell
} QuadStrips;

/// `rows`: of the highest strips, a power of two, at most QUAD_STRIP_ROWS; 0: as many as leave a GPU enough strips.
/// Cells are quadrilaterals of this degree. Fails for lack of memory.
bool quad_strips_create(QuadStrips *strips, const Space *space, int degree, int rows, Device device, Error *error);
void quad_strips_destroy(QuadStrips *strips);

#ifdef __cplusplus
}
#endif
