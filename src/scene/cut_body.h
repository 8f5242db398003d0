// Saves a scene whose body was cut. The cut mesh is written to files in the scene's folder, and the saved scene names
// these files in place of the original mesh or shapes.
#pragma once
#include "scene/session_state.h"

// A zeroed CutBody is closed.
typedef struct CutBody {
  SavedBody body;                   // mesh that the saved scene will read, and its pins
  int file_count;                   // number of mesh files
  char (*file)[SCENE_PATH_LENGTH];  // [file_count], paths of the mesh files, one per body
  bool *is_new;                     // [file_count], the file did not exist before
} CutBody;

/// Writes the meshes of a session's cut body into the folder of the scene file `path`, and makes `now`, a copy of the
/// session's scene, name them. A file name contains a checksum, so that meshes of earlier scenes are kept: a.json gets
/// "a-0badcafe.vtu". Removes pins, forces, drags and materials of `now` whose nodes were all torn out. Reads the files
/// back and compares them with the body. The error names a remedy.
bool cut_body_write(CutBody *cut, const Session *session, Scene *now, const char *path, Error *error);

/// Frees the arrays. Unless `keep`, also deletes the files that cut_body_write has created.
void cut_body_close(CutBody *cut, bool keep);
