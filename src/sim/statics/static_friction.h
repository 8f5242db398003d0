// Coulomb friction in static problems. The load is applied in increments, and each increment is solved in passes:
//
// 1. In the first pass, all pairs of surfaces that touch stick, since their normal forces are not known yet.
// 2. Further passes use the normal forces, the normals and the nearest points at the end of the pass before. Each
//    pair has a spring with return mapping (contact/sliding.h, law 2), by which it sticks or slips. In all passes,
//    sliding is measured from the last equilibrium, so a pass can undo a slip of the pass before.
//
// The passes end when a pass needs no Newton iteration. Then equilibrium and Coulomb's law hold to Newton's tolerance.
// After PASSES_MAX passes the solution fails. A pair that sticks still moves by up to mu N / k, with the coefficient of
// friction mu, the normal force N and the stiffness k = area * modulus / reach of its spring (contact/barrier.h). A
// larger setting contact_modulus shortens this motion.
//
// Without self-contact, the floor and obstacles act on single nodes, and Newton's method finds their friction itself
// (force/floor.h).
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Finds the equilibrium under the present loads, as simulation_equilibrium, with friction. `from`: positions in the
/// last equilibrium. `guess`: positions from which Newton's method starts. Both arrays are [node_count][3], m. In
/// `guess`, pinned nodes have their new positions. Passes are successive solutions with updated friction; the report
/// has their total numbers of Newton and CG iterations. If a pass fails, report->converged is false, and friction is as
/// in the last equilibrium.
bool static_friction_solve(Simulation *simulation, const double (*from)[3], const double (*guess)[3],
                           StepReport *report, Error *error);

/// Called after static_friction_solve has found no equilibrium. Writes a clause for messages if nearly all friction has
/// reached its limit mu N, so that the body slips. Otherwise, and without self-contact, writes "".
bool static_friction_text(Simulation *simulation, char *text, size_t size, Error *error);

#ifdef __cplusplus
}
#endif
