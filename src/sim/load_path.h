// Quasi-static loading: finds the equilibrium under a load by increasing the load factor from 0 to 1 in increments,
// each of which is solved for equilibrium. Newton's method converges only near the solution. Therefore an increment
// that fails is halved and tried again. After a success, the next increment is twice as large, but not larger than the
// initial one. Each increment starts from a linear extrapolation of the last two states.
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LoadPath {
  int increments;                // number of increments, if none is halved
  const double (*force)[3];      // [node_count] N, loads at factor 1; NULL: none. Gravity of the settings acts too, at
                                 // full strength from the start
  const PressureLoad *pressure;  // pressures at factor 1; NULL: none
  const double (*move)[3];       // [node_count] m, prescribed displacements of pinned unknowns at factor 1; NULL: none
  // For prescribed motions that are not proportional to the load factor: adds the displacements of pinned unknowns at
  // this factor to moved [node_count][3] m. May be NULL.
  void (*follow)(void *user, double factor, double (*moved)[3]);
  const uint8_t *pinned;  // [node_count], as in simulation_create; NULL: no pins
  // called after each equilibrium unless NULL; if it returns false, the path ends with the error that it set
  bool (*reached)(void *user, double factor, const StepReport *report, Error *error);
  void *user;  // argument of `follow` and `reached`
} LoadPath;

typedef struct LoadPathReport {
  int increments, halvings, newton_iterations, cg_iterations;
  double factor;    // load factor at the end
  StepReport last;  // report of the last converged increment
} LoadPathReport;

/// Sets the simulation's loads and pressures to `factor` times those of the path. `force` [node_count][3] and
/// `pressure` [number of faces under pressure] are work arrays; `pressure` may be NULL if the path has no pressures.
bool load_path_set_load(Simulation *simulation, const LoadPath *path, int node_count, double factor, double (*force)[3],
                        double *pressure, Error *error);

/// Increases the load factor from 0 to 1. Fails if no equilibrium is found although the increment was halved ten times.
/// The body is then in the last equilibrium, under that load, and the message has the load factor.
bool load_path_run(Simulation *simulation, const TetMesh *mesh, const LoadPath *path, LoadPathReport *report,
                   Error *error);

#ifdef __cplusplus
}
#endif
