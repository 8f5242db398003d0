// The state of a session as bytes: state of the simulation, pulls of the user, and pins. A saved scene starts in such a
// state.
//
// Contents:
//   - uint32: checksum of the body
//   - int32: number of nodes
//   - uint8 [nodes]: the scene's pins
//   - uint8 [nodes]: the present pins
//   - int32 [SCENE_PARTS_MAX]: number of the springs of each drag of the scene in the simulation (simulation_grab)
//   - int32: number of pulls, then the pulls
//   - the output of simulation_save
#pragma once
#include "base/bytes.h"
#include "scene/session.h"

// The body of a saved scene after cuts, with the indices that its nodes and drags have in the session.
typedef struct SavedBody {
  TetMesh mesh;  // mesh that the saved scene will read
  // [node_count]: node k of `mesh` is node node_from[k] of the session; node_now is the inverse
  int *node_from, *node_now;
  uint8_t *script_pinned;          // [node_count], axes that the saved scene's pins hold
  int drag_from[SCENE_PARTS_MAX];  // index in the session of each drag of the saved scene; -1: none
} SavedBody;

/// Writes the present state. saved: if the body was cut, the body of the saved scene; otherwise NULL. The caller checks
/// the stream for errors. If the user pulls with the mouse, the springs of this pull are written, but the pull is not.
/// So session_keep_grabs removes these springs when the state is read.
bool session_state_write(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// Sets a session to a state from session_state_write, bytes [size]. The state contains pins, positions, momenta, and
/// the springs by which the scene's drags and the user pull. Fails if it belongs to another body or is damaged; the
/// session's state is then undefined.
bool session_state_restore(Session *session, const void *bytes, size_t size, Error *error);

/// These functions write and restore the data that a step changes: positions, velocities and other state of the
/// simulation, the scene's drags, and the pulls by the mouse. Body, settings and pins must be those at the time of
/// writing.
bool session_motion_write(Session *session, FILE *file, Error *error);
bool session_motion_restore(Session *session, Bytes *bytes, Error *error);

/// Writes the present state as a file with checksums (sealed_file.h).
bool session_state_seal(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// If the scene names a file with its initial state, reads it into session->begin, and sets the session's pins from it.
/// Must be called after session_script_pin. Fails if the state belongs to another body or is damaged.
bool session_begin_read(Session *session, Error *error);

/// Sets the simulation to the state session->begin: positions, momenta, time, and the springs by which the user pulls.
/// Does nothing if session->begin is NULL.
bool session_begin_restore(Session *session, Error *error);

/// A grab is a set of springs in the simulation that pull nodes. Releases grabs that belong to no drag of the scene and
/// to no pull that the user has left in place, such as the grab of a held mouse button. Ends drags and pulls whose grab
/// does not exist.
void session_keep_grabs(Session *session);
