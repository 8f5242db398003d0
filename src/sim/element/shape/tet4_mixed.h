// The linear tetrahedron for meshes whose bodies differ in Poisson's ratio. S(e) is the data that are stored for each
// cell e at rest. After the factor of tet4_graded.h, it has two numbers r and s. The cell's lambda is s * lambda + r *
// mu, with lambda and mu of the material. Either s is 1 and r is 0, or s is 0 and r is the cell's ratio lambda / mu
// (Space.ratio).
#pragma once
#define SHAPE_GRADED
#define SHAPE_MIXED
#include "sim/element/shape/tet4.h"
