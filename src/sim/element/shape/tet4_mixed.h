// The linear tetrahedron (tet4.h) for meshes whose bodies differ in Poisson's ratio. S(e), the constants of cell e, are
// the ten numbers of tet4_graded.h and two more, r and s. The cell's constant lambda is s * lambda + r * mu, with
// lambda and mu of the material. A cell with a ratio lambda / mu in Space.ratio has s = 0 and r equal to this ratio.
// Any other cell has s = 1 and r = 0.
#pragma once
#define SHAPE_GRADED
#define SHAPE_MIXED
#include "sim/element/shape/tet4.h"
