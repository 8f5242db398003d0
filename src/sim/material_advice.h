// Advice for the user after a failed step, if the material may be the cause.
#pragma once
#include "sim/simulation.h"

enum { MATERIAL_ADVICE = 240 };

/// Writes a clause for the end of an error message: "; material ... collapses ...: take ...". Writes "" unless the
/// settings' material loses its stiffness under compression and a better one exists.
void material_advice(const SimulationSettings *settings, char text[MATERIAL_ADVICE]);
