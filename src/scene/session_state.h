// The state of a session as bytes: the simulation's state, the user's pulls, and the pins that differ from the scene's.
// A saved scene starts in such a state.
//
// Contents: uint32 checksum of the body, int32 number of nodes, uint8 the scene's pins [nodes], uint8 the present pins
// [nodes], int32 ids of the scripted drags [SCENE_PARTS_MAX], int32 number of pulls, the pulls, and the output of
// simulation_save.
#pragma once
#include "base/bytes.h"
#include "scene/session.h"

// The body of a saved scene if it was cut: the scene names the mesh after the cuts.
typedef struct SavedBody {
  TetMesh mesh;                    // the mesh that the saved scene will read
  int *node_from, *node_now;       // [mesh.node_count]: node k of this mesh is node node_from[k] of the session, and
                                   // node_now is the inverse
  uint8_t *script_pinned;          // [mesh.node_count], axes fixed by the saved scene's pins
  int drag_from[SCENE_PARTS_MAX];  // the session's index of each of the saved scene's drags; -1: none
} SavedBody;

/// Writes the present state. `saved`: the cut body for which it is written; NULL: the scene's body, which must not have
/// been cut. The caller checks the stream for errors. A grab of the mouse is written with the simulation's state, but
/// not as a pull; so the reader releases it (session_keep_grabs).
bool session_state_write(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// Sets a session of the same body to a state of session_state_write in memory, bytes [size]: pins, drags, pulls, grabs
/// and motion. Fails if it is of another body or damaged; the state is then undefined.
bool session_state_restore(Session *session, const void *bytes, size_t size, Error *error);

/// Write and restore the part of the state that steps change: drags, pulls and the simulation's state. On restoring,
/// body, settings and pins must be those at the time of writing.
bool session_motion_write(Session *session, FILE *file, Error *error);
bool session_motion_restore(Session *session, Bytes *bytes, Error *error);

/// Writes the present state as a sealed file, one with checksums (sealed_file.h).
bool session_state_seal(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// Reads the file with the scene's initial state, if the scene names one, into session->begin, and applies its pins.
/// Call it after session_script_pin. Fails if the state is of another body, or damaged.
bool session_begin_read(Session *session, Error *error);

/// Sets the simulation to session->begin: positions, momenta, time, pulls. Releases grabs that belong to no pull and no
/// scripted drag. Does nothing if session->begin is NULL.
bool session_begin_restore(Session *session, Error *error);

/// Releases grabs that belong to no scripted drag and no pull, such as a grab of the mouse. Drops drags and pulls whose
/// grab does not exist.
void session_keep_grabs(Session *session);
