// Actions of the page's buttons and keys, such as "pause" and "view_front".
#pragma once
#include "serve/mouse.h"

/// Fails if there is no action with this name.
bool action_check(const char *name, Error *error);

/// Runs the action with this name, if there is one.
void action_do(const char *name, Mouse *mouse, Shown *shown);

/// Moves to a step of the timeline, the list of stored steps, or to the nearest step that is stored. Ends the pull of
/// the mouse.
void action_go(int64_t step, Mouse *mouse, Shown *shown);
