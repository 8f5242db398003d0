// Measures of a mesh's quality: shapes, volumes and edges of its cells.
#pragma once
#include "mesh/tet_mesh.h"

typedef struct MeshQuality {
  double min_dihedral, max_dihedral;  // degrees, angles between two faces of a cell; 70.5 in a regular tet, 90 in a box
  // Ratio that is 1 for the best shape and larger for others. Tets: circumradius / (3 inradius). Hexes: product of the
  // lengths of the three edges at the worst corner, divided by the volume that these edges span.
  double worst_aspect, mean_aspect;
  double volume, min_volume, max_volume;  // volume of the mesh, and smallest and largest volume of a cell, m^3
  double min_edge, max_edge;              // shortest and longest edge, m
  int64_t worst_tags[8];                  // numbers in the file of the nodes of the cell with the worst aspect
  int components;                         // number of connected parts
} MeshQuality;

bool mesh_quality(const TetMesh *mesh, MeshQuality *quality, Error *error);
