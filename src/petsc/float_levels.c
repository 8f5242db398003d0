// Copies of the matrices of PETSc's multigrid in single precision (float_levels.h). A copy is a matrix of the type
// MATSHELL. Vectors stay in double precision, and sums are in double precision too. Rounding of the matrix changes only
// the preconditioner, by 6e-8 of its size.
//
// A row of blocks has its own part, whose columns belong to this process, and a remote part, whose columns belong to
// other processes. PETSc stores the two parts as two matrices of the type MATSEQAIJ.
#include <stdbool.h>
#include <string.h>

#include "petsc/float_levels.h"
#include "petsc/matrix_parts.h"

typedef double Four __attribute__((vector_size(32)));
typedef float FourFloats __attribute__((vector_size(16)));

typedef struct Blocks {
  PetscInt rows;     // number of rows of blocks
  PetscInt *start;   // [rows + 1], first block of each row
  PetscInt *column;  // [start[rows]], number of the column of blocks
  float *values;     // [9 start[rows] + 1], column by column in each block; the last number is 0
} Blocks;

// Data of a copy
typedef struct Copy {
  Blocks own, remote;
  VecScatter scatter;  // copies values of other processes to `ghosts`; NULL: there is one process
  Vec ghosts;          // values at the columns of the remote part
} Copy;

static PetscErrorCode destroy_blocks(Blocks *blocks) {
  PetscCall(PetscFree(blocks->start));
  PetscCall(PetscFree(blocks->column));
  return PetscFree(blocks->values);
}

static PetscErrorCode destroy_copy(Copy *copy) {
  PetscCall(destroy_blocks(&copy->own));
  PetscCall(destroy_blocks(&copy->remote));
  PetscCall(VecScatterDestroy(&copy->scatter));
  PetscCall(VecDestroy(&copy->ghosts));
  return PetscFree(copy);
}

static PetscErrorCode destroy_shell(Mat shell) {
  Copy *copy;
  PetscCall(MatShellGetContext(shell, &copy));
  return destroy_copy(copy);
}

// Returns true if the three rows of entries that begin at `row` have the same columns, in groups of three.
static bool has_blocks(const PetscInt *start, const PetscInt *column, PetscInt row) {
  const PetscInt count = start[row + 1] - start[row];
  if (count % 3 || start[row + 2] - start[row + 1] != count || start[row + 3] - start[row + 2] != count) return false;
  for (PetscInt k = 0; k < count; k++) {
    const PetscInt first = column[start[row] + k];
    if (column[start[row + 1] + k] != first || column[start[row + 2] + k] != first) return false;
    if (k % 3 ? first != column[start[row] + k - 1] + 1 : first % 3 != 0) return false;
  }
  return true;
}

// Copies the entries of `rows` rows in the format CSR to *blocks. *ok is false if they do not consist of 3 x 3 blocks.
static PetscErrorCode copy_entries(PetscInt rows, const PetscInt *start, const PetscInt *column, const double *values,
                                   Blocks *blocks, bool *ok) {
  *ok = rows % 3 == 0;
  for (PetscInt row = 0; *ok && row < rows; row += 3) *ok = has_blocks(start, column, row);
  if (!*ok) return 0;
  blocks->rows = rows / 3;
  PetscCall(PetscMalloc1(blocks->rows + 1, &blocks->start));
  PetscCall(PetscMalloc1(start[rows] / 9, &blocks->column));
  PetscCall(PetscCalloc1(start[rows] + 1, &blocks->values));
  PetscInt block = 0;
  for (PetscInt a = 0; a < blocks->rows; a++) {
    const PetscInt first = start[3 * a], count = (start[3 * a + 1] - first) / 3;
    blocks->start[a] = block;
    for (PetscInt k = 0; k < count; k++, block++) {
      blocks->column[block] = column[first + 3 * k] / 3;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) blocks->values[9 * block + 3 * j + i] = (float)values[start[3 * a + i] + 3 * k + j];
    }
  }
  blocks->start[blocks->rows] = block;
  return 0;
}

// Copies a matrix of the type MATSEQAIJ to *blocks. *ok is false if it does not consist of 3 x 3 blocks.
static PetscErrorCode copy_part(Mat part, Blocks *blocks, bool *ok) {
  PetscInt rows;
  const PetscInt *start, *column;
  const double *values;
  PetscBool found;
  PetscCall(MatGetRowIJ(part, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &found));
  *ok = found;
  if (!found) return 0;
  PetscCall(MatSeqAIJGetArrayRead(part, &values));
  PetscCall(copy_entries(rows, start, column, values, blocks, ok));
  PetscCall(MatSeqAIJRestoreArrayRead(part, &values));
  return MatRestoreRowIJ(part, 0, PETSC_FALSE, PETSC_FALSE, &rows, &start, &column, &found);
}

#ifdef __x86_64__
#define FAST __attribute__((target("avx2")))
#else
#define FAST
#endif

// Returns true if products with a copy are faster than products with PETSc's matrix. Without the instructions AVX2 of
// x86 processors, the conversion of single to double precision takes more time than the copy saves.
static bool is_fast(void) {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2");
#else
  return true;
#endif
}

