// The tets at each node of a mesh.
#pragma once
#include "mesh/tet_mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// A zeroed Stars is empty.
typedef struct Stars {
  int *start;  // [node_count + 1], into tet
  int *tet;    // [4 tet_count], ascending for each node
} Stars;

/// Fails only for lack of memory.
bool stars_create(Stars *stars, const TetMesh *mesh, Error *error);
void stars_destroy(Stars *stars);

#ifdef __cplusplus
}
#endif
