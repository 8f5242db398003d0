// Parameters of the elements of -div(k grad phi) = f with conductivity k.
#pragma once
#include "base/real.h"
#include "device/host_device.h"
#include "sim/element/material/parameters.h"

typedef struct ElementParameters {
  real conductivity;                // the material's conductivity k
  real vector_scale, matrix_scale;  // factors by which the load vector and the element matrix K are multiplied
} ElementParameters;

HOST_DEVICE ElementParameters element_parameters(const double material[MATERIAL_PARAMETERS], double vector_scale,
                                                 double matrix_scale) {
  const ElementParameters p = { (real)material[0], (real)vector_scale, (real)matrix_scale };
  return p;
}
