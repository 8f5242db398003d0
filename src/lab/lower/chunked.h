// Assembly of the lower triangle of a matrix over hexahedra, in groups of successive cells (paper 002). The device
// computes the element matrices of one group while the CPU's cores add those of the previous group to the rows of the
// matrix. Only the data of two groups are on the device at a time, so a mesh of any size fits a budget of device
// memory. The work on a group has these stages:
//   gather     the CPU collects the constants of the group's cells
//   up         the constants are copied to the device
//   integrate  the device computes the element matrices
//   down       the element matrices are copied to the host
//   sum        the CPU adds the element matrices to the rows of the matrix
//
//   CPU      gather 0 | gather 1 | sum 0    | gather 2 | sum 1    | ...
//   device            | up, integrate, down 0 | up, integrate, down 1 | ...
//
// This is the grouping `overlap`. The grouping `fewest` of the paper works on one group after another (ChunkGrouping).
//
// Each matrix entry is summed in the order of the cells: a group adds to the sums of the groups before it. So the
// result has the same bits for any number of groups and cores. If the device is the CPU, the stages run one after the
// other.
#pragma once
#include "lab/lower/lower_pattern.h"
#include "sim/element/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CHUNK_SLOTS = 2 };

// The integral that an element matrix contains, with a coefficient c that is constant in each cell.
typedef enum BrickForm {
  BRICK_STIFFNESS,  // integral of c grad N_a . grad N_b
  BRICK_MASS,       // integral of c N_a N_b: the consistent mass matrix for the density c
  BRICK_FORMS
} BrickForm;
extern const char *const brick_form_names[BRICK_FORMS];

// The division of the cells into groups.
typedef enum ChunkGrouping {
  // Two groups are in memory at a time: the device computes one while the CPU sums the other. A group has at most
  // 131,072 cells, or fewer if the memory budget or the number of cells is small.
  CHUNK_OVERLAP,
  // Eq. 10 of paper 002: one group is in memory at a time, and the groups follow one another. Their number is the bytes
  // of all cells divided by the memory budget, rounded up.
  CHUNK_FEWEST,
  CHUNK_GROUPINGS
} ChunkGrouping;
extern const char *const chunk_grouping_names[CHUNK_GROUPINGS];

// Choices for an assembly in groups of cells.
typedef struct ChunkedSettings {
  Device device;  // computes the element matrices
  Precision precision;
  BrickForm form;
  ChunkGrouping grouping;
  double budget;    // max memory of all buffers on `device`, bytes; 0: no limit
  int group_cells;  // max number of cells in a group; 0: chosen by `grouping` and `budget`
} ChunkedSettings;

// Buffers of one group of cells. There are Chunked.slots slots; group g uses slot g % slots. Pointers whose names end
// in _dev are arrays on the device; if the device is the CPU, they equal the pointers to the host arrays. For a GPU the
// host arrays are in page-locked memory, because copies that run during kernels need it.
typedef struct ChunkSlot {
  int first, count;  // the first cell of the group, and its number of cells
  // [group_cells][BRICK_DATA] real: the shape and conductivity factor of each cell, S(e)
  void *data, *data_dev;
  void *records, *records_dev;  // [group_cells][BRICK_ENTRIES] real: the lower triangle of each cell's matrix
  // index within the group of the first cell with det J <= 0 at a Gauss point; INT_MAX: no such cell
  int *inverted, *inverted_dev;
  // [pieces][2]: lowest and highest node of each piece of CHUNK_PIECE successive cells. The group changes only the
  // matrix rows of nodes in these ranges.
  int (*reach)[2];
  Stream stream;
  // Events in `stream`. begun: the copy to the device begins. uploaded: this copy has ended. integrated: the element
  // matrices are computed. done: the element matrices are on the host.
  Event begun, uploaded, integrated, done;
} ChunkSlot;

// Seconds of each stage of the work on a group of cells, summed over the groups. On a GPU the stages of successive
// groups overlap, so `total` is less than the sum of the times of the stages.
typedef struct ChunkedTimes {
  double gather, sum;                  // time that the CPU works on the stages gather and sum, s
  double wait;                         // time during which the CPU waits for the device, s
  double upload, integrate, download;  // time that the device works on the stages up, integrate and down, s
  double total;                        // time from the start of the first group to the end of the last one, s
} ChunkedTimes;

// An assembly in groups of successive cells, with its buffers. A zeroed Chunked is empty.
typedef struct Chunked {
  const struct ChunkedOperations *operations;
  // The cells, hexahedra (CELL_HEX8) with one unknown per node. Borrowed, must outlive the Chunked.
  const Space *space;
  // The rows and columns of the matrix, borrowed. NULL: element matrices are computed but not summed.
  const LowerPattern *pattern;
  const LowerCorners *corners;  // the cells at each node; their matrices are summed in the node's row; borrowed
  Precision precision;
  BrickForm form;
  // group_cells: max number of cells in a group; groups: number of groups; slots: number of groups in memory at a time,
  // 1 or 2
  int group_cells, groups, slots;
  void *memory_dev;     // one allocation for the device arrays of both slots; NULL on the CPU
  size_t device_bytes;  // bytes of memory_dev
  ChunkSlot slot[CHUNK_SLOTS];
} Chunked;

/// Creates an assembly in groups of cells and allocates its buffers. Fails if the budget is too small for groups of 64
/// cells, or if memory runs out.
bool chunked_create(Chunked *chunked, const Space *space, const LowerPattern *pattern, const LowerCorners *corners,
                    const ChunkedSettings *settings, Error *error);
void chunked_destroy(Chunked *chunked);

/// Computes the matrix of the assembly's form. Its coefficient c is `coefficient` times the factor Space.stiffness of
/// each cell. `values`, an array on the host, gets the entries of the lower triangle of this matrix in the order of the
/// LowerPattern that was given to chunked_create: pattern->start[pattern->rows] numbers of type real. Earlier contents
/// are ignored. Fails if the user interrupts, or if a cell is inverted; the error names this cell.
bool chunked_run(Chunked *chunked, double coefficient, void *values, ChunkedTimes *times, Error *error);

// The function `integrate`, which computes the element matrices of a group of cells, for one device and precision.
// integrate.c defines it for the CPU, integrate.cu for the GPU.
typedef struct ChunkedOperations {
  Device device;
  Precision precision;
  bool (*integrate)(const Chunked *chunked, const ChunkSlot *slot, double coefficient, Error *error);
} ChunkedOperations;

// Functions by which the CPU's cores process a group of cells, in one precision. `gather` collects the constants S(e)
// of the cells. `sum` adds the element matrices to the matrix rows `low` to `high`, both included.
typedef struct ChunkedHost {
  Precision precision;
  size_t data_bytes, record_bytes;  // bytes of one cell's constants and of one element matrix
  void (*gather)(const Chunked *chunked, ChunkSlot *slot);
  void (*sum)(const Chunked *chunked, const ChunkSlot *slot, int low, int high, void *values);
} ChunkedHost;

enum { CHUNK_PIECE = 4096 };  // number of cells that one piece of a parallel loop processes

#ifdef __cplusplus
}
#endif
