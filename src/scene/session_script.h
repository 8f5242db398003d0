// Finds the nodes of a scene's pins, forces (session_forces.h) and drags (springs that pull nodes along paths). Applies
// forces and drags in each step.
#pragma once
#include "scene/session.h"

/// Sets inside [node_count] to 1 for nodes in a region, and to 0 for others. Returns the number of nodes in the region.
int session_region(const Session *session, const Region *region, uint8_t *inside);

/// As session_region, but for the nodes of a given mesh of the scene's body instead of the session's present mesh.
int scene_region(const Scene *scene, const TetMesh *mesh, const Region *region, uint8_t *inside);

/// Adds the axes that the scene's pins hold, as bits, to the bits pinned [node_count]. inside: memory for [node_count]
/// bytes.
void scene_pins(const Scene *scene, const TetMesh *mesh, uint8_t *inside, uint8_t *pinned);

/// Adds the axes that the scene's pins hold, as bits, to Session.pinned. Fails if a pin selects no node, or has the key
/// "move", which only `pliant solve` supports.
bool session_script_pin(Session *session, Error *error);

/// Finds the nodes of the scene's forces, and checks the scene's drags, which pull nodes along paths. Fails if a force
/// or a drag selects no node, or a traction or pressure no face. Drags whose region has a ball are not checked.
bool session_script_begin(Session *session, Error *error);

/// Applies the forces of step number `step`, which ends at `time`, s, and the drags (springs that pull nodes along
/// paths).
bool session_script_apply(Session *session, int64_t step, double time, Error *error);

/// Applies forces and drags at the present time, for an equilibrium at this time. A force with the key "steps" acts if
/// it acts in the next step.
bool session_script_apply_now(Session *session, Error *error);

/// Computes the loads of the last step again, because energies and reaction forces depend on them. Before the first
/// step, computes the loads of the first step instead, so that constant loads are no change of energy in this step.
/// Must be called after a state was restored.
bool session_script_restore(Session *session, Error *error);

/// Ends drag number `drag`, which pulls nodes along a path, after all its nodes were torn out. Writes a notice.
void session_script_end_torn(Session *session, int drag);

/// Ends the drags (springs that pull nodes along paths) that an interrupted step has started, since the user may change
/// the state before the step is repeated. ids[k]: number of the springs of drag k before the step; 0: the drag was
/// inactive.
void session_script_leave(Session *session, const int ids[SCENE_PARTS_MAX]);

/// Sets the message that entry `entry` of a list such as "pins" selects no node of the mesh. The message contains the
/// bounds of the mesh. Returns false.
bool session_none_selected(const Session *session, const char *list, int entry, Error *error);

/// A drag pulls its nodes to a target that moves along a path. Computes the displacement, m, of the target from the
/// start of the path at `time`, s. Interpolates linearly between the points of the path.
void session_drag_offset(const SceneDrag *drag, double time, double offset[3]);
