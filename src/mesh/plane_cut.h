// A plane through a mesh at rest: triangles that fill the cut, whose corners lie on edges of tets, or of the tets that
// stand for a cell (mesh_parts_of_tet), so that they
// follow the mesh wherever it moves.
#pragma once
#include "mesh/tet_mesh.h"

typedef struct PlaneCutVertex {
  int ends[2];  // nodes, ascending
  float part;   // from the first to the second, 0 to 1
} PlaneCutVertex;

// A zeroed PlaneCut is empty.
typedef struct PlaneCut {
  int triangle_count;
  PlaneCutVertex (*triangle)[3];  // [triangle_count]
  int *tet;                       // [triangle_count], the one that each lies in
} PlaneCut;

/// Cuts where dot(normal, X) = at, m. Tets that share an edge have the same vertex on it, and nodes in the plane belong
/// to the side below, so that the cut has neither gaps nor faces twice. Linear in tets. Fails only for lack of memory.
bool plane_cut_create(PlaneCut *cut, const TetMesh *mesh, const double normal[3], double at, Error *error);
void plane_cut_destroy(PlaneCut *cut);
