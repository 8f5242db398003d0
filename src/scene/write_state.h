// Writes positions and momenta to the file that the user names by the option --state.
#pragma once
#include "scene/session.h"

/// Writes present positions and momenta, and initial positions, to the .npz file `path` (state_npz.h). Waits for the
/// device.
bool write_state(const Session *session, const char *path, Error *error);
