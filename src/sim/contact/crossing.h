// Whether a surface goes through itself: edges that cross triangles, told by exact predicates. Of states that contact
// has kept apart there are none; tests count them after every step, and a state that is given is looked at once.
#pragma once
#include "sim/contact/skin.h"

/// The sign of the volume of a tet, (b - a) x (c - a) . (d - a): 1, -1 or 0, as of exact arithmetic.
int tet_orientation(const double a[3], const double b[3], const double c[3], const double d[3]);

/// Whether the edge p q meets the triangle a b c; not where it lies in its plane.
bool edge_crosses_triangle(const double p[3], const double q[3], const double a[3], const double b[3],
                           const double c[3]);

typedef struct Crossings {
  int64_t count;       // edges and triangles that cross and share no node, of which one is the body's
  int edge, triangle;  // of the skin: the first of them
} Crossings;

/// Of a skin whose nodes are at x [node_count][3]. Fits the skin's trees anew. Fails for lack of memory.
bool find_crossings(Skin *skin, const double (*x)[3], Crossings *crossings, Error *error);

/// The same, and 1 in `mark` [node_count] for the nodes of every edge and triangle that cross, else 0.
bool mark_crossings(Skin *skin, const double (*x)[3], uint8_t *mark, Crossings *crossings, Error *error);
