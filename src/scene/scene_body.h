// The mesh of a scene's body, read from a file or made of shapes, with material constants per tet.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Reads the mesh of the scene from a file, or makes it from shapes, and scales it. If the scene has "materials" or a
/// field of stiffness factors, fills mesh->stiffness: a factor on mu and lambda for each cell.
bool scene_body(const Scene *scene, TetMesh *mesh, Error *error);

/// Returns a CRC-32 checksum of positions at rest and cells.
uint32_t scene_mesh_sum(const TetMesh *mesh);

/// Returns a CRC-32 checksum of positions at rest, cells, and material constants.
uint32_t scene_body_sum(const TetMesh *mesh);

/// Fills x [node_count], m, with the initial positions: the positions at rest, rotated by the scene's twist.
void scene_start(const Scene *scene, const TetMesh *mesh, double (*x)[3]);
