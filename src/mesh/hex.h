// Geometry of a hexahedron in a body's mesh, from its eight nodes in the order of CELL_HEX8.
#pragma once
#include <stdbool.h>

#include "mesh/cell_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Volume of the trilinear hexahedron, m^3; negative if it is mirrored. X [8][3] are its corners, m.
double hex_volume(const double X[8][3]);

/// Returns the corner at which det J of the map from the reference cell is smallest. *shape is this det J over the
/// product of the three edges there: 1 for a box, 0 if flat, negative if inverted.
int hex_worst_corner(const double X[8][3], double *shape);

/// Mirrors the order of the nodes, which makes an inverted hexahedron positive.
void hex_turn(int node[8]);

/// Returns true if det J of this map is positive at the 2 x 2 x 2 Gauss points at which cells are integrated. It may be
/// negative there although it is positive at all corners.
bool hex_upright(const double X[8][3]);

/// Integrals of the shape functions [8], m^3: exact, and positive if det J is.
void hex_shares(const double X[8][3], double share[8]);

/// Six tets around the diagonal from corner 0 to corner 7 (Kuhn's cut), oriented as the hex; each face is cut from its
/// lowest corner to its highest. Returns 6.
int hex_parts(const int node[8], int part[6][4]);

// corners of the faces, counter-clockwise seen from outside, the lowest first
extern const int hex_face_corners[6][4];

#ifdef __cplusplus
}
#endif
