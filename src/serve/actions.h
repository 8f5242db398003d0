// Actions of the page's buttons and keys, such as "pause" and "view_front".
#pragma once
#include "serve/mouse.h"

/// Fails if there is no action with this name.
bool action_check(const char *name, Error *error);

/// Runs the action with this name, if there is one.
void action_do(const char *name, Mouse *mouse, Shown *shown);

/// Returns the simulation to a step whose state is stored in the timeline, or to the nearest such step. The body is no
/// longer pulled by the mouse.
void action_go(int64_t step, Mouse *mouse, Shown *shown);
