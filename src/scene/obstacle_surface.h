// Reads the surface mesh of an obstacle from a file.
#pragma once
#include "base/error.h"
#include "base/obstacle.h"

/// Fails unless the file is readable and its name has a known ending.
bool obstacle_surface_check(const char *path, Error *error);

/// Reads a .obj, .stl or .off surface, closed or open. Faces with more than three corners are divided into triangles.
/// Triangles without area and unused vertices are removed. Fails if the file is invalid or if no triangle is left; the
/// message has the file and the line.
bool obstacle_surface_read(const char *path, ObstacleSurface **surface, Error *error);
void obstacle_surface_destroy(ObstacleSurface *surface);  // NULL is allowed
