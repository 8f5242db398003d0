// Linear solvers of A x = b for the free unknowns, by conjugate gradients (CG) or by a direct factorisation. A is an
// operator (operator.h): a matrix, plus terms such as contact that each product adds. A solver is created once for a
// system, whose arrays keep their addresses. So a solver on the GPU can record its kernels in a CUDA graph.
#pragma once
#include "device/graph.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Solver Solver;

// Reason why a solve ended. p is the search direction of conjugate gradients.
typedef enum SolverEnd {
  SOLVER_CONVERGED,  // ||r|| <= relative ||b||; SolverReport.end also has this value before the first solve
  SOLVER_OUT_OF_ITERATIONS,
  // p.Ap <= 0, so A is not positive definite. x is the last iterate before this direction p. In the first iteration, x
  // is M^-1 b, a descent direction, where M is the preconditioner.
  SOLVER_INDEFINITE,
  SOLVER_BROKEN,    // a value was not finite; x is the last iterate with finite values, or zero
  SOLVER_DIVERGED,  // only stationary methods such as Jacobi (lab/stationary): the iterates overflowed
  SOLVER_STOPPED,   // the user interrupted, or Solver.stop was set; x is the last iterate
  SOLVER_LOST,      // thread blocks waited too long for each other's data; solver_wait fails
  SOLVER_RUNNING,   // the solve is queued or in progress
} SolverEnd;

// Result of a solve.
typedef struct SolverReport {
  int iterations;  // number of complete iterations
  SolverEnd end;   // why the solve ended
  // ||r|| / ||b|| over the free unknowns. r is the residual that CG updates, which differs from b - A x by rounding.
  double relative_residual;
  // Total time of the products A p. CG on the CPU always measures it, on the GPU only if Solver.timed is true: cg.cu
  // from the end of the kernel before a product to the start of the kernel after it, resident.cu in part 0 alone.
  double product_ms;
} SolverReport;

// The linear system. Vectors have elements of type real, on the operator's device.
typedef struct SolverSystem {
  const Operator *A;  // the matrix; operator_shift must have run, because preconditioners read A->blocks
  // [n], 1 for a fixed unknown: its x stays zero, and its equation is ignored
  const uint8_t *fixed;
  const void *b;       // [n], right-hand side
  void *x;             // [n], output: the solution
  double relative;     // the solve has converged if ||r|| <= relative ||b||; may differ between solves
  int iterations_max;  // max number of iterations of a solve
  double norm;         // ||b|| over the free unknowns, 0 if unknown; some solvers save time if it is known
  // [n], displacements, m, of the state whose tangent is A; NULL: all are 0. Preconditioners with a coarse space
  // (coarse.h) compute the nodes' rigid motions from it.
  const void *u;
} SolverSystem;

// Addresses, on the device, of inputs of a solve that is recorded in a CUDA graph. Each run of the graph reads
// `relative` and `norm` in place of the members of SolverSystem with these names.
typedef struct SolverInputs {
  const double *relative, *norm;  // tolerance SolverSystem.relative; ||b||
  // If *wanted is 0, the solve is skipped: x and the report do not change. NULL: the solve is never skipped.
  const int *wanted;
} SolverInputs;

// Kind of a solver: conjugate gradients (CG) with one of several preconditioners, or a direct factorisation.
typedef enum Precondition {
  PRECONDITION_NONE,
  PRECONDITION_DIAGONAL,  // Jacobi: the diagonal of A (preconditioner.h)
  PRECONDITION_NODES,     // the diagonal blocks of A, one per node
  // the diagonal of A, plus rigid motions of groups of nodes (coarse.h). The operator must store its matrix.
  PRECONDITION_COARSE,
  // multigrid (pmg.h) with three levels: all nodes; the corners of cells; rigid motions of groups of nodes. The
  // operator must store its matrix or have the function OperatorMethod.project.
  PRECONDITION_LEVELS,
  // symmetric Gauss-Seidel sweeps (ssor.h); the operator must store its matrix
  PRECONDITION_SSOR,
  // no CG: a direct solver factorises the matrix (sim/direct/factor.h). The operator must store its matrix.
  PRECONDITION_DIRECT,
  PRECONDITION_APPLIED,  // another preconditioner, by the functions SolverMethod.applied
} Precondition;

// A preconditioner M of CG on one device, as functions that CG calls.
typedef struct AppliedPreconditioner {
  void *(*create)(const SolverSystem *system, Stream stream, Error *error);  // returns NULL if it fails
  void (*destroy)(void *data);
  // Computes data that depend on the values of A, before each solve, unless Solver.keeps. NULL: there are no such data.
  bool (*make)(void *data, Stream stream, Error *error);
  // Queues z = M^-1 r; vectors are [n], and z is 0 on fixed unknowns. On the GPU the call is recorded in a CUDA graph.
  bool (*apply)(const void *data, const void *r, void *z, Stream stream, Error *error);
} AppliedPreconditioner;

