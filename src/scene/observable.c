// The table of observables, quantities of a running scene such as energies: see observable.h. To add one, add a row
// here, and the function that computes it to observable_values.c or observable_forces.c.
#include "scene/observable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/meant.h"
#include "base/ranks.h"
#include "scene/json_file.h"
#include "scene/observable_subjects.h"
#include "scene/observable_values.h"

#define OF_REPORT(member) .when = OBSERVED_AFTER_STEP, .size = 1, .offset = offsetof(StepReport, member)
#define OF_PATCH(named, in, components, function, text)                                         \
  {                                                                                             \
    .name = (named), .unit = (in), .summary = (text), .subject = "PATCH", .size = (components), \
    .when = OBSERVED_ON_DEMAND, .find = subject_find_patch, .evaluate = (function)              \
  }
#define OF_ENERGY(member) \
  .when = OBSERVED_ON_DEMAND, .offset = offsetof(Energy, member), .evaluate = observe_energy_member

const Observable observables[] = {
  { .name = "kinetic", .unit = "J", .summary = "kinetic energy", .plot = "energy", .size = 1, OF_ENERGY(kinetic) },
  { .name = "elastic", .unit = "J", .summary = "elastic energy", .plot = "energy", .size = 1, OF_ENERGY(elastic) },
  { .name = "potential",
    .unit = "J",
    .summary = "potential energy of loads, gravity, drags, pulls by the mouse, and contact; 0 in the shape at rest",
    .plot = "energy",
    .size = 1,
    .of_past = true,
    OF_ENERGY(potential) },
  { .name = "gravitational",
    .unit = "J",
    .summary = "potential energy of gravity only; 0 in the shape at rest",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .evaluate = observe_gravitational_energy },
  { .name = "energy",
    .unit = "J",
    .summary = "sum of kinetic, elastic and potential energy",
    .plot = "energy",
    .size = 1,
    .of_past = true,
    .when = OBSERVED_ON_DEMAND,
    .evaluate = observe_total_energy },
  { .name = "energy_change",
    .unit = "J",
    .summary =
        "energy that damping, friction and the integrator have added since the first row of the table; "
        "negative: removed; not counted: time steps in which loads, pins, drags or settings change, or in which a "
        "pressure acts on a part of the surface",
    .plot = "energy",
    .size = 1,
    .of_past = true,
    .when = OBSERVED_ON_DEMAND,
    .is_sum = true,
    .evaluate = observe_energy_change },
  { .name = "momentum", .unit = "kg m/s", .summary = "linear momentum of all bodies", .size = 3, OF_ENERGY(linear) },
  { .name = "angular_momentum",
    .unit = "kg m^2/s",
    .summary = "angular momentum of all bodies about the origin",
    .size = 3,
    OF_ENERGY(angular) },
  { .name = "spin_change",
    .unit = "kg m^2/s",
    .summary =
        "error of the time integrator: the amount that it has added to the magnitude of the angular momentum about the "
        "centre of mass since the first row of the table; negative: removed",
    .plot = "spin change by the integrator",
    .size = 1,
    .of_past = true,
    .when = OBSERVED_ON_DEMAND,
    .is_sum = true,
    .evaluate = observe_spin_change },
  { .name = "volume",
    .unit = "m^3",
    .summary = "total volume of all bodies",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .evaluate = observe_volume },
  { .name = "contact_push",
    .unit = "N",
    .summary = "sum of the magnitudes of all normal contact forces",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .evaluate = observe_contact_push },
  { .name = "contact_force",
    .unit = "N",
    .summary = "contact force of B on A, with friction; A and B: name or number of a body, floor, \"obstacle 1\", or "
               "name of an obstacle",
    .subject = "A/B",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_pair,
    .evaluate = observe_contact_force },
  { .name = "contact_moment",
    .unit = "N m",
    .summary = "moment of the contact force of B on A, with friction, about the origin of coordinates",
    .subject = "A/B",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_pair,
    .evaluate = observe_contact_moment },
  { .name = "contact_magnitude",
    .unit = "N",
    .summary = "magnitude of the contact force of B on A, with friction",
    .subject = "A/B",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_pair,
    .evaluate = observe_contact_magnitude },
  { .name = "contact_distance",
    .unit = "m",
    .summary =
        "smallest distance between the surfaces of the bodies A and B; if one is the floor, or an obstacle that is "
        "no mesh, smallest distance of the body's nodes from it",
    .subject = "A/B",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_distance_pair,
    .evaluate = observe_pair_distance },
  { .name = "reaction",
    .unit = "N",
    .summary = "force with which an entry of the list pins holds the body",
    .subject = "ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_pin,
    .evaluate = observe_pin_reaction },
  { .name = "reaction_moment",
    .unit = "N m",
    .summary = "moment with which an entry of the list pins holds the body, about the mean position of the held nodes",
    .subject = "ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_pin,
    .evaluate = observe_pin_moment },
  { .name = "reaction_work",
    .unit = "J",
    .summary = "work that a moving entry of the list pins has done on the body since the first row of the table",
    .subject = "ENTRY",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_pin,
    .is_sum = true,
    .evaluate = observe_pin_work },
  { .name = "drag_force",
    .unit = "N",
    .summary = "force with which an entry of the list drags pulls the body",
    .subject = "ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_drag,
    .evaluate = observe_drag_force },
  { .name = "drag_moment",
    .unit = "N m",
    .summary =
        "moment with which an entry of the list drags pulls the body, about the mean position of the pulled nodes",
    .subject = "ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_drag,
    .evaluate = observe_drag_moment },
  { .name = "drag_work",
    .unit = "J",
    .summary = "work that an entry of the list drags has done since the first row of the table, on the body and on its "
               "own springs and dampers",
    .subject = "ENTRY",
    .size = 1,
    .when = OBSERVED_ON_DEMAND,
    .of_past = true,
    .find = subject_find_drag,
    .is_sum = true,
    .evaluate = observe_drag_work },
  { .name = "hand_force",
    .unit = "N",
    .summary = "sum of the forces with which the mouse and kept pulls (key K in the window) act on the body",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .of_past = true,
    .evaluate = observe_hand_force },
  { .name = "position",
    .unit = "m",
    .summary = "position of a node, given by its number in the mesh file",
    .subject = "NODE",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_node,
    .evaluate = observe_node_position },
  { .name = "centre",
    .unit = "m",
    .summary = "mean position of the nodes that an entry of the list pins, forces or drags selects",
    .subject = "LIST/ENTRY",
    .size = 3,
    .when = OBSERVED_ON_DEMAND,
    .find = subject_find_region,
    .evaluate = observe_region_centre },
  OF_PATCH("patch_area", "m^2", 1, observe_patch_area,
           "area of a patch at rest: of the faces of the surface whose corners are within a ball X/Y/Z/RADIUS (m, "
           "optionally /BODY), or in the region of an entry as pins/1"),
  OF_PATCH("patch_displacement", "m", 3, observe_patch_displacement,
           "mean displacement of a patch; means are weighted by area"),
  OF_PATCH("patch_velocity", "m/s", 3, observe_patch_velocity, "mean velocity of a patch"),
  OF_PATCH("patch_von_mises", "Pa", 1, observe_patch_von_mises, "mean von Mises stress at a patch"),
  OF_PATCH("patch_principal", "Pa", 1, observe_patch_principal, "mean of the largest principal stress at a patch"),
  OF_PATCH("patch_J", "", 1, observe_patch_J, "mean of the ratio of deformed to rest volume at a patch"),
  OF_PATCH("patch_force", "N", 3, observe_patch_contact,
           "sum of the contact forces on the nodes of a patch, with friction"),
  OF_PATCH("patch_push", "N", 1, observe_patch_contact,
           "sum of the magnitudes of the normal contact forces on the nodes of a patch"),
  { .name = "newton_iterations",
    .unit = "",
    .summary = "Newton iterations in the time step; each solves one linear system",
    .plot = "Newton iterations per step",
    OF_REPORT(newton_iterations),
    .evaluate = observe_report_count },
  { .name = "cg_iterations",
    .unit = "",
    .summary = "iterations of conjugate gradients (CG) in the time step",
    .plot = "CG iterations per step",
    OF_REPORT(cg_iterations),
    .evaluate = observe_report_count },
  { .name = "backtracks",
    .unit = "",
    .summary = "trial states that the line search refused, so that it shortened the Newton step",
    OF_REPORT(backtracks),
    .evaluate = observe_report_count },
  { .name = "substeps",
    .unit = "",
    .summary = "substeps into which the time step was divided; 1: it was not divided",
    OF_REPORT(substeps),
    .evaluate = observe_report_count },
  { .name = "damped",
    .unit = "",
    .summary = "substeps in which backward Euler replaced the chosen integrator",
    OF_REPORT(damped),
    .evaluate = observe_report_count },
  { .name = "guessed",
    .unit = "",
    .summary = "substeps in which Newton's method started from the displacements that the key first_guess selects",
    OF_REPORT(guessed),
    .evaluate = observe_report_count },
  { .name = "without_host",
    .unit = "",
    .summary = "1 if the GPU ran all iterations of the time step without a decision by the CPU, else 0",
    OF_REPORT(without_host),
    .is_flag = true,
    .evaluate = observe_report_flag },
  { .name = "rounded",
    .unit = "",
    .summary = "substeps that ended above the tolerance, because the remaining residual was rounding error",
    OF_REPORT(rounded),
    .evaluate = observe_report_count },
  { .name = "indefinite",
    .unit = "",
    .summary = "linear systems whose matrix was not positive definite",
    OF_REPORT(indefinite),
    .evaluate = observe_report_count },
  { .name = "converged",
    .unit = "",
    .summary = "1 if all substeps converged, else 0",
    OF_REPORT(converged),
    .is_flag = true,
    .evaluate = observe_report_flag },
  { .name = "residual",
    .unit = "",
    .summary = "norm of the residual at the end of Newton's method, kg m/s; for `pliant solve` in N",
    OF_REPORT(residual),
    .evaluate = observe_report_number },
  { .name = "tolerance",
    .unit = "",
    .summary = "norm of the residual below which Newton's method stops, in the unit of residual",
    OF_REPORT(tolerance),
    .evaluate = observe_report_number },
  { .name = "min_J",
    .unit = "",
    .summary = "smallest ratio of deformed to rest volume of all cells (det F); 0 or less: an inverted cell",
    OF_REPORT(min_J),
    .evaluate = observe_report_number },
  { 0 },
};

