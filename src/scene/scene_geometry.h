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
  double centre[3];  // m, centre of the ball: as given, or the node farthest along its axis
  int body;          // result of region_body
} RegionPosition;

RegionPosition region_position(const Scene *scene, const Region *region, const TetMesh *mesh);

/// True if a region contains a point of the mesh, m; the point belongs to the body of `node`.
bool region_holds(const Region *region, const RegionPosition *position, const TetMesh *mesh, int node,
                  const double point[3]);

/// True if a region contains the centre of tet or hex e.
bool region_holds_tet(const Region *region, const RegionPosition *position, const TetMesh *mesh, int e);

/// Fails if the volume of a cell is out of bounds, for example after scaling.
bool scene_check_volumes(const char *name, double scale, const TetMesh *mesh, Error *error);
