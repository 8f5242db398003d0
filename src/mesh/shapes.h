// Tet meshes of simple shapes such as beams and balls, at any resolution.
#pragma once
#include "mesh/tet_mesh.h"

enum { SHAPE_CELLS_MAX = 1000 };  // maximum number of tet edges across the thinnest part of a shape

/// Returns the name of shape `index`, such as "box"; NULL: there are fewer shapes.
const char *mesh_shape_name(int index);

/// Returns the default size [3] of a shape, m, which is used if the user gives no size.
const double *mesh_shape_size(const char *name);

/// Sets *nodes and *tets to the numbers of nodes and tets that mesh_make_shape would create; both are 0 if it would
/// fail.
void mesh_shape_counts(const char *name, const double size[3], int cells, double *nodes, double *tets);

/// Creates the mesh of a shape that stands on the plane z = 0, with its centre on the z axis. size [3], m, are the
/// sides of the shape's bounding box; the mesh of a round shape may be slightly smaller. `cells` is the number of tet
/// edges across the shape's thinnest part. Fails if the name is unknown, a number is out of range, or the mesh would be
/// too large.
bool mesh_make_shape(const char *name, const double size[3], int cells, TetMesh *mesh, Error *error);
