// Writes the file of the option --state, which several commands have.
#pragma once
#include "scene/session.h"

/// Writes the present positions and momenta, and the initial positions, into the .npz file `path` (state_npz.h). Waits
/// for the device.
bool write_state(const Session *session, const char *path, Error *error);
