// A matrix in parts, for products on a GPU. Each node belongs to one part, which owns the node's row of matrix blocks.
// The halo of a part consists of the nodes of other parts that are neighbours of nodes in this part. The local numbers
// of a part count its nodes, from 0 on, and then the nodes of its halo. Example: a part with 300 nodes and 90 halo
// nodes has the local numbers 0 to 389. On a GPU one multiprocessor processes one part, so that the part's section of
// every vector fits into on-chip memory.
//
// The off-diagonal blocks of a row are cut into chunks of at most PART_CHUNK blocks; only rows of very many blocks have
// longer chunks. A lane, a thread of a warp, multiplies the blocks of one chunk by x. PART_LANES chunks form a tile,
// which a warp processes. The chunks of one row are in adjacent lanes of one tile. Example: a row of 14 off-diagonal
// blocks is cut into two chunks of 7 blocks, which lanes 4 and 5 multiply. The rows of a part are sorted by decreasing
// length, so that the chunks of a tile have about equal lengths. In step k of a tile, every lane multiplies block k of
// its chunk. So a tile has as many steps as its longest chunk has blocks. Shorter chunks are padded with zero blocks.
//
// An assembly processes ranges of consecutive tiles. If the nodes of a part belong to more tets than a thread block can
// hold, the part is halved in space into pieces, until each piece fits. Its rows are then sorted by piece first, so
// that the rows of a piece fill consecutive tiles.
//
//   values   [step][node_dof rows][node_dof columns][PART_LANES], then diagonal blocks [node_count][row][column]
//
// The steps of all tiles are counted through: if tile 0 has 7 steps, tile 1 begins with step 7.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// PART_LANES: threads of a warp. PART_CHUNK: maximum number of blocks of a chunk, except in rows of more than 32 * 8
// blocks. PART_LOCAL_MAX: largest local number (index of a node within its part), which has 16 bits.
enum { PART_LANES = 32, PART_CHUNK = 8, PART_LOCAL_MAX = 65535 };
// For blocks rounded to 16 bits (part_halves.h), which are read in units of 16 bytes. A thread multiplies one block in
// each step. PART_GROUP: number of steps whose units are loaded together, as a group. PART_UNIT: number of 16-bit words
// per unit.
enum { PART_GROUP = 8, PART_UNIT = 8 };

// The task of a lane (a thread of a warp): the chunk of a row that it processes in a tile (32 chunks). It is packed
// into one word:
//
//   lane_row    bits 0 to 15, local number of the row's node
//   lane_after  bits 16 to 20, number of chunks of this row in the lanes after it
//   lane_first  bit 21, set if its chunk is the first of the row
//   lane_used   bit 22, set if it has a chunk
//
// Example: the row of local node 7 has two chunks. The first lane has lane_row 7, lane_after 1 and lane_first set; the
// second has lane_row 7, lane_after 0 and lane_first not set.
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

// A boundary node: a node of one part that is a neighbour of a node of another part. The part sends the node's value to
// the other part, which has the node in its halo.
typedef struct PartSend {
  int local;  // the node's local number in the sending part
  // index of the node's copy in the list of the halo nodes of all parts, part after part. The halo of part p begins at
  // index halo_start[p]
  int halo_index;
} PartSend;

// A unit of 16 bytes, which one load reads: PART_UNIT words of 16 bits. A word is a column, as local number of its node
// within the part, or a rounded entry of an off-diagonal block (part_halves.h).
typedef struct PartUnit {
  uint16_t word[PART_UNIT];
} __attribute__((aligned(16))) PartUnit;

typedef struct PartHalves {
  // [tile_count + 1], ^[tile_count + 1], first unit (of 16 bytes) of each tile, counted for one lane. A tile is 32
  // chunks of rows, one per lane.
  int *unit_start;
  // [units of all tiles][PART_LANES], units of 16 bytes for each lane. Some units have the columns of blocks, which
  // never change. The other units have rounded entries of blocks.
  PartUnit *unit;
  // [tile_count][PART_LANES], exponent of the power of two by which the rounded entries of the lane's chunk are
  // multiplied
  int16_t *exponent;
} PartHalves;

/// Returns the number of units of PART_UNIT words (16 bytes) that hold `words` words. Example: 9 words need 2 units.
HOST_DEVICE int part_units(int words) {
  return (words + PART_UNIT - 1) / PART_UNIT;
}

