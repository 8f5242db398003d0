// The linear tetrahedron of bodies with different Poisson's ratios. S(e) has the factor on the moduli of tet4_graded.h,
// then two numbers r and s, one of which is 0: the cell's lambda is s lambda + r mu of the material.
#pragma once
#define SHAPE_GRADED
#define SHAPE_MIXED
#include "sim/element/shape/tet4.h"
