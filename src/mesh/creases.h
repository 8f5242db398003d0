// Vertices for drawing a surface. A node has one vertex, but a node on a crease (a sharp edge) has one vertex for each
// side of the crease. Each vertex has a separate normal, so that the edges of a box look sharp and a ball looks smooth.
#pragma once
#include "mesh/surface.h"

// The vertices with which a surface is drawn, their triangles, and the triangles around each vertex. A zeroed
// SurfaceVertices is empty.
typedef struct SurfaceVertices {
  int count;
  int *node;           // [count], node of each vertex; ascending
  int (*triangle)[3];  // [triangle_count], vertices of the surface's triangles, in the order of the surface
  // [count + 1]: the triangles around vertex v have the numbers fan[fan_start[v]] to fan[fan_start[v + 1] - 1]
  int *fan_start;
  int *fan;  // [3 * triangle_count], triangle numbers, ascending for each vertex
} SurfaceVertices;

/// Creates the vertices for drawing a surface: at each node one vertex, or several if creases (sharp edges) separate
/// its triangles. An edge is a crease if the normals of its two triangles form an angle of more than CREASE_DEGREES in
/// the undeformed mesh. Triangles without area form no crease. Triangles around a node share a vertex there if a chain
/// of edges without crease connects them. Time is linear in the number of triangles. Fails only if memory runs out.
bool surface_vertices_create(SurfaceVertices *vertices, const Surface *surface, const TetMesh *mesh, Error *error);
void surface_vertices_destroy(SurfaceVertices *vertices);

// An edge is a crease if the normals of its two triangles form a larger angle than this, in degrees. So a pipe with six
// sides, whose normals differ by 60 degrees, is drawn smooth.
enum { CREASE_DEGREES = 70 };
