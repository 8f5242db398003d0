// Parameters with which an assembly or an operator evaluates elements. element_parameters of an element converts them.
#pragma once
#include "sim/element/material/parameters.h"

typedef struct AssemblyParameters {
  double material[MATERIAL_PARAMETERS];
  double vector_scale, matrix_scale;  // factors of the element vector F_e and of the element matrix A_e
} AssemblyParameters;
