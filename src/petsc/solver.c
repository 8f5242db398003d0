// The solver "petsc": solves A x = b on all processes by a Krylov method of PETSc (KSP), by default conjugate
// gradients with smoothed aggregation multigrid (GAMG). Its near null space is the translations of the body and, if
// the body is stiff, its rotations (is_stiff). Each process copies the rows of the nodes that it owns from its
// operator into PETSc's matrix. The matrix has the type MATAIJ with block size 3, because GAMG of PETSc 3.18 refuses
// MATBAIJ. "-mat_type baij" selects MATBAIJ for other preconditioners.
//
// The set-up of multigrid takes longer than ten iterations. Therefore a solve first uses multigrid for the body at
// rest, which is set up once. If the body has turned or deformed so much that this converges slowly, the solver sets up
// multigrid for the present matrix, and later solves of the time step use it.
//
// The matrix contains fixed unknowns: their diagonal entries are unchanged, and all other entries of their rows and
// columns are 0.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interrupt.h"
#include "petsc/check.h"
#include "petsc/float_levels.h"
#include "sim/element/halo.h"
#include "sim/solver/solver.h"

typedef struct Data {
  Mat matrix;
  Vec b, x;
  double b_norm;  // ||b|| of the system that is being solved
  KSP ksp;        // Krylov method whose preconditioner is computed in each solve, from the present matrix
  // Krylov methods with preconditioners of earlier matrices, used in place of `ksp` if they save time. rest_ksp: of the
  // body at rest. step_ksp: of a solve in this time step. NULL: not created
  KSP rest_ksp, step_ksp;
  bool stiff;       // true: multigrid of rest_ksp and step_ksp is set up for all rigid motions (is_stiff)
  bool turned;      // true: rest_ksp converged slowly in this time step, so later solves of the step use step_ksp
  bool is_present;  // true: the preconditioner belongs to the present matrix, so a slow solve does not end early
  // Work space for the three rows of the matrix that belong to one node. column [neighbours_max]: global numbers of the
  // node's neighbours; row [3][3 neighbours_max]: matrix entries
  int *column;
  double *row;
  int neighbours_max;
} Data;

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  KSPDestroy(&d->ksp), KSPDestroy(&d->rest_ksp), KSPDestroy(&d->step_ksp);
  MatDestroy(&d->matrix);
  VecDestroy(&d->b), VecDestroy(&d->x);
  free(d->column), free(d->row), free(d);
}

