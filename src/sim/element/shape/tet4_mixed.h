// The linear tetrahedron (tet4.h) for meshes whose bodies differ in Poisson's ratio. After the ten numbers of
// tet4_graded.h, the data that are stored for each cell have two more, r and s. The cell's lambda is s * lambda + r *
// mu, with lambda and mu of the material. A cell with its own ratio lambda / mu (Space.ratio) has s = 0 and r equal to
// this ratio. Any other cell has s = 1 and r = 0.
#pragma once
#define SHAPE_GRADED
#define SHAPE_MIXED
#include "sim/element/shape/tet4.h"
