// The section of an undeformed mesh with a plane, as triangles for drawing. Corners of the triangles are on edges of
// tets, so they move with the mesh. Cells other than linear tets are first divided into linear tets
// (mesh_parts_of_tet).
#pragma once
#include "mesh/tet_mesh.h"

typedef struct PlaneCutVertex {
  int ends[2];  // nodes of the tet's edge on which the vertex lies, ascending
  float part;   // position on the edge, from 0 at the first node to 1 at the second
} PlaneCutVertex;

// The section of a mesh with a plane: the triangles in which the plane cuts the tets. A zeroed PlaneCut is empty.
typedef struct PlaneCut {
  int triangle_count;
  PlaneCutVertex (*triangle)[3];  // [triangle_count], corners of each triangle of the section
  int *tet;                       // [triangle_count], tet in which each triangle lies
} PlaneCut;

/// Computes the section of a mesh with the plane normal . X = at, m: the triangles in which the plane cuts the tets.
/// Nodes in the plane count as below the plane. Tets that share an edge get the same point on this edge, so the section
/// has no gaps and no duplicate triangles. Time is linear in the number of tets. Fails only if memory runs out.
bool plane_cut_create(PlaneCut *cut, const TetMesh *mesh, const double normal[3], double at, Error *error);
void plane_cut_destroy(PlaneCut *cut);
