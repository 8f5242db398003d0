// Functions that compute the values of observables. The rows of the table of observables point to them (member
// `evaluate`), and the summary of a row describes the value.
#pragma once
#include "scene/observable.h"

// The head of a function that computes the components value [row->size] of an observable, which the caller has set
// to 0.
#define EVALUATE(name) \
  bool name(const Observable *row, Observed *o, ObservedSubject *subject, double *value, Error *error)

/// These functions return the member of StepReport that begins at byte row->offset: an int, a bool or a double.
EVALUATE(observe_report_count);
EVALUATE(observe_report_flag);
EVALUATE(observe_report_number);

/// Energies and momenta. observe_energy_member returns the member of Energy that begins at byte row->offset.
EVALUATE(observe_energy_member);
EVALUATE(observe_total_energy);
EVALUATE(observe_energy_change);
EVALUATE(observe_spin_change);
EVALUATE(observe_gravitational_energy);

/// Positions, volumes and distances.
EVALUATE(observe_volume);
EVALUATE(observe_node_position);
EVALUATE(observe_region_centre);
EVALUATE(observe_pair_distance);

/// Patches of the surface. observe_patch_contact adds up contact forces if the row has 3 components, otherwise the
/// magnitudes of their normal parts.
EVALUATE(observe_patch_area);
EVALUATE(observe_patch_displacement);
EVALUATE(observe_patch_velocity);
EVALUATE(observe_patch_von_mises);
EVALUATE(observe_patch_principal);
EVALUATE(observe_patch_J);
EVALUATE(observe_patch_contact);

/// Forces, moments and work of pins and drags (observable_forces.c).
EVALUATE(observe_pin_reaction);
EVALUATE(observe_pin_moment);
EVALUATE(observe_pin_work);
EVALUATE(observe_drag_force);
EVALUATE(observe_drag_moment);
EVALUATE(observe_drag_work);

/// Forces of the mouse, and contact forces between bodies (observable_forces.c).
EVALUATE(observe_hand_force);
EVALUATE(observe_contact_push);
EVALUATE(observe_contact_force);
EVALUATE(observe_contact_moment);
EVALUATE(observe_contact_magnitude);
