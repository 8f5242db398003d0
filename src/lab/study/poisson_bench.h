// Squares and cubes on which Poisson's equation is solved by one solver after another and timed: what the study of
// Iosifidis holds solvers against each other by.
#pragma once
#include "lab/steady/steady.h"
#include "mesh/cell_mesh.h"

enum { POISSON_SIZES_MAX = 32 };

// A square (CELL_TRI3) or cube (CELL_TET4) of side 1, held at its boundary, that a solver is to solve, or has solved.
typedef struct PoissonSize {
  CellShape shape;
  int side;  // nodes
  const char *solver;
  bool random;  // the right-hand side; else a source of 1
  int nodes, cells;
  SteadyReport report;
} PoissonSize;

// A bench that is zeroed but for the first three is empty.
typedef struct PoissonBench {
  Device device;
  Precision precision;
  int repeat;  // how often assembly is timed, for the median; 0: as the device needs
  // of the last solver, which the next one may take as they are
  CellShape shape;
  int side;  // 0: none
  CellMesh mesh;
  uint8_t *fixed;  // [node_count]
  double *one;     // [node_count]
  Steady *steady;  // or NULL
  double assemble_seconds;
  PoissonSize solved[POISSON_SIZES_MAX];
  int solved_count;
} PoissonBench;

void poisson_bench_close(PoissonBench *bench);

/// What is asked of ||r|| / ||b||. What float leaves of a residual is 1e-4 on the largest of these, and recurrences
/// hide it.
double poisson_relative(Precision precision);

/// How many sweeps the slowest mode of a uniform square or cube of so many nodes a side takes, Jacobi's; Gauss's and
/// Seidel's take half.
double poisson_sweeps(int side, double relative);

/// A square or cube of `side` nodes a side from (low, low) on, `length` long, moved inside at random by `distort` of a
/// cell, and which of its nodes are on its boundary. The caller owns both, also where it fails.
bool square_or_cube(CellShape shape, int side, double low, double length, double distort, CellMesh *mesh,
                    uint8_t **fixed, Error *error);

/// Assembles some times: the median, s.
bool poisson_time_assembly(Device device, int repeat, Steady *steady, double *median, Error *error);

/// Whether it was solved before; then all of it is told.
bool poisson_bench_find(const PoissonBench *bench, PoissonSize *size);

/// Solves it, with the mesh and the matrix that are there where they are the solver's own, and keeps what it took.
bool poisson_bench_solve(PoissonBench *bench, PoissonSize *size, Error *error);