// Adds the product of the blocks and x to y, or sets y to the product if `sets`.
static FAST void multiply(const Blocks *blocks, const double *x, double *y, bool sets) {
  for (PetscInt a = 0; a < blocks->rows; a++) {
    Four sum = { 0 };
    for (PetscInt k = blocks->start[a]; k < blocks->start[a + 1]; k++) {
      const float *block = blocks->values + 9 * k;
      const double *at = x + 3 * blocks->column[k];

      // The fourth number of each vector is not used.
      for (int j = 0; j < 3; j++) {
        FourFloats values;
        memcpy(&values, block + 3 * j, sizeof values);
        sum += __builtin_convertvector(values, Four) * at[j];
      }
    }
    for (int i = 0; i < 3; i++) y[3 * a + i] = sets ? sum[i] : y[3 * a + i] + sum[i];
  }
}

// Implements MATOP_MULT.
static PetscErrorCode multiply_shell(Mat shell, Vec x, Vec y) {
  Copy *copy;
  const double *values, *ghosts;
  double *product;
  PetscCall(MatShellGetContext(shell, &copy));
  if (copy->scatter) PetscCall(VecScatterBegin(copy->scatter, x, copy->ghosts, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArrayRead(x, &values));
  PetscCall(VecGetArrayWrite(y, &product));
  multiply(&copy->own, values, product, true);
  PetscCall(VecRestoreArrayRead(x, &values));
  if (copy->scatter) {
    PetscCall(VecScatterEnd(copy->scatter, x, copy->ghosts, INSERT_VALUES, SCATTER_FORWARD));
    PetscCall(VecGetArrayRead(copy->ghosts, &ghosts));
    multiply(&copy->remote, ghosts, product, false);
    PetscCall(VecRestoreArrayRead(copy->ghosts, &ghosts));
  }
  return VecRestoreArrayWrite(y, &product);
}

// Creates the remote part of `copy`, the copy of `matrix`.
static PetscErrorCode create_remote(Copy *copy, Mat matrix, const MatrixParts *parts, bool *ok) {
  const PetscInt count = parts->remote_count;
  IS numbers;
  Vec x;
  PetscCall(copy_part(parts->remote, &copy->remote, ok));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, count, &copy->ghosts));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, parts->remote_column, PETSC_COPY_VALUES, &numbers));
  PetscCall(MatCreateVecs(matrix, &x, NULL));
  PetscCall(VecScatterCreate(x, numbers, copy->ghosts, NULL, &copy->scatter));
  PetscCall(VecDestroy(&x));
  return ISDestroy(&numbers);
}

// Creates the copy of a matrix. *copy is NULL if the matrix does not consist of 3 x 3 blocks on all processes.
static PetscErrorCode create_copy(Mat matrix, Copy **copy) {
  MatrixParts parts;
  bool own_ok = false, remote_ok = true;
  *copy = NULL;
  PetscCall(matrix_parts(matrix, &parts));
  if (!parts.own) return 0;
  PetscCall(PetscNew(copy));
  PetscCall(copy_part(parts.own, &(*copy)->own, &own_ok));
  if (parts.remote) PetscCall(create_remote(*copy, matrix, &parts, &remote_ok));
  int all = own_ok && remote_ok;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, PetscObjectComm((PetscObject)matrix)));
  if (all) return 0;
  PetscCall(destroy_copy(*copy));
  *copy = NULL;
  return 0;
}

// Lets the smoother of one level of multigrid and its residual use the matrix `used`. The smoother still reads the
// diagonal from `matrix`.
static PetscErrorCode set_matrix(PC pc, PetscInt level, KSP smoother, Mat used, Mat matrix) {
  PetscCall(KSPSetOperators(smoother, used, matrix));
  return PCMGSetResidual(pc, level, PCMGResidualDefault, used);
}

static PetscErrorCode use_copy(PC pc, PetscInt level, KSP smoother, Mat matrix) {
  PetscInt rows, columns;
  Copy *copy;
  Mat shell;
  PetscCall(create_copy(matrix, &copy));
  if (!copy) return 0;
  PetscCall(MatGetLocalSize(matrix, &rows, &columns));
  PetscCall(MatCreateShell(PetscObjectComm((PetscObject)matrix), rows, columns, PETSC_DETERMINE, PETSC_DETERMINE, copy,
                           &shell));
  PetscCall(MatShellSetOperation(shell, MATOP_MULT, (void (*)(void))multiply_shell));
  PetscCall(MatShellSetOperation(shell, MATOP_DESTROY, (void (*)(void))destroy_shell));
  PetscCall(set_matrix(pc, level, smoother, shell, matrix));
  return MatDestroy(&shell);  // the level of multigrid still has references to the shell
}

// Calls use_copy, or restores PETSc's matrix, on each level of multigrid. The coarsest level has no products.
static PetscErrorCode for_levels(PC pc, bool copies) {
  PetscBool is_multigrid = PETSC_FALSE;
  PetscInt levels;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)pc, &is_multigrid, PCMG, PCGAMG, ""));
  if (!is_multigrid) return 0;
  PetscCall(PCMGGetLevels(pc, &levels));
  for (PetscInt level = 1; level < levels; level++) {
    KSP smoother;
    Mat matrix;
    PetscCall(PCMGGetSmoother(pc, level, &smoother));
    PetscCall(KSPGetOperators(smoother, NULL, &matrix));
    PetscCall(copies ? use_copy(pc, level, smoother, matrix) : set_matrix(pc, level, smoother, matrix, matrix));
  }
  return 0;
}

PetscErrorCode float_levels_use(PC pc) {
  PetscBool refused = PETSC_FALSE;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-pliant_double_levels", &refused, NULL));
  return refused || !is_fast() ? 0 : for_levels(pc, true);
}

PetscErrorCode float_levels_leave(PC pc) {
  return for_levels(pc, false);
}
