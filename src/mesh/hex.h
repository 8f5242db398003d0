// Hexahedra of a body's mesh: what is known of one by its eight nodes, in the order of CELL_HEX8.
#pragma once
#include <stdbool.h>

#include "mesh/cell_shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Volume of the trilinear hexahedron, m^3; negative where it is mirrored. X [8][3] are its corners, m.
double hex_volume(const double X[8][3]);

/// The corner at which det J of the map from the reference cell is smallest, and that det J over the product of the
/// three edges there: 1 of a box, 0 where it is flat, negative where it is inverted.
int hex_worst_corner(const double X[8][3], double *shape);

/// Mirrors the order of the nodes: what was inside out is upright.
void hex_turn(int node[8]);

/// Whether det J of that map is positive at the 2 x 2 x 2 points of Gauss, where cells are integrated: at all corners
/// it may be while it is not there.
bool hex_upright(const double X[8][3]);

/// The integrals of the shape functions [8], m^3: exact, positive where det J is.
void hex_shares(const double X[8][3], double share[8]);

/// Six tets around the diagonal from corner 0 to corner 7 (Kuhn's cut), oriented as the hex; each face is cut from its
/// lowest corner to its highest. Returns 6.
int hex_parts(const int node[8], int part[6][4]);

// faces by their corners, counter-clockwise seen from outside, the lowest first
extern const int hex_face_corners[6][4];

#ifdef __cplusplus
}
#endif
