// The quad of degree 1: see quad.h.
#pragma once
#define SHAPE_DEGREE 1
#include "lab/stationary/shape/quad.h"
