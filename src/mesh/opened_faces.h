// The faces of a body that a cut has opened.
#pragma once
#include "mesh/surface.h"

/// Sets opened [surface->triangle_count]: 1 for a surface triangle that a cut has opened, else 0. A cut divides the
/// nodes between two cells, so two triangles of one body then have corners at equal rest positions. Triangles from
/// which a cell was removed are not found.
bool surface_find_opened(const Surface *surface, const TetMesh *mesh, uint8_t *opened, Error *error);
