// Finds intersections of a surface: edges that cross triangles, and vertices (surface nodes) in or below planes, which
// are the surfaces of half spaces. The tests are exact, without rounding errors. Contact prevents intersections during
// steps, so the program checks only states that it is given, such as the initial one.
#pragma once
#include "sim/contact/skin.h"

/// Returns the sign of the volume of a tet, (b - a) x (c - a) . (d - a): 1, -1 or 0, as in exact arithmetic.
int tet_orientation(const double a[3], const double b[3], const double c[3], const double d[3]);

/// Tests if the edge from p to q crosses the triangle a, b, c; false if the edge is in the plane of the triangle.
bool edge_crosses_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                           const double c[3]);

typedef struct Crossings {
  // number of crossings: pairs of an edge and a triangle that intersect and share no node, of which at least one
  // belongs to the body; and pairs of a vertex of the body and a plane, if the vertex is in the plane or below it
  int64_t count;
  int edge, triangle;  // the first pair of an edge and a triangle, as indices into skin->edge and skin->triangle; -1:
                       // there is none
  int vertex, plane;   // the first vertex in or below a plane, as indices into skin->vertex and skin->plane; -1 if
                       // `edge` is set
} Crossings;

/// Finds the crossings of a skin whose nodes are at x [node_count][3], m. Changes the boxes of the skin's trees. Fails
/// if memory runs out.
bool find_crossings(Skin *skin, const double (*x)[3], Crossings *crossings, Error *error);

/// As find_crossings. Also sets mark [node_count] to 1 for the nodes of edges, triangles and vertices that take part in
/// a crossing, and to 0 for all others.
bool mark_crossings(Skin *skin, const double (*x)[3], uint8_t *mark, Crossings *crossings, Error *error);
