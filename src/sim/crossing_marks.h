// Marks the nodes at which a body's surface intersects itself, another body or an obstacle. A simulation with
// self-contact rejects such an initial state; the marks show the user where surfaces intersect.
#pragma once
#include "sim/simulation.h"

typedef struct CrossingMarks CrossingMarks;

/// Prepares the search for a mesh and the obstacles of the settings. settings->self_contact may be false; planes are
/// then ignored, because without self-contact nodes may sink into them. The ball of simulation_push is always ignored.
/// Fails if memory runs out.
bool crossing_marks_create(CrossingMarks **marks, const TetMesh *mesh, const SimulationSettings *settings,
                           Error *error);
void crossing_marks_destroy(CrossingMarks *marks);  // accepts NULL

/// Searches at nodal positions x [node_count][3], m, with the obstacles at their positions at `time`, s. It finds pairs
/// of an edge and a triangle that intersect, and connected pieces of the mesh that are completely inside a box, sphere
/// or capsule. node [node_count] gets 1 for nodes of such a pair or piece, else 0. *count is the number of pairs plus
/// the number of nodes of such pieces. Fails if memory runs out.
bool crossing_marks_update(CrossingMarks *marks, const double (*x)[3], double time, uint8_t *node, int64_t *count,
                           Error *error);
