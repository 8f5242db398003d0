// Checks if a body's numbers fit a precision. Volumes, masses and stiffnesses in SI units can exceed the range of
// float, and an underflow would not be noticed.
#pragma once
#include "sim/element/space.h"
#include "sim/number_range.h"
#include "sim/simulation.h"

// Extremes of a mesh's numbers.
typedef struct BodyRange {
  Extremes tet_volume, node_volume;  // m^3
  Extremes gradient;                 // 1/m, of shape functions
  Extremes stiffness;                // m, a tet's contribution to the tangent over the modulus
  Extremes position;                 // m, coordinates of nodes
  Extremes ratio;                    // lambda / mu of tets with a separate ratio; infinite if there is none
} BodyRange;

BodyRange body_range(const Space *space, const double *node_mass, double density);

/// Fails if a number of a motion leaves the range of the precision. `name` begins the message.
bool range_check_motion(const RigidMotion *motion, const char *name, Precision precision, Error *error);

/// Fails if a setting, a number of an obstacle or an intermediate product of a step leaves the range of the settings'
/// precision. The message has figures and a remedy.
bool range_check(const BodyRange *range, const SimulationSettings *settings, Error *error);
