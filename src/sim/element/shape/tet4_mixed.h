// The linear tetrahedron (tet4.h) for meshes whose bodies differ in Poisson's ratio. The constants S(e) of cell e are
// the ten numbers of tet4_graded.h, then r and s, which give the cell's lambda: s * lambda + r * mu, with lambda and mu
// of the material. If Space.ratio has a ratio lambda / mu for the cell, r is this ratio and s = 0. Other cells have r =
// 0 and s = 1.
#pragma once
#define SHAPE_GRADED
#define SHAPE_MIXED
#include "sim/element/shape/tet4.h"
