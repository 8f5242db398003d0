// Parameters with which an assembly, or an operator without a matrix, evaluates elements. They are doubles; the
// function element_parameters of an element converts them to the element's precision.
#pragma once
#include "sim/element/material/parameters.h"

typedef struct AssemblyParameters {
  // the material's constants, Pa: see material/parameters.h
  double material[MATERIAL_PARAMETERS];
  double vector_scale, matrix_scale;  // factors of the element vector F_e and of the element matrix A_e
} AssemblyParameters;
