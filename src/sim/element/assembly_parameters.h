// Parameters with which an assembly or an operator evaluates an element; see the element's element_parameters.
#pragma once
#include "sim/element/material/parameters.h"

typedef struct AssemblyParameters {
  double material[MATERIAL_PARAMETERS];
  double vector_scale, matrix_scale;  // factors on F and on A
} AssemblyParameters;
