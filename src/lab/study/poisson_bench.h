// Solves Poisson's equation on squares and cubes by several solvers and times the solves, for the study of paper 003
// (Iosifidis).
#pragma once
#include "lab/stationary/stationary.h"
#include "mesh/cell_mesh.h"

enum { POISSON_SIZES_MAX = 32 };

// A system and the results of its solve: Poisson's equation on a square of triangles (CELL_TRI3) or a cube of tets
// (CELL_TET4) of side 1, with the value 0 on the boundary.
typedef struct PoissonSize {
  CellShape shape;
  int side;  // nodes per side
  const char *solver;
  bool random;  // true: the right-hand side is random; false: the source is 1
  int nodes, cells;
  StationaryReport report;
} PoissonSize;

// State of a benchmark of Poisson's equation on one device in one precision: the system that was solved last, and the
// results of all solves. A PoissonBench without a mesh is empty.
typedef struct PoissonBench {
  Device device;
  Precision precision;
  int repeat;  // number of timed assemblies for a median; 0: depends on the device
  // The members from `shape` to `assemble_seconds` keep the system of the last solve, so that the next solve can use
  // its mesh and matrix again.
  CellShape shape;
  int side;  // nodes per side; 0: no system was solved yet
  CellMesh mesh;
  uint8_t *fixed;          // [node_count], 1: node on the boundary, where the value is prescribed
  double *one;             // [node_count], ones: a constant source
  Stationary *stationary;  // the solver of the last system; NULL: none
  double assemble_seconds;
  PoissonSize solved[POISSON_SIZES_MAX];
  int solved_count;
} PoissonBench;

void poisson_bench_close(PoissonBench *bench);

/// Returns the tolerance for the relative residual ||r|| / ||b||: 1e-6 in double, 1e-3 in float. In float, the true
/// residual ||b - A x|| / ||b|| stagnates at about 1e-4 on the largest systems, though the residual r that the solver
/// updates becomes smaller.
double poisson_relative(Precision precision);

/// Returns the number of Jacobi sweeps after which the slowest mode of the error has decreased to the fraction
/// `relative`, on a uniform square or cube. `side` is the number of nodes per side. A sweep updates all unknowns once.
/// Gauss-Seidel needs half as many sweeps.
double poisson_sweeps(int side, double relative);

/// Creates a square or cube with `side` nodes per side. Its lowest corner is (low, low), or (low, low, low), and its
/// sides are `length` long. Inner nodes are moved at random by up to `distort` times the side of a cell. (*fixed)[a]
/// becomes 1 if node a is on the boundary. The caller owns mesh and *fixed, also after a failure.
bool square_or_cube(CellShape shape, int side, double low, double length, double distort, CellMesh *mesh,
                    uint8_t **fixed, Error *error);

/// Times `repeat` assemblies of the matrix; *median gets the median time, s.
bool poisson_time_assembly(Device device, int repeat, Stationary *stationary, double *median, Error *error);

/// Tests if the system and solver that *size describes were measured before. If so, copies the stored results to *size.
bool poisson_bench_find(const PoissonBench *bench, PoissonSize *size);

/// Solves the system that *size describes, and stores the results in *size. Reuses the mesh and the matrix of the last
/// solve if the new system needs the same ones.
bool poisson_bench_solve(PoissonBench *bench, PoissonSize *size, Error *error);
