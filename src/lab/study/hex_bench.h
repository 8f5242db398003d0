// Builds lower triangles of matrices over hexahedra on the CPU or with a GPU, checks them and times them, for the study
// of paper 002 (Ramirez-Gil).
#pragma once
#include "lab/lower/chunked.h"
#include "mesh/cell_mesh.h"
#include "mesh/grid.h"

enum { HEX_REPEAT_MAX = 100 };

// The mesh of a cube of n^3 hexahedra, and settings of the measurements on this mesh. A HexBench without a mesh is
// empty.
typedef struct HexBench {
  Device device;
  double budget;    // max bytes of GPU memory for the groups of cells that are processed at the same time
  int repeat;       // number of times that timed work is repeated, at most HEX_REPEAT_MAX
  int group_cells;  // max number of cells in a group; 0: chunked_create chooses it from `budget`
  BrickForm form;   // stiffness matrix or mass matrix, with the coefficient 1
  ChunkGrouping grouping;
  CellMesh mesh;
  Space space;  // borrows the arrays of the mesh; has no graph of nodes
} HexBench;

/// Returns the grid of the unit cube, divided into n^3 hexahedra.
Grid hex_cube(int n);

/// Replaces the mesh by a cube of n^3 hexahedra.
bool hex_bench_open(HexBench *bench, int n, Error *error);
void hex_bench_close(HexBench *bench);

// A matrix's lower triangle: columns of each row, and values of the entries. A zeroed HexMatrix is empty.
typedef struct HexMatrix {
  LowerPattern pattern;
  double *values;
} HexMatrix;

void hex_matrix_destroy(HexMatrix *matrix);

/// Returns the number of entries whose column or value differs between a and b. If rows differ in length, returns
/// instead how many of the numbers pattern.start [rows + 1] differ; infinity if the numbers of rows differ.
double hex_matrix_difference(const HexMatrix *a, const HexMatrix *b);

/// Returns the largest |sum of a row| / (diagonal entry) over the rows of the complete matrix. Without rounding, each
/// sum is 0, because a constant field has no flux. Returns NaN if memory runs out.
double hex_row_sums(const HexMatrix *matrix, Error *error);

/// Measures the median times, s, to compute all element matrices: *total includes transfers to and from the device,
/// *kernel does not. The device processes groups of at most `group_cells` cells. If `group_cells` is 0, chunked_create
/// chooses the size of groups from the bench's memory budget.
bool hex_time_integration(const HexBench *bench, Device device, int group_cells, double *total, double *kernel,
                          Error *error);

// Times and memory to build one matrix by groups of cells. groups: number of groups. group_cells: number of cells in a
// group. times: duration of each stage (ChunkedTimes), s.
typedef struct HexConstruction {
  // Times, s. buffers: creating the buffers. pattern: finding rows and columns of the matrix. total: building the
  // matrix; it includes `pattern` but not `buffers`.
  double total, buffers, pattern;
  double device_bytes;  // measured bytes of GPU memory for the groups of cells; 0 on the CPU
  int groups, group_cells;
  ChunkedTimes times;
} HexConstruction;

/// Builds the matrix of the mesh by groups of cells (chunked.h). *made gets times and sizes. The time to create buffers
/// is not part of made->total, because several constructions can share the buffers.
bool hex_construct(const HexBench *bench, HexConstruction *made, HexMatrix *matrix, Error *error);

/// Computes values [matrix->pattern.start[rows]], the entries of a lower triangle whose rows and columns are those of
/// `matrix`. Works on bench->device, with bench->grouping, in groups of `group_cells` cells.
bool hex_fill_by_groups(const HexBench *bench, const HexMatrix *matrix, int group_cells, double *values, Error *error);

// Methods that build the pattern of a lower triangle, the columns of each row (lower_pattern.h). A triplet is the row,
// the column and the value of one entry of an element matrix. HEX_INDEX_ARRAYS is only a first step: it lists row and
// column of each triplet. HEX_SORTED, HEX_COUNTED and HEX_CHOLMOD start from this list: the first two sort it, and for
// the third, CHOLMOD builds the matrix. HEX_CONNECTED needs no triplets: it builds the pattern row by row, from the
// cells at each node.
typedef enum HexBuilder {
  HEX_INDEX_ARRAYS,
  HEX_SORTED,
  HEX_COUNTED,
  HEX_CONNECTED,
  HEX_CHOLMOD,
  HEX_BUILDERS
} HexBuilder;

/// Builds the matrix once by each method k of HexBuilder. If this takes less than least[k], s, stores the time in
/// least[k]. *off gets the number of matrix entries that differ between Pliant's methods. *rival_off gets the number of
/// entries that differ between CHOLMOD and Pliant; NaN if CHOLMOD is not installed.
bool hex_run_builders(const HexBench *bench, double least[HEX_BUILDERS], double *off, double *rival_off, Error *error);

/// Solves A u = load by conjugate gradients on the CPU, with u = 0 at the nodes marked in `held`. Stops when the
/// relative residual is 1e-12, or after 10 iterations per node. held, load and u have one element per node.
bool hex_solve(const HexBench *bench, const HexMatrix *matrix, const uint8_t *held, const double *load, double *u,
               Error *error);
