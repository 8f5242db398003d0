// CUDA graphs for time steps in which contact pairs touch; the GPU then computes these steps without the host. A
// contact pair is two parts of surfaces near each other, such as a point and a triangle (self_contact.h). One kind of
// graph takes a whole step at whose start pairs touch. The other kind takes the rest of a step that the host has begun.
// Newton's iterations are a loop inside the graph, since their number is unknown when the graph is recorded. The host's
// loop (newton_loop.c) gives bit-identical results.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/newton/newton.h"
#include "sim/dynamics/time_step.h"

/// Takes, on the GPU, a whole step at whose start a pair touches. If *done becomes true, the step is complete and
/// *report has its results. Otherwise the host must continue: from newton->left or, if this is NULL, from the start of
/// the step.
bool REAL_NAME(touching_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);

/// Continues Newton's method on the GPU from u1, the last evaluated state, until the method ends or the host must
/// continue. On input, *progress has the counts and norms so far, and the slip_fraction of the next tangent; on output,
/// the counts and norms at the end. *went becomes true if the GPU has done this. It becomes false if the GPU cannot
/// continue Newton's method; the state is then unchanged.
bool REAL_NAME(touching_graph_go_on)(Newton *newton, const TimeStep *step, NewtonProgress *progress, bool *went,
                                     StepReport *report, Error *error);

/// Deletes the recorded graphs; later steps record new ones. Must be called after arrays were reallocated.
void REAL_NAME(touching_graph_forget)(Newton *newton);
void REAL_NAME(touching_graph_destroy)(Newton *newton);
