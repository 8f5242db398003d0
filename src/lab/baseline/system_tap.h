// Writes the next linear system of a solver to a file for other programs, and times the solver on it.
//
// The file has PETSc's binary format, big-endian. The matrix: int32 1211216, rows, columns, number of nonzeros; lengths
// of rows; their columns, ascending; values as doubles. Then the right-hand side: int32 1211214, its length, and
// doubles. Unknowns are sorted by node, in the program's order of nodes; blocks are complete. A held unknown has a row
// and a column of the identity, and 0 on the right.
#pragma once
#include <stdio.h>

#include "sim/solver/solver.h"

// Result of the recorded solve; zero before it.
typedef struct SystemReport {
  int64_t unknowns, nonzeros;
  int iterations;
  double relative, residual;     // requested ||r|| / ||b||, and final ||b - A x|| / ||b|| with the numbers of the file
  double median_ms, fastest_ms;  // time of a solve
} SystemReport;

// Replaces the solver's method while it is attached.
typedef struct SystemTap {
  SolverMethod method;  // the solver's method with another `solve`
  const SolverMethod *own;
  FILE *file;
  int repeat;
  SystemReport *report;
} SystemTap;

/// Records the next solve: writes its system, and repeats it `repeat` times to time it. Fails if solver or matrix is
/// not on the CPU, if the matrix stores no values, if it is not the whole system, or if products round its values.
/// Solver, file and report belong to the caller, who must detach.
bool system_tap_attach(SystemTap *tap, Solver *solver, FILE *file, int repeat, SystemReport *report, Error *error);
void system_tap_detach(const SystemTap *tap, Solver *solver);
