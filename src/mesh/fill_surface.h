// Fills closed surfaces with tets by the program TetGen.
#pragma once
#include <stdatomic.h>

#include "mesh/tet_mesh.h"

static const double FILL_QUALITY = 1.4;  // default of FillOptions.quality

typedef struct FillOptions {
  double quality;                // largest ratio of circumradius to shortest edge of a tet
  double max_volume;             // m^3, largest volume of a tet; 0: no limit
  const atomic_bool *cancelled;  // another thread sets it to end the work; NULL: none
} FillOptions;

/// Returns true if the name of a file ends with .obj, .off, .stl or .ply.
bool fill_surface_reads(const char *path);

/// Reads a closed surface, and fills it with tets. A closed surface inside another one bounds a cavity if its faces
/// have the opposite orientation (cavities.h). *cavity_count gets the number of cavities. Cavities of .ply files are
/// filled, with a notice. Fails if TetGen is not installed, if the surface is not closed or intersects itself, or if
/// the user interrupts the program. On success, the caller destroys the mesh.
bool fill_surface(const char *surface, const FillOptions *options, TetMesh *mesh, int *cavity_count, Error *error);
