// Actions of a page's buttons and keys, such as "pause" and "view_front". A table has a row for each action.
#pragma once
#include "serve/mouse.h"

/// Fails if there is no action with this name.
bool action_check(const char *name, Error *error);

/// Does the action with this name, if there is one.
void action_do(const char *name, Mouse *mouse, Shown *shown);
