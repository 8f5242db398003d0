// What a surface is drawn with: its nodes, but one that lies on a crease is there once for each side of it, so that the
// edges of a box stay edges while a ball is round.
#pragma once
#include "mesh/surface.h"

// A zeroed SurfaceVertices is empty.
typedef struct SurfaceVertices {
  int count;
  int *node;           // [count], where each stands; ascending
  int (*triangle)[3];  // [triangle_count], the surface's triangles in its order, with the numbers of vertices
  int *fan_start;      // [count + 1], into fan: the triangles around each vertex, at least one
  int *fan;            // [3 * triangle_count], triangle numbers, ascending for each vertex
} SurfaceVertices;

/// Splits the nodes where triangles that share an edge meet at more than CREASE_DEGREES in the mesh at rest. Triangles
/// around a node that can be reached from each other over flatter edges there share a vertex; those without an area
/// crease nothing. Linear in triangles, times those around a node. Fails only for lack of memory.
bool surface_vertices_create(SurfaceVertices *vertices, const Surface *surface, const TetMesh *mesh, Error *error);
void surface_vertices_destroy(SurfaceVertices *vertices);

enum { CREASE_DEGREES = 70 };  // a pipe of six sides has angles of 60 degrees, and is round
