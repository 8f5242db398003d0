// Saves a scene whose body was cut. The cut mesh is written to files in the scene's folder, and the saved scene names
// these files instead of the original mesh or shapes.
#pragma once
#include "scene/session_state.h"

// A zeroed CutBody is closed.
typedef struct CutBody {
  SavedBody body;                   // the mesh that the saved scene will read, and its pins
  int file_count;                   // number of mesh files
  char (*file)[SCENE_PATH_LENGTH];  // [file_count], paths of the mesh files, one per body
  bool *is_new;                     // [file_count], true: the file did not exist before
} CutBody;

/// Writes the meshes of a session's cut body into the folder of the scene file `path`. Changes `now`, a copy of the
/// session's scene, so that it names these files. The name of a file contains a checksum and, for several bodies, a
/// number. For example, a.json gets the mesh "a-0badcafe.vtu". Therefore the mesh of an earlier scene is never
/// overwritten.
///
/// Removes pins, forces, drags and materials of `now` whose nodes have all been torn out. Reads the files back and
/// compares them with the body. The message of an error has a remedy.
bool cut_body_write(CutBody *cut, const Session *session, Scene *now, const char *path, Error *error);

/// Frees the arrays. If `keep` is false, also deletes the files that cut_body_write has created.
void cut_body_close(CutBody *cut, bool keep);
