// Newton's loop without the host where the surface touches itself: steps that begin so, and what is left of a step
// that the host has begun. Tangents, solves, how far each direction may go, trials and decisions are a loop within a
// graph, and so are what follows where a residual refuses a trial: energies, and shorter ones. Of step_graph.h the part
// that it cannot know beforehand how long it is; the host's loop (newton_loop.c) is the twin of both.
#pragma once
#include "sim/dynamics/decision.h"
#include "sim/dynamics/newton.h"
#include "sim/dynamics/time_step.h"

/// What step_graph_take does, where something touches as the step begins.
bool REAL_NAME(touching_graph_take)(Newton *newton, double dt, bool *done, StepReport *report, Error *error);

/// Where it serves, *went: goes on from u1, which was met last, until Newton ends or the host has to lead. `progress`
/// says where it is, before with the slip share of the next tangent, and after.
bool REAL_NAME(touching_graph_go_on)(Newton *newton, const TimeStep *step, NewtonProgress *progress, bool *went,
                                     StepReport *report, Error *error);

void REAL_NAME(touching_graph_forget)(Newton *newton);
void REAL_NAME(touching_graph_destroy)(Newton *newton);
