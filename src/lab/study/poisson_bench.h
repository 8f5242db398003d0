// Poisson's equation on squares and cubes, solved by several solvers and timed: parts of the study of paper 003
// (Iosifidis).
#pragma once
#include "lab/stationary/stationary.h"
#include "mesh/cell_mesh.h"

enum { POISSON_SIZES_MAX = 32 };

// A square (CELL_TRI3) or cube (CELL_TET4) of side 1, held at its boundary, with a solver and its results.
typedef struct PoissonSize {
  CellShape shape;
  int side;  // nodes per side
  const char *solver;
  bool random;  // random right-hand side; else a source of 1
  int nodes, cells;
  StationaryReport report;
} PoissonSize;

// A bench with only the first three fields set is empty.
typedef struct PoissonBench {
  Device device;
  Precision precision;
  int repeat;  // repetitions of a timed assembly, for the median; 0: depends on the device
  // The members below belong to the last solve; the next solve reuses them if they fit.
  CellShape shape;
  int side;  // 0: none
  CellMesh mesh;
  uint8_t *fixed;          // [node_count], 1: boundary node, whose value is held
  double *one;             // [node_count], ones: a constant source
  Stationary *stationary;  // the solver of the last system; NULL: none
  double assemble_seconds;
  PoissonSize solved[POISSON_SIZES_MAX];
  int solved_count;
} PoissonBench;

void poisson_bench_close(PoissonBench *bench);

/// Returns the tolerance for ||r|| / ||b||: 1e-6 in double, 1e-3 in float. In float, ||b - A x|| / ||b|| is about 1e-4
/// on the largest systems, although the residual that the solver updates is smaller.
double poisson_relative(Precision precision);

/// Returns the number of Jacobi sweeps that reduce the slowest mode of a uniform square or cube to the fraction
/// `relative`. `side`: nodes per side. Gauss-Seidel needs half as many.
double poisson_sweeps(int side, double relative);

/// Creates a square or cube with `side` nodes per side, which begins at the corner (low, low) and is `length` long. Its
/// inner nodes are moved at random by `distort` of a cell. *fixed marks its boundary nodes. The caller owns mesh and
/// *fixed, also after a failure.
bool square_or_cube(CellShape shape, int side, double low, double length, double distort, CellMesh *mesh,
                    uint8_t **fixed, Error *error);

/// Times repeated assemblies; *median gets the median, s.
bool poisson_time_assembly(Device device, int repeat, Stationary *stationary, double *median, Error *error);

/// Finds an earlier solve of this system; if there is one, fills in its results.
bool poisson_bench_find(const PoissonBench *bench, PoissonSize *size);

/// Solves the system, reusing mesh and matrix if they fit, and stores the results.
bool poisson_bench_solve(PoissonBench *bench, PoissonSize *size, Error *error);
