// Natural frequencies and shapes of a body about its present state: K x = omega^2 M x, with tangent K and masses M of
// the settings. Held unknowns do not move. A free body has six rigid motions of frequency 0.
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct Modes {
  int count, nodes;
  int rigid;           // number of modes without stiffness
  double *eigenvalue;  // [count] 1/s^2, ascending; negative: the state is not stable
  double *frequency;   // [count] Hz; negative for a negative eigenvalue
  double (*mass)[3];   // [count] fraction of the body's mass that moves along x, y, z (effective modal mass)
  double (*shape)[3];  // [count][nodes], in the order of the mesh; the largest displacement is 1
} Modes;

/// Returns the reason why modes cannot be computed on this machine, as one clause, or NULL.
const char *modes_absence(void);

/// Computes the lowest modes. The simulation must have precision double, and a matrix with entries on the CPU, as the
/// solver "cholmod" has. Contact is ignored. The caller releases the modes by modes_destroy.
bool simulation_modes(Simulation *simulation, int count, Modes *modes, Error *error);
void modes_destroy(Modes *modes);

#ifdef __cplusplus
}
#endif
