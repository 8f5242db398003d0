// The linear tetrahedron of a body whose stiffness differs from cell to cell: S(e) has a tenth number, the factor on
// the material's moduli (Space.stiffness). All else is that of tet4.h.
#pragma once
#define SHAPE_GRADED
#include "sim/element/shape/tet4.h"
