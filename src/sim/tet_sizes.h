// Meshes with tets of very different volumes, which need smaller tolerances.
#pragma once
#include <stddef.h>

#include "sim/simulation.h"

/// Writes a notice if the tets' volumes differ so much that a motion with these settings would not resolve the small
/// ones. The notice names the extreme tets and suggests settings. Returns false if none is needed.
///
/// Newton's method stops by the norm of the residual, to which a tet contributes in proportion to its squared edge
/// length. Measurements: a cube refined towards a corner, 60 steps of 1/60 s under gravity. Error: of the
/// displacements.
///
///   settings                         ratio of volumes   error    result
///   default                          2e3                3e-4
///   default                          1e5                9e-3     3 damped steps
///   default                          8e6                2e-2     11 damped steps
///   default                          2e12                        steps do not converge
///   Newton 1e-5, CG 1e-4, float      up to 8e6          3e-5     no damped steps
///   Newton 1e-10, CG 1e-6, double    up to 2e12                  no damped steps
///   Newton 1e-10, CG 1e-6, double    1e14                        2 steps do not converge
///
/// A static solve, whose Newton tolerance is 1e-6, needs no change: its error is 8e-6 in float at a ratio of 1e12.
bool tet_sizes_notice(const TetMesh *mesh, const SimulationSettings *settings, char *notice, size_t size);
