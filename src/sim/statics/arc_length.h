// Equilibrium paths beyond limit points. At a limit point of the path the load has a maximum or a minimum, as when a
// shallow arch snaps through. The method of load_path.h prescribes the load of each step, so it stops at a limit point.
// The arc-length method prescribes the length of each step instead. The length is the norm of the vector that has the
// displacements of all nodes in this step. The load factor, the fraction of the full load, is then an unknown, which
// may fall and rise again (Crisfield, A fast incremental/iterative solution procedure that handles snap-through,
// Comput. Struct. 13, 1981).
#pragma once
#include "sim/statics/load_path.h"

#ifdef __cplusplus
extern "C" {
#endif

// Results of arc_length_run. The load factor is the fraction of the full load.
typedef struct ArcLengthReport {
  LoadPathReport path;  // numbers of steps, of halved steps and of iterations, and the report of the last equilibrium
  int limit_points;     // number of maxima and minima of the load factor on the path
  double largest;       // largest load factor before the first limit point, or of the whole path if there is none
} ArcLengthReport;

/// Follows the equilibrium path from the present state to load factor 1, the full load of `path`, and calls
/// path->reached after each equilibrium. The length of the first step is the norm of K^-1 f divided by
/// path->increments, with the tangent matrix K of the present state and the full load f. The simulation must have
/// precision double and a matrix whose entries are stored on the CPU, as with solver "cholmod". Contact, moved pins and
/// gravity are not supported. Fails if steps get too short, or after 100 * path->increments steps; the body is then in
/// the last equilibrium. Ctrl-C has the same effect as for load_path_run.
bool arc_length_run(Simulation *simulation, const TetMesh *mesh, const LoadPath *path, ArcLengthReport *report,
                    Error *error);

#ifdef __cplusplus
}
#endif
