// Strips: the order in which a GPU's warps process quadrilaterals if products are gathered (quad_cells.h). A lane has a
// column of cells, a warp up to 32 columns of equal height, and proceeds upwards row by row:
//
//        |  e6  |  e7  |  e8  |      data of nodes between columns pass from lane to lane, data of nodes between
//        +------+------+------+      rows stay in registers. So an inner node is read once and written once,
//        |  e3  |  e4  |  e5  |      completely, and only the degree^2 nodes of a cell off its left and lower side are
//        +------+------+------+      listed. Nodes on the edge of a group of adjacent columns may belong to other
//        |  e0  |  e1  |  e2  |      groups: a warp stores its sums in slots, and each such node then sums its slots
//                                    in order; or the warp adds them by atomics.
//
// Columns are found through the sides that cells share, for any order and number of cells.
#pragma once
#include "device/device.h"
#include "sim/element/space.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { QUAD_STRIP = 32, QUAD_STRIP_ROWS = 32 };  // columns of a strip, and maximum of rows

// A strip's part of the lists; bits of its columns. With h = rows degree + 1, and a group being a run of adjacent
// columns:
//   sides  [groups][h]         nodes up the left edge of each group
//   slots  [groups][h]         left edges, from below
//          [groups][h]         right edges
//          [degree][32]        below: local nodes 1 to degree of all columns, without those of a right edge
//          [degree][32]        above
typedef struct QuadStrip {
  int tile, rows;                // cell of row r and column l: slot 32 (tile + r) + l
  unsigned left, right, active;  // columns that begin a group, that end one, and all columns
  int side, slot;                // first side and first slot of the strip
} QuadStrip;

// A zeroed QuadStrips is empty. All arrays but cell_slot_host are on the device.
typedef struct QuadStrips {
  Device device;
  int strip_count, tile_count, slot_count, edge_count;
  QuadStrip *strip;
  int *cell;    // [tile_count][32], the cell of each slot; any cell if the slot is empty
  int *node;    // [tile_count][degree^2][32], nodes off the left and lower sides, by rows
  int *bottom;  // [strip_count][degree][32], nodes of the lowest row's lower sides without their first
  int *side;
  // nodes whose slots are summed: edge_slot [edge_start[k]] to [edge_start[k + 1]] of edge_node[k]. Nodes without a
  // cell are included, with no slots
  int *edge_node, *edge_start, *edge_slot;
  int *cell_slot, *cell_slot_host;  // [cell_count], the slot of each cell
} QuadStrips;

/// Creates strips of quadrilaterals of this degree. `rows`: maximum height, a power of two, at most QUAD_STRIP_ROWS; 0:
/// chosen so that a GPU has enough strips. Fails if memory runs out.
bool quad_strips_create(QuadStrips *strips, const Space *space, int degree, int rows, Device device, Error *error);
void quad_strips_destroy(QuadStrips *strips);

#ifdef __cplusplus
}
#endif
