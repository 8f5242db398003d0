// A matrix in parts, for products on a GPU. Each node belongs to one part, which owns the node's row of matrix blocks.
// The neighbours of a part's nodes in other parts are its halo. A part gives small local numbers to its own nodes and
// to its halo. On a GPU one multiprocessor processes one part, so that the part's section of every vector fits into
// on-chip memory.
//
// The off-diagonal blocks of a row are cut into chunks of at most PART_CHUNK blocks; only rows of very many blocks have
// longer chunks. A lane, a thread of a warp, holds one chunk. PART_LANES chunks form a tile, which a warp processes.
// The chunks of one row are in adjacent lanes of one tile. The rows of a part are sorted by decreasing length, so that
// the chunks of a tile have about equal lengths. In each step of a tile, every lane processes one block; so a tile has
// as many steps as its longest chunk has blocks. Example: a row of 14 off-diagonal blocks is cut into two chunks of 7.
//
// An assembly processes runs of tiles. If the nodes of a part belong to more tets than a thread block can hold, the
// part is halved in space into pieces, until each piece fits. Its rows are then sorted by piece first, so that a piece
// is a run of tiles.
//   values   [step][node_dof rows][node_dof columns][PART_LANES], then diagonal blocks [node_count][row][column]
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// PART_LANES: threads of a warp. PART_CHUNK: usual maximum number of blocks of a chunk. PART_LOCAL_MAX: largest local
// number, which has 16 bits.
enum { PART_LANES = 32, PART_CHUNK = 8, PART_LOCAL_MAX = 65535 };
// For blocks rounded to 16 bits (part_halves.h), which are read in units of 16 bytes. PART_GROUP: number of steps whose
// units form a group. PART_UNIT: number of 16-bit words per unit.
enum { PART_GROUP = 8, PART_UNIT = 8 };

// The task of a lane: the chunk of a row that it processes in a tile. It is packed into one word:
//   lane_row    bits 0 to 15, local number of the row
//   lane_after  bits 16 to 20, number of chunks of this row in the lanes after it
//   lane_first  bit 21, set if its chunk is the first of the row
//   lane_used   bit 22, set if it has a chunk
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

// A boundary node of a part. The part sends the node's value to another part, which has the node in its halo.
typedef struct PartSend {
  int local;  // the node's local number in the sending part
  // index of the node's copy among the halo nodes of the receiving part; the halos of all parts are counted one after
  // the other
  int halo_index;
} PartSend;

// A unit of 16 bytes, for off-diagonal blocks rounded to 16 bits: see part_halves.h.
typedef struct PartUnit {
  uint16_t word[PART_UNIT];
} __attribute__((aligned(16))) PartUnit;

typedef struct PartHalves {
  int *unit_start;  // [tile_count + 1], offset of each tile's units
  // [units][PART_LANES], units of 16 bytes. Some have the columns of blocks, which never change. The others have
  // rounded entries.
  PartUnit *unit;
  // [tile_count][PART_LANES], exponent of the power of two that scales the blocks of a lane
  int16_t *exponent;
} PartHalves;

/// Returns the number of units of PART_UNIT words that hold `words` words.
HOST_DEVICE int part_units(int words) {
  return (words + PART_UNIT - 1) / PART_UNIT;
}

// All arrays are on the operator's device. The counts can be read on host and device.
typedef struct PartLayout {
  int part_count, tile_count;
  // Maxima over all parts. owned_max: nodes that a part owns. local_max: these nodes and the part's halo (their
  // neighbours in other parts). tile_max: tiles, each of which a warp multiplies. send_max: boundary nodes, whose
  // values the part sends to other parts.
  int owned_max, local_max, tile_max, send_max;
  int step_max;    // maximum number of steps of a tile
  int after_max;   // maximum number of chunks of a row, not counting its first
  int halo_count;  // number of halo nodes, summed over all parts

  // [part_count + 1], number of owned nodes of all earlier parts
  int *owned_start;
  // [part_count + 1], number of halo nodes of all earlier parts
  int *halo_start;
  // [node_count + halo_count]: for each part the nodes that it owns, then its halo, sorted by owning part. Those of
  // part p begin at owned_start[p] + halo_start[p]. The local number of a node is its index after this begin.
  int *node;
  int *tile_start;  // [part_count + 1], first tile of each part
  int *step_start;  // [tile_count + 1], first step of each tile
  unsigned *lane;   // [tile_count][PART_LANES], the packed task of each lane, see lane_row
  int *lane_node;   // [tile_count][PART_LANES], node of each lane's row, or -1
  // [tile_count], index in `node` of the first node of the tile's part
  int *tile_node;
  // `column` and local_column are NULL if blocks are rounded to 16 bits. The units of `halves` then have the columns,
  // as local numbers. column [steps][PART_LANES]: node of the columns of the block that a lane processes in a step, or
  // any valid node if the lane has no block there.
  int *column;
  uint16_t *local_column;  // [steps][PART_LANES], local numbers of these nodes
  int *send_start;         // [part_count + 1], offsets into `send`
  PartSend *send;          // [halo_count], by sending part, then by receiving part
  PartHalves halves;       // zeroed if blocks are not rounded
} PartLayout;

/// Returns the number of parts for a device. On a GPU it is one per multiprocessor. Small bodies have fewer parts.
/// Large bodies have two, three or more per multiprocessor, so that local numbers fit into 16 bits.
int part_count_for(Device device, int node_count);

/// Creates A->layout, A->parts and A->slots. with_halves: also allocates the blocks rounded to 16 bits. Fails if memory
/// runs out or if the matrix is too large for int indices.
bool part_layout_create(Operator *A, int part_count, bool with_halves, Error *error);
void part_layout_destroy(Operator *A);

/// Fills part [node_count] with the part of each node. A must be an operator in parts. Fails if memory runs out, or
/// with CUDA's message.
bool part_nodes_read(const Operator *A, int *part, Error *error);

// Copies of some arrays of a PartLayout on the host: the tiles and their rows. A zeroed PartTiles is empty.
typedef struct PartTiles {
  int *tile_start, *step_start, *lane_node;  // as in PartLayout
} PartTiles;

/// Copies the tiles of an operator in parts to the host. Fails if memory runs out, or with CUDA's message.
bool part_tiles_read(PartTiles *tiles, const Operator *A, Error *error);
void part_tiles_destroy(PartTiles *tiles);

#ifdef __cplusplus
}
#endif
