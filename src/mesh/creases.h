// Vertices for drawing a surface. A vertex is a node, but a node on a crease (a sharp edge) has one vertex for each
// side of the crease. Each vertex has a separate normal, so that the edges of a box look sharp and a ball looks smooth.
#pragma once
#include "mesh/surface.h"

// A zeroed SurfaceVertices is empty.
typedef struct SurfaceVertices {
  int count;
  int *node;           // [count], node of each vertex; ascending
  int (*triangle)[3];  // [triangle_count], vertices of the surface's triangles, in the order of the surface
  int *fan_start;      // [count + 1]: the triangles around vertex v are fan[fan_start[v]] to fan[fan_start[v + 1] - 1],
                       // at least one
  int *fan;            // [3 * triangle_count], triangle numbers, ascending for each vertex
} SurfaceVertices;

/// Creates the vertices. An edge is a crease if its two triangles have an angle of more than CREASE_DEGREES in the
/// undeformed mesh. Triangles around a node that are connected by edges without crease have a common vertex there.
/// Triangles without area form no crease. Time is linear in the number of triangles. Fails only if memory runs out.
bool surface_vertices_create(SurfaceVertices *vertices, const Surface *surface, const TetMesh *mesh, Error *error);
void surface_vertices_destroy(SurfaceVertices *vertices);

// Smaller angles look smooth: for example a pipe with six sides, whose faces meet at 60 degrees.
enum { CREASE_DEGREES = 70 };
