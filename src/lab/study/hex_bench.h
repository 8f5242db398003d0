// Lower triangles of matrices over hexahedra, built on the CPU or with a GPU, checked and timed: parts of the study of
// paper 002 (Ramirez-Gil).
#pragma once
#include "lab/lower/chunked.h"
#include "mesh/cell_mesh.h"
#include "mesh/grid.h"

enum { HEX_REPEAT_MAX = 100 };

// A cube of n^3 hexahedra, with the settings of its measurements. A bench in which only the first four members are set
// is empty.
typedef struct HexBench {
  Device device;
  double budget;    // bytes of GPU memory for groups of cells
  int repeat;       // repetitions of timed work, at most HEX_REPEAT_MAX
  int group_cells;  // max number of cells of a group; 0: chosen by chunked_create
  CellMesh mesh;
  Space space;  // uses the mesh's arrays; has no graph
} HexBench;

/// The unit cube, divided into n^3 hexahedra.
Grid hex_cube(int n);

/// Replaces the mesh by a cube of n^3 hexahedra.
bool hex_bench_open(HexBench *bench, int n, Error *error);
void hex_bench_close(HexBench *bench);

// A lower triangle with its values, for comparisons. A zeroed HexMatrix is empty.
typedef struct HexMatrix {
  LowerPattern pattern;
  double *values;
} HexMatrix;

void hex_matrix_destroy(HexMatrix *matrix);

/// Number of entries whose position or bits differ; infinite if the numbers of rows differ.
double hex_matrix_difference(const HexMatrix *a, const HexMatrix *b);

/// Returns the largest ratio of a row's sum to its diagonal entry. Rows should add up to 0, since a constant field has
/// no flux. Returns NaN if memory runs out.
double hex_row_sums(const HexMatrix *matrix, Error *error);

/// Times the computation of element matrices, as medians in s. *total includes transfers to and from the device;
/// *kernel is the time of the kernel only. Groups have group_cells cells; 0: as many as the budget allows.
bool hex_time_integration(const HexBench *bench, Device device, int group_cells, double *total, double *kernel,
                          Error *error);

typedef struct HexConstruction {
  // s. total: without the creation of buffers; buffers: their creation; pattern: rows and columns of the matrix
  double total, buffers, pattern;
  double device_bytes;  // measured
  int groups, group_cells;
  ChunkedTimes times;
} HexConstruction;

/// Builds a matrix from the mesh. The creation of the groups' buffers is timed separately, since several constructions
/// can share them.
bool hex_construct(const HexBench *bench, HexConstruction *made, HexMatrix *matrix, Error *error);

/// Computes a matrix's values again by groups of `group_cells` cells on the bench's device.
bool hex_fill_by_groups(const HexBench *bench, const HexMatrix *matrix, int group_cells, double *values, Error *error);

// The methods that build a pattern (lower_pattern.h), or its index arrays.
typedef enum HexBuilder {
  HEX_INDEX_ARRAYS,
  HEX_SORTED,
  HEX_COUNTED,
  HEX_CONNECTED,
  HEX_CHOLMOD,
  HEX_BUILDERS
} HexBuilder;

/// Runs all builders once, and updates the least time of each, s. *off gets the number of entries in which the
/// builders' results differ. *rival_off gets the number of entries in which CHOLMOD's result differs, or NaN if CHOLMOD
/// is not installed.
bool hex_run_builders(const HexBench *bench, double least[HEX_BUILDERS], double *off, double *rival_off, Error *error);

/// Solves A u = load with u = 0 on held nodes, by conjugate gradients with products on the CPU; all [nodes].
bool hex_solve(const HexBench *bench, const HexMatrix *matrix, const uint8_t *held, const double *load, double *u,
               Error *error);
