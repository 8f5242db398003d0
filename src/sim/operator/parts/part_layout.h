// A matrix laid out in parts: each node belongs to one part, a part holds the rows of its nodes, and knows its own
// nodes and those next to them, its halo, by small local numbers. On a GPU a multiprocessor takes a part, whose share
// of every vector then fits next to it.
//
// A row's blocks off the diagonal are cut into chunks of at most PART_CHUNK. A lane holds a chunk; PART_LANES chunks
// side by side are a tile, which a warp takes; a row's chunks stand in neighbouring lanes of one tile. Within a part
// rows go by falling length, so that the chunks of a tile are about equally long: its steps, as many as its longest
// chunk has. Where the tets at a part's rows are more than a block of threads has room for, the part is halved in space
// until they are about as many, and rows go by these pieces first: an assembly takes runs of tiles.
//   values   [step][node_dof rows][node_dof columns][PART_LANES], then own blocks [node_count][row][column]
#pragma once
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PART_LANES = 32, PART_CHUNK = 8, PART_LOCAL_MOST = 65535 };
// of blocks rounded to 16 bits (part_halves.h): steps of a group, 16-bit words of a unit
enum { PART_GROUP = 8, PART_UNIT = 8 };

// What a lane of a tile does, in one word: the local number of its row, how many chunks of the same row stand in the
// lanes behind it, whether its chunk is the row's first, and whether it has one at all.
HOST_DEVICE int lane_row(unsigned lane) {
  return (int)(lane & 0xffff);
}
HOST_DEVICE int lane_behind(unsigned lane) {
  return (int)(lane >> 16 & 31);
}
HOST_DEVICE bool lane_first(unsigned lane) {
  return lane >> 21 & 1;
}
HOST_DEVICE bool lane_used(unsigned lane) {
  return lane >> 22 & 1;
}

// A boundary node that a part tells another of.
typedef struct PartSend {
  int own;    // its local number
  int place;  // among all parts' halos
} PartSend;

// Blocks off the diagonal rounded to 16 bits; part_halves.h draws them.
typedef struct PartUnit {
  uint16_t word[PART_UNIT];
} __attribute__((aligned(16))) PartUnit;

typedef struct PartHalves {
  int *unit_start;    // [tile_count + 1]
  PartUnit *unit;     // [units][PART_LANES]; local columns never change
  int16_t *exponent;  // [tile_count][PART_LANES], of the power of two that a lane's blocks are to be multiplied by
} PartHalves;

/// How many units hold so many words.
HOST_DEVICE int part_units(int words) {
  return (words + PART_UNIT - 1) / PART_UNIT;
}

// Arrays lie on the operator's device. Counts are the same for all who look.
typedef struct PartLayout {
  int part_count, tile_count;
  int own_most, local_most, tile_most, send_most;  // of any part
  int step_most;                                   // of any tile
  int behind_most;                                 // chunks behind a row's first
  int halo_count;                                  // of all parts

  int *own_start;   // [part_count + 1], where parts begin if only own nodes are counted
  int *halo_start;  // [part_count + 1], and if only halos are
  int *node;        // [node_count + halo_count]: each part's own nodes, then its halo, by the parts that own it
  int *tile_start;  // [part_count + 1]
  int *step_start;  // [tile_count + 1]
  unsigned *lane;   // [tile_count][PART_LANES]
  int *lane_node;   // [tile_count][PART_LANES], the node of the lane's row, or -1
  int *tile_node;   // [tile_count], where the nodes of the tile's part begin among `node`
  // the next two are NULL where blocks are rounded: units have the local columns
  int *column;  // [steps][PART_LANES], the block's other node; where there is no block, the row's own or node 0
  uint16_t *local_column;  // the same by local numbers
  int *send_start;         // [part_count + 1]
  PartSend *send;          // by part, then by the part that is told
  PartHalves halves;       // empty where blocks are not rounded
} PartLayout;

/// How many parts serve a device: one for each multiprocessor, more where a part's local numbers would not reach.
int part_count_for(Device device, int node_count);

/// A's layout, A->parts and the places of its blocks, with_halves with room for them rounded. Fails for lack of memory
/// or where indices do not reach.
bool part_layout_create(Operator *A, int part_count, bool with_halves, Error *error);
void part_layout_destroy(Operator *A);

/// The part that each node is in, part [node_count], of an operator that is laid out in parts. Fails for lack of
/// memory, or with CUDA's own message.
bool part_nodes_read(const Operator *A, int *part, Error *error);

// Which rows the tiles of a layout have, on the host. A zeroed PartTiles is empty.
typedef struct PartTiles {
  int *tile_start, *step_start, *lane_node;  // as in PartLayout
} PartTiles;

/// Those of an operator that is laid out in parts. Fails for lack of memory, or with CUDA's own message.
bool part_tiles_read(PartTiles *tiles, const Operator *A, Error *error);
void part_tiles_destroy(PartTiles *tiles);

#ifdef __cplusplus
}
#endif
