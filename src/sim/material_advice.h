// Advice for a failed step whose cause may be the material.
#pragma once
#include "sim/simulation.h"

enum { MATERIAL_ADVICE = 240 };

/// If the settings' material loses its stiffness under compression, writes a clause that names it and a better one: ";
/// material ... collapses ...: take ...". Else writes "". The clause is appended to an error message.
void material_advice(const SimulationSettings *settings, char text[MATERIAL_ADVICE]);
