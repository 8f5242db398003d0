// Writes the next linear system A x = b of a solver to a file for other programs, and times the solver on it.
//
// The file has PETSc's binary format, big-endian. The matrix comes first:
//   int32: 1211216 (PETSc's mark of a matrix), number of rows, number of columns, number of stored entries
//   int32: number of entries of each row; then the columns of each row, ascending
//   double: the values, row by row
// The right-hand side b follows: int32 1211214 (PETSc's mark of a vector), int32 its length, and its values as doubles.
// Unknowns are sorted by node, in the order of nodes that Pliant uses. For each pair of nodes that share a cell, all
// entries of the block are stored, also those that are zero. A fixed unknown has 1 on the diagonal, 0 elsewhere in its
// row and column, and 0 in b.
#pragma once
#include <stdio.h>

#include "sim/solver/solver.h"

// Size of the linear system A x = b that a tap has written, and results of its timed solves. All members are 0 until
// the system is written.
typedef struct SystemReport {
  int64_t unknowns, nonzeros;  // number of rows, and of entries of the matrix in the file
  int iterations;              // number of iterations of each timed solve
  // relative: the solver stops when ||b - A x|| / ||b|| <= relative. residual: this quotient for the solution, computed
  // with the numbers in the file.
  double relative, residual;
  double median_ms, fastest_ms;  // median and least time of the repeated solves, ms
} SystemReport;

// A solver method that writes the linear system to a file and then solves it. While it is attached to a solver, it
// replaces the solver's original method `own`.
typedef struct SystemTap {
  SolverMethod method;  // copy of *own, but its function `solve` writes the system to the file before it solves it
  // own: the solver's original method, which solves the system; repeat: number of timed solves
  const SolverMethod *own;
  FILE *file;
  int repeat;
  SystemReport *report;
} SystemTap;

/// Attaches the tap to a solver. The next solve writes its system to `file`, and is repeated `repeat` times to time it.
/// The caller must keep solver, file and report until it detaches the tap. Fails in these cases, in which the stored
/// values are not the complete matrix of the solve:
///   - solver or matrix is not on the CPU
///   - the matrix stores no values
///   - contact or consistent masses add terms outside the matrix
///   - products use rounded values in place of the stored ones
bool system_tap_attach(SystemTap *tap, Solver *solver, FILE *file, int repeat, SystemReport *report, Error *error);
void system_tap_detach(const SystemTap *tap, Solver *solver);
