// Reads the triangles of a mesh obstacle from a file.
#pragma once
#include "base/error.h"
#include "base/obstacle.h"

/// Fails unless the file can be read and its name has a known ending.
bool obstacle_surface_check(const char *path, Error *error);

/// Reads a surface from an .obj, .stl or .off file. The surface may have holes. Divides faces with more than three
/// corners into triangles, and removes triangles without area and unused vertices. Fails if the file is invalid or no
/// triangle is left. The message names the file and, if there is one, the invalid line.
bool obstacle_surface_read(const char *path, ObstacleSurface **surface, Error *error);
void obstacle_surface_destroy(ObstacleSurface *surface);  // accepts NULL
