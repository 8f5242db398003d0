// Finds the extent of an entry of a scene that has a position: a body, the scene's mesh, a shape or an obstacle
// (scene_edit.h).
#pragma once
#include "scene/scene_edit.h"

/// Computes the corners, m, of a box around the entry at the start of the simulation. Bit i of a corner's index is 0 at
/// the low end of the box's axis i and 1 at the high end. The box of a body is aligned with the axes of the world; the
/// box of a shape or an obstacle is turned with it. The box of a plane is a square at the plane's position. settings:
/// settings of the shown scene, with the obstacles of the document. Returns false if the entry has no position.
bool entry_box(const cJSON *document, const SceneEntry *entry, const SceneSpace *space,
               const SimulationSettings *settings, double corner[8][3]);

/// Computes the smallest z coordinate, m, of the entry at the start of the simulation. The arguments are those of
/// entry_box. Fails if the entry has no position, is a plane, or if memory runs out.
bool entry_lowest(const cJSON *document, const SceneEntry *entry, const SceneSpace *space,
                  const SimulationSettings *settings, double *z, Error *error);
