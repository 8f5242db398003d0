// Vertices for drawing a surface: its nodes, with one copy of a node for each side of a crease. So the edges of a box
// look sharp while a ball looks smooth.
#pragma once
#include "mesh/surface.h"

// A zeroed SurfaceVertices is empty.
typedef struct SurfaceVertices {
  int count;
  int *node;           // [count], node of each vertex; ascending
  int (*triangle)[3];  // [triangle_count], the surface's triangles in its order, as vertex numbers
  int *fan_start;      // [count + 1], offsets into fan: the triangles around each vertex, at least one
  int *fan;            // [3 * triangle_count], triangle numbers, ascending for each vertex
} SurfaceVertices;

/// Splits a node if adjacent triangles there have an angle of more than CREASE_DEGREES in the mesh at rest. Triangles
/// around a node that are connected over flatter edges have one vertex there; triangles without area make no crease.
/// Linear in triangles, times those around a node. Fails only if memory runs out.
bool surface_vertices_create(SurfaceVertices *vertices, const Surface *surface, const TetMesh *mesh, Error *error);
void surface_vertices_destroy(SurfaceVertices *vertices);

enum { CREASE_DEGREES = 70 };  // a hexagonal pipe has angles of 60 degrees and looks smooth
