// Geometry of a scene: rotations, regions of a mesh, and bounds of cell volumes.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Rotates a point about a coordinate axis through the origin: axis 0 is x, 1 is y, 2 is z.
void turn_about_axis(double point[3], int axis, double radians);

/// Rotates a point about x, y and z in that order, degrees.
void scene_turn(double point[3], const double degrees[3]);

/// Returns the index of the body to which a region is restricted. -1: the region is not restricted. body_count: there
/// is no such body.
int region_body(const Scene *scene, const Region *region);

// The properties of a region that depend on the mesh.
typedef struct RegionPosition {
  double centre[3];    // m, centre of the ball: Region.centre, or the position of the node that Region.centre_extreme
                       // selects
  int body;            // index of the body to which the region is restricted; -1: the region is not restricted
  const MeshSet *set;  // the mesh's set with the name Region.set; NULL: there is none
} RegionPosition;

RegionPosition region_position(const Scene *scene, const Region *region, const TetMesh *mesh);

/// Returns true if a region contains a point, m. The point belongs to the body of `node`.
bool region_holds(const Region *region, const RegionPosition *position, const TetMesh *mesh, int node,
                  const double point[3]);

/// Returns true if a region contains the centre of cell e. If the region has a set, the cell must also be in the set.
bool region_holds_tet(const Region *region, const RegionPosition *position, const TetMesh *mesh, int e);

/// Fails if the volume of a cell is too small or too large for computations, for example after scaling.
bool scene_check_volumes(const char *name, double scale, const TetMesh *mesh, Error *error);

/// Fails if a region of the scene names a set that the mesh does not have, or if a region of `materials` names a set
/// without cells. The message lists the sets.
bool scene_check_sets(const Scene *scene, const TetMesh *mesh, Error *error);

/// Fails if a region names a set that the mesh does not have. The message begins with `location`.
bool region_check_set(const Region *region, const TetMesh *mesh, const char *location, Error *error);
