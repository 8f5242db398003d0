// The linear tetrahedron (tet4.h) for bodies whose cells differ in stiffness. The constants S(e) of cell e are the nine
// numbers of tet4.h and, as S[9], the factor by which the cell multiplies the material's moduli (Space.stiffness).
#pragma once
#define SHAPE_GRADED
#include "sim/element/shape/tet4.h"
