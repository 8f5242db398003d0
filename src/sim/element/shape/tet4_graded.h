// The linear tetrahedron for bodies whose cells differ in stiffness. S(e), the data that are stored for each cell e at
// rest, has a tenth number, the cell's factor on the material's moduli (Space.stiffness). All else is as in tet4.h.
#pragma once
#define SHAPE_GRADED
#include "sim/element/shape/tet4.h"
