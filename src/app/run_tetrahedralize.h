// `pliant tetrahedralize SURFACE OUT`: fills a closed surface with tets, by TetGen where it is installed.
#pragma once
#include "scene/options.h"

typedef struct TetrahedralizeOptions {
  double quality;     // largest ratio of a tet's circumradius to its shortest edge
  double max_volume;  // m^3; 0: no bound
} TetrahedralizeOptions;

extern const Option tetrahedralize_options[];

bool run_tetrahedralize(const char *surface, const char *out, const TetrahedralizeOptions *options, Error *error);
