// Saved scenes: a file that opens to what is here now.
#pragma once
#include "scene/session.h"

/// Writes FILE.json, a scene with all that was changed, and FILE.state beside it, in which that scene begins:
/// positions, momenta, time, pins and pulls. Both appear, or neither. The mesh of a body that was cut is written beside
/// them before, see cut_body.h. `look` says how it is shown: its style, camera,
/// speed and mouse count. The mesh is named relative to the file where it lies beside or below it, by its name below
/// the shipped files where it is one of those, else from the root. Fails where the name does not end in .json, or with
/// the system's words. Waits for the device.
bool scene_save(Session *session, const Scene *look, const char *path, Error *error);

/// Whether scene_save could write there; leaves everything as it was.
bool scene_save_check(const char *path, Error *error);
