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

/// Returns the index of the corner with the smallest value of det J / (product of the lengths of the corner's three
/// edges). J is the Jacobian matrix of the map from the reference cell. Sets *shape to the smallest value: 1 for a box,
/// 0 for a flat corner, negative for an inverted corner.
int hex_worst_corner(const double X[8][3], double *shape);

/// Exchanges nodes of a hexahedron so that its orientation is reversed.
void hex_turn(int node[8]);

/// Returns true if det J is positive at the 2 x 2 x 2 Gauss points of the element. J is the Jacobian matrix of the map
/// from the reference cell. det J may be negative at a Gauss point although it is positive at all corners.
bool hex_upright(const double X[8][3]);

/// Computes share [8], m^3: the exact integral of each node's shape function over the hexahedron. These integrals are
/// positive if det J is positive everywhere, where J is the Jacobian matrix of the map from the reference cell.
void hex_shares(const double X[8][3], double share[8]);

/// Divides a hex into six tets around the diagonal from corner 0 to corner 7 (Kuhn's subdivision). Each face is divided
/// along the diagonal from its lowest to its highest corner index. The tets have the orientation of the hex. Returns 6.
int hex_parts(const int node[8], int part[6][4]);

// Corners of each face, counter-clockwise seen from outside; the lowest index is the first.
extern const int hex_face_corners[6][4];

#ifdef __cplusplus
}
#endif
