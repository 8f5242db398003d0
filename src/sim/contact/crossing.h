// Finds intersections of a surface: edges that cross triangles, and vertices (nodes of the surface) that are not above
// all planes. A plane is the surface of a half space. The tests have no rounding errors. Contact prevents intersections
// during time steps. So a test is needed only for states that were not computed by a time step, such as the initial
// state.
#pragma once
#include "sim/contact/skin.h"

/// Returns the sign, 1, -1 or 0, of (b - a) x (c - a) . (d - a), six times the volume of a tet, without rounding
/// errors.
int tet_orientation(const double a[3], const double b[3], const double c[3], const double d[3]);

/// Returns true if the edge from p to q crosses the triangle a, b, c; false if the edge is in the triangle's plane.
bool edge_crosses_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                           const double c[3]);

typedef struct Crossings {
  // Number of crossings of two kinds. First kind: an edge and a triangle that intersect, share no node and do not both
  // belong to obstacles. Second kind: a vertex of the body in a plane or below it.
  int64_t count;
  // the first edge and triangle that intersect, as indices into skin->edge and skin->triangle; -1: none
  int edge, triangle;
  // The first vertex in or below a plane, as indices into skin->vertex and skin->plane. Both are -1 if there is none,
  // or if `edge` is not -1.
  int vertex, plane;
} Crossings;

/// Finds the crossings of a skin, the surface of the body and of obstacles: edges that pierce a triangle, and vertices
/// in or below a plane. The nodes are at x [node_count][3], m. Uses the boxes of the skin's trees as work memory. Fails
/// if memory runs out.
bool find_crossings(Skin *skin, const double (*x)[3], Crossings *crossings, Error *error);

/// Finds crossings as find_crossings does: edges that pierce a triangle, and vertices in or below a plane. Also sets
/// mark [node_count]: 1 for the nodes of all edges, triangles and vertices of a crossing, 0 for all other nodes.
bool mark_crossings(Skin *skin, const double (*x)[3], uint8_t *mark, Crossings *crossings, Error *error);
