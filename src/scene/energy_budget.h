// Measures what the time integrator adds to energy and angular momentum, or takes from them.
//
// Energy: the user or the scene may pull the body by grabs. A grab is a set of springs with dampers, which pull nodes
// of the body to a target. While no load, pin, setting or target of a grab changes, nothing outside does work on the
// body. The sum of kinetic, elastic and potential energy (with the energy of the springs) then changes only by damping,
// dampers, friction, and errors of the integrator. Damping, dampers and friction only remove energy, so any gain comes
// from the integrator.
//
// Angular momentum: a change that no force explains is an error of the integrator (simulation_spin_balance).
#pragma once
#include "sim/simulation.h"

// Sums of the measured changes of energy and angular momentum. Zeroed: nothing was measured yet. Here a span is the
// time between two successive calls of energy_budget_update. A span is counted only if no load, pin, setting or target
// of a grab was changed in this time.
typedef struct EnergyBudget {
  double change;   // J, change of energy by integrator, damping and friction, summed over the counted spans
  double largest;  // J, maximum over all calls of kinetic plus elastic energy
  int64_t steps;   // number of steps in the counted spans
  bool known;      // energy_budget_update was called before
  // pressures act on a surface with a rim, or they vary on it, so their work is not a change of potential energy; no
  // span is counted then
  bool open_pressure;
  double total;  // J, sum of kinetic, elastic and potential energy at the last call of energy_budget_update
  // values at the last call of energy_budget_update. step: number of steps so far. touched: counter of the changes of
  // loads, pins, settings and targets (simulation_touched)
  int64_t step, touched;
  // Angular momentum about the centre of mass, kg m^2/s. spin_change: change of its magnitude by the integrator, summed
  // over all steps since the first call of energy_budget_update_spin. If the change was not measured in a step, it is
  // assumed to be the change in the next measured step. spin_largest: maximum of the magnitude in all measured steps.
  double spin_change, spin_largest;
  int64_t spin_steps;  // number of steps in which spin_change was measured
  bool spin_known;     // energy_budget_update_spin was called before
  int64_t starts;      // number of calls of energy_budget_begin
  int64_t spin_step;   // number of steps up to the first call of energy_budget_update_spin or the last measured step
} EnergyBudget;

/// Begins all sums again at 0, for example after the user has returned to an earlier step. Increases `starts`, so that
/// the works of pins and drags (observe) begin again too. Keeps open_pressure, which describes the present loads.
void energy_budget_begin(EnergyBudget *budget);

/// Measures the present energy, and stores it in *energy unless `energy` is NULL. Adds the change of energy since the
/// last call to budget->change. The change is not added if a load, pin or setting, or the position to which springs
/// pull (target of a grab), has changed since the last call. So the measurement is more complete if the function is
/// called often. A second call after the same step adds nothing. Waits for the device.
bool energy_budget_update(EnergyBudget *budget, Simulation *simulation, Energy *energy, Error *error);

/// Adds the change of angular momentum by the integrator in the last step to budget->spin_change. If several steps were
/// taken since the last measured step, the same change is assumed for each of them. The first call adds nothing: the
/// sum begins at the present step. A call also adds nothing if the change is unknown (SpinBalance.known). Waits for the
/// device.
bool energy_budget_update_spin(EnergyBudget *budget, Simulation *simulation, Error *error);

/// energy_budget_relative: returns budget->change / budget->largest. energy_budget_relative_spin: returns
/// budget->spin_change / budget->spin_largest. A quotient with divisor 0 is returned as 0.
double energy_budget_relative(const EnergyBudget *budget);
double energy_budget_relative_spin(const EnergyBudget *budget);

/// Writes the relative change of angular momentum as text, such as " (+0.1 % of its largest value)". Writes "" if the
/// change is larger than this value: then the body does not rotate, and both numbers are rounding errors.
void energy_budget_spin_text(const EnergyBudget *budget, char *text, size_t size);

/// Writes a message such as "the integrator added 0.12 J in 500 time steps; ... Use a smaller dt, ..." if the
/// integrator added more than 1 % of the largest energy. Otherwise writes "". `settings`: settings of the simulation.
void energy_budget_text(const EnergyBudget *budget, const SimulationSettings *settings, char *text, size_t size);
