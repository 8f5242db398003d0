// Checks that the numbers of a body can be represented in the settings' precision. Volumes, masses and stiffnesses in
// SI units can leave the range of float, and an underflow to 0 would otherwise pass unnoticed.
#pragma once
#include "sim/element/space.h"
#include "sim/number_range.h"
#include "sim/simulation.h"

// Smallest and largest values over a mesh.
typedef struct BodyRange {
  Extremes tet_volume, node_volume;  // m^3
  Extremes gradient;                 // 1/m, gradients of the shape functions
  Extremes stiffness;                // m, a tet's contribution to the tangent, divided by the modulus: volume times
                                     // squared gradient
  Extremes position;                 // m, coordinates of nodes
  Extremes ratio;                    // lambda / mu of tets that have a Poisson's ratio of their own (Space.ratio);
                                     // infinite if none has
} BodyRange;

BodyRange body_range(const Space *space, const double *node_mass, double density);

/// Fails if a number of a prescribed motion leaves the range of the precision. The message begins with `name`.
bool range_check_motion(const RigidMotion *motion, const char *name, Precision precision, Error *error);

/// Fails if a setting, a number of an obstacle or an intermediate product of a step leaves the range of the settings'
/// precision. The message has figures and a remedy.
bool range_check(const BodyRange *range, const SimulationSettings *settings, Error *error);
