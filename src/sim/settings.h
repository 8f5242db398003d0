// Checks of a simulation's settings, and functions that convert settings to the parameter structs of other modules.
#pragma once
#include "sim/contact/rigid_surface.h"
#include "sim/element/material/parameters.h"
#include "sim/simulation.h"

// Largest rotation of an obstacle in a step, degrees. It is limited because corners of the obstacle move on straight
// lines in a step, not on arcs. At 30 degrees, line and arc differ by at most 0.035 of the radius.
enum { OBSTACLE_TURN_MAX = 30 };

/// Fails if a setting is invalid; the message has its key, its value and the valid range. Names of stages are not
/// checked.
bool settings_check(const SimulationSettings *settings, Error *error);

/// Writes the parameters of the settings' material (element/material/parameters.h), such as mu and lambda.
void settings_material(const SimulationSettings *settings, double material[MATERIAL_PARAMETERS]);

/// Returns the settings of Newton's method.
NewtonSettings settings_newton(const SimulationSettings *settings);

/// Returns the obstacles of the settings in the form that the module sim/contact needs. The result points to
/// settings->obstacles.
RigidObstacles settings_rigid(const SimulationSettings *settings);

/// Returns true if surfaces of the floor, of obstacles or, with self-contact, of bodies have friction.
bool settings_rub(const SimulationSettings *settings);
