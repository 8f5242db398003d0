// Checks that the numbers of a body fit the settings' precision, float or double. Volumes, masses and stiffnesses in SI
// units can leave the range of float. Without these checks, a number could be rounded to 0 unnoticed.
#pragma once
#include "sim/element/space.h"
#include "sim/element/number_range.h"
#include "sim/simulation.h"

// Smallest and largest value of some quantities of a mesh, such as the volumes of its cells.
typedef struct BodyRange {
  Extremes tet_volume, node_volume;  // m^3, volumes of cells, and volumes of nodes: lumped mass divided by density
  Extremes gradient;                 // 1/m, gradients of the shape functions
  // m, stiffness of a tet divided by the settings' modulus: volume times squared gradient of a shape function, times
  // the factor by which the cell multiplies the modulus
  Extremes stiffness;
  Extremes position;  // m, coordinates of nodes at rest
  // ratios lambda / mu of the tets that have a ratio of their own (Space.ratio). Without such tets, `low` is infinite
  Extremes ratio;
} BodyRange;

// Returns the smallest and largest values of the quantities in BodyRange over a space (nodes and cells). node_mass
// [node_count], kg, are the lumped masses for a uniform `density`, kg/m^3.
BodyRange body_range(const Space *space, const double *node_mass, double density);

/// Fails if a number of a prescribed motion is outside the range of the precision. The message begins with `name`.
bool range_check_motion(const RigidMotion *motion, const char *name, Precision precision, Error *error);

/// Fails if a setting, a number of an obstacle or an intermediate product of a step is outside the range of the
/// settings' precision. The message has the value, the range and a remedy.
bool range_check(const BodyRange *range, const SimulationSettings *settings, Error *error);
