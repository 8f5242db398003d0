// Notices at the start of a session about keys and values that do not have the effect that a user expects.
#pragma once
#include "scene/session.h"

/// Reports a dt or tolerances that are smaller than rounding errors, keys without effect, obstacles narrower than the
/// distance between nodes, and bodies inside other bodies. Needs session->scene and session->mesh.
void session_notices(const Session *session);

/// Reports bodies that begin deep inside obstacles or below the floor. The user should know this, because contact then
/// begins with stored energy. Needs session->pinned.
void session_notice_depths(const Session *session);
