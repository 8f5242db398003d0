// Measures the energy that the time integrator adds by its errors: see energy_budget.h.
#include "scene/energy_budget.h"

#include <math.h>
#include <stdio.h>

bool energy_budget_update(EnergyBudget *b, Simulation *simulation, Energy *energy, Error *error) {
  Energy now;
  if (!simulation_energy(simulation, &now, error)) return false;
  if (energy) *energy = now;
  const double inner = now.kinetic + now.elastic, total = inner + now.potential;
  const int64_t step = simulation_step_count(simulation), touched = simulation_touched(simulation);
  if (b->known && touched == b->touched && step > b->step) {
    b->change += total - b->total;
    b->steps += step - b->step;
  }
  b->largest = fmax(b->largest, inner);
  b->known = true;
  b->total = total, b->step = step, b->touched = touched;
  return true;
}

double energy_budget_relative(const EnergyBudget *b) {
  return b->largest > 0 ? b->change / b->largest : 0;
}

void energy_budget_text(const EnergyBudget *b, char *text, size_t size) {
  text[0] = '\0';
  const double gained = energy_budget_relative(b);
  if (gained > 0.01)
    snprintf(text, size,
             "the integrator added %.3g J in %lld steps; kinetic and elastic energy reached %.3g J. Use a smaller "
             "dt or midpoint_energy (in contact: euler_spin, bdf2)",
             b->change, (long long)b->steps, b->largest);
}
