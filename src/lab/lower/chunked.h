// Assembly of the lower triangle of a matrix over hexahedra, in groups of cells (paper 002). The device computes the
// element matrices of one group while the CPU's cores add those of the previous group to the rows of the matrix. Only
// the data of the cells of two groups are on the device at a time. So a mesh of any size fits a budget of device
// memory. In this schedule, `up` and `down` are transfers, and `sum` adds a group's matrices to the rows:
//   CPU      gather 0 | gather 1 | sum 0    | gather 2 | sum 1    | ...
//   device            | up, integrate, down 0 | up, integrate, down 1 | ...
// Each matrix entry is summed in the order of the cells; a group adds to the sums of the groups before it. So the
// result has the same bits for any number of groups and cores. On the CPU the stages run one after the other.
#pragma once
#include "lab/lower/lower_pattern.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CHUNK_SLOTS = 2 };

// Buffers of one group, in page-locked memory if the device is a GPU.
typedef struct ChunkSlot {
  int first, count;  // cells
  // [group_cells][BRICK_DATA] real: the constants S(e) of the cells, on host and device; on the CPU both are one array
  void *data, *data_dev;
  void *records, *records_dev;  // [group_cells][BRICK_ENTRIES] real: element matrices
  // the group's first cell with det J <= 0 at some point, or INT_MAX
  int *inverted, *inverted_dev;
  // for each CHUNK_PIECE cells of the group, the lowest and the highest node of these cells
  int (*reach)[2];
  Stream stream;
  Event begun, uploaded, integrated, done;
} ChunkSlot;

// Times of the stages, s. On a GPU the stages of successive groups overlap, so the total is less than the sum.
typedef struct ChunkedTimes {
  double gather, sum;                  // on the CPU's cores
  double wait;                         // time during which the CPU waits for the device
  double upload, integrate, download;  // on the device
  double total;
} ChunkedTimes;

// A zeroed Chunked is empty.
typedef struct Chunked {
  const struct ChunkedOperations *operations;
  // Borrowed, must outlive this: hexahedra (CELL_HEX8) with one unknown per node.
  const Space *space;
  // Borrowed. NULL: element matrices are computed but not summed.
  const LowerPattern *pattern;
  const LowerCorners *corners;  // borrowed
  Precision precision;
  // group_cells: max number of cells of a group; groups: number of groups
  int group_cells, groups;
  void *memory_dev;     // one allocation for all slots; NULL on the CPU
  size_t device_bytes;  // bytes of memory_dev
  ChunkSlot slot[CHUNK_SLOTS];
} Chunked;

/// Allocates the buffers. On `device` they take at most `budget` bytes together; 0: no bound. group_cells: max number
/// of cells of a group; 0: this function chooses a number that fits the budget. Fails if the budget is too small for
/// the smallest group, or if memory runs out.
bool chunked_create(Chunked *chunked, const Space *space, const LowerPattern *pattern, const LowerCorners *corners,
                    Device device, Precision precision, double budget, int group_cells, Error *error);
void chunked_destroy(Chunked *chunked);

/// Computes values [pattern->start[rows]], real, on the host: the matrix of -div(conductivity c grad u), where c is the
/// factor Space.stiffness of each cell. The initial content of `values` is ignored. Fails if the user interrupts, or if
/// a cell is inverted; the error gives the number of this cell.
bool chunked_run(Chunked *chunked, double conductivity, void *values, ChunkedTimes *times, Error *error);

// The computation of element matrices on one device in one precision: integrate.c and integrate.cu.
typedef struct ChunkedOperations {
  Device device;
  Precision precision;
  bool (*integrate)(const Chunked *chunked, const ChunkSlot *slot, double conductivity, Error *error);
} ChunkedOperations;

// The part of the work that CPU cores do, in one precision: it gathers the cells' data and adds element matrices to
// rows.
typedef struct ChunkedHost {
  Precision precision;
  size_t data_bytes, record_bytes;  // bytes of a cell
  void (*gather)(const Chunked *chunked, ChunkSlot *slot);
  void (*sum)(const Chunked *chunked, const ChunkSlot *slot, int low, int high, void *values);  // rows low to high - 1
} ChunkedHost;

enum { CHUNK_PIECE = 4096 };  // cells that one task of a parallel loop processes

#ifdef __cplusplus
}
#endif
