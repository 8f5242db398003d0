// A surface that consists of polygons. A program such as TetGen can fill the inside of a closed surface with tets. The
// surface is read from a Wavefront .obj, .off or .stl file, checked, and written as a .smesh file for this program.
#pragma once
#include <stdint.h>

#include "base/error.h"

typedef struct Polygon {
  int64_t first;    // index in Polygons.corner of the polygon's first corner
  int count, line;  // number of corners; line of the polygon in the file, or 0 if the file is binary
} Polygon;

// Vertices of a surface, and polygons with their corners. A zeroed Polygons is empty.
typedef struct Polygons {
  int64_t vertex_count, vertex_capacity, corner_count, corner_capacity, polygon_count, polygon_capacity;
  double (*X)[3];    // [vertex_count], positions of the vertices
  int64_t *corner;   // [corner_count], vertex at each corner, one polygon after the other
  Polygon *polygon;  // [polygon_count], the polygons
} Polygons;

/// Reads the vertices and faces of an .obj, .off or .stl file; other data in the file are ignored. Fails if a face has
/// fewer than three corners, more corners than TetGen accepts, or an invalid corner. The message gives the line. If
/// `closed`, also fails if the surface has a hole. The message then gives an edge of the hole. Vertices at equal
/// positions are merged if the surface is closed only then.
bool polygons_read(const char *path, bool closed, Polygons *polygons, Error *error);
void polygons_destroy(Polygons *polygons);

/// Returns the volume enclosed by a closed surface; negative if its polygons are oriented inward.
double polygons_volume(const Polygons *polygons);

/// Writes a .smesh file for TetGen. point [count] are points in holes of the body, regions that TetGen leaves empty.
bool polygons_write_smesh(const Polygons *polygons, const double (*point)[3], int count, const char *path,
                          Error *error);
