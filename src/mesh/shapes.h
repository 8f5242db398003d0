// Meshes of simple shapes, at any resolution.
#pragma once
#include "mesh/tet_mesh.h"

/// Default size [3] of a shape, m.
const double *mesh_shape_size(const char *name);

/// Numbers of nodes and tets that mesh_make_shape would create, for a check before the work; 0 if it would fail.
void mesh_shape_counts(const char *name, const double size[3], int cells, double *nodes, double *tets);

/// Creates a shape that stands on z = 0 about the z axis. Its bounding box has about the sides `size` [3] m; each shape
/// uses those that it needs. `cells` is the number of edges of tets across its thinnest part. Fails if the name is
/// unknown, a number is out of range, or the mesh would be too large.
bool mesh_make_shape(const char *name, const double size[3], int cells, TetMesh *mesh, Error *error);
