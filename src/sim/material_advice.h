// Advice for a failed step whose cause may be the material.
#pragma once
#include "sim/simulation.h"

enum { MATERIAL_ADVICE = 240 };

/// Writes a clause that names the material and a better one, "; material ... collapses ...: take ...", if the material
/// loses its stiffness under compression. Else writes "".
void material_advice(const SimulationSettings *settings, char text[MATERIAL_ADVICE]);
