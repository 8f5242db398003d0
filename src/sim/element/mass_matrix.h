// Consistent mass matrix of a body of tets: M_ab, the integral of density N_a N_b over all cells. It has the block
// pattern of the body's matrix, with one number per pair of nodes, since M_ab is equal along x, y and z.
// space_lumped_mass has the lumped masses. Computed on the host in double.
#pragma once
#include "sim/element/space.h"

// A zeroed MassMatrix is empty. A pair is an index into space->graph.neighbour.
typedef struct MassMatrix {
  double *diagonal;  // [node_count] kg, M_aa
  double *couple;    // [pairs] kg, M_ab of different nodes; 0 for a node with itself
  // Bounds of the eigenvalues of diag(M)^-1 M, which are those of a single cell, for any mesh and any densities, with
  // or without held nodes. See Wathen, Realistic eigenvalue bounds for the Galerkin mass matrix, IMA J. Numer. Anal. 7,
  // 1987.
  double low, high;
} MassMatrix;

/// Sums in the order of the cells. Fails if memory runs out, or if the cells are not tets.
bool mass_matrix_create(MassMatrix *matrix, const Space *space, double density, Error *error);
void mass_matrix_destroy(MassMatrix *matrix);

/// Computes p = M v, both [node_count][3].
void mass_matrix_multiply(const MassMatrix *matrix, const Space *space, const double (*v)[3], double (*p)[3]);
