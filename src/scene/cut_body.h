// Saves a scene whose body was cut. The cut mesh is written to files in the scene's folder, and the saved scene names
// these files in place of the original mesh or shapes.
#pragma once
#include "scene/saved_curves.h"
#include "scene/session_state.h"

// Mesh files that were written for one saved scene with a cut body. A zeroed CutBody has none.
typedef struct CutBody {
  SavedBody body;                   // mesh that the saved scene will read, and the scene's pins
  int file_count;                   // number of mesh files
  char (*file)[SCENE_PATH_LENGTH];  // [file_count], paths of the mesh files, one per body
  bool *is_new;                     // [file_count], true: the file did not exist before cut_body_write
  KeptEntries kept;                 // entries of the session's lists that the saved scene has
  char left_out[SCENE_CURVES];      // names of the session's curves that the saved scene does not have
} CutBody;

/// Writes the meshes of a session's cut body to files in the folder of the scene file `path`. Replaces the meshes in
/// `now`, a copy of the session's scene, by the paths of these files. A file name contains a checksum, such as
/// "a-0badcafe.vtu" for a.json, so that meshes of earlier scenes are not overwritten. Removes pins, forces, drags and
/// materials of `now` whose nodes were all torn out, and translates the names of its curves (saved_curves.h). Reads the
/// files back and compares them with the body. The error names a remedy.
bool cut_body_write(CutBody *cut, const Session *session, Scene *now, const char *path, Error *error);

/// Frees the arrays. Unless `keep`, also deletes the files that cut_body_write has created.
void cut_body_close(CutBody *cut, bool keep);
