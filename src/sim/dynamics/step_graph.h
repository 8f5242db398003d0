// A step without the host: the state's backup, Newton's loop of tangents and solves, and the step's end are recorded
// once (device/graph.h) and launched together; a kernel takes the decisions (decision.h) and tells the host once, when
// Newton has ended. The host's loop (newton_loop.c) is its twin: the same kernels in the same order, and so the same
// bits. The rare ways out are the host's: what the GPU left it takes over where it stands.
//
// It serves where all stages run on one GPU, the operator stores its values, the solver can be recorded, and the step
// is one by the midpoint rule or backward Euler whose energy nobody watches; not while stages are timed. With
// self-contact a direction's bound and searches for pairs are in it, while nothing touches; else it is another graph's
// (touching_graph.h).
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/newton.h"

/// Takes the whole step, with report and all, where it serves; else *done is false, and newton->left says where the GPU
/// left it, or is NULL: it is the host's from the beginning. Fails where interrupt_requested and on errors of the GPU;
/// then the state's backup is there.
bool REAL_NAME(step_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);
void REAL_NAME(step_graph_destroy)(Newton *newton);

/// What was recorded is recorded again with the next steps: what it reads has moved.
void REAL_NAME(step_graph_forget)(Newton *newton);