// The functions of one solver, on one device and in one precision. solvers.def lists all solvers.
typedef struct SolverMethod {
  Stage stage;                // name, summary, device, precision and estimated cost
  Precondition precondition;  // preconditioner of CG; PRECONDITION_DIRECT: the solver is a direct one, without CG
  const AppliedPreconditioner *applied;  // functions of the preconditioner; NULL: CG itself has the preconditioner
  bool (*create)(Solver *solver, Stream stream, Error *error);
  void (*destroy_data)(Solver *solver);
  bool (*solve)(Solver *solver, Stream stream, Error *error);
  // name of the matrix format that the program uses with this solver if the user names none; NULL: any format works
  const char *matrix;
  const char *other_matrix;  // name of a second matrix format with which this solver works, or NULL
  // True for at most one solver per device and precision. If the user names no solver and no matrix, the program tries
  // this solver first (stages_choose has the exceptions), and then the solver with Stage.preferred.
  bool is_default;
  // Returns true if the solver supports the space and, unless A is NULL, the operator A. Else *error gets the reason.
  // NULL: the solver supports every space.
  bool (*suits)(const Space *space, const Operator *A, Error *error);
  // Returns true if the solver keeps the matrix in GPU registers during a solve, so that products do not read it from
  // memory. NULL: counts as false.
  bool (*holds)(const Solver *solver);
  // Adds a solve to `chain`, a CUDA graph that is being recorded. Each run of the graph builds the preconditioner
  // again, unless Solver.keeps was true during recording. *report gets the address of the result on the device. NULL:
  // the method cannot be recorded.
  bool (*record)(Solver *solver, GraphChain *chain, const SolverInputs *inputs, const SolverReport **report,
                 Stream stream, Error *error);
  // Writes a short text for the user to text [size]. It says how the method solves this system, such as "N parts".
  void (*describe)(const Solver *solver, char *text, size_t size);
  // Adds a lower bound of the memory traffic of an iteration (WORK_ITERATION) to `on`, on the device of the traffic.
  // For solvers whose traffic depends on the pattern of the matrix. NULL: Stage.bytes estimates the traffic.
  void (*traffic)(const Solver *solver, StageTraffic on[2]);
  // Estimates, before the operator exists, if the matrix of a body is too large for the GPU's registers and shared
  // memory, so that each product reads it from device memory. If so, simulations in float use the format
  // `other_matrix`, which has fewer bytes than `matrix`. NULL: counts as false.
  bool (*reads)(const Space *space);
  // Called when a cut adds unknowns to a body: enlarges the capacity of the solver's arrays from `before` to `now`
  // unknowns. A later solve may have any number of unknowns up to `now`. NULL: the solver must be created again.
  bool (*reserve)(Solver *solver, int before, int now, Error *error);
  // Called before the first solve that the host starts, while A is the tangent of the body at rest. So the solver can
  // build a preconditioner for all time steps. It must not keep one of a later state: a run that is resumed from a
  // checkpoint would then have other bits. NULL: the solver prepares nothing.
  bool (*prepare)(Solver *solver, Error *error);
} SolverMethod;

// A solver for one linear system. A zeroed Solver is empty.
struct Solver {
  const SolverMethod *method;  // functions of the solver; borrowed
  SolverSystem system;         // the linear system, a copy
  SolverReport *report;        // result of the last solve, on the host (pinned memory); valid after stream_sync; owned
  // in the host's pinned memory, owned. If the host writes 1 to it, a solve on the GPU ends after some more iterations.
  volatile int *stop;
  bool timed;  // true: solves on the GPU measure the time of their products
  bool keeps;  // true: solves use the coarse matrix or multigrid levels of an earlier solve
  void *data;  // vectors and other data of the method; owned
  // takes_term: true if the method computes products itself and can add the matrix of contact, Operator.term; set by
  // `create`. with_term: true if the next solves must add it; set by the caller.
  bool takes_term, with_term;
};

/// Creates a solver for a system, whose arrays must keep their addresses. Fails if memory runs out, or if the method
/// does not support the system.
bool solver_create(Solver *solver, const SolverMethod *method, const SolverSystem *system, Stream stream, Error *error);
void solver_destroy(Solver *solver);

/// Queues the computation of x = A^-1 b from the start value 0. The report is valid after stream_sync.
bool solver_solve(Solver *solver, Stream stream, Error *error);

/// Waits for the queued solve. If the user interrupts, sets Solver.stop, so that a solve on the GPU ends early. Fails
/// with CUDA's message, or if thread blocks waited too long for each other (SOLVER_LOST).
bool solver_wait(Solver *solver, Stream stream, Error *error);

/// Waits until the device has written *word, so that it differs from `unset`, or until all work on the stream is done.
/// The word is in pinned host memory, so the host reads it without a call of CUDA. Sets Solver.stop if the user
/// interrupts. Fails only with CUDA's message.
bool solver_watch(Solver *solver, const volatile int *word, int unset, Stream stream, Error *error);

/// Fails, with a message for the user, if `end` is SOLVER_LOST: thread blocks waited too long for each other's data.
bool solver_received(Solver *solver, SolverEnd end, Error *error);

/// Returns true if the preconditioner has a coarse space or multigrid levels of rigid motions of groups of nodes. The
/// motions depend on SolverSystem.u.
static inline bool solver_is_coarse(const SolverMethod *method) {
  return method->precondition == PRECONDITION_COARSE || method->precondition == PRECONDITION_LEVELS;
}

/// Returns the number of rows of one diagonal block of the preconditioner (preconditioner.h): 0 without blocks, else 1
/// or node_dof. For multigrid, these are the blocks on the level of all nodes.
int solver_width(const SolverMethod *method, int node_dof);

StageBytes solver_bytes(const Stage *stage, const StageSize *size);  // Estimates memory and work of the CG solvers.

/// Adds memory and work of a coarse space (rigid motions of groups of nodes) to *bytes.
void solver_add_coarse(const Stage *stage, const StageSize *size, StageBytes *bytes);

#ifdef __cplusplus
}
#endif
