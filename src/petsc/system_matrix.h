// PETSc's matrix of a linear system, whose rows are divided among all processes (solver.c).
#pragma once
#include <petscmat.h>
#include <stdbool.h>

#include "sim/solver/solver.h"

typedef struct SystemMatrix {
  Mat matrix;
  // [blocks of owned rows], place of each 3 x 3 block of the operator in PETSc's rows of its node, counted in entries
  // from the start of the row. A number below 0 is -1 minus a place in the remote part of the row, which has the
  // columns of other processes. NULL: functions of PETSc insert the blocks
  int *place;
  // Work space for the three rows of one node. column [neighbours_max]: global numbers of the node's neighbours; row
  // [3][3 neighbours_max]: matrix entries
  int *column;
  double *row;
  int neighbours_max;
} SystemMatrix;

/// Creates the matrix for a space with a halo. Its entries are not defined before system_matrix_fill. Its near null
/// space is the six rigid motions of the body at rest. After an error, call system_matrix_destroy.
bool system_matrix_create(SystemMatrix *m, const Space *space, Error *error);

void system_matrix_destroy(SystemMatrix *m);

/// Copies the rows of owned nodes from the operator system->A to the matrix, with its additional terms. The rows and
/// columns of fixed unknowns get 0 outside the diagonal.
PetscErrorCode system_matrix_fill(SystemMatrix *m, const SolverSystem *system);
