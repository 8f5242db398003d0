// Measures the energy and the angular momentum that the time integrator adds or takes: see energy_budget.h.
#include "scene/energy_budget.h"

#include <math.h>
#include <stdio.h>

void energy_budget_begin(EnergyBudget *b) {
  *b = (EnergyBudget){ .open_pressure = b->open_pressure, .starts = b->starts + 1 };
}

bool energy_budget_update(EnergyBudget *b, Simulation *simulation, Energy *energy, Error *error) {
  Energy now;
  if (!simulation_energy(simulation, &now, error)) return false;
  if (energy) *energy = now;
  const double inner = now.kinetic + now.elastic, total = inner + now.potential;
  const int64_t step = simulation_step_count(simulation), touched = simulation_touched(simulation);
  if (b->known && !b->open_pressure && touched == b->touched && step > b->step) {
    b->change += total - b->total;
    b->steps += step - b->step;
  }
  b->largest = fmax(b->largest, inner);
  b->known = true;
  b->total = total;
  b->step = step;
  b->touched = touched;
  return true;
}

static double length_of(const double v[3]) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

bool energy_budget_update_spin(EnergyBudget *b, Simulation *simulation, Error *error) {
  const int64_t step = simulation_step_count(simulation);
  SpinBalance balance;
  if (!b->spin_known || step < b->spin_step) {
    b->spin_known = true;
    b->spin_step = step;
  }
  if (step == b->spin_step) return true;
  if (!simulation_spin_balance(simulation, &balance, error)) return false;
  if (!balance.known) return true;

  // Adding the vector `change` to the angular momentum alters its magnitude by change . L / |L|. L is the mean of the
  // angular momentum before and after the change.
  double middle[3], along = 0;
  for (int i = 0; i < 3; i++) {
    middle[i] = balance.spin[i] - balance.change[i] / 2;
    along += balance.change[i] * middle[i];
  }
  const double length = length_of(middle);
  along = length > 0 ? along / length : 0;
  b->spin_change += along * (double)(step - b->spin_step);
  b->spin_largest = fmax(b->spin_largest, length_of(balance.spin));
  b->spin_steps++;
  b->spin_step = step;
  return true;
}

double energy_budget_relative_spin(const EnergyBudget *b) {
  return b->spin_largest > 0 ? b->spin_change / b->spin_largest : 0;
}

double energy_budget_relative(const EnergyBudget *b) {
  return b->largest > 0 ? b->change / b->largest : 0;
}

void energy_budget_spin_text(const EnergyBudget *b, char *text, size_t size) {
  const double percent = 100 * energy_budget_relative_spin(b);
  text[0] = '\0';
  if (fabs(percent) <= 100) snprintf(text, size, " (%+.2g %% of its largest value)", percent);
}

void energy_budget_text(const EnergyBudget *b, const SimulationSettings *s, char *text, size_t size) {
  const bool contact = s->has_floor || s->obstacle_count > 0 || s->self_contact;
  const bool corrects = !contact && s->mass == MASS_LUMPED;  // midpoint_energy needs lumped masses and no contact
  const Integrator advised = corrects ? INTEGRATOR_MIDPOINT_ENERGY : INTEGRATOR_EULER_SPIN;
  const char *name = corrects ? "midpoint_energy" : "euler_spin";
  const bool other = s->integrator != advised;
  text[0] = '\0';
  if (energy_budget_relative(b) > 0.01)
    snprintf(text, size,
             "the integrator added %.3g J in %lld time steps; the sum of kinetic and elastic energy reached %.3g J. "
             "Use a smaller dt%s%s",
             b->change, (long long)b->steps, b->largest, other ? ", or integrator " : "", other ? name : "");
}