_Static_assert(sizeof observables / sizeof *observables - 1 <= OBSERVABLES_MAX,
               "arrays have a place for each observable");

// Writes the message for a text whose first `length` bytes, the name, are the name of no observable. The message
// suggests the nearest name and lists all names.
static void report_unknown(const char *text, size_t length, Error *error) {
  char name[64], known[ERROR_LENGTH] = "", suggestion[96];
  snprintf(name, sizeof name, "%.*s", (int)length, text);
  Meant meant = meant_by(name);
  for (const Observable *row = observables; row->name; row++) {
    const size_t used = strlen(known);
    meant_offer(&meant, row->name);
    snprintf(known + used, sizeof known - used, "%s%s%s%s", used ? ", " : "", row->name, row->subject ? ":" : "",
             row->subject ? row->subject : "");
  }
  error_set(error, "there is no observable \"%.60s\"%s; there are: %s", text, meant_text(&meant, suggestion), known);
}

const Observable *observable_find(const char *text, const char **subject, Error *error) {
  const size_t length = strcspn(text, ":");
  const bool has_colon = text[length] == ':';
  *subject = text + length + has_colon;

  const Observable *row = observables;
  while (row->name && (strlen(row->name) != length || strncmp(row->name, text, length) != 0)) row++;
  if (!row->name) {
    report_unknown(text, length, error);
    return NULL;
  }

  if (row->subject && !**subject) {
    error_set(error, "the observable %s needs a colon and a name or number after it: %s:%s (%s)", row->name, row->name,
              row->subject, row->summary);
    return NULL;
  }
  if (!row->subject && has_colon) {
    error_set(error, "the observable %s takes no argument, but it has one in \"%.100s\"", row->name, text);
    return NULL;
  }
  return row;
}

