// The mesh of a scene's body, read from a file or made of shapes, with material constants per tet.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Reads or makes the mesh and scales it. If the scene has "materials", fills mesh->stiffness: a factor on mu and
/// lambda for each tet.
bool scene_body(const Scene *scene, TetMesh *mesh, Error *error);

/// Returns a CRC-32 checksum of positions at rest, cells, and material constants.
uint32_t scene_body_sum(const TetMesh *mesh);

/// Fills x [node_count], m, with the initial positions: the positions at rest, rotated by the scene's twist.
void scene_start(const Scene *scene, const TetMesh *mesh, double (*x)[3]);
