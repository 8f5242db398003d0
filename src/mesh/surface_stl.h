// Reads STL files, ASCII or binary, which store the positions of the three corners of each triangle.
#pragma once
#include "mesh/surface_polygons.h"
#include "mesh/format/text.h"

/// Reads the triangles of an STL file; `text` must be at its beginning. Corners at equal positions become one vertex,
/// and triangles with two equal vertices are dropped. Fails if a corner is not finite, a triangle does not have three
/// corners, or the length of a binary file does not fit its number of triangles. The message gives the line or byte.
bool stl_read(Polygons *polygons, Text *text, Error *error);
