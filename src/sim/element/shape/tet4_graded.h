// The linear tetrahedron (tet4.h) for bodies whose cells differ in stiffness. S(e), the constants of cell e, are the
// nine numbers of tet4.h and a tenth: the factor by which the cell multiplies the material's moduli (Space.stiffness).
#pragma once
#define SHAPE_GRADED
#include "sim/element/shape/tet4.h"
