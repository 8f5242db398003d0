// Scripted pins, forces (session_forces.h) and drags: the nodes in their regions, and their effect in each step.
#pragma once
#include "scene/session.h"

/// Marks the nodes of a region in `inside` [node_count], 1 or 0, and returns their number.
int session_region(const Session *session, const Region *region, uint8_t *inside);

/// As session_region, for any mesh of the scene's body.
int scene_region(const Scene *scene, const TetMesh *mesh, const Region *region, uint8_t *inside);

/// Adds the axes fixed by the scene's pins to `pinned` [node_count]. `inside` [node_count] is scratch.
void scene_pins(const Scene *scene, const TetMesh *mesh, uint8_t *inside, uint8_t *pinned);

/// Adds the axes fixed by the scene's pins to Session.pinned. Fails if an entry selects no node, or if it has "move"
/// and the scene is not quasi-static.
bool session_script_pin(Session *session, Error *error);

/// Lists the nodes of the scene's forces. Fails if a force or a drag without a ball selects no node, or if a pressure
/// or a traction selects no face.
bool session_script_begin(Session *session, Error *error);

/// Sets the forces and drags of step number `step`, which ends at `time`, s.
bool session_script_apply(Session *session, int64_t step, double time, Error *error);

/// Sets the forces of the last step again after a state was restored, so that energies and reactions include their
/// load.
bool session_script_restore(Session *session, Error *error);

/// Ends a drag whose nodes were all torn out, with a notice.
void session_script_end_torn(Session *session, int drag);

/// Called after an interrupted step: releases the drags that it has started, since the user may change the session
/// before the step is repeated. ids [k] is the id of drag k before the step; 0: it did not act.
void session_script_leave(Session *session, const int ids[SCENE_PARTS_MAX]);

/// Sets the error for an entry of a list whose region selects no node, with the bounds of the mesh. Returns false.
bool session_none_selected(const Session *session, const char *list, int entry, Error *error);

/// Computes the offset of a drag's target at a time in its path, m, by linear interpolation.
void session_drag_offset(const SceneDrag *drag, double time, double offset[3]);
