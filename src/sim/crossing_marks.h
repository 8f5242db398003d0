// Where a body's surface goes through itself, bodies through each other or through obstacles: for those that
// self-contact cannot take as they begin.
#pragma once
#include "sim/simulation.h"

typedef struct CrossingMarks CrossingMarks;

/// Obstacles are those that self-contact would have, if the settings had it. Fails for lack of memory.
bool crossing_marks_create(CrossingMarks **marks, const TetMesh *mesh, const SimulationSettings *settings,
                           Error *error);
void crossing_marks_destroy(CrossingMarks *marks);  // takes NULL

/// How many edges go through triangles at positions x [node_count][3] and a time, s, and besides how many nodes are of
/// connected parts that lie within a box, sphere or capsule. `node` [node_count] has 1 for the nodes of all these, else
/// 0. Fails for lack of memory.
bool crossing_marks_look(CrossingMarks *marks, const double (*x)[3], double time, uint8_t *node, int64_t *count,
                         Error *error);
