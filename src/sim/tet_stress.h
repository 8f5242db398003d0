// Stresses of a state, tet by tet in double, for files and for tests.
#pragma once
#include "sim/simulation.h"

/// Of tet e at displacements u [node_count][3] m: Cauchy stress (xx, yy, zz, xy, yz, xz), Pa, and det F. Not numbers
/// where the tet is inverted.
double tet_cauchy_stress(const TetMesh *mesh, const double (*u)[3], int e, const SimulationSettings *settings,
                         double sigma[6]);

/// The same at barycentric coordinates `part` of the tet's corners, in a hex at reference coordinates: in a quadratic
/// tet and in a hex strain varies.
double tet_cauchy_stress_at(const TetMesh *mesh, const double (*u)[3], int e, const double part[4],
                            const SimulationSettings *settings, double sigma[6]);

/// Von Mises' equivalent of a stress, Pa, and its largest principal value.
double von_mises(const double sigma[6]);
double largest_principal(const double sigma[6]);
