// Measures the energy that the time integrator adds by its errors. While no load, pin, setting or grab target changes,
// nothing outside does work on the body. The sum of kinetic, elastic and potential energy then changes only by damping,
// friction and the integrator. Damping and friction remove energy, so any gain comes from the integrator.
#pragma once
#include "sim/simulation.h"

// A zeroed EnergyBudget is empty. A span is the time between two calls of energy_budget_update. It is counted if
// nothing outside has done work on the body.
typedef struct EnergyBudget {
  double change;          // J, change of energy, summed over the counted spans
  double largest;         // J, largest sum of kinetic and elastic energy at all calls
  int64_t steps;          // number of steps in the counted spans
  bool known;             // energy_budget_update was called before
  double total;           // J, kinetic + elastic + potential energy at the last call
  int64_t step, touched;  // at the last call: number of steps, and number of changes from outside (simulation_touched)
} EnergyBudget;

/// Measures the present energy and stores it in *energy, if not NULL. Frequent calls count more, since a span with any
/// work from outside is not counted. Waits for the device.
bool energy_budget_update(EnergyBudget *budget, Simulation *simulation, Energy *energy, Error *error);

/// Returns budget->change / budget->largest: the change of energy relative to the largest energy; 0 if `largest` is 0.
double energy_budget_relative(const EnergyBudget *budget);

/// Writes a message with the added energy and a remedy if it exceeds 1 % of the largest energy; otherwise writes "".
void energy_budget_text(const EnergyBudget *budget, char *text, size_t size);
