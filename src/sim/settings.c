// Sets the defaults of a simulation's settings, and checks settings (settings.h).
#include "sim/settings.h"

#include <math.h>
#include <stdio.h>

#include "sim/element/element_row.h"
#include "sim/element/moduli.h"

#define SETTING_OF SimulationSettings
#define SETTING(field) field
#define SETTING_NOTED NULL
#define SETTING_CHOSEN(key) NULL
#define SETTING_DEVICE OPTION_CHOICE, FIELD(device), .choices = "cpu|cuda", .applies = APPLIES_TO_STAGE
const Option simulation_options[] = {
#include "sim/settings_rows.h"
  { 0 },
};
_Static_assert(sizeof simulation_options / sizeof *simulation_options <= 64,
               "a set of options has one bit per row, and at most 64 bits");

SimulationSettings simulation_defaults(void) {
  SimulationSettings s = {
#define NUMBER(key, value, ...) .key = value,
#define MODULUS(key, value, ...) .key = value,
#define INTEGER(key, value, ...) .key = value,
#define CHOICE(key, type, value, ...) .key = value,
#define FLAG(key, ...)
#define CHOSEN_FLAG(key, ...)
#define VECTOR(key, ...)
#define OPTIONAL(key, ...)
#define NUMBER_OR(word, key, ...)
#define STAGE(key, ...)
#define MATERIAL(key, ...)
#define DEVICE(key) .key = DEVICE_CPU,
#include "sim/settings_list.h"
  };

  // The default is the first material for linear tets. In a build without linear tets (option -Delements) it is
  // "neo_hookean", and simulation_create fails with a message that contains this name.
  const ElementRow *tets = element_row("tet4", NULL, DEVICE_CPU, PRECISION_F64);
  snprintf(s.material, sizeof s.material, "%s", tets ? tets->stage.name : "neo_hookean");
  return s;
}

Integrator simulation_integrator(const SimulationSettings *s) {
  if (s->integrator != INTEGRATOR_AUTO) return s->integrator;
  return s->has_floor || s->obstacle_count > 0 || s->self_contact ? INTEGRATOR_EULER_SPIN : INTEGRATOR_MIDPOINT;
}

// Returns the largest angle by which an obstacle turns in one step, degrees.
static double turns_max(const Obstacle *o, double dt) {
  const Spin *spin = &o->motion.spin;
  double maximum = spin->angle_count > 0 ? 0 : fabs(spin->speed);
  for (int k = 1; k < spin->angle_count; k++)
    maximum = fmax(maximum,
                   fabs(spin->angles[k][1] - spin->angles[k - 1][1]) / (spin->angles[k][0] - spin->angles[k - 1][0]));
  return motion_spins(&o->motion) ? maximum * dt : 0;
}

static bool check_material(const SimulationSettings *s, Error *error) {
  double parameters[MATERIAL_PARAMETERS];
  // A material that exists only for linear tets is checked with linear tets; stages_choose reports the error later if
  // the mesh has other cells.
  const ElementRow *row = element_row(simulation_shape(s), s->material, DEVICE_CPU, PRECISION_F64);
  if (!row)
    row = (const ElementRow *)stage_choose(STAGE_ELEMENT, s->material, DEVICE_CPU, PRECISION_F64, "tet4", error);
  settings_material(s, parameters);
  return row && (row->check(parameters, error) || error_about(error, s->material));
}

