// A matrix in parts. Each node belongs to one part. A part holds the rows of its nodes and gives small local numbers to
// its nodes and to their neighbours in other parts, its halo. On a GPU a multiprocessor processes one part, so that its
// section of every vector fits into on-chip memory.
//
// A row's off-diagonal blocks are cut into chunks of PART_CHUNK or fewer; only rows of very many blocks have longer
// chunks. A lane holds a chunk, and PART_LANES chunks form a tile, which a warp processes. A row's chunks are in
// adjacent lanes of one tile. The rows of a part are sorted by decreasing length, so that the chunks of a tile have
// about equal lengths. A tile has as many steps as its longest chunk has blocks. If a part's rows have more tets than a
// thread block can hold, the part is halved in space until each piece fits, and rows are sorted by pieces first: an
// assembly processes runs of tiles.
//   values   [step][node_dof rows][node_dof columns][PART_LANES], then diagonal blocks [node_count][row][column]
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PART_LANES = 32, PART_CHUNK = 8, PART_LOCAL_MAX = 65535 };
// for blocks rounded to 16 bits (part_halves.h): steps per group, 16-bit words per unit
enum { PART_GROUP = 8, PART_UNIT = 8 };

// Task of a tile's lane, packed into one word: the local number of its row, the number of chunks of this row in the
// lanes after it, a flag that its chunk is the row's first, and a flag that it has a chunk.
HOST_DEVICE int lane_row(unsigned lane) {
  return (int)(lane & 0xffff);
}
HOST_DEVICE int lane_after(unsigned lane) {
  return (int)(lane >> 16 & 31);
}
HOST_DEVICE bool lane_first(unsigned lane) {
  return lane >> 21 & 1;
}
HOST_DEVICE bool lane_used(unsigned lane) {
  return lane >> 22 & 1;
}

// A boundary node that a part sends to another part.
typedef struct PartSend {
  int local;       // its local number in the sending part
  int halo_index;  // its index among all parts' halos
} PartSend;

// Off-diagonal blocks rounded to 16 bits; part_halves.h describes their layout.
typedef struct PartUnit {
  uint16_t word[PART_UNIT];
} __attribute__((aligned(16))) PartUnit;

typedef struct PartHalves {
  int *unit_start;    // [tile_count + 1]
  PartUnit *unit;     // [units][PART_LANES]; local columns never change
  int16_t *exponent;  // [tile_count][PART_LANES], exponent of the power of two that scales a lane's blocks
} PartHalves;

/// Number of units that hold `words` words.
HOST_DEVICE int part_units(int words) {
  return (words + PART_UNIT - 1) / PART_UNIT;
}

// Arrays are on the operator's device. Counts are valid on host and device.
typedef struct PartLayout {
  int part_count, tile_count;
  int owned_max, local_max, tile_max, send_max;  // maximum over parts
  int step_max;                                  // maximum over tiles
  int after_max;                                 // max number of chunks after a row's first
  int halo_count;                                // sum over parts

  int *owned_start;  // [part_count + 1], first node of each part, if only owned nodes are counted
  int *halo_start;   // [part_count + 1], first halo node of each part, if only halos are counted
  int *node;         // [node_count + halo_count]: each part's owned nodes, then its halo, sorted by owning part
  int *tile_start;   // [part_count + 1]
  int *step_start;   // [tile_count + 1]
  unsigned *lane;    // [tile_count][PART_LANES]
  int *lane_node;    // [tile_count][PART_LANES], node of the lane's row, or -1
  int *tile_node;    // [tile_count], index in `node` of the first node of the tile's part
  // The next two are NULL if blocks are rounded: the units then hold the local columns.
  int *column;             // [steps][PART_LANES], the block's other node; any valid node for padding
  uint16_t *local_column;  // local numbers of these nodes
  int *send_start;         // [part_count + 1]
  PartSend *send;          // by part, then by receiving part
  PartHalves halves;       // empty if blocks are not rounded
} PartLayout;

/// Number of parts for a device: one per multiprocessor, fewer for small bodies, more if local numbers would not
/// suffice.
int part_count_for(Device device, int node_count);

/// Creates A->layout, A->parts and the positions of A's blocks; with_halves also allocates the rounded blocks. Fails if
/// memory runs out or if indices do not suffice.
bool part_layout_create(Operator *A, int part_count, bool with_halves, Error *error);
void part_layout_destroy(Operator *A);

/// Fills part [node_count] with each node's part, for an operator in parts. Fails if memory runs out, or with CUDA's
/// message.
bool part_nodes_read(const Operator *A, int *part, Error *error);

// The rows of a layout's tiles, on the host. A zeroed PartTiles is empty.
typedef struct PartTiles {
  int *tile_start, *step_start, *lane_node;  // as in PartLayout
} PartTiles;

/// Copies the tiles of an operator in parts to the host. Fails if memory runs out, or with CUDA's message.
bool part_tiles_read(PartTiles *tiles, const Operator *A, Error *error);
void part_tiles_destroy(PartTiles *tiles);

#ifdef __cplusplus
}
#endif
