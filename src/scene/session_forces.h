// Scripted forces: their nodes and faces in a mesh, and their loads at a given time.
#pragma once
#include "scene/session.h"

/// Lists the nodes of each of the scene's forces in a mesh, with their shares (ForceNodes). `inside` [node_count] is a
/// work array. The caller destroys the list, also after a failure.
bool force_nodes_list(const Session *session, const TetMesh *mesh, uint8_t *inside, ForceNodes *list, Error *error);
void force_nodes_destroy(ForceNodes *list);

/// Lists the forces in the session's mesh. Fails if a force selects no node, or if a traction or a pressure selects no
/// face.
bool session_forces_begin(Session *session, Error *error);

/// Returns true if a load acts in the simulation: of scripted forces, or of session_give_forces.
static inline bool session_is_loaded(const Session *session) {
  return session->load_key > 0 || session->given_force;
}

/// Sets the load of the simulation to the forces of step number `step`, if they differ from the present load. The
/// values of forces are those at `time`, s.
bool session_forces_apply(Session *session, int64_t step, double time, Error *error);

/// Returns a bit mask of the scene's forces: bit k is set if force k is a pressure.
int64_t session_pressures(const Scene *scene);

// Several pressures, joined into one load. faces: the faces of all pressures. value: [count], Pa, pressure on each
// face. points: factors at the integration points of each face, or NULL.
typedef struct JoinedPressures {
  BoundaryFaces faces;
  double *value, *points;
} JoinedPressures;

/// Lists the faces of all pressures in `which`, with the values of the pressures at a time, s. Bit k of `which` selects
/// force k. The caller destroys the result, also after a failure.
bool session_join_pressures(const Session *session, int64_t which, double time, JoinedPressures *joined, Error *error);
void joined_pressures_destroy(JoinedPressures *joined);

/// Computes Session.force, N, at the nodes of all scripted forces: the sum of those forces whose bits are 1 in `which`,
/// at a time, s. Bit k of `which` selects force k. Pressures are not included, since they depend on the deformation. An
/// infinite time means after all points of "over_time". Fails if a formula has a value that is too large or not a
/// number.
bool session_add_up_forces(Session *session, int64_t which, double time, Error *error);
