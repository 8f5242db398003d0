// A simulation's settings: what they may be, and what they say of the material.
#pragma once
#include "sim/contact/rigid_surface.h"
#include "sim/element/material/parameters.h"
#include "sim/simulation.h"

/// Checks all settings except names of stages. Fails with the key, its value and the valid range.
bool settings_check(const SimulationSettings *settings, Error *error);

/// Fills the parameters of the material; see element/material/parameters.h.
void settings_material(const SimulationSettings *settings, double material[MATERIAL_PARAMETERS]);

/// The part of the settings that Newton's method reads.
NewtonSettings settings_newton(const SimulationSettings *settings);

/// The obstacles of the settings that contact treats as surfaces. Borrows settings->obstacles.
RigidObstacles settings_rigid(const SimulationSettings *settings);
