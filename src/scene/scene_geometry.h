// Geometry of a scene: rotations, regions of a mesh, and bounds of cell volumes.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Rotates a point about an axis through the origin. axis: 0 for x, 1 for y, 2 for z.
void turn_about_axis(double point[3], int axis, double radians);

/// Rotates a point about the origin: about x, then y, then z, by these angles.
void scene_turn(double point[3], const double degrees[3]);

/// Returns the index of the body to which a region is restricted. -1: the region is not restricted; scene->body_count:
/// the scene has no such body.
int region_body(const Scene *scene, const Region *region);

// Properties of a region that depend on the mesh.
typedef struct RegionPosition {
  double centre[3];    // m, centre of the ball, also if Region.centre_extreme selects a node
  int body;            // body to which the region is restricted; -1: none
  const MeshSet *set;  // set to which the region is restricted; NULL: none
} RegionPosition;

/// Finds the properties of a region that depend on the mesh: the ball's centre, the body and the set.
RegionPosition region_position(const Scene *scene, const Region *region, const TetMesh *mesh);

/// Returns true if a region contains `point`, m. node: a node of the body to which the point belongs.
bool region_holds(const Region *region, const RegionPosition *position, const TetMesh *mesh, int node,
                  const double point[3]);

/// Returns true if a region contains the centre of cell e and, if the region has a set, the set contains the cell.
bool region_holds_tet(const Region *region, const RegionPosition *position, const TetMesh *mesh, int e);

/// Fails if the volume of a cell is too small or too large for computations, for example by a wrong scale.
bool scene_check_volumes(const char *name, double scale, const TetMesh *mesh, Error *error);

/// Fails if a region names a set that the mesh does not have. Also fails if a region of "materials" names a set without
/// cells. The message lists the sets.
bool scene_check_sets(const Scene *scene, const TetMesh *mesh, Error *error);

/// Fails if a region names a set that the mesh does not have. `location` begins the message.
bool region_check_set(const Region *region, const TetMesh *mesh, const char *location, Error *error);
