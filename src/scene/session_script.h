// Pins, forces (session_forces.h) and drags (springs that pull nodes along paths) of a scene: finds their nodes and
// applies them in each step.
#pragma once
#include "scene/session.h"

/// Sets inside [node_count] to 1 for nodes in a region, and to 0 for others. Returns the number of nodes in the region.
int session_region(const Session *session, const Region *region, uint8_t *inside);

/// As session_region, for the nodes of the given mesh of the scene's body.
int scene_region(const Scene *scene, const TetMesh *mesh, const Region *region, uint8_t *inside);

/// Adds the axes that the scene's pins hold to pinned [node_count], as bits. inside: memory for [node_count] bytes.
void scene_pins(const Scene *scene, const TetMesh *mesh, uint8_t *inside, uint8_t *pinned);

/// Adds the axes that the scene's pins hold to Session.pinned. Fails if a pin selects no node, or has the key "move",
/// which only `pliant solve` supports.
bool session_script_pin(Session *session, Error *error);

/// Finds the nodes of forces. Fails if a force selects no node, or a traction or pressure no face. Also fails if a
/// drag, which pulls nodes along a path, selects no node. Drags whose region has a ball are not checked.
bool session_script_begin(Session *session, Error *error);

/// Applies the forces of step number `step`, which ends at `time`, s, and the drags (springs that pull nodes along
/// paths).
bool session_script_apply(Session *session, int64_t step, double time, Error *error);

/// Must be called after a state was restored. Computes the loads of the last step again, because energies and reaction
/// forces depend on them.
bool session_script_restore(Session *session, Error *error);

/// Ends a drag, which pulls nodes along a path, after all its nodes were torn out. Writes a notice.
void session_script_end_torn(Session *session, int drag);

/// Ends the drags (springs that pull nodes along paths) that an interrupted step has started, since the step may be
/// repeated in another state. ids[k]: number of the springs of drag k before the step; 0: inactive.
void session_script_leave(Session *session, const int ids[SCENE_PARTS_MAX]);

/// Sets a message which says that entry `entry` of a list selects no node, and which contains the bounds of the mesh.
/// Returns false.
bool session_none_selected(const Session *session, const char *list, int entry, Error *error);

/// Computes the offset, m, of a drag's target at `time`, s, from the start of the path along which the drag pulls its
/// nodes. Interpolates linearly between the points of the path.
void session_drag_offset(const SceneDrag *drag, double time, double offset[3]);
