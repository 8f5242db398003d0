// The surface of an obstacle that is a mesh of triangles, from a file.
#pragma once
#include "base/error.h"
#include "base/obstacle.h"

/// Whether there is such a file, and its format is one of those read.
bool obstacle_surface_check(const char *path, Error *error);

/// Reads a .obj, .stl or .off, closed or not: faces of more corners are cut into triangles, those without area and
/// vertices that no triangle has are left out. Fails, naming file and line, where the file is wrong or nothing is left.
bool obstacle_surface_read(const char *path, ObstacleSurface **surface, Error *error);
void obstacle_surface_destroy(ObstacleSurface *surface);  // takes NULL
