// Search for tets that are torn out of a body by stress, and memory for their removal in place. See simulation.h.
#pragma once
#include "sim/simulation.h"

/// Finds tets whose mean Cauchy stress in the present state has a measure (FIELD_PRINCIPAL or FIELD_VON_MISES) above
/// `stress` Pa. *count is their number. *torn [tet_count] is 1 for them, and released by free(); it is NULL if there is
/// none, and then only the count is copied from the device. Computes in double in both precisions. A NaN, for example
/// of an inverted tet, counts as not above. For tets of degree 1 and 2. Waits for the device.
bool simulation_find_torn(Simulation *simulation, FieldKind measure, double stress, uint8_t **torn, int *count,
                          Error *error);

/// As simulation_reserve, also for the removal of tets, so that the first tear allocates less. Does nothing if tets
/// cannot be removed in place. Fails if memory runs out.
bool simulation_reserve_for_tears(Simulation *simulation, Error *error);
