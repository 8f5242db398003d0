// Tests whether entries of a scene's lists "pins" and "drags" prescribe different positions of the same nodes.
#pragma once
#include "scene/session.h"

/// Writes a notice if two pins hold a node along the same axis with different motions. Also writes one if pins hold
/// nodes that a drag without springs moves. Fails if an entry has no effect at all for this reason; in a scene that
/// begins in a saved state, where tears may have removed nodes, writes a notice instead. session->pinned must have the
/// scene's pins.
bool session_check_overlaps(Session *session, Error *error);
