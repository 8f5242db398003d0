// Notices, at the start of a session, about keys and values of a scene that do not have the effect that a user expects.
#pragma once
#include "scene/session.h"

/// Reports a dt or a tolerance below rounding errors, keys without effect, obstacles that are narrower than the
/// distance of nodes, and bodies inside other bodies. session->scene and session->mesh must be set.
void session_notices(const Session *session);

/// Reports bodies that start deep inside obstacles or below the floor, since contact then stores energy.
/// session->pinned must be set.
void session_notice_depths(const Session *session);
