// Finds intersections of a surface: edges that cross triangles, and vertices (surface nodes) in or below planes, which
// are the surfaces of half spaces. The tests are exact, without rounding errors. Contact prevents intersections during
// steps, so the program tests only states that come from outside, such as the initial state.
#pragma once
#include "sim/contact/skin.h"

/// Returns the sign of the volume of a tet, (b - a) x (c - a) . (d - a): 1, -1 or 0, as in exact arithmetic.
int tet_orientation(const double a[3], const double b[3], const double c[3], const double d[3]);

/// Tests if the edge from p to q crosses the triangle a, b, c; false if the edge is in the plane of the triangle.
bool edge_crosses_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                           const double c[3]);

typedef struct Crossings {
  // Number of crossings. A crossing is an edge and a triangle that intersect and share no node, if at least one of the
  // two belongs to the body. A vertex of the body that is in a plane or below it also counts.
  int64_t count;
  int edge, triangle;  // the first edge and triangle that intersect, as indices into skin->edge and skin->triangle; -1:
                       // none
  int vertex, plane;   // the first vertex in or below a plane, as indices into skin->vertex and skin->plane; -1: none,
                       // or `edge` is not -1
} Crossings;

/// Finds the crossings of a skin whose nodes are at x [node_count][3], m: edges that intersect triangles, and vertices
/// of the body in or below planes. Changes the boxes of the skin's trees. Fails if memory runs out.
bool find_crossings(Skin *skin, const double (*x)[3], Crossings *crossings, Error *error);

/// Finds the crossings of a skin, as find_crossings does. Also sets mark [node_count] to 1 for the nodes of edges,
/// triangles and vertices that take part in a crossing, and to 0 for all others.
bool mark_crossings(Skin *skin, const double (*x)[3], uint8_t *mark, Crossings *crossings, Error *error);
