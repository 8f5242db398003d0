// What `--state FILE` writes, for every command that has it.
#pragma once
#include "scene/session.h"

/// Writes the session's positions and momenta now, and its initial positions; see scene/state_npz.h. Waits.
bool write_state(const Session *session, const char *path, Error *error);
