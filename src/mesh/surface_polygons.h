// A surface of polygons: read from Wavefront .obj, .off or .stl, checked, and written as the .off that TetGen reads.
#pragma once
#include <stdint.h>

#include "base/error.h"

typedef struct Polygon {
  int64_t first;    // into corner
  int count, line;  // corners; of the file, 0 where that is binary
} Polygon;

// A zeroed Polygons is empty.
typedef struct Polygons {
  int64_t vertex_count, vertex_capacity, corner_count, corner_capacity, polygon_count, polygon_capacity;
  double (*X)[3];    // [vertex_count]
  int64_t *corner;   // [corner_count], vertices from 0, of one polygon after the other
  Polygon *polygon;  // [polygon_count]
} Polygons;

/// Reads vertices and faces, and nothing else, of a file whose name ends in .obj, .off or .stl. Fails, naming the line,
/// where a face has fewer than three corners, one that is no vertex, or more than TetGen takes; and where the surface
/// has a hole, naming an edge of its rim, if it must be `closed`.
bool polygons_read(const char *path, bool closed, Polygons *polygons, Error *error);
void polygons_destroy(Polygons *polygons);

/// The volume enclosed, if the surface is closed; negative where it is turned inside out.
double polygons_volume(const Polygons *polygons);

bool polygons_write_off(const Polygons *polygons, const char *path, Error *error);
