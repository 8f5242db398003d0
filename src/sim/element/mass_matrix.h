// Consistent mass matrix M of a body of tets: M_ab is the integral of density * N_a N_b over the body, with the shape
// functions N_a and N_b of nodes a and b. The matrix has one number for each pair of neighbouring nodes, since M_ab is
// the same for the x, y and z components. M is computed on the host in double. space_lumped_mass computes the
// alternative, a diagonal mass matrix.
#pragma once
#include "sim/element/space.h"

// A consistent mass matrix. Entries of pairs of nodes have the order of space->graph.neighbour, the list of each node's
// neighbours. A zeroed MassMatrix is empty.
typedef struct MassMatrix {
  double *diagonal;  // [node_count], the entries M_aa, kg
  double *couple;    // [pairs], the entries M_ab of different nodes, kg; 0 for pairs of a node with itself
  // Lower and upper bound of the eigenvalues of diag(M)^-1 M, where M is the mass matrix. The bounds are computed for a
  // single cell and hold for every mesh and density, also if some nodes are fixed (Wathen, Realistic eigenvalue bounds
  // for the Galerkin mass matrix, IMA J. Numer. Anal. 7, 1987).
  double low, high;
} MassMatrix;

/// Computes the mass matrix of a space. Each entry is summed in the order of the cells. Cells without an entry in
/// Space.density have `density`, kg/m^3. Fails if memory runs out, or if the cells are not tets.
bool mass_matrix_create(MassMatrix *matrix, const Space *space, double density, Error *error);
void mass_matrix_destroy(MassMatrix *matrix);

/// Computes p = M v, the product of the mass matrix M with v; p and v are [node_count][3].
void mass_matrix_multiply(const MassMatrix *matrix, const Space *space, const double (*v)[3], double (*p)[3]);
