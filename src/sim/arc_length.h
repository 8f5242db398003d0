// Equilibrium paths beyond limit points. Increments of the load (load_path.h) end at a load that cannot grow, for
// example at that of a shallow arch that snaps through. Here the length of the displacement is prescribed, and the
// load factor is an unknown, which may fall and rise again. The method is that of Crisfield, A fast
// incremental/iterative solution procedure that handles snap-through, Comput. Struct. 13, 1981: a cylinder of radius
// Delta s about the last equilibrium.
#pragma once
#include "sim/load_path.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ArcLengthReport {
  LoadPathReport path;
  int limit_points;  // extrema of the load factor on the path
  double largest;    // largest load factor before the first extremum, or of the whole path
} ArcLengthReport;

/// Follows the path to the full load, as load_path_run, which shares `path`; its increments give the first length.
/// Calls path->reached after each equilibrium. The simulation must have precision double, a matrix with entries on the
/// CPU, as the solver "cholmod" has, no contact, no moved pins and no gravity. Fails if increments get too small, or
/// after 100 times path->increments of them; the body is then in the last equilibrium.
bool arc_length_run(Simulation *simulation, const TetMesh *mesh, const LoadPath *path, ArcLengthReport *report,
                    Error *error);

#ifdef __cplusplus
}
#endif