bool settings_check(const SimulationSettings *s, Error *error) {
  for (const Option *o = simulation_options; o->key; o++)
    if (!option_check(o, s, error)) return false;

  // Check conditions that involve several settings.
  if (!(s->lambda > -2.0 / 3 * s->mu))
    return error_set(error, "lambda is %g Pa, expected more than -2/3 mu = %g Pa", s->lambda, -2.0 / 3 * s->mu);
  if (!check_material(s, error)) return false;
  if (s->newton_absolute + s->newton_relative == 0)
    return error_set(
        error, "newton_absolute is %g and newton_relative is %g; at least one of these tolerances must be more than 0",
        s->newton_absolute, s->newton_relative);

  // Without self-contact, obstacles act on single nodes. With the midpoint rule, moving or curved obstacles can then
  // add energy: a ball with E = 1e9 Pa that rolled off a capsule gained 18 times its potential energy m g h
  // (docs/decisions/006-time-integrators-and-contact.md).
  for (int k = 0; k < s->obstacle_count && integrator_is_midpoint(s->integrator); k++)
    if (!obstacle_is_surface(&s->obstacles[k], s->self_contact) && !obstacle_is_floor(&s->obstacles[k]))
      return error_set(error,
                       "integrator \"midpoint\" supports only fixed planes as obstacles, since other obstacles may add "
                       "energy to stiff bodies; use \"auto\", \"euler\" or \"bdf2\"");

  for (int k = 0; k < s->obstacle_count; k++)
    if (!(turns_max(&s->obstacles[k], s->dt) <= OBSTACLE_TURN_MAX))
      return error_set(
          error,
          "obstacles entry %d turns by %g degrees in a time step of %g s, but at most %d degrees are allowed; use a "
          "smaller dt or a slower spin",
          k + 1, turns_max(&s->obstacles[k], s->dt), s->dt, OBSTACLE_TURN_MAX);

  if (s->self_contact && s->degree == 3)
    return error_set(error, "self_contact supports elements of degree 1 or 2, not 3");

  const bool consistent = s->mass == MASS_CONSISTENT;
  if (consistent && s->self_contact) return error_set(error, "self_contact requires mass \"lumped\"");
  if (consistent && s->solver_device != SOLVER_DEVICE_SAME &&
      (s->solver_device == SOLVER_DEVICE_CUDA) != (s->device == DEVICE_CUDA))
    return error_set(error, "mass \"consistent\" requires body and solver on one device; use solver_device \"same\"");

  for (int k = 0; k < s->obstacle_count && !s->self_contact; k++)
    if (s->obstacles[k].kind == OBSTACLE_MESH)
      return error_set(error,
                       "obstacles entry %d is a mesh, which only self_contact supports; set \"self_contact\": true to "
                       "keep surfaces apart",
                       k + 1);

  if (s->self_contact && s->solver_device != SOLVER_DEVICE_SAME &&
      (s->solver_device == SOLVER_DEVICE_CUDA) != (s->device == DEVICE_CUDA))
    return error_set(error, "self_contact requires body and solver on one device; use solver_device \"same\"");
  return true;
}

void settings_material(const SimulationSettings *s, double material[MATERIAL_PARAMETERS]) {
  material[MATERIAL_MU] = s->mu;
  material[MATERIAL_LAMBDA] = s->lambda;
  material[MATERIAL_SECOND_INVARIANT] = s->second_invariant;
}

NewtonSettings settings_newton(const SimulationSettings *s) {
  NewtonSettings newton = { .dt = s->dt,
                            .damping = s->damping,
                            .integrator = simulation_integrator(s),
                            .newton = s->newton,
                            .first_guess = s->first_guess,
                            .newton_max = s->newton_max,
                            .halvings_max = s->halvings_max,
                            .newton_absolute = s->newton_absolute,
                            .newton_relative = s->newton_relative,
                            .cg_relative = s->cg_relative,
                            .cg_max = s->cg_max };
  settings_material(s, newton.material);
  return newton;
}

bool settings_rub(const SimulationSettings *s) {
  bool rubs = s->friction > 0 && (s->has_floor || s->self_contact);
  for (int k = 0; k < s->obstacle_count; k++) rubs = rubs || s->obstacles[k].friction > 0;
  return rubs;
}

RigidObstacles settings_rigid(const SimulationSettings *s) {
  return (RigidObstacles){ .list = s->obstacles,
                           .count = s->obstacle_count,
                           .self_contact = s->self_contact,
                           .floor = s->has_floor ? &s->floor_height : NULL,
                           .pusher = s->pusher };
}
