// Notices at the start about entries of a scene that do not have the expected effect.
#pragma once
#include "scene/session.h"

/// Reports steps and tolerances below rounding, keys without effect, obstacles narrower than the gaps between nodes,
/// and bodies inside others. The session needs its scene and its mesh.
void session_notices(const Session *session);

/// Reports bodies that start deep inside obstacles or below the floor, which stores energy. The session needs its pins.
void session_notice_depths(const Session *session);
