// Quasi-static loading: from the present state to equilibrium under the whole load, by increments of a factor that goes
// from 0 to 1. Newton converges only from nearby, so an increment that it cannot take is halved, and the next ones grow
// again; each begins where the last two states point to.
#pragma once
#include "sim/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LoadPath {
  int increments;            // of equal size, where Newton takes them
  const double (*force)[3];  // [node_count] N at factor 1, or NULL; the simulation's own gravity comes on top, unscaled
  const double (*move)[3];   // [node_count] m: how far held unknowns have moved at factor 1, or NULL: they stay
  const uint8_t *pinned;     // [node_count], as simulation_create had it; NULL: nothing is held
  // called after each increment, where given; false ends the path
  bool (*reached)(void *user, double factor, const StepReport *report, Error *error);
  void *user;
} LoadPath;

typedef struct LoadPathReport {
  int increments, halvings, newton_iterations, cg_iterations;
  double factor;    // reached
  StepReport last;  // of the last increment that converged
} LoadPathReport;

/// Fails where an increment of 1/1024 of the first is still too large; the body then stays in the last equilibrium, and
/// the message gives its factor.
bool load_path_run(Simulation *simulation, const TetMesh *mesh, const LoadPath *path, LoadPathReport *report,
                   Error *error);

#ifdef __cplusplus
}
#endif
