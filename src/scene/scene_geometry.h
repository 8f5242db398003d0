// Geometry of a scene: rotations, regions of a mesh, and bounds of cell volumes.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Rotates a point about axis 0, 1 or 2.
void turn_about_axis(double point[3], int axis, double radians);

/// Rotates a point about x, y and z in that order, degrees.
void scene_turn(double point[3], const double degrees[3]);

/// The index of a region's body; -1: the region is not restricted to a body; body_count: there is no such body.
int region_body(const Scene *scene, const Region *region);

// The values of a region that depend on the mesh.
typedef struct RegionPosition {
  double centre[3];    // m, centre of the ball: as given, or the node farthest along its axis
  int body;            // result of region_body
  const MeshSet *set;  // set of the mesh with the region's name; NULL: there is none
} RegionPosition;

RegionPosition region_position(const Scene *scene, const Region *region, const TetMesh *mesh);

/// True if a region contains a point of the mesh, m; the point belongs to the body of `node`.
bool region_holds(const Region *region, const RegionPosition *position, const TetMesh *mesh, int node,
                  const double point[3]);

/// True if a region contains the centre of tet or hex e. A region with a set contains the cells of the set.
bool region_holds_tet(const Region *region, const RegionPosition *position, const TetMesh *mesh, int e);

/// Fails if the volume of a cell is out of bounds, for example after scaling.
bool scene_check_volumes(const char *name, double scale, const TetMesh *mesh, Error *error);

/// Fails if a region of the scene names a set that the mesh does not have, or if a region of `materials` names a set
/// without cells. The message lists the sets.
bool scene_check_sets(const Scene *scene, const TetMesh *mesh, Error *error);

/// As scene_check_sets, for one region; `location` begins the message.
bool region_check_set(const Region *region, const TetMesh *mesh, const char *location, Error *error);
