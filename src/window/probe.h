// What is at a point of the body, in numbers.
#pragma once
#include "sim/simulation.h"

/// Lines of text about a point, m, of cell e whose nodes [mesh_cell_nodes] are at x now, m: its nearest node, by the
/// number in the file of the mesh; the tet, counted from 1; where the point has moved from rest; and det F and the
/// Cauchy stress there, which vary in a quadratic tet. From positions as they are drawn, in float: strains below 1e-6
/// of the body's size over the tet's are lost.
void probe_text(const TetMesh *mesh, int e, const double (*x)[3], const double point[3],
                const SimulationSettings *settings, const char *body, char *text, size_t size);
