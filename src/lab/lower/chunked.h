// Assembly of the lower triangle of a mesh of hexahedra in groups of cells (paper 002): a device integrates a group's
// element matrices while the CPU's cores add those of the last group to the rows of the matrix. A group transfers only
// data of its cells, and two groups are in memory at a time, so a mesh of any size fits a budget of device memory:
//   CPU      gather 0 | gather 1 | sum 0    | gather 2 | sum 1    | ...
//   device            | up, integrate, down 0 | up, integrate, down 1 | ...
// Each entry is summed in the order of the cells, continued across groups: the bits do not depend on the number of
// groups and cores. On the CPU the stages run one after the other.
#pragma once
#include "lab/lower/lower_pattern.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CHUNK_SLOTS = 2 };

// Buffers of one group, in page-locked memory if the device is a GPU.
typedef struct ChunkSlot {
  int first, count;              // cells
  void *data, *data_dev;         // [group_cells][BRICK_DATA] real: S(e); one array on the CPU
  void *records, *records_dev;   // [group_cells][BRICK_ENTRIES] real: element matrices
  int *inverted, *inverted_dev;  // the group's first cell with det J <= 0 at a point, or INT_MAX
  int (*reach)[2];               // [pieces] lowest and highest node of the piece's cells
  Stream stream;
  Event begun, uploaded, integrated, done;
} ChunkSlot;

// Times of the stages, s; on a GPU groups overlap, so that the total is less than the sum.
typedef struct ChunkedTimes {
  double gather, sum;                  // on the CPU's cores
  double wait;                         // time that the CPU waits for the device
  double upload, integrate, download;  // on the device
  double total;
} ChunkedTimes;

// A zeroed Chunked is empty.
typedef struct Chunked {
  const struct ChunkedOperations *operations;
  const Space *space;           // borrowed, must outlive this; of hexahedra (CELL_HEX8) with one unknown per node
  const LowerPattern *pattern;  // borrowed; NULL: element matrices are computed, but not summed
  const LowerCorners *corners;  // borrowed
  Precision precision;
  int group_cells, groups;
  void *memory_dev;     // one allocation for all slots; NULL on the CPU
  size_t device_bytes;  // bytes of memory_dev
  ChunkSlot slot[CHUNK_SLOTS];
} Chunked;

/// Allocates groups on `device` that together take at most `budget` bytes there; 0: no bound. `group_cells`: maximum of
/// a group; 0: as many as are useful. Fails if the budget does not hold the smallest group, or if memory runs out.
bool chunked_create(Chunked *chunked, const Space *space, const LowerPattern *pattern, const LowerCorners *corners,
                    Device device, Precision precision, double budget, int group_cells, Error *error);
void chunked_destroy(Chunked *chunked);

/// Computes values [pattern->start[rows]], real, on the host, without initial content: the matrix of -div(conductivity
/// c grad u), c of each cell being Space.stiffness. Fails if a cell is inverted, and names it, or if interrupted.
bool chunked_run(Chunked *chunked, double conductivity, void *values, ChunkedTimes *times, Error *error);

// Device part in each precision, integrate.c and integrate.cu; the CPU part is used by both.
typedef struct ChunkedOperations {
  Device device;
  Precision precision;
  bool (*integrate)(const Chunked *chunked, const ChunkSlot *slot, double conductivity, Error *error);
} ChunkedOperations;

// Work of the CPU's cores, for either device.
typedef struct ChunkedHost {
  Precision precision;
  size_t data_bytes, record_bytes;  // bytes of a cell
  void (*gather)(const Chunked *chunked, ChunkSlot *slot);
  void (*sum)(const Chunked *chunked, const ChunkSlot *slot, int low, int high, void *values);  // rows low to high - 1
} ChunkedHost;

enum { CHUNK_PIECE = 4096 };  // cells of a piece of a loop

#ifdef __cplusplus
}
#endif
