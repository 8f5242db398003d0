// Tearing: finds tets whose stress exceeds a limit, and reserves memory for their removal by simulation_split.
#pragma once
#include "sim/simulation.h"

/// Finds tets whose mean Cauchy stress in the present state exceeds a limit. `measure` is FIELD_PRINCIPAL or
/// FIELD_VON_MISES, and `stress` the limit, Pa. *count is the number of such tets. *torn [tet_count] is 1 for such a
/// tet, else 0; the caller frees it. If there is no such tet, *torn is NULL, and only the count is copied from the
/// device. Stresses are computed in double. A tet with stress NaN, such as an inverted one, is not counted. Supports
/// tets of degree 1 and 2. Waits for the device.
bool simulation_find_torn(Simulation *simulation, FieldKind measure, double stress, uint8_t **torn, int *count,
                          Error *error);

/// Reserves memory so that the first tear allocates less: for an eighth more nodes and cells, as simulation_reserve
/// does, and for the removal of tets. Does nothing if tets cannot be removed in place. Fails if memory runs out.
bool simulation_reserve_for_tears(Simulation *simulation, Error *error);
