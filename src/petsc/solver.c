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
#include "petsc/system_matrix.h"
#include "sim/element/halo.h"
#include "sim/solver/solver.h"

typedef struct Data {
  SystemMatrix system;
  Mat matrix;  // system.matrix
  Vec b, x;
  double b_norm;  // ||b|| of the system that is being solved
  KSP ksp;        // Krylov method whose preconditioner is computed in each solve, from the present matrix
  // Krylov methods with preconditioners of earlier matrices, used in place of `ksp` if they save time. rest_ksp: of the
  // body at rest. step_ksp: of a solve in this time step. NULL: not created
  KSP rest_ksp, step_ksp;
  bool stiff;       // true: multigrid of rest_ksp and step_ksp is set up for all rigid motions (is_stiff)
  bool turned;      // true: rest_ksp converged slowly in this time step, so later solves of the step use step_ksp
  bool is_present;  // true: the preconditioner belongs to the present matrix, so a slow solve does not end early
} Data;

static void destroy_data(Solver *solver) {
  Data *d = solver->data;
  KSPDestroy(&d->ksp);
  KSPDestroy(&d->rest_ksp);
  KSPDestroy(&d->step_ksp);
  system_matrix_destroy(&d->system);
  VecDestroy(&d->b);
  VecDestroy(&d->x);
  free(d);
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

// Fails if the user has set an option of PETSc that has no effect, because Pliant sets the limits of each solve.
static bool check_limits(Error *error) {
  static const char *const refused[][2] = {
    { "-ksp_rtol", "the scene key cg_relative sets the tolerance of linear solves" },
    { "-ksp_max_it", "the scene key cg_max sets the largest number of iterations of linear solves" },
    { "-ksp_atol", "linear solves have only a relative tolerance, the scene key cg_relative" },
    { "-ksp_divtol", "linear solves have no limit for growing residuals" },
  };
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
    PetscBool given = PETSC_FALSE;
    PetscOptionsHasName(NULL, NULL, refused[k][0], &given);
    if (given) return error_set(error, "option %s of PETSc has no effect: %s", refused[k][0], refused[k][1]);
  }
  return true;
}

static bool create(Solver *solver, Stream stream, Error *error) {
  const Space *space = solver->system.A->space;
  (void)stream;
  if (!space->halo) return error_set(error, "solver \"petsc\" needs --engine petsc");
  if (!stage_is_named(&solver->system.A->method->stage, "bcsr"))
    return error_set(error, "solver \"petsc\" cannot use matrix \"%s\"; choose matrix \"bcsr\"",
                     solver->system.A->method->stage.name);
  Data *d = solver->data = array_new(1, sizeof *d, "solver data", error);
  if (!d || !check_limits(error) || !system_matrix_create(&d->system, space, error)) return false;
  d->matrix = d->system.matrix;
  return petsc_ok(MatCreateVecs(d->matrix, &d->x, &d->b), "create vectors", error) &&
         petsc_ok(create_ksp(&d->ksp, d->matrix, d->matrix), "create the solver", error);
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
  sums[0] += row;
  sums[1] += diagonal;
}

// Returns true if inertia is a small part of the diagonal of A. CG then needs multigrid that represents rotations too:
// for a stiff beam, 12 iterations instead of 43. For softer bodies, multigrid for translations takes about as many
// iterations, and each is up to twice as fast.
static bool is_stiff(const SolverSystem *system) {
  const double small = 0.002;  // measured: with this part, both kinds of multigrid take about equally long
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
         (petsc_ok(system_matrix_fill(&d->system, &solver->system), "copy the matrix", error) &&
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
  PetscCall(system_matrix_fill(&d->system, &solver->system));
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
