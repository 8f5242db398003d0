// Saves a session as a scene that continues from the session's present state.
#pragma once
#include <cjson/cJSON.h>

#include "scene/session.h"

/// Writes the scene `path`, such as a.json, with all present settings, and its initial state a.state in the same
/// folder: positions, momenta, time, pins and pulls. Either both files appear or none. Style, camera, stored views,
/// speed and mouse_stiffness are taken from `appearance`. Fails if `path` does not end in .json or a file cannot be
/// written. Waits for the device.
///
/// Paths of meshes in the scene file: a mesh below the folder of `path` has a path relative to this folder, a shipped
/// mesh a path relative to the folder of shipped files, and any other mesh its absolute path. Meshes of cut bodies
/// (cut_body.h) and meshes in memory (given_mesh_write, which needs session->scene.given_meshes) are written to files
/// in the folder of `path`.
bool scene_save(Session *session, const Scene *appearance, const char *path, Error *error);

/// Fails if scene_save could not write its two files, for example because the folder is read-only. Does not change any
/// file.
bool scene_save_check(const char *path, Error *error);

/// Returns a scene as the JSON object that a scene file at `path` would contain: all keys whose values are not the
/// defaults. Replaces the paths in *scene, such as the path of the mesh, by the paths that scene_save would write. The
/// caller deletes the object. Returns NULL with an error if a file does not exist or memory is short.
cJSON *scene_document(Scene *scene, const char *path, Error *error);
