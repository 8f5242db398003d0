// Steps that the GPU controls without the host. The backup of the state, Newton's iterations and the end of the step
// are recorded once as a CUDA graph (device/graph.h), which each step launches. A kernel takes the decisions of
// Newton's method (decision.h) and reports to the host once, when Newton's method has ended. The host's loop
// (newton_loop.c) runs the same kernels in the same order, so its results are bit-identical. Rare cases, such as halved
// steps, are left to the host, which continues from the GPU's state.
//
// Requirements: all stages run on one GPU, the operator stores values, the solver can be recorded, and stages are not
// timed. The integrator is backward Euler, or the midpoint rule if no check of the energy follows (EnergyWatch in
// newton.c). With self-contact, these graphs are for steps in which no pair touches: they test for collisions and
// search for pairs. Steps in which pairs touch are in touching_graph.h.
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
