// Natural vibrations of a body about its present state: solutions of K x = omega^2 M x with the tangent matrix K and
// the mass matrix M, lumped or consistent. x is the shape of a mode, and omega its angular frequency. Pinned unknowns
// do not move. A free body has six rigid motions of frequency 0.
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// The modes of vibration that simulation_modes computes, in the order of ascending eigenvalues.
typedef struct Modes {
  int count, nodes;    // number of modes, and number of nodes of the mesh
  int rigid;           // number of rigid motions among the modes
  double *eigenvalue;  // [count], omega^2, 1/s^2, ascending; negative: the state is an unstable equilibrium
  double *frequency;   // [count], omega / (2 pi), Hz; negative for a negative eigenvalue
  double (*mass)[3];   // [count], effective modal mass of each mode along x, y and z, as a fraction of the body's mass
  // [count][nodes][3]: displacement of each node in each mode, in the mesh's order of nodes. Each mode is scaled so
  // that its largest displacement is 1, without unit.
  double (*shape)[3];
} Modes;

/// Returns the reason why modes cannot be computed on this machine, as one clause; NULL if they can.
const char *modes_absence(void);

/// Computes the `count` lowest modes. The simulation must have precision double and a matrix whose entries are stored
/// on the CPU, as with solver "cholmod". Contact is ignored. The caller frees the modes by modes_destroy.
bool simulation_modes(Simulation *simulation, int count, Modes *modes, Error *error);
void modes_destroy(Modes *modes);

#ifdef __cplusplus
}
#endif
