// Forces of a scene: their nodes and faces in a mesh, and the loads at a given time.
#pragma once
#include "scene/session.h"

/// Lists the nodes in a mesh on which each force of the scene acts, and the weights by which the force is divided among
/// them. inside: memory for [node_count] bytes. The caller destroys the list, also after a failure.
bool force_nodes_list(const Session *session, const TetMesh *mesh, uint8_t *inside, ForceNodes *list, Error *error);
void force_nodes_destroy(ForceNodes *list);

/// Lists the faces of the surface whose corners are all in a region. If the region has a set of faces, lists only those
/// of the set. inside [node_count]: 1 for nodes in the region. The caller destroys `faces`, also after a failure.
bool region_faces(BoundaryFaces *faces, const TetMesh *mesh, const Region *region, const uint8_t *inside, Error *error);

/// Finds the nodes and faces of the scene's forces in the session's mesh. Fails if a force selects no node, or a
/// traction or pressure no face.
bool session_forces_begin(Session *session, Error *error);

/// Returns true if a force of the scene or of session_give_forces acts in the simulation.
static inline bool session_is_loaded(const Session *session) {
  return session->load_key > 0 || session->given_force;
}

/// Sets the load of the simulation to the forces of step number `step`, with their values at `time`, s. Does nothing if
/// the load would not change.
bool session_forces_apply(Session *session, int64_t step, double time, Error *error);

/// Returns as bits which forces of the scene are pressures: bit k is set if force k is a pressure.
int64_t session_pressures(const Scene *scene);

// Several pressures of the scene, joined to one load.
typedef struct JoinedPressures {
  BoundaryFaces faces;  // faces of all pressures
  // value [face count]: pressure on each face, Pa, if `points` is NULL. Otherwise points [face count][integration
  // points per face] are pressures at these points, Pa, and `value` is the factor on them from the key "over_time".
  double *value, *points;
} JoinedPressures;

/// Joins several pressures of the scene to one load: lists their faces, and their values at `time`, s, in Pa. Bit k of
/// `which` selects force k, if it is a pressure. The caller destroys the result, also after a failure.
bool session_join_pressures(const Session *session, int64_t which, double time, JoinedPressures *joined, Error *error);
void joined_pressures_destroy(JoinedPressures *joined);

/// Computes Session.force, N, at the nodes of the scene's forces at `time`, s: the forces of session_give_forces plus
/// the forces k for which bit k of `which` is set. A time of INFINITY selects the last factor in each force's table
/// "over_time". Pressures are left out, since they depend on the deformation. Fails if a formula gives a value that is
/// NaN or too large.
bool session_add_up_forces(Session *session, int64_t which, double time, Error *error);
