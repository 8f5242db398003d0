// Consistent mass matrix of a body of tets. M_ab is the integral of density * N_a N_b over all cells, with the shape
// functions N of nodes a and b. The matrix has one number per pair of neighbouring nodes, since M_ab is equal along x,
// y and z. It is computed on the host in double. Lumped masses are computed by space_lumped_mass.
#pragma once
#include "sim/element/space.h"

// A zeroed MassMatrix is empty. Pairs are in the order of space->graph.neighbour.
typedef struct MassMatrix {
  double *diagonal;  // [node_count] kg, M_aa
  double *couple;    // [pairs] kg, M_ab of different nodes; 0 for a node with itself
  // Bounds of the eigenvalues of diag(M)^-1 M. The bounds for a single cell are valid for any mesh and any densities,
  // with or without held nodes: Wathen, Realistic eigenvalue bounds for the Galerkin mass matrix, IMA J. Numer. Anal.
  // 7, 1987.
  double low, high;
} MassMatrix;

/// Computes the matrix, with sums in the order of the cells. `density`, kg/m^3, applies to cells without one. Fails if
/// memory runs out, or if the cells are not tets.
bool mass_matrix_create(MassMatrix *matrix, const Space *space, double density, Error *error);
void mass_matrix_destroy(MassMatrix *matrix);

/// Computes p = M v, both [node_count][3].
void mass_matrix_multiply(const MassMatrix *matrix, const Space *space, const double (*v)[3], double (*p)[3]);
