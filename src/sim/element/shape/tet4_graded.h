// The linear tetrahedron (tet4.h) for bodies whose cells differ in stiffness. After the nine numbers of tet4.h, the
// data that are stored for each cell have a tenth, the cell's factor on the material's moduli (Space.stiffness).
#pragma once
#define SHAPE_GRADED
#include "sim/element/shape/tet4.h"
