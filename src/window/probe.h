// Text with the values at one point of the body: node, displacement, det F and stress.
#pragma once
#include "sim/simulation.h"

/// Writes lines of text about `point` (m) in cell e. x [mesh_cell_nodes] holds the present positions of the cell's
/// nodes, m. The text contains the number of the nearest node in the mesh file, the number of the cell counted from 1,
/// the point's displacement, det F, and the Cauchy stress at the point. The positions are those that are drawn, in
/// float. So strains below 1e-6 * (size of the body) / (size of the tet) are lost in rounding.
void probe_text(const TetMesh *mesh, int e, const double (*x)[3], const double point[3],
                const SimulationSettings *settings, const char *body, char *text, size_t size);
