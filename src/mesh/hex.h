// Geometry of a trilinear hexahedron, whose eight nodes are in the order of CELL_HEX8. J is the Jacobian of the map
// from the reference cell.
#pragma once
#include <stdbool.h>

#include "mesh/cell_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the volume, m^3, of the hexahedron with corners X [8][3], m; negative if it is inverted.
double hex_volume(const double X[8][3]);

/// Returns the corner at which det J is smallest. *shape is this det J divided by the product of the lengths of the
/// three edges there: 1 for a box, 0 if the corner is flat, negative if it is inverted.
int hex_worst_corner(const double X[8][3], double *shape);

/// Changes the order of the nodes so that the volume of an inverted hexahedron becomes positive.
void hex_turn(int node[8]);

/// Returns true if det J is positive at the 2 x 2 x 2 Gauss points, which the element uses. It may be negative there
/// although it is positive at all corners.
bool hex_upright(const double X[8][3]);

/// Computes the exact integrals of the shape functions, share [8], m^3. They are positive if det J is.
void hex_shares(const double X[8][3], double share[8]);

/// Divides a hex into six tets around the diagonal from corner 0 to corner 7 (Kuhn's subdivision), with the hex's
/// orientation. Each face is divided along the diagonal from its lowest to its highest corner. Returns 6.
int hex_parts(const int node[8], int part[6][4]);

// corners of each face, counter-clockwise seen from outside, beginning with the lowest
extern const int hex_face_corners[6][4];

#ifdef __cplusplus
}
#endif
