// Builds lower triangles of matrices over hexahedra on the CPU or with a GPU, checks them and times them, for the study
// of paper 002 (Ramirez-Gil).
#pragma once
#include "lab/lower/chunked.h"
#include "mesh/cell_mesh.h"
#include "mesh/grid.h"

enum { HEX_REPEAT_MAX = 100 };

// A cube of n^3 hexahedra, with the settings of its measurements. A HexBench is empty if at most its first four members
// are set.
typedef struct HexBench {
  Device device;
  double budget;    // bytes of GPU memory for groups of cells
  int repeat;       // number of times that timed work is repeated, at most HEX_REPEAT_MAX
  int group_cells;  // max number of cells in a group that the device processes at a time; 0: chosen by chunked_create
  CellMesh mesh;
  Space space;  // borrows the arrays of the mesh; has no graph of nodes
} HexBench;

/// Returns the grid of the unit cube, divided into n^3 hexahedra.
Grid hex_cube(int n);

/// Replaces the mesh by a cube of n^3 hexahedra.
bool hex_bench_open(HexBench *bench, int n, Error *error);
void hex_bench_close(HexBench *bench);

// A lower triangle: the columns of each row, and the values of its entries. A zeroed HexMatrix is empty.
typedef struct HexMatrix {
  LowerPattern pattern;
  double *values;
} HexMatrix;

void hex_matrix_destroy(HexMatrix *matrix);

/// Returns the number of entries of a and b whose row, column or bits of the value differ; infinite if the numbers of
/// rows differ.
double hex_matrix_difference(const HexMatrix *a, const HexMatrix *b);

/// Returns the largest ratio of a row's sum to the row's diagonal entry, over the rows of the whole matrix. Rows should
/// add up to 0, since a constant field has no flux. Returns NaN if memory runs out.
double hex_row_sums(const HexMatrix *matrix, Error *error);

/// Measures the time to compute all element matrices; both results are medians, s. *total includes transfers to and
/// from the device, and *kernel is the time of the kernel only. The cells are processed in groups of group_cells cells;
/// 0: as many as the budget allows.
bool hex_time_integration(const HexBench *bench, Device device, int group_cells, double *total, double *kernel,
                          Error *error);

// Times and memory of the construction of one matrix in groups of cells. groups: number of groups; group_cells: cells
// of a group; times: of the stages of a group.
typedef struct HexConstruction {
  // Times, s. total: to build the matrix, without the creation of buffers; buffers: to create them; pattern: to find
  // the rows and columns of the matrix.
  double total, buffers, pattern;
  double device_bytes;  // bytes of device memory for the groups of cells, as measured
  int groups, group_cells;
  ChunkedTimes times;
} HexConstruction;

/// Builds a matrix from the mesh, in groups of cells (chunked.h). Creating the buffers of the groups is timed
/// separately, since several constructions can share them.
bool hex_construct(const HexBench *bench, HexConstruction *made, HexMatrix *matrix, Error *error);

/// Computes the values of a matrix again, in groups of `group_cells` cells, on the bench's device.
bool hex_fill_by_groups(const HexBench *bench, const HexMatrix *matrix, int group_cells, double *values, Error *error);

// The methods that build the pattern of a lower triangle, the columns of each row (lower_pattern.h). The first only
// makes the index arrays of the triplets.
typedef enum HexBuilder {
  HEX_INDEX_ARRAYS,
  HEX_SORTED,
  HEX_COUNTED,
  HEX_CONNECTED,
  HEX_CHOLMOD,
  HEX_BUILDERS
} HexBuilder;

/// Builds the pattern once by each method of HexBuilder. least[k] becomes the least time that method k has taken so
/// far, s. *off gets the number of entries in which the results of the methods differ. *rival_off gets the number of
/// entries in which the result of CHOLMOD differs, or NaN if CHOLMOD is not installed.
bool hex_run_builders(const HexBench *bench, double least[HEX_BUILDERS], double *off, double *rival_off, Error *error);

/// Solves A u = load by conjugate gradients on the CPU, with u = 0 at the nodes that are marked in `held`. All vectors
/// are [nodes].
bool hex_solve(const HexBench *bench, const HexMatrix *matrix, const uint8_t *held, const double *load, double *u,
               Error *error);
