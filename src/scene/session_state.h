// The state of a session as bytes: state of the simulation, pulls of the user, and pins. A saved scene starts in such a
// state.
//
// Contents:
//   - uint32: checksum of the body
//   - int32: number of nodes
//   - uint8 [nodes]: axes of each node that the scene's pins hold, as bits
//   - uint8 [nodes]: axes of each node that are held when the state is written, as bits
//   - int32 [SCENE_PARTS_MAX]: for each drag of the scene, the number by which the simulation identifies its springs
//     (simulation_grab); 0: inactive
//   - int32: number of pulls, then the pulls
//   - the output of simulation_save
#pragma once
#include "base/bytes.h"
#include "scene/session.h"

// The body of a saved scene, if the session's body was cut. Contains the indices that its nodes and drags have in the
// session.
typedef struct SavedBody {
  TetMesh mesh;  // mesh that the saved scene will read
  // [node_count] each. Node k of `mesh` is node node_from[k] of the session. node_now is the inverse: node a of the
  // session is node node_now[a] of `mesh`.
  int *node_from, *node_now;
  uint8_t *script_pinned;  // [node_count], axes that the saved scene's pins hold, as bits
  // drag k of the saved scene is drag drag_from[k] of the session; -1: there is no drag k
  int drag_from[SCENE_PARTS_MAX];
} SavedBody;

/// Writes the session's present state. saved: if the body was cut, the body of the saved scene; otherwise NULL. The
/// caller checks the stream for errors. If the user pulls with the mouse, the springs of this pull are written, but the
/// pull is not. Therefore session_keep_grabs removes these springs when the state is read.
bool session_state_write(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// Sets a session to a state from session_state_write, bytes [size]. The state contains pins, positions, momenta, and
/// the springs by which the scene's drags and the user pull. Fails if the state belongs to another body or is damaged;
/// the session's state is then undefined.
bool session_state_restore(Session *session, const void *bytes, size_t size, Error *error);

/// Write and restore only the data that a step changes: positions, velocities and other state of the simulation, the
/// scene's drags, and the pulls by the mouse. Body, settings and pins must be equal when the data are written and when
/// they are restored.
bool session_motion_write(Session *session, FILE *file, Error *error);
bool session_motion_restore(Session *session, Bytes *bytes, Error *error);

/// Writes the present motion for another session of the same mesh, which may differ in materials, forces, obstacles and
/// settings: pins and pulls, time, positions and velocities. Fails if the body was cut, or if surfaces intersect.
bool session_hand_over(Session *session, FILE *file, Error *error);

/// Continues a motion from session_hand_over. Pins and pulls of the user stay; those of the mouse end. Nodes of which
/// the mass differs keep their velocities. Fails if the motion belongs to another mesh, or if with self_contact the
/// positions intersect an obstacle of this session; the session's state is then undefined.
bool session_take_over(Session *session, const void *bytes, size_t size, Error *error);

/// Writes the present state as a file with checksums (sealed_file.h).
bool session_state_seal(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// If the scene names a file with its initial state, reads the file into session->begin, and sets the session's pins
/// from it. Must be called after session_script_pin. Fails if the state belongs to another body or is damaged.
bool session_begin_read(Session *session, Error *error);

/// Sets the simulation to the state session->begin: positions, momenta, time, and the springs by which the user pulls.
/// Does nothing if session->begin is NULL.
bool session_begin_restore(Session *session, Error *error);

/// Releases grabs, sets of springs in the simulation that pull nodes, if they belong to no drag of the scene and to no
/// kept pull, which continues after the mouse is released. An example is the grab of a held mouse button. Also ends
/// drags and pulls whose grab does not exist.
void session_keep_grabs(Session *session);
