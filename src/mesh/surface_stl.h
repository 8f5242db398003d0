// STL files, ASCII or binary: triangles that each repeat their corners.
#pragma once
#include "mesh/surface_polygons.h"
#include "mesh/format/text.h"

/// Reads the triangles of a file from its beginning. Corners at equal positions become one vertex; triangles that
/// thereby have no area are dropped. Fails, naming line or byte, if a corner is not finite, a facet does not have three
/// corners, or the length of a binary file does not match its triangles.
bool stl_read(Polygons *polygons, Text *text, Error *error);
