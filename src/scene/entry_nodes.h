// Finds the nodes of an entry of a scene that has a region: a pin, a force, a drag or a stiffer part; also the nodes of
// a shape (scene_edit.h).
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene_edit.h"

/// Lists the nodes of an entry in node [mesh->node_count], in the order of their numbers: the nodes in the region at
/// rest, the nodes of the cells in the region of a stiffer part, or the nodes in a shape. Returns their number; 0 if
/// the entry has neither a region nor a shape, or if the scene has no such entry. mesh: mesh of the scene at rest,
/// which may have been cut.
int entry_nodes(const Scene *scene, const SceneEntry *entry, const TetMesh *mesh, int *node);
