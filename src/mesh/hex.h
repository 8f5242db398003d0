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
/// three edges at this corner: 1 for a box, 0 if the corner is flat, negative if the corner is inverted.
int hex_worst_corner(const double X[8][3], double *shape);

/// Changes the order of the nodes so that the volume of an inverted hexahedron becomes positive.
void hex_turn(int node[8]);

/// Returns true if det J is positive at the 2 x 2 x 2 Gauss points, at which the element is evaluated. det J may be
/// negative at these points although it is positive at all corners.
bool hex_upright(const double X[8][3]);

/// Computes share [8], m^3: the exact integral of each node's shape function over the hexahedron. All are positive if
/// det J is positive everywhere.
void hex_shares(const double X[8][3], double share[8]);

/// Divides a hex into six tets around the diagonal from corner 0 to corner 7 (Kuhn's subdivision). The tets have the
/// orientation of the hex. Each face is divided along the diagonal from its lowest to its highest corner number.
/// Returns 6.
int hex_parts(const int node[8], int part[6][4]);

// corners of each face, counter-clockwise seen from outside, beginning with the lowest corner number
extern const int hex_face_corners[6][4];

#ifdef __cplusplus
}
#endif
