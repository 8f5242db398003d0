// Measures the energy that the time integrator adds by its errors. While no load, pin, setting or target of a grab
// changes, nothing does work on the body from outside. The sum of kinetic, elastic and potential energy then changes
// only by damping, dampers of grabs, friction, and errors of the integrator. Damping, dampers and friction only remove
// energy, so any gain comes from the integrator.
#pragma once
#include "sim/simulation.h"

// A zeroed EnergyBudget is empty. A span is the time between two calls of energy_budget_update. A span is counted if
// nothing did work on the body from outside.
typedef struct EnergyBudget {
  double change;          // J, sum of the changes of energy over the counted spans
  double largest;         // J, maximum of kinetic plus elastic energy over all calls
  int64_t steps;          // number of steps in the counted spans
  bool known;             // energy_budget_update was called before
  double total;           // J, sum of kinetic, elastic and potential energy at the last call of energy_budget_update
  int64_t step, touched;  // at the last call: number of steps so far, and number of changes from outside so far
} EnergyBudget;

/// Measures the present energy, and stores it in *energy unless `energy` is NULL. Should be called often, since a span
/// with any work from outside is not counted at all. Waits for the device.
bool energy_budget_update(EnergyBudget *budget, Simulation *simulation, Energy *energy, Error *error);

/// Returns the added energy relative to the largest energy: budget->change / budget->largest; 0 if `largest` is 0.
double energy_budget_relative(const EnergyBudget *budget);

/// Writes a message such as "the integrator added 0.12 J in 500 steps; ... Use a smaller dt, ..." if the integrator
/// added more than 1 % of the largest energy. Otherwise writes "".
void energy_budget_text(const EnergyBudget *budget, char *text, size_t size);
