// What an element is evaluated with, by an assembly or by an operator; see its element_parameters.
#pragma once
#include "sim/element/material/parameters.h"

typedef struct AssemblyParameters {
  double material[MATERIAL_PARAMETERS];
  double vector_scale, matrix_scale;  // on F and on A
} AssemblyParameters;
