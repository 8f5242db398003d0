// Whether a precision can hold a body's numbers: volumes, masses and stiffnesses in SI units go far beyond what float
// has room for, and what underflows there vanishes without a trace.
#pragma once
#include "sim/element/space.h"
#include "sim/number_range.h"
#include "sim/simulation.h"

// What a mesh brings to the numbers of a simulation.
typedef struct BodyRange {
  Extremes tet_volume, node_volume;  // m^3
  Extremes gradient;                 // 1/m, of the shape functions
  Extremes stiffness;                // m: times a modulus, what a tet adds to the tangent
  Extremes position;                 // m, of nodes along any axis
  Extremes ratio;                    // lambda over mu of tets that have their own; infinite where none has
} BodyRange;

BodyRange body_range(const Space *space, const double *node_mass, double density);

/// Fails, with figures and the way out, if a setting, a number of an obstacle or a number of the steps leaves the range
/// of the settings' precision.
bool range_check(const BodyRange *range, const SimulationSettings *settings, Error *error);
