// Where a body's surface goes through itself, or bodies through each other: for those that self-contact cannot take as
// they begin.
#pragma once
#include "mesh/tet_mesh.h"

typedef struct CrossingMarks CrossingMarks;

bool crossing_marks_create(CrossingMarks **marks, const TetMesh *mesh, Error *error);
void crossing_marks_destroy(CrossingMarks *marks);  // takes NULL

/// How many edges go through triangles at positions x [node_count][3], and in `node` [node_count] 1 for the nodes of
/// all these, else 0. Fails for lack of memory.
bool crossing_marks_look(CrossingMarks *marks, const double (*x)[3], uint8_t *node, int64_t *count, Error *error);
