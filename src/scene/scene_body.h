// The body of a scene: its mesh, read or made of shapes, with what differs from tet to tet; and which nodes its regions
// select.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Reads or makes the mesh, scales it, and fills its stiffness where the scene has materials.
bool scene_body(const Scene *scene, TetMesh *mesh, Error *error);

/// A checksum of positions, tets, and what tets and nodes have of their own.
uint32_t scene_body_sum(const TetMesh *mesh);

/// The positions that the body begins in, [node_count][3] m: those of the mesh, twisted where the scene says so.
void scene_start(const Scene *scene, const TetMesh *mesh, double (*x)[3]);

/// Turns a point about x, y and z in that order, degrees.
void scene_turn(double point[3], const double degrees[3]);

// Where a region is in a mesh.
typedef struct RegionPlace {
  double centre[3];  // m, of its ball: as given, or the node farthest along its axis
  int body;          // that it is of; -1: of all
} RegionPlace;

RegionPlace region_place(const Scene *scene, const Region *region, const TetMesh *mesh);

/// Whether a region holds a point of the mesh, m, of the body that a node belongs to.
bool region_holds(const Region *region, const RegionPlace *place, const TetMesh *mesh, int node, const double point[3]);

/// Tests the centre of a tet, or of a hex.
bool region_holds_tet(const Region *region, const RegionPlace *place, const TetMesh *mesh, int e);

/// A scale may flatten or blow up a sound mesh: fails where a volume is beyond bounds.
bool scene_check_volumes(const char *name, double scale, const TetMesh *mesh, Error *error);
