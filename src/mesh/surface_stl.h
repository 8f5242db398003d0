// STL files, ASCII or binary: triangles whose corners are repeated in each.
#pragma once
#include "mesh/surface_polygons.h"
#include "mesh/format/text.h"

/// Reads the triangles of a file that stands before its first line; corners at the same place become one vertex,
/// triangles without area by that none. Fails, naming line or byte, where a corner is not finite, a facet has not three
/// of them, or a binary file's length is not that of its triangles.
bool stl_read(Polygons *polygons, Text *text, Error *error);
