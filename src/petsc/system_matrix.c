// PETSc's matrix of a linear system (system_matrix.h). PETSc's functions insert the blocks of the first system, and so
// create the structure of the matrix. These functions search the place of each entry, which takes as long as the solve
// of the linear system. Therefore the places are stored, and later systems are copied to PETSc's arrays directly.
#include "petsc/system_matrix.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "petsc/check.h"
#include "petsc/matrix_parts.h"
#include "sim/element/halo.h"

// Creates the matrix. PETSc needs the number of 3 x 3 blocks in the row of each node that this process owns. This
// function counts them. d_blocks [owned] gets the number of blocks whose column belongs to an owned node, and
// o_blocks [owned] the number of blocks whose column belongs to a node of another process.
static PetscErrorCode create_matrix(SystemMatrix *m, const Space *space, PetscInt *d_blocks, PetscInt *o_blocks) {
  const Halo *halo = space->halo;
  const Adjacency *graph = &space->graph;
  const int owned = halo->owned_count;
  for (int a = 0; a < owned; a++) {
    d_blocks[a] = o_blocks[a] = 0;
    for (int64_t k = graph->start[a]; k < graph->start[a + 1]; k++)
      ++*(graph->neighbour[k] < owned ? &d_blocks[a] : &o_blocks[a]);
    const int count = d_blocks[a] + o_blocks[a];
    m->neighbours_max = count > m->neighbours_max ? count : m->neighbours_max;
  }
  PetscCall(MatCreate(PETSC_COMM_WORLD, &m->matrix));
  PetscCall(MatSetSizes(m->matrix, 3 * owned, 3 * owned, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(m->matrix, 3));
  PetscCall(MatSetType(m->matrix, MATAIJ));
  PetscCall(MatSetFromOptions(m->matrix));
  PetscCall(MatXAIJSetPreallocation(m->matrix, 3, d_blocks, o_blocks, NULL, NULL));
  PetscCall(MatSetOption(m->matrix, MAT_SYMMETRIC, PETSC_TRUE));
  return MatSetOption(m->matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE);
}

// Sets the near null space of the matrix: the six rigid motions of the body at rest. PETSc then builds coarse levels of
// multigrid that represent these motions exactly.
static PetscErrorCode set_rigid_motions(Mat matrix, const Space *space) {
  Vec coordinates;
  MatNullSpace modes;
  PetscScalar *x;
  PetscCall(MatCreateVecs(matrix, &coordinates, NULL));
  PetscCall(VecSetBlockSize(coordinates, 3));
  PetscCall(VecGetArrayWrite(coordinates, &x));
  memcpy(x, space->X, sizeof *space->X * (size_t)space->halo->owned_count);
  PetscCall(VecRestoreArrayWrite(coordinates, &x));
  PetscCall(MatNullSpaceCreateRigidBody(coordinates, &modes));
  PetscCall(MatSetNearNullSpace(matrix, modes));
  PetscCall(MatNullSpaceDestroy(&modes));
  return VecDestroy(&coordinates);
}

bool system_matrix_create(SystemMatrix *m, const Space *space, Error *error) {
  const int owned = space->halo->owned_count;
  PetscInt *blocks = array_new(2 * (int64_t)owned, sizeof *blocks, "solver data", error);
  const bool ok = blocks && petsc_ok(create_matrix(m, space, blocks, blocks + owned), "create the matrix", error) &&
                  petsc_ok(set_rigid_motions(m->matrix, space), "set the rigid motions", error);
  free(blocks);
  if (!ok) return false;
  m->column = array_new(m->neighbours_max, sizeof *m->column, "solver data", error);
  m->row = array_new(9 * (int64_t)m->neighbours_max, sizeof *m->row, "solver data", error);
  return m->column && m->row;
}

void system_matrix_destroy(SystemMatrix *m) {
  MatDestroy(&m->matrix);
  free(m->place);
  free(m->column);
  free(m->row);
}

// Returns true if the matrix entry of unknown i of node a and unknown j of node b is replaced by 0, because one of them
// is fixed. Entries of the diagonal remain.
static bool is_dropped(const uint8_t *fixed, int a, int i, int b, int j) {
  return (fixed[3 * a + i] || fixed[3 * b + j]) && !(a == b && i == j);
}

// Copies the 3 rows of node a, which this process owns, to m->row, as 3 rows of 3 * count numbers, with 0 for fixed
// unknowns. Returns `count`, the number of 3x3 blocks. m->column [count] gets the global number of each block's column
// node. The operator (format "bcsr") stores one block of nine numbers per neighbour, row by row.
static int take_row(SystemMatrix *m, const SolverSystem *system, int a) {
  const Space *space = system->A->space;
  const int64_t first = space->graph.start[a];
  const int count = (int)(space->graph.start[a + 1] - first);
  const double *values = (const double *)system->A->values + 9 * first;
  for (int k = 0; k < count; k++) {
    const int b = space->graph.neighbour[first + k];
    m->column[k] = space->halo->number[b];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const bool drops = is_dropped(system->fixed, a, i, b, j);
        m->row[3 * count * i + 3 * k + j] = drops ? 0 : values[9 * k + 3 * i + j];
      }
  }
  return count;
}

