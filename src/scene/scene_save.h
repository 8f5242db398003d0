// Saves a session as a scene that begins in the session's present state.
#pragma once
#include "scene/session.h"

/// Writes two files. The file `path`, such as a.json, is a scene with all present settings. The file a.state, in the
/// same folder, is the initial state of the scene: positions, momenta, time, pins and pulls. Either both files appear
/// or none. Style, camera, speed and mouse_stiffness are those of `appearance`. The mesh of a body that was cut is
/// written first, see cut_body.h.
///
/// A mesh in the folder of `path`, or below it, is named relative to this folder. A shipped mesh is named relative to
/// the folder of shipped files. Any other mesh is named by its absolute path. Fails if `path` does not end in .json, or
/// if a file cannot be written. Waits for the device.
///
/// Meshes in memory are written to files beside `path`, see given_mesh_write. The caller sets
/// session->scene.given_meshes for this.
bool scene_save(Session *session, const Scene *appearance, const char *path, Error *error);

/// Fails if scene_save could not write to this path. Changes no file.
bool scene_save_check(const char *path, Error *error);
