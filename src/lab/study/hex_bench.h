// Systems of hexes' lower triangles that are built on one device or on both, checked and timed: what the study of
// Ramirez-Gil is made of.
#pragma once
#include "lab/lower/chunked.h"
#include "mesh/cell_mesh.h"
#include "mesh/grid.h"

enum { HEX_REPEAT_MAX = 100 };

// A cube of n^3 hexes. A bench that is zeroed but for the first three is empty.
typedef struct HexBench {
  Device device;
  double budget;  // bytes of the GPU's memory that groups of cells may take
  int repeat;     // how often what is timed is done, HEX_REPEAT_MAX at most
  CellMesh mesh;
  Space space;  // of the mesh's arrays, without a graph
} HexBench;

/// The unit cube.
Grid hex_cube(int n);

/// Another mesh in place of the one that is there.
bool hex_bench_open(HexBench *bench, int n, Error *error);
void hex_bench_close(HexBench *bench);

// A lower triangle, so that several can be held against each other. A zeroed one is empty.
typedef struct HexMatrix {
  LowerPattern pattern;
  double *values;
} HexMatrix;

void hex_matrix_destroy(HexMatrix *matrix);

/// Entries whose place or bits differ; infinite where the numbers of rows do.
double hex_matrix_difference(const HexMatrix *a, const HexMatrix *b);

/// The largest sum of a row over its diagonal: a constant field has no flux, wherever an entry of a symmetric matrix
/// stands. NaN for lack of memory.
double hex_row_sums(const HexMatrix *matrix, Error *error);

/// Integration, with its transfers to the device and back, and the kernel's own time, s: medians. Groups of so many
/// cells, or, of 0, as large as the budget lets them be.
bool hex_time_integration(const HexBench *bench, Device device, int group_cells, double *total, double *kernel,
                          Error *error);

typedef struct HexConstruction {
  double total, buffers, pattern;  // s: all of it, without buffers; making these; rows and columns
  double device_bytes;             // measured
  int groups, group_cells;
  ChunkedTimes times;
} HexConstruction;

/// From the mesh to the values of the matrix; the groups' buffers, which any number of constructions share, are timed
/// apart.
bool hex_construct(const HexBench *bench, HexConstruction *made, HexMatrix *matrix, Error *error);

/// Fills a matrix's values again by groups of so many cells on the bench's device; values as the matrix has them.
bool hex_fill_by_groups(const HexBench *bench, const HexMatrix *matrix, int group_cells, double *values, Error *error);

// What is timed of builders.
typedef enum HexBuilder {
  HEX_INDEX_ARRAYS,
  HEX_SORTED,
  HEX_COUNTED,
  HEX_CONNECTED,
  HEX_CHOLMOD,
  HEX_BUILDERS
} HexBuilder;

/// All builders once: the least time of each so far, s; entries in which they differ, and in which CHOLMOD's does, NaN
/// where there is none.
bool hex_run_builders(const HexBench *bench, double least[HEX_BUILDERS], double *off, double *rival_off, Error *error);

/// u [nodes] with A u = load but where held [nodes], there 0, by conjugate gradients with products on the CPU.
bool hex_solve(const HexBench *bench, const HexMatrix *matrix, const uint8_t *held, const double *load, double *u,
               Error *error);
