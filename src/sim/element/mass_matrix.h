// Consistent mass matrix M of a body of tets. Its entry M_ab is the integral of density * N_a N_b over all cells, with
// the shape functions N_a and N_b of nodes a and b. The matrix has one number for each pair of neighbouring nodes,
// since M_ab is equal along x, y and z. It is computed on the host in double. (A lumped mass matrix is diagonal;
// space_lumped_mass computes it.)
#pragma once
#include "sim/element/space.h"

// A mass matrix. Pairs of nodes are in the order of space->graph.neighbour. A zeroed MassMatrix is empty.
typedef struct MassMatrix {
  double *diagonal;  // [node_count], the entries M_aa, kg
  double *couple;    // [pairs], the entries M_ab of different nodes, kg; 0 for the pair of a node with itself
  // Bounds of the eigenvalues of diag(M)^-1 M. They are bounds for a single cell, and valid for any mesh and any
  // densities, with or without held nodes (Wathen, Realistic eigenvalue bounds for the Galerkin mass matrix, IMA J.
  // Numer. Anal. 7, 1987).
  double low, high;
} MassMatrix;

/// Computes the matrix, with sums in the order of the cells. A cell without a density has `density`, kg/m^3. Fails if
/// memory runs out, or if the cells are not tets.
bool mass_matrix_create(MassMatrix *matrix, const Space *space, double density, Error *error);
void mass_matrix_destroy(MassMatrix *matrix);

/// Computes p = M v, both [node_count][3].
void mass_matrix_multiply(const MassMatrix *matrix, const Space *space, const double (*v)[3], double (*p)[3]);
