// The parts of PETSc's matrices of the type MATAIJ, whose rows are divided among all processes.
#pragma once
#include <petscmat.h>

// The rows of this process as two matrices of the type MATSEQAIJ, which belong to PETSc. The part `own` has the columns
// of this process, and `remote` those of other processes; NULL if there is only one process. remote_column
// [remote_count]: global number of each column of the remote part, in ascending order
typedef struct MatrixParts {
  Mat own, remote;
  const PetscInt *remote_column;
  PetscInt remote_count;
} MatrixParts;

/// Gets the parts of a matrix. parts->own is NULL if the matrix has another type than MATAIJ.
static inline PetscErrorCode matrix_parts(Mat matrix, MatrixParts *parts) {
  PetscBool single = PETSC_FALSE, divided = PETSC_FALSE;
  *parts = (MatrixParts){ 0 };
  PetscCall(PetscObjectTypeCompare((PetscObject)matrix, MATSEQAIJ, &single));
  PetscCall(PetscObjectTypeCompare((PetscObject)matrix, MATMPIAIJ, &divided));
  if (single) parts->own = matrix;
  if (!divided) return 0;
  PetscCall(MatMPIAIJGetSeqAIJ(matrix, &parts->own, &parts->remote, &parts->remote_column));
  return MatGetSize(parts->remote, NULL, &parts->remote_count);
}