// Arguments of take_term, which adds blocks to `matrix`. code: error code of PETSc; after an error no more blocks are
// added.
typedef struct TermTask {
  const SolverSystem *system;
  Mat matrix;
  PetscErrorCode code;
} TermTask;

// An additional term of the operator, such as the tangent of pressures, couples the nodes a and b by the 3 x 3 block
// `block`. Adds the block to the PETSc matrix at row a and column b, and its transpose at row b and column a. A process
// adds only blocks in rows that it owns.
static void take_term(void *task, int a, int b, const double block[9]) {
  TermTask *t = task;
  const Halo *halo = t->system->A->space->halo;
  const uint8_t *fixed = t->system->fixed;
  for (int turn = 0; turn < 2 && t->code == 0; turn++) {
    const int row = turn ? b : a, column = turn ? a : b;
    double values[9];
    if (row >= halo->owned_count) continue;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        values[3 * i + j] = fixed[3 * row + i] || fixed[3 * column + j] ? 0 : block[turn ? 3 * j + i : 3 * i + j];
    t->code = MatSetValuesBlocked(t->matrix, 1, &halo->number[row], 1, &halo->number[column], values, ADD_VALUES);
  }
}

// Adds the additional terms of the operator.
static PetscErrorCode add_terms(SystemMatrix *m, const SolverSystem *system) {
  const Operator *A = system->A;
  TermTask task = { .system = system, .matrix = m->matrix };
  const OperatorTerm *terms[] = { &A->term, &A->load_term };
  for (int k = 0; k < 2; k++)
    if (terms[k]->apply && terms[k]->entries) terms[k]->entries(terms[k], take_term, &task);
  PetscCall(task.code);
  PetscCall(MatAssemblyBegin(m->matrix, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(m->matrix, MAT_FINAL_ASSEMBLY);
}

static PetscErrorCode insert_blocks(SystemMatrix *m, const SolverSystem *system) {
  const Halo *halo = system->A->space->halo;
  for (int a = 0; a < halo->owned_count; a++) {
    const int count = take_row(m, system, a);
    PetscCall(MatSetValuesBlocked(m->matrix, 1, &halo->number[a], count, m->column, m->row, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(m->matrix, MAT_FLUSH_ASSEMBLY));
  return MatAssemblyEnd(m->matrix, MAT_FLUSH_ASSEMBLY);
}

// The arrays of a part of the matrix, in the format CSR.
typedef struct Part {
  const PetscInt *start, *column;
  double *values;
} Part;

// The parts of the matrix and their arrays.
typedef struct Parts {
  MatrixParts of;
  Part own, remote;
} Parts;

static PetscErrorCode get_arrays(Mat matrix, Part *part) {
  PetscInt rows;
  PetscBool found;
  if (!matrix) return 0;
  PetscCall(MatGetRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &part->start, &part->column, &found));
  return MatSeqAIJGetArray(matrix, &part->values);
}

static PetscErrorCode return_arrays(Mat matrix, Part *part) {
  PetscInt rows;
  PetscBool found;
  if (!matrix) return 0;
  PetscCall(MatSeqAIJRestoreArray(matrix, &part->values));
  return MatRestoreRowIJ(matrix, 0, PETSC_FALSE, PETSC_FALSE, &rows, &part->start, &part->column, &found);
}

// Gets the parts of the matrix and their arrays. close_parts returns the arrays to PETSc.
static PetscErrorCode open_parts(Mat matrix, Parts *parts) {
  *parts = (Parts){ 0 };
  PetscCall(matrix_parts(matrix, &parts->of));
  PetscCall(get_arrays(parts->of.own, &parts->own));
  return get_arrays(parts->of.remote, &parts->remote);
}

static PetscErrorCode close_parts(Parts *parts) {
  PetscCall(return_arrays(parts->of.own, &parts->own));
  return return_arrays(parts->of.remote, &parts->remote);
}

// Computes the place (SystemMatrix.place) of the block of the nodes a and b. *found is false if PETSc has no such
// block.
static PetscErrorCode find_place(const Parts *parts, const Halo *halo, int a, int b, int *place, bool *found) {
  const bool own = b < halo->owned_count;
  const Part *part = own ? &parts->own : &parts->remote;
  const PetscInt start = part->start[3 * a], count = part->start[3 * a + 1] - start;
  PetscInt column = 3 * b, at = -1;
  if (!own) PetscCall(PetscFindInt(3 * halo->number[b], parts->of.remote_count, parts->of.remote_column, &column));
  if (column >= 0) PetscCall(PetscFindInt(column, count, part->column + start, &at));
  *found = at >= 0;
  *place = (int)(own ? at : -1 - at);
  return 0;
}

// Stores the places of all blocks. m->place remains NULL if PETSc stores the matrix in another format, or if a process
// has not enough memory.
static PetscErrorCode store_places(SystemMatrix *m, const Space *space) {
  const Adjacency *graph = &space->graph;
  const int64_t blocks = graph->start[space->halo->owned_count];
  Parts parts;
  PetscCall(open_parts(m->matrix, &parts));
  int *place = parts.of.own ? malloc(sizeof *place * (size_t)blocks) : NULL;
  bool found = place;
  for (int a = 0; found && a < space->halo->owned_count; a++)
    for (int64_t k = graph->start[a]; found && k < graph->start[a + 1]; k++)
      PetscCall(find_place(&parts, space->halo, a, graph->neighbour[k], &place[k], &found));
  PetscCall(close_parts(&parts));

  // all processes must fill the matrix in the same way, because some functions of PETSc wait for all processes
  int all = found;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_LAND, PETSC_COMM_WORLD));
  if (all)
    m->place = place;
  else
    free(place);
  return 0;
}

// Copies a block of the operator to its place in the rows of node a. The entries of fixed unknowns become 0, except for
// the diagonal of the matrix.
static void copy_block(const Part *part, int place, const uint8_t *fixed, int a, int b, const double block[9]) {
  for (int i = 0; i < 3; i++) {
    double *to = part->values + part->start[3 * a + i] + place;
    for (int j = 0; j < 3; j++) to[j] = is_dropped(fixed, a, i, b, j) ? 0 : block[3 * i + j];
  }
}

static PetscErrorCode copy_blocks(SystemMatrix *m, const SolverSystem *system) {
  const Space *space = system->A->space;
  const Adjacency *graph = &space->graph;
  const double *values = system->A->values;
  Parts parts;
  PetscCall(open_parts(m->matrix, &parts));
  for (int a = 0; a < space->halo->owned_count; a++)
    for (int64_t k = graph->start[a]; k < graph->start[a + 1]; k++) {
      const int place = m->place[k];
      copy_block(place < 0 ? &parts.remote : &parts.own, place < 0 ? -1 - place : place, system->fixed, a,
                 graph->neighbour[k], values + 9 * k);
    }
  return close_parts(&parts);
}

PetscErrorCode system_matrix_fill(SystemMatrix *m, const SolverSystem *system) {
  if (m->place) {
    PetscCall(copy_blocks(m, system));
    return add_terms(m, system);
  }
  PetscCall(insert_blocks(m, system));
  PetscCall(add_terms(m, system));
  return store_places(m, system->A->space);
}
