// Whether a precision can hold a body's numbers: volumes, masses and stiffnesses in SI units go far beyond what float
// has room for, and what underflows there vanishes without a trace.
#pragma once
#include "sim/element/space.h"
#include "sim/simulation.h"

typedef struct Extremes {
  double low, high;
} Extremes;

// What a mesh brings to the numbers of a simulation.
typedef struct BodyRange {
  Extremes tet_volume, node_volume;  // m^3
  Extremes gradient;                 // 1/m, of the shape functions
  Extremes stiffness;                // m: times a modulus, what a tet adds to the tangent
  Extremes ratio;                    // lambda over mu of tets that have their own; infinite where none has
} BodyRange;

BodyRange body_range(const Space *space, const double *node_mass, double density);

/// Fails, with figures and the way out, where numbers of the steps would leave the range of the settings' precision.
bool range_check(const BodyRange *range, const SimulationSettings *settings, Error *error);

/// Fails where every one of `count` numbers that are not all zero would be zero in the precision, or one be infinite.
/// `what` and `unit` name them.
bool range_check_values(const double *values, int64_t count, Precision precision, const char *what, const char *unit,
                        Error *error);