// The index arrays of a matrix in parts. A part is a group of nodes with their rows; its halo consists of the
// neighbours of these nodes in other parts. A tile is PART_LANES chunks of rows, one per lane of a warp. In each step
// of a tile, a lane multiplies one block. All arrays are on the operator's device. The counts can be read on host and
// device.
typedef struct PartLayout {
  int part_count, tile_count;  // numbers of parts and of tiles
  // Maxima over all parts. owned_max: nodes that a part owns. local_max: these nodes and the part's halo, their
  // neighbours in other parts. tile_max: tiles (32 chunks, each some blocks of a row). send_max: boundary nodes, each
  // counted once for each part that receives its value.
  int owned_max, local_max, tile_max, send_max;
  int step_max;    // maximum number of steps of a tile, that is of blocks of a chunk
  int after_max;   // maximum number of chunks of a row, not counting its first chunk
  int halo_count;  // number of halo nodes, summed over all parts

  // [part_count + 1], number of nodes that all earlier parts own
  int *owned_start;
  // [part_count + 1], number of halo nodes of all earlier parts: the first index of each part in the list of all halos
  int *halo_start;
  // [node_count + halo_count]: for each part the nodes that it owns, then its halo, sorted by owning part. Those of
  // part p begin at owned_start[p] + halo_start[p]. The local number of a node is its index after this begin. Example:
  // part 0 owns the nodes 4 and 9 and has 7 in its halo, so `node` begins with 4, 9, 7; node 7 has local number 2.
  int *node;
  int *tile_start;  // [part_count + 1], first tile (32 chunks of rows) of each part
  int *step_start;  // [tile_count + 1], first step of each tile; steps are counted through all tiles
  unsigned *lane;   // [tile_count][PART_LANES], packed task of each lane (thread): its row, and which chunk of the row
  int *lane_node;   // [tile_count][PART_LANES], node of the row of each lane (thread); -1: the lane has no chunk
  // [tile_count], index in `node` of the first node of the part to which the tile (32 chunks, each some blocks of a
  // row) belongs
  int *tile_node;
  // `column` and local_column are NULL if blocks are rounded to 16 bits. The columns are then in the units of 16 bytes
  // of `halves`, as local numbers (of nodes within the part). column [steps of all tiles][PART_LANES]: for each block
  // that a lane multiplies in a step, the node of the block's columns. It is any valid node if the lane has no block in
  // this step.
  int *column;
  uint16_t *local_column;  // [steps of all tiles][PART_LANES], as `column`, but local numbers within the part
  int *send_start;         // [part_count + 1], offsets into `send`: first boundary node of each sending part
  PartSend *send;          // [halo_count], boundary nodes, sorted by sending part, then by receiving part
  PartHalves halves;       // blocks rounded to 16 bits; zeroed if the format does not round
} PartLayout;

/// Returns the number of parts into which the nodes are divided. On a GPU it is one per multiprocessor. Small bodies
/// have fewer parts. Large bodies have two, three or more per multiprocessor, so that local numbers (of the nodes
/// within a part) fit into 16 bits.
int part_count_for(Device device, int node_count);

/// Creates A->layout, a PartLayout with the parts, the tiles (32 chunks, each some blocks of a row) and the columns,
/// and sets A->parts to it. Also sets A->slots, the position of each block in A->values. with_halves: also allocates
/// the blocks rounded to 16 bits. Fails if memory runs out or if the matrix is too large for int indices.
bool part_layout_create(Operator *A, int part_count, bool with_halves, Error *error);
void part_layout_destroy(Operator *A);

/// Fills part [node_count] with the part of each node, from 0 to part_count - 1. A must be an operator in parts. Fails
/// if memory runs out, or with CUDA's message.
bool part_nodes_read(const Operator *A, int *part, Error *error);

// Copies of some arrays of a PartLayout on the host: the tiles (32 chunks, each some blocks of a row) and the nodes of
// their rows. A zeroed PartTiles is empty.
typedef struct PartTiles {
  // members of PartLayout: first tile (32 chunks) of each part; first step of each tile; node of each lane's row
  int *tile_start, *step_start, *lane_node;
} PartTiles;

/// Copies the tiles (32 chunks, each some blocks of a row) of an operator in parts to the host. Fails if memory runs
/// out, or with CUDA's message.
bool part_tiles_read(PartTiles *tiles, const Operator *A, Error *error);
void part_tiles_destroy(PartTiles *tiles);

#ifdef __cplusplus
}
#endif
