// A step without the host. The backup of the state, Newton's loop of tangents and solves, and the end of the step are
// recorded once (device/graph.h) and launched together. A kernel takes the decisions (decision.h) and reports to the
// host once, when Newton's method has ended. The host's loop (newton_loop.c) runs the same kernels in the same order,
// so it gives the same bits. Rare cases, such as halved steps, are left to the host, which continues from the GPU's
// state.
//
// Requirements: all stages run on one GPU, the operator stores values, the solver can be recorded, stages are not
// timed, and the step is one of backward Euler, or of the midpoint rule without a check of its energy. With
// self-contact the graph contains bounds of directions and searches for pairs while nothing touches; otherwise
// touching_graph.h takes the step.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/newton.h"

/// Takes the whole step and fills the report if the requirements hold. Otherwise *done is false, and newton->left is
/// the progress at which the host continues, or NULL if the host takes the step from its beginning. Fails if
/// interrupt_requested and on errors of the GPU; the backup of the state is then valid.
bool REAL_NAME(step_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);
void REAL_NAME(step_graph_destroy)(Newton *newton);

/// Drops the recorded graphs, after arrays that they read have moved. The next steps record them again.
void REAL_NAME(step_graph_forget)(Newton *newton);
