// Geometry of a trilinear hexahedron with eight nodes in the order of CELL_HEX8. J is the Jacobian matrix of the map
// from the reference cell.
#pragma once
#include <stdbool.h>

#include "mesh/cell_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the volume, m^3, of the hexahedron with corners X [8][3], m; negative if it is inverted.
double hex_volume(const double X[8][3]);

/// Returns the corner with the smallest det J / (product of the lengths of its three edges), and sets *shape to this
/// number: 1 for a box, 0 for a flat corner, negative for an inverted one.
int hex_worst_corner(const double X[8][3], double *shape);

/// Reverses the orientation of a hexahedron by a new order of its nodes.
void hex_turn(int node[8]);

/// Returns true if det J is positive at the 2 x 2 x 2 Gauss points of the element. det J may be negative there although
/// it is positive at all corners.
bool hex_upright(const double X[8][3]);

/// Computes share [8], m^3: the exact integral of each node's shape function over the hexahedron. If det J is positive
/// everywhere, all are positive.
void hex_shares(const double X[8][3], double share[8]);

/// Divides a hex into six tets around the diagonal from corner 0 to corner 7 (Kuhn's subdivision), with the hex's
/// orientation. Each face is divided along the diagonal from its lowest to its highest corner number. Returns 6.
int hex_parts(const int node[8], int part[6][4]);

// corners of each face, counter-clockwise seen from outside, the lowest corner number first
extern const int hex_face_corners[6][4];

#ifdef __cplusplus
}
#endif
