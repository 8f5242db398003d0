// How much energy the integrator adds or takes. While nothing from outside works on the body (no load, pin, setting or
// target of a grab changes), only damping, the dampers of grabs and friction change the sum of kinetic, elastic and
// potential energy, and they only take. So any gain comes from the integrator.
#pragma once
#include "sim/simulation.h"

// Zeroed at the beginning.
typedef struct EnergyBudget {
  double change;   // J, over all spans between two looks without work from outside
  double largest;  // J, of kinetic and elastic energy together, at any look
  int64_t steps;   // in those spans
  bool known;      // whether there was a look
  double total;    // J, at the last look
  int64_t step, touched;
} EnergyBudget;

/// Looks at the energy now, and writes it into `energy` unless that is NULL. To be called often, since a span between
/// two looks with any work from outside is left out as a whole. Waits for the device.
bool energy_budget_look(EnergyBudget *budget, Simulation *simulation, Energy *energy, Error *error);

/// change over largest; 0 where nothing is known.
double energy_budget_relative(const EnergyBudget *budget);

/// Writes "the integrator added 0.12 J in 500 steps, to 1.2 J ...; take ..." if it added more than 1 % of the largest
/// energy; else "".
void energy_budget_text(const EnergyBudget *budget, char *text, size_t size);
