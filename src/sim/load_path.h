// Quasi-static loading: from the present state to equilibrium under the whole load, by increments of a load factor from
// 0 to 1. Newton's method converges only near the solution. Therefore a failed increment is halved, and later ones are
// doubled again. Each increment starts from a linear extrapolation of the last two states.
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LoadPath {
  int increments;                // number of equal increments, if none is halved
  const double (*force)[3];      // [node_count] N at factor 1, or NULL; the simulation's gravity acts too, unscaled
  const PressureLoad *pressure;  // pressures at factor 1; NULL: none
  const double (*move)[3];       // [node_count] m, displacements of held unknowns at factor 1; NULL: none
  // adds displacements of held unknowns at a factor to moved [node_count][3] m, for motions that are not linear; may be
  // NULL
  void (*follow)(void *user, double factor, double (*moved)[3]);
  const uint8_t *pinned;  // [node_count], as in simulation_create; NULL: no pins
  // called after each increment unless NULL; if it returns false, the path ends with its error
  bool (*reached)(void *user, double factor, const StepReport *report, Error *error);
  void *user;  // argument of `follow` and `reached`
} LoadPath;

typedef struct LoadPathReport {
  int increments, halvings, newton_iterations, cg_iterations;
  double factor;    // load factor at the end
  StepReport last;  // report of the last converged increment
} LoadPathReport;

/// Sets the forces and pressures of a path at a load factor. `force` [node_count][3] and `pressure` [faces] are work
/// arrays; `pressure` is not read without pressures.
bool load_path_set_load(Simulation *simulation, const LoadPath *path, int node_count, double factor, double (*force)[3],
                        double *pressure, Error *error);

/// Applies the load. Fails if an increment of 1/1024 of the first one does not converge; the body is then in the last
/// equilibrium, under its load, and the message has its load factor.
bool load_path_run(Simulation *simulation, const TetMesh *mesh, const LoadPath *path, LoadPathReport *report,
                   Error *error);

#ifdef __cplusplus
}
#endif
