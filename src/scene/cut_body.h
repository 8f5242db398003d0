// A body that was cut, in a saved scene: its mesh is written beside the scene, which names this mesh in place of its
// shapes and of the mesh that it began with.
#pragma once
#include "scene/session_state.h"

// A zeroed one is closed.
typedef struct CutBody {
  SavedBody body;
  int file_count;
  char (*file)[SCENE_PATH_LENGTH];  // [file_count], mesh files, one a body of the scene
  bool *is_new;                     // [file_count], the file was not there before
} CutBody;

/// Writes the mesh of a session's body, which was cut, beside a scene's file `path`. `now`, a copy of the session's
/// scene, then names it. The names of the files have a checksum, "a-0badcafe.vtu" for a.json, and of several bodies
/// their numbers, so that no mesh of an earlier scene is written over. Entries of `now` whose nodes have all been torn
/// out are left out. The files are read back and compared. Fails with a remedy where they would be another body.
bool cut_body_write(CutBody *cut, const Session *session, Scene *now, const char *path, Error *error);

/// Frees the arrays; deletes the files that were not there before, unless `keep`.
void cut_body_close(CutBody *cut, bool keep);
