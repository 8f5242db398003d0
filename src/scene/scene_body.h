// The body of a scene: its mesh, read from a file or made of shapes, with values that differ from tet to tet.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Reads or makes the mesh, scales it, and fills its stiffness where the scene has materials.
bool scene_body(const Scene *scene, TetMesh *mesh, Error *error);

/// A checksum of positions, tets, and what tets and nodes have of their own.
uint32_t scene_body_sum(const TetMesh *mesh);

/// The positions that the body begins in, [node_count][3] m: those of the mesh, twisted where the scene says so.
void scene_start(const Scene *scene, const TetMesh *mesh, double (*x)[3]);
