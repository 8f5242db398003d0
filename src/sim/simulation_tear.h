// Tets that a stress tears out of a body: which ones, and room for that to go on in place. See simulation.h.
#pragma once
#include "sim/simulation.h"

/// The tets whose Cauchy stress, FIELD_PRINCIPAL or FIELD_VON_MISES of its mean over the tet, is more than `stress` Pa
/// in the present state: *count of them, marked in *torn [tet_count], which free() releases; NULL where there is none,
/// of which nothing but that leaves the device. Computed in double, whatever the precision; a stress that is no number,
/// as of an inverted tet, is not more. For tets of degree 1 and 2. Waits.
bool simulation_find_torn(Simulation *simulation, FieldKind measure, double stress, uint8_t **torn, int *count,
                          Error *error);

/// Makes room for taking tets out, beside that of simulation_make_room, so that the first tear need not; nothing where
/// that is not done in place. Fails for lack of memory.
bool simulation_make_room_to_tear(Simulation *simulation, Error *error);
