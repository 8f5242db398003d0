// Copies of the matrices of PETSc's multigrid in single precision.
#pragma once
#include <petscksp.h>

// Lets multigrid (PCMG or PCGAMG) compute its products with copies of its matrices. The copies are in single precision
// and have 3 x 3 blocks. A copy is 37 % as large as PETSc's matrix, so a product reads less memory. Call this function
// after the set-up of `pc`. Levels whose matrices do not consist of 3 x 3 blocks keep their matrices.
PetscErrorCode float_levels_use(PC pc);

// Lets multigrid compute its products with PETSc's matrices again. Call this function before another set-up of `pc`.
PetscErrorCode float_levels_leave(PC pc);
