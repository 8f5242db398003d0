// Separation of bodies that overlap initially, before a simulation is created.
#pragma once
#include "mesh/tet_mesh.h"
#include "sim/simulation.h"

/// Moves bodies apart that intersect each other or obstacles, are inside boxes, spheres or capsules, or are closer than
/// the distance of self-contact. Each move is along the axis on which the two bounding boxes overlap least. Two free
/// bodies each move half of it. Obstacles and held bodies (with a node in `pinned` [node_count], NULL: none) do not
/// move. Free bodies are also lifted out of planes and the floor. In a mesh without body numbers, connected parts are
/// the bodies.
/// *farthest is the largest displacement of a node, m. The mesh changes only on success. Fails if a body intersects
/// itself, two held bodies overlap, or the search does not end; messages have body numbers from 0.
bool bodies_untangle(TetMesh *mesh, const SimulationSettings *settings, const uint8_t *pinned, double *farthest,
                     Error *error);

/// Lifts free bodies out of planes and the floor, to the distance of self-contact. x [node_count][3], m: positions at a
/// time, s. A body that several planes enclose may stay in one of them. Fails if memory runs out.
bool bodies_lift(const TetMesh *mesh, const SimulationSettings *settings, const uint8_t *pinned, double time,
                 double (*x)[3], Error *error);
