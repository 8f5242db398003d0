// Self-intersections of a surface: edges that cross triangles, and vertices that are not above planes, found by exact
// predicates. States that contact controls
// have none; tests count them after every step, and a given state is checked once.
#pragma once
#include "sim/contact/skin.h"

/// Returns the sign of the volume of a tet, (b - a) x (c - a) . (d - a): 1, -1 or 0, as in exact arithmetic.
int tet_orientation(const double a[3], const double b[3], const double c[3], const double d[3]);

/// Tests if the edge p q crosses the triangle a b c; false if it lies in the triangle's plane.
bool edge_crosses_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                           const double c[3]);

typedef struct Crossings {
  // pairs of an edge and a triangle that cross and share no node, at least one of which belongs to the body; and pairs
  // of the body's vertex and a plane that the vertex is in or below
  int64_t count;
  int edge, triangle;  // first crossing: indices into the skin; -1 if only vertices cross planes
  int vertex, plane;   // first vertex in or below a plane: indices into the skin; -1 if `edge` is valid
} Crossings;

/// Finds the crossings of a skin with nodes at x [node_count][3]. Refits the skin's trees. Fails if memory runs out.
bool find_crossings(Skin *skin, const double (*x)[3], Crossings *crossings, Error *error);

/// As find_crossings; also sets mark [node_count] to 1 for the nodes of crossing edges, triangles and vertices, else to
/// 0.
bool mark_crossings(Skin *skin, const double (*x)[3], uint8_t *mark, Crossings *crossings, Error *error);
