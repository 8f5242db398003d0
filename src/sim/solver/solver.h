// Linear solvers: they solve A x = b for the free unknowns, by conjugate gradients (CG) or a direct factorisation. A is
// an operator (operator.h): its matrix, plus terms such as contact that a product adds without storing them in the
// matrix. A solver is created once for a matrix and its vectors, whose addresses do not change later. So a solver on
// the GPU can record its kernel launches in a CUDA graph when it is created.
#pragma once
#include "device/graph.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Solver Solver;

// Reason why a solve ended. p is the search direction of conjugate gradients.
typedef enum SolverEnd {
  SOLVER_CONVERGED,  // ||r|| <= relative ||b||; its value is 0, so it is also the state before the first solve
  SOLVER_OUT_OF_ITERATIONS,
  // p.Ap <= 0, so A is not positive definite. x is the last iterate before this direction. If this happens in the first
  // iteration, x is M^-1 b, where M is the preconditioner. M is positive definite, so M^-1 b is a descent direction.
  SOLVER_INDEFINITE,
  SOLVER_BROKEN,    // a value was not finite: x is the last iterate with finite values, or zero
  SOLVER_DIVERGED,  // the iterates of a stationary method such as Jacobi (lab/stationary) overflowed
  SOLVER_STOPPED,   // interrupt_requested returned true, or Solver.stop was set: x is the last iterate
  SOLVER_LOST,      // thread blocks waited too long for each other's data; solver_wait reports this as an error
  SOLVER_RUNNING,   // the solve is queued or in progress
} SolverEnd;

// Result of a solve.
typedef struct SolverReport {
  int iterations;  // number of complete iterations
  SolverEnd end;   // why the solve ended
  // ||r|| / ||b|| over the free unknowns. r is the residual as CG updates it, which rounding makes differ from b - A x.
  double relative_residual;
  // Total time of the products A p, measured only with Solver.timed. On the GPU the time of a product is measured from
  // the end of the kernel before it to the start of the kernel after it.
  double product_ms;
} SolverReport;

// The linear system. Vectors are real, on the operator's device.
typedef struct SolverSystem {
  const Operator *A;  // the matrix; operator_shift must have run, since preconditioners read A->blocks
  // [n], 1 for a fixed unknown: its x is zero, and its equation is ignored
  const uint8_t *fixed;
  const void *b;       // [n], right-hand side
  void *x;             // [n], output: the solution
  double relative;     // the solve has converged if ||r|| <= relative ||b||; may change from solve to solve
  int iterations_max;  // the solve ends after this number of iterations
  double norm;         // ||b|| over the free unknowns if the caller knows it, which may save time; else 0
  // [n], m: displacements from Space.X, the undeformed positions, at which A is the tangent; NULL: zero.
  // Preconditioners with rigid motions of groups of nodes need them.
  const void *u;
} SolverSystem;

// Inputs of a solve that is recorded in a CUDA graph. Each time the graph runs, the solve reads them from the device.
// They replace the members of SolverSystem that have the same names.
typedef struct SolverInputs {
  const double *relative, *norm;  // tolerance; ||b||
  // If *wanted is 0, the solve is skipped, and x and the report do not change. NULL: the solve is never skipped.
  const int *wanted;
} SolverInputs;

// Kind of preconditioner of CG.
typedef enum Precondition {
  PRECONDITION_NONE,
  PRECONDITION_DIAGONAL,  // Jacobi: the diagonal of A, see preconditioner.h
  PRECONDITION_NODES,     // the diagonal blocks of A, one for each node
  // the diagonal, plus a coarse space: the rigid motions of aggregates, groups of nodes; the operator must store values
  PRECONDITION_COARSE,
  // multigrid with three levels: all nodes, the corners of cells, and rigid motions of groups of nodes (pmg.h). The
  // operator must store values, or compute the matrix of the corners (OperatorMethod.project).
  PRECONDITION_LEVELS,
  // symmetric Gauss-Seidel sweeps (ssor.h); the operator must store values
  PRECONDITION_SSOR,
  // no iteration: the matrix is factorised (sim/direct/factor.h); the operator must store values
  PRECONDITION_DIRECT,
} Precondition;

