// Kernels for many bodies (worlds.cu, block_solver.cu), and the arguments that the host prepares for them (worlds.c).
// Arrays of arguments are on the GPU, with one element for each body. Compiled for each precision.
#pragma once
#include "sim/dynamics/energy_keep.h"
#include "sim/dynamics/integrator.h"
#include "sim/dynamics/spin.h"
#include "sim/dynamics/turn_back.h"
#include "sim/solver/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

// Results of the step of a body, besides its NewtonProgress. energy_error: see EnergyFactor.error (energy_keep.h).
// complete: Newton's method has converged, and the step need not be repeated.
typedef struct WorldResult {
  double energy_error;
  int complete;
} WorldResult;

// Arguments of the kernels that correct the momenta (SpinWork) or the energy (EnergyWork) of one body at the end of a
// step. If *wanted is 0, the step of this body is not finished, and the kernels do nothing.
typedef struct SpinWork {
  SpinStep step;
  const int *wanted;
} SpinWork;

typedef struct EnergyWork {
  EnergyStep step;
  const int *wanted;
  WorldResult *result;
} EnergyWork;

// The largest number of pieces (connected parts of a body) and the largest number of chunks (ranges of a piece's nodes)
// that one of the bodies has.
typedef struct WorldPieces {
  int pieces, chunks;
} WorldPieces;

// Loops over the nodes or the unknowns of all bodies. Each loop calls one function of integrator.h:
typedef enum WorldLoop {
  WORLD_BEGIN,                  // begin_at, for unknowns
  WORLD_SHIFT,                  // shift_at, for nodes
  WORLD_SHIFT_SEPARATE_FORCES,  // shift_separate_forces_at, for nodes
  WORLD_SEPARATE_FORCES,        // separate_forces_at, for nodes
  WORLD_ADVANCE,                // advance_at, for unknowns
  WORLD_FINISH,                 // finish_at, for nodes
  WORLD_ORIGIN,                 // origin_at, for the three coordinates
  WORLD_FOLLOW_ORIGIN,          // follow_origin_at, for unknowns
} WorldLoop;

/// Queues a loop from 0 to count - 1 for each of `bodies` bodies. loops: array of Loop.
bool REAL_NAME(worlds_each)(WorldLoop loop, const void *loops, int count, int bodies, Stream stream, Error *error);

/// Queues kernels that compute the residuals of the trial states and decide about the next action of Newton's method.
/// works: array of ResidualWork; decisions: array of StepDecision.
bool REAL_NAME(worlds_residual)(const void *works, const void *decisions, int nodes, int bodies, Stream stream,
                                Error *error);

/// Queues a kernel that adds Iterate.shift, the contributions of inertia and contact, to the diagonal blocks of the
/// matrices of all bodies (operator_shift). works: array of ShiftWork.
bool REAL_NAME(worlds_shift)(const void *works, int nodes, int bodies, Stream stream, Error *error);

/// Queues kernels that turn velocities back at the start of a step (turn_back.h). works: array of TurnBack.
bool REAL_NAME(worlds_turn_back)(const void *works, WorldPieces most, int bodies, Stream stream, Error *error);

/// Three functions that queue the corrections of momenta at the end of a step: worlds_keep_spin (spin.h) with an array
/// of SpinWork; worlds_add_strain and then worlds_keep_energy (energy_keep.h) with an array of EnergyWork.
/// worlds_add_strain adds the partial sums of the strain energy at the start (`end` 0) or at the end (`end` 1) of the
/// step. ElementRow.energy_many has computed the partial sums.
bool REAL_NAME(worlds_keep_spin)(const void *works, WorldPieces most, int bodies, Stream stream, Error *error);
bool REAL_NAME(worlds_add_strain)(const void *works, int parts, int end, int bodies, Stream stream, Error *error);
bool REAL_NAME(worlds_keep_energy)(const void *works, WorldPieces most, int bodies, Stream stream, Error *error);

/// Sets WorldResult.complete of each body: 1 if its step is complete, else 0. decisions: array of StepDecision.
bool REAL_NAME(worlds_complete)(const void *decisions, WorldResult *results, int bodies, Stream stream, Error *error);

/// Returns the address of an array of a body that has, for each group of cells, the smallest det F. worlds_residual
/// reads this array.
double *REAL_NAME(world_smallest_J)(const Motion *motion);

/// Returns true if a solver is the solver "block" on the GPU.
bool REAL_NAME(solver_is_block)(const Solver *solver);

/// Returns the bytes of the arguments of a solve by the solver "block" for one body (BlockSystem).
size_t REAL_NAME(block_system_bytes)(void);

/// Writes a BlockSystem, the arguments of a solve by `solver`, to *arguments. The values to which `inputs` points are
/// on the GPU. *report becomes the address at which the GPU will store the report of the solve.
void REAL_NAME(block_system_of)(const Solver *solver, const SolverInputs *inputs, void *arguments,
                                const SolverReport **report);

/// Queues the linear solves of all bodies. Their systems must have equal sizes. `solver` is the solver of one of the
/// bodies. arguments: array of BlockSystem.
bool REAL_NAME(block_solve_many)(const Solver *solver, const void *arguments, int bodies, Stream stream, Error *error);

/// Functions for the arguments ResidualWork and ShiftWork of one body. residual_work_bytes and shift_work_bytes return
/// their size in bytes; residual_work_of and shift_work_of write them to *arguments. `step`: coefficients of the step.
/// `wanted`: if *wanted, on the GPU, is 0, the kernels skip this body; NULL: they never skip it.
size_t REAL_NAME(residual_work_bytes)(void);
void REAL_NAME(residual_work_of)(const Motion *motion, const struct TimeStep *step, const void *min_J, int min_J_count,
                                 bool check_trial, const int *wanted, void *arguments);
size_t REAL_NAME(shift_work_bytes)(void);
void REAL_NAME(shift_work_of)(const struct Operator *A, const void *shift, int crosses, void *diagonal,
                              const int *wanted, void *arguments);

#ifdef __cplusplus
}
#endif
