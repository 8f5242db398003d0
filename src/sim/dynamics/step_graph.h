// Steps that run as a CUDA graph, without the host. The work of a step is recorded once into the graph
// (device/graph.h): a backup of the state, Newton's iterations and the end of the step. Each step then launches this
// graph. A kernel takes the decisions of Newton's method (decision.h) and reports to the host once, when Newton's
// method has ended. The host's loop (newton_loop.c) runs the same kernels in the same order, so its results are
// bit-identical. Rare cases, such as halved steps, are left to the host, which continues from the GPU's state.
//
// Requirements: all stages (body, assembly, operator, solver) run on one GPU, the operator stores values, the solver's
// work can be recorded into a graph, and the times of stages are not measured. The integrator is backward Euler, or the
// midpoint rule if no check of the energy follows (EnergyWatch in newton.c). With self-contact, these graphs are for
// steps in which no contact pair (self_contact.h) touches. They test for collisions, and search for pairs that may
// touch. If a pair touches, the graphs of touching_graph.h are used.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/newton.h"

/// Takes a whole step on the GPU. *done is true if it was completed, and the report is filled. If *done is false, the
/// host must take the step: from newton->left, the progress of the GPU, or from the start of the step if newton->left
/// is NULL. Fails on interruption and on errors of the GPU; the backup of the state is then valid.
bool REAL_NAME(step_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);
void REAL_NAME(step_graph_destroy)(Newton *newton);

/// Deletes the recorded graphs, since arrays that they read were reallocated. The next steps record them again.
void REAL_NAME(step_graph_forget)(Newton *newton);
