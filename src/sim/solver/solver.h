// Linear solvers: A x = b on the free unknowns by a Krylov method. A solver is created once for a matrix and its
// vectors, whose addresses do not change, so it can record its kernel launches in advance.
#pragma once
#include "device/graph.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Solver Solver;

typedef enum SolverEnd {
  SOLVER_CONVERGED,  // zero, also the initial value before the first solve
  SOLVER_OUT_OF_ITERATIONS,
  SOLVER_INDEFINITE,  // p.Ap <= 0. x is the last good iterate. If this happens in the first iteration, x is the
                      // preconditioned b, a descent direction since the preconditioner is positive definite.
  SOLVER_BROKEN,      // a value was not finite: x is the last good iterate, or zero
  SOLVER_DIVERGED,    // the iterates of parallel sweeps overflowed
  SOLVER_STOPPED,     // interrupt_requested returned true, or Solver.stop was set: x is the last iterate
  SOLVER_LOST,        // thread blocks waited too long for each other's data; solver_wait reports this as an error
  SOLVER_RUNNING,     // queued or in progress
} SolverEnd;

// Result of a solve.
typedef struct SolverReport {
  int iterations;
  SolverEnd end;
  double relative_residual;  // ||r|| / ||b|| over the free unknowns, r from the recurrence
  // Time of the products, if Solver.timed. On the GPU: from the end of the kernel before a product to the start of the
  // kernel after it.
  double product_ms;
} SolverReport;

// The linear system. Vectors are real, on the operator's device.
typedef struct SolverSystem {
  const Operator *A;     // after operator_shift, so that A->blocks is valid
  const uint8_t *fixed;  // [n], 1: the unknown is fixed: its x is zero and its equation is ignored
  const void *b;         // [n]
  void *x;               // [n]
  double relative;       // converged if ||r|| <= relative ||b||; may change from solve to solve
  int iterations_max;
  double norm;    // ||b|| over the free unknowns, which may save time; 0: not known
  const void *u;  // [n], m: displacement from Space.X of the state at which A is the tangent; NULL: zero
} SolverSystem;

// Inputs of a recorded solve that it reads on the device when it runs. They replace the members of SolverSystem.
typedef struct SolverInputs {
  const double *relative, *norm;
  const int *wanted;  // if 0, the solve is skipped and x and the report do not change; NULL: never skipped
} SolverInputs;

// Preconditioner of CG; see preconditioner.h and coarse.h.
typedef enum Precondition {
  PRECONDITION_NONE,
  PRECONDITION_DIAGONAL,  // blocks of width 1
  PRECONDITION_NODES,     // the nodes' diagonal blocks
  PRECONDITION_COARSE,    // diagonal and coarse space, which reads the operator's values
  PRECONDITION_LEVELS,    // multigrid by degree above a coarse space (pmg.h); the operator must store values or have
                          // `project`
  PRECONDITION_SSOR,      // symmetric Gauss-Seidel sweeps, which read the operator's values; see ssor.h
  PRECONDITION_DIRECT,    // no iteration: a factor of the matrix, from its values; see sim/direct/factor.h
} Precondition;

typedef struct SolverMethod {
  Stage stage;
  Precondition precondition;
  bool (*create)(Solver *solver, Stream stream, Error *error);
  void (*destroy_data)(Solver *solver);
  bool (*solve)(Solver *solver, Stream stream, Error *error);
  const char *matrix;        // default operator of this solver; NULL: any operator works
  const char *other_matrix;  // a second operator that works, or NULL
  // If the user names neither solver nor matrix and it suits the body, it is used instead of the preferred method.
  bool is_default;
  // Tests if the solver supports a space, and also its operator unless A is NULL. NULL: every space is supported.
  bool (*suits)(const Space *space, const Operator *A, Error *error);
  // Returns true if the matrix stays in registers during a solve, so that products do not read it. NULL: never.
  bool (*holds)(const Solver *solver);
  // Adds a solve to a chain of recorded work. The recorded solve rebuilds its preconditioner unless Solver.keeps is set
  // during recording. *report is set to the address of its report on the device. NULL: it cannot be recorded.
  bool (*record)(Solver *solver, GraphChain *chain, const SolverInputs *inputs, const SolverReport **report,
                 Stream stream, Error *error);
  // Writes a clause that describes the method on its system. NULL: there is none.
  void (*describe)(const Solver *solver, char *text, size_t size);
  // Returns true if products read the matrix of a body of this space from memory, as far as is known without the
  // operator. In float the solver is then used with other_matrix, which has fewer bytes. NULL: false.
  bool (*reads)(const Space *space);
  // Grows the capacity of a solver from `before` to `now` unknowns. The number of unknowns of its system may then
  // change, and the next solves use the present one. NULL: the solver must be created anew.
  bool (*reserve)(Solver *solver, int before, int now, Error *error);
} SolverMethod;

// A zeroed Solver is empty.
struct Solver {
  const SolverMethod *method;  // borrowed
  SolverSystem system;
  SolverReport *report;  // result of the last solve, on the host (pinned); valid after stream_sync; owned
  volatile int *stop;    // pinned; if the host writes 1, a solve on the GPU ends after some iterations; owned
  bool timed;            // the next solves measure the time of their products
  bool keeps;            // the next solves may keep the preconditioner of the last solve
  void *data;            // private to the method; owned
  // takes_term: set by `create` if a method that computes products itself can add the operator's term. with_term: the
  // next solves add it.
  bool takes_term, with_term;
};

bool solver_create(Solver *solver, const SolverMethod *method, const SolverSystem *system, Stream stream, Error *error);
void solver_destroy(Solver *solver);

/// Queues x = A^-1 b, starting from zero. Does not wait. The report is valid once the stream has been synchronised.
bool solver_solve(Solver *solver, Stream stream, Error *error);

/// Waits for the queued solve. Sets Solver.stop if interrupt_requested returns true, so that a solve on the GPU ends
/// early. Fails with CUDA's message, or if the solve's end is SOLVER_LOST.
bool solver_wait(Solver *solver, Stream stream, Error *error);

/// Waits until *word differs from `unset`, or until all queued work is done. The device writes the word, which is in
/// pinned memory, so polling it needs no driver call; the stream is tested once per millisecond. Sets Solver.stop if
/// interrupt_requested returns true. Fails only with CUDA's message.
bool solver_watch(Solver *solver, const volatile int *word, int unset, Stream stream, Error *error);

/// Fails if `end` is SOLVER_LOST.
bool solver_received(Solver *solver, SolverEnd end, Error *error);

/// Returns true if the method has a coarse space, which uses SolverSystem.u.
static inline bool solver_is_coarse(const SolverMethod *method) {
  return method->precondition == PRECONDITION_COARSE || method->precondition == PRECONDITION_LEVELS;
}

/// Block width of the preconditioner: 0 for none, else 1 or node_dof. With a coarse space, the width of the fine level.
int solver_width(const SolverMethod *method, int node_dof);

StageBytes solver_bytes(const Stage *stage, const StageSize *size);  // memory and work of CG

/// Adds memory and work of a coarse space (coarse.h) to those of its solver.
void solver_add_coarse(const Stage *stage, const StageSize *size, StageBytes *bytes);

#ifdef __cplusplus
}
#endif
