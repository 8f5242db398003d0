// The body of a scene: a mesh that is read from a file or made of shapes, with material constants per tet.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Reads or makes the mesh and scales it. Fills mesh->stiffness if the scene has materials.
bool scene_body(const Scene *scene, TetMesh *mesh, Error *error);

/// Returns a CRC-32 checksum of positions, cells, and material constants of cells and nodes.
uint32_t scene_body_sum(const TetMesh *mesh);

/// Fills x [node_count][3], m, with the initial positions: those of the mesh, rotated by the scene's twist.
void scene_start(const Scene *scene, const TetMesh *mesh, double (*x)[3]);
