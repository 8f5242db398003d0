// Saves a session as a scene that continues from the session's present state.
#pragma once
#include "scene/session.h"

/// Writes the scene `path`, such as a.json, with all present settings, and its initial state a.state beside it:
/// positions, momenta, time, pins and pulls. Both appear or neither. Style, camera, speed and mouse_stiffness are those
/// of `appearance`. Fails if `path` does not end in .json or a file cannot be written. Waits for the device.
///
/// A mesh below the folder of `path` is named relative to it, a shipped mesh relative to the shipped files, and any
/// other by its absolute path. Meshes of cut bodies (cut_body.h) and meshes in memory (given_mesh_write, which needs
/// session->scene.given_meshes) are written to files beside `path`.
bool scene_save(Session *session, const Scene *appearance, const char *path, Error *error);

/// Fails if scene_save could not write to this path. Does not change any file.
bool scene_save_check(const char *path, Error *error);
