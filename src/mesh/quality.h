// Figures for the quality of a mesh in computations.
#pragma once
#include "mesh/tet_mesh.h"

typedef struct MeshQuality {
  double min_dihedral, max_dihedral;  // degrees, between two faces of a cell; a regular tet has 70.5, a box 90
  double worst_aspect, mean_aspect;   // tets: circumradius over three times the inradius, 1 for a regular one; hexes:
                                      // product of the edges over the volume that they span, at the worst corner, 1 for
                                      // a box
  double volume, min_volume, max_volume;  // m^3
  double min_edge, max_edge;              // m
  int64_t worst_tags[8];                  // nodes of the cell with the worst aspect, by their numbers in the file
  int components;                         // parts without a common node
} MeshQuality;

bool mesh_quality(const TetMesh *mesh, MeshQuality *quality, Error *error);
