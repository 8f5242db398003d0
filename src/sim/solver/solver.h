// Linear solvers: A x = b on the unknowns that are free, by a Krylov method. Where everything lies never changes, so a
// solver is created for its matrix and vectors once and can prepare its launches.
#pragma once
#include "device/graph.h"
#include "sim/operator/operator.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Solver Solver;

typedef enum SolverEnd {
  SOLVER_CONVERGED,  // (zero: also of a solver that has not solved anything)
  SOLVER_OUT_OF_ITERATIONS,
  SOLVER_INDEFINITE,  // p.Ap <= 0: x is the last good iterate, or, at the first, the preconditioned b, which is
                      // downhill all the same (the preconditioner is always positive definite)
  SOLVER_BROKEN,      // something was not a number: x is the last good iterate, or zero
  SOLVER_DIVERGED,    // sweeps that take many rows at once have grown beyond all numbers
  SOLVER_STOPPED,     // interrupt_requested, or Solver.stop: x is the last iterate
  SOLVER_LOST,        // parts of the GPU did not hear from each other in time: an error of solver_wait
  SOLVER_RUNNING,     // queued, and not at its end yet
} SolverEnd;

// What a solve did.
typedef struct SolverReport {
  int iterations;
  SolverEnd end;
  double relative_residual;  // ||r|| / ||b|| by the recurrence, over the free unknowns
  double product_ms;         // that the products took, where Solver.timed, from the kernel before each to the one after
} SolverReport;

// What a solver works on. Vectors are real, on the operator's device.
typedef struct SolverSystem {
  const Operator *A;     // with own blocks, as operator_shift leaves them
  const uint8_t *fixed;  // [n], 1: the unknown is held, its x is zero and its equation does not count
  const void *b;         // [n]
  void *x;               // [n]
  double relative;       // stop at ||r|| <= relative ||b||; may be another one in each solve
  int iterations_max;
  double norm;    // ||b|| over the free unknowns where it is known, which may save a solver time; else 0
  const void *u;  // [n] m, what the nodes have moved from Space.X where A is the tangent; NULL: nothing
} SolverSystem;

// Where a recorded solve finds on the device, when it runs, what else SolverSystem says.
typedef struct SolverInputs {
  const double *relative, *norm;
  const int *wanted;  // where it is 0 there is no solve, x and report are as before; NULL: always
} SolverInputs;

// How CG is preconditioned; see preconditioner.h and coarse.h.
typedef enum Precondition {
  PRECONDITION_NONE,
  PRECONDITION_DIAGONAL,  // blocks of width 1
  PRECONDITION_NODES,     // a node's own block
  PRECONDITION_COARSE,    // the diagonal and a coarse space, which reads an operator's values
  PRECONDITION_LEVELS,    // the same beneath levels of degree; also of an operator that can project itself
  PRECONDITION_SSOR,      // sweeps over all unknowns, which read them too; see ssor.h
} Precondition;

typedef struct SolverMethod {
  Stage stage;
  Precondition precondition;
  bool (*create)(Solver *solver, Stream stream, Error *error);
  void (*destroy_data)(Solver *solver);
  bool (*solve)(Solver *solver, Stream stream, Error *error);
  const char *matrix;        // the operator that it is taken with where nobody names one; NULL: it works with any
  const char *other_matrix;  // and one more that it works with, or NULL
  bool leads;                // taken before the preferred one where nobody names solver or matrix, if it suits
  // whether it can take a body of a space, as far as that is known without its operator (NULL), and with it. NULL: any
  bool (*suits)(const Space *space, const Operator *A, Error *error);
  // whether it keeps the matrix through a solve, so that its products read none. NULL: never
  bool (*holds)(const Solver *solver);
  // Adds a solve to a chain of recorded work, which makes its preconditioner or keeps it as Solver.keeps says now; its
  // report comes to *report, on the device. NULL: it cannot be recorded.
  bool (*record)(Solver *solver, GraphChain *chain, const SolverInputs *inputs, const SolverReport **report,
                 Stream stream, Error *error);
  void (*describe)(const Solver *solver, char *text, size_t size);  // how it works on its system: a clause, or NULL
  // whether its products would read the matrix of a body of this space, as far as that is known without its operator:
  // then other_matrix, of fewer bytes, is the one that it is taken with in float. NULL: no
  bool (*reads)(const Space *space);
  // Of a solver that has room for `before` unknowns: for as many as `now`; its system may then have more, or fewer, and
  // its next solves are of what that says. NULL: it is made anew
  bool (*reserve)(Solver *solver, int before, int now, Error *error);
} SolverMethod;

// A zeroed Solver is empty.
struct Solver {
  const SolverMethod *method;  // borrowed
  SolverSystem system;
  SolverReport *report;  // of the last solve, on the host (pinned); valid after stream_sync; owned
  volatile int *stop;    // pinned; the host writes 1, and a solve that a GPU is at ends within some iterations; owned
  bool timed;            // the next solves time their products
  bool keeps;            // the next solves may precondition by what the last one has made of its matrix
  void *data;            // the method's own; owned
  // of a method whose products are its own: it can add the operator's term, which create says; the next solves do
  bool takes_term, with_term;
};

bool solver_create(Solver *solver, const SolverMethod *method, const SolverSystem *system, Stream stream, Error *error);
void solver_destroy(Solver *solver);

/// Queues x = A^-1 b, starting from zero. Nothing waits; the report is there once the stream has been synchronised.
bool solver_solve(Solver *solver, Stream stream, Error *error);

/// Waits for what solver_solve queued. Where interrupt_requested says so meanwhile, a solve on the GPU ends early too.
bool solver_wait(Solver *solver, Stream stream, Error *error);

/// Waits until a word in memory that the device writes, in an order of its own, is no more what it was set to, or all
/// that was queued is done: that can be watched without asking the driver, but where the device has failed. Where
/// interrupt_requested says so meanwhile, solves end early.
bool solver_watch(Solver *solver, const volatile int *word, int unset, Stream stream, Error *error);

/// Fails where a solve's end is SOLVER_LOST.
bool solver_heard(Solver *solver, SolverEnd end, Error *error);

/// Whether it is preconditioned by a coarse space, which wants SolverSystem.u.
static inline bool solver_is_coarse(const SolverMethod *method) {
  return method->precondition == PRECONDITION_COARSE || method->precondition == PRECONDITION_LEVELS;
}

/// Unknowns that are preconditioned together: 0 for none, else 1 or node_dof. Of two levels that of the lower one.
int solver_width(const SolverMethod *method, int node_dof);

StageBytes solver_bytes(const Stage *stage, const StageSize *size);  // of CG

/// What a coarse space (coarse.h) adds to that of its solver.
void solver_add_coarse(const Stage *stage, const StageSize *size, StageBytes *bytes);

#ifdef __cplusplus
}
#endif
