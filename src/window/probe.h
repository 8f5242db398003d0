// Text about one point of the body: node, displacement, det F and stress.
#pragma once
#include "sim/simulation.h"

/// Writes lines of text about `point`, m, in cell e. x [nodes of the cell]: their present positions, m. The text has
/// the nearest node's number in the mesh file, the cell's number from 1, and displacement, det F and Cauchy stress at
/// the point. The positions are those of the picture, in float, so strains below 1e-6 * (size of the body) / (size of
/// the cell) are lost.
void probe_text(const TetMesh *mesh, int e, const double (*x)[3], const double point[3],
                const SimulationSettings *settings, const char *body, char *text, size_t size);