bool observable_find_subject(const Observable *row, const Session *session, const char *text, ObservedSubject *subject,
                             Error *error) {
  const Ranks *ranks = session->scene.simulation.ranks;
  *subject = (ObservedSubject){ 0 };
  if (!row->find) return true;
  const bool ok = !ranks_is_first(ranks) || row->find(session, text, subject, error);
  return ranks_follow(ranks, ok, subject, sizeof *subject, error);  // only process 0 has the whole surface
}

void observable_label(const Observable *row, const char *text, int component, char label[OBSERVABLE_LABEL]) {
  size_t length = (size_t)snprintf(label, OBSERVABLE_LABEL, "%.*s%s", OBSERVABLE_TEXT_MAX, text,
                                   row->size == 1 || component < 0 ? ""
                                   : component == 0                ? "_x"
                                   : component == 1                ? "_y"
                                                                   : "_z");
  if (row->unit[0]) label[length++] = '_';
  for (const char *c = row->unit; *c; c++)
    if (*c != '^') label[length++] = *c == ' ' || *c == '/' ? '_' : *c;
  label[length] = '\0';
}

static cJSON *number_json(double value) {
  return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

void observable_add_json(const Observable *row, const char *key, const double *value, cJSON *object) {
  if (row->is_flag && isfinite(value[0])) {
    cJSON_AddBoolToObject(object, key, value[0] != 0);
    return;
  }
  if (row->size == 1) {
    json_put(object, key, number_json(value[0]));
    return;
  }
  cJSON *list = cJSON_AddArrayToObject(object, key);
  for (int i = 0; i < row->size; i++) json_append(list, number_json(value[i]));
}

bool observe(Observed *o, const Observable *row, ObservedSubject *subject, double *value, Error *error) {
  const bool known = row->when == OBSERVED_ON_DEMAND || o->report;
  for (int i = 0; i < row->size; i++) value[i] = known ? 0 : NAN;
  if (known && !row->evaluate(row, o, subject, value, error)) return false;

  // Only process 0 has all cells and the surface, from which a volume or a distance is computed. Its values are sent to
  // all processes. A failure is not, because a process may then have left out communication inside `evaluate`.
  if (row->when == OBSERVED_AFTER_STEP) return true;
  return ranks_follow(o->session->scene.simulation.ranks, true, value, sizeof *value * (size_t)row->size, error);
}
