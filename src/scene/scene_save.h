// Saves a session as a scene that begins in the session's present state.
#pragma once
#include "scene/session.h"

/// Writes FILE.json, a scene with all present settings, and FILE.state in the same folder, its initial state:
/// positions, momenta, time, pins and pulls. Either both files appear or none. The mesh of a body that was cut
/// is written first, see cut_body.h. Style, camera, speed and mouse_stiffness are those of `appearance`. The mesh is
/// named relative to FILE's folder if it is below it, relative to the shipped assets if it is one of them, else by its
/// absolute path. Fails if the name does not end in .json, or with the system's message. Waits for the device.
bool scene_save(Session *session, const Scene *appearance, const char *path, Error *error);

/// Fails unless scene_save could write to this path. Changes no file.
bool scene_save_check(const char *path, Error *error);
