// Newton's loop without the host, for surfaces that touch: steps that begin with contact, and the rest of steps that
// the host has begun. Tangents, solves, bounds of directions, trials, energies of refused trials and decisions form a
// loop within a graph, since their number is unknown when it is recorded. The host's loop (newton_loop.c) gives the
// same bits.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/newton.h"
#include "sim/dynamics/time_step.h"

/// As step_graph_take, for a step that begins with contact.
bool REAL_NAME(touching_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);

/// Continues from u1, the state that was evaluated last, until Newton's method ends or the host has to continue; *went
/// is false if the requirements do not hold. `progress` is the state of Newton's method before (with the slip share of
/// the next tangent) and after.
bool REAL_NAME(touching_graph_go_on)(Newton *newton, const TimeStep *step, NewtonProgress *progress, bool *went,
                                     StepReport *report, Error *error);

void REAL_NAME(touching_graph_forget)(Newton *newton);
void REAL_NAME(touching_graph_destroy)(Newton *newton);
