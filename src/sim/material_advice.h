// Advice for the user after a failed step, if the material may be the cause.
#pragma once
#include "sim/simulation.h"

enum { MATERIAL_ADVICE = 240 };

/// Writes a clause for the end of an error message if the settings' material loses its stiffness under compression. An
/// example is `; material "stvk" (...) loses its stiffness under compression and collapses: use material
/// "neo_hookean"`. Writes "" if the material keeps its stiffness, or if no better material exists.
void material_advice(const SimulationSettings *settings, char text[MATERIAL_ADVICE]);
