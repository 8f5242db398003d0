// The quadrilateral of degree 1, with four nodes: see quad.h.
#pragma once
#define SHAPE_DEGREE 1
#include "lab/stationary/shape/quad.h"
