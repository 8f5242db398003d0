// What a scene says of regions of its body: the nodes that its pins hold, that its scripted forces act on and that its
// drags lead, and what forces and drags do in each step.
#pragma once
#include "scene/session.h"

/// Marks the nodes of a region in `inside` [node_count], 1 or 0, and returns how many there are.
int session_region(const Session *session, const Region *region, uint8_t *inside);

/// As session_region, in any mesh of a scene's body.
int scene_region(const Scene *scene, const TetMesh *mesh, const Region *region, uint8_t *inside);

/// Adds the axes that the scene's pins hold to those of the mesh's nodes, pinned [node_count]. `inside` [node_count] is
/// scratch.
void scene_pins(const Scene *scene, const TetMesh *mesh, uint8_t *inside, uint8_t *pinned);

/// Adds what the scene holds to Session.pinned. Fails where an entry selects no node.
bool session_script_pin(Session *session, Error *error);

/// Lists the nodes of the scene's forces. Fails where one, or a drag of a region, selects no node.
bool session_script_begin(Session *session, Error *error);

/// Sets forces and drags for a step that ends at `time`, s.
bool session_script_apply(Session *session, int64_t step, double time, Error *error);

/// Sets the forces of the last step again, after a state was restored: its energies and reactions include their load.
bool session_script_restore(Session *session, Error *error);

/// A drag is over whose nodes were all torn out; says so.
void session_script_end_torn(Session *session, int drag);

/// Lets go of the drags that an interrupted step has begun, those not in `ids`: commands may still come before the step
/// is repeated.
void session_script_leave(Session *session, const int ids[SCENE_PARTS_MAX]);

/// Session.force = the scripted forces whose bits `which` has, N a node, on the nodes that have any; see SceneForce.
void session_add_up_forces(Session *session, int64_t which);

/// Lists the nodes of each of the scene's scripted forces in a mesh. `inside` [node_count] is scratch. The list is
/// freed by the caller, if this fails too.
bool session_list_forces(const Session *session, const TetMesh *mesh, uint8_t *inside, ForceNodes *list, Error *error);

/// A drag's offset at a time within its path, m: the path is straight between its points.
void session_drag_offset(const SceneDrag *drag, double time, double offset[3]);
