// Writes the next linear system of a solver to a file for other programs, and times the solver on it.
//
// The file has PETSc's binary format, big-endian. First the matrix: int32 numbers 1211216, rows, columns, number of
// nonzeros; the length of each row; the columns of each row, ascending; the values as doubles. Then the right-hand
// side: int32 1211214, its length, and its values as doubles. Unknowns are sorted by node, in the program's order of
// nodes, and blocks are complete. A fixed unknown has 1 on the diagonal, 0 elsewhere in its row and column, and 0 on
// the right-hand side.
#pragma once
#include <stdio.h>

#include "sim/solver/solver.h"

// Result of the recorded solve; zero before it.
typedef struct SystemReport {
  int64_t unknowns, nonzeros;
  int iterations;
  // relative: requested ||r|| / ||b||; residual: final ||b - A x|| / ||b||, computed with the numbers in the file
  double relative, residual;
  double median_ms, fastest_ms;  // time of a solve
} SystemReport;

// The tap: a solver method that writes the linear system and then solves it. It replaces the solver's own method while
// it is attached.
typedef struct SystemTap {
  SolverMethod method;  // copy of the solver's own method, with another `solve`
  const SolverMethod *own;
  FILE *file;
  int repeat;
  SystemReport *report;
} SystemTap;

/// Attaches the tap. The next solve writes its system to `file`, and is repeated `repeat` times to time it. Fails if
/// solver or matrix is not on the CPU, if the matrix stores no values, if contact or consistent masses add terms
/// outside the matrix, or if products round its values. Solver, file and report belong to the caller, who must detach
/// the tap.
bool system_tap_attach(SystemTap *tap, Solver *solver, FILE *file, int repeat, SystemReport *report, Error *error);
void system_tap_detach(const SystemTap *tap, Solver *solver);
