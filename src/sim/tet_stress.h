// Stresses of single tets in double, for files and tests.
#pragma once
#include "sim/simulation.h"

/// Computes the Cauchy stress of cell e at displacements u [node_count][3] m: sigma (xx, yy, zz, xy, yz, xz), Pa.
/// Returns det F. Both are NaN if the tet is inverted.
double tet_cauchy_stress(const TetMesh *mesh, const double (*u)[3], int e, const SimulationSettings *settings,
                         double sigma[6]);

/// As tet_cauchy_stress, at a point: barycentric coordinates `part` of a tet's corners, or reference coordinates in a
/// hex. In quadratic tets and hexes the strain varies.
double tet_cauchy_stress_at(const TetMesh *mesh, const double (*u)[3], int e, const double part[4],
                            const SimulationSettings *settings, double sigma[6]);

/// Return the von Mises stress, and the largest principal stress, Pa.
double von_mises(const double sigma[6]);
double largest_principal(const double sigma[6]);
