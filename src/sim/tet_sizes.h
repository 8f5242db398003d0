// Tets of very different size in one body: what has to be asked of the solvers then.
#pragma once
#include <stddef.h>

#include "sim/simulation.h"

/// A notice where the body's tets differ so much in volume that a motion with these settings would pass over the small
/// ones: which they are, and the settings that help. False: none is needed.
///
/// Newton stops by the norm of the residual, to which a tet gives with its edge squared. Measured on a cube refined
/// towards a corner, 60 steps of 1/60 s under gravity, default settings: volumes that differ 2e3 times cost 3e-4 of the
/// displacements, 1e5 times 9e-3 and 3 damped steps, 8e6 times 2e-2 and 11, and at 2e12 steps do not converge. With
/// Newton and CG at 1e-5 and 1e-4 no step is damped and float is right to 3e-5 up to 8e6 times; double with 1e-10 and
/// 1e-6 does not damp up to 2e12 times; at 1e14 it leaves 2 steps unconverged. A static solve, whose Newton goes to
/// 1e-6, needs none of this: 8e-6 in float at 1e12 times.
bool tet_sizes_notice(const TetMesh *mesh, const SimulationSettings *settings, char *notice, size_t size);
