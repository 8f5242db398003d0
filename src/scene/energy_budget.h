// What the integrator does to a body's energy: while nothing from outside works on the body (no load, pin, setting or
// target of a grab is changed) kinetic, elastic and potential energy together change by nothing else but damping, a grab's
// dampers and friction, which only take. What is gained is the integrator's.
#pragma once
#include "sim/simulation.h"

// Zeroed at the beginning.
typedef struct EnergyBudget {
  double change;   // J, over all spans between two looks without work from outside
  double largest;  // J, of kinetic and elastic energy together, at any look
  int64_t steps;   // in those spans
  bool known;      // there was a look
  double total;    // J, at the last look
  int64_t step, touched;
} EnergyBudget;

/// Looks at the energy now, which `energy` then holds unless it is NULL. Often is better: a span with work from outside,
/// however short, is left out whole. Waits.
bool energy_budget_look(EnergyBudget *budget, Simulation *simulation, Energy *energy, Error *error);

/// change over largest; 0 where there is nothing to tell.
double energy_budget_relative(const EnergyBudget *budget);

/// "the integrator gained 12 % of energy in 500 steps; ...", with what helps, where it gained more than 1 %; else "".
void energy_budget_text(const EnergyBudget *budget, char *text, size_t size);
