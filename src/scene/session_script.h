// Pins, forces (session_forces.h) and drags of a scene: finds their nodes and applies them in each step.
#pragma once
#include "scene/session.h"

/// Sets inside [node_count] to 1 for nodes in a region, and to 0 for others. Returns the number of nodes in the region.
int session_region(const Session *session, const Region *region, uint8_t *inside);

/// As session_region, for the nodes of the given mesh of the scene's body.
int scene_region(const Scene *scene, const TetMesh *mesh, const Region *region, uint8_t *inside);

/// Adds the axes that the scene's pins hold to pinned [node_count], as bits. inside: memory for [node_count] bytes.
void scene_pins(const Scene *scene, const TetMesh *mesh, uint8_t *inside, uint8_t *pinned);

/// Adds the axes that the scene's pins hold to Session.pinned. Fails if a pin selects no node, or has "move" outside of
/// `pliant solve`.
bool session_script_pin(Session *session, Error *error);

/// Lists the nodes of forces. Fails if a force or a drag without a ball selects no node, or a pressure or traction no
/// face.
bool session_script_begin(Session *session, Error *error);

/// Applies the forces and drags of step number `step`, which ends at `time`, s.
bool session_script_apply(Session *session, int64_t step, double time, Error *error);

/// Must be called after a state was restored: sets the loads of the last step, which energies and reactions contain.
bool session_script_restore(Session *session, Error *error);

/// Ends a drag whose nodes were all torn out, and writes a notice.
void session_script_end_torn(Session *session, int drag);

/// Releases the drags that an interrupted step has started, since the step may be repeated in another state. ids[k]:
/// grab of drag k before the step; 0: inactive.
void session_script_leave(Session *session, const int ids[SCENE_PARTS_MAX]);

/// Sets the message that entry `entry` of a list selects no node, with the bounds of the mesh. Returns false.
bool session_none_selected(const Session *session, const char *list, int entry, Error *error);

/// Computes the offset of a drag's target at `time`, s, by linear interpolation of its path, m.
void session_drag_offset(const SceneDrag *drag, double time, double offset[3]);
