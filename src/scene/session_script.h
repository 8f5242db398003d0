// Scripted pins, forces (session_forces.h) and drags: finds the nodes in their regions, and applies them in each step.
#pragma once
#include "scene/session.h"

/// Sets inside [node_count] to 1 for the nodes of a region and to 0 for others. Returns the number of nodes in the
/// region.
int session_region(const Session *session, const Region *region, uint8_t *inside);

/// Sets inside [node_count] to 1 for the nodes of `mesh`, any mesh of the scene's body, that are in a region, else to
/// 0. Returns the number of nodes in the region.
int scene_region(const Scene *scene, const TetMesh *mesh, const Region *region, uint8_t *inside);

/// Adds the bits of axes that the scene's pins fix to pinned [node_count]. `inside` [node_count] is a work array.
void scene_pins(const Scene *scene, const TetMesh *mesh, uint8_t *inside, uint8_t *pinned);

/// Adds the bits of axes that the scene's pins fix to Session.pinned. Fails if a pin selects no node, or if a pin has
/// "move" and the scene is not quasi-static.
bool session_script_pin(Session *session, Error *error);

/// Lists the nodes of the scene's forces. Fails if a force or a drag without a ball selects no node, or if a pressure
/// or a traction selects no face.
bool session_script_begin(Session *session, Error *error);

/// Applies the forces and drags of step number `step`, which ends at `time`, s.
bool session_script_apply(Session *session, int64_t step, double time, Error *error);

/// Must be called after a state was restored: sets the forces of the last step again, so that energies and reactions
/// include these forces.
bool session_script_restore(Session *session, Error *error);

/// Ends a drag whose nodes were all torn out, with a notice.
void session_script_end_torn(Session *session, int drag);

/// Releases the drags that an interrupted step has started, since the user may change the session before the step is
/// repeated. ids [k] is the id of drag k before the step; 0: the drag did not act.
void session_script_leave(Session *session, const int ids[SCENE_PARTS_MAX]);

/// Writes the message for an entry of a list whose region selects no node, with the bounds of the mesh. Always returns
/// false.
bool session_none_selected(const Session *session, const char *list, int entry, Error *error);

/// Computes the offset of a drag's target at a time, s, by linear interpolation in its path.
void session_drag_offset(const SceneDrag *drag, double time, double offset[3]);
