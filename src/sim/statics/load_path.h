// Quasi-static loading: finds the equilibrium under a load in several increments. The load factor, the fraction of the
// full load, increases from 0 to 1. Each increment increases the load factor and solves for equilibrium, starting from
// a linear extrapolation of the last two equilibria; with self-contact, from the last equilibrium. An increment for
// which Newton's method fails is halved and tried again. After a success, the next increment is twice as large, but not
// larger than the initial one.
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// The full load, and functions that the load path calls.
typedef struct LoadPath {
  int increments;  // number of increments that the path has if no increment is halved
  // [node_count], loads at load factor 1, N; NULL: none. The gravity of the settings is not part of these loads: it
  // acts at full strength from the start
  const double (*force)[3];
  const PressureLoad *pressure;  // pressures on faces at load factor 1; NULL: none
  const double (*move)[3];       // [node_count], prescribed displacements of pinned unknowns at factor 1, m; NULL: none
  // Adds to moved [node_count][3], m, prescribed displacements of pinned unknowns that are not proportional to the load
  // factor; NULL: there are none.
  void (*follow)(void *user, double factor, double (*moved)[3]);
  const uint8_t *pinned;  // [node_count], fixed directions of each node as bits (pins.h), 0: none; NULL: no pins
  // called after each equilibrium, unless NULL; if it returns false, the path ends with the error that it set
  bool (*reached)(void *user, double factor, const StepReport *report, Error *error);
  void *user;  // the first argument of the calls of `follow` and `reached`
} LoadPath;

// Results of a load path. A halving: an increment failed and was tried again with half the size.
typedef struct LoadPathReport {
  int increments, halvings, newton_iterations, cg_iterations;  // total numbers over the path
  double factor;                                               // load factor of the last equilibrium
  StepReport last;                                             // report of the last converged increment
} LoadPathReport;

/// Sets the simulation's loads and pressures to `factor` times the loads and pressures of the path. force
/// [node_count][3] and pressure [faces under pressure] are work arrays; `pressure` may be NULL if the path has no
/// pressures.
bool load_path_set_load(Simulation *simulation, const LoadPath *path, int node_count, double factor, double (*force)[3],
                        double *pressure, Error *error);

/// Increases the load factor from 0 to 1 in increments, and finds the equilibrium after each. Fails if an increment
/// finds no equilibrium although it was halved ten times. The body is then in the last equilibrium under its load, and
/// the message has the load factor. Also fails after Ctrl-C: the body is then in the last equilibrium, and the request
/// to end the program is removed.
bool load_path_run(Simulation *simulation, const TetMesh *mesh, const LoadPath *path, LoadPathReport *report,
                   Error *error);

#ifdef __cplusplus
}
#endif
