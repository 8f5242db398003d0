// Marks the nodes at which a body's surface intersects itself, another body or an obstacle. A simulation with
// self-contact rejects such an initial state, and the marks show the user the places.
#pragma once
#include "sim/simulation.h"

typedef struct CrossingMarks CrossingMarks;

/// Prepares the search for a mesh and the obstacles of the settings that self-contact treats as surfaces. They are
/// included even if settings->self_contact is false. Fails if memory runs out.
bool crossing_marks_create(CrossingMarks **marks, const TetMesh *mesh, const SimulationSettings *settings,
                           Error *error);
void crossing_marks_destroy(CrossingMarks *marks);  // accepts NULL

/// Searches at nodal positions x [node_count][3], m, with the obstacles at their positions at `time`, s. It finds pairs
/// of an edge and a triangle that intersect. It also finds connected parts of the mesh that are completely inside a
/// box, sphere or capsule. *count is the number of these pairs plus the number of nodes of these parts. node
/// [node_count] is set to 1 for each node of such a pair or part, else to 0. Fails if memory runs out.
bool crossing_marks_update(CrossingMarks *marks, const double (*x)[3], double time, uint8_t *node, int64_t *count,
                           Error *error);
