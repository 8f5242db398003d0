// A matrix in parts, for products y = A x on a GPU. Each node belongs to one part. A part is a group of neighbouring
// nodes and owns their rows of the matrix. The halo of a part consists of the nodes of other parts that are neighbours
// of its nodes. Local numbers count the nodes of a part from 0 on, and then its halo: with 300 nodes and 90 halo nodes
// they are 0 to 389. One multiprocessor processes one part, so that the part's section of each vector fits into on-chip
// memory.
//
// A row of off-diagonal blocks is cut into chunks of at most PART_CHUNK blocks, or more if the row is very long. One
// lane (thread of a warp) multiplies the blocks of a chunk by x, one block per step. PART_LANES chunks form a tile,
// which a warp processes; the chunks of a row are in adjacent lanes of one tile. Example: a row of 14 blocks is cut
// into two chunks of 7 blocks, which lanes 4 and 5 multiply. A tile has as many steps as its longest chunk has blocks;
// shorter chunks are padded with zero blocks. The rows of a part are sorted by decreasing length, so that padding is
// short.
//
// In an assembly, a thread block processes consecutive tiles. If the nodes of a part belong to more tets than a thread
// block can hold, the part is halved in space until each half, called a piece, fits. Rows are then sorted by piece
// first.
//
//   values   [step][node_dof rows][node_dof columns][PART_LANES], then diagonal blocks [node_count][row][column]
//
// Steps are numbered through all tiles: if tile 0 has 7 steps, tile 1 begins with step 7.
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

// PART_LANES: threads of a warp. PART_CHUNK: max number of blocks of a chunk, except in rows of more than 32 * 8
// blocks. PART_GRAIN: number of tiles (rows for one warp) of each thread block that computes y = A x, and of each
// partial sum of x.y. PART_LOCAL_MAX: max number of local nodes of a part, so that a local number has 16 bits.
enum { PART_LANES = 32, PART_CHUNK = 8, PART_GRAIN = 8, PART_LOCAL_MAX = 65535 };
// Constants of the storage of blocks as numbers of 16 bits (part_halves.h). A thread multiplies one block after the
// other, but loads the numbers of several blocks together. One load reads a unit of 16 bytes. PART_GROUP: number of
// blocks that a thread loads together. PART_UNIT: numbers of 16 bits in a unit.
enum { PART_GROUP = 8, PART_UNIT = 8 };

// In a tile, a lane (thread of a warp) multiplies one chunk of a row by x. One packed word of PartLayout.lane describes
// the lane's chunk. These functions extract numbers and flags from the word:
//
//   lane_row    bits 0 to 15, local number of the row's node
//   lane_after  bits 16 to 20, number of chunks of the row in later lanes
//   lane_first  bit 21, set if the lane's chunk is the first of the row
//   lane_used   bit 22, set if the lane has a chunk
//
// Example: the row of local node 7 has two chunks. The word of its first lane has lane_row 7, lane_after 1 and
// lane_first set. The word of its second lane has lane_row 7, lane_after 0 and lane_first not set.
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

// The value of a node that one part (group of nodes) sends to another part. The node is at the border of the two parts:
// it is a neighbour of nodes in the other part.
typedef struct PartSend {
  int local;  // local number of the node in the sending part
  // Index of this node in the list of the halo nodes of all parts, within the range of the receiving part. The halo of
  // part p is the list of its neighbours in other parts, and begins at halo_start[p].
  int halo_index;
} PartSend;

// A unit of 16 bytes, which one load reads: PART_UNIT words of 16 bits. A word is either the column of a block (index
// of its node within the part) or one rounded entry of a block (part_halves.h).
typedef struct PartUnit {
  uint16_t word[PART_UNIT];
} __attribute__((aligned(16))) PartUnit;

typedef struct PartHalves {
  // [tile_count + 1], number of units (16 bytes) of each lane (thread) in all earlier tiles. A tile is the rows for one
  // warp.
  int *unit_start;
  // [units of all tiles][PART_LANES], units of 16 bytes for each lane (thread of a warp): columns of blocks, which
  // never change, and entries of blocks rounded to 16 bits.
  PartUnit *unit;
  // [tile_count][PART_LANES], one exponent for each lane (thread with one chunk of a row). A product multiplies the
  // rounded entries of the lane by 2^exponent.
  int16_t *exponent;
} PartHalves;

/// Returns the number of units (of PART_UNIT words) that hold `words` words. Example: 9 words need 2 units.
HOST_DEVICE int part_units(int words) {
  return (words + PART_UNIT - 1) / PART_UNIT;
}

