// The body of a scene: its mesh, read or made of shapes, with what differs from tet to tet; and which nodes its regions
// select.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Reads or makes the mesh, scales it, and fills its stiffness where the scene has materials.
bool scene_body(const Scene *scene, TetMesh *mesh, Error *error);

/// A checksum of positions, tets and stiffnesses.
uint32_t scene_body_sum(const TetMesh *mesh);

/// The positions that the body begins in, [node_count][3] m: those of the mesh, twisted where the scene says so.
void scene_start(const Scene *scene, const TetMesh *mesh, double (*x)[3]);

/// Turns a point about x, y and z in that order, degrees.
void scene_turn(double point[3], const double degrees[3]);

/// The centre of a region's ball, m: as given, or the node of the mesh farthest along its axis.
void region_centre(const Region *region, const TetMesh *mesh, double centre[3]);

/// Whether a region with this centre holds a point.
bool region_holds(const Region *region, const double centre[3], const double point[3]);
