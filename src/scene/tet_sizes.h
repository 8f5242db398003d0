// Advice for meshes with tets of very different volumes. Such a mesh needs smaller tolerances of the solvers.
#pragma once
#include <stddef.h>

#include "sim/simulation.h"

/// Writes a notice if the volumes of tets differ so much that steps with these settings would not resolve the small
/// ones. The notice names the smallest and the largest tet and suggests settings. Returns false if no notice is needed.
///
/// Reason: Newton's method stops when the norm of the residual is small. A tet contributes to this norm in proportion
/// to its squared edge length, so errors of small tets hardly count. The table has measurements with a cube that is
/// refined towards a corner, in 60 steps of 1/60 s under gravity. "error": relative error of the displacements.
/// "damped": steps that backward Euler repeated, because the midpoint rule failed. Empty: no measurement.
///
///   settings                         ratio of volumes   error    result
///   Newton 1e-3, CG 1e-4             2e3                3e-4
///   Newton 1e-3, CG 1e-4             1e5                9e-3     3 damped steps
///   Newton 1e-3, CG 1e-4             8e6                2e-2     11 damped steps
///   Newton 1e-3, CG 1e-4             2e12                        steps do not converge
///   Newton 1e-5, CG 1e-4, float      up to 8e6          3e-5     no damped steps
///   Newton 1e-10, CG 1e-6, double    up to 2e12                  no damped steps
///   Newton 1e-10, CG 1e-6, double    1e14                        2 steps do not converge
///
/// A stationary problem, whose Newton tolerance is 1e-6, needs no other settings: its error is 8e-6 in float at a ratio
/// of 1e12.
bool tet_sizes_notice(const TetMesh *mesh, const SimulationSettings *settings, char *notice, size_t size);
