// The linear system that a solver is given next, written down for other programs, and how long the solver takes for it.
//
// The file is PETSc's binary format, big-endian: of the matrix int32 1211216, rows, columns, non-zeros; the lengths of
// the rows; their columns, ascending; and the values as doubles. Then of the right-hand side int32 1211214, its length,
// and doubles. Unknowns stand node by node in the order that the program has given the nodes, blocks are whole, and an
// unknown that is held has a row and a column of the identity and 0 on the right.
#pragma once
#include <stdio.h>

#include "sim/solver/solver.h"

// What became of it; all zero until there was a solve.
typedef struct SystemReport {
  int64_t unknowns, nonzeros;
  int iterations;
  double relative, residual;     // what was asked for, and ||b - A x|| / ||b|| of the file's numbers in the end
  double median_ms, fastest_ms;  // of a solve
} SystemReport;

// Stands in for the solver's method while it is attached.
typedef struct SystemTap {
  SolverMethod method;  // the solver's own but for `solve`
  const SolverMethod *own;
  FILE *file;
  int repeat;
  SystemReport *report;
} SystemTap;

/// The first solve from now on, on the CPU, writes its system and is done `repeat` times for its time. Fails where
/// there is no matrix, or one that is not all of the system, or that products take rounded. The caller owns all three,
/// and detaches.
bool system_tap_attach(SystemTap *tap, Solver *solver, FILE *file, int repeat, SystemReport *report, Error *error);
void system_tap_detach(const SystemTap *tap, Solver *solver);
