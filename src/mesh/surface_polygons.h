// A surface of polygons: read from Wavefront .obj, .off or .stl, checked, and written as the .off that TetGen reads.
#pragma once
#include <stdint.h>

#include "base/error.h"

typedef struct Polygon {
  int64_t first;    // offset into corner
  int count, line;  // number of corners; line in the file, 0 if it is binary
} Polygon;

// A zeroed Polygons is empty.
typedef struct Polygons {
  int64_t vertex_count, vertex_capacity, corner_count, corner_capacity, polygon_count, polygon_capacity;
  double (*X)[3];    // [vertex_count]
  int64_t *corner;   // [corner_count], vertices from 0, polygon by polygon
  Polygon *polygon;  // [polygon_count]
} Polygons;

/// Reads only the vertices and faces of a file with the ending .obj, .off or .stl. Fails, naming the line, if a face
/// has fewer than three corners, more corners than TetGen accepts, or an invalid one. If `closed` is set it also fails
/// for a surface with a hole, naming an edge of its rim.
bool polygons_read(const char *path, bool closed, Polygons *polygons, Error *error);
void polygons_destroy(Polygons *polygons);

/// Volume enclosed by a closed surface; negative if it is turned inside out.
double polygons_volume(const Polygons *polygons);

bool polygons_write_off(const Polygons *polygons, const char *path, Error *error);
