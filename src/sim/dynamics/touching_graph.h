// Steps with self-contact in which contact pairs (self_contact.h) touch, run as CUDA graphs without the host. There are
// two kinds of graphs: for a whole step at whose start pairs touch, and for the rest of a step that the host has begun.
// Newton's iterations (tangent, solve, collision test, trial, comparison of energies, decision) are a loop inside the
// graph, since their number is unknown when the graph is recorded. The loop on the host (newton_loop.c) gives
// bit-identical results.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/newton.h"
#include "sim/dynamics/time_step.h"

/// As step_graph_take in step_graph.h, for a step at whose start a pair touches.
bool REAL_NAME(touching_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);

/// Continues Newton's method on the GPU from u1, the last evaluated state. Returns when the method has ended or the
/// host has to continue. On input, *progress has the counts and norms of Newton's method so far, and the slip_fraction
/// of the next tangent. On output it has the counts and norms at the end. *went becomes false if the GPU cannot
/// continue; nothing has then changed.
bool REAL_NAME(touching_graph_go_on)(Newton *newton, const TimeStep *step, NewtonProgress *progress, bool *went,
                                     StepReport *report, Error *error);

void REAL_NAME(touching_graph_forget)(Newton *newton);
void REAL_NAME(touching_graph_destroy)(Newton *newton);
