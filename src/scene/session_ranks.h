// Functions for a session whose body is divided among the processes of an MPI run (SimulationSettings.ranks). Only
// process 0 has the whole mesh. It computes all values that depend on all cells or on named sets of the mesh, such as
// masses, and sends them to the other processes. These have all nodes, but only cells near their own nodes
// (mesh/distribute.h).
//
// All processes must call these functions in the same order. If there is only one process, the functions do nothing.
#pragma once
#include "scene/session.h"

/// Divides the mesh that process 0 has read, and sends each process its part. ok: the success of process 0 so far. Also
/// sends the nodes of those named sets that pins, drags and forces of the scene use. Fails in all processes if one
/// fails.
bool session_distribute(Session *session, bool ok, Error *error);

/// Sends an array with an element of `size` bytes per node from process 0 to all processes. ok: the success of process
/// 0. If it failed, all processes fail with its error. Returns `ok` if there is only one process.
bool session_send_nodal(const Session *session, bool ok, void *array, size_t size, Error *error);

/// Computes Session.whole_sum in process 0, and sends it to all processes. Must be called after the last change of the
/// mesh.
bool session_send_sum(Session *session, Error *error);

/// Sends Session.force_nodes from process 0 to all processes. ok: the success of process 0.
bool session_send_forces(Session *session, bool ok, Error *error);

/// Returns true if this process has the whole mesh.
static inline bool session_has_all_cells(const Session *session) {
  return !session->division || ranks_is_first(session->division->ranks);
}

/// Returns the number of cells of the scene's mesh.
int session_cell_count(const Session *session);

/// Returns the checksum of `mesh` (scene_body_sum), the present mesh of the session or the scene's mesh. If the body is
/// divided among processes, these two are equal, and the checksum is that of the whole mesh.
uint32_t session_body_sum(const Session *session, const TetMesh *mesh);