// One solver on one device in one precision: a table of its functions. The list of all solvers is solvers.def.
typedef struct SolverMethod {
  Stage stage;                // name, summary, device, precision, cost
  Precondition precondition;  // kind of preconditioner
  bool (*create)(Solver *solver, Stream stream, Error *error);
  void (*destroy_data)(Solver *solver);
  bool (*solve)(Solver *solver, Stream stream, Error *error);
  // name of the operator (matrix format) for this solver if the user names none; NULL: any operator works
  const char *matrix;
  const char *other_matrix;  // name of a second operator with which this solver works, or NULL
  // True for at most one solver per device and precision. If the user names neither solver nor matrix, the program
  // first asks this solver's function `suits` whether it can solve the body's system. If not, it uses the solver whose
  // Stage.preferred is true.
  bool is_default;
  // Returns true if the solver supports the space and, unless A is NULL, the operator A. Otherwise writes the reason to
  // *error. A NULL pointer: the solver supports every space.
  bool (*suits)(const Space *space, const Operator *A, Error *error);
  // Returns true if the solver keeps the matrix in registers during a solve, so that products do not read it from
  // memory. NULL: the solver never keeps the matrix in registers.
  bool (*holds)(const Solver *solver);
  // Adds a solve to `chain`, a CUDA graph under construction. When the graph runs, the solve builds its preconditioner
  // again, unless Solver.keeps was true during recording. *report gets the address of the solve's report on the device.
  // NULL: the method cannot be recorded.
  bool (*record)(Solver *solver, GraphChain *chain, const SolverInputs *inputs, const SolverReport **report,
                 Stream stream, Error *error);
  // Writes a few words for the user: the form in which the method solves its system, such as the number of parts.
  void (*describe)(const Solver *solver, char *text, size_t size);
  // Returns true if the matrix of a body of this space will not fit into the GPU's registers and shared memory, so that
  // products read it from memory. The answer is an estimate, since the operator does not exist yet. In single precision
  // the program then chooses `other_matrix`, which has fewer bytes. NULL: counts as false.
  bool (*reads)(const Space *space);
  // For a body that is cut: enlarges the solver's arrays from `before` to `now` unknowns. Later the number of unknowns
  // of the system may grow up to `now`, and each solve uses the present number. NULL: the solver must be created again.
  bool (*reserve)(Solver *solver, int before, int now, Error *error);
} SolverMethod;

// A zeroed Solver is empty.
struct Solver {
  const SolverMethod *method;  // borrowed
  SolverSystem system;         // the linear system, a copy
  SolverReport *report;        // result of the last solve, on the host (pinned); valid after stream_sync; owned
  volatile int *stop;  // pinned; after the host has written 1, a solve on the GPU ends within some iterations; owned
  bool timed;          // if true, solves measure the time of their products
  bool keeps;          // if true, solves use the coarse matrix or multigrid levels of an earlier solve
  void *data;          // vectors and other data that only the method's functions read; owned
  // takes_term: true if the method computes products itself and can add Operator.term, the matrix of contact, to them;
  // set by `create`. with_term: true if the next solves must add this matrix; set by the caller.
  bool takes_term, with_term;
};

/// Creates a solver for a system whose addresses stay valid. Fails if memory runs out, or if the method does not
/// support the system.
bool solver_create(Solver *solver, const SolverMethod *method, const SolverSystem *system, Stream stream, Error *error);
void solver_destroy(Solver *solver);

/// Queues the computation of x = A^-1 b, with the start value 0. Does not wait. The report is valid after stream_sync.
bool solver_solve(Solver *solver, Stream stream, Error *error);

/// Waits for the queued solve. If the user interrupts (interrupt_requested), sets Solver.stop, so that a solve on the
/// GPU ends early. Fails with CUDA's message, or if the solve ended with SOLVER_LOST (thread blocks waited too long).
bool solver_wait(Solver *solver, Stream stream, Error *error);

/// Waits until *word differs from `unset`, or until all queued work is done. The device writes the word, which is in
/// pinned host memory, so that no call of the driver is needed to read it. The stream is also tested once per
/// millisecond. Sets Solver.stop if the user interrupts. Fails only with CUDA's message.
bool solver_watch(Solver *solver, const volatile int *word, int unset, Stream stream, Error *error);

/// Fails, with a message for the user, if `end` is SOLVER_LOST.
bool solver_received(Solver *solver, SolverEnd end, Error *error);

/// Returns true if the preconditioner contains rigid motions of groups of nodes, which depend on SolverSystem.u.
static inline bool solver_is_coarse(const SolverMethod *method) {
  return method->precondition == PRECONDITION_COARSE || method->precondition == PRECONDITION_LEVELS;
}

/// Returns the width of the preconditioner's diagonal blocks, the number of unknowns of one block (preconditioner.h): 0
/// for no preconditioner, else 1 or node_dof. For multigrid, it is the width on the level of all nodes.
int solver_width(const SolverMethod *method, int node_dof);

StageBytes solver_bytes(const Stage *stage, const StageSize *size);  // estimates memory and work of the CG solvers

/// Adds the memory and work of a coarse space (rigid motions of groups of nodes) to the estimate of its solver.
void solver_add_coarse(const Stage *stage, const StageSize *size, StageBytes *bytes);

#ifdef __cplusplus
}
#endif
