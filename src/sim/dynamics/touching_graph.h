// Steps with self-contact in which pairs touch, controlled by the GPU without the host: whole steps that begin with
// contact, and the rest of steps that the host has begun. Newton's iterations (tangent, solve, collision test, trial,
// comparison of energies, decision) are a loop inside a CUDA graph, since their number is unknown when the graph is
// recorded. The host's loop (newton_loop.c) gives bit-identical results.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/newton.h"
#include "sim/dynamics/time_step.h"

/// As step_graph_take, for a step that begins with contact.
bool REAL_NAME(touching_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);

/// Continues Newton's method on the GPU from u1, the last evaluated state, until it ends or the host has to continue.
/// `progress` has the progress of Newton's method on entry, with slip_fraction for the next tangent, and on return.
/// *went is false if the GPU cannot do this; then nothing has happened.
bool REAL_NAME(touching_graph_go_on)(Newton *newton, const TimeStep *step, NewtonProgress *progress, bool *went,
                                     StepReport *report, Error *error);

void REAL_NAME(touching_graph_forget)(Newton *newton);
void REAL_NAME(touching_graph_destroy)(Newton *newton);
