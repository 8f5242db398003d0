// Geometry of a scene: rotations, regions of a mesh, and bounds of cell volumes.
#pragma once
#include "mesh/tet_mesh.h"
#include "scene/scene.h"

/// Rotates a point about an axis through the origin. axis: 0 for x, 1 for y, 2 for z.
void turn_about_axis(double point[3], int axis, double radians);

/// Rotates a point about the x axis, then the y axis, then the z axis, by the angles degrees[0], degrees[1] and
/// degrees[2].
void scene_turn(double point[3], const double degrees[3]);

/// Returns the index of the body to which a region is restricted. Returns -1 if the region is not restricted to a body,
/// and scene->body_count if the scene has no body of that name.
int region_body(const Scene *scene, const Region *region);

// Properties of a region that depend on the mesh.
typedef struct RegionPosition {
  // m, centre of the region's ball; if Region.centre_extreme is not 0, position of the node that is farthest in this
  // direction
  double centre[3];
  int body;            // index of the body to which the region is restricted; -1: not restricted
  const MeshSet *set;  // set of the mesh file to which the region is restricted; NULL: not restricted, or no such set
} RegionPosition;

/// Finds the properties of a region that depend on the mesh: the ball's centre, the body and the set.
RegionPosition region_position(const Scene *scene, const Region *region, const TetMesh *mesh);

/// Returns true if a region contains `point`, m. node: a node of the body to which the point belongs. If the region is
/// restricted to a set, the set must contain this node.
bool region_holds(const Region *region, const RegionPosition *position, const TetMesh *mesh, int node,
                  const double point[3]);

/// Returns true if a region contains the centre of cell e and, if the region has a set, the set contains the cell.
bool region_holds_tet(const Region *region, const RegionPosition *position, const TetMesh *mesh, int e);

/// Fails if the volume of a cell is too small or too large for computations, for example because the scale is wrong.
/// The message begins with `name`, the file, and may have `scale`, the factor from units of the file to m.
bool scene_check_volumes(const char *name, double scale, const TetMesh *mesh, Error *error);

/// Fails if a region names a set that the mesh does not have. Also fails if a region of "materials" names a set without
/// cells. The message lists the sets of the mesh.
bool scene_check_sets(const Scene *scene, const TetMesh *mesh, Error *error);

/// Fails if a region names a set that the mesh does not have. The message begins with `location`, which names the key
/// or argument of the region.
bool region_check_set(const Region *region, const TetMesh *mesh, const char *location, Error *error);
