// Parameters of the element formulas: the material's constants and two scale factors. All of them are doubles;
// element_parameters (solid.h) converts them to the precision of the element's arithmetic, float or double.
#pragma once
#include "sim/element/material/parameters.h"

typedef struct AssemblyParameters {
  // the material's constants (material/parameters.h), such as mu and lambda, Pa
  double material[MATERIAL_PARAMETERS];
  // Scale factors. The results are the sums over all cells e of vector_scale * F_e and matrix_scale * A_e. F_e is the
  // vector of internal forces of the cell, N, and A_e its tangent, N/m.
  double vector_scale, matrix_scale;
} AssemblyParameters;
