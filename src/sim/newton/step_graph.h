// Time steps that run as a CUDA graph, without the host. The graph contains the work of a step: a backup of the state,
// Newton's iterations and the end of the step. It is recorded once (device/graph.h) and launched in each step. A kernel
// takes the decisions of Newton's method (decision.h), and the host waits only for the graph's end. If the step needs
// more linear solves than the graph has, the host launches a graph with one more solve, and waits again. The host's
// loop (newton_loop.c) runs the same kernels in the same order, so a step has bit-identical results with and without a
// graph. In rare cases, such as a step that must be divided, the host continues from the state that the GPU has
// reached.
//
// Requirements for a step to run as a graph:
//   - All stages (body, assembly, operator, solver) run on one GPU.
//   - The solver's work can be recorded into a graph (SolverMethod.record).
//   - The program does not measure the times of stages.
//   - The integrator is backward Euler, or the midpoint rule without a check of the energy (EnergyWatch in newton.c).
// With self-contact, no node may have a prescribed motion. The graphs then test for collisions and search for pairs
// that may touch. They are for steps in which no pair touches; touching_graph.h has graphs for the other steps.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/newton/newton.h"

/// Takes a whole step on the GPU. If *done becomes true, the step is complete and *report has its results. Otherwise
/// the host must continue: from newton->left, the progress of the GPU, or from the start of the step if this is NULL.
/// Fails on interruption and on errors of the GPU; the backup then has the state at the start of the step.
bool REAL_NAME(step_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);

/// Copies the result *n of a whole step on the GPU to *report. If the step has converged, *done becomes true. Otherwise
/// the host must continue from newton->left, which becomes n.
void REAL_NAME(step_graph_receive)(Newton *newton, const NewtonProgress *n, bool *done, StepReport *report);

/// Queues newton->prelude, unless this step has already queued it, as part of its graph.
bool REAL_NAME(newton_run_prelude)(Newton *newton, Error *error);
void REAL_NAME(step_graph_destroy)(Newton *newton);

/// Deletes the recorded graphs; later steps record new ones. Must be called after arrays were reallocated.
void REAL_NAME(step_graph_forget)(Newton *newton);
