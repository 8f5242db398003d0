// The lower triangle of a mesh of hexahedra in groups of cells (paper 002): a device integrates a group's element
// matrices while the CPU's cores add those of the group before to the rows of the matrix. A group takes with it only
// what belongs to its cells, and there is room for two at a time, so a mesh of any size needs no more memory of the
// device than a budget:
//   CPU      gather 0 | gather 1 | sum 0    | gather 2 | sum 1    | ...
//   device            | up, integrate, down 0 | up, integrate, down 1 | ...
// Every entry is the sum of its cells' shares in the order of the cells, begun anew in no group: the same bits for any
// number of groups and cores. On the CPU the same is done one after the other.
#pragma once
#include "lab/lower/lower_pattern.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CHUNK_SLOTS = 2 };

// One group's way, in page-locked memory where the device is a GPU.
typedef struct ChunkSlot {
  int first, count;              // cells
  void *data, *data_dev;         // [group_cells][BRICK_DATA] real: S(e); on the CPU the two are one
  void *records, *records_dev;   // [group_cells][BRICK_ENTRIES] real: element matrices
  int *inverted, *inverted_dev;  // the group's first cell with det J <= 0 at a point, or INT_MAX
  int (*reach)[2];               // [pieces] lowest and highest node of cells
  Stream stream;
  Event begun, uploaded, integrated, done;
} ChunkSlot;

// How long what took, s; on a GPU groups overlap, so that the whole is less than the sum.
typedef struct ChunkedTimes {
  double gather, sum;                  // by the CPU's cores
  double wait;                         // of the CPU for the device
  double upload, integrate, download;  // by the device
  double total;
} ChunkedTimes;

// A zeroed Chunked is empty.
typedef struct Chunked {
  const struct ChunkedOperations *operations;
  const Space *space;           // borrowed, outlives it; of hexahedra (CELL_HEX8) with one unknown a node
  const LowerPattern *pattern;  // borrowed; NULL: element matrices are made, and not added up
  const LowerCorners *corners;  // borrowed
  Precision precision;
  int group_cells, groups;
  void *memory_dev;     // of all slots, in one; NULL on the CPU
  size_t device_bytes;  // of it
  ChunkSlot slot[CHUNK_SLOTS];
} Chunked;

/// Room for groups on `device` that together take `budget` bytes there at most; 0: no bound. `group_cells` at most in a
/// group; 0: as many as are worth it. Fails where the budget does not hold the smallest group, or for lack of memory.
bool chunked_create(Chunked *chunked, const Space *space, const LowerPattern *pattern, const LowerCorners *corners,
                    Device device, Precision precision, double budget, int group_cells, Error *error);
void chunked_destroy(Chunked *chunked);

/// values [pattern->start[rows]] real, on the host, need not be set: the matrix of -div(conductivity c grad u), c of
/// each cell Space.stiffness. Fails where a cell is inverted, by its number, or interrupted.
bool chunked_run(Chunked *chunked, double conductivity, void *values, ChunkedTimes *times, Error *error);

// The twins in each precision, integrate.c and integrate.cu; what the CPU does is in both.
typedef struct ChunkedOperations {
  Device device;
  Precision precision;
  bool (*integrate)(const Chunked *chunked, const ChunkSlot *slot, double conductivity, Error *error);
} ChunkedOperations;

// What the CPU's cores do for either device.
typedef struct ChunkedHost {
  Precision precision;
  size_t data_bytes, record_bytes;  // of a cell
  void (*gather)(const Chunked *chunked, ChunkSlot *slot);
  void (*sum)(const Chunked *chunked, const ChunkSlot *slot, int low, int high, void *values);  // rows low to high
} ChunkedHost;

enum { CHUNK_PIECE = 4096 };  // cells of a loop's piece

#ifdef __cplusplus
}
#endif
