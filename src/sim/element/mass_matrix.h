// Consistent masses of a body of tets: M_ab, the integral of density N_a N_b over all cells, in the same pattern as the
// blocks of its matrix, a number for a pair of nodes, since it is the same along x, y and z. Lumped ones are
// space_lumped_mass. Made on the host in double.
#pragma once
#include "sim/element/space.h"

// A zeroed MassMatrix is empty. A pair is a position in space->graph.neighbour.
typedef struct MassMatrix {
  double *own;     // [node_count] kg, M_aa
  double *couple;  // [pairs] kg, M_ab of the others; 0 of a node with itself
  // The eigenvalues of M over its diagonal are between those of one cell, whatever the mesh and its densities (Wathen,
  // Realistic eigenvalue bounds for the Galerkin mass matrix, IMA J. Numer. Anal. 7, 1987), held nodes left out or not.
  double low, high;
} MassMatrix;

/// Sums in the order of the cells. Fails for lack of memory; cells that are no tets have none.
bool mass_matrix_create(MassMatrix *matrix, const Space *space, double density, Error *error);
void mass_matrix_destroy(MassMatrix *matrix);

/// p = M v, both [node_count][3].
void mass_matrix_multiply(const MassMatrix *matrix, const Space *space, const double (*v)[3], double (*p)[3]);
