// Marks of nodes at which surfaces intersect: of a body with itself, of two bodies, or of a body and an obstacle. They
// show why self-contact rejects an initial state.
#pragma once
#include "sim/simulation.h"

typedef struct CrossingMarks CrossingMarks;

/// Prepares the search for a mesh. It includes the obstacles that are surfaces with self_contact, even if the settings
/// have it off. Fails if memory runs out.
bool crossing_marks_create(CrossingMarks **marks, const TetMesh *mesh, const SimulationSettings *settings,
                           Error *error);
void crossing_marks_destroy(CrossingMarks *marks);  // accepts NULL

/// Searches at positions x [node_count][3] m and a time, s. *count is the number of edges that intersect triangles,
/// plus the number of nodes of connected parts inside a box, sphere or capsule. node [node_count] is 1 for the nodes of
/// all these, else 0. Fails if memory runs out.
bool crossing_marks_update(CrossingMarks *marks, const double (*x)[3], double time, uint8_t *node, int64_t *count,
                           Error *error);
