// Actions of a page's buttons and keys, such as "pause" and "view_front". A table has a row for each action.
#pragma once
#include "serve/mouse.h"

/// Does the action with this name. Fails if there is none.
bool action_do(const char *name, Mouse *mouse, Shown *shown, Error *error);
