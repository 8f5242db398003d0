// Actions of the page's buttons and keys, such as "pause" and "view_front".
#pragma once
#include "serve/mouse.h"

/// Fails if there is no action with this name.
bool action_check(const char *name, Error *error);

/// Runs the action with this name, if there is one.
void action_do(const char *name, Mouse *mouse, Shown *shown);
