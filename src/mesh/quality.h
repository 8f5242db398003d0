// How good a mesh is for computing on.
#pragma once
#include "mesh/tet_mesh.h"

typedef struct MeshQuality {
  double min_dihedral, max_dihedral;      // degrees, between two faces of a tet; a regular one has 70.5
  double worst_aspect, mean_aspect;       // circumradius over three times inradius: 1 for a regular tet
  double volume, min_volume, max_volume;  // m^3
  double min_edge, max_edge;              // m
  int64_t worst_tags[4];                  // nodes of the tet with the worst aspect, as numbered in the file
  int components;                         // parts without a common node
} MeshQuality;

bool mesh_quality(const TetMesh *mesh, MeshQuality *quality, Error *error);
