// The linear tetrahedron of bodies whose Poisson's ratios differ as well: S(e) has the factor on the moduli of
// tet4_graded.h, then two numbers r and s, of which one is 0: lambda = s lambda + r mu of the material's two.
#pragma once
#define SHAPE_GRADED
#define SHAPE_MIXED
#include "sim/element/shape/tet4.h"
