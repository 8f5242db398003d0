// All that a session is in, as bytes: the simulation's state, the pulls by hand, and which pins differ from the
// scene's. A saved scene begins in such a state.
//
//   uint32 checksum of the body, int32 number of nodes, uint8 the scene's pins [nodes], uint8 the pins now [nodes], the
//   ids of the scripted drags, int32 number of pulls, those, and what simulation_save writes
#pragma once
#include "base/bytes.h"
#include "scene/session.h"

// A body that was cut, as a saved scene has it: the saved scene names its mesh in place of the mesh before all cuts.
typedef struct SavedBody {
  TetMesh mesh;                    // as the saved scene reads it
  int *node_from, *node_now;       // [mesh.node_count], the session's node of each; and the number of each of those
  uint8_t *script_pinned;          // [mesh.node_count], as the saved scene's pins hold them
  int drag_from[SCENE_PARTS_MAX];  // the session's drag that each of the saved scene's is; -1: there is none
} SavedBody;

/// Writes the state now. `saved`: the body that it is written for; NULL: the scene's. Whether the stream took it is for
/// its owner to find out. What the mouse holds is part of the simulation's grabs, not of the pulls. The
/// body of a session without `saved` must not have been cut.
bool session_state_write(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// The part of it that steps change: drags, pulls, and the simulation's state; and back into it, for the same body with
/// the same settings and pins.
bool session_motion_write(Session *session, FILE *file, Error *error);
bool session_motion_restore(Session *session, Bytes *bytes, Error *error);

/// The state as a sealed file.
bool session_state_seal(Session *session, const SavedBody *saved, FILE *file, Error *error);

/// Reads the file that the scene begins in, where it names one, into session->begin, and takes its pins. To be called
/// once the scene's own are known. Fails where it is of another body, or damaged.
bool session_begin_read(Session *session, Error *error);

/// Puts the simulation into session->begin: positions, momenta, time, pulls. A grab that is no pull's and no scripted
/// drag's is let go. Does nothing where the scene begins at rest.
bool session_begin_restore(Session *session, Error *error);

/// Lets go of what neither the script nor a pull holds, such as what a mouse held, and forgets those of them that hold
/// nothing.
void session_keep_grabs(Session *session);
