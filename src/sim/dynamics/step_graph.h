// Steps that run as a CUDA graph, without the host. The work of a step is recorded once into the graph
// (device/graph.h): a backup of the state, Newton's iterations and the end of the step. Each step then launches this
// graph. A kernel takes the decisions of Newton's method (decision.h) and reports to the host once, when Newton's
// method has ended. The loop on the host (newton_loop.c) runs the same kernels in the same order, so its results are
// bit-identical. In rare cases, such as a step that must be divided, the host continues from the GPU's state.
//
// Requirements:
//   - All stages (body, assembly, operator, solver) run on one GPU.
//   - The operator stores values, and the solver's work can be recorded into a graph.
//   - The times of stages are not measured.
//   - The integrator is backward Euler, or the midpoint rule without a check of the energy (EnergyWatch in newton.c).
// With self-contact, these graphs are for steps in which no contact pair (self_contact.h) touches. They test for
// collisions, and search for pairs that may touch. If a pair touches, the graphs of touching_graph.h are used.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/newton.h"

/// Takes a whole step on the GPU. If the step was completed, *done is true and *report has its results. If *done is
/// false, the host must take the step: it continues from newton->left, the progress of the GPU, or from the start of
/// the step if newton->left is NULL. Fails on interruption and on errors of the GPU; the backup of the state is then
/// valid.
bool REAL_NAME(step_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);
void REAL_NAME(step_graph_destroy)(Newton *newton);

/// Deletes the recorded graphs. Must be called after arrays that they read were reallocated. The next steps record new
/// graphs.
void REAL_NAME(step_graph_forget)(Newton *newton);
