// The linear tetrahedron of a body with a stiffness for each cell. S(e) has a tenth number, the factor on the
// material's moduli (Space.stiffness). Everything else is as in tet4.h.
#pragma once
#define SHAPE_GRADED
#include "sim/element/shape/tet4.h"
