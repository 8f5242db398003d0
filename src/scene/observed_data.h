// Data of a session's state that several observables need, such as positions. They are computed when first needed, and
// freed by observed_end (observable.h).
#pragma once
#include "scene/observable.h"

/// Compute the members of *observed that the name of the function states, if they are not known yet: energies;
/// positions x; forces of pins and drags (reactions); contacts between bodies and with obstacles; contact forces on
/// nodes (load and push). Fail if memory runs out, or with a message of the simulation.
bool observed_need_energy(Observed *observed, Error *error);
bool observed_need_positions(Observed *observed, Error *error);
bool observed_need_reactions(Observed *observed, Error *error);
bool observed_need_contacts(Observed *observed, Error *error);
bool observed_need_loads(Observed *observed, Error *error);
