// Stresses of single cells in double, for output files and tests.
#pragma once
#include "sim/simulation.h"

/// Computes sigma, the mean Cauchy stress of cell e, Pa: xx, yy, zz, xy, yz, xz. u [node_count][3] are the
/// displacements of all nodes, m. Returns the mean of det F. Both may be NaN if the cell is inverted.
double tet_cauchy_stress(const TetMesh *mesh, const double (*u)[3], int e, const SimulationSettings *settings,
                         double sigma[6]);

/// Computes sigma, the Cauchy stress at one point of cell e, Pa: xx, yy, zz, xy, yz, xz. Returns det F at this point.
/// `part` [4] has the point's barycentric coordinates in a tet. In a hex, its first three entries are the coordinates
/// in the reference cube, 0 to 1.
double tet_cauchy_stress_at(const TetMesh *mesh, const double (*u)[3], int e, const double part[4],
                            const SimulationSettings *settings, double sigma[6]);

/// von_mises returns the von Mises stress, Pa. largest_principal returns the largest principal stress, Pa. sigma:
/// Cauchy stress xx, yy, zz, xy, yz, xz.
double von_mises(const double sigma[6]);
double largest_principal(const double sigma[6]);
