// A simulation's settings: what they may be, and what they say of the material.
#pragma once
#include "sim/contact/rigid_surface.h"
#include "sim/element/material/parameters.h"
#include "sim/simulation.h"

/// Fails with the key, its value and what would be right. Names of stages are looked at where they are chosen.
bool settings_check(const SimulationSettings *settings, Error *error);

/// What the material is given; see element/material/parameters.h.
void settings_material(const SimulationSettings *settings, double material[MATERIAL_PARAMETERS]);

/// The part of the settings that Newton's method reads.
NewtonSettings settings_newton(const SimulationSettings *settings);

/// The obstacles of the settings that contact treats as surfaces. Borrows settings->obstacles.
RigidObstacles settings_rigid(const SimulationSettings *settings);
