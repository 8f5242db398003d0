// Reads the triangles of a mesh obstacle from a file.
#pragma once
#include "base/error.h"
#include "base/obstacle.h"

/// Fails unless the file can be read and its name has a known ending.
bool obstacle_surface_check(const char *path, Error *error);

/// Reads a surface, .obj, .stl or .off, closed or open. Divides faces with more than three corners into triangles, and
/// removes triangles without area and unused vertices. Fails if the file is invalid or no triangle is left; the message
/// has file and line.
bool obstacle_surface_read(const char *path, ObstacleSurface **surface, Error *error);
void obstacle_surface_destroy(ObstacleSurface *surface);  // accepts NULL