// Creates the matrix. PETSc needs the number of 3x3 blocks in the row of each node that this process owns. So counts
// them: d_blocks [owned] gets the number of blocks whose column belongs to a node that this process owns, and o_blocks
// [owned] the number of blocks whose column belongs to a node of another process.
static PetscErrorCode create_matrix(Data *d, const Space *space, PetscInt *d_blocks, PetscInt *o_blocks) {
  const Halo *halo = space->halo;
  const Adjacency *graph = &space->graph;
  const int owned = halo->owned_count;
  for (int a = 0; a < owned; a++) {
    d_blocks[a] = o_blocks[a] = 0;
    for (int64_t k = graph->start[a]; k < graph->start[a + 1]; k++)
      ++*(graph->neighbour[k] < owned ? &d_blocks[a] : &o_blocks[a]);
    const int count = d_blocks[a] + o_blocks[a];
    d->neighbours_max = count > d->neighbours_max ? count : d->neighbours_max;
  }
  PetscCall(MatCreate(PETSC_COMM_WORLD, &d->matrix));
  PetscCall(MatSetSizes(d->matrix, 3 * owned, 3 * owned, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(d->matrix, 3));
  PetscCall(MatSetType(d->matrix, MATAIJ));
  PetscCall(MatSetFromOptions(d->matrix));
  PetscCall(MatXAIJSetPreallocation(d->matrix, 3, d_blocks, o_blocks, NULL, NULL));
  PetscCall(MatSetOption(d->matrix, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(d->matrix, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  return MatCreateVecs(d->matrix, &d->x, &d->b);
}

// Creates a Krylov method for `matrix`, with the defaults of Pliant, which the user's options of PETSc override. Its
// preconditioner is computed from the matrix `from`.
static PetscErrorCode create_ksp(KSP *ksp, Mat matrix, Mat from) {
  PC pc;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetOperators(*ksp, matrix, from));
  PetscCall(KSPSetType(*ksp, KSPCG));
  PetscCall(KSPSetNormType(*ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  return KSPSetFromOptions(*ksp);
}

// Sets the near null space of the matrix: the six rigid motions of the body at rest. PETSc then builds coarse levels of
// multigrid that represent these motions exactly.
static PetscErrorCode set_rigid_motions(Data *d, const Space *space) {
  Vec coordinates;
  MatNullSpace modes;
  PetscScalar *x;
  PetscCall(VecDuplicate(d->x, &coordinates));
  PetscCall(VecSetBlockSize(coordinates, 3));
  PetscCall(VecGetArrayWrite(coordinates, &x));
  memcpy(x, space->X, sizeof *space->X * (size_t)space->halo->owned_count);
  PetscCall(VecRestoreArrayWrite(coordinates, &x));
  PetscCall(MatNullSpaceCreateRigidBody(coordinates, &modes));
  PetscCall(MatSetNearNullSpace(d->matrix, modes));
  PetscCall(MatNullSpaceDestroy(&modes));
  return VecDestroy(&coordinates);
}

static bool create(Solver *solver, Stream stream, Error *error) {
  const Space *space = solver->system.A->space;
  (void)stream;
  if (!space->halo) return error_set(error, "solver \"petsc\" needs --engine petsc");
  if (!stage_is_named(&solver->system.A->method->stage, "bcsr"))
    return error_set(error, "solver \"petsc\" cannot use matrix \"%s\"; choose matrix \"bcsr\"",
                     solver->system.A->method->stage.name);
  const int owned = space->halo->owned_count;
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  PetscInt *blocks = array_new(2 * (int64_t)owned, sizeof *blocks, "solver data", error);
  bool ok = d && blocks && petsc_ok(create_matrix(d, space, blocks, blocks + owned), "create the matrix", error) &&
            petsc_ok(create_ksp(&d->ksp, d->matrix, d->matrix), "create the solver", error) &&
            petsc_ok(set_rigid_motions(d, space), "set the rigid motions", error);
  free(blocks);
  if (!ok) return false;
  d->column = array_new(d->neighbours_max, sizeof *d->column, "solver data", error);
  d->row = array_new(9 * (int64_t)d->neighbours_max, sizeof *d->row, "solver data", error);
  return d->column && d->row;
}

// Copies the 3 rows of node a, which this process owns, to d->row, as 3 rows of 3 * count numbers, with 0 for fixed
// unknowns. Returns `count`, the number of 3x3 blocks. d->column [count] gets the global number of each block's column
// node. The operator (format "bcsr") stores one block of nine numbers per neighbour, row by row.
static int take_row(Data *d, const SolverSystem *system, int a) {
  const Space *space = system->A->space;
  const int64_t first = space->graph.start[a];
  const int count = (int)(space->graph.start[a + 1] - first);
  const double *values = (const double *)system->A->values + 9 * first;
  for (int k = 0; k < count; k++) {
    const int b = space->graph.neighbour[first + k];
    d->column[k] = space->halo->number[b];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const bool fixed = system->fixed[3 * a + i] || system->fixed[3 * b + j];
        d->row[3 * count * i + 3 * k + j] = fixed && !(a == b && i == j) ? 0 : values[9 * k + 3 * i + j];
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

static PetscErrorCode fill_matrix(Data *d, const SolverSystem *system) {
  const Operator *A = system->A;
  const Halo *halo = A->space->halo;
  for (int a = 0; a < halo->owned_count; a++) {
    const int count = take_row(d, system, a);
    PetscCall(MatSetValuesBlocked(d->matrix, 1, &halo->number[a], count, d->column, d->row, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(d->matrix, MAT_FLUSH_ASSEMBLY));
  PetscCall(MatAssemblyEnd(d->matrix, MAT_FLUSH_ASSEMBLY));
  TermTask task = { .system = system, .matrix = d->matrix };
  const OperatorTerm *terms[] = { &A->term, &A->load_term };
  for (int k = 0; k < 2; k++)
    if (terms[k]->apply && terms[k]->entries) terms[k]->entries(terms[k], take_term, &task);
  PetscCall(task.code);
  PetscCall(MatAssemblyBegin(d->matrix, MAT_FINAL_ASSEMBLY));
  return MatAssemblyEnd(d->matrix, MAT_FINAL_ASSEMBLY);
}

// Copies the right-hand side b of the system to PETSc's vector d->b, with 0 for fixed unknowns.
static PetscErrorCode fill_vector(const Data *d, const SolverSystem *system) {
  const int n = 3 * system->A->space->halo->owned_count;
  PetscScalar *b;
  PetscCall(VecGetArrayWrite(d->b, &b));
  for (int i = 0; i < n; i++) b[i] = system->fixed[i] ? 0 : ((const double *)system->b)[i];
  return VecRestoreArrayWrite(d->b, &b);
}

static SolverEnd end_of(KSPConvergedReason reason) {
  if (reason > 0) return SOLVER_CONVERGED;
  if (reason == KSP_DIVERGED_ITS) return SOLVER_OUT_OF_ITERATIONS;
  return reason == KSP_DIVERGED_INDEFINITE_MAT || reason == KSP_DIVERGED_INDEFINITE_PC ? SOLVER_INDEFINITE
                                                                                       : SOLVER_BROKEN;
}

// Called if conjugate gradients ends at x = 0 because the matrix or the preconditioner is not positive definite. Sets x
// to a descent direction for the line search of Newton's method instead: b divided by the absolute values of the matrix
// diagonal.
static PetscErrorCode take_descent(const Data *d) {
  PetscCall(MatGetDiagonal(d->matrix, d->x));
  PetscCall(VecAbs(d->x));
  return VecPointwiseDivide(d->x, d->b, d->x);
}

// Ends a solve early if it converges so slowly that it would need more than ITERATIONS iterations to reduce the
// residual to the relative tolerance. A preconditioner for the present matrix is then faster, including its set-up.
static PetscErrorCode test_speed(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason *reason, void *data) {
  enum { FIRST_TEST = 6, ITERATIONS = 24 };
  const Data *d;
  PetscReal relative;
  PetscCall(KSPConvergedDefault(ksp, iteration, norm, reason, data));
  PetscCall(KSPGetApplicationContext(ksp, (void *)&d));
  if (*reason || d->is_present || iteration < FIRST_TEST) return 0;
  PetscCall(KSPGetTolerances(ksp, &relative, NULL, NULL, NULL));
  if (norm > d->b_norm * pow(relative, (double)iteration / ITERATIONS)) *reason = KSP_DIVERGED_ITS;
  return 0;
}

// Returns true if a solve may use a preconditioner of an earlier matrix: the Krylov method is conjugate gradients, and
// the set-up of the preconditioner takes longer than several iterations.
static bool keeps_preconditioner(const Data *d) {
  PetscBool cg = PETSC_FALSE, slow = PETSC_FALSE;
  PC pc;
  KSPGetPC(d->ksp, &pc);
  PetscObjectTypeCompare((PetscObject)d->ksp, KSPCG, &cg);
  PetscObjectTypeCompareAny((PetscObject)pc, &slow, PCGAMG, PCHYPRE, "");
  return cg && slow;
}

// Creates a Krylov method whose preconditioner is computed from a copy of the present matrix. So the preconditioner
// does not change when the matrix changes. By default, the smoother of PETSc's multigrid would read the present matrix,
// and together with coarse matrices of an earlier matrix it would be indefinite.
static PetscErrorCode create_kept(Data *d, KSP *ksp) {
  Mat copy;
  PC pc;
  void *context;
  PetscCall(MatDuplicate(d->matrix, MAT_COPY_VALUES, &copy));
  // MatDuplicate does not copy the near null space. Without it, PETSc sets multigrid up for the three translations.
  if (d->stiff) {
    MatNullSpace motions;
    PetscCall(MatGetNearNullSpace(d->matrix, &motions));
    PetscCall(MatSetNearNullSpace(copy, motions));
  }
  PetscCall(create_ksp(ksp, d->matrix, copy));
  PetscCall(MatDestroy(&copy));  // *ksp still has a reference to the copy
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetUseAmat(pc, PETSC_FALSE));
  PetscCall(KSPSetApplicationContext(*ksp, d));
  PetscCall(KSPConvergedDefaultCreate(&context));
  PetscCall(KSPSetConvergenceTest(*ksp, test_speed, context, KSPConvergedDefaultDestroy));
  PetscCall(KSPSetUp(*ksp));
  PetscCall(float_levels_use(pc));
  return KSPSetReusePreconditioner(*ksp, PETSC_TRUE);
}

// Adds to sums[0] the row sums of node a, which this process owns, and to sums[1] its diagonal entries. A row sum has
// only entries of the same direction. Elastic forces do not change if all nodes move alike, so a row sum is the inertia
// of the node. Skips nodes with fixed neighbours, whose elastic forces change.
static void add_inertia(const SolverSystem *system, int a, double sums[2]) {
  const Adjacency *graph = &system->A->space->graph;
  const double *values = system->A->values;
  double row = 0, diagonal = 0;
  for (int64_t k = graph->start[a]; k < graph->start[a + 1]; k++)
    for (int i = 0; i < 3; i++) {
      const int b = graph->neighbour[k];
      if (system->fixed[3 * b + i]) return;
      row += values[9 * k + 4 * i];
      if (a == b) diagonal += values[9 * k + 4 * i];
    }
  sums[0] += row, sums[1] += diagonal;
}

// Returns true if inertia is a small part of the diagonal of A. CG then needs multigrid that represents rotations too:
// for a stiff beam, 12 iterations instead of 43. For softer bodies, multigrid for translations takes about as many
// iterations, and each is up to twice as fast.
static bool is_stiff(const SolverSystem *system) {
  const double small = 0.01;  // measured: with this part, both kinds of multigrid take about equally long
  double sums[2] = { 0 };
  for (int a = 0; a < system->A->space->halo->owned_count; a++) add_inertia(system, a, sums);
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
  return sums[0] <= small * sums[1];
}

// Implements SolverMethod.prepare.
static bool prepare(Solver *solver, Error *error) {
  Data *d = solver->data;
  d->stiff = is_stiff(&solver->system);
  return !keeps_preconditioner(d) ||
         (petsc_ok(fill_matrix(d, &solver->system), "copy the matrix", error) &&
          petsc_ok(create_kept(d, &d->rest_ksp), "set up the preconditioner of the body at rest", error));
}

// Solves the linear system by `ksp`, and adds the result to *report. If another method has run out of iterations
// before, this solve continues from its result in d->x.
static PetscErrorCode run_ksp(Data *d, KSP ksp, const SolverSystem *system, SolverReport *report) {
  const bool continues = report->end == SOLVER_OUT_OF_ITERATIONS;
  KSPConvergedReason reason;
  PetscReal norm = 0;
  PetscInt iterations;
  PetscCall(KSPSetInitialGuessNonzero(ksp, continues ? PETSC_TRUE : PETSC_FALSE));
  const int left = system->iterations_max - report->iterations;
  PetscCall(KSPSetTolerances(ksp, system->relative, 1e-300, 1e30, left));
  PetscCall(KSPSolve(ksp, d->b, d->x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPGetResidualNorm(ksp, &norm));
  report->end = end_of(reason);
  report->iterations += iterations;
  report->relative_residual = d->b_norm > 0 ? norm / d->b_norm : 0;
  return 0;
}

// Computes the preconditioner of step_ksp from the present matrix. In the first call of a time step, multigrid groups
// the nodes into aggregates. Later calls of the step keep these aggregates, to save time. The first call creates
// step_ksp anew, because PETSc's multigrid gives other bits if it was set up for another matrix before.
static PetscErrorCode renew_step_ksp(Data *d) {
  PC pc;
  Mat copy;
  if (!d->turned) {
    d->turned = true;
    PetscCall(KSPDestroy(&d->step_ksp));
    return create_kept(d, &d->step_ksp);
  }
  PetscCall(KSPGetOperators(d->step_ksp, NULL, &copy));
  PetscCall(MatCopy(d->matrix, copy, SAME_NONZERO_PATTERN));
  PetscCall(KSPGetPC(d->step_ksp, &pc));
  PetscCall(PCGAMGSetReuseInterpolation(pc, PETSC_TRUE));
  PetscCall(float_levels_leave(pc));
  PetscCall(KSPSetReusePreconditioner(d->step_ksp, PETSC_FALSE));
  PetscCall(KSPSetUp(d->step_ksp));
  PetscCall(float_levels_use(pc));
  return KSPSetReusePreconditioner(d->step_ksp, PETSC_TRUE);
}

// Solves the linear system with a preconditioner of an earlier matrix: first that of the body at rest, and after it was
// slow in this time step, that of an earlier solve of this step. If this converges slowly, solves with a preconditioner
// of the present matrix. Earlier time steps have no influence, so that a resumed run has the same bits.
static PetscErrorCode solve_with_kept(Data *d, const SolverSystem *system, SolverReport *report) {
  d->is_present = false;
  PetscCall(run_ksp(d, d->turned ? d->step_ksp : d->rest_ksp, system, report));
  if (report->end == SOLVER_CONVERGED || report->iterations >= system->iterations_max) return 0;
  d->is_present = true;
  PetscCall(renew_step_ksp(d));
  return run_ksp(d, d->step_ksp, system, report);
}

// Solves the linear system with a preconditioner of the present matrix. PETSc's multigrid groups the nodes into
// aggregates. Later solves of a time step keep the aggregates of its first solve, to save time.
static PetscErrorCode solve_with_present(Data *d, const Solver *solver, SolverReport *report) {
  PC pc;
  PetscCall(KSPGetPC(d->ksp, &pc));
  PetscCall(PCGAMGSetReuseInterpolation(pc, solver->keeps ? PETSC_TRUE : PETSC_FALSE));
  return run_ksp(d, d->ksp, &solver->system, report);
}

static PetscErrorCode solve_system(Data *d, const Solver *solver, SolverReport *report) {
  PetscReal norm;
  PetscCall(fill_matrix(d, &solver->system));
  PetscCall(fill_vector(d, &solver->system));
  PetscCall(VecNorm(d->b, NORM_2, &d->b_norm));
  if (!solver->keeps) d->turned = false;
  if (d->rest_ksp)
    PetscCall(solve_with_kept(d, &solver->system, report));
  else
    PetscCall(solve_with_present(d, solver, report));
  if (report->end != SOLVER_INDEFINITE) return 0;
  PetscCall(VecNorm(d->x, NORM_2, &norm));
  return norm == 0 ? take_descent(d) : 0;
}

static bool solve(Solver *solver, Stream stream, Error *error) {
  Data *d = solver->data;
  const SolverSystem *system = &solver->system;
  const int n = 3 * system->A->space->halo->owned_count;
  SolverReport report = { 0 };
  const PetscScalar *solution;
  double *x = system->x;
  (void)stream;
  if (!interrupt_check(error) || !petsc_ok(solve_system(d, solver, &report), "solve the linear system", error) ||
      !petsc_ok(VecGetArrayRead(d->x, &solution), "read the solution", error))
    return false;
  for (int i = 0; i < n; i++) x[i] = system->fixed[i] || report.end == SOLVER_BROKEN ? 0 : solution[i];
  VecRestoreArrayRead(d->x, &solution);
  *solver->report = report;
  return halo_refresh(system->A->space->halo, x, 3, error);
}

static void describe(const Solver *solver, char *text, size_t size) {
  const Data *d = solver->data;
  const char *method = "", *preconditioner = "";
  PC pc;
  int count = 1;
  KSPGetType(d->ksp, &method);
  KSPGetPC(d->ksp, &pc);
  PCGetType(pc, &preconditioner);
  MPI_Comm_size(PETSC_COMM_WORLD, &count);
  snprintf(text, size, "method %s with preconditioner %s; number of processes: %d", method, preconditioner, count);
}

// Implements Stage.bytes: estimates the memory of PETSc's matrix and of its multigrid levels. The levels need 1.5 times
// as much memory as the matrix.
static StageBytes bytes_of(const Stage *stage, const StageSize *size) {
  const double blocks = stage_blocks(size);
  StageBytes bytes = stage_takes(stage, 2.5 * 76 * blocks + 8 * 30 * size->nodes);
  stage_pass(stage, &bytes, WORK_ITERATION, 2.5 * 76 * blocks, 8 * 9 * size->nodes);
  return bytes;
}

extern const SolverMethod petsc_solver;
const SolverMethod petsc_solver = {
  .stage = { .kind = STAGE_SOLVER,
             .name = "petsc",
             .summary = "conjugate gradients by PETSc on all processes, with algebraic multigrid (GAMG)",
             .device = DEVICE_CPU,
             .precision = PRECISION_F64,
             .bytes = bytes_of },
  .precondition = PRECONDITION_DIAGONAL,
  .create = create,
  .destroy_data = destroy_data,
  .solve = solve,
  .prepare = prepare,
  .describe = describe,
};
