// Volume of a mesh whose edges may be curved, because its nodes were moved.
#pragma once
#include "mesh/tet_mesh.h"

/// Computes the volume of the mesh, m^3: the sum over its cells of the integral of det dx/dxi, where x are the
/// positions and xi the reference coordinates of a cell. Inverted parts of cells count as negative. The integrals are
/// exact for all shapes and degrees. The same mesh gives the same bits with any number of threads. Fails if memory
/// runs out.
bool mesh_curved_volume(const TetMesh *mesh, double *volume, Error *error);
