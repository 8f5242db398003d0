// A simulation's settings: what they may be.
#pragma once
#include "sim/simulation.h"

/// Fails with the key, its value and what would be right. Names of stages are looked at where they are chosen.
bool settings_check(const SimulationSettings *settings, Error *error);
