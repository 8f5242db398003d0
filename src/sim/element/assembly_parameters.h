// Parameters with which an assembly, or an operator without a matrix, evaluates elements. They are doubles; the
// function element_parameters of an element converts them to the element's precision.
#pragma once
#include "sim/element/material/parameters.h"

typedef struct AssemblyParameters {
  // the material's constants, Pa: see material/parameters.h
  double material[MATERIAL_PARAMETERS];
  // An assembly sums vector_scale * F_e and matrix_scale * A_e over all cells e. F_e is the vector of internal forces
  // of the cell, N, and A_e its tangent, N/m.
  double vector_scale, matrix_scale;
} AssemblyParameters;
