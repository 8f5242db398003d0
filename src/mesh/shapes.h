// Meshes of simple shapes, at any resolution.
#pragma once
#include "mesh/tet_mesh.h"

/// The size [3] that a shape has where none is asked for, m.
const double *mesh_shape_size(const char *name);

/// How many nodes and tets mesh_make_shape would make, for a check before the work; 0 where it would fail.
void mesh_shape_counts(const char *name, const double size[3], int cells, double *nodes, double *tets);

/// Makes a shape, standing on z = 0 about the z axis, whose bounding box has about the sides `size` [3] m, of which the
/// shape takes what it needs. `cells` is the number of tets' edges over its thinnest part. Fails where the name is
/// unknown, a figure out of range, or the mesh would be too large.
bool mesh_make_shape(const char *name, const double size[3], int cells, TetMesh *mesh, Error *error);
