// Cuts a mesh at rest by a plane. The result is triangles with corners on edges of tets, or of the tets that represent
// a cell (mesh_parts_of_tet), so that they follow the motion of the mesh.
#pragma once
#include "mesh/tet_mesh.h"

typedef struct PlaneCutVertex {
  int ends[2];  // nodes, ascending
  float part;   // position from the first to the second node, 0 to 1
} PlaneCutVertex;

// A zeroed PlaneCut is empty.
typedef struct PlaneCut {
  int triangle_count;
  PlaneCutVertex (*triangle)[3];  // [triangle_count]
  int *tet;                       // [triangle_count], tet that contains each triangle
} PlaneCut;

/// Cuts at dot(normal, X) = at, m. Tets with a common edge have the same vertex on it, and nodes in the plane count as
/// below it, so that the cut has neither gaps nor duplicate faces. Linear in tets. Fails only if memory runs out.
bool plane_cut_create(PlaneCut *cut, const TetMesh *mesh, const double normal[3], double at, Error *error);
void plane_cut_destroy(PlaneCut *cut);
