// The neo-Hookean tetrahedron of a body whose stiffness differs from tet to tet: S(e) has a tenth number, the factor on
// mu and lambda (TetMesh.stiffness). All else is that of neo_hookean_tet.h, in which W is linear in mu and lambda.
#pragma once
#define ELEMENT_GRADED
#include "sim/element/neo_hookean_tet.h"