// The index arrays of a matrix in parts, on the operator's device; the counts can be read on host and device. A part is
// a group of nodes with their rows; its halo consists of the neighbours of these nodes in other parts. A tile is the
// rows for one warp. Each lane (thread) has a chunk, some blocks of one row, and multiplies one of them in each step.
typedef struct PartLayout {
  int part_count, tile_count;  // numbers of parts (groups of nodes) and of tiles (rows for one warp)
  // Maxima over all parts. owned_max: nodes that a part owns. local_max: these nodes and the halo nodes, neighbours in
  // other parts. tile_max: tiles (rows for one warp). send_max: values that a part sends to other parts.
  int owned_max, local_max, tile_max, send_max;
  int step_max;    // max number of steps of a tile, which is the number of blocks of its longest chunk
  int after_max;   // max number of chunks (some blocks) of a row after its first chunk
  int halo_count;  // number of halo nodes of all parts

  // [part_count + 1], first row of each part, numbered through all parts: the number of nodes of all earlier parts
  int *owned_start;
  // [part_count + 1], first halo node (neighbour in another part) of each part in the list of the halo nodes of all
  // parts
  int *halo_start;
  // [node_count + halo_count], part after part: the nodes of the part, then its halo sorted by owning part. Part p
  // begins at index owned_start[p] + halo_start[p]. The local number of a node is its distance from this index.
  // Example: part 0 owns the nodes 4 and 9 and has 7 in its halo, so `node` begins with 4, 9, 7; node 7 has local
  // number 2.
  int *node;
  int *tile_start;  // [part_count + 1], first tile (rows for one warp) of each part
  // [tile_count + 1], first step of each tile, numbered through all tiles; a lane multiplies one block per step
  int *step_start;
  // [tile_count][PART_LANES], packed word of each lane (thread): its row, and its chunk of this row (lane_row above)
  unsigned *lane;
  int *lane_node;  // [tile_count][PART_LANES], node of the row that each lane (thread) multiplies; -1: none
  // [tile_count], for each tile (rows for one warp) the index in `node` at which the nodes of its part begin
  int *tile_node;
  // [steps of all tiles][PART_LANES]: column, which is a node, of the block that a lane (thread) multiplies in a step;
  // any valid node if the lane has no block in this step. NULL if blocks are rounded to 16 bits, since `halves` has the
  // columns then.
  int *column;
  // [steps of all tiles][PART_LANES]: as `column`, but with the local number of the node, its index within the part
  uint16_t *local_column;
  int *send_start;    // [part_count + 1], index in `send` of the first boundary node of each sending part
  PartSend *send;     // [halo_count], boundary nodes, sorted by sending part, then by receiving part
  PartHalves halves;  // blocks rounded to 16 bits with their columns; zeroed if the format does not round
} PartLayout;

/// Returns the number of parts (groups of nodes) for a body: on a GPU one per multiprocessor, on the CPU 32. Small
/// bodies have fewer parts. Large bodies have a multiple of this number, so that the index of a node within its part
/// fits into 16 bits.
int part_count_for(Device device, int node_count);

/// Creates A->layout, a PartLayout with part_count parts, and sets A->parts to it. Also sets A->slots, the position of
/// each block in A->values. If with_halves is true, also allocates the blocks rounded to 16 bits. Fails if memory runs
/// out or if the matrix is too large for int indices.
bool part_layout_create(Operator *A, int part_count, bool with_halves, Error *error);
void part_layout_destroy(Operator *A);

/// Sets part [node_count] to the part of each node, 0 to part_count - 1. A is an operator with a matrix in parts
/// (groups of nodes). Fails if memory runs out or if CUDA reports an error.
bool part_nodes_read(const Operator *A, int *part, Error *error);

// Copies of some arrays of PartLayout on the host: those that describe the tiles. A tile is the rows for one warp. A
// zeroed PartTiles is empty.
typedef struct PartTiles {
  // tile_start: first tile of each part. step_start: first step of each tile. lane_node: node of the row that each lane
  // (thread) multiplies.
  int *tile_start, *step_start, *lane_node;
} PartTiles;

/// Copies the tiles (rows for one warp) of an operator in parts to the host. Fails if memory runs out or if CUDA
/// reports an error.
bool part_tiles_read(PartTiles *tiles, const Operator *A, Error *error);
void part_tiles_destroy(PartTiles *tiles);

#ifdef __cplusplus
}
#endif
