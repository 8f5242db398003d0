// The state of a session as bytes: the state of the simulation, the user's pulls, and the pins that differ from the
// scene's pins. A saved scene starts in such a state.
//
// Contents:
//   - uint32: checksum of the body
//   - int32: number of nodes
//   - uint8 [nodes]: the scene's pins
//   - uint8 [nodes]: the present pins
//   - int32 [SCENE_PARTS_MAX]: ids of the scripted drags
//   - int32: number of pulls, then the pulls
//   - the output of simulation_save
#pragma once
#include "base/bytes.h"
#include "scene/session.h"

// The body of a saved scene that was cut. The saved scene names the mesh after the cuts.
typedef struct SavedBody {
  TetMesh mesh;                    // the mesh that the saved scene will read
  int *node_from, *node_now;       // [mesh.node_count]: node k of this mesh is node node_from[k] of the session, and
                                   // node a of the session is node node_now[a] of this mesh
  uint8_t *script_pinned;          // [mesh.node_count], axes that the saved scene's pins fix
  int drag_from[SCENE_PARTS_MAX];  // for each drag of the saved scene: its index in the session; -1: none
} SavedBody;

/// Writes the present state. If the body was cut, `saved` is the body of the saved scene, else NULL. The caller checks
/// the stream for errors. A grab of the mouse is written with the state of the simulation, but not as a pull. Therefore
/// the reader releases it (session_keep_grabs).
bool session_state_write(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// Sets a session to a state that session_state_write has written, bytes [size]: pins, drags, pulls, grabs, positions
/// and momenta. Fails if the state is of another body or damaged; the session's state is then undefined.
bool session_state_restore(Session *session, const void *bytes, size_t size, Error *error);

/// These two functions write and restore the part of the state that steps change: drags, pulls, and the state of the
/// simulation. When the state is restored, body, settings and pins must be those at the time of writing.
bool session_motion_write(Session *session, FILE *file, Error *error);
bool session_motion_restore(Session *session, Bytes *bytes, Error *error);

/// Writes the present state as a sealed file, one with checksums (sealed_file.h).
bool session_state_seal(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// Reads the file with the scene's initial state, if the scene names one, into session->begin, and sets the pins of
/// this state. Must be called after session_script_pin. Fails if the state is of another body, or damaged.
bool session_begin_read(Session *session, Error *error);

/// Sets the simulation to the initial state session->begin: positions, momenta, time, pulls. Releases grabs that belong
/// to no pull and no scripted drag. Does nothing if session->begin is NULL.
bool session_begin_restore(Session *session, Error *error);

/// Releases grabs that belong to no scripted drag and no pull, such as a grab of the mouse. Removes drags and pulls
/// whose grab does not exist.
void session_keep_grabs(Session *session);
