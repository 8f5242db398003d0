// Bodies that overlap where they begin, moved apart before a simulation is made of them.
#pragma once
#include "mesh/tet_mesh.h"
#include "sim/simulation.h"

/// Moves bodies that go through each other or through obstacles, lie within boxes, spheres or capsules, or are closer
/// than self-contact's distance, apart: each step along the axis on which the boxes around two of them overlap least,
/// those that nothing holds (`pinned` [node_count], NULL: all of them; obstacles stay) each half of it. These are
/// lifted out of planes and the floor, too. Where the mesh has no bodies its connected parts are. `farthest` is how far
/// a node went at most, m. The mesh is changed only where all went well. Fails, with the bodies' numbers from 0, where
/// one goes through itself, both of two are held, or no end is found.
bool bodies_untangle(TetMesh *mesh, const SimulationSettings *settings, const uint8_t *pinned, double *farthest,
                     Error *error);
